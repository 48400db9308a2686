"""Unique, Unique2, UniqueDim and UniqueConsecutive: distinct values, the index of each element's value, and counts.

The number of distinct values is known only when the operator has run. Then the outputs that have one element for each
value get another view shape.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Final, cast

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Relation, Series, T, apart_from, axis, demand, empty, in_memory, in_order,
    is_float, keys, listed, planned, ranks, row_slices, same_dtype, shape,
)  # fmt: skip


FLATTENED: Final = 1000
"""the value of dim that means all dimensions"""
LONG = (T.ACL_INT64,)


def find(p: Planning, *, axis: int | None, neighbours: bool = False, inverse: bool = True, counts: bool = True) -> None:
    """Plan the distinct slices along a dimension, or for None the distinct elements. `inverse`, `counts`: True to plan
    that output too."""
    x, value = p.read("self"), p["valueOut"]
    if x.dtype != value.dtype:
        raise p.builder.failed("The data types of self and valueOut differ.")
    shape, dim = x.shape, axis or 0
    sizes = () if axis is None else (*shape[:dim], *shape[dim + 1 :])
    count = p["self"].numel if axis is None else shape[dim]
    rows = p.step(as_rows, [x], (count, prod(sizes)), x.dtype, moves=True, axis=dim) if dim else x
    rows = p.builder.reshape(rows, (count, prod(sizes)))
    signed = p.soc.series in (Series.A2, Series.A3) and is_float(x.dtype) and axis is None and not neighbours
    results = [(rows.shape, x.dtype), *[((size,), T.ACL_INT64) for size in (count, count, 1)]]
    values, numbers, times, totals = p.steps(unique, [rows], results, moves=True, neighbours=neighbours, signed=signed)
    outs = [p.builder.room(value, (count,) if axis is None else shape)]
    if counts:
        outs.append(p.builder.room(p["countsOut"], (count,)))
    p.builder.launch(first_ones, [values, times, totals], outs, moves=True, sized=[0, 1] if counts else [0], axis=dim,
                     sizes=sizes, with_counts=counts)  # fmt: skip
    if inverse:
        p.store("inverseOut", p.builder.reshape(numbers, shape) if axis is None else numbers)


def as_rows(x: Array, *, axis: int) -> Array:
    """Each slice along a dimension as a row."""
    return np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)


@in_memory
def unique(rows: Array, *, out: Sequence[Array], neighbours: bool, signed: bool) -> None:
    """The distinct rows; for each row, the number of its distinct row; the counts of the distinct rows; and their
    number. `signed`: True if -0 and +0 are two values. Every NaN is a separate value."""
    values, numbers, counts, total = out
    rows = apart_from(out, rows)
    count, place, last = 0, 0, rows[:0]
    for places in in_parts_of_order(rows, neighbours=neighbours, signed=signed):
        rows_of_part = rows[places]
        joined = np.concatenate([last, rows_of_part])
        new = np.ones(len(places), np.bool_)
        new[len(places) - len(joined) + 1 :] = differ(joined, signed=signed)
        starts = np.flatnonzero(new)
        numbers[places] = np.cumsum(new) + (count - 1)
        values[count : count + len(starts)] = rows_of_part[starts]
        counts[count : count + len(starts)] = starts + place
        count, place, last = count + len(starts), place + len(places), rows_of_part[-1:]
    for part in row_slices(count - 1):
        counts[part] = counts[part.start + 1 : part.stop + 1] - counts[part]
    counts[count - 1] = len(rows) - counts[count - 1]
    total[0] = count


def in_parts_of_order(rows: Array, *, neighbours: bool, signed: bool) -> Iterator[Array]:
    """The positions of the rows in ascending order, sorted in parts."""
    count, width = rows.shape
    if neighbours:
        whole = [range(count)]
    elif width == 1:
        whole = (places for _, places in in_order(rows[:, 0], key=signed_keys if signed else keys))
    else:
        last_first = cast("Array", keys(rows).T[::-1])
        whole = [np.lexsort(last_first)]
    for places in whole:
        for part in row_slices(len(places), width):
            yield np.asarray(places[part])


def signed_keys(x: Array) -> Array:
    """Unsigned integers in the order of floats, in which -0 is less than +0. NaN is last, negative before positive."""
    bits = x.view(f"u{x.itemsize}")
    top = bits.dtype.type(1 << (8 * x.itemsize - 1))
    negative = bits >= top
    last = np.where(negative, ~bits.dtype.type(1), ~bits.dtype.type(0))  # pyright: ignore
    return np.where(np.isnan(x), last, np.where(negative, ~bits, bits | top))  # pyright: ignore


def differ(rows: Array, *, signed: bool) -> Array:
    """For each row except the first: True if it differs from the row before."""
    rows = keys(rows)
    differing = (rows[1:] != rows[:-1]).any(1)
    return differing | (np.signbit(rows[1:]) != np.signbit(rows[:-1]))[:, 0] if signed else differing


def first_ones(
    values: Array, counts: Array, total: Array, *, axis: int, sizes: tuple[int, ...], with_counts: bool
) -> tuple[Array, ...]:  # fmt: skip
    """The distinct rows, as slices along a dimension, and their counts."""
    count = int(total[0])
    results = np.moveaxis(values[:count].reshape(count, *sizes), 0, axis), counts[:count]
    return results if with_counts else results[:1]


def flagged_output(name: str, like: str, *flags: str) -> Relation:
    """Checks the shape of an output if one of the flags is true."""

    def expected_shape(a: Arguments) -> tuple[int, ...] | None:
        return a.shape(like) if any(a[flag] for flag in flags) else None

    return shape(name, f"{{0}} has the shape of {like} if it is asked for", expected_shape)


@planned(
    "aclnnUnique", listed("self"), listed("inverseOut", among=LONG), ranks("self", least=0, most=8),
    flagged_output("inverseOut", "self", "returnInverse"), empty("self"),
)  # fmt: skip
def unique_values(p: Planning) -> None:
    """valueOut = the distinct values of self, in ascending order; inverseOut = the index of each element's value in
    valueOut. The view shape of valueOut becomes (count,) when the operator has run."""
    find(p, axis=None, inverse=p["returnInverse"], counts=False)


@planned(
    "aclnnUnique2", listed("self"), listed("inverseOut", "countsOut", among=LONG), ranks("self", least=0, most=8),
    flagged_output("inverseOut", "self", "returnInverse", "returnCounts"),
    flagged_output("countsOut", "valueOut", "returnCounts"), empty("self"),
)  # fmt: skip
def unique2(p: Planning) -> None:
    """Like aclnnUnique; countsOut = the number of occurrences of each value. Its view shape becomes (count,) too."""
    find(p, axis=None, inverse=p["returnInverse"] or p["returnCounts"], counts=p["returnCounts"])


@planned(
    "aclnnUniqueDim", listed("self"), listed("inverseOut", "countsOut", among=LONG), same_dtype("valueOut", "self"),
    ranks("self", least=0, most=8), axis("dim", "self"), empty("self"),
)  # fmt: skip
def unique_dim(p: Planning) -> None:
    """valueOut = the distinct slices of self along dim, in ascending order; inverseOut = the index of each slice in
    valueOut, if returnInverse is true; countsOut = the number of occurrences of each distinct slice"""
    find(p, axis=p.axis("dim", "self") if p.rank("self") else None, inverse=p["returnInverse"])


def flattened_or_axis(a: Arguments) -> Bad:
    rank = max(a.rank("self"), 1)
    fits = a["dim"] == FLATTENED or -rank <= a["dim"] < rank
    return None if fits else (a["dim"], f"[{-rank}, {rank - 1}], or {FLATTENED} for all dimensions")


@planned(
    "aclnnUniqueConsecutive", listed("self"), listed("inverseOut", "countsOut", among=LONG),
    same_dtype("valueOut", "self"), ranks("self", least=0, most=8),
    demand("{0} is a dimension of {1}, or 1000", "dim", "self", bad=flattened_or_axis), empty("self"),
)  # fmt: skip
def unique_consecutive(p: Planning) -> None:
    """valueOut = self without the elements, or slices along dim, that are equal to the one before; inverseOut = the
    index of each in valueOut; countsOut = the length of each run of equal elements or slices"""
    flat = p["dim"] == FLATTENED or not p.rank("self")
    find(p, axis=None if flat else p.axis("dim", "self"), neighbours=True,
         inverse=p["returnInverse"], counts=p["returnCounts"])  # fmt: skip
