"""Functions of one tensor that numpy lacks: erf, erfc, erfinv, sigmoid, logit, sinc, lgamma, digamma."""

import numpy as np

from aclnn.op import (
    BOOL, EVERY, FLOAT_OR_COMPLEX, IEEE_FLOATS, PLAN, REAL, REAL_FLOAT, SHORT_FLOAT, SHORT_FLOAT_OR_WHOLE, Array,
    DataTypes, Planning, T, becomes, digamma, empty, erf, erfc, erfinv, generated, lgamma, listed, may_be_in_place,
    null_status, planned, public_format, ranks, same_dtype, same_shape, with_bf16,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.elementwise._family import as_out, in_float, out_among, unary

FLOAT_OR_INT64 = with_bf16((*IEEE_FLOATS, T.ACL_INT64, *BOOL))


erf_ = unary(
    __name__, "Erf", erf, "out = the error function of self", FLOAT_OR_INT64, becomes("out"), compute=in_float(),
    twin=REAL_FLOAT,
)  # fmt: skip
erfc_ = unary(
    __name__, "Erfc", erfc, "out = 1 - the error function of self", FLOAT_OR_INT64, becomes("out"), compute=in_float(),
    twin=REAL_FLOAT,
)  # fmt: skip
erfinv_ = unary(
    __name__, "Erfinv", erfinv, "out = the number whose error function is self", SHORT_FLOAT_OR_WHOLE, becomes("out"),
    compute=in_float(), twin=SHORT_FLOAT,
)  # fmt: skip
sigmoid_ = unary(
    __name__, "Sigmoid", sigmoid, "out = 1 / (1 + exp(-self))", EVERY, out_among(FLOAT_OR_COMPLEX), compute=as_out(),
    twin=FLOAT_OR_COMPLEX,
)  # fmt: skip


def _constants(x: Array, *values: float) -> tuple[Array, ...]:
    """Numbers in the data type of x."""
    return tuple(np.asarray(value, x.dtype) for value in values)


def sine_ratio(x: Array) -> Array:
    """sin(pi * x) / (pi * x). The sine is computed from the distance to the nearest integer, which has no error."""
    near = np.rint(x)
    sign = 1 - 2 * (near - 2 * np.floor(near * 0.5))  # without numpy's remainder, which is slow
    unit, pi = _constants(x, 1, np.pi)
    sine: Array = np.sin((x - near) * pi)
    return np.where(x == 0, unit, np.divide(sine * sign, np.where(x == 0, unit, x * pi)))


sinc = unary(
    __name__, "Sinc", sine_ratio, "out = sin(pi * self) / (pi * self); 1 at 0", REAL, out_among(REAL_FLOAT),
    becomes("out"), compute=in_float(), twin=REAL_FLOAT, shared=[null_status(PLAN, "self", "out")],
)  # fmt: skip
lgamma_ = unary(
    __name__, "Lgamma", lgamma, "out = the logarithm of the magnitude of the gamma function of self",
    DataTypes(IEEE_FLOATS), same_dtype("out", as_="self"), late=[public_format("self", "out")], in_place=False,
)  # fmt: skip
digamma_ = unary(
    __name__, "Digamma", digamma, "out = the derivative of the logarithm of the gamma function of self",
    DataTypes(IEEE_FLOATS), same_dtype("out", as_="self"), late=[public_format("self", "out")], in_place=False,
)  # fmt: skip


def log_odds(x: Array, *, eps: float) -> Array:
    """The logarithm of x / (1 - x), where x is limited to [eps, 1 - eps] unless eps is negative."""
    if eps >= 0:
        low, high = x.dtype.type(eps), x.dtype.type(1 - eps)
        x = np.where(x < low, low, np.where(x > high, high, x))
    return np.log(x / (1 - x))


@planned(
    "aclnnLogit", generated(), listed("input", "out"), same_dtype("out", as_="input"), ranks("input", least=0, most=8),
    same_shape("out", "input"), empty("input"), may_be_in_place(),
)  # fmt: skip
def logit(p: Planning) -> None:
    """out = log(z / (1 - z)), where z is input, not below eps and not above 1 - eps"""
    x = p.read("input")
    p.store("out", p.step(log_odds, [x], x.shape, x.dtype, eps=p["eps"]))
