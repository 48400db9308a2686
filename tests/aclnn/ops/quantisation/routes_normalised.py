"""Routes for `aclnn.ops.quantisation.normalised`: a loop over rows, with math.fsum."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum, sqrt
from typing import Any

import numpy as np

from acl_runtime import ACL_FLOAT16
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.quantisation.good_calls import bf16, whole
from tests.oracle.route import Route, but, route


def normalised(x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, epsilon: float) -> Iterator[np.ndarray]:
    """Row by row; a row has as many elements as gamma."""
    for row in (x1 + x2).reshape(-1, gamma.size):
        root = sqrt(fsum(each * each for each in row) / row.size + epsilon)
        yield row / root * gamma.reshape(-1)


def whole_numbers(values: np.ndarray) -> list[int]:
    return [min(max(round(each), -128), 127) for each in values.tolist()]


def quant(
    x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, scales1: np.ndarray, scales2Optional: np.ndarray | None,
    zeroPoints1Optional: np.ndarray | None, zeroPoints2Optional: np.ndarray | None, epsilon: float, divMode: bool,
) -> list[Any]:  # fmt: skip
    """The second result is not written without its scales."""
    found: list[Any] = []
    for scales, zeros in ((scales1, zeroPoints1Optional), (scales2Optional, zeroPoints2Optional)):
        if scales is None:
            found.append(None)
            continue
        factor, shift = scales.reshape(-1), 0 if zeros is None else zeros.reshape(-1)
        rows = [
            whole_numbers((row / factor if divMode else row * factor) + shift)
            for row in normalised(x1, x2, gamma, epsilon)
        ]
        found.append(np.array(rows).reshape(x1.shape))
    return [*found, x1 + x2]


def dynamic(
    x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, smoothScale1Optional: np.ndarray | None,
    smoothScale2Optional: np.ndarray | None, epsilon: float,
) -> list[Any]:  # fmt: skip
    results, scales = [], []
    for at, smooth in enumerate((smoothScale1Optional, smoothScale2Optional)):
        if smooth is None and at:
            results.append(None)
            scales.append(None)
            continue
        z = [row * (1 if smooth is None else smooth) for row in normalised(x1, x2, gamma, epsilon)]
        scale = [max(map(abs, row)) / 127 for row in z]
        results.append(np.array([whole_numbers(row / s) for row, s in zip(z, scale, strict=True)]).reshape(x1.shape))
        scales.append(np.array(scale).reshape(x1.shape[:-1]))
    return [*results, x1 + x2, *scales]


def around_the_mean(**arguments: Any) -> list[Any]:
    """As a layer norm does it."""
    x = arguments["x1"] + arguments["x2"]
    mean = x.reshape(-1, arguments["gamma"].size).mean(1, keepdims=True)
    moved = (x.reshape(-1, arguments["gamma"].size) - mean).reshape(x.shape)
    named = {name: arguments[name] for name in quant.__code__.co_varnames[: quant.__code__.co_argcount]}
    return [*quant(**{**named, "x1": moved, "x2": 0 * moved})[:2], x]


def wide(values: np.ndarray) -> Any:
    return np.where(np.abs(values.astype(np.float32)) < 0.05, 0.05, values)


ONCE: dict[str, Any] = {"scales2Optional": None, "zeroPoints2Optional": None}
CUBE = {**dict.fromkeys(("x1", "x2", "xOut"), Meta((2, 2, 8), ACL_FLOAT16)),
        **dict.fromkeys(("y1Out", "y2Out"), whole(2, 2, 8))}  # fmt: skip
PAIRS = {**CUBE, "gamma": Meta((2, 8), ACL_FLOAT16), **dict.fromkeys(("scales1", "scales2Optional"), Meta((2, 8))),
         "zeroPoints1Optional": None, "zeroPoints2Optional": None}  # fmt: skip
SHORT = {"scales1": bf16(8), "scales2Optional": bf16(8), "zeroPoints1Optional": bf16(8),
         "zeroPoints2Optional": bf16(8)}  # fmt: skip
GROUP = [("x1", "x2", "gamma", "xOut")]
ROUTES: tuple[Route, ...] = (
    route("aclnnAddRmsNormQuant", "loop", quant, groups=GROUP,
          values={"scales1": wide, "scales2Optional": wide},
          also=[ONCE, {"zeroPoints1Optional": None}, {"divMode": False}, PAIRS, SHORT],
          wrong={"around the mean": around_the_mean, "without epsilon": but(quant, epsilon=0.0),
                 "always divided": but(quant, divMode=True),
                 "zero points forgotten": but(quant, zeroPoints1Optional=None)}),
    route("aclnnAddRmsNormDynamicQuant", "loop", dynamic, bound="composite",
          groups=[(*GROUP[0], "smoothScale1Optional", "smoothScale2Optional")],
          also=[{"smoothScale2Optional": None}, {"smoothScale1Optional": None, "smoothScale2Optional": None},
                {"smoothScale1Optional": None},
                {**CUBE, "scale1Out": Meta((2, 2)), "scale2Out": Meta((2, 2))}],
          wrong={"without epsilon": but(dynamic, epsilon=0.0),
                 "smooth factors forgotten": but(dynamic, smoothScale1Optional=None)}),
)  # fmt: skip
