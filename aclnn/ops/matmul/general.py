"""Gemm: the general product of BLAS. Addmv: the product of a matrix and a vector, added to a vector, in all data
types."""

from typing import Final

import numpy as np

from aclnn.op import (
    SHORT_FLOAT, UP_TO_32_BITS, Arguments, Array, Bad, Operand, Planning, Shape, T, broadcast_shape, can_cast, demand,
    done, empty, listed, nulls, planned, promote, ranks, shape,
)  # fmt: skip
from aclnn.ops.matmul._family import WITH_FLOAT, C, cube_math_type, factor, inner, plain_format, product
from aclnn.ops.matmul.additive import FLOAT_ADD, added, near, only_self
from aclnn.ops.matmul.vectors import times

FLOAT: Final = T.ACL_FLOAT
SCALARS: Final = ("alpha", "beta")
GEMM: Final = ("A", "B", "C", "out")


# Gemm


def op_shape(a: Arguments, name: str) -> Shape:
    """The shape of op(A) or op(B): the matrix, transposed if its flag is set."""
    shape = a.shape(name)
    return shape[::-1] if a[f"trans{name}"] else shape


def gemm_shape(a: Arguments) -> Shape:
    return op_shape(a, "A")[0], op_shape(a, "B")[1]


def other_inner(a: Arguments) -> Bad:
    left, right = op_shape(a, "A"), op_shape(a, "B")
    return None if left[1] == right[0] else (list(left), f"{right[0]} columns, as op(B) has rows")


def no_broadcast(a: Arguments) -> Bad:
    expected_shape = gemm_shape(a)
    return (
        None
        if broadcast_shape(a.shape("C"), expected_shape) == expected_shape
        else (list(a.shape("C")), f"broadcasts to {list(expected_shape)}")
    )


@planned(
    "aclnnGemm", nulls("C", "A", "B", "out"), listed(*GEMM, among=SHORT_FLOAT), cube_math_type("A", "B", "C"),
    ranks("A", "B", least=2, most=2),
    demand("op({0}) has as many columns as op(B) has rows", "A", "B", bad=other_inner),
    demand("{0} broadcasts to the product", "C", "A", "B", bad=no_broadcast), ranks("C", least=1, most=2),
    shape("out", "{0} has the rows of op(A) and the columns of op(B)", gemm_shape), FLOAT_ADD,
    *map(plain_format, GEMM),
    done("C or the product has no elements", "A", "B", "C",
         when=lambda a: not a["C"].numel or 0 in gemm_shape(a)),
)  # fmt: skip
def gemm(p: Planning) -> None:
    """out = alpha * (op(A) @ op(B)) + beta * C, where op is the transpose if transA, or transB, is not 0"""
    shape = gemm_shape(p)
    if not op_shape(p, "A")[1]:
        only_self(p, 0 if near(p["beta"], 0) else np.float32(p["beta"]), shape, "C")
    else:
        added(p, "A", "B", shape, plus="C", transposed=[name for name in ("A", "B") if p[f"trans{name}"]])


# Addmv


def product_type(a: Arguments) -> int | None:
    """The data type of alpha * (mat @ vec). The data type of alpha is included if alpha is not 1."""
    dtype = a.promoted("mat", "vec")
    return dtype if dtype is None or a["alpha"].item() == 1 else promote(dtype, a.dtype("alpha"))


def self_type(a: Arguments) -> int | None:
    """The data type of beta * self."""
    return a.dtype("self") if a["beta"].item() == 1 else promote(a.dtype("self"), a.dtype("beta"))


def sum_type(a: Arguments) -> int | None:
    first, second = self_type(a), product_type(a)
    return None if first is None or second is None else promote(first, second)


def no_common_type(a: Arguments) -> Bad:
    return None if sum_type(a) is not None else (a.type_name("self"), "data types that promote to one")


def not_castable(a: Arguments) -> Bad:
    dtype = sum_type(a)
    return None if dtype is None or can_cast(dtype, a.dtype("out")) else (a.type_name("out"), "a type of the result")


def other_length(a: Arguments) -> Bad:
    rows, count = a.shape("mat")[0], a["self"].numel
    allowed = (rows, 1) if a["alpha"].item() else (rows,)
    return None if count in allowed else (f"{count} elements", " or ".join(map(str, allowed)))


@planned(
    "aclnnAddmv", listed("self", "mat", "vec", "alpha", "beta", "out"),
    demand("{0}, mat, vec, alpha and beta promote to one data type", "self", "mat", "vec", *SCALARS,
           bad=no_common_type),
    demand("the result can be cast to the data type of {0}", "out", *SCALARS, bad=not_castable),
    ranks("self", least=0, most=1), ranks("mat", "vec", "out"), inner("mat", "vec"),
    demand("{0} has an element for each row of mat, or one if alpha is not 0", "self", "mat", "alpha",
           bad=other_length),
    shape("out", "{0} has an element for each row of mat", lambda a: a.shape("mat")[:1]),
    cube_math_type("mat", "vec"), *map(plain_format, ("self", "mat", "vec", "out")), empty("self"),
)  # fmt: skip
def addmv(p: Planning) -> None:
    """out = beta * self + alpha * (mat @ vec). For BOOL, * is `and`, and + is `or`."""
    sum_dtype, self_dtype, out_shape = sum_type(p) or FLOAT, self_type(p) or FLOAT, p.shape("out")
    parts = [
        p.step(times, [p.read("self", self_dtype)], p.shape("self"), self_dtype, factor=p.number("beta", self_dtype))
    ]
    if p["alpha"].item() and p["mat"].numel and p["vec"].numel:
        dtype = product_type(p) or FLOAT
        parts.append(p.step(times, [mat_vec(p, dtype)], out_shape, dtype, factor=p.number("alpha", dtype)))
    p.store(
        "out",
        p.step(summed, [p.builder.cast(part, sum_dtype) for part in parts], out_shape, sum_dtype, sizes=out_shape),
    )


def mat_vec(p: Planning, dtype: int) -> Operand:
    """mat @ vec. The cube unit multiplies floats of up to 32 bits, as in Mv; other types have their own arithmetic."""
    in_type, out_shape = p.promoted("mat", "vec") or FLOAT, p.shape("out")
    if in_type not in UP_TO_32_BITS:
        result = p.step(dense_product, [p.read("mat", in_type), p.read("vec", in_type)], out_shape, in_type)
        return p.builder.cast(result, dtype)
    old = p.soc.series not in WITH_FLOAT
    if old or (in_type == FLOAT and p["cubeMathType"] == C.USE_FP16):
        in_type = T.ACL_FLOAT16
    mat, vec = (p.builder.cast(factor(p, name), in_type) for name in ("mat", "vec"))
    return p.builder.cast(product(p, mat, vec, out_shape, (in_type, in_type), in_type), dtype)


def dense_product(mat: Array, vec: Array) -> Array:
    return np.matmul(mat, vec)


def summed(first: Array, *others: Array, sizes: Shape) -> Array:
    return first + others[0] if others else np.broadcast_to(first, sizes)
