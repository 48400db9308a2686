"""Products of matrices and vectors, on the cube unit."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "products": ("aclnnMatmul", "aclnnMm"),
}  # fmt: skip
"""by module, the functions that it makes"""
