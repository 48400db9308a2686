"""MatmulAllReduceAddRmsNorm: the sum of products over all ranks, plus a residual, and its norm."""

from typing import Any, Final

import numpy as np

from aclnn.op import (
    Array, Arguments, Bad, Operand, Planning, Relation, demand, listed, may_be_null, ranks, planned, same_dtype,
    same_shape, shape, updates,
)  # fmt: skip
from aclnn.ops.collective._family import (
    DENSE, GROUP, INNER, NARROW, STREAM_MODE, SUM, alike, columns, matrices, product, rows_of,
)  # fmt: skip
from aclnn.ops.collective._kernels import plus
from aclnn.ops.collective.sum_products import total
from aclnn.ops.collective.sum_quantised_products import (
    other_scales, weighted, wrong_groups, wrong_weight_scale,
)  # fmt: skip


def other_residual(a: Arguments) -> Bad:
    shape, n = a.shape("residual"), a.shape("x2")[-1]
    rows = shape[0] * shape[1]
    own = int(np.prod(a.shape("x1")[:-1]))
    return None if (rows, shape[2]) == (own, n) else (list(shape), f"{own} rows of {n}")


def no_columns(a: Arguments) -> Bad:
    return ("no column", "1 or more") if a.shape("x1")[-1] == 0 else None


def wrong_epsilon(a: Arguments) -> Bad:
    return None if 0 < a["epsilon"] < 1 else (a["epsilon"], "between 0 and 1")


SHAPES: Final = (
    SUM, STREAM_MODE, ranks("x1", least=2, most=3), demand("{0} has columns", "x1", bad=no_columns), matrices("x2"),
    INNER, columns("bias"), ranks("residual", least=3, most=3),
    demand("{0} has the rows of x1 and the columns of x2", "residual", bad=other_residual),
    shape("gamma", "{0} has a number for each column", lambda a: a.shape("x2")[-1:]),
    demand("{0} lies between 0 and 1", "epsilon", bad=wrong_epsilon, broken="{0} does not lie between 0 and 1"), DENSE,
    GROUP,
)  # fmt: skip


def contract(*types: Relation, in_place: bool, scales: tuple[Relation, ...] = ()) -> tuple[Relation, ...]:
    """The checks, in their order; `types`, `scales`: those of the data types, and of the scales."""
    outputs = ("normOut",) if in_place else ("y", "normOut")
    return (
        may_be_null("bias"), *types, *(same_dtype(name, as_="residual") for name in ("gamma", *outputs)), *SHAPES,
        *scales, *(same_shape(name, as_="residual") for name in outputs), *([updates("residual")] if in_place else []),
    )  # fmt: skip


PLAIN: Final = (listed("x1", "x2", "bias", "residual"), *alike("x2", "bias", "residual"))
QUANTISED: Final = (listed("x1", "x2", "bias", "dequantScale", "residual"),)
QUANTISED_SCALES: Final = (
    demand("{0} has one number, or one for each column of x2", "dequantScale",
           bad=lambda a: other_scales(a, "dequantScale")),
)  # fmt: skip
WEIGHT: Final = (
    may_be_null("antiquantOffset"), listed("x1", "residual"), listed("x2", among=NARROW),
    *alike("antiquantScale", "antiquantOffset", "bias", "residual"),
)  # fmt: skip
WEIGHT_SCALES: Final = (
    demand("{0} is 0, or a multiple of 32 below the inner size", "antiquantGroupSize", bad=wrong_groups),
    demand("{0} has one number, or one for each column, or for each group", "antiquantScale", bad=wrong_weight_scale),
    same_shape("antiquantOffset", as_="antiquantScale"),
)  # fmt: skip


@planned("aclnnMatmulAllReduceAddRmsNorm", *contract(*PLAIN, in_place=False))
def matmul_all_reduce_add_rms_norm(p: Planning) -> None:
    """y = the sum of x1 @ x2 + bias over all ranks, plus residual; normOut = y / sqrt(mean(y * y) + epsilon) * gamma"""
    add_and_norm(p, of_matrices(p), "y")


@planned("aclnnInplaceMatmulAllReduceAddRmsNorm", *contract(*PLAIN, in_place=True))
def inplace_matmul_all_reduce_add_rms_norm(p: Planning) -> None:
    """Like aclnnMatmulAllReduceAddRmsNorm; y takes the place of residual"""
    add_and_norm(p, of_matrices(p), "residual")


@planned("aclnnQuantMatmulAllReduceAddRmsNorm", *contract(*QUANTISED, scales=QUANTISED_SCALES, in_place=False))
def quant_matmul_all_reduce_add_rms_norm(p: Planning) -> None:
    """Like aclnnMatmulAllReduceAddRmsNorm, of dequantScale * (x1 @ x2 + bias)"""
    add_and_norm(p, of_integers(p), "y")


@planned("aclnnInplaceQuantMatmulAllReduceAddRmsNorm", *contract(*QUANTISED, scales=QUANTISED_SCALES, in_place=True))
def inplace_quant_matmul_all_reduce_add_rms_norm(p: Planning) -> None:
    """Like aclnnQuantMatmulAllReduceAddRmsNorm; y takes the place of residual"""
    add_and_norm(p, of_integers(p), "residual")


@planned("aclnnWeightQuantMatmulAllReduceAddRmsNorm", *contract(*WEIGHT, scales=WEIGHT_SCALES, in_place=False))
def weight_quant_matmul_all_reduce_add_rms_norm(p: Planning) -> None:
    """Like aclnnMatmulAllReduceAddRmsNorm, of x1 @ ((x2 + antiquantOffset) * antiquantScale) + bias"""
    add_and_norm(p, weighted(p, p.dtype("residual")), "y")


@planned("aclnnInplaceWeightQuantMatmulAllReduceAddRmsNorm", *contract(*WEIGHT, scales=WEIGHT_SCALES, in_place=True))
def inplace_weight_quant_matmul_all_reduce_add_rms_norm(p: Planning) -> None:
    """Like aclnnWeightQuantMatmulAllReduceAddRmsNorm; y takes the place of residual"""
    add_and_norm(p, weighted(p, p.dtype("residual")), "residual")


def of_matrices(p: Planning) -> Operand:
    return product(p, rows_of(p, p.read("x1")), p.dtype("residual"))


def of_integers(p: Planning) -> Operand:
    return product(p, rows_of(p, p.read("x1")), p.dtype("residual"), scale="dequantScale")


def add_and_norm(p: Planning, own: Operand, y: str) -> None:
    """Plans the sum over all ranks, the residual and the norm. `y`: the output for the sum."""
    whole, residual = total(p, own), rows_of(p, p.read("residual"))
    added = p.step(plus, [whole, residual], own.shape, own.dtype)
    norm = p.step(normed, [added, p.read("gamma")], own.shape, own.dtype, epsilon=p["epsilon"])
    p.store("normOut", p.builder.reshape(norm, p.shape("normOut")))
    p.store(y, p.builder.reshape(added, p.shape(y)))


def normed(y: Array, gamma: Array, *, epsilon: float) -> Array:
    mean: Any = np.mean(y * y, axis=-1, keepdims=True, dtype=np.float32)
    return y / np.sqrt(mean + np.float32(epsilon)) * gamma
