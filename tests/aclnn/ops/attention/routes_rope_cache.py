"""A route for KvRmsNormRopeCache: row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, route


def rows_of_batches(drawn: np.ndarray) -> np.ndarray:
    """Each row of a cache at most once in a batch; the first one in none. The first rows of blocks of two, if there
    are few."""
    found = np.argsort(drawn, -1, kind="stable").reshape(drawn.shape)
    found = 2 * found if found.shape == (4,) else found
    found.reshape(-1)[:1] = -1
    return found


def cached(
    kv: Any, gamma: Any, cos: Any, sin: Any, index: Any, kCacheRef: Any, ckvCacheRef: Any, kRopeScaleOptional: Any,
    cKvScaleOptional: Any, kRopeOffsetOptional: Any, cKvOffsetOptional: Any, epsilon: float, cacheModeOptional: str,
    isOutputKv: bool, dtypes: Any,
) -> Any:  # fmt: skip
    values, (batches, _, rows, _) = len(gamma), kv.shape
    caches = [kCacheRef.copy(), ckvCacheRef.copy()]
    outs = [np.zeros((batches, 1, rows, width)) for width in (kv.shape[3] - values, values)]
    scales = ((kRopeScaleOptional, kRopeOffsetOptional), (cKvScaleOptional, cKvOffsetOptional))
    for b, s in np.ndindex(batches, rows):
        row, at = kv[b, 0, s], s % cos.shape[2]
        value, key = row[:values], row[values:]
        pairs = key.reshape(-1, 2).T
        turned = np.concatenate([-pairs[1], pairs[0]])
        results = (pairs.ravel() * cos[b, 0, at] + turned * sin[b, 0, at],
                   value / np.sqrt((value**2).mean() + epsilon) * gamma)  # fmt: skip
        if "BLK" in cacheModeOptional:
            size = kCacheRef.shape[1]
            first = int(index.reshape(batches, -1)[b, s // size])
            slot = first if first < 0 else first + s % size
        else:
            slot = int(index.reshape(batches, rows)[b, s])
        for result, cache, out, (scale, offset) in zip(results, caches, outs, scales, strict=True):
            out[b, 0, s] = result
            line = result
            narrow = dtypes["kCache" if cache is caches[0] else "ckvCache"] == "int8"
            if narrow:
                line = result * (1 if scale is None else scale.ravel()) + (0 if offset is None else offset.ravel())
                line = np.clip(np.rint(line), -128, 127)
            if slot >= 0 and cacheModeOptional.endswith("NZ"):
                size, group = cache.shape[1], 32 if narrow else 16
                block = cache[slot // size].reshape(-1)
                for at, number in enumerate(line):
                    block[(at // group * size + slot % size) * group + at % group] = number
            elif slot >= 0 and cacheModeOptional != "Norm":
                cache.reshape(-1, cache.shape[3])[slot] = line
            elif slot >= 0:
                cache[b, 0, slot] = line
    return (*caches, *(outs if isOutputKv else (None, None)))


H = ACL_FLOAT16
FLOATS = ("kv", "gamma", "cos", "sin", "kCacheRef", "ckvCacheRef", "kRopeOut", "cKvOut")
PA = {"cacheModeOptional": "PA", "index": Meta((6,), ACL_INT64), "kCacheRef": Meta((3, 4, 1, 4), H),
      "ckvCacheRef": Meta((3, 4, 1, 6), H)}  # fmt: skip
NZ = {**PA, "cacheModeOptional": "PA_NZ", "kv": Meta((2, 1, 3, 48), H), "gamma": Meta((32,), H),
      "kCacheRef": Meta((4, 2, 1, 16), H), "ckvCacheRef": Meta((4, 2, 1, 32), H), "cKvScaleOptional": None,
      "kRopeScaleOptional": None, "cKvOffsetOptional": None, "kRopeOut": Meta((2, 1, 3, 16), H),
      "cKvOut": Meta((2, 1, 3, 32), H), **dict.fromkeys(("cos", "sin"), Meta((2, 1, 3, 16), H))}  # fmt: skip
BLK = {**NZ, "cacheModeOptional": "PA_BLK_NZ", "index": Meta((4,), ACL_INT64)}
ROUTES: tuple[Route, ...] = (
    route("aclnnKvRmsNormRopeCache", "row by row", cached, bound="composite", groups=[FLOATS],
          values={"index": rows_of_batches},
          also=[PA, NZ, BLK, {**BLK, "cacheModeOptional": "PA_BLK_BSND"},
                {"isOutputKv": False, "sin": Meta((2, 1, 1, 4), H), "cos": Meta((2, 1, 1, 4), H)}],
          wrong={"pairs in halves": but(cached, kv=lambda given: given["kv"][..., ::-1]),
                 "another row": but(cached, index=lambda given: given["index"][..., ::-1])}),
)  # fmt: skip
