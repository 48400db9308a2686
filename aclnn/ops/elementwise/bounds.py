"""Maximum, Minimum and Clamp. NaN stays NaN. If the lower bound of Clamp is above the upper one, the upper one wins."""

from typing import Any

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, IEEE_FLOATS, INTEGERS, REAL, Arguments, Array, Bad, Found, Planning, Relation, Series, T,
    becomes, broadcast, broadcast_of, broadcast_shape, can_cast, castable, computed_in, demand, elementwise, empty,
    except_on, is_float, listed, may_be_in_place, mixed, nulls, numpy_dtype, only_on, out_of_place, planned, promote,
    ranks, rule, same_shape, scalar_of_950, together, with_bf16,
)  # fmt: skip
from aclnn.ops.elementwise._family import with_tensor

A950 = Series.A950
CLAMPED = with_bf16((*IEEE_FLOATS, *INTEGERS))
"""without BOOL, which some documents list and no product accepts"""
LIMITS = ("clipValueMin", "clipValueMax")


def bounded_in(a: Arguments) -> int | None:
    """The promoted data type. On Ascend 950, two tensors of the same data type are computed in the data type of out if
    that does not represent all of their values."""
    computed, out = with_tensor(a), a.dtype("out")
    if a.soc.series is not A950 or a.dtype("self") != a.dtype("other") or computed is None:
        return computed
    return computed if keeps(computed, out) else out


def keeps(dtype: int, out: int) -> bool:
    """True if `out` represents all values of `dtype`. A float type counts as one that represents all integers."""
    if dtype in (out, T.ACL_BOOL) or is_float(out):
        return True
    a, b = numpy_dtype(dtype), numpy_dtype(out)
    return a is not None and b is not None and a.kind == b.kind and a.itemsize <= b.itemsize


PAIR: tuple[Relation, ...] = (
    listed("self", "other", among=REAL, provenance="public"), out_of_place(listed("out", among=REAL)),
    computed_in(bounded_in), together(bounded_in), except_on(A950, becomes("out")),
    ranks("self", "other", least=0, most=8),
    broadcast("self", "other", into="out"), empty("self", "other"),
)  # fmt: skip


@elementwise("aclnnMaximum", *PAIR)
def maximum(self: Array, other: Array) -> Array:
    """out = the larger of self and other"""
    return np.maximum(self, other)


@elementwise("aclnnMinimum", *PAIR)
def minimum(self: Array, other: Array) -> Array:
    """out = the smaller of self and other"""
    return np.minimum(self, other)


def bounded(x: Array, *limits: Array, low: bool, high: bool, **numbers: Any) -> Array:
    """x, not below the first limit and not above the last one. `low`, `high`: True if that limit is given."""
    if low:
        x = np.maximum(x, limits[0])
    return np.minimum(x, limits[-1]) if high else x


def present(a: Arguments, *names: str) -> tuple[str, ...]:
    """The parameters in `names` that the function has and that are not null."""
    return tuple(name for name in names if a.has(name) and a.given(name))


def limits_of(a: Arguments) -> tuple[str, str]:
    """The names of the lower and the upper limit; the upper one of ClampMaxTensor is `max`."""
    return "clipValueMin", "max" if a.has("max") else "clipValueMax"


def clamp(p: Planning, dtype: int) -> None:
    """Plan out = self, not below the lower limit and not above the upper one."""
    low, high = (bool(present(p, name)) for name in limits_of(p))
    values = [p.operand(name, dtype) for name in present(p, *limits_of(p))]
    x = p.read("self", dtype)
    sizes = broadcast_of(x, *values)
    p.store("out", p.step(bounded, [x, *values], sizes, dtype, low=low, high=high))


def no_limit(a: Arguments) -> Found | None:
    low, high = limits_of(a)
    if present(a, low, high):
        return None
    return "clamp: At least one of 'min' or 'max' must not be None.", low, f"null, as {high} is", "one limit at least"


ONE_LIMIT = Relation(
    rule("at least one limit of {0} is not null", ["self"], no_limit, status=ACLNN_ERR_PARAM_NULLPTR,
         provenance="public")
)  # fmt: skip


def number_type(a: Arguments) -> int | None:
    """The data type of out; on Ascend 950 scalars have lower priority than the tensor."""
    if a.soc.series is not A950:
        return a.dtype("out")
    scalars = [a.dtype(name) for name in present(a, *limits_of(a))]
    kinds = list(map(scalar_of_950, scalars))
    both = kinds[0] if kinds and kinds[0] == kinds[-1] else promote(kinds[0], kinds[-1]) if kinds else None
    return None if both is None else mixed(a.dtype("self"), both)


def unfit(a: Arguments, dtype: int | None) -> Bad:
    """Checks that the data type of computation exists, is one of Clamp, and can be cast to the data type of out."""
    if dtype is not None and dtype in CLAMPED.on(a.soc.series) and can_cast(dtype, a.dtype("out")):
        return None
    return a.type_name("self"), "a data type that promotes with the limits, and can be cast to that of out"


def unfit_number_type(a: Arguments) -> Bad:
    return unfit(a, number_type(a))


def numbers() -> tuple[Relation, ...]:
    return (
        listed("self", among=CLAMPED, provenance="public"), out_of_place(listed("out", among=CLAMPED)),
        same_shape("out", "self"), ranks("self", least=0, most=8), empty("self"), computed_in(number_type),
        except_on(A950, castable("self", "out")),
        only_on(A950, demand("{0} and the limits promote to a type of {1}", "self", "out", bad=unfit_number_type)),
        may_be_in_place(),
    )  # fmt: skip


@planned("aclnnClamp", nulls("self", "out"), ONE_LIMIT, *numbers())
def clamp_both(p: Planning) -> None:
    """out = self, not below clipValueMin, not above clipValueMax; both are scalars, and one may be null"""
    clamp(p, p.computed())


@planned("aclnnClampMin", nulls("clipValueMin", "self", "out"), *numbers())
def clamp_min(p: Planning) -> None:
    """out = self, not below clipValueMin, a scalar"""
    clamp(p, p.computed())


@planned("aclnnClampMax", "aclnnInplaceClampMax", nulls("clipValueMax", "self", "out"), *numbers())
def clamp_max(p: Planning) -> None:
    """out = self, not above clipValueMax, a scalar"""
    clamp(p, p.computed())


def tensor_type(a: Arguments) -> int | None:
    return a.promoted("self", *present(a, *limits_of(a)))


def together_with_limits(a: Arguments) -> Bad:
    """Checks that self and the limits promote to a data type of Clamp that can be cast to that of out."""
    return unfit(a, tensor_type(a))


def not_broadcast(a: Arguments) -> Bad:
    shapes = [a.shape(name) for name in ("self", *present(a, *limits_of(a)))]
    expected_shape = broadcast_shape(*shapes)
    return None if expected_shape == a.shape("out") else (list(a.shape("out")), expected_shape and list(expected_shape))


TENSORS: tuple[Relation, ...] = (
    listed("self", among=CLAMPED, provenance="public"), out_of_place(listed("out", among=CLAMPED)),
    ranks("self", "out", least=0, most=8),
)  # fmt: skip
LIMIT_RULES: tuple[Relation, ...] = (
    computed_in(tensor_type),
    demand("{0} and its limits promote to a data type that {1} can hold", "self", "out", bad=together_with_limits),
    demand("{0} has the shape that self and its limits broadcast to", "out", bad=not_broadcast), may_be_in_place(),
)  # fmt: skip


@planned(
    "aclnnClampTensor",
    nulls("self", "out"),
    ONE_LIMIT,
    *TENSORS,
    ranks(*LIMITS, least=0, most=8),
    empty("self"),
    *LIMIT_RULES,
)
def clamp_tensor(p: Planning) -> None:
    """out = self, not below clipValueMin, not above clipValueMax; both are tensors, and one may be null"""
    clamp(p, p.computed())


@planned(
    "aclnnClampMinTensor", "aclnnInplaceClampMinTensor", nulls("clipValueMin", "self", "out"), *TENSORS,
    ranks("clipValueMin", least=0, most=8), empty("self", "clipValueMin"), *LIMIT_RULES,
)  # fmt: skip
def clamp_min_tensor(p: Planning) -> None:
    """out = self, not below clipValueMin, a tensor"""
    clamp(p, p.computed())


@planned(
    "aclnnClampMaxTensor", "aclnnInplaceClampMaxTensor", nulls("max", "self", "out"), *TENSORS,
    ranks("max", least=0, most=8), empty("self", "max"), *LIMIT_RULES,
)  # fmt: skip
def clamp_max_tensor(p: Planning) -> None:
    """out = self, not above max, a tensor"""
    clamp(p, p.computed())
