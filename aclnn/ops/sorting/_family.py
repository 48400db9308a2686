"""Shared by sorting and searching: the order of elements, data types, and relations for axes and outputs."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np

from aclnn.op import (
    BF16, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, NEWER, WIDE_UNSIGNED, Arguments, Array, Bad, DataTypes, Operand,
    Planning, Relation, Series, T, demand, in_order, is_long, left, listed, loose_shape, order, take_along,
)  # fmt: skip


INT64 = (T.ACL_INT64,)
SORTABLE = DataTypes(
    (*FLOAT_OR_HALF, *INTEGERS),
    dict.fromkeys((Series.A2, Series.A3), BF16) | {Series.A950: (*BF16, *WIDE_UNSIGNED)},
)
"""the data types that Argsort and Kthvalue accept"""
COUNTED = DataTypes((*FLOAT_OR_HALF, *INTEGERS), dict.fromkeys(NEWER, BF16))
RANKED = DataTypes(
    (*IEEE_FLOATS, *INTEGERS),
    dict.fromkeys((Series.A2, Series.A3), BF16) | {Series.A950: (*BF16, *WIDE_UNSIGNED)},
)
MEDIUM: Final = 1 << 11
"""from this number of elements on `take_along` is faster than numpy"""
POSITIONS = listed("indicesOut", among=INT64)


def length(a: Arguments, dim: str = "dim") -> int | None:
    """The length of the dimension that is sorted; None for a 0-d tensor."""
    return a.shape("self")[a.axis(dim, "self")] if a.rank("self") else None


def order_at(x: Array, axis: int, number: Array | int) -> Array:
    """The positions of the elements with the rank `number` in sorted order, counted from 0. `number`: one for all rows,
    or an array with one element for each row."""
    numbers = np.broadcast_to(number, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    if not is_long(x.shape[axis]):
        if isinstance(number, int):
            return order(x, axis, first=number + 1)[(slice(None),) * axis + (slice(number, None),)]
        return at(order(x, axis, first=int(number.max(initial=0)) + 1), numbers, axis)
    numbers_in_order = np.empty(numbers.shape, np.int64)
    for row, ranks, place in rows_of(axis, x, numbers, numbers_in_order):
        for part, places in in_order(row):
            if ranks[0] < part.stop:
                place[0] = places[ranks[0] - part.start]
                break
    return numbers_in_order


def at(x: Array, places: Array, axis: int) -> Array:
    """The elements at places along a dimension."""
    return np.take_along_axis(x, places, axis) if x.size < MEDIUM else take_along(x, places, axis)


def rows_of(axis: int, *arrays: Array) -> Iterator[list[Array]]:
    """The rows of several arrays along a dimension: the first one of each, the second one, ..."""
    moved = [np.moveaxis(array, axis, -1) for array in arrays]
    for row in product(*map(range, moved[0].shape[:-1])):
        yield [each[row] for each in moved]


def taken(x: Array, places: Array, axis: int, *, keepdims: bool) -> tuple[Array, Array]:
    """The values at the positions, and the positions."""
    values = at(x, places, axis)
    return (values, places) if keepdims else (np.squeeze(values, axis), np.squeeze(places, axis))


def as_half(p: Planning, x: Operand, *, when: bool = True) -> Operand:
    """x, as FLOAT16 where the library computes so: "910: computes f32 in f16"."""
    narrow = when and x.dtype == T.ACL_FLOAT and p.soc.series is Series.TRAINING
    return p.builder.cast(x, T.ACL_FLOAT16) if narrow else x


def no_lone_bf16(axis: str = "") -> Relation:
    """Checks that BFLOAT16 has several elements along an axis, by default the last: "bf16 with axis length 1: B"."""

    def bad(a: Arguments) -> Bad:
        if a.dtype("self") != T.ACL_BF16 or not a.rank("self"):
            return None
        size = length(a, axis) if axis else a.shape("self")[-1]
        return (list(a.shape("self")), "more than one element, as self is BFLOAT16") if size == 1 else None

    return demand("{0} is not BFLOAT16 with one element in the dimension", "self", bad=bad, provenance="public")


def left_of_self(out: str, keepdims: str) -> Relation:
    """Checks that an output has the shape of self, where `dim` has the size 1 or is removed."""
    return loose_shape(out, "{0} has the shape that is left of self", lambda a: left(a, "self", "dim", keepdims))
