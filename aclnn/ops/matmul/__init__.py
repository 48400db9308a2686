"""Products of matrices and vectors, on the cube unit; and linear algebra.

The cube unit multiplies FLOAT16 and BFLOAT16, from A2 on also FLOAT, and accumulates in FLOAT. cubeMathType selects the
data type in which FLOAT inputs are multiplied; HFLOAT32 is used if the machine has that option, otherwise FLOAT, with
an advice. Products of INT8 and INT4 are accumulated exactly, then scaled in FLOAT. A weight in FRACTAL_NZ is read in
that layout if the function supports the format. Systems of equations are solved in float64 and complex128.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "additive": (
        "aclnnAddmm", "aclnnInplaceAddmm", "aclnnBaddbmm", "aclnnInplaceBaddbmm", "aclnnAddbmm", "aclnnInplaceAddbmm",
    ),
    "decompositions": ("aclnnLinalgQr", "aclnnQr", "aclnnSlogdet", "aclnnLogdet"),
    "einsum": ("aclnnEinsum",),
    "general": ("aclnnGemm", "aclnnAddmv"),
    "linear_algebra": ("aclnnInverse", "aclnnLinalgCholesky", "aclnnLinalgCross"),
    "products": ("aclnnMatmul", "aclnnMm", "aclnnBatchMatMul", "aclnnMv"),
    "quant_matmul": ("aclnnQuantMatmulV3", "aclnnQuantMatmulV4", "aclnnQuantMatmulV5", "aclnnQuantMatmulWeightNz"),
    "quant_matmul_early": ("aclnnQuantMatmul", "aclnnQuantMatmulV2"),
    "quant_params": ("aclnnTransQuantParamV2", "aclnnTransQuantParamV3"),
    "triangular": ("aclnnTriangularSolve",),
    "vectors": ("aclnnDot", "aclnnGer", "aclnnAddr", "aclnnInplaceAddr"),
    "weight_quant": ("aclnnWeightQuantBatchMatmulV2", "aclnnWeightQuantBatchMatmulV3", "aclnnWeightQuantBatchMatmulNz"),
    "weights_nz": ("aclnnMatmulWeightNz", "aclnnBatchMatMulWeightNz", "aclnnAddmmWeightNz"),
}  # fmt: skip
"""by module, the functions that it makes"""
