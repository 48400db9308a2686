"""Batch normalisation over several devices: the statistics of each, those of all together, the result, the gradient.

A device computes BatchNormStats or BatchNormReduce. The results of all devices are gathered by rows, and
BatchNormGatherStatsWithCounts or SyncBatchNormGatherStats makes the common statistics. BatchNormElemt gives the output,
BatchNormElemtBackward the gradient of the input. Dimension 1 has the channels.
"""

from math import prod

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments, Shape
from aclnn.engine.declaration import Op
from aclnn.engine.numbers.rounding import total
from aclnn.engine.operator import planned
from aclnn.engine.plan_builder import Operand, PlanBuilder
from aclnn.engine.planning import Planning
from aclnn.engine.words.common_types import SHORT_FLOAT
from aclnn.engine.words.shapes import ranks, same_shape, shape
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import (
    demand,
    done,
    empty,
    may_be_in_place,
    null_status,
    public_format,
    same_format,
    updates,
)
from aclnn.ops.norm._family import FLOAT, constants, moments, or_constant
from aclnn.ops.norm.batch import LAST, inverse_root, move, scaled

Bad = tuple[object, object] | None
PER_CHANNEL = ("mean", "invstd", "sumDy", "sumDyXmu", "weight")
"""in the order of the kernel"""


def no_channels(a: Arguments) -> Bad:
    found = a.shape("input")
    return None if found[1] else (list(found), "at least one channel in dimension 1")


def channels(a: Arguments) -> Shape:
    return a.shape("input")[1:2]


CHANNELS = demand("{0} has channels", "input", bad=no_channels)


def each_channel(*names: str) -> tuple[object, ...]:
    return tuple(shape(name, "{0} has one element for each channel", channels) for name in names)


def view(x: Arguments) -> tuple[int, int, int]:
    """input as (outer, channels, inner)."""
    found = x.shape("input")
    return found[0], found[1], prod(found[2:])


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
    found = p.steps(channel_moments, [x], [((1, whole[1], 1), FLOAT)] * 2, eps=p["eps"])
    for name, result in zip(("mean", "invstd"), found, strict=True):
        p.store(name, p.builder.reshape(result, p.shape(name)))


def channel_moments(x: Array, *, eps: float) -> tuple[Array, Array]:
    _, mean, rstd = moments(x, (0, 2), eps)
    return mean, rstd


def zeros(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), sum=0.0, squareSum=0.0)


def last(a: Arguments) -> bool:
    """Has the last dimension of x the channels?"""
    return a["x"].storage_format in LAST


def own_channels(a: Arguments) -> Shape:
    return a.shape("x")[-1:] if last(a) else a.shape("x")[1:2]


@planned(
    "aclnnBatchNormReduce", empty("x", "sum", "squareSum", plan=zeros),
    listed("x", among=SHORT_FLOAT, provenance="public"), listed("sum", "squareSum"), ranks("x", least=4, most=4),
    *(shape(name, "{0} has one element for each channel", own_channels) for name in ("sum", "squareSum")),
)  # fmt: skip
def batch_norm_reduce(p: Planning) -> None:
    """sum = the sum of the elements of each channel, squareSum = that of their squares. Dimension 1 has the channels;
    the last one, if the storage format is NHWC."""
    x, axes = p.read("x", FLOAT), (0, 1, 2) if last(p) else (0, 2, 3)
    found = p.steps(channel_sums, [x], [(own_channels(p), FLOAT)] * 2, axes=axes)
    for name, result in zip(("sum", "squareSum"), found, strict=True):
        p.store(name, result)


def channel_sums(x: Array, *, axes: tuple[int, ...]) -> tuple[Array, Array]:
    return total(x, axes), total(x * x, axes)


GATHERED = ("mean", "invstd", "counts")
RUNNING = ("runningMean", "runningVar")
ALL = ("meanAll", "invstdAll")


def one_running(a: Arguments) -> Bad:
    return None if not a.given("runningMean") or a.given("runningVar") else ("null", "a tensor, as runningMean is one")


def no_devices(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), meanAll=0.0, invstdAll=np.nan)


@planned(
    "aclnnBatchNormGatherStatsWithCounts", updates(*RUNNING),
    listed("input", *GATHERED, *RUNNING, *ALL, among=SHORT_FLOAT, provenance="public"),
    public_format("input", *GATHERED, *RUNNING, *ALL),
    ranks("input", least=2, most=8), ranks("mean", "invstd", least=2, most=2), ranks("counts", least=1, most=1),
    same_shape("invstd", "mean"),
    shape("mean", "{0} has one column for each channel", lambda a: (a.shape("mean")[0], a.shape("input")[1])),
    shape("counts", "{0} has one element for each row of mean", lambda a: a.shape("mean")[:1]),
    *each_channel(*RUNNING, *ALL), empty("mean", plan=no_devices),
)  # fmt: skip
def batch_norm_gather_stats_with_counts(p: Planning) -> None:
    """With n = the sum of counts, meanAll = the sum of mean * counts / n; S = the sum of (var + (mean - meanAll)^2) *
    counts, where var = 1 / invstd^2 - eps; invstdAll = 1 / sqrt(S / n + eps). runningMean moves towards meanAll, and
    runningVar towards S / (n - 1), by the share `momentum`."""
    mean, invstd = (p.read(name, FLOAT) for name in ("mean", "invstd"))
    counts = p.builder.reshape(p.read("counts", FLOAT), (mean.shape[0], 1))
    row = (1, mean.shape[1])
    found = p.steps(gathered, [mean, invstd, counts], [(row, FLOAT)] * 3, eps=p["eps"])
    store_all(p, found, RUNNING if p.given("runningMean") and p.given("runningVar") else (), ALL)


def store_all(
    p: Planning, found: list[Operand], running: tuple[str, ...], outs: tuple[str, str]
) -> None:  # fmt: skip
    """From mean, inverse root and unbiased variance of all devices to the outputs and the running values."""
    average, root, unbiased = found
    for name, each in zip(running, (average, unbiased), strict=False):
        move(p, name, p.builder.reshape(p.read(name, FLOAT), each.shape), each, 1.0)
    for name, each in zip(outs, (average, root), strict=True):
        p.store(name, p.builder.reshape(each, p.shape(name)))


def gathered(mean: Array, invstd: Array, counts: Array, *, eps: float) -> tuple[Array, Array, Array]:
    count = total(counts, 0, keepdims=True)
    common = total(mean * counts, 0, keepdims=True) / count
    var = variance(invstd, eps=eps)
    off = mean - common
    squares = total((var + off * off) * counts, 0, keepdims=True)
    return common, inverse_root(squares / count, eps=eps), squares / (count - 1)


SUMS = ("totalSum", "totalSquareSum")
KEPT = ("mean", "variance")
BATCH = ("batchMean", "batchInvstd")


def no_rows(a: Arguments) -> Bad:
    return None if a.shape("totalSum")[0] else (list(a.shape("totalSum")), "at least one row")


@planned(
    "aclnnSyncBatchNormGatherStats", updates(*KEPT),
    listed("totalSum"), *(same_dtype(name, as_="totalSum") for name in ("totalSquareSum", *KEPT)),
    listed("batchMean"), same_dtype("batchInvstd", as_="batchMean"), listed("sampleCount"),
    public_format(*SUMS, "sampleCount", *KEPT), ranks(*SUMS, least=2, most=2), same_shape("totalSquareSum", "totalSum"),
    shape("sampleCount", "{0} has one element for each row of totalSum", lambda a: a.shape("totalSum")[:1]),
    *(shape(name, "{0} has one element for each channel", lambda a: a.shape("totalSum")[1:]) for name in KEPT + BATCH),
    demand("{0} has rows", "totalSum", bad=no_rows),
    done("there are no channels", "totalSum", when=lambda a: a.shape("totalSum")[1] == 0),
)  # fmt: skip
def sync_batch_norm_gather_stats(p: Planning) -> None:
    """With n = the sum of sampleCount, batchMean = the sum of totalSum / n, var = the sum of totalSquareSum / n -
    batchMean^2, batchInvstd = 1 / sqrt(var + eps). mean moves towards batchMean, and variance towards var * n / (n -
    1), by the share `momentum`."""
    sums = [p.read(name, FLOAT) for name in SUMS]
    counts = p.read("sampleCount", aclDataType.ACL_INT32)
    row = (1, sums[0].shape[1])
    found = p.steps(of_sums, [*sums, counts], [(row, FLOAT)] * 3, eps=p["eps"])
    store_all(p, found, KEPT, BATCH)


def of_sums(sums: Array, squares: Array, counts: Array, *, eps: float) -> tuple[Array, Array, Array]:
    count = total(counts.astype(np.float32), 0)
    mean = total(sums, 0, keepdims=True) / count
    var = total(squares, 0, keepdims=True) / count - mean * mean
    return mean, inverse_root(var, eps=eps), var * (count / (count - 1))


AFFINE = ("weight", "bias")


@planned(
    "aclnnBatchNormElemt", null_status(ACLNN_ERR_PARAM_INVALID, "input", "mean", "invstd", "output"),
    listed("input", "output", *AFFINE, "mean", "invstd", among=SHORT_FLOAT, provenance="public"),
    same_format("output", "input"), public_format("input", "output"), ranks("input", least=2, most=8),
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
    p.store("gradInput", p.step(elemt_grad, [dy, x, counter, *per_channel], x.shape, dtype))


def elemt_grad(
    dy: Array, x: Array, counter: Array, mean: Array, invstd: Array, sum_dy: Array, sum_dy_xmu: Array,
    weight: Array | None = None,
) -> Array:  # fmt: skip
    """The first sum is of the gradients, the second of their products with (x - mean); both over all devices."""
    count = total(counter, None)
    grad = (dy - sum_dy / count - (x - mean) * (invstd * invstd * (sum_dy_xmu / count))) * invstd
    return grad if weight is None else grad * weight
