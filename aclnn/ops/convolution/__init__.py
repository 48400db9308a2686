"""Convolutions in one to three dimensions, and their gradients.

The cube unit multiplies; cubeMathType says in which data type, as for matrix products. A tensor has to be labelled NCL,
NCHW or NCDHW, by its number of dimensions. `sums` has the formulas.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "forward": ("aclnnConvDepthwise2d", "aclnnConvolution"),
    "gradients": ("aclnnConvolutionBackward",),
    "time_batch_channel": ("aclnnConvTbc", "aclnnConvTbcBackward"),
}  # fmt: skip
"""by module, the functions that it makes"""
