"""The stable order of many values, by the compiled evaluator or by numpy, with small temporaries.

A sort needs 8 bytes for each position, and at least as many for temporaries. So a long row is cut into ranges of
values. The bounds come from a sample, so that a range has about `RANGE` values. For each range, the positions of its
values are collected and sorted. The result is the order of `np.argsort`. If a common value is the bound of two ranges,
it gets its own range, which needs no sort.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native.order import order as ordered
from aclnn.engine.fast.native_calls import by_evaluator
from aclnn.engine.steps.parts import row_slices

MIN_ELEMENTS_FOR_EVALUATOR: Final = 1 << 10
"""elements from which a call of the evaluator is faster than numpy"""
RANGE: Final = 1 << 20
"""number of values in a range: their positions take 8 MiB"""
SAMPLE: Final = 1 << 16
"""number of values in the sample"""
RangeTest = Callable[[Array], Array]
"""function from values to a mask of the values that lie in a range"""


def keys(x: Array) -> Array:
    """Values that numpy can compare: bfloat16 as float32."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def order(x: Array, axis: int, *, descending: bool = False, first: int | None = None) -> Array:
    """The positions of the values in their order. NaN is the largest value. Equal values keep their order. With `first`
    only the first `first` positions are computed."""
    axis %= x.ndim
    if x.size >= MIN_ELEMENTS_FOR_EVALUATOR and first != 0:
        count = x.shape[axis] if first is None else min(first, x.shape[axis])
        places = np.empty((*x.shape[:axis], count, *x.shape[axis + 1 :]), np.int64)
        if by_evaluator(evaluator(), lambda library, threads: ordered(
            library, x, places, axis, descending=descending, threads=threads)):  # fmt: skip
            return places
    places = _by_numpy(keys(x), axis, descending=descending)
    return places if first is None else places[(slice(None),) * axis + (slice(first),)]


def _by_numpy(values: Array, axis: int, *, descending: bool) -> Array:
    if not descending:
        return np.argsort(values, axis, kind="stable")
    backwards = np.argsort(np.flip(values, axis), axis, kind="stable")  # equal values keep their order
    return np.flip(values.shape[axis] - 1 - backwards, axis)


def is_long(count: int) -> bool:
    """True if a row with `count` values is sorted by ranges."""
    return count >= 2 * RANGE


def in_order(
    row: Array, *, descending: bool = False, key: Callable[[Array], Array] = keys
) -> Iterator[tuple[slice, Array]]:
    """The result of `order` for one row, part by part: the slice of the order, and its positions. `key` maps values to
    the keys that are compared."""
    start = 0
    for positions in _by_ranges(row, key, descending=descending):
        yield slice(start, start + len(positions)), positions
        start += len(positions)


def _by_ranges(row: Array, key: Callable[[Array], Array], *, descending: bool) -> Iterator[Array]:
    if not is_long(len(row)) or row.dtype.kind == "c":
        yield order(key(row), 0, descending=descending)
        return
    ranges = list(_ranges(row, key))
    for is_inside, single_value in ranges[::-1] if descending else ranges:
        collected = (np.flatnonzero(is_inside(key(row[part]))) + part.start for part in row_slices(len(row)))
        if single_value:
            yield from collected
        else:
            positions = np.concatenate(list(collected))
            yield positions[order(key(row[positions]), 0, descending=descending)]


def _ranges(row: Array, key: Callable[[Array], Array]) -> Iterator[tuple[RangeTest, bool]]:
    """The ranges of values in ascending order, each with a flag: true if all its values are equal."""
    sampled = np.random.default_rng(0).integers(0, len(row), SAMPLE)
    sample = np.sort(key(row[sampled]))
    count = len(row) // RANGE
    bounds, times = np.unique(sample[np.arange(1, count) * SAMPLE // count], return_counts=True)
    numbers = ~np.isnan(bounds)
    bounds, common = bounds[numbers], bounds[numbers & (times > 1)]
    if not len(bounds):
        yield lambda x: ~np.isnan(x), False
    else:
        yield lambda x: x < bounds[0], False
        for low, high in pairwise([*bounds, None]):
            is_common = low in common
            if is_common:
                yield lambda x, low=low: x == low, True
            yield lambda x, low=low, high=high, exclusive=is_common: _between(x, low, high, exclusive=exclusive), False
    if row.dtype.kind in "fV":
        yield np.isnan, True


def _between(x: Array, low: object, high: object, *, exclusive: bool) -> Array:
    above = x > low if exclusive else x >= low
    return above if high is None else above & (x < high)
