"""FusedQuantMatmul and QuantMatmulReduceSum: products of INT8 with an activation, or summed up over the batches."""

from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, PanelIndex, Planning, Relation, Shape, T, broadcast_shape, demand, in_memory, is_nz,
    lacks, length, listed, multiply_in_panels, nz_to_nd, one_of, only_if, planned, ranks, said, shape, widen,
    with_elements,
)  # fmt: skip
from aclnn.ops.activation.smooth import gelu_by_erf, gelu_by_tanh
from aclnn.ops.grouped._stored import dense, wrong_storage
from aclnn.ops.matmul._quant_contract import INT8, LONGEST, empty_operand
from aclnn.ops.matmul._quant_forms import INVALID, unused
from aclnn.ops.matmul._quantised_products import multiply_integers
from aclnn.ops.matmul.weights_nz import in_nz, right_size

ACTIVATIONS: Final = {"gelu_tanh": gelu_by_tanh, "gelu_erf": gelu_by_erf}
UNUSED: Final = ("yScaleOptional", "x1OffsetOptional", "x2OffsetOptional", "yOffsetOptional", "x3Optional")
BIAS: Final = "biasOptional"


def of_int8(a: Arguments) -> bool:
    return a.dtype("x1") == a.dtype("x2") == INT8


def other_inner(a: Arguments) -> Bad:
    left, right = a.shape("x1")[-1], a.shape("x2")[-2]
    return None if left == right else (f"{left} columns", f"{right}, the rows of x2")


def too_long(a: Arguments) -> Bad:
    last = max(a.shape("x1")[-1], a.shape("x2")[-1])
    return None if last <= LONGEST else (last, f"at most {LONGEST}")


def product(a: Arguments) -> Shape | None:
    batch = broadcast_shape(a.shape("x1")[:-2], a.shape("x2")[:-2])
    return None if batch is None else (*batch, a.shape("x1")[-2], a.shape("x2")[-1])


def no_batch(a: Arguments) -> Bad:
    return None if product(a) else (list(a.shape("x1")[:-2]), f"batches that broadcast with {list(a.shape('x2')[:-2])}")


def wrong_scale(a: Arguments) -> Bad:
    n = a.shape("x2")[-1]
    return None if a.shape("x2Scale") in ((n,), (1,)) else (list(a.shape("x2Scale")), f"[{n}] or [1]")


def wrong_bias(a: Arguments) -> Bad:
    *batch, _, n = product(a) or (0, 0)
    allowed = [(n,), *([(*batch, 1, n)] if len(batch) == 1 else [])]
    return None if a.shape(BIAS) in allowed else (list(a.shape(BIAS)), " or ".join(map(str, allowed)))


def contract(*of_weight: Relation) -> tuple[Relation, ...]:
    return (
        lacks("factors of INT4", lambda a: not of_int8(a)),
        *(unused(name, INVALID) for name in UNUSED), said("fusedOpType", status=INVALID),
        one_of("fusedOpType", *ACTIVATIONS), *of_weight,
        listed("x1", "x2", "x1Scale", "x2Scale", BIAS, "out"),
        ranks("x1", "x2", "out", "x1Scale", "x2Scale"),
        only_if(
            "the factors are INT8", of_int8,
            demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner),
            demand("the last dimensions of {0} and x2 are not too long", "x1", "x2", bad=too_long),
            demand("the batches of {0} and x2 broadcast", "x1", "x2", bad=no_batch),
            shape("x1Scale", "{0} has a number for each row of x1", lambda a: (a.shape("x1")[-2],)),
            demand("{0} has a number for each column of the product, or one", "x2Scale", "x2", bad=wrong_scale),
            demand("{0} has a number for each column, or for each column and matrix", BIAS, "x1", "x2", bad=wrong_bias),
            shape("out", "{0} has the shape of the product", product),
        ),
        demand("{0} and x2 have elements", "x1", "x2", bad=empty_operand),
    )  # fmt: skip


@planned("aclnnFusedQuantMatmul", *contract())
def fused_quant_matmul(p: Planning) -> None:
    """out = gelu((x1 @ x2 + bias) * x2Scale * x1Scale), where a bias of floats is added last, before gelu. fusedOpType
    chooses gelu by tanh or by erf."""
    multiplied(p)


@planned("aclnnFusedQuantMatmulWeightNz", *contract(in_nz("x2"), right_size("x2")))
def fused_quant_matmul_weight_nz(p: Planning) -> None:
    """Like aclnnFusedQuantMatmul, where x2 is in FRACTAL_NZ"""
    multiplied(p)


def factor(p: Planning, name: str) -> Operand:
    return nz_to_nd(p.builder, p[name]) if is_nz(p[name]) else p.builder.view(p[name])


def multiplied(p: Planning) -> None:
    names = {"scale": "x2Scale", "bias": BIAS, "pertoken": "x1Scale"}
    present = {short: name for short, name in names.items() if p.given(name)}
    inputs = [factor(p, "x1"), factor(p, "x2"), *map(p.read, present.values())]
    out = p.step(multiply_integers, inputs, product(p) or (), p.dtype("out"), names=tuple(present),
                 activation=ACTIVATIONS[p["fusedOpType"]])  # fmt: skip
    p.store("out", out)


# summed up over the batches


RESERVED: Final = ("yScale", "x1Offset", "x2Offset", "yOffset", "bias")


def weight_shape(a: Arguments) -> Shape:
    return a.shape("x1")[0], a.shape("x1")[2], a.shape("x2Scale")[0]


def wrong_weight(a: Arguments) -> Bad:
    return wrong_storage(a, "x2", weight_shape(a))


def other_dims(a: Arguments) -> Bad:
    return None if list(a["dims"].values) == [0] else (list(a["dims"].values), [0])


@planned(
    "aclnnQuantMatmulReduceSumWeightNz", *(unused(name, INVALID) for name in RESERVED),
    listed("x1", "x2", "x1Scale", "x2Scale", "out"), ranks("x1", "x1Scale", "x2Scale", "out"),
    one_of("transposeX1", False), one_of("transposeX2", False), one_of("groupSize", 0), one_of("keepDims", False),
    length("dims", 1), demand("{0} has the dimension 0", "dims", bad=other_dims),
    demand("{0} has the batches and columns of x1 and x2Scale, in FRACTAL_NZ", "x2", "x1", "x2Scale", bad=wrong_weight),
    shape("x1Scale", "{0} has a number for each row of x1", lambda a: a.shape("x1")[:2]),
    shape("out", "{0} has the rows of x1 and the columns of x2", lambda a: (a.shape("x1")[1], *a.shape("x2Scale"))),
    with_elements("x1"),
)  # fmt: skip
def quant_matmul_reduce_sum_weight_nz(p: Planning) -> None:
    """out = the sum of (x1[b] @ x2[b]) * x1Scale[b] * x2Scale over the batches b, in FLOAT, rounded once"""
    inputs = [p.read("x1"), dense(p, "x2", weight_shape(p)), p.read("x1Scale"), p.read("x2Scale")]
    p.store("out", p.step(summed, inputs, p.shape("out"), T.ACL_FLOAT))


@in_memory
def summed(x1: Array, x2: Array, of_rows: Array, of_columns: Array, *, out: Array) -> None:
    """The sum of the scaled products of all batches."""
    out[...] = 0
    columns = widen(of_columns)
    for left, right, rows in zip(x1, x2, of_rows, strict=True):

        def epilogue(product: Array, index: PanelIndex, rows: Array = rows) -> Array:
            lines, across = index[-2:]
            return out[index] + product.astype(np.float32) * rows[lines, None] * columns[across]

        multiply_in_panels(left, right, out, exact=True, epilogue=epilogue)
