"""A route for GroupedMatmulSwigluQuant: row by row."""

from __future__ import annotations

from math import exp

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.grouped.routes import ends
from tests.derived.launching import FILL
from tests.oracle.route import Route, but, route


def swiglu_quant(
    x: np.ndarray, weight: np.ndarray, weightScale: np.ndarray, xScale: np.ndarray, groupList: np.ndarray
) -> list[np.ndarray]:  # fmt: skip
    half = weight.shape[2] // 2
    rows, scales = np.full((len(x), half), float(FILL)), np.full(len(x), float(FILL))
    for at, row in enumerate(x.astype(float)):
        group = int((groupList <= at).sum())
        if group == len(groupList):
            continue
        wide = sum(value * line for value, line in zip(row, weight[group], strict=True))
        wide = np.asarray(wide) * xScale[at] * weightScale[group]
        found = [one / (1 + exp(-one)) * other for one, other in zip(wide[:half], wide[half:], strict=True)]
        scales[at] = max(map(abs, found)) / 127
        rows[at] = [round(each / scales[at]) if scales[at] else 0 for each in found]
    return [rows, scales]


def small(x: np.ndarray) -> np.ndarray:
    return x / 64


ROUTES: tuple[Route, ...] = (
    route("aclnnGroupedMatmulSwigluQuant", "row by row", swiglu_quant, bound="composite",
          groups=[["weightScale"]], values={"groupList": ends, "weightScale": small, "xScale": small},
          also=[{"weightScale": Meta((2, 64), ACL_FLOAT16)}],
          wrong={"scales of rows lost": but(swiglu_quant, xScale=lambda given: np.ones_like(given["xScale"])),
                 "another group": but(swiglu_quant, weight=lambda given: given["weight"][::-1])}),
)  # fmt: skip
