"""aclnnBatchNormReduceBackward: the per-channel sums that the gradient of batch normalisation needs."""

import numpy as np

from acl_runtime import ACL_FLOAT, ACL_FORMAT_ND
from acl_runtime.headers.dtypes import Array, format_name
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.constraints import (
    PLAN,
    Empty,
    Listed,
    NotPrivate,
    Rank,
    Rule,
    SameDtype,
    SameShape,
    ShapeIs,
    Violation,
)
from aclnn.engine.declaration import Op, Products
from aclnn.engine.numbers.rounding import total
from aclnn.engine.parameters import FLOATS, Flag, OptionalTensorIn, TensorIn, TensorOut
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.two_phase import two_phase

CHANNELS = "(C), C = channels of input"


def same_format(call: "BatchNormReduceBackward", soc: Soc) -> Violation | None:
    if call.gradOut.format == call.input.format:
        return None
    found, wanted = format_name(call.gradOut.format), format_name(call.input.format)
    return Violation("Format of gradOut and input should be same.", "gradOut", found, f"{wanted}, as input")


def has_channels(call: "BatchNormReduceBackward", soc: Soc) -> Violation | None:
    if call.input.shape[1]:
        return None
    return Violation("The channel size of input must not be 0.", "input", list(call.input.shape), "dimension 1 above 0")


def per_channel(out: TensorOut) -> ShapeIs:
    sentence = "{0} has one dimension, of as many elements as input has channels"
    return ShapeIs(sentence, out, wanted=lambda call: (call.input.shape[1],))


def statistic(param: TensorIn) -> Rule:
    def judge(call: "BatchNormReduceBackward", soc: Soc) -> Violation | None:
        found, wanted = call.__dict__[param.name], call.input.shape[1]
        if found.numel == wanted:
            return None
        words = f"{param} must hold one value per channel."
        return Violation(words, param.name, f"{found.numel} elements, shape {list(found.shape)}", f"{wanted} elements")

    return Rule("{0} has as many elements as input has channels", judge, param, status=PLAN, provenance="ours")


def label_fits(call: "BatchNormReduceBackward", soc: Soc) -> Violation | None:
    """The result for gradWeight carries the label of invstd, and ViewCopy refuses another ("x ND allowed")."""
    if not call.weightG or call.invstd.format in (ACL_FORMAT_ND, call.gradWeight.format):
        return None
    found, wanted = format_name(call.invstd.format), format_name(call.gradWeight.format)
    return Violation("ViewCopy failed: the formats differ.", "invstd", found, f"ND, or {wanted} as gradWeight")


def zeros_on_950(call: "BatchNormReduceBackward", builder: PlanBuilder) -> None:
    """The plan of a call without elements: Ascend 950 fills the outputs with zeros, the others write nothing."""
    if builder.soc.series is not Series.A950:
        return
    for out in (each for each in call.tensors if isinstance(each, TensorOut) and each.in_use(call)):
        target = call.__dict__[out.name]
        zero = builder.alloc(target.shape, target.dtype)
        builder.launch(zeros, inputs=(), outputs=(zero,), shape=target.shape)
        builder.view_copy(zero, target)


class BatchNormReduceBackward(Op):
    """sumDy = sum(gradOut), sumDyXmu = sum(gradOut * (input - mean)),
    gradWeight = sumDyXmu * invstd, gradBias = sumDy

    Each sum is over every dimension but 1, the channel, whatever the format. They are sums, not averages
    (`aclnn docs fidelity`). A masked-out output is neither looked at nor written; `weight` influences nothing.
    """

    header = "aclnnop/aclnn_batch_norm_backward_reduce.h"
    series = (Series.TRAINING, Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_BY_PLAN
    const_stream = True
    null_code = "EZ9999"  # its null checks return 161001 but are logged as inner errors

    gradOut = TensorIn(FLOATS, rank=range(2, 9), shape="as input", doc="gradient from the layer above")
    input = TensorIn(FLOATS, rank=range(2, 9), doc="input of the forward pass; dimension 1 is the channel")
    mean = TensorIn(FLOATS, shape=CHANNELS, doc="mean of each channel")
    invstd = TensorIn(FLOATS, shape=CHANNELS, doc="1 / standard deviation of each channel")
    weight = OptionalTensorIn(FLOATS, shape=CHANNELS, doc="scale of each channel; not needed, not checked")
    inputG = Flag("are sumDy and sumDyXmu wanted?", const=True)
    weightG = Flag("is gradWeight wanted?", const=True)
    biasG = Flag("is gradBias wanted?", const=True)
    sumDy = TensorOut(FLOATS, shape=CHANNELS, when=inputG, doc="sum of gradOut")
    sumDyXmu = TensorOut(FLOATS, shape=CHANNELS, when=inputG, doc="sum of gradOut * (input - mean)")
    gradWeight = TensorOut(FLOATS, shape=CHANNELS, when=weightG, doc="gradient of the scale")
    gradBias = TensorOut(FLOATS, shape=CHANNELS, when=biasG, doc="gradient of the offset")

    checks = (
        Listed(gradOut), Listed(input), Listed(mean), Listed(invstd),
        SameDtype(gradOut, input),
        Listed(sumDy), Listed(sumDyXmu), Listed(gradWeight), Listed(gradBias),
        Rule("gradOut has the format of input", same_format, gradOut, input),
        NotPrivate(gradOut), NotPrivate(input), NotPrivate(mean), NotPrivate(invstd),
        NotPrivate(sumDy), NotPrivate(sumDyXmu), NotPrivate(gradWeight), NotPrivate(gradBias),
        Rank(gradOut), Rank(input),
        Rule("input has at least one channel", has_channels, input),
        per_channel(sumDy), per_channel(sumDyXmu), per_channel(gradWeight), per_channel(gradBias),
        Empty(
            gradOut, input, mean, invstd, plan=zeros_on_950,
            left=f"workspace 0, nothing is written; on {Series.A950.value} the outputs are filled with zeros",
        ),
        SameShape(gradOut, input, status=PLAN, provenance="ours"),
        statistic(mean), statistic(invstd),
        Rule(
            "invstd is ND or has the format of gradWeight", label_fits, invstd, gradWeight, status=PLAN,
            provenance="public",
        ),
    )  # fmt: skip


def plan(call: BatchNormReduceBackward, builder: PlanBuilder) -> None:
    channels = (call.input.shape[1],)
    given = [builder.contiguous(each) for each in (call.gradOut, call.input, call.mean, call.invstd)]
    if call.weight is None:
        builder.launch(ones, inputs=(), outputs=(builder.alloc(channels, ACL_FLOAT),), shape=channels)
    else:
        builder.cast(builder.contiguous(call.weight), ACL_FLOAT)  # made ready as on a device, though nothing reads it
    dy, x, mean, invstd = (builder.cast(each, ACL_FLOAT) for each in given)
    product = builder.alloc(dy.shape, ACL_FLOAT)
    builder.launch(centred_product, inputs=(dy, x, mean), outputs=(product,))
    sum_dy_xmu, sum_dy = builder.alloc(channels, ACL_FLOAT), builder.alloc(channels, ACL_FLOAT)
    builder.launch(channel_sum, inputs=(product,), outputs=(sum_dy_xmu,))
    builder.launch(channel_sum, inputs=(dy,), outputs=(sum_dy,))
    grad_weight = builder.alloc(invstd.shape, ACL_FLOAT)
    builder.launch(scaled, inputs=(sum_dy_xmu, invstd), outputs=(grad_weight,))
    if call.inputG:
        builder.view_copy(builder.cast(sum_dy, call.sumDy.dtype), call.sumDy)
        builder.view_copy(builder.cast(sum_dy_xmu, call.sumDyXmu.dtype), call.sumDyXmu)
    if call.weightG:
        builder.view_copy(builder.cast(grad_weight, call.gradWeight.dtype), call.gradWeight)
    if call.biasG:
        builder.view_copy(builder.cast(sum_dy, call.gradBias.dtype), call.gradBias)


def ones(*, shape: tuple[int, ...]) -> Array:
    return np.ones(shape, np.float32)


def zeros(*, shape: tuple[int, ...]) -> Array:
    return np.zeros(shape, np.float32)


def centred_product(dy: Array, x: Array, mean: Array) -> Array:
    """dy * (x - mean), channel by channel."""
    return dy * (x - mean.reshape(-1, *[1] * (x.ndim - 2)))


def channel_sum(x: Array) -> Array:
    """The sum over every dimension but 1, with float64 partials."""
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    return total(x, axes)


def scaled(total: Array, invstd: Array) -> Array:
    """gradWeight: the sum times 1 / standard deviation."""
    return total.reshape(invstd.shape) * invstd  # pyright: ignore[reportUnknownVariableType]


aclnnBatchNormReduceBackwardGetWorkspaceSize, aclnnBatchNormReduceBackward = two_phase(BatchNormReduceBackward, plan)
