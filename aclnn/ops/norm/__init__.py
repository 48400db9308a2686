"""Normalisation by the statistics of a tensor, forward and backward."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "batch": ("aclnnBatchNorm", "aclnnBatchNormBackward"),
    "group": ("aclnnGroupNorm",),
    "layer": ("aclnnLayerNorm", "aclnnLayerNormBackward"),
    "root_mean_square": ("aclnnAddRmsNorm", "aclnnRmsNorm"),
    "synchronised_batch": ("aclnnBatchNormElemtBackward",),
}  # fmt: skip
"""by module, the functions that it makes"""
