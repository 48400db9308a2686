"""Reductions: sums, products, extremes, variances, norms; also cumulative operators and distances.

Each dimension may occur once, and an empty list means all dimensions, unless the page of an operator says otherwise.
There are two rules for the shape of an output: exactly the remaining shape; or, for one element, any shape.
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
