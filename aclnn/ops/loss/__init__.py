"""Losses, which compare the result of a network with a target."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "cross_entropy": ("aclnnCrossEntropyLoss",),
    "differences": ("aclnnL1Loss", "aclnnMseLoss", "aclnnMseLossBackward"),
    "entropies": ("aclnnBinaryCrossEntropyWithLogits", "aclnnSoftmaxCrossEntropyWithLogits"),
    "likelihood": ("aclnnNLLLoss", "aclnnNLLLossBackward"),
}  # fmt: skip
"""by module, the functions that it makes"""
