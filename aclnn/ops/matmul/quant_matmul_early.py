"""QuantMatmul and QuantMatmulV2: products of INT8 with FLOAT16 results. They are deprecated; QuantMatmulV5 replaces
them."""

from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, constant, demand, listed,
    null_status, planned, public_format, ranks, shape,
)  # fmt: skip
from aclnn.ops.matmul._family import swapped
from aclnn.ops.matmul._quantised_products import multiply_integers
from aclnn.ops.matmul._quantised_weights import LOW

BLOCK: Final = 16
"""the number of scales of the second version is a multiple of this number"""
PUBLIC_TYPES: Final = {
    "x1": (T.ACL_INT8,), "x2": (T.ACL_INT8,), "bias": (T.ACL_INT32,), "deqScale": (T.ACL_UINT64,),
    "out": (T.ACL_FLOAT16,),
}  # fmt: skip
"""data types that pass on every device, as the library checks the device last"""
FLAGS: Final = {"x1": "adjX1", "x2": "adjX2"}


def transposed(a: Arguments, name: str) -> bool:
    """True if the second version transposes the factor."""
    return a.has(FLAGS[name]) and a[FLAGS[name]]


def matrix(a: Arguments, name: str) -> Shape:
    """The last two sizes, swapped if the flag is set."""
    sizes = a.shape(name)[-2:]
    return sizes[::-1] if transposed(a, name) else sizes


def columns(a: Arguments) -> int:
    return matrix(a, "x2")[1]


def result(a: Arguments) -> Shape:
    return (*a.shape("x1")[:-2], matrix(a, "x1")[0], columns(a))


def other_inner(a: Arguments) -> Bad:
    columns, expected_columns = matrix(a, "x1")[1], matrix(a, "x2")[0]
    return None if columns == expected_columns else (f"{columns} columns", f"{expected_columns}, the rows of x2")


def other_batch(a: Arguments) -> Bad:
    batch, expected_batch = (a.shape(name)[:-2] for name in FLAGS)
    return None if batch == expected_batch else (list(batch), f"{list(expected_batch)}, the batch of x2")


def scales(a: Arguments) -> Shape:
    return (-(-columns(a) // BLOCK) * BLOCK,)


def contract(*scale: str) -> tuple[Relation, ...]:
    """The relations of a version. `scale`: the name of the tensor of scales, if the version has one."""
    every = ("x1", "x2", "bias", *scale, "out")
    sizes = [shape(each, "{0} has a scale for each column, up to a multiple of 16", scales) for each in scale]
    return (
        null_status(ACLNN_ERR_INNER_NULLPTR, "x1", "x2", *scale, "out"),
        *(listed(name, among=PUBLIC_TYPES[name]) for name in every), public_format(*every),
        ranks("x1", "x2", least=2, most=3), ranks("bias", *scale),
        demand("{0} has as many columns as {1} has rows", "x1", "x2", bad=other_inner),
        shape("bias", "{0} has a value for each column of x2", lambda a: (columns(a),)), *sizes,
        demand("{0} has the batch of {1}", "x1", "x2", bad=other_batch),
        shape("out", "{0} has the shape of the product", result),
    )  # fmt: skip


def multiplied(p: Planning, scale: Operand) -> None:
    if not matrix(p, "x1")[1]:
        if p.given("bias"):
            raise p.builder.failed("A bias of a product without inner elements is not supported.")
        p.fill("out", 0)
        return
    bias = [p.read("bias")] if p.given("bias") else []
    views = {name: p.builder.view(p[name]) for name in FLAGS}
    factors = [swapped(view) if transposed(p, name) else view for name, view in views.items()]
    names = ("scale", "bias")[: 1 + len(bias)]
    p.store("out", p.step(multiply_integers, [*factors, scale, *bias], result(p), T.ACL_FLOAT16, names=names))


@planned("aclnnQuantMatmul", *contract())
def quant_matmul(p: Planning) -> None:
    """out = (x1 @ x2 + bias) * deqScale. Only the highest 19 bits of deqScale count"""
    multiplied(p, p.step(constant, [], (), T.ACL_FLOAT, value=highest(p["deqScale"])))


def highest(scale: float) -> Any:
    """A FLOAT without the bits below its highest 19."""
    bits: Array = np.array([scale], np.float32).view(np.uint32) & np.uint32(LOW)
    return bits.view(np.float32)[0]


@planned("aclnnQuantMatmulV2", *contract("deqScale"))
def quant_matmul_v2(p: Planning) -> None:
    """out = (x1 @ x2 + bias) * deqScale, where x1 is transposed if adjX1 is true, and x2 if adjX2 is true. A scale is a
    FLOAT in the low half of a UINT64. Only its highest 19 bits count. Scales beyond the columns of x2 are not read."""
    whole = p.read("deqScale")
    multiplied(p, Operand((columns(p),), whole.dtype, whole.strides, whole.offset, whole.memory))
