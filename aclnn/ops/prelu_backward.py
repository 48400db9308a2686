"""aclnnPreluBackward: the gradients of PReLU for its input and its weight."""

import numpy as np

from aclnn.op import (
    FLOAT_AND_HALF, Arguments, Array, Bad, Op, Planning, Products, Series, Shape, TensorIn, TensorOut, broadcast_into,
    demand, empty, listed, may_be_in_place, planned, ranks, same_dtype, same_shape, shape, total,
)  # fmt: skip


class PreluBackward(Op):
    header = "aclnnop/aclnn_prelu_backward.h"
    series = (Series.TRAINING, Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_AT_LAUNCH

    gradOutput = TensorIn(FLOAT_AND_HALF, shape="as self, or broadcasts to it", doc="gradient from the layer above")
    self = TensorIn(FLOAT_AND_HALF, doc="input of the forward pass")
    weight = TensorIn(FLOAT_AND_HALF, shape="one element, or one per channel of self", doc="slopes")
    gradInput = TensorOut(FLOAT_AND_HALF, shape="as self", doc="gradient of self", printed="gradIntput")
    gradWeight = TensorOut(
        FLOAT_AND_HALF, shape="weight of one element: as weight; else (channels)", doc="gradient of weight"
    )


def channels(a: Arguments) -> int:
    """The size of dimension 1 in any format; a tensor of fewer dimensions has one channel."""
    return a.shape("self")[1] if a.rank("self") > 1 else 1


def wrong_weight(a: Arguments) -> Bad:
    count, allowed = a["weight"].numel, channels(a)
    if count == 1 or (count == allowed and a.rank("self")):
        return None
    words = "the number of weight elements must be 1 or self channel size"
    return f"{count} elements, shape {list(a.shape('weight'))}", f"1 or {allowed} elements", words


def like_weight(a: Arguments) -> Shape:
    return a.shape("weight") if a["weight"].numel == 1 else (channels(a),)


@planned(
    PreluBackward, listed("self"),
    *(same_dtype(name, "self") for name in ("gradOutput", "weight", "gradInput", "gradWeight")),
    ranks("gradOutput", "self", "weight", "gradInput", "gradWeight"), same_shape("gradInput", "self"),
    demand("{0} has one element, or one per channel of {1}", "weight", "self", bad=wrong_weight),
    shape("gradWeight", "{0} has the shape of a weight of one element, or else one dimension of as many elements",
          like_weight),
    broadcast_into("gradOutput", "self", provenance="public"),
    empty("gradOutput", "self", "weight"), may_be_in_place(),
)  # fmt: skip
def prelu_backward(p: Planning) -> None:
    """gradInput = gradOutput where self > 0, weight * gradOutput elsewhere;
    gradWeight = sum of gradOutput * self where self <= 0, over every dimension except 1 (over all for one weight)

    At 0 and for NaN the slope is the weight. gradOutput is broadcast to self before the sum. For float16 each term of
    gradWeight is rounded before the sum, and then the sum is rounded.
    """
    build = p.builder
    grad, x = p.read("gradOutput"), p.read("self")
    if len(x.shape) < 2:
        x = build.reshape(x, (1, p["self"].numel))
    weight = build.reshape(p.read("weight"), (p["weight"].numel,))
    dx, update = p.steps(prelu_grad_update, [grad, x, weight], [(x.shape, x.dtype)] * 2)
    per_channel = p["weight"].numel > 1
    dweight = p.step(prelu_grad_reduce, [update], weight.shape, weight.dtype, per_channel=per_channel)
    p.store("gradInput", build.reshape(dx, p.shape("self")))
    p.store("gradWeight", build.reshape(dweight, p.shape("gradWeight")))


def prelu_grad_update(g: Array, x: Array, weight: Array) -> tuple[Array, Array]:
    """gradInput, and the terms of gradWeight, which the workspace keeps in the data type of self."""
    slope = weight.reshape(-1, *[1] * (x.ndim - 2)) if weight.size > 1 else weight[0]
    positive = x > 0
    return np.where(positive, g, slope * g), np.where(positive, np.float32(0), g * x)


def prelu_grad_reduce(update: Array, *, per_channel: bool) -> Array:
    """The sum of the terms, for each channel or over all."""
    axes = tuple(axis for axis in range(update.ndim) if axis != 1 or not per_channel)
    return total(update, axes).reshape(-1)


aclnnPreluBackwardGetWorkspaceSize, aclnnPreluBackward = prelu_backward.pairs["aclnnPreluBackward"]
