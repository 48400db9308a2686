"""Routes for `aclnn.ops.convolution.masked_causal`: row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, route


def forward(**given: Any) -> Any:
    x, weight, mask = given["x"], given["weight"], given["maskOptional"]
    out = np.zeros_like(x)
    for i, b in np.ndindex(x.shape[:2]):
        for k in range(min(3, i + 1) if mask is None or mask[b, i] else 0):
            out[i, b] += x[i - k, b] * weight[2 - k]
    return out


def backward(**given: Any) -> Any:
    x, weight, mask = given["x"], given["weight"], given["maskOptional"]
    of_x, of_weight = np.zeros_like(x), np.zeros_like(weight)
    for i, b in np.ndindex(x.shape[:2]):
        for k in range(min(3, i + 1) if mask is None or mask[b, i] else 0):
            of_x[i - k, b] += given["gradY"][i, b] * weight[2 - k]
            of_weight[2 - k] += given["gradY"][i, b] * x[i - k, b]
    return of_x, of_weight


def turned(given: dict[str, Any]) -> Any:
    return given["weight"][::-1]


ONE = {name: Meta((1, 2, 384), ACL_FLOAT16) for name in ("x", "out", "gradY", "gradXOut")}
ONE["maskOptional"] = Meta((2, 1), ACL_BOOL)
ROUTES: tuple[Route, ...] = tuple(
    route(name, "loop", way, bound="composite", wrong={"weights in the other order": but(way, weight=turned)},
          also=[{"maskOptional": None}, {key: value for key, value in ONE.items() if key in names}])
    for name, way, names in (
        ("aclnnMaskedCausalConv1d", forward, ("x", "out", "maskOptional")),
        ("aclnnMaskedCausalConv1dBackward", backward, ("x", "gradY", "gradXOut", "maskOptional")))
)  # fmt: skip
