"""Gradients of piecewise functions. Comparisons with NaN are false."""

from typing import Any, cast

import numpy as np

from aclnn.op import (
    BOOL, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, REAL_FLOAT, SHORT_FLOAT, Arguments, Array, T, becomes, broadcast,
    castable, computed_in, empty, listed, nulls, promoted, ranks, same_dtype, same_shape, with_bf16,
)  # fmt: skip
from aclnn.ops.activation._family import fits_float, gradient, not_negative

PAIR = ("gradOutput", "self")
R8 = ranks(*PAIR, least=0, most=8)
NO_WORK = empty(*PAIR)
ZERO = np.float32(0)


def as_pair(out: str) -> tuple[Any, ...]:
    """Checks that both tensors and the result have the same shape and data type."""
    return (
        listed(*PAIR, out, among=SHORT_FLOAT, provenance="public"), same_dtype("self", "gradOutput"),
        same_dtype(out, "gradOutput"), R8, same_shape("self", "gradOutput"), same_shape(out, "gradOutput"), NO_WORK,
    )  # fmt: skip


def leaky(g: Array, x: Array, *, negativeSlope: Any) -> Array:
    return np.where(x > 0, g, g * negativeSlope)


leaky_relu_backward = gradient(
    __name__, "LeakyReluBackward", leaky, "out = gradOutput where self is above 0, else gradOutput * negativeSlope",
    listed(*PAIR, among=REAL_FLOAT, provenance="public"),
    listed("negativeSlope", among=with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL)), provenance="public"),
    not_negative("negativeSlope", "selfIsResult"), promoted(*PAIR), becomes("out"), R8, broadcast(*PAIR, into="out"),
    empty("self"), scalars=("negativeSlope",), out="out",
)  # fmt: skip


def elu(g: Array, x: Array, *, alpha: Any, scale: Any, inputScale: Any, isResult: bool) -> Array:
    slope: Array = x + alpha * scale if isResult else np.exp(x * inputScale) * (alpha * scale)
    return cast("Array", np.where(x > 0, g * scale, g * inputScale * slope))


OF_ELU = ("gradOutput", "selfOrResult")
elu_backward = gradient(
    __name__, "EluBackward", elu,
    "gradInput = gradOutput * scale where selfOrResult is above 0, else gradOutput * inputScale * alpha * scale * "
    "exp(selfOrResult * inputScale); if isResult is true, gradOutput * inputScale * (selfOrResult + alpha * scale)",
    listed(*OF_ELU, among=SHORT_FLOAT, provenance="public"), same_dtype("selfOrResult", "gradOutput"),
    castable("gradOutput", "gradInput"), *map(fits_float, ("alpha", "scale", "inputScale")),
    same_shape("selfOrResult", "gradOutput"), same_shape("gradInput", "gradOutput"),
    ranks("gradOutput", least=0, most=8), not_negative("alpha", "isResult"), empty(*OF_ELU), pair=OF_ELU,
    scalars=("alpha", "scale", "inputScale", "isResult"),
)  # fmt: skip


STRAIGHT, CURVED = np.float32(1.0507009873554805), np.float32(1.7580993408473768)


def selu(g: Array, y: Array) -> Array:
    return g * np.where(y >= 0, STRAIGHT, y + CURVED)


def selu_950(g: Array, y: Array) -> Array:
    """The gradient of selu on Ascend 950, where a result of 0 belongs to the exponential branch."""
    return g * np.where(y > 0, STRAIGHT, y + CURVED)


def float_of_integers(a: Arguments) -> int:
    dtype = a.dtype("gradOutput")
    return T.ACL_FLOAT if dtype in (T.ACL_INT32, T.ACL_INT8) else dtype


OF_SELU = ("gradOutput", "result")
selu_backward = gradient(
    __name__, "SeluBackward", selu,
    "gradInput = gradOutput * 1.0507009873554805 where result is not below 0, else gradOutput * (result + "
    "1.7580993408473768); result is that of aclnnSelu. On Ascend 950 a result of 0 counts as below 0. Integers are "
    "computed as FLOAT, and truncated",
    listed(*OF_SELU, "gradInput", among=with_bf16((*FLOAT_OR_HALF, T.ACL_INT32, T.ACL_INT8)), provenance="public"),
    same_dtype("result", "gradOutput"), same_dtype("gradInput", "gradOutput"), computed_in(float_of_integers),
    same_shape("result", "gradOutput"), same_shape("gradInput", "gradOutput"), empty(*OF_SELU), pair=OF_SELU,
    newest=selu_950,
)  # fmt: skip


def hard_sigmoid(g: Array, x: Array) -> Array:
    return np.where(np.abs(x) < 3, g / np.float32(6), ZERO)


hard_sigmoid_backward = gradient(
    __name__, "HardsigmoidBackward", hard_sigmoid, "out = gradOutput / 6 where |self| is below 3, else 0",
    listed(*PAIR, among=SHORT_FLOAT, provenance="public"), promoted(*PAIR), becomes("out"), R8,
    same_shape("self", "gradOutput"), same_shape("out", "gradOutput"), NO_WORK, out="out",
)  # fmt: skip


def between(g: Array, x: Array) -> Array:
    """The gradient of hardswish from -3 to 3."""
    return g * (x / np.float32(3) + np.float32(0.5))


def hard_swish(g: Array, x: Array) -> Array:
    return np.where(x < -3, ZERO, np.where(x > 3, g, between(g, x)))


def hard_swish_v2(g: Array, x: Array) -> Array:
    return np.where(x <= -3, ZERO, np.where(x >= 3, g, between(g, x)))


hard_swish_backward = gradient(
    __name__, "HardswishBackward", hard_swish,
    "out = 0 below -3, gradOutput above 3, and gradOutput * (self / 3 + 1 / 2) in between and at -3 and 3",
    *as_pair("out"), out="out",
)  # fmt: skip
hard_swish_backward_v2 = gradient(
    __name__, "HardswishBackwardV2", hard_swish_v2,
    "out = 0 up to -3, gradOutput from 3 on, and gradOutput * (self / 3 + 1 / 2) in between", *as_pair("out"),
    out="out",
)  # fmt: skip


def hardtanh(g: Array, x: Array, *, min: Any, max: Any) -> Array:
    return np.where((x < min) | (x > max), ZERO, g)


hardtanh_backward = gradient(
    __name__, "HardtanhBackward", hardtanh, "out = 0 where self is below min or above max, else gradOutput",
    nulls("self", "gradOutput", "out", "min", "max"),
    listed(*PAIR, "out", among=SHORT_FLOAT, provenance="public"), same_dtype("self", "gradOutput"), R8,
    same_shape("self", "gradOutput"), NO_WORK, scalars=("min", "max"), out="out",
)  # fmt: skip
