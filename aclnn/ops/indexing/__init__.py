"""Operators that read or write at positions that a tensor holds."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "embedding": ("aclnnEmbedding",),
    "nonzero": ("aclnnNonzero",),
}  # fmt: skip
"""by module, the functions that it makes"""
