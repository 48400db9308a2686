"""Optimisers, which change the weights of a network in place."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "adam": ("aclnnApplyAdam", "aclnnApplyAdamW", "aclnnApplyAdamWV2", "aclnnApplyFusedEmaAdam"),
    "fused": ("aclnnFusedAdamw", "aclnnFusedSgd"),
    "loss_scale": ("aclnnAmpUpdateScale",),
    "quantised": ("aclnnApplyAdamWQuant",),
}  # fmt: skip
"""by module, the functions that it makes"""
