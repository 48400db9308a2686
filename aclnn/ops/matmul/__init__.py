"""Products of matrices and vectors, on the cube unit."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "additive": (
        "aclnnAddmm", "aclnnInplaceAddmm", "aclnnBaddbmm", "aclnnInplaceBaddbmm", "aclnnAddbmm", "aclnnInplaceAddbmm",
    ),
    "general": ("aclnnGemm", "aclnnAddmv"),
    "products": ("aclnnMatmul", "aclnnMm", "aclnnBatchMatMul", "aclnnMv"),
    "triangular": ("aclnnTriangularSolve",),
    "vectors": ("aclnnDot", "aclnnGer", "aclnnAddr", "aclnnInplaceAddr"),
    "weight_quant": ("aclnnWeightQuantBatchMatmulV2", "aclnnWeightQuantBatchMatmulV3"),
}  # fmt: skip
"""by module, the functions that it makes"""
