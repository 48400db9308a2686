"""Operators that move elements, and operators that create tensors from numbers.

Elements, NaN included, are moved bit for bit. Most operators copy from a view of the input (`_family`): a slice, a
transposition, an expansion. A negative dimension counts from the end. A null out of Stack, Range, Linspace, LogSpace
and DiagFlat is 561103, as the library checks it late.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "cat": ("aclnnCat",),
    "join": ("aclnnStack", "aclnnChunkCat"),
    "order": ("aclnnPermute", "aclnnFlip", "aclnnRoll", "aclnnChannelShuffle"),
    "matmul_weights": (
        "aclnnTransMatmulWeight", "aclnnCalculateMatmulWeightSize", "aclnnCalculateMatmulWeightSizeV2",
    ),
    "private_formats": ("aclnnNpuFormatCast", "aclnnNpuFormatCastCalculateSizeAndFormat"),
    "repeat_interleave": (
        "aclnnRepeatInterleave", "aclnnRepeatInterleaveWithDim", "aclnnRepeatInterleaveInt",
        "aclnnRepeatInterleaveIntWithDim", "aclnnRepeatInterleaveTensor",
    ),
    "shapes": ("aclnnExpand", "aclnnFlatten", "aclnnRepeat"),
    "slices": ("aclnnSlice", "aclnnSliceV2"),
    "triangles": (
        "aclnnTril", "aclnnInplaceTril", "aclnnTriu", "aclnnInplaceTriu", "aclnnDiag", "aclnnDiagFlat", "aclnnTrace",
        "aclnnEye",
    ),
    "creation": ("aclnnArange", "aclnnRange", "aclnnLinspace", "aclnnLogSpace", "aclnnOneHot"),
    "padding": ("aclnnConstantPadNd",),
    "edges": (
        "aclnnReflectionPad1d", "aclnnReflectionPad2d", "aclnnReflectionPad3d",
        "aclnnReplicationPad1d", "aclnnReplicationPad2d", "aclnnReplicationPad3d",
        "aclnnCircularPad2d", "aclnnCircularPad3d",
        "aclnnReflectionPad1dBackward", "aclnnReflectionPad2dBackward", "aclnnReflectionPad3dBackward",
        "aclnnReplicationPad1dBackward", "aclnnReplicationPad2dBackward", "aclnnReplicationPad3dBackward",
        "aclnnCircularPad2dBackward", "aclnnCircularPad3dBackward",
    ),
    "windows": ("aclnnIm2col", "aclnnIm2colBackward", "aclnnUnfoldGrad"),
    "repeat_interleave_grad": ("aclnnRepeatInterleaveGrad",),
    "split": ("aclnnSplitTensor", "aclnnSplitWithSize"),
    "strided_slice": ("aclnnStridedSlice",),
}  # fmt: skip
"""by module, the functions that it makes"""
