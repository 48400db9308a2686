"""Routes for DequantSwigluQuant: a loop over rows, in Python numbers."""

from __future__ import annotations

from math import ceil, exp, floor, trunc
from typing import Any

import numpy as np

from acl_runtime import ACL_FLOAT16, ACL_INT32, ACL_INT64
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.quantisation.good_calls import bf16, whole
from tests.aclnn.ops.quantisation.routes_swiglu import group_of, silu
from tests.oracle.route import Route, but, route

ROUND = {"rint": round, "round": round, "floor": floor, "ceil": ceil, "trunc": trunc}
NUMBERS = (7.0, 1.702, 1.0)


def row_of(table: np.ndarray | None, at: int, groups: Any) -> Any:
    """None: the tensor is null. Behind the last group: zeros."""
    if table is None or table.ndim == 1:
        return table
    group = 0 if groups is None else group_of(at, groups, counts=True)
    return np.zeros(table.shape[1], table.dtype) if group is None else table[group]


def unit(row: np.ndarray, left: bool, mode: int, numbers: tuple[float, float, float]) -> list[float]:
    size, (limit, alpha, bias) = len(row) // 2, numbers
    one, other = (row[::2], row[1::2]) if mode == 1 else (row[:size], row[size:])
    gates, lines = (one, other) if left or mode == 1 else (other, one)
    if mode == 0:
        return [silu(g) * line for g, line in zip(gates, lines, strict=True)]
    clipped = [min(max(line, -limit), limit) for line in lines]
    if mode == 3:
        return [min(silu(g), limit) * line for g, line in zip(gates, clipped, strict=True)]
    low = [min(g, limit) for g in gates]
    return [g / (1 + exp(-alpha * g)) * (line + bias) for g, line in zip(low, clipped, strict=True)]


def dequant(
    x: np.ndarray, weightScaleOptional: Any, activationScaleOptional: Any, biasOptional: Any, quantScaleOptional: Any,
    quantOffsetOptional: Any, groupIndexOptional: Any, activateLeft: bool, quantModeOptional: str | None,
    roundModeOptional: str | None, swigluMode: int, clampLimit: float, gluAlpha: float, gluBias: float,
) -> list[Any]:  # fmt: skip
    rows = x.reshape(-1, x.shape[-1])
    y, scales = np.zeros((len(rows), x.shape[-1] // 2)), np.zeros(len(rows))
    tables = (weightScaleOptional, biasOptional, quantScaleOptional, quantOffsetOptional)
    for at, given in enumerate(rows):
        weight, bias, quant, offset = (row_of(each, at, groupIndexOptional) for each in tables)
        row = given.astype(np.float64)
        row = row + bias if bias is not None and bias.dtype.kind == "i" else row
        row = row if weight is None else row * weight
        row = row if activationScaleOptional is None else row * activationScaleOptional.reshape(-1)[at]
        row = row + bias if bias is not None and bias.dtype.kind != "i" else row
        v = np.array(unit(row, activateLeft, swigluMode, (clampLimit, gluAlpha, gluBias)))
        if quantModeOptional == "dynamic":
            v = v if quant is None else v * quant
            scales[at] = np.abs(v).max() / 127
            y[at] = [ROUND[roundModeOptional or "rint"](a / scales[at]) if scales[at] else 0 for a in v]
        else:
            with np.errstate(all="ignore"):
                v = np.nan_to_num(v if quant is None else v / quant)  # 0 / 0 behind the last group
            v = v if offset is None else v + offset
            y[at] = [min(max(ROUND[roundModeOptional or "rint"](a), -128), 127) for a in v]
    scale = scales.reshape(x.shape[:-1]) if quantModeOptional == "dynamic" else None
    return [y.reshape(*x.shape[:-1], y.shape[1]), scale]


def first(
    x: np.ndarray, weightScaleOptional: Any, activationScaleOptional: Any, biasOptional: Any, quantScaleOptional: Any,
    quantOffsetOptional: Any, groupIndexOptional: Any, activateLeft: bool, quantModeOptional: str | None,
) -> list[Any]:  # fmt: skip
    return dequant(
        x, weightScaleOptional, activationScaleOptional, biasOptional, quantScaleOptional, quantOffsetOptional,
        groupIndexOptional, activateLeft, quantModeOptional, None, 0, *NUMBERS,
    )  # fmt: skip


def rows_of_groups(groups: np.ndarray) -> Any:
    """One row for each group; then rows may be left."""
    return np.ones(groups.size)


DYNAMIC: dict[str, Any] = {"quantModeOptional": "dynamic", "quantOffsetOptional": None}
ALONE: dict[str, Any] = {
    "weightScaleOptional": Meta((8,)), "biasOptional": bf16(8), "quantScaleOptional": Meta((4,)),
    "quantOffsetOptional": Meta((4,)), "groupIndexOptional": None,
}  # fmt: skip
FLOATS: dict[str, Any] = {
    "x": Meta((3, 8), ACL_FLOAT16), "weightScaleOptional": None, "activationScaleOptional": None, "biasOptional": None,
}  # fmt: skip
CASES: list[dict[str, Any]] = [
    DYNAMIC, {**DYNAMIC, "activateLeft": True}, {"quantModeOptional": None}, {**DYNAMIC, "quantScaleOptional": None},
    {"biasOptional": whole(2, 8, dtype=ACL_INT32)}, ALONE, {**ALONE, **DYNAMIC}, {"biasOptional": None},
    {**DYNAMIC, "x": whole(3, 2, 8, dtype=ACL_INT32), "activationScaleOptional": Meta((3, 2)),
     "yOut": whole(3, 2, 4), "scaleOut": Meta((3, 2))},
]  # fmt: skip
MODES: list[dict[str, Any]] = [
    *({**DYNAMIC, "swigluMode": mode, "activateLeft": mode == 2} for mode in (1, 2, 3)),
    {"roundModeOptional": "floor"}, {"swigluMode": 2, "clampLimit": 2.0, "gluAlpha": 0.5, "gluBias": 0.25},
]  # fmt: skip
SETTINGS: dict[str, Any] = {
    "bound": "composite", "groups": [("x",)], "values": {"groupIndexOptional": rows_of_groups},
}  # fmt: skip
WRONG: dict[str, Any] = {"scales of rows forgotten": "activationScaleOptional", "bias forgotten": "biasOptional"}
ROUTES: tuple[Route, ...] = (
    route("aclnnDequantSwigluQuant", "loop", first, **SETTINGS,
          also=[*CASES, {**FLOATS, "groupIndexOptional": whole(2, dtype=ACL_INT64)}],
          wrong={what: but(first, **{name: None}) for what, name in WRONG.items()} | {
              "the left half in any case": but(first, activateLeft=True)}),
    route("aclnnDequantSwigluQuantV2", "loop", dequant, **SETTINGS, also=[*CASES, *MODES],
          wrong={what: but(dequant, **{name: None}) for what, name in WRONG.items()} | {
              "never interleaved": but(dequant, swigluMode=lambda a: 2 * (a["swigluMode"] > 0)),
              "always half to even": but(dequant, roundModeOptional=None)}),
)  # fmt: skip
