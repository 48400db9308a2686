"""Pooling: the average or the largest element of windows, and the gradients."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "adaptive": (
        "aclnnAdaptiveAvgPool2d", "aclnnAdaptiveAvgPool2dBackward", "aclnnAdaptiveAvgPool3d",
        "aclnnAdaptiveAvgPool3dBackward", "aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool2dBackward",
        "aclnnAdaptiveMaxPool3d", "aclnnAdaptiveMaxPool3dBackward",
    ),
    "average": ("aclnnAvgPool2d", "aclnnAvgPool2dBackward"),
    "maximum": ("aclnnMaxPool",),
    "places": (
        "aclnnMaxPool2dWithIndices", "aclnnMaxPool2dWithIndicesBackward", "aclnnMaxPool2dWithMask",
        "aclnnMaxPool2dWithMaskBackward", "aclnnMaxPool3dWithArgmax", "aclnnMaxPool3dWithArgmaxBackward",
    ),
    "whole": ("aclnnGlobalAveragePool", "aclnnGlobalMaxPool"),
    "volumes": ("aclnnAvgPool3d", "aclnnAvgPool3dBackward"),
}  # fmt: skip
"""by module, the functions that it makes"""
