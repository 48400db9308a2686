"""aclnnPreluBackward: the gradients of PReLU for its input and its weight."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.constraints import Empty, Listed, Rank, Rule, SameDtype, SameShape, ShapeIs, Violation
from aclnn.engine.declaration import Op, Products
from aclnn.engine.numbers.rounding import total
from aclnn.engine.parameters import FLOAT_AND_HALF, TensorIn, TensorOut
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.two_phase import two_phase


def channels(call: "PreluBackward") -> int:
    """Dimension 1 whatever the format; a tensor of fewer dimensions has one channel."""
    return call.self.shape[1] if len(call.self.shape) > 1 else 1


def weight_fits(call: "PreluBackward", soc: Soc) -> Violation | None:
    count, allowed = call.weight.numel, channels(call)
    if count == 1 or (count == allowed and call.self.shape):
        return None
    words = "the number of weight elements must be 1 or self channel size"
    return Violation(words, "weight", f"{count} elements, shape {list(call.weight.shape)}", f"1 or {allowed} elements")


def broadcasts(call: "PreluBackward", soc: Soc) -> Violation | None:
    found, wanted = call.gradOutput.shape, call.self.shape
    pairs = zip(reversed(found), reversed(wanted), strict=False)
    if len(found) <= len(wanted) and all(a in (1, b) for a, b in pairs):
        return None
    words = f"The size of tensor gradOutput {list(found)} must match the size of tensor self {list(wanted)}."
    return Violation(words, "gradOutput", list(found), f"{list(wanted)}, or a shape that broadcasts to it")


class PreluBackward(Op):
    """gradInput = gradOutput where self > 0, weight * gradOutput elsewhere;
    gradWeight = sum of gradOutput * self where self <= 0, over every dimension but 1 (over all for one weight)

    At 0 and for NaN the slope is the weight. gradOutput is broadcast to self before the sum. For float16 each term of
    gradWeight is rounded before the sum, and the sum again.
    """

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

    checks = (
        Listed(self),
        SameDtype(gradOutput, self),
        SameDtype(weight, self),
        SameDtype(gradInput, self),
        SameDtype(gradWeight, self),
        Rank(gradOutput),
        Rank(self),
        Rank(weight),
        Rank(gradInput),
        Rank(gradWeight),
        SameShape(gradInput, self),
        Rule("weight has one element, or one per channel of self", weight_fits, weight, self),
        ShapeIs(
            "gradWeight has the shape of a weight of one element, or else one dimension of as many elements",
            gradWeight, weight, wanted=lambda call: call.weight.shape if call.weight.numel == 1 else (channels(call),),
        ),
        Rule("gradOutput broadcasts to self", broadcasts, gradOutput, self, provenance="public"),
        Empty(gradOutput, self, weight),
    )  # fmt: skip


def plan(call: PreluBackward, builder: PlanBuilder) -> None:
    grad = builder.contiguous(call.gradOutput)
    x = builder.contiguous(call.self)
    if len(x.shape) < 2:
        x = builder.reshape(x, (1, call.self.numel))
    weight = builder.contiguous(call.weight)
    weight = builder.reshape(weight, (call.weight.numel,))
    dx = builder.alloc(x.shape, x.dtype)
    update = builder.alloc(x.shape, x.dtype)
    builder.launch(prelu_grad_update, inputs=(grad, x, weight), outputs=(dx, update))
    dweight = builder.alloc(weight.shape, weight.dtype)
    builder.launch(prelu_grad_reduce, inputs=(update,), outputs=(dweight,), per_channel=call.weight.numel > 1)
    builder.view_copy(builder.reshape(dx, call.self.shape), call.gradInput)
    builder.view_copy(builder.reshape(dweight, call.gradWeight.shape), call.gradWeight)


def prelu_grad_update(g: Array, x: Array, weight: Array) -> tuple[Array, Array]:
    """gradInput, and the terms of gradWeight, which the workspace keeps in the data type of self."""
    slope = weight.reshape(-1, *[1] * (x.ndim - 2)) if weight.size > 1 else weight[0]
    positive = x > 0
    return np.where(positive, g, slope * g), np.where(positive, np.float32(0), g * x)


def prelu_grad_reduce(update: Array, *, per_channel: bool) -> Array:
    """The sum of the terms, for each channel or over all."""
    axes = tuple(axis for axis in range(update.ndim) if axis != 1 or not per_channel)
    return total(update, axes).reshape(-1)


aclnnPreluBackwardGetWorkspaceSize, aclnnPreluBackward = two_phase(PreluBackward, plan)
