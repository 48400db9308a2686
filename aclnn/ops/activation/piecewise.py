"""Functions of one tensor that are made of pieces. Comparisons with NaN are false; NaN stays NaN."""

from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import planned
from aclnn.engine.parameters import DataTypes
from aclnn.engine.planning import Planning
from aclnn.engine.words.common_types import BF16, FLOATS, HALVES, INTEGERS, REAL_FLOAT, SHORT_FLOAT, with_bf16
from aclnn.engine.words.products import except_on
from aclnn.engine.words.shapes import ranks, same_shape
from aclnn.engine.words.types import castable, computed_in, listed, same_dtype
from aclnn.engine.words.values import demand, empty, may_be_in_place, nulls, same_format
from aclnn.ops.activation._family import activation, numbers

T = aclDataType
R8 = ranks("self", least=0, most=8)
SAME = same_shape("out", "self")
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
    """NaN is not below the threshold."""
    return np.where(x <= threshold, value, x)


leaky_relu = activation(
    __name__, "LeakyRelu InplaceLeakyRelu", leaky, "out = self where it is above 0, else negativeSlope * self",
    REAL_FLOAT, TO_OUT, R8, SAME, scalars=("negativeSlope",),
)  # fmt: skip
softplus = activation(
    __name__, "Softplus", softplus_of,
    "out = self where beta * self is above the threshold, else log(1 + exp(beta * self)) / beta",
    SHORT_FLOAT, castable("beta", "self"), castable("threshold", "self"), TO_OUT, R8, SAME,
    scalars=("beta", "threshold"),
)  # fmt: skip
hard_swish = activation(
    __name__, "Hardswish", hard_swish_of,
    "out = 0 up to -3, self from 3 on, and self * (self + 3) / 6 in between",
    SHORT_FLOAT, listed("out", among=SHORT_FLOAT), TO_OUT, SAME,
)  # fmt: skip
hard_sigmoid = activation(
    __name__, "Hardsigmoid", hard_sigmoid_of,
    "out = self / 6 + 1 / 2, not below 0, not above 1; INT32 is computed as FLOAT, and truncated",
    with_bf16((*HALVES, T.ACL_INT32)), same_dtype("out", "self"), R8, SAME, same_format("out", "self"),
    compute=lambda a: T.ACL_FLOAT if a.dtype("self") == T.ACL_INT32 else a.dtype("self"),
)  # fmt: skip


def fits_float(name: str) -> Any:
    """A scalar is read as FLOAT, so it is not complex."""
    complex_ = (T.ACL_COMPLEX64, T.ACL_COMPLEX128, T.ACL_COMPLEX32)

    def bad(a: Arguments) -> tuple[object, object] | None:
        return (a.type_name(name), "a data type that can be cast to FLOAT") if a.dtype(name) in complex_ else None

    return demand("{0} can be cast to FLOAT", name, bad=bad, provenance="public")


@planned(
    "aclnnElu", "aclnnInplaceElu", listed("self", among=DataTypes((*FLOATS, *BF16)), provenance="public"),
    *map(fits_float, ("scale", "alpha", "inputScale")), TO_OUT, SAME, R8, empty("self"), may_be_in_place(),
)  # fmt: skip
def elu(p: Planning) -> None:
    """out = scale * self where it is above 0, else alpha * scale * (exp(self * inputScale) - 1); if alpha or inputScale
    is infinite or NaN, the second part is -alpha * scale, and all is computed in FLOAT"""
    values = numbers(p, "alpha", "scale", "inputScale")
    if finite := bool(np.isfinite(values["alpha"]) and np.isfinite(values["inputScale"])):
        x = p.read("self")
    else:
        x = p.read("self", T.ACL_FLOAT)
    p.store("out", p.step(elu_of, [x], x.shape, x.dtype, finite=finite, **values))


def elu_of(x: Array, *, alpha: Any, scale: Any, inputScale: Any, finite: bool) -> Array:
    below = np.expm1(x * inputScale) * alpha if finite else -alpha
    return np.where(x > 0, x, below) * scale


@planned(
    "aclnnThreshold", "aclnnInplaceThreshold", nulls("self", "out", "threshold", "value"),
    listed("self", among=with_bf16((*HALVES, *INTEGERS)), provenance="public"), except_on(Series.A950, TO_OUT),
    R8, SAME, empty("self"), computed_in(lambda a: a.dtype("self")), may_be_in_place(),
)  # fmt: skip
def threshold(p: Planning) -> None:
    """out = self where it is above the threshold or NaN, else value; both scalars are cast to the data type of self"""
    x = p.read("self")
    values = {name: p.number(name, x.dtype) for name in ("threshold", "value")}
    p.store("out", p.step(above, [x], x.shape, x.dtype, **values))
