"""Operators that read or write at positions that a tensor holds.

No status depends on the values of an index tensor. They are looked at when the task runs: one out of range is the
finding `index-range` (`_family`). Reading moves elements bit for bit. Where positions come twice, the last one in
row-major order stays, or all are added up. Outputs whose size follows from the values get their shape after the run.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "counting": ("aclnnBincount", "aclnnHistc"),
    "embedding": ("aclnnEmbedding",),
    "embedding_bag": ("aclnnEmbeddingBag",),
    "advanced": ("aclnnIndex", "aclnnIndexPutImpl"),
    "scatter": (
        "aclnnScatter", "aclnnInplaceScatter", "aclnnScatterValue", "aclnnInplaceScatterValue", "aclnnScatterAdd",
        "aclnnScatterReduce", "aclnnInplaceScatterReduce",
    ),
    "scatter_nd": ("aclnnScatterNd", "aclnnScatterNdUpdate", "aclnnTfScatterAdd", "aclnnInplaceScatterUpdate"),
    "scatter_products": ("aclnnScatterMax", "aclnnScatterMin", "aclnnScatterMul"),
    "gather": (
        "aclnnIndexSelect", "aclnnGatherV2", "aclnnGatherV3", "aclnnTake", "aclnnGather", "aclnnGatherNd",
    ),
    "nonzero": ("aclnnNonzero", "aclnnNonzeroV2"),
    "masks": ("aclnnMaskedSelect", "aclnnInplaceMaskedScatter", "aclnnInplacePut"),
    "slices": (
        "aclnnIndexAdd", "aclnnIndexAddV2", "aclnnIndexCopy", "aclnnInplaceIndexCopy",
    ),
    "fill": (
        "aclnnIndexFill", "aclnnInplaceIndexFill", "aclnnIndexFillTensor", "aclnnInplaceIndexFillTensor",
    ),
    "unique": ("aclnnUnique", "aclnnUnique2", "aclnnUniqueConsecutive", "aclnnUniqueDim"),
}  # fmt: skip
"""by module, the functions that it makes"""
