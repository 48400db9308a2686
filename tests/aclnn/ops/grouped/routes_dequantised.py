"""Routes for QuantMatmulDequant and its grouped forms: row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.launching import FILL
from tests.oracle.route import Route, but, route

F32 = np.float32


def scale_of(row: np.ndarray, given: Any, at: int) -> Any:
    if given is None:
        return F32(max(map(abs, row.tolist()), default=0)) / F32(127)
    return F32(given[at if len(given) > 1 else 0])


def dequantised(
    x: np.ndarray, weight: np.ndarray, weightScale: np.ndarray, xScaleOptional: Any, smoothScaleOptional: Any,
    groupList: Any = None,
) -> np.ndarray:  # fmt: skip
    """Each row is quantised, multiplied with the rows of its weight, and scaled back."""
    groups = [len(x)] if groupList is None else list(groupList)
    weights, scales = (each[None] if groupList is None else each for each in (weight, weightScale))
    rows = np.full((len(x), weights.shape[1]), float(FILL))
    for at, row in enumerate(x.astype(F32)):
        group = sum(end <= at for end in groups)
        if group == len(groups):
            continue
        smooth = row if smoothScaleOptional is None else row * smoothScaleOptional.astype(F32)
        scale = scale_of(smooth, xScaleOptional, at)
        q = [min(max(round(float(each * (F32(1) / scale))), -128), 127) if scale else 0 for each in smooth]
        last = scales[group]
        packed = last.dtype.kind in "iu"
        last = last.astype(np.uint32).view(F32) if packed else last
        sums = [sum(a * int(b) for a, b in zip(q, line, strict=True)) for line in weights[group]]
        rows[at] = np.array(sums, float) * last * (1 if packed else float(scale))
    return rows


def rising(drawn: np.ndarray) -> np.ndarray:
    """Groups of a row each, up to the third row."""
    return np.minimum(np.arange(1, len(drawn) + 1), 3)


def small(drawn: np.ndarray) -> np.ndarray:
    return np.abs(drawn) / 64 + 1 / 64


def near(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    return np.abs(exact) * 2.0**-10 + 2.0**-24


FORMS: list[dict[str, Any]] = [
    {"xScaleOptional": None}, {"xScaleOptional": None, "smoothScaleOptional": None},
    {"xQuantMode": "pertensor", "xScaleOptional": Meta((1,))},
]  # fmt: skip
WRONG = {"without smooth scales": but(dequantised, smoothScaleOptional=None),
         "scales of rows lost": but(dequantised, xScaleOptional=lambda given: np.ones(1)),
         "scales of columns in reverse": but(dequantised, weightScale=lambda given: given["weightScale"][..., ::-1]),
         }  # fmt: skip
OF_GROUPS = {**WRONG, "another group": but(dequantised, weight=lambda given: given["weight"][::-1])}
VALUES = {"weightScale": small, "xScaleOptional": small, "groupList": rising}
ROUTES: tuple[Route, ...] = (
    route("aclnnQuantMatmulDequant", "row by row", dequantised, bound=near, values=VALUES,
          groups=[("weightScale",)], also=FORMS, wrong=WRONG),
    route("aclnnQuantGroupedMatmulDequant", "aclnnQuantGroupedMatmulDequantWeightNZ", "row by row", dequantised,
          bound=near, values=VALUES,
          groups=[("weightScale",)], also=FORMS, wrong=OF_GROUPS),
)  # fmt: skip
