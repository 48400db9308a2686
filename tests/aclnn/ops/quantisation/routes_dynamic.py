"""Routes for `aclnn.ops.quantisation.dynamic`: a loop over the elements that share a scale, in float32."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from acl_runtime import ACL_FLOAT16, ACL_INT64
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.quantisation.good_calls import HALF, TALL, whole
from tests.oracle.route import Route, but, route

FLOAT = np.float32


def smoothed(
    x: np.ndarray, smooth: np.ndarray | None, groups: np.ndarray | None, quantMode: str
) -> np.ndarray:  # fmt: skip
    found = x.astype(FLOAT)
    if smooth is None:
        return found
    factors = smooth.astype(FLOAT)
    if quantMode == "perchannel":
        return found * factors[:, None]
    if groups is None:
        return found * factors
    rows = found.reshape(-1, found.shape[-1])
    for at in range(len(rows)):
        rows[at] *= factors[next(g for g, end in enumerate(groups) if at < end)]
    return rows.reshape(x.shape)


def lines(z: np.ndarray, quantMode: str) -> Iterator[np.ndarray]:
    """The elements that share a scale, as views."""
    if quantMode == "pertensor":
        yield z.reshape(-1)
    elif quantMode == "pertoken":
        yield from z.reshape(-1, z.shape[-1])
    else:
        for matrix in z.reshape(-1, *z.shape[-2:]):
            yield from matrix.T


def left(shape: tuple[int, ...], quantMode: str) -> tuple[int, ...]:
    if quantMode == "pertensor":
        return (1,)
    return shape[:-1] if quantMode == "pertoken" else (*shape[:-2], shape[-1])


def dynamic(
    x: np.ndarray, smoothScalesOptional: np.ndarray | None, groupIndexOptional: np.ndarray | None = None,
    offsetOut: Any = None, quantMode: str = "pertoken", top: float = 127,
) -> list[np.ndarray]:  # fmt: skip
    z = smoothed(x, smoothScalesOptional, groupIndexOptional, quantMode)
    y, scales, offsets = np.zeros(z.shape), [], []
    for line, result in zip(lines(z, quantMode), lines(y, quantMode), strict=True):
        if offsetOut is None:
            most = max(map(abs, line))
            scales.append(most / FLOAT(top))
            result[:] = [round(float(each * (FLOAT(top) / most))) for each in line]
            continue
        scale = max((max(line) - min(line)) / FLOAT(2 * top + 1), FLOAT(1e-12))
        offset = FLOAT(top) - max(line) / scale
        scales.append(scale)
        offsets.append(offset)
        result[:] = [min(max(round(float(each / scale + offset)), -top - 1), top) for each in line]
    shape = left(z.shape, quantMode)
    statistics = [np.array(scales).reshape(shape)] + ([np.array(offsets).reshape(shape)] if offsets else [])
    return [y, *statistics]


def first(x: np.ndarray, smoothScalesOptional: np.ndarray | None) -> list[np.ndarray]:
    return dynamic(x, smoothScalesOptional)


def second(
    x: np.ndarray, smoothScalesOptional: np.ndarray | None, groupIndexOptional: np.ndarray | None, offsetOut: Any
) -> list[np.ndarray]:  # fmt: skip
    return dynamic(x, smoothScalesOptional, groupIndexOptional, offsetOut)


def third(
    x: np.ndarray, smoothScalesOptional: np.ndarray | None, groupIndexOptional: np.ndarray | None, offsetOut: Any,
    quantMode: str,
) -> list[np.ndarray]:  # fmt: skip
    return dynamic(x, smoothScalesOptional, groupIndexOptional, offsetOut, quantMode)


def narrow(**arguments: Any) -> list[np.ndarray]:
    """The range of a type without its least number."""
    return dynamic(*(arguments[name] for name in (*X, "groupIndexOptional", "offsetOut", "quantMode")), top=126.5)


def reciprocal(**arguments: Any) -> list[np.ndarray]:
    y, scale = first(arguments["x"], arguments["smoothScalesOptional"])
    return [y, 1 / scale]


def last_group(x: np.ndarray) -> Any:
    """The first group ends at row 1, the last one has the other rows, and those between are empty."""
    return np.where(np.arange(x.size) < x.size - 1, 1, 1000)


PLAIN: dict[str, Any] = {"smoothScalesOptional": Meta((32,), ACL_FLOAT16), "groupIndexOptional": None}
OFFSET: dict[str, Any] = {"offsetOut": TALL}
CASES: list[dict[str, Any]] = [
    PLAIN, {**PLAIN, "smoothScalesOptional": None}, OFFSET, {**PLAIN, **OFFSET},
    {"groupIndexOptional": whole(3, dtype=ACL_INT64)},
]  # fmt: skip
CUBE = {"x": Meta((2, 3, 32), ACL_FLOAT16), "yOut": whole(2, 3, 32), "scaleOut": Meta((2, 3))}
COLUMNS = {**CUBE, "quantMode": "perchannel", "scaleOut": Meta((2, 32)), "groupIndexOptional": None}
MODES: list[dict[str, Any]] = [
    *CASES[:2], *({**each, **OFFSET, "isSymmetrical": False} for each in CASES[:2]),
    {"quantMode": "pertensor", "scaleOut": Meta((1,))},
    {"quantMode": "pertensor", "scaleOut": Meta((1,)), "offsetOut": Meta((1,)), "isSymmetrical": False},
    {**COLUMNS, "smoothScalesOptional": Meta((3,), ACL_FLOAT16)},
    {**COLUMNS, "smoothScalesOptional": None, "offsetOut": Meta((2, 32)), "isSymmetrical": False},
]  # fmt: skip
X = ("x", "smoothScalesOptional")
VALUES = {"groupIndexOptional": last_group}
ROUTES: tuple[Route, ...] = (
    route("aclnnDynamicQuant", "loop", first, groups=[X], start={"x": HALF},
          also=[{"smoothScalesOptional": None}, CUBE],
          wrong={"the multiplier in place of the scale": reciprocal,
                 "smooth factors forgotten": but(first, smoothScalesOptional=None)}),
    route("aclnnDynamicQuantV2", "loop", second, groups=[X], values=VALUES, also=CASES,
          wrong={"one group": but(second, groupIndexOptional=lambda a: None if a["groupIndexOptional"] is None
                                  else 1000 + a["groupIndexOptional"]),
                 "smooth factors forgotten": but(second, smoothScalesOptional=None)}),
    route("aclnnDynamicQuantV3", "aclnnDynamicQuantV4", "loop", third, groups=[X], values=VALUES, also=MODES,
          wrong={"smooth factors forgotten": but(third, smoothScalesOptional=None),
                 "range of 254": narrow}),
)  # fmt: skip
