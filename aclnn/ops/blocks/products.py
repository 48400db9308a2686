"""Products of matrices of narrow floats whose scales belong to blocks, or to rows and columns."""

from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Array, Bad, Planning, Relation, Shape, T, demand, is_nz, lacks,
    listed, null_status, one_of, only_if, planned, ranks, required, shape, updates, with_elements,
)  # fmt: skip
from aclnn.ops.blocks._contract import BLOCK, GROUP_SIZE, scale_shape, unscaled
from aclnn.ops.matmul._kernels import multiply
from aclnn.ops.matmul._permuted_contract import (
    BATCH_SECOND, COLUMNS_SECOND, PLAIN, is_null, neither_view_nor_storage, not_in_blocks, other_batches, permutations,
    permuted, wrong_inner,
)  # fmt: skip
from aclnn.ops.matmul._shared_scales import inner_axis, with_shared_scales
from aclnn.ops.matmul.permuted import in_order, multiply_batches
from aclnn.ops.quantisation._family import named_type

SHARED, FLOAT = T.ACL_FLOAT8_E8M0, T.ACL_FLOAT


# added to a matrix


SUM: Final = "yRef"
FIRST_SCALE, SECOND_SCALE = "x1ScaleOptional", "x2Scale"


def inner(a: Arguments, name: str) -> int:
    return a.shape(name)[inner_axis(a, name)]


def outer(a: Arguments, name: str) -> int:
    return a.shape(name)[1 - inner_axis(a, name)]


def other_inner(a: Arguments) -> Bad:
    left, right = inner(a, "x1"), inner(a, "x2")
    return None if left == right else (left, f"{right}, as x2")


def not_shared(a: Arguments) -> bool:
    return not a.dtype(FIRST_SCALE) == a.dtype(SECOND_SCALE) == SHARED


def scales_of(name: str, of: str) -> Relation:
    def expected(a: Arguments) -> Shape | None:
        return None if not_shared(a) else scale_shape(a.shape(of), inner_axis(a, of), BLOCK)

    return shape(name, f"{{0}} has a pair of scales for each two blocks of {of}", expected)


@planned(
    "aclnnQuantBatchMatmulInplaceAdd", lacks("scales that are not those of blocks of 32 elements", not_shared),
    required(FIRST_SCALE), updates(SUM), listed("x1", "x2", FIRST_SCALE, SECOND_SCALE, SUM), ranks("x1", "x2", SUM),
    one_of("groupSize", 0, GROUP_SIZE),
    demand("{0} can be multiplied with {1}", "x1", "x2", bad=other_inner), scales_of(FIRST_SCALE, "x1"),
    scales_of(SECOND_SCALE, "x2"),
    shape(SUM, "{0} has the shape of the product", lambda a: (outer(a, "x1"), outer(a, "x2"))),
)  # fmt: skip
def quant_batch_matmul_inplace_add(p: Planning) -> None:
    """yRef += (x1 * x1Scale) @ (x2 * x2Scale), in FLOAT. Blocks of 32 elements of the inner dimension share a scale."""
    factors = [with_shared_scales(p, name, p.read(name), scale)
               for name, scale in (("x1", FIRST_SCALE), ("x2", SECOND_SCALE))]  # fmt: skip
    p.store(SUM, p.step(multiply, [*factors, p.read(SUM)], p.shape(SUM), FLOAT))


# with permuted dimensions


QUANTISED: Final = {"permX1": (BATCH_SECOND,), "permX2": (PLAIN, COLUMNS_SECOND), "permY": (BATCH_SECOND,)}
KERNEL: Final = (512, 128)
"""rows and columns of the only weight that may have scales of FLOAT"""


def in_shared_blocks(a: Arguments) -> bool:
    return a.dtype("x2Scale") == SHARED


def other_forms(a: Arguments) -> bool:
    """True for packed scales, and for FLOAT scales beside others."""
    scales = {a.dtype("x1Scale"), a.dtype("x2Scale")} if a.given("x1Scale") else {None}
    return scales not in ({SHARED}, {FLOAT})


def missing_scale(a: Arguments) -> Bad:
    fine = a.given("x1Scale") or in_shared_blocks(a)
    return None if fine else ("no x1Scale", "a tensor beside scales of this type")


def wrong_kernel_size(a: Arguments) -> Bad:
    if a.dtype("x2Scale") != FLOAT:
        return None
    sizes = permuted(a, "x2", "permX2")[1:]
    return None if sizes == KERNEL else (list(sizes), f"{list(KERNEL)} with scales of FLOAT")


def weight_axis(a: Arguments) -> int:
    """The dimension of x2 that the product sums up."""
    return 2 if tuple(a["permX2"].values) == COLUMNS_SECOND else 1


def first_scales(a: Arguments) -> Shape | None:
    if other_forms(a):
        return None
    return scale_shape(a.shape("x1"), 2, BLOCK) if in_shared_blocks(a) else a.shape("x1")[:1]


def second_scales(a: Arguments) -> Shape | None:
    if other_forms(a):
        return None
    if in_shared_blocks(a):
        return scale_shape(a.shape("x2"), weight_axis(a), BLOCK)
    return (permuted(a, "x2", "permX2")[2],)


def product(a: Arguments) -> Shape:
    rows, batches, _ = a.shape("x1")
    return rows, batches, permuted(a, "x2", "permX2")[2]


NO_SCALES = null_status(ACLNN_ERR_PARAM_INVALID, "x1Scale", "x2Scale")
"""the host code checks the scales after all other null pointers (public)"""
PRODUCT: Final = (
    *permutations(QUANTISED), is_null("bias"), one_of("batchSplitFactor", 1),
    demand("the rows of {1} are the last dimension of {0}", "x1", "x2", "permX1", "permX2", bad=wrong_inner),
    demand("{0} has the batches of {1}", "x2", "x1", bad=other_batches, provenance="ours"),
    named_type("dtype", "out"),
    shape("x1Scale", "{0} has a number for each row of x1, or each block", first_scales),
    shape("x2Scale", "{0} has a number for each column of x2, or each block", second_scales),
    shape("out", "{0} has the shape of the product", product), with_elements("out"),
)  # fmt: skip
TYPES: Final = listed("x1", "x2", "x1Scale", "x2Scale", "out")


@planned(
    "aclnnTransposeQuantBatchMatMul", NO_SCALES, lacks("packed scales, or scales of different types", other_forms),
    demand("{0} comes with x1Scale, or with shared scales", "x1", "x2Scale", bad=missing_scale, provenance="public"),
    TYPES, ranks("x1", "x2", "out"), *PRODUCT,
    demand("{0} has the sizes that scales of FLOAT need", "x2", "x2Scale", bad=wrong_kernel_size, provenance="public"),
)  # fmt: skip
def transpose_quant_batch_mat_mul(p: Planning) -> None:
    """out[m, b] = x1[m, b] @ x2[b], in FLOAT. With permX2 (0, 2, 1) the last dimension of x2 is summed up. Scales of
    FLOAT8_E8M0 belong to blocks of 32 elements of the inner dimension, and multiply them. x1Scale and x2Scale of FLOAT
    belong to the rows and columns, and multiply the product."""
    multiplied(p)


@planned(
    "aclnnTransposeQuantBatchMatMulWeightNz", NO_SCALES,
    lacks("x2 as it is stored, in 5 dimensions", lambda a: a.rank("x2") == 5), TYPES, ranks("x1", "out"),
    demand("{0} has 3 dimensions, or 5 as it is stored", "x2", bad=neither_view_nor_storage),
    demand("{0} is in FRACTAL_NZ, whose storage has 5 dimensions", "x2", bad=not_in_blocks),
    only_if("x2 has 3 dimensions", lambda a: a.rank("x2") == 3, *PRODUCT),
)  # fmt: skip
def transpose_quant_batch_mat_mul_weight_nz(p: Planning) -> None:
    """Like aclnnTransposeQuantBatchMatMul, where x2 is in FRACTAL_NZ"""
    multiplied(p)


def multiplied(p: Planning) -> None:
    first, second = p.read("x1"), p.read("x2", nz=is_nz(p["x2"]))
    shared, axis = in_shared_blocks(p), weight_axis(p)
    if shared:
        first, second = unscaled(p, first, p.read("x1Scale"), 2), unscaled(p, second, p.read("x2Scale"), axis)
    factors = [in_order(first, p["permX1"].values), in_order(second, p["permX2"].values)]
    out = p.step(multiply_batches, factors, p.shape("out"), FLOAT, groups=1)
    if not shared:
        out = p.step(scaled, [out, p.read("x1Scale"), p.read("x2Scale")], p.shape("out"), FLOAT)
    p.store("out", out)


def scaled(sums: Array, rows: Array, columns: Array) -> Array:
    """A product whose first and last dimensions have scales."""
    return sums * rows[:, None, None] * columns
