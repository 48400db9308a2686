"""Batch normalisation over several devices: the statistics of each, the result, the gradient.

A device computes BatchNormStats or BatchNormReduce. The results of all devices are gathered by rows, and an operator
of `gathered_batch` makes the common statistics. BatchNormElemt gives the output, BatchNormElemtBackward the gradient of
the input. Dimension 1 has the channels.
"""

from math import prod

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, SHORT_FLOAT, Arguments, Array, Bad, Op, PlanBuilder, Planning, Relation, Shape,
    aclDataType, demand, empty, listed, may_be_in_place, null_status, planned, public_format, ranks, same_format,
    same_shape, shape, total,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, constants, moments, or_constant
from aclnn.ops.norm.batch import LAST, scaled

PER_CHANNEL = ("mean", "invstd", "sumDy", "sumDyXmu", "weight")
"""parameters in the order of the kernel"""


def no_channels(a: Arguments) -> Bad:
    shape = a.shape("input")
    return None if shape[1] else (list(shape), "at least one channel in dimension 1")


def channels(a: Arguments) -> Shape:
    return a.shape("input")[1:2]


CHANNELS = demand("{0} has channels", "input", bad=no_channels)


def each_channel(*names: str) -> tuple[Relation, ...]:
    return tuple(shape(name, "{0} has one element for each channel", channels) for name in names)


def view(x: Arguments) -> tuple[int, int, int]:
    """input as (outer, channels, inner)."""
    shape = x.shape("input")
    return shape[0], shape[1], prod(shape[2:])


def undefined(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), mean=0.0, invstd=np.nan)


@planned(
    "aclnnBatchNormStats", listed("input", "mean", "invstd"), public_format("input"),
    ranks("input", least=2, most=8), ranks("mean", "invstd", least=1, most=1), CHANNELS,
    *each_channel("mean", "invstd"), empty("input", plan=undefined),
)  # fmt: skip
def batch_norm_stats(p: Planning) -> None:
    """mean and invstd = 1 / sqrt(var + eps) of each channel of input"""
    whole = view(p)
    x = p.builder.reshape(p.read("input", FLOAT), whole)
    results = p.steps(channel_moments, [x], [((1, whole[1], 1), FLOAT)] * 2, eps=p["eps"])
    for name, result in zip(("mean", "invstd"), results, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


def channel_moments(x: Array, *, eps: float) -> tuple[Array, Array]:
    _, mean, rstd = moments(x, (0, 2), eps)
    return mean, rstd


def zeros(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), sum=0.0, squareSum=0.0)


def last(a: Arguments) -> bool:
    """True if the last dimension of x has the channels."""
    return a["x"].storage_format in LAST


def own_channels(a: Arguments) -> Shape:
    return a.shape("x")[-1:] if last(a) else a.shape("x")[1:2]


@planned(
    "aclnnBatchNormReduce", empty("x", "sum", "squareSum", plan=zeros),
    listed("x", among=SHORT_FLOAT, provenance="public"), listed("sum", "squareSum"), ranks("x", least=4, most=4),
    *(shape(name, "{0} has one element for each channel", own_channels) for name in ("sum", "squareSum")),
)  # fmt: skip
def batch_norm_reduce(p: Planning) -> None:
    """sum = the sum of the elements of each channel, squareSum = the sum of their squares. The channels are dimension
    1, or the last dimension if the storage format is NHWC."""
    x, axes = p.read("x", FLOAT), (0, 1, 2) if last(p) else (0, 2, 3)
    results = p.steps(channel_sums, [x], [(own_channels(p), FLOAT)] * 2, axes=axes)
    for name, result in zip(("sum", "squareSum"), results, strict=True):
        p.store(name, result)


def channel_sums(x: Array, *, axes: tuple[int, ...]) -> tuple[Array, Array]:
    return total(x, axes), total(x * x, axes)


AFFINE = ("weight", "bias")


@planned(
    "aclnnBatchNormElemt", null_status(ACLNN_ERR_PARAM_INVALID, "input", "mean", "invstd", "output"),
    listed("input", "output", *AFFINE, "mean", "invstd", among=SHORT_FLOAT, provenance="public"),
    same_format("output", "input"), public_format("input"), ranks("input", least=2, most=8),
    same_shape("output", "input"), CHANNELS, *each_channel(*AFFINE, "mean", "invstd"), empty("input"),
)  # fmt: skip
def batch_norm_elemt(p: Planning) -> None:
    """output = (input - mean) / sqrt(var + eps) * weight + bias, where var = 1 / invstd^2 - eps. A null weight is 1, a
    null bias 0."""
    whole = view(p)
    middle = (1, whole[1], 1)
    x = p.builder.reshape(p.read("input", FLOAT), whole)
    mean, invstd, weight, bias = (
        p.builder.reshape(or_constant(p, name, whole[1], null), middle)
        for name, null in (("mean", 0.0), ("invstd", 1.0), ("weight", 1.0), ("bias", 0.0))
    )
    var = p.step(variance, [invstd], middle, FLOAT, eps=p["eps"])
    result = p.step(scaled, [x, mean, var, weight, bias], whole, FLOAT, eps=p["eps"])
    p.store("output", p.builder.reshape(result, p.shape("output")))


def variance(invstd: Array, *, eps: float) -> Array:
    return 1 / (invstd * invstd) - np.float32(eps)


@planned(
    "aclnnBatchNormElemtBackward", listed("gradOut", "input", *PER_CHANNEL, "counter", "gradInput"),
    public_format("gradOut", "input", "gradInput"), ranks("input"),
    CHANNELS,
    same_shape("gradOut", "input"), same_shape("gradInput", "input"),
    *each_channel(*PER_CHANNEL),
    ranks("counter", least=0, most=8),
    empty("gradOut", "input", "counter"), may_be_in_place(),
)  # fmt: skip
def batch_norm_elemt_backward(p: Planning) -> None:
    """gradInput = (gradOut - sumDy / n - (input - mean) * invstd^2 * sumDyXmu / n) * invstd * weight, n = the sum of
    counter. Dimension 1 has the channels; a null weight is 1."""
    dtype = aclDataType.ACL_FLOAT
    dy, x, counter = (p.read(name, dtype) for name in ("gradOut", "input", "counter"))
    channels = (1, x.shape[1], *(1,) * (len(x.shape) - 2))
    names = [name for name in PER_CHANNEL if p.given(name)]
    per_channel = [p.builder.reshape(p.read(name, dtype), channels) for name in names]
    count = p.step(whole, [counter], (1,) * len(x.shape), dtype, rank=len(x.shape))
    p.store("gradInput", p.step(elemt_grad, [dy, x, count, *per_channel], x.shape, dtype))


def whole(counter: Array, *, rank: int) -> Array:
    """The number of elements on all devices."""
    return total(np.ascontiguousarray(counter), None).reshape((1,) * rank)


def elemt_grad(
    dy: Array, x: Array, count: Array, mean: Array, invstd: Array, sum_dy: Array, sum_dy_xmu: Array,
    weight: Array | None = None,
) -> Array:  # fmt: skip
    """The gradient of x. sum_dy sums the gradients, sum_dy_xmu their products with (x - mean), over all devices."""
    grad = (dy - sum_dy / count - (x - mean) * (invstd * invstd * (sum_dy_xmu / count))) * invstd
    return grad if weight is None else grad * weight
