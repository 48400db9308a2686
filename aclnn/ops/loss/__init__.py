"""Losses, which compare the result of a network with a target.

`reduction` is 0 for the loss of each element, 1 for the mean and 2 for the sum; a few functions have further values, or
a text. The mean of an empty set is NaN, the sum is 0. Labels are read when the task runs: a label that is neither a
class nor the ignored index is the finding `index-range`.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "cross_entropy": ("aclnnCrossEntropyLoss",),
    "differences": ("aclnnL1Loss", "aclnnMseLoss", "aclnnMseLossBackward", "aclnnMseLossOut"),
    "divergence": ("aclnnKlDiv", "aclnnKlDivBackward", "aclnnKlDivTargetBackward", "aclnnLogitGrad"),
    "entropies": ("aclnnBinaryCrossEntropyWithLogits", "aclnnSoftmaxCrossEntropyWithLogits"),
    "images": ("aclnnNLLLoss2d", "aclnnNLLLoss2dBackward"),
    "likelihood": ("aclnnNLLLoss", "aclnnNLLLossBackward"),
    "parallel": ("aclnnCrossEntropySumExpAndIndexLogit", "aclnnFusedCrossEntropyLossWithMaxSum"),
    "probabilities": (
        "aclnnBinaryCrossEntropy", "aclnnBinaryCrossEntropyBackward", "aclnnBinaryCrossEntropyWithLogitsBackward",
        "aclnnBinaryCrossEntropyWithLogitsTargetBackward",
    ),
    "sequences": ("aclnnCtcLoss", "aclnnCtcLossBackward"),
    "sets": ("aclnnMultilabelMarginLoss",),
    "smooth": (
        "aclnnL1LossBackward", "aclnnSmoothL1Loss", "aclnnSmoothL1LossBackward", "aclnnSoftMarginLoss",
        "aclnnSoftMarginLossBackward",
    ),
}  # fmt: skip
"""by module, the functions that it makes"""
