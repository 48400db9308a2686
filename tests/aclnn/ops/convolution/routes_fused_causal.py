"""Routes for `aclnn.ops.convolution.fused_causal`: row by row, with the rows of a sequence in a list."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, route


def continued(**given: Any) -> Any:
    x, taps, states = given["x"], given["weight"], given["convStates"].copy()
    y = given["y"].copy() if "y" in given else x.copy()
    starts, lines, computed = given["queryStartLoc"], given["cacheIndices"], given["numComputedTokens"]
    for b in range(len(starts) - 1 if x.ndim == 2 else len(x)):
        rows = list(x[starts[b] : starts[b + 1]] if x.ndim == 2 else x[b])
        line = b if lines is None else lines[b]
        if line == given["padSlotId"]:
            continue
        count = None if computed is None else computed[b]
        held = list(states[line].copy())
        if count == 0:
            before = [np.zeros_like(taps[0])] * 2
            first = 0
        else:
            first = len(held) - 2 if given["numAcceptedTokens"] is None else given["numAcceptedTokens"][b] - 1
            before = held[: first + 2]
        line_up = before + rows
        states[line] = np.array((held + line_up)[-len(held) :] if len(line_up) >= len(held)
                                else held[: len(held) - len(line_up)] + line_up)  # fmt: skip
        for i, row in enumerate(rows):
            result = sum(line_up[first + i + tap] * taps[tap] for tap in range(3))
            if given["convMode"] == 1 and i + (count or 0) < 2:
                result = np.zeros_like(row)
            target = y[starts[b] + i : starts[b] + i + 1] if x.ndim == 2 else y[b, i : i + 1]
            target[0] = result + row * given["residualConnection"]
    return (states, y) if "y" in given else (y, states)


def turned(given: dict[str, Any]) -> Any:
    return given["weight"][::-1]


VALUES = {
    "queryStartLoc": lambda x: np.array([0, 3, 5]), "cacheIndices": lambda x: np.array([2, 0]),
    "numComputedTokens": lambda x: np.array([0, 1]), "numAcceptedTokens": lambda x: np.array([1, 2]),
}  # fmt: skip
PADDED = {"queryStartLoc": None, "cacheIndices": None, "numAcceptedTokens": Meta((2,), ACL_INT32)}
ROWS = Meta((2, 4, 6), ACL_FLOAT16)
WRONG = {"weights in the other order": but(continued, weight=turned),
         "all rows are new": but(continued, numComputedTokens=None)}  # fmt: skip
ROUTES: tuple[Route, ...] = tuple(
    route(name, "loop", continued, bound="composite", values=VALUES, groups=[("x", "weight", "convStates", "y")],
          also=[{**PADDED, "x": ROWS, **more}, {"residualConnection": 1, "convMode": 1},
                {"numComputedTokens": None, "cacheIndices": None}], wrong=WRONG)
    for name, more in (("aclnnFusedCausalConv1d", {"y": ROWS}), ("aclnnInplaceFusedCausalConv1d", {}))
)  # fmt: skip
