"""Piecewise functions of one tensor. Comparisons with NaN are false; NaN stays NaN."""

from typing import Any

import numpy as np

from aclnn.op import (
    BF16, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, REAL_FLOAT, SHORT_FLOAT, Arguments, Array, Bad, DataTypes, Planning,
    Series, T, castable, computed_in, demand, empty, except_on, listed, may_be_in_place, nulls, planned, ranks,
    same_dtype, same_format, same_shape, updates, with_bf16,
)  # fmt: skip
from aclnn.ops.activation._family import activation, as_float, fits_float, numbers

R8 = ranks("self", least=0, most=8)
OUT_SHAPE = same_shape("out", "self")
BOUNDS = ("clipValueMin", "clipValueMax")
TO_OUT = castable("self", "out")


def leaky(x: Array, *, negativeSlope: Any) -> Array:
    return np.where(x > 0, x, x * negativeSlope)


def hard_sigmoid_of(x: Array) -> Array:
    return np.minimum(np.maximum(x / np.float32(6) + np.float32(0.5), 0), 1)


def hard_swish_of(x: Array) -> Array:
    return np.where(x <= -3, np.float32(0), np.where(x >= 3, x, x * (x + 3) / 6))


def softplus_of(x: Array, *, beta: Any, threshold: Any) -> Array:
    return np.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta)


def above(x: Array, *, threshold: Any, value: Any) -> Array:
    """x where it is above the threshold or NaN, else value."""
    return np.where(x <= threshold, value, x)


def float_of_integers(a: Arguments) -> int:
    return T.ACL_FLOAT if a.dtype("self") == T.ACL_INT32 else a.dtype("self")


leaky_relu = activation(
    __name__, "LeakyRelu InplaceLeakyRelu", leaky, "out = self where it is above 0, else negativeSlope * self",
    REAL_FLOAT, TO_OUT, R8, OUT_SHAPE, scalars=("negativeSlope",),
)  # fmt: skip
softplus = activation(
    __name__, "Softplus", softplus_of,
    "out = self where beta * self is above the threshold, else log(1 + exp(beta * self)) / beta",
    SHORT_FLOAT, castable("beta", "self"), castable("threshold", "self"), TO_OUT, R8, OUT_SHAPE,
    scalars=("beta", "threshold"),
)  # fmt: skip
HARD_SWISH = (SHORT_FLOAT, listed("out", among=SHORT_FLOAT), TO_OUT, OUT_SHAPE)
HARD_SWISH_DOC = "out = 0 up to -3, self from 3 on, and self * (self + 3) / 6 in between"
hard_swish = activation(__name__, "Hardswish", hard_swish_of, HARD_SWISH_DOC, *HARD_SWISH)
inplace_hard_swish = activation(
    __name__, "InplaceHardswish", hard_swish_of, HARD_SWISH_DOC, *HARD_SWISH, updates("self")
)  # fmt: skip
HARD_SIGMOID = (
    with_bf16((*FLOAT_OR_HALF, T.ACL_INT32)), same_dtype("out", "self"), R8, OUT_SHAPE, same_format("out", "self"),
)  # fmt: skip
HARD_SIGMOID_DOC = "out = self / 6 + 1 / 2, not below 0, not above 1; INT32 is computed as FLOAT, and truncated"
hard_sigmoid = activation(
    __name__, "Hardsigmoid", hard_sigmoid_of, HARD_SIGMOID_DOC, *HARD_SIGMOID, compute=float_of_integers
)
inplace_hard_sigmoid = activation(
    __name__, "InplaceHardsigmoid", hard_sigmoid_of, HARD_SIGMOID_DOC, *HARD_SIGMOID, updates("self"),
    compute=float_of_integers,
)  # fmt: skip


@planned(
    "aclnnElu", "aclnnInplaceElu", listed("self", among=DataTypes((*IEEE_FLOATS, *BF16)), provenance="public"),
    *map(fits_float, ("scale", "alpha", "inputScale")), TO_OUT, OUT_SHAPE, R8, empty("self"), may_be_in_place(),
)  # fmt: skip
def elu(p: Planning) -> None:
    """out = scale * self where it is above 0, else alpha * scale * (exp(self * inputScale) - 1); if alpha or inputScale
    is infinite or NaN, the second part is -alpha * scale, and both parts are computed in FLOAT"""
    values = numbers(p, "alpha", "scale", "inputScale")
    if finite := bool(np.isfinite(values["alpha"]) and np.isfinite(values["inputScale"])):
        x = p.read("self")
    else:
        x = p.read("self", T.ACL_FLOAT)
    p.store("out", p.step(elu_of, [x], x.shape, x.dtype, finite=finite, **values))


def elu_of(x: Array, *, alpha: Any, scale: Any, inputScale: Any, finite: bool) -> Array:
    negative = np.expm1(x * inputScale) * alpha if finite else -alpha
    return np.where(x > 0, x, negative) * scale


@planned(
    "aclnnThreshold", "aclnnInplaceThreshold", nulls("self", "out", "threshold", "value"),
    listed("self", among=with_bf16((*FLOAT_OR_HALF, *INTEGERS)), provenance="public"), except_on(Series.A950, TO_OUT),
    R8, OUT_SHAPE, empty("self"), computed_in(lambda a: a.dtype("self")), may_be_in_place(),
)  # fmt: skip
def threshold(p: Planning) -> None:
    """out = self where it is above the threshold or NaN, else value; both scalars are cast to the data type of self"""
    x = p.read("self")
    values = {name: p.number(name, x.dtype) for name in ("threshold", "value")}
    p.store("out", p.step(above, [x], x.shape, x.dtype, **values))


def reversed_bounds(a: Arguments) -> Bad:
    low, high = (a[name].item() for name in BOUNDS)
    return (low, f"at most clipValueMax, {high}") if low > high else None


@planned(
    "aclnnHardtanh", "aclnnInplaceHardtanh",
    listed("self", *BOUNDS, among=with_bf16((*IEEE_FLOATS, *INTEGERS)), provenance="public"), same_dtype("out", "self"),
    R8, OUT_SHAPE, demand("{0} is not above {1}", *BOUNDS, bad=reversed_bounds), empty("self"),
    computed_in(lambda a: a.dtype("self")), may_be_in_place(),
)  # fmt: skip
def hardtanh(p: Planning) -> None:
    """out = self, not below clipValueMin and not above clipValueMax; both are cast to the data type of self"""
    x = p.read("self")
    low, high = (p.number(name, x.dtype) for name in BOUNDS)
    p.store("out", p.step(clipped, [x], x.shape, x.dtype, low=low, high=high))


def clipped(x: Array, *, low: Any, high: Any) -> Array:
    """NaN stays NaN."""
    return np.minimum(np.maximum(x, low), high)


def zero_or_nan_alpha(a: Arguments) -> Bad:
    value = as_float(a, "alpha")
    return (value, "a number that is not 0") if value == 0 or np.isnan(value) else None


def celu_of(x: Array, *, alpha: Any) -> Array:
    return np.maximum(x, 0) + np.minimum(np.expm1(x / alpha) * alpha, 0)


celu = activation(
    __name__, "Celu InplaceCelu", celu_of, "out = max(0, self) + min(0, alpha * (exp(self / alpha) - 1))",
    SHORT_FLOAT, fits_float("alpha"), TO_OUT, R8, OUT_SHAPE,
    demand("{0} is neither 0 nor NaN", "alpha", bad=zero_or_nan_alpha, broken="{0} is 0 or NaN"),
    scalars=("alpha",),
)  # fmt: skip
