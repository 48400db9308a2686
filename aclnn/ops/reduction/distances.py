"""Distances between rows: Cdist, Pdist, PdistForward."""

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, SHORT_FLOAT, Arguments, Array, Bad, Op, PlanBuilder, Planning, Relation, Scalar, Shape, T,
    broadcast_shape, demand, done, empty, filling, in_memory, listed, planned, ranks, row_slices, same_dtype, scalar_as,
    shape, store, total, widen,
)  # fmt: skip
from aclnn.ops.reduction._family import p_norm


def order_of(a: Arguments, name: str) -> float | None:
    """The value of a number or an aclScalar; None for a scalar that cannot be read as FLOAT."""
    value = a[name]
    try:
        return float(scalar_as(value, T.ACL_FLOAT)) if isinstance(value, Scalar) else float(value)
    except TypeError:
        return None


def order(name: str) -> Relation:
    """Checks that p is at least 0."""

    def bad(a: Arguments) -> Bad:
        value = order_of(a, name)
        return None if value is None or value >= 0 else (value, "a number that is at least 0")

    return demand("{0} is at least 0", name, bad=bad)


def other_width(a: Arguments) -> Bad:
    size, expected_size = a.shape("x2")[-1], a.shape("x1")[-1]
    return None if size == expected_size else (f"rows of {size}", f"rows of {expected_size}, as x1")


def other_euclidean_mode(a: Arguments) -> Bad:
    bad = abs(a["p"] - 2) <= 1e-6 and a["compute_mode"] != 2
    return (a["compute_mode"], "2, as p is 2") if bad else None


def apart(a: Arguments) -> Bad:
    batch1, batch2 = a.shape("x1")[:-2], a.shape("x2")[:-2]
    return (
        None
        if broadcast_shape(batch1, batch2) is not None
        else (list(batch2), f"dimensions that broadcast with {list(batch1)}")
    )


def between(a: Arguments) -> Shape:
    """The shape of the distances between the rows of x1 and x2."""
    shape1, shape2 = a.shape("x1"), a.shape("x2")
    return (*(broadcast_shape(shape1[:-2], shape2[:-2]) or ()), shape1[-2], shape2[-2])


def fill_result(call: Op, builder: PlanBuilder) -> None:
    """Plans distances of 0, for rows without elements. The copy fails if out has another shape than the result."""
    p = Planning(call, builder)
    p.store("out", p.step(zeros, [], between(p), p.dtype("out"), sizes=between(p)))


def zeros(*, sizes: Shape) -> Array:
    return np.zeros(sizes, np.float32)


def distance(off: Array, power: float) -> Array:
    """The p-norm of differences along the last dimension. Power 0 counts nonzero differences, or gives NaN."""
    if power == 0:
        return total(np.ceil(np.minimum(np.abs(off), np.float32(1))), (off.ndim - 1,))
    return p_norm(off, power=power, axes=(off.ndim - 1,), keepdims=False)


def each_with_each(x1: Array, x2: Array, *, power: float) -> Array:
    rows = x1.reshape(*x1.shape[:-1], 1, x1.shape[-1])
    off = rows - x2.reshape(*x2.shape[:-2], 1, *x2.shape[-2:])
    return distance(off, power)


@in_memory
def each_pair(x: Array, *, out: Array, power: float) -> None:
    """The distances of row 0 to rows 1, 2, ..., then of row 1 to rows 2, 3, ..."""
    start = 0
    for number in range(1, len(x)):
        others, row = x[number:], widen(x[number - 1])
        for part in row_slices(len(others), row.size):
            distances = distance(row - widen(others[part]), power)
            store(distances, out[start : start + distances.size])
            start += distances.size


@planned(
    "aclnnCdist", listed("x1", among=SHORT_FLOAT), same_dtype("out", as_="x1"), same_dtype("x2", as_="x1"),
    ranks("x1", "x2", "out", least=2, most=8),
    demand("the rows of {0} are as long as those of {1}", "x2", "x1", bad=other_width),
    order("p"), demand("{0} is 2 if {1} is 2", "compute_mode", "p", bad=other_euclidean_mode),
    demand("the dimensions of {0} before the last two broadcast with those of {1}", "x2", "x1", bad=apart),
    done("a dimension of the result is 0", "x1", "x2", when=lambda a: 0 in between(a)),
    empty("x1", "x2", plan=fill_result),
)  # fmt: skip
def cdist(p: Planning) -> None:
    """out = the distances between the rows of x1 and those of x2, by the p-norm of their differences"""
    x1, x2 = p.read("x1"), p.read("x2")
    p.store("out", p.step(each_with_each, [x1, x2], between(p), x1.dtype, power=float(p["p"])))


def pairs_of(a: Arguments) -> Shape:
    rows = a.shape("self")[0]
    return (rows * (rows - 1) // 2,)


def of_pairs(name: str) -> tuple[Relation, ...]:
    return (
        ranks("self", least=2, most=2), ranks("out", least=1, most=1),
        shape("out", "{0} has an element for each pair of rows of self", pairs_of), order(name),
        empty("self", "out", plan=filling("out", 0)),
    )  # fmt: skip


def pairwise(p: Planning, name: str) -> None:
    x = p.read("self")
    p.store("out", p.step(each_pair, [x], pairs_of(p), x.dtype, power=float(p.number(name, T.ACL_FLOAT))))


@planned("aclnnPdist", listed("self", "out", among=FLOAT_OR_HALF), same_dtype("out", as_="self"), *of_pairs("p"))
def pdist(p: Planning) -> None:
    """out = the distance of each pair of rows of self, by the p-norm of their difference"""
    pairwise(p, "p")


@planned("aclnnPdistForward", listed("self", "out", among=FLOAT_OR_HALF), *of_pairs("pScalar"))
def pdist_forward(p: Planning) -> None:
    """out = the distance of each pair of rows of self, by the p-norm of their difference; p is an aclScalar"""
    pairwise(p, "pScalar")
