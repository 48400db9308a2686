"""Products of groups of rows, each with a matrix of its own, as mixtures of experts have them; and FFN, which is two of
them.

The groups come as an array, or as a tensor that is read when the task runs: where each ends, how many rows it has, or
pairs of a group and its rows. A tensor with a group beyond the rows is the finding `index-range`. Rows behind the last
group stay as they are. Each product is that of `matmul`: of floats, of INT8 with scales, or with a quantised weight.
"""

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
