"""aclnnBatchNormReduceBackward: the per-channel sums that the gradient of batch normalisation needs."""

import numpy as np

from aclnn.op import (
    ACL_FLOAT, ACL_FORMAT_ND, FLOATS, PLAN, Arguments, Array, Bad, Flag, Op, OptionalTensorIn, PlanBuilder, Planning,
    Products, Relation, Series, TensorIn, TensorOut, demand, empty, format_name, listed, may_be_in_place, planned,
    public_format, ranks, same_dtype, same_format, same_shape, shape, total,
)  # fmt: skip


CHANNELS = "(C), C = channels of input"
INPUTS = "gradOut", "input", "mean", "invstd"
OUTPUTS = "sumDy", "sumDyXmu", "gradWeight", "gradBias"


class BatchNormReduceBackward(Op):
    header = "aclnnop/aclnn_batch_norm_backward_reduce.h"
    series = (Series.TRAINING, Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_BY_PLAN
    const_stream = True
    null_code = "EZ9999"  # a null argument returns 161001, and is logged as an inner error

    gradOut = TensorIn(FLOATS, rank=range(2, 9), shape="as input", doc="gradient from the layer above")
    input = TensorIn(FLOATS, rank=range(2, 9), doc="input of the forward pass; dimension 1 is the channel")
    mean = TensorIn(FLOATS, shape=CHANNELS, doc="mean of each channel")
    invstd = TensorIn(FLOATS, shape=CHANNELS, doc="1 / standard deviation of each channel")
    weight = OptionalTensorIn(FLOATS, shape=CHANNELS, doc="scale of each channel; not needed, not checked")
    inputG = Flag("true to compute sumDy and sumDyXmu", const=True)
    weightG = Flag("true to compute gradWeight", const=True)
    biasG = Flag("true to compute gradBias", const=True)
    sumDy = TensorOut(FLOATS, shape=CHANNELS, when=inputG, doc="sum of gradOut")
    sumDyXmu = TensorOut(FLOATS, shape=CHANNELS, when=inputG, doc="sum of gradOut * (input - mean)")
    gradWeight = TensorOut(FLOATS, shape=CHANNELS, when=weightG, doc="gradient of the scale")
    gradBias = TensorOut(FLOATS, shape=CHANNELS, when=biasG, doc="gradient of the offset")


def no_channels(a: Arguments) -> Bad:
    words = "The channel size of input must not be 0."
    return None if a.shape("input")[1] else (list(a.shape("input")), "dimension 1 above 0", words)


def per_channel(out: str) -> Relation:
    sentence = "{0} has one dimension, of as many elements as input has channels"
    return shape(out, sentence, lambda a: (a.shape("input")[1],))


def statistic(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        count, channels = a[name].numel, a.shape("input")[1]
        words = f"{name} must hold one value per channel."
        description = f"{count} elements, shape {list(a.shape(name))}"
        return None if count == channels else (description, f"{channels} elements", words)

    return demand("{0} has as many elements as input has channels", name, bad=bad, status=PLAN, provenance="ours")


def other_label(a: Arguments) -> Bad:
    """Checks the format of gradWeight. Its values have the format of invstd, and ViewCopy converts only from ND."""
    label, expected_label = a["invstd"].format, a["gradWeight"].format
    if label in (ACL_FORMAT_ND, expected_label):
        return None
    return (
        format_name(label),
        f"ND, or {format_name(expected_label)} as gradWeight",
        "ViewCopy failed: the formats differ.",
    )


def zeros_on_950(call: Op, builder: PlanBuilder) -> None:
    """The plan of a call without elements: Ascend 950 fills the outputs with zeros, other products write nothing."""
    p = Planning(call, builder)
    for out in OUTPUTS if p.soc.series is Series.A950 else ():
        if p.given(out):
            p.store(out, p.step(zeros, [], p.shape(out), p.dtype(out), shape=p.shape(out)))


@planned(
    BatchNormReduceBackward, listed(*INPUTS), same_dtype("gradOut", "input"), listed(*OUTPUTS),
    same_format("gradOut", "input", storage=False, provenance="document"), public_format(*INPUTS, *OUTPUTS),
    ranks("gradOut", "input"), demand("{0} has at least one channel", "input", bad=no_channels),
    *map(per_channel, OUTPUTS),
    empty(
        *INPUTS, plan=zeros_on_950,
        left=f"workspace 0, nothing is written; on {Series.A950.value} the outputs are filled with zeros",
    ),
    same_shape("gradOut", "input", status=PLAN, provenance="ours"), statistic("mean"), statistic("invstd"),
    demand("{0} is ND or has the format of {1}", "invstd", "gradWeight", bad=other_label, status=PLAN,
           provenance="public"),
    may_be_in_place(),
)  # fmt: skip
def batch_norm_reduce_backward(p: Planning) -> None:
    """sumDy = sum(gradOut), sumDyXmu = sum(gradOut * (input - mean)),
    gradWeight = sumDyXmu * invstd, gradBias = sumDy

    Each sum is over every dimension except 1, the channel, in any format. The results are sums, not averages
    (`aclnn docs fidelity`). An output whose flag is false is not checked and not written; `weight` has no effect.
    """
    channels = p.shape("input")[1:2]
    dense = [p.read(name) for name in INPUTS]
    if p.given("weight"):
        p.builder.cast(p.read("weight"), ACL_FLOAT)  # a device casts it too, although nothing reads the result
    else:
        p.step(ones, [], channels, ACL_FLOAT, shape=channels)
    dy, x, mean, invstd = (p.builder.cast(operand, ACL_FLOAT) for operand in dense)
    product = p.step(centred_product, [dy, x, mean], dy.shape, ACL_FLOAT)
    sum_dy_xmu = p.step(channel_sum, [product], channels, ACL_FLOAT)
    sum_dy = p.step(channel_sum, [dy], channels, ACL_FLOAT)
    grad_weight = p.step(scaled, [sum_dy_xmu, invstd], invstd.shape, ACL_FLOAT)
    p.store("sumDy", sum_dy)
    p.store("sumDyXmu", sum_dy_xmu)
    p.store("gradWeight", grad_weight)
    p.store("gradBias", sum_dy)


def ones(*, shape: tuple[int, ...]) -> Array:
    return np.ones(shape, np.float32)


def zeros(*, shape: tuple[int, ...]) -> Array:
    return np.zeros(shape, np.float32)


def centred_product(dy: Array, x: Array, mean: Array) -> Array:
    """dy * (x - mean), channel by channel."""
    return dy * (x - mean.reshape(-1, *[1] * (x.ndim - 2)))


def channel_sum(x: Array) -> Array:
    """The sum over every dimension except 1, with float64 partials."""
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    return total(x, axes)


def scaled(total: Array, invstd: Array) -> Array:
    """gradWeight: the sum times 1 / standard deviation."""
    return total.reshape(invstd.shape) * invstd  # pyright: ignore[reportUnknownVariableType]


aclnnBatchNormReduceBackwardGetWorkspaceSize, aclnnBatchNormReduceBackward = batch_norm_reduce_backward.pairs[
    "aclnnBatchNormReduceBackward"
]
