"""Routes for `aclnn.ops.activation`. Softmax by way of the logarithm of the sum of exponentials, added up in pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, elements, route


def relu(self: Any) -> Any:
    return self if self > 0 else type(self)(0)


def log_softmax(self: np.ndarray, dim: int) -> np.ndarray:
    return self - np.logaddexp.reduce(self, axis=dim, keepdims=True) if self.ndim else self - self


def softmax(self: np.ndarray, dim: int) -> np.ndarray:
    return np.exp(log_softmax(self, dim))


ROUTES: tuple[Route, ...] = (
    route("aclnnRelu", "aclnnInplaceRelu", "loop", elements(relu), bound="exact"),
    route("aclnnSoftmax", "log-sum-exp", softmax, bound="composite", also=[{"dim": -1}]),
    route("aclnnLogSoftmax", "log-sum-exp", log_softmax, bound="composite", also=[{"dim": -1}]),
)
