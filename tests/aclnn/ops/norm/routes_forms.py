"""Routes for further forms of RmsNorm: torch, and loops over the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.norm.routes_norms import add_rms_norm, rms_norm, rounded_often, torch_add_rms_norm, torch_rms_norm
from tests.oracle.route import Route, but, route


def gemma(x: Any, gamma: Any, epsilon: float) -> Any:
    return rms_norm(x, 1 + gamma, epsilon)


def torch_gemma(x: Any, gamma: Any, epsilon: float) -> Any:
    return torch_rms_norm(x, 1 + gamma, epsilon)


def cast(x1: Any, x2: Any, gamma: Any, epsilon: float) -> Any:
    y, rstd, x = add_rms_norm(x1, x2, gamma, epsilon)
    return [y, y, rstd, x]


def torch_cast(x1: Any, x2: Any, gamma: Any, epsilon: float) -> Any:
    y, rstd, x = torch_add_rms_norm(x1, x2, gamma, epsilon)
    return [y, y, rstd, x]


def rounded_as_y2(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """y1Out is FLOAT, and has the roundings of y2Out."""
    return rounded_often(arguments, exact, arguments["dtypes"]["x1"] if dtype == "float32" else dtype)


DEEP = {"x": Meta((2, 3, 4)), "gamma": Meta((3, 4)), "yOut": Meta((2, 3, 4)), "rstdOut": Meta((2, 1, 1))}
ROUTES: tuple[Route, ...] = (
    route("aclnnGemmaRmsNorm", "loop", gemma, bound="composite", torch=("torch.rms_norm", torch_gemma), also=[DEEP],
          extremes={"x": ("nan", "tiny", "0")}, groups=[("x", "gamma", "yOut")],
          wrong={"gamma from 0": but(rms_norm), "epsilon ignored": but(gemma, epsilon=0.5)}),
    route("aclnnAddRmsNormCast", "loop", cast, bound=rounded_as_y2, torch=("torch.rms_norm", torch_cast),
          groups=[("x1", "x2", "gamma", "y2Out", "xOut")],
          wrong={"no gamma": but(cast, gamma=lambda given: np.ones_like(given["gamma"])),
                 "one input": but(cast, x2=lambda given: 0 * given["x2"])}),
)  # fmt: skip
