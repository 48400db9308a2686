"""Normalisation by the statistics of a tensor, forward and backward.

- A variance is divided by the number of elements. eps is added inside the root: rstd = 1 / sqrt(var + eps).
- 16-bit floats are computed in float32 and rounded once, unless the page of a function says otherwise.
- A null weight or gamma counts as 1, a null bias or beta as 0. Without elements, a mean is 0 and rstd is NaN.
- An output whose flag in a mask is false may be null. It is not checked, and not written.
"""

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
