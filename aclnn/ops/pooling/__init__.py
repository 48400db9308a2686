"""Pooling: the average or the largest element of windows, and the gradients.

An array of one number counts for all dimensions, and an empty stride is the kernel. With ceilMode a last window may
hang over the end. NaN is the largest element, and of equal elements the first one counts. Averages have sums of 64
bits. The last dimensions are the images, or those before the channels if the format says that these come last.
"""

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
