"""Contracts of quantised products of matrices with permuted dimensions."""

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, Arguments, Bad, T, demand, null_status, one_of,
)  # fmt: skip
from aclnn.ops.matmul._permuted_contract import (
    BATCH_SECOND,
    COLUMNS_SECOND,
    PLAIN,
    is_null,
    permutations,
    permuted,
    wrong_inner,
)

QUANTISED = {"permX1": (BATCH_SECOND,), "permX2": (PLAIN, COLUMNS_SECOND), "permY": (BATCH_SECOND,)}
KERNEL = (512, 128)
"""rows and columns of the only weight that may have scales of FLOAT"""


def missing_scale(a: Arguments) -> Bad:
    fine = a.given("x1Scale") or a.dtype("x2Scale") == T.ACL_FLOAT8_E8M0
    return None if fine else ("no x1Scale", "a tensor beside scales of this type")


def wrong_kernel_size(a: Arguments) -> Bad:
    if a.dtype("x2Scale") != T.ACL_FLOAT:
        return None
    sizes = permuted(a, "x2", "permX2")[1:]
    return None if sizes == KERNEL else (list(sizes), f"{list(KERNEL)} with scales of FLOAT")


NO_SCALES = null_status(ACLNN_ERR_PARAM_INVALID, "x1Scale", "x2Scale")
"""the host code checks the scales after all other null pointers (public)"""
CONTRACTS = {
    "aclnnTransposeQuantBatchMatMulWeightNz": (NO_SCALES,),
    "aclnnTransposeQuantBatchMatMul": (
        NO_SCALES, demand("{0} comes with x1Scale, or with shared scales", "x1", "x2Scale", bad=missing_scale,
                          provenance="public"),
        *permutations(QUANTISED), is_null("bias"), one_of("batchSplitFactor", 1),
        demand("the rows of {1} are the last dimension of {0}", "x1", "x2", "permX1", "permX2", bad=wrong_inner),
        demand("{0} has the sizes that scales of FLOAT need", "x2", "x2Scale", bad=wrong_kernel_size,
               provenance="public"),
    ),
}  # fmt: skip
