"""Normalisation by the statistics of a tensor, forward and backward.

- A variance is divided by the number of elements. eps is added inside of the root: rstd = 1 / sqrt(var + eps).
- Floats of 16 bits are computed in float32 and rounded once, if a function does not say otherwise.
- A null weight or gamma is 1, a null bias or beta 0. Without elements, a mean is 0 and rstd is NaN.
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
