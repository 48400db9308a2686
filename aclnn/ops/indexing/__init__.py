"""Operators that read or write at positions that a tensor holds."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "embedding": ("aclnnEmbedding",),
    "advanced": ("aclnnIndex", "aclnnIndexPutImpl"),
    "scatter": (
        "aclnnScatter", "aclnnInplaceScatter", "aclnnScatterValue", "aclnnInplaceScatterValue", "aclnnScatterAdd",
        "aclnnScatterReduce", "aclnnInplaceScatterReduce",
    ),
    "gather": (
        "aclnnIndexSelect", "aclnnGatherV2", "aclnnGatherV3", "aclnnTake", "aclnnGather", "aclnnGatherNd",
    ),
    "nonzero": ("aclnnNonzero",),
}  # fmt: skip
"""by module, the functions that it makes"""
