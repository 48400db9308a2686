"""Operators that read or write at the positions in a tensor.

No status depends on the values of an index tensor. The task reads them: an index out of range is the finding
`index-range` (`_family`). Reads move elements bit for bit. If a position occurs twice, the last one in row-major order
counts, or all are added. Outputs whose size depends on values have their shape after the run.
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
