"""Normalisation by the statistics of a tensor, forward and backward."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "added_layer": ("aclnnAddLayerNorm", "aclnnAddLayerNormGrad", "aclnnDeepNorm", "aclnnDeepNormGrad"),
    "batch": ("aclnnBatchNorm", "aclnnBatchNormBackward", "aclnnFastBatchNormBackward"),
    "gathered_batch": ("aclnnBatchNormGatherStatsWithCounts", "aclnnSyncBatchNormGatherStats"),
    "group": ("aclnnGroupNorm", "aclnnGroupNormSilu", "aclnnGroupNormSiluV2"),
    "group_grad": ("aclnnGroupNormBackward",),
    "group_swish": ("aclnnGroupNormSwish", "aclnnGroupNormSwishGrad"),
    "instance": ("aclnnInstanceNorm",),
    "layer": (
        "aclnnFastLayerNorm", "aclnnLayerNorm", "aclnnLayerNormBackward", "aclnnLayerNormWithImplMode",
    ),
    "renorm": ("aclnnEmbeddingRenorm", "aclnnInplaceRenorm", "aclnnRenorm"),
    "root_mean_square": ("aclnnAddRmsNorm", "aclnnInplaceAddRmsNorm", "aclnnRmsNorm", "aclnnRmsNormGrad"),
    "synchronised_batch": (
        "aclnnBatchNormElemt", "aclnnBatchNormElemtBackward", "aclnnBatchNormReduce", "aclnnBatchNormStats",
    ),
}  # fmt: skip
"""by module, the functions that it makes"""
