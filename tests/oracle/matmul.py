"""Routes for `aclnn.ops.matmul`: outer products, added up in float64 one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.route import Route, of_terms, route


def product(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    steps = (self[..., :, k, None] * mat2[..., None, k, :] for k in range(self.shape[-1]))
    return sum(steps, np.zeros((), self.dtype))


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    one, other = np.abs(arguments["self"]), np.abs(arguments["mat2"])
    return of_terms(product(one, other), one.shape[-1], dtype)


ROUTES: tuple[Route, ...] = (route("aclnnMatmul", "aclnnMm", "outer products", product, bound=bound),)
