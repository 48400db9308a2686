"""The common statistics of several devices. The inputs have a row for each device and a column for each channel."""

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, SHORT_FLOAT, Arguments, Array, Bad, Op, Operand, PlanBuilder, Planning, aclDataType,
    demand, done, empty, listed, planned, public_format, ranks, same_dtype, same_shape, shape, total, updates,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, constants
from aclnn.ops.norm.batch import inverse_root, move

GATHERED = ("mean", "invstd", "counts")
RUNNING = ("runningMean", "runningVar")
ALL = ("meanAll", "invstdAll")


def lone_running_mean(a: Arguments) -> Bad:
    return None if a.given("runningVar") else ("a tensor", "null, as runningVar is null")


def no_devices(call: Op, builder: PlanBuilder) -> None:
    constants(Planning(call, builder), meanAll=0.0, invstdAll=np.nan)


@planned(
    "aclnnBatchNormGatherStatsWithCounts", updates(*RUNNING),
    demand("{0} comes with runningVar", "runningMean", bad=lone_running_mean, status=ACLNN_ERR_PARAM_NULLPTR,
           provenance="ours"),
    listed("input", *GATHERED, *RUNNING, *ALL, among=SHORT_FLOAT, provenance="public"),
    public_format("input", *GATHERED, *RUNNING, *ALL),
    ranks("input", least=2, most=8), ranks("mean", "invstd", least=2, most=2), ranks("counts", least=1, most=1),
    same_shape("invstd", "mean"),
    shape("mean", "{0} has one column for each channel", lambda a: (a.shape("mean")[0], a.shape("input")[1])),
    shape("counts", "{0} has one element for each row of mean", lambda a: a.shape("mean")[:1]),
    *(shape(name, "{0} has one element for each channel", lambda a: a.shape("input")[1:2]) for name in RUNNING + ALL),
    empty("mean", plan=no_devices),
)  # fmt: skip
def batch_norm_gather_stats_with_counts(p: Planning) -> None:
    """meanAll = the sum of mean * counts / n, with n = the sum of counts; invstdAll = 1 / sqrt(S / n + eps), with S =
    the sum of (var + (mean - meanAll)^2) * counts and var = 1 / invstd^2 - eps. runningMean moves towards meanAll, and
    runningVar towards S / (n - 1), by the share `momentum`."""
    mean, invstd = (p.read(name, FLOAT) for name in ("mean", "invstd"))
    counts = p.builder.reshape(p.read("counts", FLOAT), (mean.shape[0], 1))
    row = (1, mean.shape[1])
    results = p.steps(gathered, [mean, invstd, counts], [(row, FLOAT)] * 3, eps=p["eps"])
    store_all(p, results, RUNNING if p.given("runningMean") else (), ALL)


def store_all(p: Planning, results: list[Operand], running: tuple[str, ...], outs: tuple[str, str]) -> None:
    """Store the common mean, inverse root and unbiased variance in the outputs and the running values."""
    average, root, unbiased = results
    for name, value in zip(running, (average, unbiased), strict=False):
        move(p, name, p.builder.reshape(p.read(name, FLOAT), value.shape), value, 1.0)
    for name, value in zip(outs, (average, root), strict=True):
        p.store(name, p.builder.reshape(value, p.shape(name)))


def gathered(mean: Array, invstd: Array, counts: Array, *, eps: float) -> tuple[Array, Array, Array]:
    count = total(counts, 0, keepdims=True)
    common = total(mean * counts, 0, keepdims=True) / count
    var = 1 / (invstd * invstd) - np.float32(eps)
    off = mean - common
    squares = total((var + off * off) * counts, 0, keepdims=True)
    return common, inverse_root(squares / count, eps=eps), squares / (count - 1)


SUMS = ("totalSum", "totalSquareSum")
STATS = ("mean", "variance")
BATCH = ("batchMean", "batchInvstd")


def no_rows(a: Arguments) -> Bad:
    return None if a.shape("totalSum")[0] else (list(a.shape("totalSum")), "at least one row")


@planned(
    "aclnnSyncBatchNormGatherStats", updates(*STATS),
    listed("totalSum"), *(same_dtype(name, as_="totalSum") for name in ("totalSquareSum", *STATS)),
    listed("batchMean"), same_dtype("batchInvstd", as_="batchMean"), listed("sampleCount"),
    public_format(*SUMS, "sampleCount", *STATS), ranks(*SUMS, least=2, most=2),
    same_shape("totalSquareSum", "totalSum"),
    shape("sampleCount", "{0} has one element for each row of totalSum", lambda a: a.shape("totalSum")[:1]),
    *(shape(name, "{0} has one element for each channel", lambda a: a.shape("totalSum")[1:]) for name in STATS + BATCH),
    demand("{0} has rows", "totalSum", bad=no_rows),
    done("there are no channels", "totalSum", when=lambda a: a.shape("totalSum")[1] == 0),
)  # fmt: skip
def sync_batch_norm_gather_stats(p: Planning) -> None:
    """batchMean = the sum of totalSum / n, with n = the sum of sampleCount; batchInvstd = 1 / sqrt(var + eps), with var
    = the sum of totalSquareSum / n - batchMean^2. mean moves towards batchMean, and variance towards var * n / (n - 1),
    by the share `momentum`."""
    sums = [p.read(name, FLOAT) for name in SUMS]
    counts = p.read("sampleCount", aclDataType.ACL_INT32)
    row = (1, sums[0].shape[1])
    results = p.steps(of_sums, [*sums, counts], [(row, FLOAT)] * 3, eps=p["eps"])
    store_all(p, results, STATS, BATCH)


def of_sums(sums: Array, squares: Array, counts: Array, *, eps: float) -> tuple[Array, Array, Array]:
    count = total(counts.astype(np.float32), 0)
    mean = total(sums, 0, keepdims=True) / count
    var = total(squares, 0, keepdims=True) / count - mean * mean
    return mean, inverse_root(var, eps=eps), var * (count / (count - 1))
