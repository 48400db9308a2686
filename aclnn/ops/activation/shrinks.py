"""Shrinking functions, which are 0 near 0, and their gradients. Comparisons with NaN are false, so NaN becomes 0."""

from typing import Any

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, SHORT_FLOAT, Array, DataTypes, broadcast, computed_in, empty, listed, ranks, same_format,
    same_shape,
)  # fmt: skip
from aclnn.ops.activation._family import activation, gradient, not_negative, one_type_or_float

R8 = ranks("self", least=0, most=8)
OUT_SHAPE = same_shape("out", "self")
HALF_OR_FLOAT = DataTypes(FLOAT_OR_HALF)


def hard(x: Array, *, lambd: Any) -> Array:
    return np.where(np.abs(x) > max(lambd, 0), x, np.float32(0))


def soft(x: Array, *, lambd: Any) -> Array:
    return np.where(x > lambd, x - lambd, np.where(x < -lambd, x + lambd, np.float32(0)))


def shrunk(x: Array, *, lambd: Any, bias: Any) -> Array:
    return np.where(x > lambd, x - bias, np.where(x < -lambd, x + bias, np.float32(0)))


hard_shrink = activation(
    __name__, "Hardshrink", hard, "out = self where |self| is above lambd, else 0; a lambd below 0 counts as 0",
    SHORT_FLOAT, listed("out", among=SHORT_FLOAT, provenance="public"), OUT_SHAPE, R8, scalars=("lambd",),
)  # fmt: skip
soft_shrink = activation(
    __name__, "Softshrink", soft, "out = self - lambd where self is above lambd, self + lambd below -lambd, else 0",
    SHORT_FLOAT, listed("out", among=SHORT_FLOAT, provenance="public"), OUT_SHAPE, R8, not_negative("lambd"),
    scalars=("lambd",),
)  # fmt: skip
shrink = activation(
    __name__, "Shrink", shrunk, "out = self - bias where self is above lambd, self + bias below -lambd, else 0",
    HALF_OR_FLOAT, listed("out", among=HALF_OR_FLOAT, provenance="public"), OUT_SHAPE, not_negative("lambd"),
    same_format("out", "self", storage=False), scalars=("lambd", "bias"),
)  # fmt: skip


BACKWARD = (
    listed("gradOutput", "self", "gradInput", among=SHORT_FLOAT, provenance="public"), computed_in(one_type_or_float),
    empty("gradOutput", "self"), broadcast("gradOutput", "self", into="gradInput"),
)  # fmt: skip
NO_WORK = empty("gradOutput", "self")


def outside(g: Array, x: Array, **limit: Any) -> Array:
    (value,) = limit.values()
    return np.where(np.abs(x) > max(value, 0), g, np.float32(0))


hard_shrink_backward = gradient(
    __name__, "HardshrinkBackward", outside,
    "gradInput = gradOutput where |self| is above lambd, else 0; a lambd below 0 counts as 0", *BACKWARD, NO_WORK,
    scalars=("lambd",),
)  # fmt: skip
soft_shrink_backward = gradient(
    __name__, "SoftshrinkBackward", outside, "gradInput = gradOutput where |self| is above lambda, else 0", *BACKWARD,
    not_negative("lambda"), NO_WORK, scalars=("lambda",),
)  # fmt: skip
