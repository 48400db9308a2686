"""Routes for `aclnn.ops.quantisation.normalised_v2` and `normalised_dynamic_v2`: a loop over rows, with math.fsum."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum, sqrt
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.quantisation.good_calls import SUM, bf16, whole
from tests.aclnn.ops.quantisation.routes_normalised import GROUP, ONCE, whole_numbers, wide
from tests.oracle.route import Route, but, route


def rows(
    x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, betaOptional: np.ndarray | None, epsilon: float
) -> Iterator[tuple[np.ndarray, np.ndarray]]:  # fmt: skip
    """Row by row: normalised, and shifted."""
    for row in (x1 + x2).reshape(-1, gamma.size):
        root = sqrt(fsum(each * each for each in row) / row.size + epsilon)
        norm = row / root * gamma.reshape(-1)
        yield norm, norm if betaOptional is None else norm + betaOptional.reshape(-1)


def quant(
    x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, scales1: np.ndarray, scales2Optional: np.ndarray | None,
    zeroPoints1Optional: np.ndarray | None, zeroPoints2Optional: np.ndarray | None, betaOptional: np.ndarray | None,
    epsilon: float, divMode: bool,
) -> list[Any]:  # fmt: skip
    found: list[Any] = []
    pairs = list(rows(x1, x2, gamma, betaOptional, epsilon))
    for scales, zeros in ((scales1, zeroPoints1Optional), (scales2Optional, zeroPoints2Optional)):
        if scales is None:
            found.append(None)
            continue
        factor, shift = scales.reshape(-1), 0 if zeros is None else zeros.reshape(-1)
        numbers = [whole_numbers((q / factor if divMode else q * factor) + shift) for _, q in pairs]
        found.append(np.array(numbers).reshape(x1.shape))
    if betaOptional is None and scales1.size == 1:  # this case asks for rmsNormOut, the others for xOut
        return [*found, np.array([norm for norm, _ in pairs]).reshape(x1.shape)]
    return [*found, x1 + x2]


def dynamic(
    x1: np.ndarray, x2: np.ndarray, gamma: np.ndarray, smoothScale1Optional: np.ndarray | None,
    smoothScale2Optional: np.ndarray | None, betaOptional: np.ndarray | None, epsilon: float,
    outputMask: list[bool] | None,
) -> list[Any]:  # fmt: skip
    smooth = (smoothScale1Optional, smoothScale2Optional)
    asked = outputMask or [True, all(each is not None for each in smooth)]
    results: list[Any] = [None, None]
    scales: list[Any] = [None, None]
    for at in (0, 1):
        if asked[at]:
            z = [q * (1 if (own := smooth[at]) is None else own) for _, q in rows(x1, x2, gamma, betaOptional, epsilon)]
            scale = [max(map(abs, row)) / 127 for row in z]
            numbers = [whole_numbers(row / s) for row, s in zip(z, scale, strict=True)]
            results[at] = np.array(numbers).reshape(x1.shape)
            scales[at] = np.array(scale).reshape(x1.shape[:-1])
    return [*results, x1 + x2, *scales]


def quarters(values: np.ndarray) -> Any:
    """Numbers whose sum BFLOAT16 can hold, as it is rounded where beta is given."""
    return (np.rint(values.astype(np.float32) * 4) / 4).astype(values.dtype)


NONE: dict[str, Any] = dict.fromkeys(("smoothScale1Optional", "smoothScale2Optional"))
ONE_SCALE = {**ONCE, "scales1": Meta((1,)), "zeroPoints1Optional": whole(1, dtype=ACL_INT32)}
SHORT = {**dict.fromkeys(("x1", "x2", "xOut"), bf16(2, 8)), "gamma": bf16(8), "betaOptional": bf16(8)}
ROUTES: tuple[Route, ...] = (
    route("aclnnAddRmsNormQuantV2", "loop", quant, groups=[(*GROUP[0], "betaOptional")], bound="composite",
          values={"scales1": wide, "scales2Optional": wide, "x1": quarters, "x2": quarters},
          also=[ONCE, {"zeroPoints1Optional": None, "zeroPoints2Optional": None}, {"divMode": False},
                {"betaOptional": None}, ONE_SCALE,
                {**ONE_SCALE, "betaOptional": None, "xOut": None, "rmsNormOut": SUM}, SHORT],
          wrong={"without epsilon": but(quant, epsilon=0.0), "always divided": but(quant, divMode=True),
                 "beta forgotten": but(quant, betaOptional=None)}),
    route("aclnnAddRmsNormDynamicQuantV2", "loop", dynamic, bound="composite",
          groups=[(*GROUP[0], *NONE, "betaOptional")],
          also=[{"smoothScale2Optional": None}, NONE, {"betaOptional": None},
                {"smoothScale2Optional": None, "y2Out": whole(), "scale2Out": Meta(())}],
          wrong={"without epsilon": but(dynamic, epsilon=0.0), "beta forgotten": but(dynamic, betaOptional=None)}),
)  # fmt: skip
