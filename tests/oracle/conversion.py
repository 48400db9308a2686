"""Routes for `aclnn.ops.elementwise.conversion`: the values themselves. `compare` rounds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.route import Route, route


def same(self: np.ndarray) -> np.ndarray:
    return self


def spread(self: np.ndarray, src: np.ndarray) -> np.ndarray:
    return src + np.zeros(self.shape, src.dtype)


def zeros(self: np.ndarray) -> np.ndarray:
    return np.zeros(self.shape)


def one_value(self: np.ndarray, value: Any) -> np.ndarray:
    return np.array([value] * self.size).reshape(self.shape)


POSITIVE = {"self": np.abs, "src": np.abs}
"""a conversion of negative floats to unsigned integers has rules of its own, with tests of their own"""
ROUTES: tuple[Route, ...] = (
    route("aclnnCast", "identity", same, bound="exact", values=POSITIVE, groups=[["self"], ["dtype", "out"]]),
    route("aclnnInplaceCopy", "identity", spread, bound="exact", values=POSITIVE, groups=[["self"], ["src"]]),
    route("aclnnInplaceZero", "identity", zeros, bound="exact"),
    route("aclnnInplaceFillScalar", "loop", one_value, bound="exact"),
)
