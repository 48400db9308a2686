"""Trigonometric and hyperbolic functions, and their inverses. Integers are computed in FLOAT, or in the type of out."""

import numpy as np

from aclnn.op import (
    BF16, COMPLEX, EVERY, FLOAT_OR_COMPLEX, IEEE_FLOATS, REAL, REAL_FLOAT, SHORT_FLOAT, SHORT_FLOAT_OR_WHOLE, Arguments,
    Array, DataTypes, Planning, Relation, Series, T, becomes, broadcast, broadcast_shape, castable, computed_in,
    elementwise, empty, lacks, listed, may_be_in_place, planned, public_format, ranks, same_format,
)  # fmt: skip
from aclnn.ops.elementwise._family import as_out, float_of, in_float, out_among, unary

FLOAT_OUT = out_among(FLOAT_OR_COMPLEX)
FLOAT_ANYWHERE = DataTypes((*IEEE_FLOATS, *BF16))
"""includes BFLOAT16 on every product"""
FLOAT_OR_COMPLEX_ANYWHERE = DataTypes((*IEEE_FLOATS, *BF16, *COMPLEX))


def in_float_bf16_too(a: Arguments) -> int | None:
    """Integers are computed in FLOAT; before Ascend 950, BFLOAT16 too."""
    dtype = a.dtype("self")
    return T.ACL_FLOAT if dtype == T.ACL_BF16 and a.soc.series is not Series.A950 else float_of(dtype)


sin = unary(
    __name__, "Sin", np.sin, "out = the sine of self", EVERY, FLOAT_OUT, compute=in_float(), twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
cos = unary(
    __name__, "Cos", np.cos, "out = the cosine of input", EVERY, FLOAT_OUT, compute=in_float("input"), name="input",
    twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
tan = unary(
    __name__, "Tan", np.tan, "out = the tangent of self", EVERY, late=[becomes("out")], compute=in_float(),
    twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
asin = unary(
    __name__, "Asin", np.arcsin, "out = the angle whose sine is self", REAL, out_among(REAL_FLOAT),
    compute=in_float_bf16_too, twin=REAL_FLOAT,
)  # fmt: skip
acos = unary(
    __name__, "Acos", np.arccos, "out = the angle whose cosine is input", REAL, out_among(FLOAT_ANYWHERE),
    compute=in_float("input"), name="input", twin=FLOAT_ANYWHERE,
)  # fmt: skip
atan = unary(
    __name__, "Atan", np.arctan, "out = the angle whose tangent is input", REAL, out_among(FLOAT_ANYWHERE),
    compute=in_float("input"), name="input", twin=REAL_FLOAT,
)  # fmt: skip
sinh = unary(
    __name__, "Sinh", np.sinh, "out = the hyperbolic sine of self", EVERY, FLOAT_OUT, compute=as_out(),
    twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
cosh = unary(
    __name__, "Cosh", np.cosh, "out = the hyperbolic cosine of self", EVERY, out_among(FLOAT_OR_COMPLEX_ANYWHERE),
    compute=in_float(), twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
tanh = unary(
    __name__, "Tanh", np.tanh, "out = the hyperbolic tangent of self", SHORT_FLOAT_OR_WHOLE, out_among(SHORT_FLOAT),
    same_format("out", "self", storage=False), shared=[public_format("self")], compute=in_float(), twin=SHORT_FLOAT,
)  # fmt: skip
asinh = unary(
    __name__, "Asinh", np.arcsinh, "out = the number whose hyperbolic sine is input", EVERY,
    out_among(FLOAT_OR_COMPLEX_ANYWHERE), compute=in_float("input"), name="input", twin=FLOAT_OR_COMPLEX,
)  # fmt: skip
acosh = unary(
    __name__, "Acosh", np.arccosh, "out = the number, not below 0, whose hyperbolic cosine is self", EVERY,
    out_among(FLOAT_OR_COMPLEX_ANYWHERE), late=[castable("self", "out")], compute=in_float(),
    twin=FLOAT_OR_COMPLEX_ANYWHERE,
)  # fmt: skip
atanh = unary(
    __name__, "Atanh", np.arctanh, "out = the number whose hyperbolic tangent is input", EVERY,
    out_among(FLOAT_OR_COMPLEX_ANYWHERE), compute=in_float("input"), name="input", twin=FLOAT_OR_COMPLEX,
)  # fmt: skip


def in_real_float(a: Arguments) -> int:
    """The promoted data type if it is a float, else FLOAT."""
    return float_of(a.promoted("self", "other")) or T.ACL_FLOAT


ANGLE: tuple[Relation, ...] = (
    listed("self", "other", among=REAL), computed_in(in_real_float), ranks("self", "other", least=0, most=8),
)  # fmt: skip


@elementwise("aclnnAtan2", *ANGLE, broadcast("self", "other", into="out"), empty("self", "other"))
def atan2(self: Array, other: Array) -> Array:
    """out = the angle of the point (other, self)"""
    return np.arctan2(self, other)


def no_place(a: Arguments) -> bool:
    return broadcast_shape(a.shape("selfRef"), a.shape("other")) != a.shape("selfRef")


@planned(
    "aclnnInplaceAtan2",
    *ANGLE,
    broadcast("self", "other"),
    empty("self", "other"),
    may_be_in_place(),
    lacks("a selfRef that cannot hold the result", no_place),
)
def inplace_atan2(p: Planning) -> None:
    """selfRef = the angle of the point (other, selfRef). The first phase does not check whether the result fits
    selfRef."""
    x, y = (p.read(name, p.computed()) for name in ("selfRef", "other"))
    p.store("selfRef", p.step(np.arctan2, [x, y], x.shape, x.dtype))
