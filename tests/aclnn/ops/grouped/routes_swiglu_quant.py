"""A route for GroupedMatmulSwigluQuant: row by row."""

from __future__ import annotations

from math import exp

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.grouped.routes import counts, ends
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


def of_lists(
    x: np.ndarray, weight: list[np.ndarray], weightScale: list[np.ndarray], xScale: np.ndarray, groupList: np.ndarray
) -> list[np.ndarray]:  # fmt: skip
    """The groups by their numbers of rows."""
    whole = [tensors[0] if tensors[0].ndim == dims else np.stack(tensors) for tensors, dims in (
        (weight, 3), (weightScale, 2))]  # fmt: skip
    return swiglu_quant(x, *whole, xScale, np.cumsum(groupList))


def small(x: np.ndarray) -> np.ndarray:
    return x / 64


NZ = ACL_FORMAT_FRACTAL_NZ
APART = {"weight": (Meta((32, 64), ACL_INT8, NZ, storage=(2, 2, 16, 32)),) * 2, "weightScale": (Meta((64,)),) * 2}
ROUTES: tuple[Route, ...] = (
    route("aclnnGroupedMatmulSwigluQuantV2", "aclnnGroupedMatmulSwigluQuantWeightNzV2", "row by row", of_lists,
          bound="composite", groups=[["weightScale"]],
          values={"groupList": counts, "weightScale": small, "xScale": small}, also=[APART],
          wrong={"scales of rows lost": but(of_lists, xScale=lambda given: np.ones_like(given["xScale"])),
                 "another group": but(of_lists, weight=lambda given: [each[::-1] for each in given["weight"]][::-1])}),
    route("aclnnGroupedMatmulSwigluQuant", "aclnnGroupedMatmulSwigluQuantWeightNZ", "row by row", swiglu_quant,
          bound="composite",
          groups=[["weightScale"]], values={"groupList": ends, "weightScale": small, "xScale": small},
          also=[{"weightScale": Meta((2, 64), ACL_FLOAT16)}],
          wrong={"scales of rows lost": but(swiglu_quant, xScale=lambda given: np.ones_like(given["xScale"])),
                 "another group": but(swiglu_quant, weight=lambda given: given["weight"][::-1])}),
)  # fmt: skip
