"""Derivatives by name against torch's: the functions whose derivatives they are, and operators beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Route = Callable[..., Any]


def slopes(torch: Any, function: Route, grad: Any, *inputs: Any) -> list[Any]:
    """The derivatives of sum(grad * function(inputs)), by torch."""
    leaves = [each.double().requires_grad_() for each in inputs]
    return list(torch.autograd.grad(function(*leaves), leaves, grad.double().reshape(function(*leaves).shape)))


def activations(torch: Any) -> dict[str, Route]:
    f = torch.nn.functional

    def of(function: Route) -> Route:
        return lambda grad, *inputs, **a: slopes(torch, lambda *leaves: function(*leaves, **a), grad, *inputs)

    def of_result(inverse: Route, function: Route) -> Route:
        return lambda y, grad, **_: slopes(torch, function, grad, inverse(y.double()))

    def rotated(x: Any, cosine: Any, sine: Any) -> Any:
        half = x.shape[-1] // 2
        return x * cosine + torch.cat([-x[..., half:], x[..., :half]], -1) * sine

    return {
        "RotaryMul": rotated, "RotaryMulGrad": lambda *given: slopes(torch, rotated, given[3], *given[:3]),
        "ReluGrad": of(f.relu), "LeakyReluGrad": of(f.leaky_relu), "SiluGrad": of(f.silu), "MishGrad": of(f.mish),
        "EluGradV2": of(f.elu), "SoftplusV2Grad": of(f.softplus), "HardSwishGrad": of(f.hardswish),
        "HardSigmoidGrad": of(lambda x, alpha: (x * alpha + 0.5).clamp(0, 1)), "PReluGrad": of(f.prelu),
        "HardtanhGrad": lambda x, grad, **a: slopes(torch, lambda x: f.hardtanh(x, **a), grad, x),
        "GeluGrad": lambda grad, x, _: slopes(torch, lambda x: f.gelu(x, approximate="tanh"), grad, x),
        "SigmoidGrad": of_result(torch.logit, torch.sigmoid), "TanhGrad": of_result(torch.atanh, torch.tanh),
        "MinimumGrad": of(torch.minimum), "MaximumGrad": of(torch.maximum),
        "SoftmaxGrad": lambda y, grad: slopes(torch, lambda x: x.softmax(-1), grad, y.log()),
        "LogSoftmaxGrad": lambda grad, y, axis: slopes(torch, lambda x: x.log_softmax(axis[0]), grad, y),
        "PRelu": f.prelu, "SoftplusV2": f.softplus, "ClipByValueV2": lambda x, low, high: x.clamp(low, high),
        "IsFinite": torch.isfinite,
    }  # fmt: skip


def losses(torch: Any) -> dict[str, Route]:
    f = torch.nn.functional
    return {
        "BinaryCrossEntropy": lambda *given, **how: f.binary_cross_entropy(*given, **how),
        "BinaryCrossEntropyGrad": lambda x, y, grad, reduction: slopes(
            torch, lambda x: f.binary_cross_entropy(x, y.double(), reduction=reduction), grad, x),
        "KLDiv": lambda x, y, reduction, log_target=False: f.kl_div(x, y, reduction=reduction, log_target=log_target),
    }  # fmt: skip


def normalisation(torch: Any) -> dict[str, Route]:
    f = torch.nn.functional

    def batch_norm(grad: Any, x: Any, scale: Any, epsilon: float = 1e-4) -> list[Any]:
        return slopes(torch, lambda x, g: f.batch_norm(x, None, None, g, None, True, 0, epsilon), grad, x, scale)

    def update(x: Any, _: Any, __: Any, gamma: Any, beta: Any, mean: Any, variance: Any, factor: float, epsilon: float
               ) -> list[Any]:  # fmt: skip
        mean, variance = mean.clone(), variance.clone()
        return [f.batch_norm(x, mean, variance, gamma, beta, True, factor, epsilon), mean, variance]

    def layers(grad: Any, x: Any, _: Any, __: Any, gamma: Any) -> list[Any]:
        beta = torch.zeros_like(gamma)
        return slopes(torch, lambda x, g, b: f.layer_norm(x, g.shape, g, b, 0.0), grad, x, gamma, beta)

    def groups(grad: Any, _: Any, __: Any, x: Any, gamma: Any, num_groups: int) -> list[Any]:
        beta = torch.zeros_like(gamma)
        return slopes(torch, lambda x, g, b: f.group_norm(x, num_groups, g, b, 1e-3), grad, x, gamma, beta)

    return {
        "GroupNorm": lambda x, g, b, num_groups, eps: f.group_norm(x, num_groups, g, b, eps),
        "GroupNormGrad": groups, "LayerNormGrad": layers, "BNTrainingUpdate": update,
        "BNTrainingUpdateGrad": lambda grad, x, *_: [batch_norm(grad, x, torch.ones(x.shape[1]))[1]],
        "BNTrainingReduceGrad": lambda grad, x, _, __, scale, *___: [batch_norm(grad, x, scale)[0]],
        "BNInferGrad": lambda grad, scale, variance: grad * (scale / (variance + 1e-4).sqrt())[:, None, None],
    }  # fmt: skip


def images(torch: Any) -> dict[str, Route]:
    f = torch.nn.functional

    def greatest(x: Any, ksize: list[int], strides: list[int], pads: list[int]) -> Any:
        return f.max_pool2d(x, ksize[1], strides[1], pads[1])

    def general(boxes: Any, others: Any, *, trans: bool = False, is_cross: bool = True) -> Any:
        (low, high), (start, end) = ((each[:2] - each[2:] / 2, each[:2] + each[2:] / 2) if trans else
                                     (each[:2], each[2:]) for each in (boxes, others))  # fmt: skip
        if is_cross:
            low, high, start, end = low[:, None], high[:, None], start[:, :, None], end[:, :, None]
        common = (torch.minimum(high, end) - torch.maximum(low, start)).clamp(min=0).prod(0)
        union = (high - low).prod(0) + (end - start).prod(0) - common
        hull = (torch.maximum(high, end) - torch.minimum(low, start)).prod(0)
        return common / union - (hull - union) / hull

    def sampled(x: Any, grid: Any) -> Any:
        return f.grid_sample(x, grid, align_corners=False)

    return {
        "MaxPoolWithArgmaxV1": greatest,
        "MaxPoolGradWithArgmaxV1": lambda x, grad, _, **a: slopes(torch, lambda x: greatest(x, **a), grad, x),
        "AvgPoolV2Grad": lambda size, grad, **_: slopes(
            torch, lambda x: f.avg_pool2d(x, 2), grad, torch.zeros(size.tolist())),
        "AdaptiveAvgPool2d": f.adaptive_avg_pool2d,
        "AdaptiveAvgPool2dGrad": lambda grad, orig_input_shape: slopes(
            torch, lambda x: f.adaptive_avg_pool2d(x, grad.shape[2:]), grad, torch.zeros(orig_input_shape)),
        "MirrorPad": lambda x, pads, mode: f.pad(x, (2, 1, 1, 1), mode="reflect"),
        "PadV3Grad": lambda grad, _: slopes(
            torch, lambda x: f.pad(x, (2, 1, 1, 1), mode="reflect"), grad, torch.zeros(2, 4, 2, 3)),
        "GridSampler2D": sampled, "GridSampler2DGrad": lambda grad, *given: slopes(torch, sampled, grad, *given),
        "GIoU": lambda a, b, **how: general(a, b, **how).reshape(-1, a.shape[1]),
        "GIoUGrad": lambda grad, a, b, **how: slopes(torch, lambda a, b: general(a, b, **how), grad, a, b),
    }  # fmt: skip


def positions(torch: Any) -> dict[str, Route]:
    def added(x: Any, at: Any, updates: Any) -> Any:
        return x.clone().index_put_(tuple(at.long().unbind(-1)), updates, accumulate=True)

    def deviation(x: Any, _: Any, dim: list[int], unbiased: bool = True, if_std: bool = False, keepdim: bool = False
                  ) -> Any:  # fmt: skip
        return (torch.std if if_std else torch.var)(x, dim, unbiased=unbiased, keepdim=keepdim)

    return {
        "ScatterNd": lambda at, updates, size: added(torch.zeros(size.tolist()), at, updates),
        "ScatterNdAdd": added, "TensorScatterAdd": added,
        "TensorScatterUpdate": lambda x, at, updates: x.clone().index_put_((at[:, 0].long(),), updates),
        "UnsortedSegmentSum": lambda x, at, count: torch.zeros(int(count), 4).index_add(0, at, x),
        "MaskedScatter": torch.masked_scatter,
        "EmbeddingDenseGrad": lambda grad, at, num_weights: torch.zeros(num_weights, 4).index_add(0, at, grad),
        "UniqueWithCountsAndSorting": lambda x, **a: torch.unique(x, True, **a),
        "UniqueConsecutive": lambda x, **_: torch.unique_consecutive(x, True, True),
        "Roll": lambda x, shifts, dims: x.roll(shifts, dims), "Diag": torch.diag,
        "RollV2": lambda x, shift, axes: x.roll(shift.tolist(), axes.tolist()),
        "Eye": lambda num_rows, num_columns=0: torch.eye(num_rows, num_columns or num_rows),
        "ReduceStdV2Update": deviation, "LpNormUpdateV2": lambda x, p: x ** (1 / p),
        "LpNormReduceV2": lambda x, p, axes, keepdim=False: x.abs().amax(axes) if p == float("inf") else (
            x.abs() ** p).sum(axes, keepdim=keepdim),
        "LpNorm": lambda x, axes: torch.linalg.vector_norm(x, 2, axes),
    }  # fmt: skip


def derived(torch: Any) -> dict[str, Route]:
    """By type."""
    families = activations, losses, normalisation, images, positions
    return {type: route for family in families for type, route in family(torch).items()}
