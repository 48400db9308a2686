"""TransposeBatchMatMul: products of batches whose dimensions are permuted, for one or several groups of batches."""

from dataclasses import replace
from typing import Any

from aclnn.op import Array, Operand, Planning, T, in_memory, planned
from aclnn.ops.matmul._family import factor, product, product_types
from aclnn.ops.matmul._kernels import multiply
from aclnn.ops.matmul._permuted_contract import IN_BLOCKS, PLAIN_PRODUCT, result
from aclnn.ops.matmul._quantised_weights import scales
from aclnn.ops.quantisation._family import grid, with_scales


@planned("aclnnTransposeBatchMatMul", *PLAIN_PRODUCT)
def transpose_batch_mat_mul(p: Planning) -> None:
    """c[b] = x1[b] @ x2[b], with the dimensions of x1 in the order of permX1, and those of x2 in that of permX2.
    out[m, b] = c[b, m]. With batchSplitFactor s above 1, out[g, m] = the rows m of the g-th part of the batches, one
    after the other; there are s parts. With a scale, out = round(c * scale), saturated to INT8."""
    multiplied(p)


@planned("aclnnTransposeBatchMatMulWeightNz", *IN_BLOCKS)
def transpose_batch_mat_mul_weight_nz(p: Planning) -> None:
    """Like aclnnTransposeBatchMatMul, where x2 is in FRACTAL_NZ"""
    multiplied(p)


@planned("aclnnTransposeBatchMatMulWeightNZ", *IN_BLOCKS)
def transpose_batch_mat_mul_weight_nz_in_capitals(p: Planning) -> None:
    """Same as aclnnTransposeBatchMatMulWeightNz"""
    multiplied(p)


def multiplied(p: Planning) -> None:
    first = in_order(factor(p, "x1"), p["permX1"].values)
    second = in_order(factor(p, "x2", nz=True), p["permX2"].values)
    types, scaled = product_types(p, "x1", "x2"), p.given("scale")
    if scaled:
        types = types[0], T.ACL_FLOAT
    out = product(p, first, second, result(p), types, T.ACL_FLOAT if scaled else p.dtype("out"),
                  kernel=multiply_batches, groups=p["batchSplitFactor"])  # fmt: skip
    if scaled:
        factors_of_columns = p.step(scales, [p.read("scale")], p.shape("scale"), T.ACL_FLOAT)
        out = p.step(with_scales, [out, factors_of_columns], out.shape, T.ACL_INT8, divides=False, **grid(T.ACL_INT8))
    p.store("out", out)


def in_order(x: Operand, places: tuple[int, ...]) -> Operand:
    """A view of an operand with permuted dimensions."""
    shape, strides = (tuple(values[i] for i in places) for values in (x.shape, x.strides))
    return replace(x, shape=shape, strides=strides)


@in_memory
def multiply_batches(first: Array, second: Array, *, out: Array, groups: int, **attributes: Any) -> None:
    count = len(first) // groups
    parts = out.reshape(groups, first.shape[1], count, second.shape[2])
    for number, part in enumerate(parts):
        batches = slice(number * count, (number + 1) * count)
        multiply(first[batches], second[batches], out=part.transpose(1, 0, 2), **attributes)
