"""Normalisation by name: of layers, groups and batches. Older chips normalise batches in several steps."""

from collections.abc import Sequence
from math import prod
from typing import Any, Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from aclnn.by_name.call import Named
from aclnn.by_name.row import Required, row
from aclnn.by_name.uses import affine, computed, copy, in_float, rounded_into

T = aclDataType


def layer_norm(last: str, *, epsilon: float) -> tuple[Any, ...]:
    """The rows of LayerNorm and LayerNormV3, which differ in the last output."""

    def plan(n: Named) -> None:
        x, mean, spread = n["x"], n["mean"], n[last]
        begin = n["begin_norm_axis"] % len(x.shape)
        normalized, statistics_shape = x.shape[begin:], (*x.shape[:begin], *(1 for _ in x.shape[begin:]))
        outs = [n.temporary(statistics_shape, T.ACL_FLOAT) for _ in "mr"]
        gamma, beta = (n.viewed(n[name], normalized) for name in ("gamma", "beta"))
        n.aclnn("aclnnLayerNorm", x, normalized, gamma, beta, n["epsilon"], n["y"], *outs)
        for statistic, out in zip(outs, (mean, spread), strict=True):
            statistic_out = _variance(n, statistic, n["epsilon"]) if out is spread and last == "variance" else statistic
            n.aclnn("aclnnCast", statistic_out, out.dtype, n.viewed(out, statistics_shape))

    text = f"aclnnLayerNorm; the third output is the {last}"
    types = "LayerNorm" if last == "variance" else "LayerNormV3"
    return row(types, f"x, gamma, beta -> y, mean, {last}", plan, text, begin_norm_axis=0, begin_params_axis=0,
               epsilon=epsilon)  # fmt: skip


def _variance(n: Named, rstd: Tensor, epsilon: float) -> Tensor:
    """1 / rstd^2 - epsilon."""
    power, result = n.like(rstd), n.like(rstd)
    n.aclnn("aclnnPowTensorScalar", rstd, -2.0, power)
    n.aclnn("aclnnAdds", power, -epsilon, 1, result)
    return result


def layer_norm_gradient(n: Named) -> None:
    """aclnnLayerNormBackward, with 1 / sqrt(variance)"""
    gamma, mean, variance = n["gamma"], *(in_float(n, n[name]) for name in ("mean", "variance"))
    rstd = computed(n, "aclnnRsqrt", variance)
    n.aclnn("aclnnLayerNormBackward", n["dy"], n["x"], gamma.shape, mean, rstd, gamma, None, [True] * 3,
            n["pd_x"], n["pd_gamma"], n["pd_beta"])  # fmt: skip


def group_norm(n: Named) -> None:
    """aclnnGroupNorm; the third output is the variance"""
    x, mean, variance = n["x"], n["mean"], n["variance"]
    rstd = n.like(variance)
    n.aclnn("aclnnGroupNorm", x, n["gamma"], n["beta"], *_grouped(n, x), n["eps"], n["y"], mean, rstd)
    wide = in_float(n, rstd)
    n.aclnn("aclnnCast", _variance(n, wide, n["eps"]), variance.dtype, variance)


def group_norm_gradient(n: Named) -> None:
    """aclnnGroupNormBackward"""
    x = n["x"]
    n.aclnn("aclnnGroupNormBackward", n["dy"], x, n["mean"], n["rstd"], n["gamma"], *_grouped(n, x), [True] * 3,
            n["dx"], n["dgamma"], n["dbeta"])  # fmt: skip


def _grouped(n: Named, x: Tensor) -> tuple[int, ...]:
    """The numbers of images, channels, places and groups."""
    return x.shape[0], x.shape[1], prod(x.shape[2:]), n["num_groups"]


def batch_norm_infer(n: Named) -> None:
    """aclnnBatchNorm with the given mean and variance"""
    x = n["x"]
    _batch_norm(n, [n[name] for name in ("scale", "offset", "mean", "variance")], training=False, factor=1.0,
                epsilon=n["epsilon"], y=n["y"], x=x)  # fmt: skip


def batch_norm(n: Named) -> None:
    """aclnnBatchNorm; data_format NHWC by a permutation"""
    x, y, channels = n["x"], n["y"], n["scale"].numel
    if n["data_format"] == "NHWC" and len(x.shape) == 4:
        x, y = (n.permuted(each, (0, 3, 1, 2)) for each in (x, y))
    training = n["is_training"]
    inputs = [n["scale"], n["offset"], *(_statistics(n, name, channels) for name in ("mean", "variance"))]
    saved = _batch_norm(
        n, inputs, training=training, factor=n["exponential_avg_factor"], epsilon=n["epsilon"], y=y, x=x
    )
    running = inputs[2:]
    outs = [n[name] for name in ("batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2")]
    for out, source in zip(outs, [*running, saved[0] if training else running[0], saved[1] if training else running[1]],
                           strict=True):  # fmt: skip
        if out is not None:
            copy(n, source, out)
    if n["reserve_space_3"] is not None:
        n.aclnn("aclnnInplaceZero", n["reserve_space_3"])


def _statistics(n: Named, name: str, channels: int) -> Tensor:
    """A copy of a running mean or variance, which aclnnBatchNorm changes. A missing mean is 0, a missing variance 1."""
    result, statistic = n.temporary((channels,), T.ACL_FLOAT), n[name]
    if statistic is None:
        n.aclnn("aclnnInplaceFillScalar", result, 0.0 if name == "mean" else 1.0)
    else:
        copy(n, statistic, result)
    return result


def _batch_norm(
    n: Named, inputs: Sequence[Tensor], *, training: bool, factor: float, epsilon: float, y: Tensor, x: Tensor
) -> list[Tensor]:  # fmt: skip
    saved = [n.temporary(inputs[0].shape, T.ACL_FLOAT) for _ in "mi"]
    n.aclnn("aclnnBatchNorm", x, *inputs, training, factor, epsilon, y, *saved)
    return saved


# batches, step by step: the sums of the channels, the result, and the derivatives of both


def training_reduce(n: Named) -> None:
    """aclnnReduceSum of x and of x x, over all dimensions but the channels"""
    x = in_float(n, n["x"])
    _sum(n, x, n["sum"])
    _sum(n, computed(n, "aclnnMul", x, x), n["square_sum"])


def training_update(n: Named) -> None:
    """aclnnBatchNorm, after arithmetic of aclnn that computes mean and variance from sum and square_sum"""
    x, count, factor = n["x"], _count(n["x"]), n["factor"]
    mean = affine(n, n["sum"], 1 / count, 0)
    squares = affine(n, n["square_sum"], 1 / count, 0)
    variance = computed(n, "aclnnSub", squares, computed(n, "aclnnMul", mean, mean), 1)
    inputs = [n.viewed(each, (x.shape[1],)) for each in (n["scale"], n["offset"], mean, variance)]
    _batch_norm(n, inputs, training=False, factor=1.0, epsilon=n["epsilon"], y=n["y"], x=x)
    for name, batch, scale in (("mean", mean, 1.0), ("variance", variance, count / max(count - 1, 1))):
        copy(n, batch, n[f"batch_{name}"])
        share = affine(n, n[name], 1 - factor, 0)
        moved = n.like(share)
        n.aclnn("aclnnAdd", share, n.viewed(batch, share.shape), factor * scale, moved)
        copy(n, moved, n[f"{name}_out"])


def update_gradient(n: Named) -> None:
    """the sums of grads and of grads times the normalised x: aclnnReduceSum, arithmetic of aclnn"""
    grads = in_float(n, n["grads"])
    _sum(n, computed(n, "aclnnMul", grads, _normalised(n)), n["diff_scale"])
    _sum(n, grads, n["diff_offset"])


def reduce_gradient(n: Named) -> None:
    """scale rstd (grads - diff_offset / n - normalised x diff_scale / n): arithmetic of aclnn"""
    grads, count = in_float(n, n["grads"]), _count(n["x"])
    offset, slope = (
        _of_channels(n, affine(n, n[name], 1 / count, 0), n["x"]) for name in ("diff_offset", "diff_scale")
    )
    along = computed(n, "aclnnMul", _normalised(n), slope)
    rest = computed(n, "aclnnSub", computed(n, "aclnnSub", grads, offset, 1), along, 1)
    rounded_into(n, n["y"], lambda wide: n.aclnn("aclnnMul", rest, _slope(n), wide))


def infer_gradient(n: Named) -> None:
    """grads scale / sqrt(batch_variance + epsilon): arithmetic of aclnn"""
    grads = in_float(n, n["grads"])
    rounded_into(n, n["x_backprop"], lambda wide: n.aclnn("aclnnMul", grads, _slope(n), wide))


def _count(x: Tensor) -> int:
    """The number of elements of a channel."""
    return x.numel // x.shape[1]


def _of_channels(n: Named, values: Tensor, x: Tensor) -> Tensor:
    """A number for each channel, as a tensor that is broadcast to `x`."""
    return n.viewed(values, [size if axis == 1 else 1 for axis, size in enumerate(x.shape)])


def _sum(n: Named, x: Tensor, out: Tensor) -> None:
    """The sum of each channel."""
    axes = [axis for axis in range(len(x.shape)) if axis != 1]
    n.aclnn("aclnnReduceSum", x, axes, True, T.ACL_FLOAT, _of_channels(n, out, x))


def _rstd(n: Named, x: Tensor) -> Tensor:
    """1 / sqrt(batch_variance + epsilon)."""
    shifted = affine(n, n["batch_variance"], 1, n["epsilon"])
    return _of_channels(n, computed(n, "aclnnRsqrt", shifted), x)


def _slope(n: Named) -> Tensor:
    """The derivative of a result by its element, for a constant mean and variance."""
    grads = n["grads"]
    return computed(n, "aclnnMul", _of_channels(n, n["scale"], grads), _rstd(n, grads))


def _normalised(n: Named) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon)."""
    x = in_float(n, n["x"])
    centred = computed(n, "aclnnSub", x, _of_channels(n, n["batch_mean"], x), 1)
    return computed(n, "aclnnMul", centred, _rstd(n, x))


EPSILON: Final = {"epsilon": 1e-4}
ROWS: Final = (
    layer_norm("variance", epsilon=1e-7),
    layer_norm("rstd", epsilon=1e-5),
    row("LayerNormGrad", "dy, x, variance, mean, gamma -> pd_x, pd_gamma, pd_beta", layer_norm_gradient),
    row("GroupNorm", "x, gamma, beta -> y, mean, variance", group_norm, num_groups=Required(0), data_format="NCHW",
        eps=1e-4, is_training=True),
    row("GroupNormGrad", "dy, mean, rstd, x, gamma -> dx, dgamma, dbeta", group_norm_gradient, num_groups=Required(0),
        data_format="NCHW"),
    row("BNInfer", "x, scale, offset, mean, variance -> y", batch_norm_infer, epsilon=Required(0.0)),
    row("BatchNorm", "x, scale, offset, mean?, variance? -> y, batch_mean, batch_variance, reserve_space_1, "
        "reserve_space_2, reserve_space_3?", batch_norm, epsilon=1e-4, data_format="NHWC", is_training=True,
        exponential_avg_factor=1.0),
    row("BNTrainingReduce", "x -> sum, square_sum", training_reduce),
    row("BNTrainingUpdate", "x, sum, square_sum, scale, offset, mean, variance -> y, mean_out, variance_out, "
        "batch_mean, batch_variance", training_update, factor=Required(0.0), epsilon=Required(0.0)),
    row("BNTrainingUpdateGrad", "grads, x, batch_mean, batch_variance -> diff_scale, diff_offset", update_gradient,
        **EPSILON),
    row("BNTrainingReduceGrad", "grads, x, diff_scale, diff_offset, scale, batch_mean, batch_variance -> y",
        reduce_gradient, **EPSILON),
    row("BNInferGrad", "grads, scale, batch_variance -> x_backprop", infer_gradient, **EPSILON),
)  # fmt: skip
