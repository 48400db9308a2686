"""Routes for rotary position embedding with a table by positions: loops over Python numbers, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, route


def rope(
    positions: Any, queryIn: Any, keyIn: Any, cosSinCache: Any, mropeSection: Any, headSize: int, isNeoxStyle: bool,
    cacheMode: int = 0,
) -> Any:  # fmt: skip
    half = cosSinCache.shape[1] // 2
    section = mropeSection if mropeSection and mropeSection[0] else None
    found = [np.array(x) for x in (queryIn, keyIn)]
    for out, x in zip(found, (queryIn, keyIn), strict=True):
        for t in range(len(x)):
            for start in range(0, x.shape[1], headSize):
                for d in range(half):
                    row = cosSinCache[position(positions, section, cacheMode, t, d)]
                    one, other = (d, d + half) if isNeoxStyle else (2 * d, 2 * d + 1)
                    a, b, c, s = x[t, start + one], x[t, start + other], row[d], row[d + half]
                    out[t, start + one], out[t, start + other] = a * c - b * s, b * c + a * s
    return tuple(found)


def position(positions: Any, section: Any, mode: int, t: int, d: int) -> int:
    if section is None:
        return positions.ravel()[t]
    if mode:
        return positions[d % 3 if d < 3 * section[1] else 0, t]
    return positions[next(m for m in range(len(section)) if d < sum(section[: m + 1])), t]


def rope_by_torch(
    positions: Any, queryIn: Any, keyIn: Any, cosSinCache: Any, mropeSection: Any, headSize: int, isNeoxStyle: bool,
    cacheMode: int = 0,
) -> Any:  # fmt: skip
    import torch

    table, at = as_tensor(cosSinCache), as_tensor(positions)
    if mropeSection and mropeSection[0]:
        cos, sin = (each.clone() for each in table[at].chunk(2, -1))
        if cacheMode:
            for each in (cos, sin):
                for row in (1, 2):
                    each[0, :, row : 3 * mropeSection[1] : 3] = each[row, :, row : 3 * mropeSection[1] : 3]
            cos, sin = cos[0], sin[0]
        else:
            cos, sin = (torch.cat([part[m] for m, part in enumerate(each.split(mropeSection, -1))], -1)
                        for each in (cos, sin))  # fmt: skip
    else:
        cos, sin = table[at.flatten()].chunk(2, -1)
    found = []
    for x in map(as_tensor, (queryIn, keyIn)):
        heads = x.reshape(len(x), -1, headSize)
        own, rest = heads[..., : table.shape[1]], heads[..., table.shape[1] :]
        one, other = own.chunk(2, -1) if isNeoxStyle else (own[..., ::2], own[..., 1::2])
        pair = one * cos[:, None] - other * sin[:, None], other * cos[:, None] + one * sin[:, None]
        turned = torch.cat(pair, -1) if isNeoxStyle else torch.stack(pair, -1).flatten(-2)
        found.append(torch.cat([turned, rest], -1).reshape(x.shape).numpy())
    return tuple(found)


WIDE: dict[str, Any] = {
    "queryIn": Meta((3, 128), ACL_FLOAT16), "queryOut": Meta((3, 128), ACL_FLOAT16), "headSize": 64,
    **dict.fromkeys(("keyIn", "keyOut"), Meta((3, 64), ACL_FLOAT16)),
}  # fmt: skip
SECTIONS = {
    **WIDE, "cosSinCache": Meta((7, 64), ACL_FLOAT16), "positions": Meta((3, 3), ACL_INT64),
    "mropeSection": Values((8, 12, 12)),
}  # fmt: skip
FLOATS = ("queryIn", "keyIn", "cosSinCache", "queryOut", "keyOut")
VALUES = {"positions": lambda x: (np.abs(x) + np.arange(x.size).reshape(x.shape)) % 5}
WRONG = {
    "the other pairs": but(rope, isNeoxStyle=lambda given: not given["isNeoxStyle"]),
    "sines first": but(rope, cosSinCache=lambda given: np.roll(given["cosSinCache"], given["cosSinCache"].shape[1] // 2,
                                                               1)),
}  # fmt: skip
COMMON: dict[str, Any] = {
    "bound": "composite", "values": VALUES, "groups": [FLOATS], "torch": ("torch.chunk", rope_by_torch),
}  # fmt: skip
ALSO = [{"isNeoxStyle": False}, {"mropeSection": None}, WIDE, SECTIONS, {**SECTIONS, "isNeoxStyle": False}]
ROUTES: tuple[Route, ...] = (
    route("aclnnRopeWithSinCosCache", "loop", rope, also=ALSO, wrong=WRONG, **COMMON),
    route("aclnnRopeWithSinCosCacheV2", "loop", rope, also=[*ALSO, {**SECTIONS, "cacheMode": 1}],
          wrong={**WRONG, "the other mode": but(rope, cacheMode=lambda given: 1 - given["cacheMode"])}, **COMMON),
)  # fmt: skip
