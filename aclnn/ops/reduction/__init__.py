"""Operators that reduce dimensions: sums and means."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "sums": ("aclnnReduceSum", "aclnnMean"),
}  # fmt: skip
"""by module, the functions that it makes"""
