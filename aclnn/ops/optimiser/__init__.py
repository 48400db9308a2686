"""Optimisers, which change the weights of a network in place.

Floats of 16 bits are computed in FLOAT, and each tensor is rounded once for each step. The corrections for the first
steps, powers of 1 - beta^t, are computed in float64. Numbers that are passed as tensors have one element.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "adam": ("aclnnApplyAdam", "aclnnApplyAdamW", "aclnnApplyAdamWV2", "aclnnApplyFusedEmaAdam"),
    "fused": ("aclnnFusedAdamw", "aclnnFusedSgd"),
    "loss_scale": ("aclnnAmpUpdateScale",),
    "quantised": ("aclnnApplyAdamWQuant",),
}  # fmt: skip
"""by module, the functions that it makes"""
