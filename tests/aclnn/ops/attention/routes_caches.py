"""Routes for paged caches: token by token."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, route


def slots(drawn: np.ndarray) -> np.ndarray:
    """Each slot once. Those of heads are the first ones, again and again."""
    if drawn.ndim == 2:
        return 3 * np.arange(drawn.size).reshape(drawn.shape) % 8
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


def scatter_one(
    key: Any, keyCacheRef: Any, slotMapping: Any, compressLensOptional: Any, compressSeqOffsetOptional: Any,
    seqLensOptional: Any,
) -> Any:  # fmt: skip
    """Without a mean, or with the mean of some tokens in their place."""
    if key.ndim == 3:
        return put(key, keyCacheRef, slotMapping, "")
    found = keyCacheRef.copy()
    for batch, head in np.ndindex(slotMapping.shape):
        tokens, length = list(key[batch, : seqLensOptional[batch], head]), compressLensOptional[batch, head]
        if compressSeqOffsetOptional is None:
            tokens = tokens[len(tokens) - length :]
        else:
            first = compressSeqOffsetOptional[batch * key.shape[2] + head]
            mean = sum(tokens[first : first + length]) / length
            tokens = [*tokens[:first], mean, *tokens[first + length :]]
        for at, token in enumerate(tokens, slotMapping[batch, head]):
            found[at // found.shape[1], at % found.shape[1], 0] = token
    return found


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
HEADS = {"key": Meta((2, 5, 3, 16), H), "keyCacheRef": Meta((8, 4, 1, 16), H), "slotMapping": Meta((2, 3), ACL_INT32),
         "compressLensOptional": Meta((2, 3), ACL_INT32), "seqLensOptional": Meta((2,), ACL_INT32)}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnScatterPaKvCache", "token by token", scatter, bound="exact", values={"slotMapping": slots},
          groups=[("key", "value", "keyCacheRef", "valueCacheRef")],
          also=[IN_BLOCKS, {"value": Meta((0, 2, 16), H)}, {"slotMapping": Meta((4,), ACL_INT64)}],
          wrong={"another slot": but(scatter, slotMapping=lambda given: given["slotMapping"] - 1),
                 "no second cache": but(scatter, value=lambda given: given["value"][:0])}),
    route("aclnnScatterPaCache", "token by token", scatter_one, bound="elementwise",
          values={"slotMapping": slots, "compressLensOptional": lambda x: np.resize(np.array([1, 2]), x.shape),
                  "compressSeqOffsetOptional": lambda x: np.resize(np.array([1, 0]), x.shape),
                  "seqLensOptional": lambda x: np.resize(np.array([3, 2]), x.shape)},
          groups=[("key", "keyCacheRef")], also=[HEADS, {**HEADS, "compressSeqOffsetOptional": Meta((6,), ACL_INT32)}],
          wrong={"another part": but(scatter_one, compressSeqOffsetOptional=lambda given: None if given[
                     "compressSeqOffsetOptional"] is None else given["compressSeqOffsetOptional"] + 1),
                 "another slot": but(scatter_one, slotMapping=lambda given: given["slotMapping"] - 1)}),
    route("aclnnGatherPaKvCache", "token by token", gather, bound="exact",
          values={"blockTables": lambda x: np.abs(x) % 3, "seqLens": lambda x: np.array(LENGTHS[len(x)]),
                  "seqOffsetOptional": lambda x: 0 * x + np.arange(len(x)) * 2},
          start={"blockTables": Meta((2, 3), ACL_INT32)}, groups=[("keyCache", "valueCache", "keyRef", "valueRef")],
          also=[{"keyRef": LINES, "valueRef": LINES, "cacheMode": "PA_NZ"}, SHORT, {"seqOffsetOptional": None}],
          wrong={"without offset": but(gather, seqOffsetOptional=None),
                 "one block": but(gather, blockTables=lambda given: 0 * given["blockTables"])}),
)  # fmt: skip
