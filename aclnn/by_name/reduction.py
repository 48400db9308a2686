"""Reductions, softmax and normalisation by name."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Series
from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan, Required, row
from aclnn.by_name.uses import copy, described, in_float, rounded_into

T = aclDataType
Reduce = Callable[[Named, Tensor, Sequence[int], Tensor], None]


def reduced(reduce: Reduce, text: str) -> Plan:
    """Reduce x along axes; a copy if there are none."""

    def plan(n: Named) -> None:
        x, y = n["x"], n["y"]
        axes = sorted({axis % max(len(x.shape), 1) for axis in n.ints("axes")})
        if not axes and n.soc.series is Series.A950 and not _noop(n):
            axes = list(range(len(x.shape)))
        if not axes:
            copy(n, x, y)
            return
        kept = [1 if at in axes else size for at, size in enumerate(x.shape)]
        reduce(n, x, axes, n.viewed(y, kept))

    return described(plan, text)


def _noop(n: Named) -> bool:
    name = "noop_with_empty_axes"
    return name not in n.given.row.attributes or n[name]


def _sum(n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    n.aclnn("aclnnReduceSum", x, axes, True, y.dtype, y)


def _mean(n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    n.aclnn("aclnnMean", x, axes, True, y.dtype, y)


def _by(function: str, n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    n.aclnn(function, x, axes, True, y)


def _product(n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    for at, axis in enumerate(axes):
        shape = tuple(1 if place == axis else size for place, size in enumerate(x.shape))
        made = y if at == len(axes) - 1 else n.temporary(shape, y.dtype)
        n.aclnn("aclnnProdDim", x, axis, True, y.dtype, made)
        x = made


REDUCTIONS: Final[dict[str, tuple[Reduce, str]]] = {
    "Sum": (_sum, "aclnnReduceSum"), "Mean": (_mean, "aclnnMean"), "Prod": (_product, "aclnnProdDim"),
    "Max": (partial(_by, "aclnnAmax"), "aclnnAmax"), "Min": (partial(_by, "aclnnAmin"), "aclnnAmin"),
    "All": (partial(_by, "aclnnAll"), "aclnnAll"), "Any": (partial(_by, "aclnnAny"), "aclnnAny"),
}  # fmt: skip


def softmax(function: str) -> Plan:
    """Softmax along one dimension."""

    def plan(n: Named) -> None:
        axes = n.ints("axes")
        if len(axes) != 1:
            raise n.refused(f"this emulator computes it along one dimension, and axes is {axes}")
        x = n["x"]
        if n["half_to_float"]:
            x = in_float(n, x)
        n.aclnn(function, x, axes[0], n["y"])

    return described(plan, function)


def scaled_masked_softmax(n: Named) -> None:
    """aclnnSoftmax of scale x, with -10000 where mask is true: aclnnMuls, aclnnInplaceMaskedFillScalar"""
    x, mask = in_float(n, n["x"]), n["mask"]
    if n["fixed_triu_mask"]:
        raise n.refused("this emulator takes the mask of the call: fixed_triu_mask has to be false")
    made = n.like(x)
    n.aclnn("aclnnMuls", x, n["scale"], made)
    if mask is not None:
        n.aclnn("aclnnInplaceMaskedFillScalar", made, mask, -10000.0)
    rounded_into(n, n["y"], lambda wide: n.aclnn("aclnnSoftmax", made, -1, wide))


def layer_norm(last: str, *, epsilon: float) -> tuple[Any, ...]:
    """The rows of LayerNorm and LayerNormV3, which differ in the last output."""

    def plan(n: Named) -> None:
        x, mean, other = n["x"], n["mean"], n[last]
        begin = n["begin_norm_axis"] % len(x.shape)
        normalized, kept = x.shape[begin:], (*x.shape[:begin], *(1 for _ in x.shape[begin:]))
        outs = [n.temporary(kept, T.ACL_FLOAT) for _ in "mr"]
        gamma, beta = (n.viewed(n[name], normalized) for name in ("gamma", "beta"))
        n.aclnn("aclnnLayerNorm", x, normalized, gamma, beta, n["epsilon"], n["y"], *outs)
        for made, out in zip(outs, (mean, other), strict=True):
            found = _variance(n, made, n["epsilon"]) if out is other and last == "variance" else made
            n.aclnn("aclnnCast", found, out.dtype, n.viewed(out, kept))

    text = f"aclnnLayerNorm; the third output is the {last}"
    types = "LayerNorm" if last == "variance" else "LayerNormV3"
    return row(types, f"x, gamma, beta -> y, mean, {last}", plan, text, begin_norm_axis=0, begin_params_axis=0,
               epsilon=epsilon)  # fmt: skip


def _variance(n: Named, rstd: Tensor, epsilon: float) -> Tensor:
    """1 / rstd^2 - epsilon."""
    power, made = n.like(rstd), n.like(rstd)
    n.aclnn("aclnnPowTensorScalar", rstd, -2.0, power)
    n.aclnn("aclnnAdds", power, -epsilon, 1, made)
    return made


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
    given = [n["scale"], n["offset"], *(_statistics(n, name, channels) for name in ("mean", "variance"))]
    saved = _batch_norm(n, given, training=training, factor=n["exponential_avg_factor"], epsilon=n["epsilon"], y=y, x=x)
    running = given[2:]
    outs = [n[name] for name in ("batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2")]
    for out, source in zip(outs, [*running, saved[0] if training else running[0], saved[1] if training else running[1]],
                           strict=True):  # fmt: skip
        if out is not None:
            copy(n, source, out)
    if n["reserve_space_3"] is not None:
        n.aclnn("aclnnInplaceZero", n["reserve_space_3"])


def _statistics(n: Named, name: str, channels: int) -> Tensor:
    """A copy of a running mean or variance, as aclnnBatchNorm changes it; 0 or 1 if it is missing."""
    made, given = n.temporary((channels,), T.ACL_FLOAT), n[name]
    if given is None:
        n.aclnn("aclnnInplaceFillScalar", made, 0.0 if name == "mean" else 1.0)
    else:
        copy(n, given, made)
    return made


def _batch_norm(
    n: Named, given: Sequence[Tensor], *, training: bool, factor: float, epsilon: float, y: Tensor, x: Tensor
) -> list[Tensor]:  # fmt: skip
    saved = [n.temporary(given[0].shape, T.ACL_FLOAT) for _ in "mi"]
    n.aclnn("aclnnBatchNorm", x, *given, training, factor, epsilon, y, *saved)
    return saved


def training_reduce(n: Named) -> None:
    """aclnnReduceSum of x and of x x, over all dimensions but the channels"""
    x = in_float(n, n["x"])
    axes = [at for at in range(len(x.shape)) if at != 1]
    squares = n.like(x)
    n.aclnn("aclnnMul", x, x, squares)
    for source, name in ((x, "sum"), (squares, "square_sum")):
        out = n[name]
        kept = tuple(size if at == 1 else 1 for at, size in enumerate(x.shape))
        n.aclnn("aclnnReduceSum", source, axes, True, T.ACL_FLOAT, n.viewed(out, kept))


def cumsum(n: Named) -> None:
    """aclnnCumsumV2"""
    axis = n.number("axis") if "axis" in n.given.tensors else n["axis"]
    n.aclnn("aclnnCumsumV2", n["x"], axis, n["exclusive"], n["reverse"], n["y"])


KEEP: Final[dict[str, Any]] = {"keep_dims": False}
ROWS: Final = (
    *(row(f"Reduce{name}", "x, axes -> y", reduced(*how), **KEEP, noop_with_empty_axes=True)
      for name, how in REDUCTIONS.items()),
    *(row(f"Reduce{name}D", "x -> y", reduced(*how), axes=Required(()), **KEEP) for name, how in REDUCTIONS.items()),
    row("Cumsum", "x, axis -> y", cumsum, exclusive=False, reverse=False),
    row("CumsumD", "x -> y", cumsum, axis=Required(0), exclusive=False, reverse=False),
    row("SoftmaxV2", "x -> y", softmax("aclnnSoftmax"), axes=(-1,), half_to_float=False),
    row("LogSoftmaxV2", "x -> y", softmax("aclnnLogSoftmax"), axes=(-1,), half_to_float=False),
    row("ScaledMaskedSoftmax", "x, mask? -> y", scaled_masked_softmax, scale=1.0, fixed_triu_mask=False),
    layer_norm("variance", epsilon=1e-7),
    layer_norm("rstd", epsilon=1e-5),
    row("BNInfer", "x, scale, offset, mean, variance -> y", batch_norm_infer, epsilon=Required(0.0)),
    row("BatchNorm", "x, scale, offset, mean?, variance? -> y, batch_mean, batch_variance, reserve_space_1, "
        "reserve_space_2, reserve_space_3?", batch_norm, epsilon=1e-4, data_format="NHWC", is_training=True,
        exponential_avg_factor=1.0),
    row("BNTrainingReduce", "x -> sum, square_sum", training_reduce),
)  # fmt: skip
