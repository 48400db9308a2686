"""Relu, and Prelu, whose slope below 0 is a tensor."""

import numpy as np

from aclnn.op import (
    FLOAT_OR_HALF, SHORT_FLOAT, Arguments, Array, Bad, Planning, T, becomes, demand, empty, listed, may_be_in_place,
    planned, promoted, ranks, same_dtype, same_shape, with_bf16,
)  # fmt: skip


RELU_TYPES = with_bf16((*FLOAT_OR_HALF, T.ACL_INT8, T.ACL_UINT8, T.ACL_INT32, T.ACL_INT64))
"""UINT8 is listed in the document of InplaceRelu only"""


def rectified(x: Array) -> Array:
    """NaN stays NaN. The addition of 0 turns -0.0 into 0.0."""
    return np.maximum(x, 0) + 0


@planned(
    "aclnnRelu", "aclnnInplaceRelu", listed("self", "out", among=RELU_TYPES), same_dtype("out", "self"), ranks("self"),
    same_shape("out", "self"), empty("self"), may_be_in_place(),
)  # fmt: skip
def relu(p: Planning) -> None:
    """out = max(self, 0). UINT8 has no negative values: out is a copy, and in place nothing changes."""
    if p.dtype("self") != T.ACL_UINT8:
        x = p.read("self")
        p.store("out", p.step(rectified, [x], x.shape, x.dtype))
    elif not p.op.twin():
        p.store("out", p.read("self"))


def wrong_slope_count(a: Arguments) -> Bad:
    channels = a.shape("self")[1] if a.rank("self") > 1 else 1
    count = a["weight"].numel
    return None if count in (1, channels) else (f"{count} elements", f"{channels} elements, or one")


@planned(
    "aclnnPrelu", listed("self", "weight", "out", among=SHORT_FLOAT, provenance="public"), promoted("self", "weight"),
    becomes("out"), ranks("self", "weight", least=0, most=8), same_shape("out", "self"),
    demand("{0} has one element, or one for each channel of {1}", "weight", "self", bad=wrong_slope_count),
    empty("self", "weight"),
)  # fmt: skip
def prelu(p: Planning) -> None:
    """out = self where it is above 0, else self * weight; the channels are the second dimension of self"""
    x, weight = (p.read(name, p.computed()) for name in ("self", "weight"))
    sizes = tuple(p["weight"].numel if axis == 1 else 1 for axis in range(len(x.shape)))
    p.store("out", p.step(sloped, [x, p.builder.reshape(weight, sizes)], x.shape, x.dtype))


def sloped(x: Array, weight: Array) -> Array:
    return np.where(x > 0, x, x * weight)
