"""Routes for `aclnn.ops.matmul`: torch, and outer products, added up in float64 one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.route import Route, by_torch, of_terms, route


def product(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    steps = (self[..., :, k, None] * mat2[..., None, k, :] for k in range(self.shape[-1]))
    return sum(steps, np.zeros((), self.dtype))


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    one, other = np.abs(arguments["self"]), np.abs(arguments["mat2"])
    return of_terms(product(one, other), one.shape[-1], dtype)


def last_term_lost(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    return product(self[..., :-1], mat2[..., :-1, :]) + np.zeros((self.shape[-2], mat2.shape[-1]))


def transposed(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """The elements of mat2 in column-major order."""
    return product(self, mat2.swapaxes(-1, -2).reshape(mat2.shape))


def rounded_on_the_way(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    found = np.zeros((), np.float16)
    for k in range(self.shape[-1]):
        found = (found + (self[..., :, k, None] * mat2[..., None, k, :]).astype(np.float16)).astype(np.float16)
    return found


WRONG = {
    "the last term lost": last_term_lost,
    "mat2 read in column-major order": transposed,
    "partial sums rounded to FLOAT16": rounded_on_the_way,
}
EXTREMES = {"self": ("nan", "huge", "tiny", "0")}
"""not of both: products beyond the largest float32 could cancel"""
ROUTES: tuple[Route, ...] = tuple(
    route(name, "outer products", product, bound=bound, wrong=WRONG, extremes=EXTREMES,
          torch=(f"torch.{torch}", by_torch(torch, "self", "mat2")))
    for name, torch in (("aclnnMatmul", "matmul"), ("aclnnMm", "mm"))
)  # fmt: skip
