"""Resizing of images by nearest neighbours and interpolation, in one to three dimensions, and the gradients; and
sampling at arbitrary positions.

`taps` has the formulas for resizing: the elements of a dimension that contribute to an element of the result, and their
weights.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "by_scales": ("aclnnResize",),
    "interpolated": (
        "aclnnUpsampleBicubic2d", "aclnnUpsampleBicubic2dAA", "aclnnUpsampleBicubic2dAAGrad",
        "aclnnUpsampleBicubic2dBackward", "aclnnUpsampleBilinear2d", "aclnnUpsampleBilinear2dAA",
        "aclnnUpsampleBilinear2dAABackward", "aclnnUpsampleBilinear2dBackward", "aclnnUpsampleBilinear2dBackwardV2",
        "aclnnUpsampleLinear1d", "aclnnUpsampleLinear1dBackward", "aclnnUpsampleTrilinear3d",
        "aclnnUpsampleTrilinear3dBackward",
    ),
    "nearest": (
        "aclnnUpsampleNearest1d", "aclnnUpsampleNearest1dBackward", "aclnnUpsampleNearest1dV2",
        "aclnnUpsampleNearest2d", "aclnnUpsampleNearest2dBackward", "aclnnUpsampleNearest2dV2",
        "aclnnUpsampleNearest3d", "aclnnUpsampleNearest3dBackward", "aclnnUpsampleNearestExact1d",
        "aclnnUpsampleNearestExact1dBackward", "aclnnUpsampleNearestExact2d", "aclnnUpsampleNearestExact2dBackward",
        "aclnnUpsampleNearestExact3d", "aclnnUpsampleNearestExact3dBackward",
    ),
    "sampling": ("aclnnAffineGrid", "aclnnGridSampler2D", "aclnnGridSampler3D"),
    "sampling_gradients": ("aclnnGridSampler2DBackward", "aclnnGridSampler3DBackward"),
}  # fmt: skip
"""by module, the functions that it makes"""
