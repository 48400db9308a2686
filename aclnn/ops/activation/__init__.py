"""Activations, and the softmax family: elementwise functions, or one dimension at a time."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "relu": ("aclnnRelu", "aclnnInplaceRelu"),
    "softmax": ("aclnnSoftmax", "aclnnLogSoftmax"),
}  # fmt: skip
"""by module, the functions that it makes"""
