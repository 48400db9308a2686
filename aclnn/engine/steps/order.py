"""The stable order of many values, without temporaries as large as they are.

`np.argsort` needs 8 bytes for each position, and half as many to work in. So a long row is sorted by ranges of values.
A sample says where ranges lie that hold about `RANGE` values each. For one range after the other, the positions of its
values are searched, in parts of the row, and only they are sorted. Together this is the order that `np.argsort` finds.
A value that is so common that it bounds two ranges has a range of its own, where the positions are in order as they are
found.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.steps.parts import row_slices

RANGE: Final = 1 << 20
"""values of a range: their positions take 8 MiB"""
SAMPLE: Final = 1 << 16
"""values of the sample"""
Inside = Callable[[Array], Array]
"""which values lie in a range?"""


def keys(x: Array) -> Array:
    """Values that numpy can compare: bfloat16 as float32."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def order(x: Array, axis: int, *, descending: bool = False) -> Array:
    """The positions of the values in order. NaN is the largest value, equal values stay as they are."""
    values = keys(x)
    if not descending:
        return np.argsort(values, axis, kind="stable")
    backwards = np.argsort(np.flip(values, axis), axis, kind="stable")  # so equal values keep their order
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def is_long(count: int) -> bool:
    """Is a row with so many values sorted by ranges?"""
    return count >= 2 * RANGE


def in_order(
    row: Array, *, descending: bool = False, key: Callable[[Array], Array] = keys
) -> Iterator[tuple[slice, Array]]:
    """As `order` of one row, part by part: where in the order the part is, and its positions. `key`: what is compared,
    from the values of a part."""
    at = 0
    for found in _by_ranges(row, key, descending=descending):
        yield slice(at, at + len(found)), found
        at += len(found)


def _by_ranges(row: Array, key: Callable[[Array], Array], *, descending: bool) -> Iterator[Array]:
    if not is_long(len(row)) or row.dtype.kind == "c":
        yield order(key(row), 0, descending=descending)
        return
    ranges = list(_ranges(row, key))
    for inside, alike in ranges[::-1] if descending else ranges:
        places = (np.flatnonzero(inside(key(row[part]))) + part.start for part in row_slices(len(row)))
        if alike:
            yield from places
        else:
            found = np.concatenate(list(places))
            yield found[order(key(row[found]), 0, descending=descending)]


def _ranges(row: Array, key: Callable[[Array], Array]) -> Iterator[tuple[Inside, bool]]:
    """The ranges of values, in ascending order; and whether all values of it are alike."""
    chosen = np.random.default_rng(0).integers(0, len(row), SAMPLE)
    sample = np.sort(key(row[chosen]))
    count = len(row) // RANGE
    bounds, times = np.unique(sample[np.arange(1, count) * SAMPLE // count], return_counts=True)
    numbers = ~np.isnan(bounds)
    bounds, common = bounds[numbers], bounds[numbers & (times > 1)]
    if not len(bounds):
        yield lambda x: ~np.isnan(x), False
    else:
        yield lambda x: x < bounds[0], False
        for low, high in pairwise([*bounds, None]):
            apart = low in common
            if apart:
                yield lambda x, low=low: x == low, True
            yield lambda x, low=low, high=high, apart=apart: _between(x, low, high, apart=apart), False
    if row.dtype.kind in "fV":
        yield np.isnan, True


def _between(x: Array, low: object, high: object, *, apart: bool) -> Array:
    above = x > low if apart else x >= low
    return above if high is None else above & (x < high)
