"""Quantisation: floats become integers of 8 or 4 bits, or floats of 8 bits, with a scale; and back.

All of it is computed in FLOAT. Integers are rounded by the mode, half to even by default, and saturate. Floats of 8
bits are rounded half to even, and saturate too. INT4 has two elements in a byte; an output of INT32 is a carrier of
INT4, eight elements in a word, the first one in its lowest bits (`_family`).
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
