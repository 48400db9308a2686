"""Unique, Unique2, UniqueDim, UniqueConsecutive: each value once, where it was, how often it came.

The number of values is known when the operator has run. Then the outputs that have one element for each value get
another view shape.
"""

from typing import Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.numbers.promotion import is_float
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Bad, Relation
from aclnn.engine.words.shapes import axis, ranks, shape
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import demand, empty

T = aclDataType
FLATTENED: Final = 1000
"""the number of a dimension that means all of them"""
LONG = (T.ACL_INT64,)


def find(p: Planning, *, axis: int | None, neighbours: bool = False, inverse: bool = True, counts: bool = True) -> None:
    """Plan the outputs along a dimension; None: of all elements. `inverse`, `counts`: are these outputs asked for?"""
    x, value = p.read("self"), p["valueOut"]
    if x.dtype != value.dtype:
        raise p.builder.failed("The data types of self and valueOut differ.")
    given, at = x.shape, axis or 0
    if axis is None:
        x = p.builder.reshape(x, (p["self"].numel,))
    numbers = p.builder.alloc((x.shape[at],), T.ACL_INT64)
    outs = [p.builder.room(value, x.shape), numbers]
    if counts:
        outs.append(p.builder.room(p["countsOut"], (x.shape[at],)))
    signed = p.soc.series in (Series.A2, Series.A3) and is_float(x.dtype) and axis is None and not neighbours
    p.builder.launch(unique, [x], outs, moves=True, sized=[0, 2] if counts else [0], axis=at, neighbours=neighbours,
                     signed=signed, counted=counts)  # fmt: skip
    if inverse:
        p.store("inverseOut", p.builder.reshape(numbers, given) if axis is None else numbers)


def unique(x: Array, *, axis: int, neighbours: bool, signed: bool, counted: bool) -> tuple[Array, ...]:
    """The values along a dimension, the number of its value for each of them, how often each comes. `signed`: -0 and +0
    are two values. NaN is a value of its own each time."""
    rows: Array = np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    rows = rows.astype(np.float32) if rows.dtype.kind == "V" else rows
    if neighbours:
        order = np.arange(len(rows))
    elif signed:
        keys: Array = rows[:, 0]
        order = np.lexsort((np.logical_not(np.signbit(keys)), keys))
    else:
        last_first = cast("Array", rows.T[::-1])
        order = np.argsort(rows[:, 0], kind="stable") if rows.shape[1] == 1 else np.lexsort(last_first)
    arranged = rows[order]
    new = np.ones(len(rows), np.bool_)
    new[1:] = (arranged[1:] != arranged[:-1]).any(1)
    if signed:
        new[1:] |= (np.signbit(arranged[1:]) != np.signbit(arranged[:-1]))[:, 0]
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.cumsum(new) - 1
    counts = np.diff(np.append(np.flatnonzero(new), len(rows)))
    return (np.take(x, order[new], axis), numbers, counts)[: 3 if counted else 2]


def asked(name: str, like: str, *flags: str) -> Relation:
    """An output has a shape if one of these flags is true."""

    def wanted(a: Arguments) -> tuple[int, ...] | None:
        return a.shape(like) if any(a[flag] for flag in flags) else None

    return shape(name, f"{{0}} has the shape of {like} if it is asked for", wanted)


@planned(
    "aclnnUnique", listed("self"), listed("inverseOut", among=LONG), ranks("self", least=0, most=8),
    asked("inverseOut", "self", "returnInverse"), empty("self"),
)  # fmt: skip
def unique_values(p: Planning) -> None:
    """valueOut = each value of self once, in ascending order; inverseOut = the number of each element's value. The view
    shape of valueOut becomes (count,) when the operator has run."""
    find(p, axis=None, inverse=p["returnInverse"], counts=False)


@planned(
    "aclnnUnique2", listed("self"), listed("inverseOut", "countsOut", among=LONG), ranks("self", least=0, most=8),
    asked("inverseOut", "self", "returnInverse", "returnCounts"), asked("countsOut", "valueOut", "returnCounts"),
    empty("self"),
)  # fmt: skip
def unique2(p: Planning) -> None:
    """As aclnnUnique; countsOut = how often each value comes. Its view shape becomes (count,) too."""
    find(p, axis=None, inverse=p["returnInverse"] or p["returnCounts"], counts=p["returnCounts"])


@planned(
    "aclnnUniqueDim", listed("self"), listed("inverseOut", "countsOut", among=LONG), same_dtype("valueOut", "self"),
    ranks("self", least=0, most=8), axis("dim", "self"), empty("self"),
)  # fmt: skip
def unique_dim(p: Planning) -> None:
    """valueOut = each slice of self along dim once, in ascending order; inverseOut = the number of each slice,
    countsOut = how often it comes"""
    find(p, axis=p.axis("dim", "self") if p.rank("self") else None)


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
    """valueOut = self without the elements, or the slices along dim, that are equal to the one before; inverseOut = the
    number of each, countsOut = how often it comes"""
    flat = p["dim"] == FLATTENED or not p.rank("self")
    find(p, axis=None if flat else p.axis("dim", "self"), neighbours=True,
         inverse=p["returnInverse"], counts=p["returnCounts"])  # fmt: skip
