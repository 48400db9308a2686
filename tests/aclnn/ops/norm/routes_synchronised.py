"""Routes for the statistics of batch normalisation over several devices: torch, and loops over channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.norm.routes_norms import Arrays, by_channel
from tests.oracle.route import Route, as_tensor, but, route


def batch_norm_stats(input: np.ndarray, eps: float) -> Arrays:
    lanes = [input[:, c].ravel() for c in range(input.shape[1])]
    mean = np.array([sum(lane) / lane.size for lane in lanes])
    var = np.array([sum((lane - middle) ** 2) / lane.size for lane, middle in zip(lanes, mean, strict=True)])
    return [mean, 1 / np.sqrt(var + eps)]


def torch_batch_norm_stats(input: np.ndarray, eps: float) -> Any:
    import torch

    found = torch.native_batch_norm(as_tensor(input), None, None, None, None, True, 0.0, eps)
    return [each.numpy() for each in found[1:]]


def batch_norm_reduce(x: np.ndarray) -> Arrays:
    lanes = [x[:, c].ravel() for c in range(x.shape[1])]
    return [np.array([sum(lane) for lane in lanes]), np.array([lane @ lane for lane in lanes])]


def torch_batch_norm_reduce(x: np.ndarray) -> Any:
    import torch

    given = as_tensor(x)
    return [torch.sum(given, (0, 2, 3)).numpy(), torch.linalg.vector_norm(given, 2, (0, 2, 3)).square().numpy()]


def gathered(
    mean: np.ndarray, invstd: np.ndarray, runningMean: Any, runningVar: Any, momentum: float, eps: float,
    counts: np.ndarray,
) -> Any:  # fmt: skip
    """The running values, and the statistics: by raw second moments."""
    n, width = sum(counts), mean.shape[1]
    common = np.array([sum(mean[:, c] * counts) / n for c in range(width)])
    second = np.array([sum((1 / invstd[:, c] ** 2 - eps + mean[:, c] ** 2) * counts) for c in range(width)])
    squares = second - n * common**2
    running = [moved(runningMean, common, momentum), moved(runningVar, squares / (n - 1), momentum)]
    return [*(each for each in running if each is not None), common, 1 / np.sqrt(squares / n + eps)]


def moved(old: Any, new: np.ndarray, momentum: float) -> Any:
    return None if old is None else (1 - momentum) * old + momentum * new


def torch_gathered(
    mean: np.ndarray, invstd: np.ndarray, runningMean: Any, runningVar: Any, momentum: float, eps: float,
    counts: np.ndarray,
) -> Any:  # fmt: skip
    """By the variance of means about their common mean."""
    import torch

    given = [as_tensor(each) for each in (mean, invstd)]
    weights = as_tensor(counts)[:, None]
    common = (given[0] * weights).sum(0) / weights.sum()
    spread = ((given[1].pow(-2) - eps + (given[0] - common).square()) * weights).sum(0)
    pairs = ((runningMean, common), (runningVar, spread / (weights.sum() - 1)))
    running = [torch.lerp(as_tensor(old), new, momentum).numpy() for old, new in pairs if old is not None]
    return [*running, common.numpy(), torch.rsqrt(spread / weights.sum() + eps).numpy()]


def of_sums(
    totalSum: np.ndarray, totalSquareSum: np.ndarray, sampleCount: np.ndarray, mean: Any, variance: Any,
    momentum: float, eps: float,
) -> Any:  # fmt: skip
    n = float(np.trunc(sampleCount).sum())
    middle, raw = (np.array([sum(each[:, c]) / n for c in range(each.shape[1])]) for each in (totalSum, totalSquareSum))
    var = raw - middle**2
    return [moved(mean, middle, momentum), moved(variance, var * n / (n - 1), momentum), middle, 1 / np.sqrt(var + eps)]


def torch_of_sums(
    totalSum: np.ndarray, totalSquareSum: np.ndarray, sampleCount: np.ndarray, mean: Any, variance: Any,
    momentum: float, eps: float,
) -> Any:  # fmt: skip
    import torch

    n = torch.trunc(as_tensor(sampleCount).double()).sum()
    middle = as_tensor(totalSum).sum(0) / n
    var = torch.addcmul(as_tensor(totalSquareSum).sum(0) / n, middle, middle, value=-1)
    pairs = ((mean, middle), (variance, var * n / (n - 1)))
    running = [torch.lerp(as_tensor(old), new, momentum) for old, new in pairs]
    return [each.numpy() for each in (*running, middle, torch.rsqrt(var + eps))]


def batch_norm_elemt(input: np.ndarray, weight: Any, bias: Any, mean: Any, invstd: Any, eps: float) -> np.ndarray:
    """invstd already has eps in it."""
    out = (input - by_channel(input, mean, 0)) * np.abs(by_channel(input, invstd, 1))
    return out * by_channel(input, weight, 1) + by_channel(input, bias, 0)


def torch_batch_norm_elemt(input: Any, weight: Any, bias: Any, mean: Any, invstd: Any, eps: float) -> Any:
    import torch

    given = [as_tensor(each) for each in (input, mean, 1 / invstd**2 - eps, weight, bias)]
    return torch.nn.functional.batch_norm(*given, training=False, eps=eps).numpy()


def near_one(values: np.ndarray) -> np.ndarray:
    """From 0.5 to 1.5."""
    return np.abs(values) % 1 + 0.5


def large(values: np.ndarray) -> np.ndarray:
    """Counts of samples, from 4 to 12."""
    return np.floor(np.abs(values) % 8 + 4)


def many(values: np.ndarray) -> np.ndarray:
    """Sums of squares, which are more than the squares of these sums by their count."""
    return np.abs(values) % 1 + 9


def of_squares(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """The terms of a variance may cancel."""
    arrays = [each for each in arguments.values() if isinstance(each, np.ndarray)]
    largest = max(float(np.abs(each).max(initial=1, where=np.isfinite(each))) for each in arrays)
    return 2.0**-21 * largest**2


GATHER = {"invstd": near_one, "runningVar": near_one, "counts": large}
SYNC = {"totalSquareSum": many, "variance": near_one, "sampleCount": large}
IMAGE, PER_CHANNEL = Meta((4, 3, 2)), Meta((3,))
ROUTES: tuple[Route, ...] = (
    route("aclnnBatchNormStats", "loop", batch_norm_stats, bound="composite", extremes={"input": ("nan", "tiny")},
          torch=("torch.native_batch_norm", torch_batch_norm_stats),
          wrong={"eps outside": but(batch_norm_stats, eps=0.5),
                 "of squares": but(batch_norm_stats, input=lambda arguments: arguments["input"] ** 2)}),
    route("aclnnBatchNormReduce", "loop", batch_norm_reduce, bound=of_squares, extremes={"x": ("nan", "0")},
          torch=("torch.sum", torch_batch_norm_reduce),
          wrong={"magnitudes": but(batch_norm_reduce, x=lambda arguments: np.abs(arguments["x"]))}),
    route("aclnnBatchNormGatherStatsWithCounts", "loop", gathered, bound=of_squares, values=GATHER,
          torch=("torch.lerp", torch_gathered), also=[{"runningMean": None, "runningVar": None}],
          wrong={"counts ignored": but(gathered, counts=lambda arguments: np.ones_like(arguments["counts"])),
                 "momentum of the old": but(gathered, momentum=lambda arguments: 1 - arguments["momentum"])}),
    route("aclnnSyncBatchNormGatherStats", "loop", of_sums, bound=of_squares, values=SYNC,
          torch=("torch.lerp", torch_of_sums),
          wrong={"momentum of the old": but(of_sums, momentum=lambda arguments: 1 - arguments["momentum"]),
                 "eps of a half": but(of_sums, eps=0.5)}),
    route("aclnnBatchNormElemt", "loop", batch_norm_elemt, bound=of_squares, values={"invstd": near_one},
          torch=("torch.batch_norm", torch_batch_norm_elemt), also=[{"weight": None, "bias": None}],
          extremes={"input": ("nan", "0")},
          wrong={"weight ignored": but(batch_norm_elemt, weight=None),
                 "bias ignored": but(batch_norm_elemt, bias=None)}),
)  # fmt: skip
