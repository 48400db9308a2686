"""The route for Resize: the matrix of weights of each dimension."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.resize.routes import hat
from tests.derived.values import Values
from tests.oracle.route import Route, but, of_terms, route

NHWC = {
    "self": Meta((2, 4, 5, 3), ACL_FLOAT, ACL_FORMAT_NHWC), "scales": Values((1.0, 0.5, 1.4, 1.0)),
    "out": Meta((2, 2, 7, 3), ACL_FLOAT, ACL_FORMAT_NHWC),
}  # fmt: skip


def weights(size: int, wanted: int, mode: str, middle: float) -> np.ndarray:
    """By place of the result and of the image. `middle`: where in a place its value is."""
    found = np.zeros((wanted, size))
    for i in range(wanted):
        at = min(max((i + middle) * size / wanted - middle, 0), size - 1)
        found[i] = [place == floor(at) if mode == "nearest" else hat(at - place) for place in range(size)]
    return found


def resized(self: Any, scales: Any, mode: str, out: Any, middle: float = 0.0) -> Any:
    last = scales[1] != 1  # the channels
    down, across = (weights(self.shape[at - last], out.shape[at - last], mode, middle) for at in (2, 3))
    return np.einsum("yi,xj,nijc->nyxc" if last else "yi,xj,ncij->ncyx", down, across, self)


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return of_terms(8 * np.abs(arguments["self"]).max(initial=0.0), 4, dtype)


ROUTES: list[Route] = [
    route(
        "aclnnResize", "matrices", resized, bound=bound, also=[{"mode": "nearest"}, NHWC],
        wrong={"the middle of a place": but(resized, middle=lambda a: 0.5)},
    ),
]  # fmt: skip
