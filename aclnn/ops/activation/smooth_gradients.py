"""Gradients of smooth functions: gelu with erf or tanh, and others."""

from math import pi, sqrt
from typing import Any

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, UP_TO_32_BITS, Arguments, Array, Bad, T, aclDataType, becomes, broadcast, castable, computed_among,
    computed_in, demand, empty, erfc, listed, one_of, promoted, ranks, said, same_dtype, same_format, same_shape,
)  # fmt: skip
from aclnn.ops.activation._family import fits_float, gradient, sigmoid
from aclnn.ops.activation.smooth import softplus_of

PAIR = ("gradOutput", "self")
R8 = ranks(*PAIR, least=0, most=8)
NO_WORK = empty(*PAIR)
BROADCAST = broadcast(*PAIR, into="gradInput")
ONE_TYPE = (same_dtype("self", "gradOutput"), same_dtype("gradInput", "gradOutput"))
ONE_SHAPE = (same_shape("self", "gradOutput"), same_shape("gradInput", "gradOutput"))
TYPE_RULE = listed(*PAIR, "gradInput", among=SHORT_FLOAT, provenance="public")


def slope_by_tanh(x: Array) -> Array:
    """The derivative of gelu in the form with tanh: 1 at inf, 0 at -inf."""
    s = sigmoid(x * (1 + x * x * 0.044715) * (2 * sqrt(2 / pi)))
    slope = s * (1 - s)
    inner = np.where(slope == 0, slope, x * slope * (1 + x * x * (3 * 0.044715)))
    return s + inner * (2 * sqrt(2 / pi))


def slope_by_erf(x: Array) -> Array:
    """The derivative of gelu in the form with erf: 1 at inf, 0 at -inf."""
    bell = np.exp(x * x * -0.5)
    return erfc(x * -sqrt(0.5)) * 0.5 + np.where(bell == 0, bell, x * bell) * (1 / sqrt(2 * pi))


def gelu(g: Array, x: Array) -> Array:
    return g * slope_by_tanh(x)


def gelu_v2(g: Array, x: Array, *, approximate: str) -> Array:
    return g * (slope_by_tanh(x) if approximate == "tanh" else slope_by_erf(x))


def other_result(a: Arguments) -> Bad:
    expected = a.promoted(*PAIR)
    if expected is None or a.dtype("gradInput") == expected:
        return None
    return a.type_name("gradInput"), aclDataType(expected).name


OF_GELU = (promoted(*PAIR), computed_among(SHORT_FLOAT, *PAIR))
gelu_backward = gradient(
    __name__, "GeluBackward", gelu,
    "gradInput = gradOutput * the derivative of aclnnGelu at self, which is 1 at inf and 0 at -inf",
    *OF_GELU, becomes("gradInput"), R8, BROADCAST, NO_WORK,
)  # fmt: skip
gelu_backward_v2 = gradient(
    __name__, "GeluBackwardV2", gelu_v2,
    "gradInput = gradOutput * the derivative of gelu at self, in the form with erf if approximate is none, with tanh "
    "if it is tanh",
    said("approximate"), *OF_GELU,
    demand("{0} has the data type that {1} and {2} promote to", "gradInput", *PAIR, bad=other_result), BROADCAST,
    one_of("approximate", "none", "tanh"), NO_WORK, scalars=("approximate",),
)  # fmt: skip


def fast_gelu(g: Array, x: Array) -> Array:
    s = sigmoid(x * 1.702)
    return g * (s * (1 + x * (1 - s) * 1.702))


fast_gelu_backward = gradient(
    __name__, "FastGeluBackward", fast_gelu,
    "gradInput = gradOutput * s * (1 + 1.702 * self * (1 - s)), with s = 1 / (1 + exp(-1.702 * self))",
    listed(*PAIR, "gradInput", among=SHORT_FLOAT, provenance="public"), *ONE_TYPE, *ONE_SHAPE,
    ranks("gradOutput", least=0, most=8),
    same_format("self", "gradOutput"), same_format("gradInput", "gradOutput"), NO_WORK,
)  # fmt: skip


def mish(g: Array, x: Array) -> Array:
    t = np.tanh(softplus_of(x))
    return g * (t + x * sigmoid(x) * (1 - t * t))


mish_backward = gradient(
    __name__, "MishBackward", mish,
    "gradInput = gradOutput * (t + self * s * (1 - t^2)), with t = tanh(log(1 + exp(self))), s = 1 / (1 + exp(-self))",
    castable("self", "gradInput"), listed(*PAIR, among=SHORT_FLOAT, provenance="public"), promoted(*PAIR), R8,
    BROADCAST, NO_WORK,
)  # fmt: skip


def swish(g: Array, x: Array, *, betaOptional: Any) -> Array:
    beta = np.float32(1) if betaOptional is None else betaOptional
    s = sigmoid(x * beta)
    return g * s * (1 + x * beta * (1 - s))


swish_backward = gradient(
    __name__, "SwishBackward", swish,
    "gradInput = gradOutput * s * (1 + beta * self * (1 - s)), with s = 1 / (1 + exp(-beta * self)); beta is 1 if it "
    "is null",
    TYPE_RULE, *ONE_TYPE, fits_float("betaOptional"), R8, *ONE_SHAPE, NO_WORK, scalars=("betaOptional",),
)  # fmt: skip


def log_sigmoid(g: Array, x: Array) -> Array:
    return g * sigmoid(-x)


log_sigmoid_backward = gradient(
    __name__, "LogSigmoidBackward", log_sigmoid, "gradInput = gradOutput / (1 + exp(self)); buffer is not read",
    TYPE_RULE, *ONE_TYPE, *ONE_SHAPE, NO_WORK,
)  # fmt: skip


def softplus(g: Array, x: Array, *, beta: Any, threshold: Any) -> Array:
    return np.where(x * beta > threshold, g, g * sigmoid(x * beta))


def softplus_type(a: Arguments) -> int:
    """The data type of both tensors if it is the same and has at most 32 bits; else FLOAT, also for DOUBLE."""
    dtype = a.dtype("self")
    return dtype if dtype == a.dtype("gradOutput") and dtype in UP_TO_32_BITS else T.ACL_FLOAT


softplus_backward = gradient(
    __name__, "SoftplusBackward", softplus,
    "gradInput = gradOutput where beta * self is above the threshold, else gradOutput / (1 + exp(-beta * self)); in "
    "FLOAT if gradOutput and self are not both FLOAT, FLOAT16 or BFLOAT16",
    listed(*PAIR, "gradInput"), computed_in(softplus_type), R8, *ONE_SHAPE, NO_WORK,
    scalars=("beta", "threshold"),
)  # fmt: skip
