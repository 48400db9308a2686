"""Operators that reduce dimensions: sums, products, extremes, variances, norms; and cumulative ones and distances.

Each dimension may be named once, and no dimension named means all, unless an operator says otherwise. Two rules for
the shape of an output exist: it is exactly the one that is left, or one element may have any shape.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "sums": ("aclnnReduceSum", "aclnnReduceNansum", "aclnnMean", "aclnnMeanV2"),
    "products": ("aclnnProd", "aclnnProdDim"),
    "extremes": (
        "aclnnMax", "aclnnMin", "aclnnAmax", "aclnnAmin", "aclnnMaxV2", "aclnnAminmax", "aclnnAminmaxDim",
        "aclnnAminmaxAll",
    ),
    "truth": ("aclnnAll", "aclnnAny"),
    "cumulative": (
        "aclnnCumsum", "aclnnCumsumV2", "aclnnCumprod", "aclnnInplaceCumprod", "aclnnCummax", "aclnnCummin",
    ),
    "variance": ("aclnnVar", "aclnnVarCorrection", "aclnnVarMean", "aclnnStd", "aclnnStdMeanCorrection"),
    "logarithms": ("aclnnLogSumExp", "aclnnReduceLogSum"),
    "norms": ("aclnnNorm", "aclnnLinalgVectorNorm"),
    "distances": ("aclnnCdist", "aclnnPdist", "aclnnPdistForward"),
}  # fmt: skip
"""by module, the functions that it makes"""
