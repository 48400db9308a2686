"""Div, DivMod and FloorDivide, and their forms with a scalar and in place.

DivMod has a `mode`: 0 is the quotient, 1 is the quotient rounded toward 0, 2 is the quotient rounded down. The data
type of the computation depends on the mode (`mode_0_or_1`, `mode_2`). Integers divided by 0 give 0.
"""

import numpy as np

from aclnn.op import (
    EVERY, REAL, UP_TO_32_BITS, Arguments, Array, Bad, Operand, Planning, Relation, Series, T, becomes, broadcast,
    broadcast_of, can_cast, castable, computed_in, demand, dtype_name, elementwise, empty, except_on, is_complex,
    is_float, is_integer, listed, may_be_in_place, nulls, one_of, only_on, planned, promote, promoted, public_format,
    ranks, same_shape, together, twin_first, with_scalar_950,
)  # fmt: skip
from aclnn.ops.elementwise._family import float_of

A950 = Series.A950


def is_scalar(a: Arguments) -> bool:
    """True if `other` is a scalar."""
    return a.op.named("other").ctype.spelling.startswith("const aclScalar")


def inferred(a: Arguments) -> int | None:
    """The promoted data type on Ascend 950, which does not depend on the mode."""
    first, second = a.dtype("self"), a.dtype("other")
    return with_scalar_950(first, second) if is_scalar(a) else promote(first, second)


def quotient_type(a: Arguments) -> int | None:
    """The data type of Div: FLOAT for integers and for two float types; otherwise the promoted data type."""
    first, second = a.dtype("self"), a.dtype("other")
    both = promote(first, second)
    if both is None or is_complex(both) or both == T.ACL_DOUBLE:
        return both
    if is_float(first) and is_float(second):
        return first if first == second else T.ACL_FLOAT
    return float_of(both)


def scalar_quotient_type(a: Arguments) -> int | None:
    """The data type of Divs: a float tensor keeps its data type, integers are computed in FLOAT."""
    first, second = a.dtype("self"), a.dtype("other")
    if a.soc.series is A950:
        return float_of(inferred(a))
    return promote(first, second) if is_complex(first) or is_complex(second) else float_of(first)


def mode_0_or_1(a: Arguments, mode: int) -> int | None:
    """The data type of DivMod in mode 0 or 1. Before Ascend 950, DOUBLE is computed in FLOAT."""
    first, second = a.dtype("self"), a.dtype("other")
    if a.soc.series is A950:
        inferred_dtype = inferred(a)
        return inferred_dtype if mode == 1 and inferred_dtype != T.ACL_BOOL else float_of(inferred_dtype)
    if mode == 1 and first == second == T.ACL_INT32:
        return T.ACL_INT32 if a.soc.bfloat16 else T.ACL_FLOAT
    if is_scalar(a) and mode == 1 and {first, second} <= set(UP_TO_32_BITS) and first != second:
        return T.ACL_FLOAT
    inferred_dtype = scalar_quotient_type(a) if is_scalar(a) else quotient_type(a)
    return T.ACL_FLOAT if inferred_dtype == T.ACL_DOUBLE else inferred_dtype


def mode_2(a: Arguments) -> int | None:
    """The data type of DivMod in mode 2. Integers are computed as integers."""
    first, second = a.dtype("self"), a.dtype("other")
    dtype = inferred(a) if a.soc.series is A950 else promote(first, second)
    if {first, second} <= set(UP_TO_32_BITS) and is_scalar(a):
        return first
    return T.ACL_FLOAT if dtype == T.ACL_BOOL else dtype


def divided_in(a: Arguments) -> int | None:
    """The data type of DivMod and DivMods."""
    return mode_2(a) if a["mode"] == 2 else mode_0_or_1(a, a["mode"])


def refused_on_950(a: Arguments) -> Bad:
    """Checks the data type of out on Ascend 950. Most integer results count as FLOAT; mode 1 allows any data type."""
    dtype, mode = inferred(a), a["mode"] if a.has("mode") else 0
    if mode == 1 or dtype is None:
        return None
    whole = dtype == T.ACL_BOOL or is_integer(dtype)
    source = T.ACL_FLOAT if whole and (mode == 0 or dtype not in (T.ACL_INT32, T.ACL_BOOL)) else dtype
    return (
        None if can_cast(source, a.dtype("out")) else (a.type_name("out"), "a data type that the result can be cast to")
    )


def complex_quotient(a: Arguments) -> Bad:
    """Checks that mode is 0 for complex operands, as complex quotients cannot be rounded."""
    both = promote(a.dtype("self"), a.dtype("other"))
    if both is None or not is_complex(both) or a["mode"] == 0:
        return None
    return dtype_name(both), "a real data type, as mode is not 0"


def quotient(x: Array, y: Array) -> Array:
    return x / y


def toward_0(x: Array, y: Array) -> Array:
    """The quotient rounded toward 0; integers divided by 0 give 0."""
    if x.dtype.kind == "f":
        return np.trunc(x / y)
    low = np.floor_divide(x, y)
    return low + (((x < 0) ^ (y < 0)) & (low * y != x) & (y != 0))


def rounded_down(x: Array, y: Array) -> Array:
    """The quotient rounded down; integers divided by 0 give 0."""
    return np.floor(x / y) if x.dtype.kind == "f" else np.floor_divide(x, y)


def truncated(x: Array) -> Array:
    return np.trunc(x)


def floored(x: Array) -> Array:
    return np.floor(x)


FORMULAS = {0: quotient, 1: toward_0, 2: rounded_down}
ROUNDINGS = {1: truncated, 2: floored}


def times(x: Array, *, factor: np.float32) -> Array:
    return x * factor


def divide(p: Planning, mode: int, dtype: int) -> None:
    """Plan out = self / other. A scalar beside floats of up to 32 bits stays FLOAT."""
    x = p.read("self", dtype)
    scalar = is_scalar(p)
    y = p.operand("other", T.ACL_FLOAT if scalar and dtype in UP_TO_32_BITS else dtype)
    shape = broadcast_of(x, y)
    if mode == 0 and scalar and on_950_by_reciprocal(p, dtype):
        with np.errstate(all="ignore"):
            reciprocal = np.float32(1 / np.float64(p["other"].item()))
        p.store("out", p.step(times, [x], shape, dtype, factor=reciprocal))
    elif mode and dtype in UP_TO_32_BITS and p.soc.series is not A950:
        p.store("out", rounded(p, p.step(quotient, [x, y], shape, dtype), mode))
    else:
        p.store("out", p.step(FORMULAS[mode], [x, y], shape, dtype))


def rounded(p: Planning, x: Operand, mode: int) -> Operand:
    """A second step, which rounds the quotient to an integer. The first step rounded the quotient to its data type."""
    return p.step(ROUNDINGS[mode], [x], x.shape, x.dtype)


def on_950_by_reciprocal(p: Planning, dtype: int) -> bool:
    """True if Ascend 950 multiplies with the reciprocal of the scalar, as it does for floats of up to 32 bits."""
    if p.soc.series is not A950 or not is_float(p.dtype("other")) or p.dtype("self") not in UP_TO_32_BITS:
        return False
    return p.dtype("other") != T.ACL_DOUBLE or p["self"].contiguous


ON_950 = only_on(
    A950, demand("the result can be cast to the data type of {0}", "out", "self", "other", bad=refused_on_950)
)
MODE, NO_COMPLEX = (
    one_of("mode", 0, 1, 2),
    demand("{0} and {1} are real unless mode is 0", "self", "other", bad=complex_quotient),
)
SHAPE_FIRST = twin_first(("self", "other"), broadcast("self", "other", into="out"))
TENSORS: tuple[Relation, ...] = (
    SHAPE_FIRST, nulls("out", "other", "self"), broadcast("self", "other", into="out"),
    listed("other", "self", among=EVERY, provenance="public"), promoted("self", "other"),
    except_on(A950, becomes("out", of=("self", "other"))), ON_950, ranks("self", "other", least=0, most=8),
    public_format("self", "other", "out"), may_be_in_place(),
)  # fmt: skip
SCALARS: tuple[Relation, ...] = (
    public_format("out", "self"), listed("other", "self", among=EVERY, provenance="public"),
    ranks("self", least=0, most=8), same_shape("out", "self"), except_on(A950, castable("self", "out")), ON_950,
    may_be_in_place(),
)  # fmt: skip


@planned("aclnnDiv", "aclnnInplaceDiv", *TENSORS, computed_in(quotient_type), empty("self", "other"))
def div(p: Planning) -> None:
    """out = self / other"""
    divide(p, 0, p.computed())


@planned("aclnnDivs", "aclnnInplaceDivs", *SCALARS, computed_in(scalar_quotient_type), empty("self"))
def divs(p: Planning) -> None:
    """out = self / other, where other is a scalar"""
    divide(p, 0, p.computed())


@planned(
    "aclnnDivMod", "aclnnInplaceDivMod", *TENSORS, computed_in(divided_in), MODE, empty("self", "other"), NO_COMPLEX
)
def div_mod(p: Planning) -> None:
    """out = self / other; mode 1 rounds it toward 0, mode 2 rounds it down"""
    divide(p, p["mode"], p.computed())


@planned("aclnnDivMods", "aclnnInplaceDivMods", *SCALARS, computed_in(divided_in), MODE, empty("self"), NO_COMPLEX)
def div_mods(p: Planning) -> None:
    """out = self / other, where other is a scalar; mode 1 rounds it toward 0, mode 2 rounds it down"""
    divide(p, p["mode"], p.computed())


def floor_type(a: Arguments) -> int | None:
    """The data type of FloorDivide. BOOL is computed in FLOAT; on Ascend 950 also floats of 16 bits with a scalar."""
    dtype = promote(a.dtype("self"), a.dtype("other"))
    if is_scalar(a) and a.soc.series is A950:
        dtype = inferred(a)
        dtype = T.ACL_FLOAT if dtype in UP_TO_32_BITS else dtype
    return T.ACL_FLOAT if dtype == T.ACL_BOOL else dtype


@elementwise(
    "aclnnFloorDivide", "aclnnInplaceFloorDivide", SHAPE_FIRST, listed("self", "other", among=REAL),
    computed_in(floor_type), together(floor_type), only_on(A950, becomes("out")),
    ranks("self", "other", least=0, most=8), broadcast("self", "other", into="out"), empty("self", "other"),
)  # fmt: skip
def floor_divide(self: Array, other: Array) -> Array:
    """out = self / other rounded down"""
    return rounded_down(self, other)


@planned(
    "aclnnFloorDivides", "aclnnInplaceFloorDivides", listed("self", "other", among=REAL), computed_in(floor_type),
    together(floor_type), only_on(A950, becomes("out")), ranks("self", least=0, most=8), same_shape("out", "self"),
    empty("self"), may_be_in_place(),
)  # fmt: skip
def floor_divides(p: Planning) -> None:
    """out = self / other rounded down, where other is a scalar"""
    dtype = p.computed()
    x, y = p.read("self", dtype), p.constant("other", dtype)
    p.store("out", p.step(rounded_down, [x, y], x.shape, dtype))
