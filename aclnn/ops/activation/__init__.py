"""Activations, elementwise, and the softmax family, along one dimension.

Scalars are read as FLOAT. 16-bit floats are computed in FLOAT and rounded once, unless the page of a function says
otherwise. Comparisons with NaN are false. A gated unit splits a tensor into halves along a dimension of even size.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "gated": ("aclnnGeGlu", "aclnnGeGluV3", "aclnnGeluMul", "aclnnGlu", "aclnnSwiGlu"),
    "gated_gradients": ("aclnnGeGluBackward", "aclnnGeGluV3Backward", "aclnnGluBackward", "aclnnSwiGluGrad"),
    "gradients": (
        "aclnnSigmoidBackward", "aclnnSiluBackward", "aclnnTanhBackward", "aclnnThresholdBackward",
    ),
    "modulate": ("aclnnModulate", "aclnnModulateBackward"),
    "piecewise": (
        "aclnnCelu", "aclnnInplaceCelu", "aclnnElu", "aclnnInplaceElu", "aclnnHardsigmoid", "aclnnInplaceHardsigmoid",
        "aclnnHardswish", "aclnnInplaceHardswish", "aclnnHardtanh", "aclnnInplaceHardtanh", "aclnnLeakyRelu",
        "aclnnInplaceLeakyRelu", "aclnnSoftplus", "aclnnThreshold", "aclnnInplaceThreshold",
    ),
    "piecewise_gradients": (
        "aclnnEluBackward", "aclnnHardsigmoidBackward", "aclnnHardswishBackward", "aclnnHardswishBackwardV2",
        "aclnnHardtanhBackward", "aclnnLeakyReluBackward", "aclnnSeluBackward",
    ),
    "random_slope": ("aclnnRReluWithNoise", "aclnnInplaceRReluWithNoise"),
    "relu": ("aclnnPrelu", "aclnnRelu", "aclnnInplaceRelu"),
    "shrinks": (
        "aclnnHardshrink", "aclnnHardshrinkBackward", "aclnnShrink", "aclnnSoftshrink", "aclnnSoftshrinkBackward",
    ),
    "smooth": (
        "aclnnFastGelu", "aclnnGelu", "aclnnGeluV2", "aclnnLogSigmoid", "aclnnLogSigmoidForward", "aclnnMish",
        "aclnnInplaceMish", "aclnnSelu", "aclnnInplaceSelu", "aclnnSilu", "aclnnSquaredRelu", "aclnnSwish",
    ),
    "smooth_gradients": (
        "aclnnFastGeluBackward", "aclnnGeluBackward", "aclnnGeluBackwardV2", "aclnnLogSigmoidBackward",
        "aclnnMishBackward", "aclnnSoftplusBackward", "aclnnSwishBackward",
    ),
    "softmax": ("aclnnSoftmax", "aclnnLogSoftmax", "aclnnLogSoftmaxBackward"),
}  # fmt: skip
"""by module, the functions that it makes"""
