"""Images of another size: nearest neighbours."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "nearest": ("aclnnUpsampleNearest2d",),
}  # fmt: skip
"""by module, the functions that it makes"""
