"""Average and maximum pooling, and the gradients.

An array with one number applies to all dimensions, and an empty stride equals the kernel size. With ceilMode the last
window may extend beyond the end. NaN is the largest element, and of equal elements the first one counts. Averages
accumulate in 64 bits. The last dimensions are the image, or the dimensions before the channels in a channels-last
format.
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
