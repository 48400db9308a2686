"""Operators that only move elements: join, split, repeat, pad, cast to another format."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "cat": ("aclnnCat",),
    "private_formats": (
        "aclnnTransMatmulWeight", "aclnnNpuFormatCast", "aclnnCalculateMatmulWeightSize",
        "aclnnCalculateMatmulWeightSizeV2", "aclnnNpuFormatCastCalculateSizeAndFormat",
    ),
    "split": ("aclnnSplitTensor",),
}  # fmt: skip
"""by module, the functions that it makes"""
