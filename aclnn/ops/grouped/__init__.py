"""Products of groups of rows, each with a matrix of its own, as mixtures of experts have them; and FFN, which is two
of them."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "ffn": ("aclnnFFN", "aclnnFFNV2", "aclnnFFNV3"),
    "products": (
        "aclnnGroupedMatmul", "aclnnGroupedMatmulV2", "aclnnGroupedMatmulV3", "aclnnGroupedMatmulV4",
        "aclnnGroupedMatmulV5", "aclnnGroupedMatmulWeightNz",
    ),
    "swiglu_quant": ("aclnnGroupedMatmulSwigluQuant",),
}  # fmt: skip
"""by module, the functions that it makes"""
