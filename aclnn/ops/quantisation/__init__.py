"""Quantisation of floats to 8-bit or 4-bit integers, or to 8-bit floats, with a scale; and dequantisation.

All computations are in FLOAT. Integers are rounded according to the mode, by default half to even, and saturate. 8-bit
floats are rounded half to even and saturate as well. INT4 packs two elements into a byte. An INT32 output carries eight
INT4 elements in each word, the first one in the lowest bits (`_family`).
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "dequant_swiglu": ("aclnnDequantSwigluQuant", "aclnnDequantSwigluQuantV2"),
    "dynamic": ("aclnnDynamicQuant", "aclnnDynamicQuantV2", "aclnnDynamicQuantV3", "aclnnDynamicQuantV4"),
    "fake": ("aclnnFakeQuantPerTensorAffineCachemask", "aclnnFakeQuantPerChannelAffineCachemask"),
    "given_scales": ("aclnnAscendQuant", "aclnnAscendQuantV3", "aclnnAscendAntiQuant"),
    "host": ("aclnnTransQuantParam",),
    "normalised": ("aclnnAddRmsNormQuant", "aclnnAddRmsNormDynamicQuant"),
    "normalised_dynamic_v2": ("aclnnAddRmsNormDynamicQuantV2",),
    "normalised_v2": ("aclnnAddRmsNormQuantV2",),
    "swiglu": ("aclnnSwiGluQuant", "aclnnSwiGluQuantV2"),
    "zero_points": ("aclnnQuantize", "aclnnGroupQuant", "aclnnDequantBias"),
}  # fmt: skip
"""by module, the functions that it makes"""
