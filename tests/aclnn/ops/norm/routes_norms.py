"""Routes for layer, group, batch and RMS normalisation: torch, and loops over the slices that are normalised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, route

Arrays = list[np.ndarray]
FLOAT = np.float32


def normal(x: np.ndarray, eps: float) -> tuple[np.ndarray, Any, Any]:
    """A slice, normalised, and its mean and rstd."""
    mean = sum(x.ravel()) / x.size
    rstd = 1 / np.sqrt(sum((x.ravel() - mean) ** 2) / x.size + eps)
    return (x - mean) * rstd, mean, rstd


def layer_norm(input: np.ndarray, normalizedShape: Any, weightOptional: Any, biasOptional: Any, eps: float) -> Arrays:
    count = int(np.prod(normalizedShape))
    rows = input.reshape(-1, count)
    found = [normal(row, eps) for row in rows]
    out = np.stack([each[0] for each in found])
    out = out * (1 if weightOptional is None else weightOptional.ravel())
    out = out + (0 if biasOptional is None else biasOptional.ravel())
    lead = (*input.shape[: input.ndim - len(normalizedShape)], *[1] * len(normalizedShape))
    statistics = [np.array([each[at] for each in found]).reshape(lead) for at in (1, 2)]
    return [out.reshape(input.shape), *statistics]


def torch_layer_norm(
    input: np.ndarray, normalizedShape: Any, weightOptional: Any, biasOptional: Any, eps: float
) -> Arrays:
    import torch

    given = [as_tensor(each) for each in (input, weightOptional, biasOptional)]
    return [each.numpy() for each in torch.native_layer_norm(given[0], list(normalizedShape), *given[1:], eps)]


def layer_norm_backward(
    gradOut: np.ndarray, input: np.ndarray, normalizedShape: Any, mean: Any, rstd: Any, weightOptional: Any,
    outputMask: Any,
) -> Arrays:  # fmt: skip
    """Row by row, by the product of the gradient with the projection."""
    count = int(np.prod(normalizedShape))
    weight = np.ones(count, gradOut.dtype) if weightOptional is None else weightOptional.ravel()
    dy, x = gradOut.reshape(-1, count), input.reshape(-1, count)
    grad, one, other = np.empty(dy.shape, dy.dtype), np.zeros(count, dy.dtype), np.zeros(count, dy.dtype)
    for at, (slope, row) in enumerate(zip(dy, x, strict=True)):
        h = (row - mean.ravel()[at]) * rstd.ravel()[at]
        g = slope * weight
        grad[at] = rstd.ravel()[at] * (g - g.sum() / count - h * (g @ h) / count)
        one, other = one + slope * h, other + slope
    found = [grad.reshape(input.shape), one.reshape(normalizedShape), other.reshape(normalizedShape)]
    return [each for each, flag in zip(found, outputMask, strict=True) if flag]


def torch_layer_norm_backward(
    gradOut: np.ndarray, input: np.ndarray, normalizedShape: Any, mean: Any, rstd: Any, weightOptional: Any,
    biasOptional: Any, outputMask: Any,
) -> Any:  # fmt: skip
    import torch

    weight = np.ones(normalizedShape, gradOut.dtype) if weightOptional is None else weightOptional
    bias = weight if biasOptional is None else biasOptional
    given = [as_tensor(each) for each in (gradOut, input)]
    rest = [as_tensor(each) for each in (mean, rstd, weight, bias)]
    backward = torch.ops.aten.native_layer_norm_backward  # pyright: ignore
    found = backward(*given, list(normalizedShape), *rest, [bool(each) for each in outputMask])
    return [each.numpy() for each, flag in zip(found, outputMask, strict=True) if flag]


def rms_norm(x: np.ndarray, gamma: np.ndarray, epsilon: float) -> Arrays:
    rows = x.reshape(-1, gamma.size)
    rstd = np.array([1 / np.sqrt(row @ row / row.size + epsilon) for row in rows])
    out = np.stack([row * each for row, each in zip(rows, rstd, strict=True)]) * gamma.ravel()
    return [out.reshape(x.shape), rstd.reshape(*x.shape[: x.ndim - gamma.ndim], *[1] * gamma.ndim)]


def torch_rms_norm(x: np.ndarray, gamma: np.ndarray, epsilon: float) -> Any:
    import torch

    given = as_tensor(x)
    out = torch.nn.functional.rms_norm(given, gamma.shape, as_tensor(gamma), epsilon)
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    return [out.numpy(), torch.rsqrt(given.square().mean(axes, keepdim=True) + epsilon).numpy()]


def add_rms_norm(x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, epsilon: float) -> Arrays:
    return [*rms_norm(x1 + x2, gamma, epsilon), x1 + x2]


def torch_add_rms_norm(x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, epsilon: float) -> Any:
    return [*torch_rms_norm(x1 + x2, gamma, epsilon), x1 + x2]


STEPS = {"float16": 2.0**-9, "bfloat16": 2.0**-6}


def rounded_often(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Three roundings to 16 bits, of values as large as the result. In FLOAT16 the sum is rounded too, and rstd is its
    FLOAT rstd."""
    with np.errstate(over="ignore"):
        half = all(np.array_equal(each.astype(np.float16), each, equal_nan=True) for each in (arguments["x1"],))
    step = STEPS.get(dtype, STEPS["float16"] if half else 2.0**-20)
    return 3 * step * (np.abs(exact) + 0.5)


def group_norm(self: np.ndarray, gamma: Any, beta: Any, group: int, eps: float) -> Arrays:
    out, each = np.empty(self.shape, self.dtype), self.shape[1] // group
    statistics = np.empty((2, self.shape[0], group), self.dtype)
    for n in range(self.shape[0]):
        for g in range(group):
            part = slice(g * each, (g + 1) * each)
            out[n, part], statistics[0, n, g], statistics[1, n, g] = normal(self[n, part], eps)
    column = (-1, *[1] * (self.ndim - 2))
    out = out * (1 if gamma is None else gamma.reshape(column)) + (0 if beta is None else beta.reshape(column))
    return [out, *statistics]


def torch_group_norm(self: np.ndarray, gamma: Any, beta: Any, N: int, C: int, HxW: int, group: int, eps: float) -> Any:
    import torch

    given = [as_tensor(each) for each in (self, gamma, beta)]
    return [each.numpy() for each in torch.native_group_norm(*given, N, C, HxW, group, eps)]


def by_channel(x: np.ndarray, vector: Any, null: float) -> np.ndarray:
    found = np.full(x.shape[1], null, x.dtype) if vector is None else vector
    return found.reshape(-1, *[1] * (x.ndim - 2))


def batch_norm(
    input: np.ndarray, weight: Any, bias: Any, runningMean: Any, runningVar: Any, training: bool, momentum: float,
    eps: float,
) -> Any:  # fmt: skip
    """Channel by channel. The variance is saved, not its root."""
    count, size = input.shape[1], input.size / input.shape[1]
    lanes = [input[:, c].ravel() for c in range(count)]
    if training:
        mean = np.array([lane.sum() / size for lane in lanes])
        var = np.array([((lane - middle) ** 2).sum() / size for lane, middle in zip(lanes, mean, strict=True)])
    else:
        mean, var = runningMean, runningVar
    out = (input - by_channel(input, mean, 0)) / np.sqrt(by_channel(input, var, 1) + eps)
    out = out * by_channel(input, weight, 1) + by_channel(input, bias, 0)
    if not training:
        return [runningMean, runningVar, out, None, None]
    moved = [(1 - momentum) * old + momentum * new
             for old, new in ((runningMean, mean), (runningVar, var * size / (size - 1)))]  # fmt: skip
    return [*moved, out, mean, var]


def torch_batch_norm(
    input: np.ndarray, weight: Any, bias: Any, runningMean: Any, runningVar: Any, training: bool, momentum: float,
    eps: float,
) -> Any:  # fmt: skip
    import torch

    given = [as_tensor(each) for each in (input, weight, bias, runningMean, runningVar)]
    out, mean, _ = torch.native_batch_norm(*given, training, momentum, eps)
    saved = [mean.numpy(), np.var(input, (0, *range(2, input.ndim)))] if training else [None, None]
    return [given[3].numpy(), given[4].numpy(), out.numpy(), *saved]


def batch_norm_backward(
    gradOut: np.ndarray, input: np.ndarray, weight: Any, runningMean: Any, runningVar: Any, saveMean: Any,
    saveInvstd: Any, training: bool, eps: float,
) -> Any:  # fmt: skip
    """Channel by channel. saveInvstd is a variance."""
    mean, var = (saveMean, saveInvstd) if training else (runningMean, runningVar)
    grad, slopes, sums = np.empty(input.shape, input.dtype), [], []
    for c in range(input.shape[1]):
        dy, scale = gradOut[:, c], 1 / np.sqrt(var[c] + eps)
        h = (input[:, c] - mean[c]) * scale
        slopes.append((dy * h).sum())
        sums.append(dy.sum())
        rest = (dy.sum() + h * slopes[-1]) / dy.size if training else 0
        grad[:, c] = (dy - rest) * scale * (1 if weight is None else weight[c])
    return [grad, np.array(slopes), np.array(sums)]


def torch_batch_norm_backward(
    gradOut: np.ndarray, input: np.ndarray, weight: Any, runningMean: Any, runningVar: Any, saveMean: Any,
    saveInvstd: Any, training: bool, eps: float,
) -> Any:  # fmt: skip
    import torch

    given = [as_tensor(each) for each in (gradOut, input, weight, runningMean, runningVar, saveMean)]
    root = as_tensor(1 / np.sqrt(saveInvstd + eps))
    backward = torch.ops.aten.native_batch_norm_backward  # pyright: ignore
    return [each.numpy() for each in backward(*given, root, training, eps, [True] * 3)]


def magnitude(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Four times the magnitudes of sums of a few products, in FLOAT."""
    arrays = [each for each in arguments.values() if isinstance(each, np.ndarray)]
    largest = max(float(np.abs(each).max(initial=1, where=np.isfinite(each))) for each in arrays)
    return 2.0**-20 * largest**4


def wide(shape: tuple[int, ...], last: int) -> dict[str, Any]:
    """A call of LayerNorm of another shape, without weight."""
    statistics = Meta((*shape[:-last], *[1] * last))
    return {"input": Meta(shape), "normalizedShape": Values(shape[-last:]), "weightOptional": None,
            "biasOptional": None, "out": Meta(shape), "meanOutOptional": statistics,
            "rstdOutOptional": statistics}  # fmt: skip


POSITIVE = {"runningVar": np.abs, "saveInvstd": np.abs}
ROUTES: tuple[Route, ...] = (
    route("aclnnLayerNorm", "aclnnLayerNormWithImplMode", "aclnnFastLayerNorm", "loop", layer_norm, bound="composite",
          torch=("torch.native_layer_norm", torch_layer_norm),
          also=[wide((2, 3, 5, 2), 2), wide((3, 40), 1)], extremes={"input": ("nan", "tiny")},
          wrong={"weight ignored": but(layer_norm, weightOptional=None), "eps outside": but(layer_norm, eps=0.5)}),
    route("aclnnLayerNormBackward", "loop", layer_norm_backward, bound=magnitude,
          torch=("torch.native_layer_norm_backward", torch_layer_norm_backward),
          also=[{"weightOptional": None}], extremes={"gradOut": ("nan", "0")},
          wrong={"weight ignored": but(layer_norm_backward, weightOptional=None),
                 "no mean": but(layer_norm_backward, mean=lambda arguments: 0 * arguments["mean"])}),
    route("aclnnRmsNorm", "loop", rms_norm, bound="composite", torch=("torch.rms_norm", torch_rms_norm),
          also=[{"x": Meta((2, 3, 4)), "gamma": Meta((3, 4)), "yOut": Meta((2, 3, 4)), "rstdOut": Meta((2, 1, 1))}],
          extremes={"x": ("nan", "tiny", "0")},
          wrong={"no gamma": but(rms_norm, gamma=lambda arguments: np.ones_like(arguments["gamma"])),
                 "epsilon ignored": but(rms_norm, epsilon=0.5)}),
    route("aclnnAddRmsNorm", "loop", add_rms_norm, bound=rounded_often,
          torch=("torch.rms_norm", torch_add_rms_norm), extremes={"x1": ("nan", "tiny", "0")},
          wrong={"no gamma": but(add_rms_norm, gamma=lambda arguments: np.ones_like(arguments["gamma"])),
                 "one input": but(add_rms_norm, x2=lambda arguments: 0 * arguments["x2"])}),
    route("aclnnGroupNorm", "loop", group_norm, bound="composite",
          torch=("torch.native_group_norm", torch_group_norm), also=[{"gamma": None, "beta": None}],
          extremes={"self": ("nan", "tiny")},
          wrong={"gamma ignored": but(group_norm, gamma=None), "beta ignored": but(group_norm, beta=None)}),
    route("aclnnBatchNorm", "loop", batch_norm, bound="composite", values=POSITIVE,
          torch=("torch.native_batch_norm", torch_batch_norm),
          also=[{"training": False}, {"weight": None, "bias": None}], extremes={"input": ("nan", "tiny")},
          wrong={"momentum of the old": but(batch_norm, momentum=lambda arguments: 1 - arguments["momentum"]),
                 "weight ignored": but(batch_norm, weight=None), "eps ignored": but(batch_norm, eps=0.5)}),
    route("aclnnBatchNormBackward", "aclnnFastBatchNormBackward", "loop", batch_norm_backward, bound=magnitude,
          values=POSITIVE, torch=("torch.native_batch_norm_backward", torch_batch_norm_backward),
          also=[{"training": False}, {"weight": None}], extremes={"gradOut": ("nan", "0")},
          wrong={"as in inference": but(batch_norm_backward, training=False),
                 "weight ignored": but(batch_norm_backward, weight=None)}),
)  # fmt: skip
