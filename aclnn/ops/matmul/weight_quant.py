"""WeightQuantBatchMatmul: products of FLOAT16 or BFLOAT16 with a weight that is quantised."""

from typing import Final

import numpy as np

from aclnn.op import Arguments, Array, Operand, Planning, T, is_nz, lacks, numpy_dtype, one_of, planned, row_major
from aclnn.ops.matmul._family import PER_INT32, as_int4
from aclnn.ops.matmul._quantised_weights import multiply_quantised
from aclnn.ops.matmul._weight_contract import CONTRACT, SMALL, contract, sizes, transposed
from aclnn.ops.matmul.weights_nz import in_nz, right_size, storage_rank


def weight_operand(p: Planning) -> Operand:
    """The weight as a view of its memory. A transposed INT4 weight is viewed as bytes of two values."""
    tensor, swapped = p["weight"], transposed(p["weight"])
    _, k, n = sizes(p)
    if is_nz(tensor):
        weight = p.read("weight", nz=True)
        if tensor.dtype != T.ACL_INT32:
            return weight
        if not swapped:
            return as_int4(weight)
        eights = Operand((k // PER_INT32, n, PER_INT32), T.ACL_INT4, row_major((k // PER_INT32, n, PER_INT32)),
                         weight.offset * PER_INT32, weight.memory)  # fmt: skip
        return p.step(in_columns, [eights], (k, n), T.ACL_INT8, moves=True)
    stored_shape = (n, k) if swapped else (k, n)
    if tensor.dtype not in (T.ACL_INT4, T.ACL_INT32):
        return Operand(stored_shape, tensor.dtype, row_major(stored_shape), tensor.offset, tensor)
    first = tensor.offset * (PER_INT32 if tensor.dtype == T.ACL_INT32 else 1)
    if swapped and first % 2 == 0:
        return Operand((n, k // 2), T.ACL_UINT8, row_major((n, k // 2)), first // 2, tensor)
    return Operand(stored_shape, T.ACL_INT4, row_major(stored_shape), first, tensor)


def in_columns(eights: Array) -> Array:
    """The eight values of each INT32, along the columns of the weight."""
    return np.swapaxes(eights, -1, -2).reshape(-1, eights.shape[1])


def with_weight(p: Planning) -> None:
    weight_transposed, names = transposed(p["weight"]), [name for name in SMALL if p.given(name)]
    swapped = ["weight"] if weight_transposed and not is_nz(p["weight"]) else []
    operands: list[Operand] = []
    for name in names:
        tensor, operand = p[name], None
        if weight_transposed and name.startswith("antiquant") and len(tensor.shape) == 2:
            stored_shape = tensor.shape[::-1]  # regardless of its strides
            operand = Operand(stored_shape, tensor.dtype, row_major(stored_shape), tensor.offset, tensor)
            swapped.append(name)
        operands.append(operand or p.builder.contiguous(tensor))
    short = {name: name.removesuffix("Optional") for name in ("weight", *SMALL)}
    result = p.step(
        multiply_quantised, [p.builder.view(p["x"]), weight_operand(p), *operands], p.shape("y"), p.dtype("y"),
        names=tuple(short[name] for name in names), swapped=tuple(short[name] for name in swapped),
        group=p["antiquantGroupSize"], dtype=numpy_dtype(p.dtype("x")),
    )  # fmt: skip
    p.store("y", result)


@planned("aclnnWeightQuantBatchMatmulV2", *CONTRACT)
def weight_quant_batch_matmul_v2(p: Planning) -> None:
    """y = x @ ((weight + antiquantOffset) * antiquantScale) + bias. With quantScale y is INT8: the sum * quantScale +
    quantOffset. FLOAT16 rounds weight + antiquantOffset and its product with antiquantScale, BFLOAT16 only the
    product."""
    with_weight(p)


INTEGERS: Final = (T.ACL_INT8, T.ACL_INT4, T.ACL_INT32)


def of_floats(a: Arguments) -> bool:
    return a.dtype("weight") not in INTEGERS


@planned(
    "aclnnWeightQuantBatchMatmulNz", lacks("a weight of floats", of_floats),
    *contract(in_nz("weight"), quant=()), storage_rank(4, "weight"),
    right_size("weight"),
)  # fmt: skip
def weight_quant_batch_matmul_nz(p: Planning) -> None:
    """Like aclnnWeightQuantBatchMatmulV2, where the weight is in FRACTAL_NZ"""
    with_weight(p)


@planned("aclnnWeightQuantBatchMatmulV3", *CONTRACT, one_of("innerPrecise", 0, 1))
def weight_quant_batch_matmul_v3(p: Planning) -> None:
    """Like aclnnWeightQuantBatchMatmulV2; innerPrecise has no effect."""
    with_weight(p)
