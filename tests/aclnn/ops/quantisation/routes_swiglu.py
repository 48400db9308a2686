"""Routes for gated units that are quantised: a loop over rows."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.quantisation.good_calls import whole
from tests.oracle.route import Route, but, route


def silu(x: float) -> float:
    return x / (1 + exp(-x))


def group_of(row: int, groups: Any, *, counts: bool) -> int | None:
    """None behind the last group."""
    ends = np.cumsum(groups) if counts else groups
    return next((g for g, end in enumerate(ends) if row < end), None)


def swi_glu_quant(
    x: np.ndarray, smoothScalesOptional: np.ndarray | None, offsetsOptional: np.ndarray | None,
    groupIndexOptional: np.ndarray | None, activateLeft: bool, quantModeOptional: str | None, groupListType: int,
) -> list[Any]:  # fmt: skip
    rows, size = x.reshape(-1, x.shape[-1]), x.shape[-1] // 2
    y, scales = np.zeros((len(rows), size)), np.zeros(len(rows))
    for at, row in enumerate(rows):
        given = (0,) if groupIndexOptional is None else groupIndexOptional
        group = 0 if groupIndexOptional is None else group_of(at, given, counts=groupListType == 1)
        known = group is not None
        smooth = smoothScalesOptional
        factor = np.broadcast_to(smooth[group] if known and smooth is not None else 1.0, (size,))
        offset = np.broadcast_to(offsetsOptional[group] if known and offsetsOptional is not None else 0.0, (size,))
        halves = zip(row[:size], row[size:], factor, strict=True)
        z = [(silu(a) * b if activateLeft else a * silu(b)) * f for a, b, f in halves]
        scales[at] = 127 / max(map(abs, z))
        if quantModeOptional == "static":
            y[at] = [min(max(round(a + b), -128), 127) for a, b in zip(z, offset, strict=True)]
        else:
            y[at] = [round(a * scales[at]) for a in z]
    scale = None if quantModeOptional == "static" else scales.reshape(x.shape[:-1])
    return [y.reshape(*x.shape[:-1], size), scale]


def first(
    x: np.ndarray, smoothScalesOptional: np.ndarray, offsetsOptional: np.ndarray | None,
    groupIndexOptional: np.ndarray | None, activateLeft: bool, quantModeOptional: str | None,
) -> list[Any]:  # fmt: skip
    return swi_glu_quant(
        x, smoothScalesOptional, offsetsOptional, groupIndexOptional, activateLeft, quantModeOptional, 0
    )


def reciprocal(**arguments: Any) -> list[Any]:
    names = first.__code__.co_varnames[: first.__code__.co_argcount]
    y, scale = first(**{name: arguments[name] for name in names})
    return [y, None if scale is None else 1 / scale]


def ascending(groups: np.ndarray) -> Any:
    return 1 + np.arange(groups.size)


def wide(values: np.ndarray) -> Any:
    return 3 * values


STATIC: dict[str, Any] = {"quantModeOptional": "static", "activateLeft": True}
ALONE: dict[str, Any] = {
    "groupIndexOptional": None, "smoothScalesOptional": Meta((1, 4)), "offsetsOptional": Meta((1, 4))
}  # fmt: skip
NARROW: dict[str, Any] = {"smoothScalesOptional": Meta((2,)), "offsetsOptional": Meta((2,))}
CUBE: dict[str, Any] = {"x": Meta((3, 2, 8)), "yOut": whole(3, 2, 4), "scaleOut": Meta((3, 2))}
SETTINGS: dict[str, Any] = {
    "bound": "composite", "groups": [("x",)], "values": {"groupIndexOptional": ascending, "x": wide},
    "also": [STATIC, {"quantModeOptional": None}, ALONE, {**ALONE, **STATIC}, NARROW, {**NARROW, **STATIC}, CUBE,
             {**STATIC, "offsetsOptional": None}],
}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnSwiGluQuant", "loop", first, **SETTINGS,
          wrong={"the scale in place of the multiplier": reciprocal,
                 "the left half in any case": but(first, activateLeft=True),
                 "all rows in one group": but(first, groupIndexOptional=lambda a: None)}),
    route("aclnnSwiGluQuantV2", "loop", swi_glu_quant, **{**SETTINGS, "also": [
              *SETTINGS["also"], {"groupListType": 1}, {"groupListType": 1, **STATIC},
              {"smoothScalesOptional": None, "offsetsOptional": None}]},
          wrong={"counts as ends": but(swi_glu_quant, groupListType=0),
                 "the right half in any case": but(swi_glu_quant, activateLeft=False)}),
)  # fmt: skip
