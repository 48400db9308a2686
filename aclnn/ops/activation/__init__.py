"""Activations, and the softmax family: elementwise functions, or one dimension at a time."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "gated": ("aclnnGeGlu", "aclnnGeGluV3", "aclnnSwiGlu"),
    "gradients": (
        "aclnnGeluBackward", "aclnnSigmoidBackward", "aclnnSiluBackward", "aclnnTanhBackward", "aclnnThresholdBackward",
    ),
    "piecewise": (
        "aclnnElu", "aclnnInplaceElu", "aclnnHardsigmoid", "aclnnHardswish", "aclnnLeakyRelu", "aclnnInplaceLeakyRelu",
        "aclnnSoftplus", "aclnnThreshold", "aclnnInplaceThreshold",
    ),
    "relu": ("aclnnRelu", "aclnnInplaceRelu"),
    "smooth": (
        "aclnnFastGelu", "aclnnGelu", "aclnnGeluV2", "aclnnLogSigmoid", "aclnnMish", "aclnnInplaceMish",
        "aclnnSelu", "aclnnInplaceSelu", "aclnnSilu",
    ),
    "softmax": ("aclnnSoftmax", "aclnnLogSoftmax", "aclnnLogSoftmaxBackward"),
}  # fmt: skip
"""by module, the functions that it makes"""
