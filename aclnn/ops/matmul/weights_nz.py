"""Products whose second factor has to be in FRACTAL_NZ: MatmulWeightNz, BatchMatMulWeightNz and AddmmWeightNz."""

from math import prod
from typing import Final

from aclnn.op import (
    HALVES, SHORT_FLOAT, Arguments, Bad, Planning, Relation, Series, T, Tensor, changes, demand, done, dtype_name,
    format_name, is_nz, is_transposed, listed, planned, public_format, ranks, row_major, same_dtype, shape, stored_as,
)  # fmt: skip
from aclnn.ops.matmul._family import C, batches, cube_math_type, inner, product_shape
from aclnn.ops.matmul.additive import FLOAT, FLOAT_ADD, added, into_product, near, only_self, self_broadcasts
from aclnn.ops.matmul.products import batched_shape, mixed_halves, multiplied, nothing, thin_nz

WITH_FLOAT_WEIGHT: Final = (Series.A2, Series.A3)


def float_weight(a: Arguments) -> Bad:
    wrong = a.dtype("mat2") == FLOAT and a.soc.series not in WITH_FLOAT_WEIGHT
    return ("FLOAT", "FLOAT16, BFLOAT16") if wrong else None


def narrowed(a: Arguments) -> Bad:
    wrong = a["cubeMathType"] == C.KEEP_DTYPE and (a.dtype("self"), a.dtype("out")) == (FLOAT, T.ACL_FLOAT16)
    return ("FLOAT16, with self FLOAT and KEEP_DTYPE", "FLOAT") if wrong else None


def in_nz(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if is_nz(a[name]) else (format_name(a[name].storage_format), "FRACTAL_NZ")

    return demand("the storage format of {0} is FRACTAL_NZ", name, bad=bad)


def storage_rank(number: int, name: str = "mat2") -> Relation:
    """Checks the number of dimensions of the storage of a weight."""

    def bad(a: Arguments) -> Bad:
        count = len(a[name].storage_shape)
        return None if count == number else (f"{count} dimensions of storage", f"{number}")

    return demand(f"the storage of {{0}} has {number} dimensions", name, bad=bad)


def right_size(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        if a.rank(name) < 2:
            return None
        storage_shape, expected_storage_shape = a[name].storage_shape, stored_as(a[name]).storage_shape
        return (
            None
            if prod(storage_shape) == prod(expected_storage_shape)
            else (list(storage_shape), f"{list(expected_storage_shape)}, with as many elements")
        )

    return demand("the storage of {0} has as many elements as its blocks", name, bad=bad)


def output_type(a: Arguments) -> Bad:
    fine = a.dtype("out") in (a.dtype("self"), FLOAT)
    return None if fine else (a.type_name("out"), f"{dtype_name(a.dtype('self'))} or FLOAT")


IN_NZ: Final = in_nz("mat2")
NOT_THIN: Final = demand("{0} has no matrix with a size of 1", "mat2", bad=thin_nz)
RIGHT_SIZE: Final = right_size("mat2")


def swap_view(a: Arguments) -> None:
    """Change the view of a transposed weight to the shape of its storage, as the first phase does."""
    mat2: Tensor = a["mat2"]
    k, n = mat2.shape
    if is_transposed(mat2) and k != n:
        form, storage, stored = mat2.storage_format, mat2.storage_shape, (n, k)
        mat2.describe(stored, mat2.dtype, row_major(stored), mat2.offset, mat2.format, storage)
        mat2.stored_as(form, storage)


@planned(
    "aclnnMatmulWeightNz", listed("self", "mat2", "out"),
    demand("{0} is FLOAT on A2 and A3 only", "mat2", bad=float_weight,
           broken="{0} is FLOAT on another product than A2 and A3"),
    demand("{0} is no FLOAT16 with self FLOAT and KEEP_DTYPE", "out", "self", bad=narrowed), IN_NZ,
    demand("{0} in FRACTAL_NZ has the data type of self", "mat2", "self", bad=mixed_halves),
    ranks("self", "mat2", "out", least=2, most=2), storage_rank(4), NOT_THIN, inner(), cube_math_type(), RIGHT_SIZE,
    shape("out", "{0} has the rows of self and the columns of mat2", product_shape),
    done("out and one of self and mat2 are empty", "out", "self", "mat2", when=nothing), changes(swap_view),
)  # fmt: skip
def matmul_weight_nz(p: Planning) -> None:
    """out = self @ mat2, where mat2 is in FRACTAL_NZ. The first phase swaps the view shape of a transposed mat2."""
    multiplied(p, rounds=False)


@planned(
    "aclnnBatchMatMulWeightNz", listed("self", "mat2", among=HALVES), same_dtype("mat2", "self"),
    demand("{0} has the data type of self, or is FLOAT", "out", "self", bad=output_type), IN_NZ,
    ranks("self", "mat2", "out", least=3, most=3), NOT_THIN, inner(), batches(),
    shape("out", "{0} has the larger batch, the rows of self and the columns of mat2", batched_shape),
    public_format("self", "out"), storage_rank(5), cube_math_type(newest=True),
    done("out has no elements", "out", when=lambda a: not a["out"].numel),
)  # fmt: skip
def batch_mat_mul_weight_nz(p: Planning) -> None:
    """out = self @ mat2, for each matrix of a batch, where mat2 is in FRACTAL_NZ"""
    multiplied(p)


@planned(
    "aclnnAddmmWeightNz", public_format("self", "mat1"), IN_NZ,
    listed("self", "out", among=SHORT_FLOAT), listed("mat1", "mat2", among=HALVES), same_dtype("mat2", "mat1"),
    storage_rank(4), RIGHT_SIZE, ranks("self", least=1, most=2), ranks("mat1", "mat2", least=2, most=2),
    inner("mat1", "mat2"), NOT_THIN,
    self_broadcasts(lambda a: into_product(a, "mat1", "mat2"), "to the shape of the product", "mat1", "mat2"),
    shape("out", "{0} has the rows of mat1 and the columns of mat2", lambda a: product_shape(a, "mat1", "mat2")),
    cube_math_type("mat1", "mat2", "self"), FLOAT_ADD,
    done("self or out has no elements", "self", "out", when=lambda a: not (a["self"].numel and a["out"].numel)),
)  # fmt: skip
def addmm_weight_nz(p: Planning) -> None:
    """out = beta * self + alpha * (mat1 @ mat2), where mat2 is in FRACTAL_NZ. Otherwise like aclnnAddmm."""
    beta, out_shape = p.number("beta", FLOAT), p.shape("out")
    if near(p.number("alpha", FLOAT), 0):
        only_self(p, 0 if near(beta, 0) else beta, out_shape)
    else:
        added(p, "mat1", "mat2", out_shape)
