"""FusedMatmul: a product with a bias, and an operation on its result."""

from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, SHORT_FLOAT, Arguments, Array, Bad, Planning, T, broadcast_shape, demand, done, in_parts,
    listed, one_of, only_if, planned, public_format, ranks, said, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.activation.smooth import gelu_by_erf, gelu_by_tanh
from aclnn.ops.matmul._family import batches, cube_math_type, factor, inner, product, product_shape, product_types

NONE, RELU, ADD, MUL, TO_FLOAT = "", "relu", "add", "mul", "16cast32"
GELU: Final = {"gelu_tanh": gelu_by_tanh, "gelu_erf": gelu_by_erf}
OPERATION: Final = "fusedOpType"
FACTORS: Final = ("x1", "x2")


def with_third(a: Arguments) -> bool:
    return a[OPERATION] in (ADD, MUL)


def result(a: Arguments) -> tuple[int, ...]:
    return product_shape(a, *FACTORS)


def no_third(a: Arguments) -> Bad:
    missing = with_third(a) and not a.given("x3")
    return (repr(a[OPERATION]), "an operation without a second operand, as x3 is null") if missing else None


def bias_before_gelu(a: Arguments) -> Bad:
    return (list(a.shape("bias")), "null, as fusedOpType is a GELU") if a[OPERATION] in GELU else None


def other_bias(a: Arguments) -> Bad:
    sizes = a.shape("bias")
    return None if broadcast_shape(sizes, result(a)) == result(a) else (list(sizes), f"broadcasts to {list(result(a))}")


def other_result(a: Arguments) -> Bad:
    fine = a[OPERATION] != TO_FLOAT or a.dtype("y") == T.ACL_FLOAT
    return None if fine else (a.type_name("y"), f"FLOAT, as fusedOpType is {TO_FLOAT}")


@planned(
    "aclnnFusedMatmul", said(OPERATION),
    demand("x3 is given if {0} is add or mul", OPERATION, bad=no_third, status=ACLNN_ERR_PARAM_NULLPTR,
           broken="x3 is null, and {0} is add or mul"),
    demand("{0} is null for gelu_tanh and gelu_erf", "bias", OPERATION, bad=bias_before_gelu,
           status=ACLNN_ERR_PARAM_NULLPTR),
    one_of(OPERATION, NONE, RELU, ADD, MUL, *GELU, TO_FLOAT), listed(*FACTORS, among=SHORT_FLOAT),
    listed("bias", "y"), same_dtype("x3", as_="x1"),
    demand("{0} is FLOAT for 16cast32", "y", OPERATION, bad=other_result), cube_math_type(*FACTORS),
    public_format(*FACTORS, "y"), ranks(*FACTORS, "y", least=2, most=6), ranks("bias", least=1, most=2),
    inner(*FACTORS), batches(*FACTORS), shape("y", "{0} has the shape of the product", result),
    demand("{0} broadcasts to the product", "bias", *FACTORS, bad=other_bias),
    only_if("fusedOpType is add or mul", with_third, same_shape("x3", as_="y")),
    done("y has no elements", "y", when=lambda a: not a["y"].numel),
)  # fmt: skip
def fused_matmul(p: Planning) -> None:
    """y = f(x1 @ x2 + bias), in FLOAT and rounded once. fusedOpType names f: nothing or 16cast32 for the sum itself,
    relu, gelu_tanh, gelu_erf, add for the sum + x3, mul for the sum * x3."""
    operation, sizes = p[OPERATION], result(p)
    in_type, _ = product_types(p, *FACTORS, out="y")
    bias = [p.read("bias")] if p.given("bias") else []
    first, second = (factor(p, name) for name in FACTORS)
    y = product(p, first, second, sizes, (in_type, T.ACL_FLOAT), T.ACL_FLOAT, *bias)
    if operation not in (NONE, TO_FLOAT):
        y = p.step(applied, [y, *([p.read("x3")] if with_third(p) else [])], sizes, T.ACL_FLOAT, operation=operation)
    p.store("y", y)


@in_parts()
def applied(x: Array, *third: Array, operation: str) -> Array:
    match operation:
        case "relu":
            return np.maximum(x, np.float32(0))
        case "add":
            return x + third[0]
        case "mul":
            return x * third[0]
        case _:
            return GELU[operation](x)
