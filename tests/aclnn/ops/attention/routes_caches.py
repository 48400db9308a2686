"""Routes for paged caches: token by token."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, route


def slots(drawn: np.ndarray) -> np.ndarray:
    """Each slot once."""
    return np.argsort(drawn, kind="stable") + 1


def put(tokens: Any, cache: Any, places: Any, mode: str) -> Any:
    found = cache.copy()
    for token, slot in zip(tokens, places.tolist(), strict=True):
        if mode == "PA_NZ":
            block, row = divmod(slot, cache.shape[2])
            for at, value in enumerate(token.ravel()):
                found[block, at // cache.shape[3], row, at % cache.shape[3]] = value
        else:
            block, row = divmod(slot, cache.shape[1])
            found[block, row] = token
    return found


def scatter(
    key: Any, keyCacheRef: Any, slotMapping: Any, value: Any, valueCacheRef: Any, cacheModeOptional: str
) -> Any:  # fmt: skip
    second = put(value, valueCacheRef, slotMapping, cacheModeOptional) if value.size else valueCacheRef
    return put(key, keyCacheRef, slotMapping, cacheModeOptional), second


def scatter_one(key: Any, keyCacheRef: Any, slotMapping: Any) -> Any:
    return put(key, keyCacheRef, slotMapping, "")


def get(cache: Any, tables: Any, lengths: list[int], offsets: list[int], out: Any, mode: str) -> Any:
    found, at = out.copy(), 0
    rows = cache.shape[2 if mode == "PA_NZ" else 1]
    for batch, length in enumerate(lengths):
        for token in range(length):
            block, row = tables[batch][token // rows + offsets[batch] // rows], token % rows
            found[at] = (cache[block][:, row] if mode == "PA_NZ" else cache[block][row]).reshape(out.shape[1:])
            at += 1
    return found


def gather(
    keyCache: Any, valueCache: Any, blockTables: Any, seqLens: Any, keyRef: Any, valueRef: Any, seqOffsetOptional: Any,
    cacheMode: str, isSeqLensCumsum: bool,
) -> Any:  # fmt: skip
    lengths = (np.diff(seqLens) if isSeqLensCumsum else seqLens).tolist()
    offsets = [0] * len(lengths) if seqOffsetOptional is None else seqOffsetOptional.tolist()
    return tuple(
        get(cache, blockTables, lengths, offsets, out, cacheMode)
        for cache, out in ((keyCache, keyRef), (valueCache, valueRef))
    )


H = ACL_FLOAT16
CACHE, LINES = Meta((3, 2, 2, 16), H), Meta((4, 32), H)
IN_BLOCKS = {"keyCacheRef": CACHE, "valueCacheRef": CACHE, "cacheModeOptional": "PA_NZ"}
LENGTHS = {2: (3, 1), 3: (0, 2, 3), 5: (0, 1, 2, 0, 1)}
SHORT = {"seqLens": Meta((3,), ACL_INT32), "isSeqLensCumsum": True}
ROUTES: tuple[Route, ...] = (
    route("aclnnScatterPaKvCache", "token by token", scatter, bound="exact", values={"slotMapping": slots},
          groups=[("key", "value", "keyCacheRef", "valueCacheRef")],
          also=[IN_BLOCKS, {"value": Meta((0, 2, 16), H)}, {"slotMapping": Meta((4,), ACL_INT64)}],
          wrong={"another slot": but(scatter, slotMapping=lambda given: given["slotMapping"] - 1),
                 "no second cache": but(scatter, value=lambda given: given["value"][:0])}),
    route("aclnnScatterPaCache", "token by token", scatter_one, bound="exact", values={"slotMapping": slots},
          groups=[("key", "keyCacheRef")],
          wrong={"another slot": but(scatter_one, slotMapping=lambda given: given["slotMapping"] - 1)}),
    route("aclnnGatherPaKvCache", "token by token", gather, bound="exact",
          values={"blockTables": lambda x: np.abs(x) % 3, "seqLens": lambda x: np.array(LENGTHS[len(x)]),
                  "seqOffsetOptional": lambda x: 0 * x + np.arange(len(x)) * 2},
          start={"blockTables": Meta((2, 3), ACL_INT32)}, groups=[("keyCache", "valueCache", "keyRef", "valueRef")],
          also=[{"keyRef": LINES, "valueRef": LINES, "cacheMode": "PA_NZ"}, SHORT, {"seqOffsetOptional": None}],
          wrong={"without offset": but(gather, seqOffsetOptional=None),
                 "one block": but(gather, blockTables=lambda given: 0 * given["blockTables"])}),
)  # fmt: skip
