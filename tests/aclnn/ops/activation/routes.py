"""Routes for `aclnn.ops.activation`. Without torch, softmax by way of the logarithm of the sum of exponentials, added
up in pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, by_torch, elements, route


def relu(self: Any) -> Any:
    """NaN stays NaN."""
    return self if self > 0 or self != self else type(self)(0)


def log_softmax(self: np.ndarray, dim: int) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return self - np.logaddexp.reduce(self, axis=dim, keepdims=True) if self.ndim else self - self


def softmax(self: np.ndarray, dim: int) -> np.ndarray:
    return np.exp(log_softmax(self, dim))


def without_maximum(self: np.ndarray, dim: int) -> np.ndarray:
    """The exponentials of large numbers are infinite."""
    powers = np.exp(self)
    return powers / powers.sum(dim, keepdims=True)


def log_without_maximum(self: np.ndarray, dim: int) -> np.ndarray:
    return np.log(without_maximum(self, dim))


def other_axis(self: np.ndarray, dim: int) -> np.ndarray:
    return softmax(self, dim - 1 if self.ndim > 1 else dim)


def log_other_axis(self: np.ndarray, dim: int) -> np.ndarray:
    return log_softmax(self, dim - 1 if self.ndim > 1 else dim)


SCORES = {"self": ("nan", "-inf", "large", "tiny")}
ROUTES: tuple[Route, ...] = (
    route("aclnnRelu", "aclnnInplaceRelu", "loop", elements(relu), bound="exact",
          torch=("torch.relu", by_torch("relu", "self")), extremes={"self": ALL},
          wrong={"the absolute value": lambda self: np.abs(self),
                 "NaN becomes 0": elements(lambda self: self if self > 0 else 0)}),
    route("aclnnSoftmax", "log-sum-exp", softmax, bound="composite", also=[{"dim": -1}],
          torch=("torch.softmax", by_torch("softmax", "self", "dim")), extremes=SCORES,
          wrong={"over another axis": other_axis, "maximum not subtracted": without_maximum,
                 "the logarithm": log_softmax}),
    route("aclnnLogSoftmax", "log-sum-exp", log_softmax, bound="composite", also=[{"dim": -1}],
          torch=("torch.log_softmax", by_torch("log_softmax", "self", "dim")), extremes=SCORES,
          wrong={"over another axis": log_other_axis, "maximum not subtracted": log_without_maximum,
                 "no logarithm": softmax}),
)  # fmt: skip
