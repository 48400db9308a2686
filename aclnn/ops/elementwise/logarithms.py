"""XLogY, LogAddExp and LogAddExp2, which are logarithms of two tensors, and IsClose."""

from typing import Any

import numpy as np

from aclnn.op import (
    REAL, REAL_OR_UNSIGNED, SHORT_FLOAT, SHORT_FLOAT_OR_WHOLE, Arguments, Array, Planning, Relation, Series, T, becomes,
    broadcast, broadcast_of, computed_in, elementwise, empty, in_parts, listed, may_be_in_place, only_on, planned,
    public_format, ranks, same_dtype, same_format, same_shape, together,
)  # fmt: skip
from aclnn.ops.elementwise._family import float_of

FACTORS = SHORT_FLOAT_OR_WHOLE


def weighted_logarithm(x: Array, y: Array) -> Array:
    """x * log(y); 0 where x is 0, unless y is NaN."""
    return np.where((x == 0) & ~np.isnan(y), x.dtype.type(0), x * np.log(y))


def factor_type(a: Arguments) -> int | None:
    """The data type of XLogY: the promoted one; FLOAT for integers and DOUBLE."""
    dtype = float_of(a.promoted("self", "other"))
    return T.ACL_FLOAT if dtype == T.ACL_DOUBLE else dtype


def logarithm_times(p: Planning) -> None:
    """Plan out = self * log(other); either may be a tensor or a scalar."""
    dtype = p.computed()
    x, y = p.operand("self", dtype), p.operand("other", dtype)
    p.store("out", p.step(weighted_logarithm, [x, y], broadcast_of(x, y), dtype))


def with_scalar(tensor: str, scalar: str) -> tuple[Relation, ...]:
    """The relations of a form with a scalar; only the scalar may be DOUBLE."""
    return (
        listed(tensor, among=FACTORS), listed(scalar, among=REAL), computed_in(factor_type), together(factor_type),
        becomes("out"), ranks(tensor, least=0, most=8), same_shape("out", tensor), empty(tensor), may_be_in_place(),
    )  # fmt: skip


@planned(
    "aclnnXLogYTensor", "aclnnInplaceXLogYTensor", listed("self", "other", among=FACTORS), computed_in(factor_type),
    together(factor_type), ranks("self", "other", least=0, most=8), broadcast("self", "other", into="out"),
    empty("self", "other"), may_be_in_place(),
)  # fmt: skip
def x_log_y_tensor(p: Planning) -> None:
    """out = self * log(other), and 0 where self is 0"""
    logarithm_times(p)


@planned("aclnnXLogYScalarOther", "aclnnInplaceXLogYScalarOther", *with_scalar("self", "other"))
def x_log_y_scalar_other(p: Planning) -> None:
    """out = self * log(other), where other is a scalar"""
    logarithm_times(p)


@planned("aclnnXLogYScalarSelf", *with_scalar("other", "self"))
def x_log_y_scalar_self(p: Planning) -> None:
    """out = self * log(other), where self is a scalar"""
    logarithm_times(p)


def out_type(a: Arguments) -> int:
    return a.dtype("out")


SUM: tuple[Relation, ...] = (
    listed("self", "other", among=REAL_OR_UNSIGNED), listed("out", among=SHORT_FLOAT), computed_in(out_type),
    ranks("self", "other", least=0, most=8), broadcast("self", "other", into="out"),
    only_on(Series.A950, same_format("other", "self"), same_format("out", "self"), public_format("self")),
    empty("self", "other"),
)  # fmt: skip


@elementwise("aclnnLogAddExp", *SUM)
def log_add_exp(self: Array, other: Array) -> Array:
    """out = log(exp(self) + exp(other))"""
    return np.logaddexp(self, other)


@elementwise("aclnnLogAddExp2", *SUM)
def log_add_exp2(self: Array, other: Array) -> Array:
    """out = log2(2 ** self + 2 ** other)"""
    return np.logaddexp2(self, other)


@in_parts()
def close(x: Array, y: Array, *, rtol: Any, atol: Any, equal_nan: bool) -> Array:
    """True for finite numbers within the tolerance, for equal infinities, and with `equal_nan` for two NaN."""
    near = (np.abs(x - y) <= atol + rtol * np.abs(y)) & np.isfinite(x) & np.isfinite(y)
    same = near | (x == y)
    return same | (np.isnan(x) & np.isnan(y)) if equal_nan else same


@planned(
    "aclnnIsClose", listed("self", "other", among=REAL), same_dtype("other", as_="self"),
    ranks("self", "other", least=0, most=8), broadcast("self", "other", into="out"), empty("self", "other"),
    may_be_in_place(),
)  # fmt: skip
def is_close(p: Planning) -> None:
    """out = true where self is within atol + rtol * |other| of other"""
    if p.dtype("out") != T.ACL_BOOL:
        raise p.builder.failed(f"IsClose has results of BOOL, and out has {p.type_name('out')}.")
    x, y = p.read("self", T.ACL_FLOAT), p.read("other", T.ACL_FLOAT)
    shape, rtol, atol = broadcast_of(x, y), np.float32(p["rtol"]), np.float32(p["atol"])
    result = p.step(close, [x, y], shape, T.ACL_BOOL, rtol=rtol, atol=atol, equal_nan=p["equalNan"])
    p.store("out", result)
