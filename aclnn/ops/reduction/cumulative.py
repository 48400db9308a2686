"""Results up to each element of a dimension: Cumsum, Cumprod, Cummax, Cummin."""

import numpy as np

from aclnn.op import (
    BF16, BOOL, COMPLEX, IEEE_FLOATS, INTEGERS, QUICK, REAL, WIDE_UNSIGNED, Arguments, Array, Bad, DataTypes, Kernel,
    Operator, Planning, Relation, T, axis, demand, empty, in_parts, listed, may_be_in_place, nulls, out_of_place,
    planned, ranks, repeatable, running, running_extreme, same_dtype, same_shape, with_bf16, with_out,
)  # fmt: skip


SUMMED = with_bf16((*IEEE_FLOATS, *INTEGERS, *COMPLEX))
MULTIPLIED = DataTypes((*IEEE_FLOATS, *BF16, *INTEGERS, *WIDE_UNSIGNED))
SMALLEST = DataTypes((*IEEE_FLOATS, *INTEGERS, *BOOL, *BF16))
INDICES = (T.ACL_INT32, T.ACL_INT64)


@repeatable
@with_out
@in_parts("axis", times=QUICK)
def running_sum(
    x: Array, *, axis: int, exclusive: bool = False, reverse: bool = False, out: Array | None = None
) -> Array:  # fmt: skip
    """The sums up to each element. Partial sums of floats have 64 bits; integers wrap in their own width."""
    x = np.flip(x, axis) if reverse else x
    if out is not None and (exclusive or reverse):
        out = np.empty(out.shape, out.dtype)
    sums = running(np.add, x, axis, out)
    if exclusive:
        sums = np.roll(sums, 1, axis)
        np.moveaxis(sums, axis, 0)[0] = 0
    return np.flip(sums, axis) if reverse else sums


@repeatable
@with_out
@in_parts("axis", times=QUICK)
def running_product(x: Array, *, axis: int, out: Array | None = None) -> Array:
    return running(np.multiply, x, axis, out)


@in_parts("axis", times=QUICK)
def running_max(x: Array, *, axis: int) -> tuple[Array, Array]:
    return running_extreme(np.maximum, x, axis)


@in_parts("axis", times=QUICK)
def running_min(x: Array, *, axis: int) -> tuple[Array, Array]:
    return running_extreme(np.minimum, x, axis)


def cumulate(p: Planning, kernel: Kernel, dtype: int, dim: int, name: str = "self", **flags: bool) -> None:
    """Plans out: `kernel` applied along a dimension, in a data type."""
    x = p.read(name, dtype)
    if x.shape:
        x = p.step(kernel, [x], x.shape, x.dtype, axis=dim % len(x.shape), **flags)
    elif flags.get("exclusive"):
        p.fill("out", 0)
        return
    p.store("out", x)


LIKE_SELF = (same_shape("out", "self"), ranks("self", least=0, most=8), axis("dim", of="self"), empty("self"))


@planned("aclnnCumsum", listed("out", among=SUMMED), same_dtype("out", as_="dtype"), *LIKE_SELF, may_be_in_place())
def cumsum(p: Planning) -> None:
    """out = the sums of self as dtype, along dim up to each element"""
    cumulate(p, running_sum, p["dtype"], p["dim"])


@planned(
    "aclnnCumsumV2", listed("self", "out", among=SUMMED), same_dtype("out", as_="self"), *LIKE_SELF, may_be_in_place()
)  # fmt: skip
def cumsum_v2(p: Planning) -> None:
    """out = the sums of self along dim up to each element. `exclusive`: without the element; `reverse`: from the end"""
    cumulate(p, running_sum, p.dtype("self"), p["dim"], exclusive=p["exclusive"], reverse=p["reverse"])


def dim_out_of_range(a: Arguments) -> Bad:
    rank, dim = max(a.rank("input"), 1), int(a["dim"].item())
    return None if -rank <= dim < rank else (dim, f"[{-rank}, {rank - 1}]")


def other_dtype(a: Arguments) -> Bad:
    if a["dtype"] in (T.ACL_DT_UNDEFINED, a.dtype("out")):
        return None
    return a.type_name("dtype"), f"{a.type_name('out')}, as out"


@planned(
    "aclnnCumprod", "aclnnInplaceCumprod", nulls("input", "dim"),
    listed("input", "out", among=MULTIPLIED, provenance="public"),
    listed("dim", among=INDICES, provenance="public"),
    demand("{0} is a dimension of {1}", "dim", "input", bad=dim_out_of_range), same_shape("out", "input"),
    out_of_place(demand("{0} is the data type of {1}, or undefined", "dtype", "out", bad=other_dtype)),
    ranks("input", least=0, most=8), empty("input"), may_be_in_place(),
)  # fmt: skip
def cumprod(p: Planning) -> None:
    """out = the products of input, along dim up to each element"""
    cumulate(p, running_product, p.dtype("out"), int(p["dim"].item()), "input")


def extreme(name: str, kernel: Kernel, doc: str, types: DataTypes, *first: Relation) -> Operator:
    def plan(p: Planning) -> None:
        x = p.one_dimension(p.read("self"))
        results = [(x.shape, x.dtype), (x.shape, T.ACL_INT64)]
        values, indices = p.steps(kernel, [x], results, axis=p.axis("dim", "self"))
        p.store("valuesOut", values)
        p.store("indicesOut", indices)

    relations = (
        *first, axis("dim", of="self"), listed("self", "valuesOut", among=types, provenance="public"),
        listed("indicesOut", among=INDICES), ranks("self", least=0, most=8), same_shape("valuesOut", "self"),
        same_shape("indicesOut", "self"), empty("self"),
    )  # fmt: skip
    return Operator((name,), relations, plan, doc, __name__)


cummax = extreme(
    "aclnnCummax", running_max,
    "valuesOut = the largest elements along dim up to each one, indicesOut = their positions", REAL,
    ranks("self", least=1, most=1 << 31),
)  # fmt: skip
cummin = extreme(
    "aclnnCummin", running_min,
    "valuesOut = the smallest elements along dim up to each one, indicesOut = their positions", SMALLEST,
)  # fmt: skip
