"""Smooth functions of one tensor. NaN stays NaN."""

from math import pi, sqrt
from typing import Any

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, TILING, Arguments, Array, T, castable, erfc, generated, is_integer, listed, may_be_null, public_format,
    ranks, same_dtype, same_format, same_shape, with_bf16,
)  # fmt: skip
from aclnn.ops.activation._family import activation, fits_float

R8 = ranks("self", least=0, most=8)
OUT_SHAPE = same_shape("out", "self")
AS_SELF = same_dtype("out", "self")
FLOAT_OR_WHOLE = with_bf16((T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_INT32, T.ACL_INT8))


def silu_of(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def gelu_by_tanh(x: Array) -> Array:
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), with one exponential"""
    return x / (1 + np.exp(x * (1 + x * x * 0.044715) * (-2 * sqrt(2 / pi))))


def gelu_by_erf(x: Array) -> Array:
    """0.5 * x * (1 + erf(x / sqrt(2)))"""
    return x * erfc(x * -sqrt(0.5)) * 0.5


def gelu_of(x: Array, *, approximate: int) -> Array:
    return gelu_by_tanh(x) if approximate == 1 else gelu_by_erf(x)


def fast_gelu_of(x: Array) -> Array:
    return x / (1 + np.exp(x * -1.702))


def softplus_of(x: Array) -> Array:
    """log(1 + exp(x)), without overflow"""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def mish_of(x: Array) -> Array:
    return x * np.tanh(softplus_of(x))


def log_sigmoid_of(x: Array) -> Array:
    return -softplus_of(-x)


def selu_type(a: Arguments) -> int:
    """Integers are computed in FLOAT."""
    return T.ACL_FLOAT if is_integer(a.dtype("self")) else a.dtype("self")


def selu_of(x: Array) -> Array:
    return (np.maximum(x, 0) + np.expm1(np.minimum(x, 0)) * 1.6732632423543772) * 1.0507009873554805


def swish_of(x: Array, *, betaOptional: Any) -> Array:
    beta: Any = np.float32(1) if betaOptional is None else betaOptional
    return x / (1 + np.exp(x * -beta))


def squared_relu_of(x: Array) -> Array:
    positive = np.maximum(x, 0)
    return positive * positive


silu = activation(__name__, "Silu", silu_of, "out = self / (1 + exp(-self))", SHORT_FLOAT, AS_SELF, OUT_SHAPE)
gelu = activation(
    __name__, "Gelu", gelu_by_tanh, "out = 0.5 * self * (1 + tanh(sqrt(2 / pi) * (self + 0.044715 * self^3)))",
    SHORT_FLOAT, AS_SELF, R8, OUT_SHAPE, public_format("self", "out"),
)  # fmt: skip
gelu_v2 = activation(
    __name__, "GeluV2", gelu_of,
    "y = 0.5 * x * (1 + erf(x / sqrt(2))); if approximate is 1, in the form with tanh, as aclnnGelu",
    SHORT_FLOAT, same_dtype("y", "x"), same_shape("y", "x"), scalars=("approximate",), self="x", out="y",
)  # fmt: skip
fast_gelu = activation(
    __name__, "FastGelu", fast_gelu_of, "out = self / (1 + exp(-1.702 * self))", SHORT_FLOAT, AS_SELF, R8, OUT_SHAPE,
    same_format("out", "self"),
)  # fmt: skip
mish = activation(
    __name__, "Mish InplaceMish", mish_of, "out = self * tanh(log(1 + exp(self)))", SHORT_FLOAT, AS_SELF, R8, OUT_SHAPE
)
LOG_SIGMOID = "out = -log(1 + exp(-self))"
log_sigmoid = activation(__name__, "LogSigmoid", log_sigmoid_of, LOG_SIGMOID, SHORT_FLOAT, AS_SELF, OUT_SHAPE)
log_sigmoid_forward = activation(
    __name__, "LogSigmoidForward", log_sigmoid_of, f"{LOG_SIGMOID}; buffer is not written, and may be null",
    SHORT_FLOAT, AS_SELF, OUT_SHAPE, may_be_null("buffer"),
)  # fmt: skip
selu = activation(
    __name__, "Selu InplaceSelu", selu_of,
    "out = 1.0507009873554805 * (max(0, self) + min(0, 1.6732632423543772 * (exp(self) - 1)))",
    FLOAT_OR_WHOLE, listed("out", among=FLOAT_OR_WHOLE), castable("self", "out"), OUT_SHAPE, compute=selu_type,
)  # fmt: skip
swish = activation(
    __name__, "Swish", swish_of, "out = self / (1 + exp(-beta * self)); beta is 1 if it is null",
    SHORT_FLOAT, AS_SELF, fits_float("betaOptional"), R8, OUT_SHAPE, scalars=("betaOptional",),
)  # fmt: skip
squared_relu = activation(
    __name__, "SquaredRelu", squared_relu_of, "out = max(input, 0)^2", SHORT_FLOAT, generated(),
    same_dtype("out", "input"), ranks("input", least=1, most=8, status=TILING),
    same_shape("out", "input", status=TILING), self="input",
)  # fmt: skip
