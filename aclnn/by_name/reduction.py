"""Reductions and softmax by name."""

from collections.abc import Callable, Sequence
from functools import partial
from math import isinf
from typing import Any, Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.objects.soc import Series
from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan, Required, row
from aclnn.by_name.uses import computed, copy, described, in_float, rounded_into, uses

T = aclDataType
Reduce = Callable[[Named, Tensor, Sequence[int], Tensor], None]


def reduced(reduce: Reduce, text: str) -> Plan:
    """The plan of a reduction of x along axes. Without axes, x is copied."""

    def plan(n: Named) -> None:
        x, y = n["x"], n["y"]
        axes = sorted({axis % max(len(x.shape), 1) for axis in n.ints("axes")})
        if not axes and n.soc.series is Series.A950 and not _noop(n):
            axes = list(range(len(x.shape)))
        if not axes:
            copy(n, x, y)
            return
        shape = [1 if dim in axes else size for dim, size in enumerate(x.shape)]
        reduce(n, x, axes, n.viewed(y, shape))

    return described(plan, text)


def _noop(n: Named) -> bool:
    name = "noop_with_empty_axes"
    return name not in n.arguments.row.attributes or n[name]


def _sum(n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    n.aclnn("aclnnReduceSum", x, axes, True, y.dtype, y)


def _mean(n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    n.aclnn("aclnnMean", x, axes, True, y.dtype, y)


def _by(function: str, n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    n.aclnn(function, x, axes, True, y)


def _product(n: Named, x: Tensor, axes: Sequence[int], y: Tensor) -> None:
    for index, axis in enumerate(axes):
        shape = tuple(1 if place == axis else size for place, size in enumerate(x.shape))
        result = y if index == len(axes) - 1 else n.temporary(shape, y.dtype)
        n.aclnn("aclnnProdDim", x, axis, True, y.dtype, result)
        x = result


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
    result = n.like(x)
    n.aclnn("aclnnMuls", x, n["scale"], result)
    if mask is not None:
        n.aclnn("aclnnInplaceMaskedFillScalar", result, mask, -10000.0)
    rounded_into(n, n["y"], lambda wide: n.aclnn("aclnnSoftmax", result, -1, wide))


def cumsum(n: Named) -> None:
    """aclnnCumsumV2"""
    axis = n.integer("axis")
    n.aclnn("aclnnCumsumV2", n["x"], axis, n["exclusive"], n["reverse"], n["y"])


def spread(n: Named) -> None:
    """aclnnVarCorrection along dim, and its root for if_std"""
    x, out = n["x"], n["output_var"]
    correction = n["correction"] if n["unbiased"] else 0
    n.aclnn("aclnnVarCorrection", x, n["dim"], correction, n["keepdim"], out)
    if n["if_std"]:
        n.aclnn("aclnnInplaceSqrt", out)


def norm_sum(n: Named) -> None:
    """the sum of |x| ^ p: aclnnAbs, aclnnPowTensorScalar, aclnnReduceSum; for p inf aclnnAmax of |x|"""
    x, y, p = in_float(n, n["x"]), n["y"], n["p"]
    sizes = computed(n, "aclnnAbs", x)
    if isinf(p):
        n.aclnn("aclnnAmax" if p > 0 else "aclnnAmin", sizes, n["axes"], n["keepdim"], y)
        return
    powers = computed(n, "aclnnPowTensorScalar", sizes, p)
    n.aclnn("aclnnReduceSum", powers, n["axes"], n["keepdim"], y.dtype, y)


def norm_root(n: Named) -> None:
    """x ^ (1 / p), and x itself for p inf: aclnnPowTensorScalar"""
    x, p = in_float(n, n["x"]), n["p"]
    rounded_into(n, n["y"], lambda wide: n.aclnn("aclnnPowTensorScalar", x, 1.0 if isinf(p) else 1 / p, wide))


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
    row("ReduceStdV2Update", "x, mean -> output_var", spread, dim=Required(()), if_std=False, unbiased=True,
        keepdim=False, correction=1),
    row("LpNormReduceV2", "x -> y", norm_sum, p=2.0, axes=(), keepdim=False, epsilon=1e-12),
    row("LpNormUpdateV2", "x -> y", norm_root, p=2.0, epsilon=1e-12),
    row("LpNorm", "x -> y", uses("aclnnNorm", "x", "p", "axes", "keepdim", "y"), p=2, axes=(),
        keepdim=False, epsilon=1e-12),
)  # fmt: skip
