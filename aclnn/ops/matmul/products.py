"""Matmul, Mm, BatchMatMul and Mv: the plain products of matrices and vectors."""

from math import prod

from aclnn.op import (
    HALVES, SHORT_FLOAT, Arguments, Bad, Planning, Shape, aclDataType, demand, done, empty, is_nz, listed, nulls,
    planned, public_format, ranks, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.matmul._family import (
    batches,
    cube_math_type,
    factor,
    inner,
    product,
    product_shape,
    product_types,
)  # fmt: skip
from aclnn.ops.matmul.vectors import dot


def mixed_halves(a: Arguments) -> Bad:
    if not is_nz(a["mat2"]) or {a.dtype("self"), a.dtype("mat2")} != set(HALVES):
        return None
    return f"FRACTAL_NZ {a.type_name('mat2')}", f"{a.type_name('self')}, as self"


def nothing(a: Arguments) -> bool:
    return not a["out"].numel and not (a["self"].numel and a["mat2"].numel)


NOTHING = done("out and one of self and mat2 are empty", "out", "self", "mat2", when=nothing)
TYPE_RULE = listed("self", "mat2", "out", among=SHORT_FLOAT)


def multiplied(p: Planning, *, rounds: bool = True) -> None:
    """Plans the product of self and mat2, and stores it under the shape of out. `rounds`: a product of two matrices,
    with mat2 in FRACTAL_NZ, is rounded to the data type of its inputs."""
    nz, out_shape, shape = is_nz(p["mat2"]), p.shape("out"), product_shape(p)
    if prod(out_shape) != prod(shape):
        raise p.builder.failed(f"Reshape from {list(shape)} to {list(out_shape)} failed.")
    first, second = factor(p, "self"), factor(p, "mat2", nz=True)
    if p.rank("self") == p.rank("mat2") == 1:  # "dot kernel, cubeMathType ignored"
        in_type = p.promoted("self", "mat2") or aclDataType.ACL_FLOAT
        result = p.step(dot, [p.builder.cast(first, in_type), p.builder.cast(second, in_type)], (), in_type)
        result = p.builder.cast(result, p.dtype("out"))
    else:
        in_type, rounded = product_types(p)
        if rounds and nz and p.rank("self") == p.rank("mat2") == 2:
            rounded = in_type
        result = product(p, first, second, shape, (in_type, rounded), p.dtype("out"))
    p.store("out", p.builder.reshape(result, out_shape))


@planned(
    "aclnnMatmul", TYPE_RULE, cube_math_type(),
    demand("{0} in FRACTAL_NZ has the data type of self", "mat2", "self", bad=mixed_halves),
    ranks("self", "mat2", least=0, most=6), ranks("self", "mat2", least=1), inner(), batches(),
    public_format("self", "out"), NOTHING,
)  # fmt: skip
def matmul(p: Planning) -> None:
    """out = self @ mat2, as numpy's matmul. out may have any shape with as many elements as the product."""
    multiplied(p)


@planned(
    "aclnnMm", nulls("out", "self", "mat2"), TYPE_RULE, cube_math_type(), ranks("mat2"), ranks("self"), inner(),
    ranks("out"), shape("out", "{0} has the rows of self and the columns of mat2", product_shape), NOTHING,
)  # fmt: skip
def mm(p: Planning) -> None:
    """out = self @ mat2, of two matrices"""
    multiplied(p)


def thin_nz(a: Arguments) -> Bad:
    """Checks that a weight in FRACTAL_NZ has no dimension of size 1."""
    matrix = a.shape("mat2")[-2:]
    return (f"FRACTAL_NZ {list(matrix)}", "no size 1") if is_nz(a["mat2"]) and 1 in matrix else None


def batched_shape(a: Arguments) -> Shape:
    """The shape of a batched product. Batches of 0 and 1 give 1."""
    first, second = a.shape("self"), a.shape("mat2")
    return max(first[0], second[0]), first[1], second[2]


@planned(
    "aclnnBatchMatMul", TYPE_RULE, cube_math_type(), ranks("self", "mat2", "out"),
    demand("{0} in FRACTAL_NZ has no matrix with a size of 1", "mat2", bad=thin_nz), inner(), batches(),
    shape("out", "{0} has the larger batch, the rows of self and the columns of mat2", batched_shape),
    public_format("self", "out"),
    done("self has no batch, or out no elements", "self", "out",
         when=lambda a: not (a.shape("self")[0] and a["out"].numel)),
)  # fmt: skip
def batch_mat_mul(p: Planning) -> None:
    """out = self @ mat2, for each matrix of a batch"""
    if not p.shape("mat2")[0]:
        p.fill("out", 0.0)
    else:
        multiplied(p)


def another_type(a: Arguments) -> Bad:
    same = a.dtype("self") == a.dtype("vec")
    return None if same or not a["self"].numel else (a.type_name("self"), f"{a.type_name('vec')}, as vec")


@planned(
    "aclnnMv", same_dtype("out", "vec"),
    demand("{0} has the data type of vec, if it has elements", "self", "vec", bad=another_type),
    listed("self", "vec", among=SHORT_FLOAT), cube_math_type("self", "vec"), ranks("self", "vec", "out"),
    inner("self", "vec"), shape("out", "{0} has an element for each row of self", lambda a: a.shape("self")[:1]),
    empty("out"),
)  # fmt: skip
def mv(p: Planning) -> None:
    """out = self @ vec, of a matrix and a vector"""
    matrix, vector, shape = factor(p, "self"), factor(p, "vec"), p.shape("out")
    p.store("out", product(p, matrix, vector, shape, product_types(p, "self", "vec"), p.dtype("out")))
