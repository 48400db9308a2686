"""Sorting, positions of extremes, k-th elements, and search in sorted values.

Positions count from 0 along the dimension. NaN is the largest value, and equal values keep their order.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "sort": ("aclnnSort", "aclnnArgsort", "aclnnTopk"),
    "positions": ("aclnnArgMax", "aclnnArgMin", "aclnnMaxDim", "aclnnMinDim"),
    "medians": ("aclnnKthvalue", "aclnnMedian", "aclnnNanMedian", "aclnnMedianDim", "aclnnNanMedianDim"),
    "sampling": ("aclnnTopKTopPSample", "aclnnTopKTopPSampleV2"),
    "search": ("aclnnSearchSorted", "aclnnSearchSorteds", "aclnnBucketize"),
}  # fmt: skip
"""by module, the functions that it makes"""
