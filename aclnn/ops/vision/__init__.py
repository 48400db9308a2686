"""Operators on boxes in images: alignment and pooling of regions, overlaps, suppression; also blending of images, and
triangles of a mesh."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "blending": ("aclnnBackgroundReplace", "aclnnBlendImagesCustom", "aclnnMrgbaCustom"),
    "non_max_suppression": ("aclnnNonMaxSuppression",),
    "overlaps": ("aclnnCIoU", "aclnnIou"),
    "rasterizer": ("aclnnRasterizer",),
    "roi_align": ("aclnnRoiAlign", "aclnnRoiAlignV2", "aclnnRoiAlignV2Backward"),
    "roi_pooling": ("aclnnRoiPoolingGradWithArgMax", "aclnnRoiPoolingWithArgMax"),
    "three_interpolate": ("aclnnThreeInterpolateBackward",),
}
"""by module, the functions that it makes"""
