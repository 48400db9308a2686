"""Add, AddRelu, Sub, Rsub and Mul, and their forms with a scalar and in place."""

from typing import Any

import numpy as np

from aclnn.op import (
    Arguments, Array, Kernel, Operand, Planning, Series, T, becomes, broadcast, broadcast_of, computed_in, elementwise,
    empty, except_on, fits, is_complex, is_float, listed, may_be_in_place, numpy_dtype, only_on, out_of_place, planned,
    promote, promoted, ranks, same_shape, together, twin_first, with_scalar, with_scalar_950,
)  # fmt: skip
from aclnn.ops.activation.relu import rectified


FUSED = (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_INT32)
"""the data types in which Add multiplies with alpha and adds in one step"""
FUSED_SUB = (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16)
"""the same for Sub, and for Add on Ascend 950; integers give the same result in one step or two"""


def is_one(alpha: Any) -> bool:
    """True for a scalar that counts as 1, which includes NaN, but no complex number."""
    return not isinstance(alpha, complex) and not (alpha > 1 or alpha < 1)


def with_exact(a: Arguments, *names: str) -> int | None:
    """The data type that a tensor and a scalar are computed in on Ascend 950. It has 16 bits only if 16 bits represent
    the values of the scalars `names`. A scalar whose data type numpy lacks counts as represented."""
    values = (a[name].item() for name in names if numpy_dtype(a[name].dtype) is not None)
    exact = [float(value) for value in values if not isinstance(value, complex)]
    return with_scalar_950(a.dtype("self"), a.dtype("other"), exact)


def scalar_type(a: Arguments) -> int | None:
    """The data type that a tensor and a scalar are computed in."""
    if a.soc.series is Series.A950:
        return with_exact(a, "other", "alpha")
    return with_scalar(a.dtype("self"), a.dtype("other"), a.dtype("out"))


def plus(self: Array, other: Array) -> Array:
    return self + other


def minus(self: Array, other: Array) -> Array:
    return np.logical_xor(self, other) if self.dtype == np.bool_ else self - other


def times(other: Array, *, alpha: Any) -> Array:
    return other * alpha


def scaled_sum(self: Array, other: Array, *, alpha: Any) -> Array:
    return self + other * alpha


def scaled_difference(self: Array, other: Array, *, alpha: Any) -> Array:
    return self - other * alpha


def axpy(
    p: Planning, x: Operand, y: Operand, dtype: int, *, minus_: bool, two_steps: bool = False,
    activation: Kernel | None = None,
) -> None:  # fmt: skip
    """Plan out = x + alpha * y, or x - alpha * y, in one or two steps. Two steps also round the product. `activation`:
    applied to the result."""
    shape = broadcast_of(x, y)
    alpha, newest = p.number("alpha", dtype), p.soc.series is Series.A950
    if is_one(alpha) and not (newest and is_complex(dtype)):
        result = p.step(minus if minus_ else plus, [x, y], shape, dtype)
    elif dtype in (FUSED_SUB if minus_ or newest else FUSED) and not two_steps:
        result = p.step(scaled_difference if minus_ else scaled_sum, [x, y], shape, dtype, alpha=alpha)
    else:
        product = p.step(times, [y], y.shape, dtype, alpha=alpha)
        result = p.step(minus if minus_ else plus, [x, product], shape, dtype)
    if activation is not None:
        result = p.step(activation, [result], shape, dtype)
    p.store("out", result)


TENSORS = (
    listed("self", "other"), promoted("self", "other"), fits("alpha"), becomes("out"),
    ranks("self", "other"), broadcast("self", "other", into="out"), empty("self", "other"), may_be_in_place(),
)  # fmt: skip
SCALARS = (
    listed("self"), computed_in(scalar_type), together(scalar_type), fits("alpha"), becomes("out"),
    ranks("self"), same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip


SHAPE_RULE = twin_first(("self", "other"), broadcast("self", "other", into="out"))


@planned("aclnnAdd", "aclnnInplaceAdd", SHAPE_RULE, *TENSORS)
def add(p: Planning) -> None:
    """out = self + alpha * other"""
    dtype = p.computed()
    axpy(p, p.read("self", dtype), p.read("other", dtype), dtype, minus_=False)


@planned("aclnnAddRelu", "aclnnInplaceAddRelu", SHAPE_RULE, *TENSORS)
def add_relu(p: Planning) -> None:
    """out = max(self + alpha * other, 0)"""
    dtype = p.computed()
    axpy(p, p.read("self", dtype), p.read("other", dtype), dtype, minus_=False, activation=rectified)


@planned("aclnnSub", "aclnnInplaceSub", *TENSORS)
def sub(p: Planning) -> None:
    """out = self - alpha * other"""
    dtype = p.computed()
    scaled = p.soc.series is not Series.A950 and not is_one(p.number("alpha", dtype))
    if scaled and is_float(dtype) and dtype != T.ACL_DOUBLE:
        dtype = T.ACL_FLOAT  # "A2/A3 Sub with alpha != 1: float P -> f32 (f64 stays)"
    axpy(p, p.read("self", dtype), p.read("other", dtype), dtype, minus_=True)


@planned("aclnnAdds", "aclnnInplaceAdds", *SCALARS)
def adds(p: Planning) -> None:
    """out = self + alpha * other, where other is a scalar"""
    dtype = p.computed()
    axpy(p, p.read("self", dtype), p.constant("other", dtype), dtype, minus_=False)


@planned("aclnnSubs", "aclnnInplaceSubs", *SCALARS)
def subs(p: Planning) -> None:
    """out = self - alpha * other, where other is a scalar"""
    dtype = p.computed()
    axpy(p, p.read("self", dtype), p.constant("other", dtype), dtype, minus_=True)


def reverse_type(a: Arguments) -> int | None:
    """The data type of Rsubs: that of the tensor, unless the scalar is complex, or a float beside integers."""
    if a.soc.series is Series.A950:
        return with_exact(a, "other", "alpha")
    tensor, scalar = a.dtype("self"), a.dtype("other")
    both = is_complex(scalar) or (is_float(scalar) and not is_float(tensor))
    return promote(tensor, scalar) if both else tensor


@planned("aclnnRsub", *TENSORS)
def rsub(p: Planning) -> None:
    """out = other - alpha * self"""
    reversed_(p)


@planned(
    "aclnnRsubs", listed("self", "other"), computed_in(reverse_type), together(reverse_type), fits("alpha"),
    becomes("out"), ranks("self"), same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip
def rsubs(p: Planning) -> None:
    """out = other - alpha * self, where other is a scalar"""
    reversed_(p)


def reversed_(p: Planning) -> None:
    """Plan other - alpha * self. Before Ascend 950 the product alpha * self is rounded."""
    dtype = p.computed()
    two_steps = p.soc.series is not Series.A950
    axpy(p, p.operand("other", dtype), p.read("self", dtype), dtype, minus_=True, two_steps=two_steps)


def scalar_first_type(a: Arguments) -> int | None:
    """The data type of AddV3. A float tensor and a real scalar are computed in FLOAT."""
    scalar, tensor = a.dtype("self"), a.dtype("other")
    if is_complex(scalar):
        return promote(scalar, tensor)
    if is_float(tensor) or (scalar, a.dtype("out")) == (T.ACL_DOUBLE, T.ACL_FLOAT):
        return T.ACL_FLOAT
    return promote(scalar, tensor) if is_float(scalar) else tensor


@planned(
    "aclnnAddV3", "aclnnInplaceAddV3", listed("other"), computed_in(scalar_first_type), together(scalar_first_type),
    fits("alpha"), becomes("out"), ranks("other"), same_shape("out", "other"), empty("other"), may_be_in_place(),
)  # fmt: skip
def add_v3(p: Planning) -> None:
    """out = self + alpha * other, where self is a scalar"""
    dtype = p.computed()
    axpy(p, p.constant("self", dtype), p.read("other", dtype), dtype, minus_=False)


@elementwise(
    "aclnnMul", "aclnnInplaceMul", listed("self", "other", "out"), promoted("self", "other"),
    except_on(Series.A950, becomes("out")), out_of_place(ranks("self", "other")),
    broadcast("self", "other", into="out"), empty("self", "other"),
)  # fmt: skip
def mul(self: Array, other: Array) -> Array:
    """out = self * other"""
    return self * other


def muls_type(a: Arguments) -> int | None:
    """The data type of Muls: that of Adds, except that BFLOAT16 is computed in FLOAT before Ascend 950."""
    if a.soc.series is Series.A950:
        return with_exact(a, "other")
    dtype = with_scalar(a.dtype("self"), a.dtype("other"), a.dtype("out"))
    return T.ACL_FLOAT if dtype == T.ACL_BF16 == a.dtype("self") else dtype


@elementwise(
    "aclnnMuls", "aclnnInplaceMuls", listed("self", "out"), computed_in(muls_type),
    only_on(Series.A950, together(muls_type), becomes("out")), same_shape("out", "self"), empty("self"),
)  # fmt: skip
def muls(self: Array, *, other: Any) -> Array:
    """out = self * other, where other is a scalar"""
    return self * other
