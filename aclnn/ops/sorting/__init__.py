"""Sorting, and searching in sorted values."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "sort": ("aclnnSort",),
}  # fmt: skip
"""by module, the functions that it makes"""
