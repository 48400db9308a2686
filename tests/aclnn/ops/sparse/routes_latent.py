"""Routes for SparseFlashMla and Compressor: row by row, and column by column."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.attention.reference import bound
from tests.aclnn.ops.sparse.good_calls_latent import OVERLAPPING, PACKED_COMPRESSOR, PACKED_LATENT, PAGED_LATENT, RING
from tests.oracle.route import Expected, Route, but, route


def batch(x: Any, ends: Any, used: Any, b: int) -> Any:
    """The rows of a batch of a tensor that is padded, or packed with ends."""
    rows = x[b] if ends is None else x[int(ends[b]) : int(ends[b + 1])]
    return rows if used is None else rows[: int(used[b])]


def keys_of(given: dict[str, Any], kind: str, b: int) -> Any:
    x, table, used = (
        given[f"{name}Optional"] for name in (f"{kind}Kv", f"{kind}BlockTable", f"seqused{kind.title()}Kv")
    )
    if x is None:
        return np.zeros((0, 512))
    if table is not None:
        return np.array([x[int(table[b, t // x.shape[1]]), t % x.shape[1], 0] for t in range(int(used[b]))])
    return batch(x, given[f"cuSeqlens{kind.title()}KvOptional"], used, b)[:, 0]


def latent(**given: Any) -> Any:
    q, sinks, ends = given["q"], given["sinksOptional"], given["cuSeqlensQOptional"]
    left, mode, ratio = given["oriWinLeft"], given["oriMaskMode"], given["cmpRatio"]
    out, lse = np.zeros(q.shape, q.dtype), np.zeros(q.shape[:-1], q.dtype)
    lse[...] = sinks
    for b in range(len(q) if ends is None else len(ends) - 1):
        rows, results, logs = (batch(x, ends, given["sequsedQOptional"], b) for x in (q, out, lse))
        keys, chosen = keys_of(given, "ori", b), keys_of(given, "cmp", b)
        for i in range(len(rows)):
            t = len(keys) - len(rows) + i + 1
            if t <= 0 and mode != 0:
                continue
            near = [
                k
                for j, k in enumerate(keys)
                if mode == 0 or (j < t + given["oriWinRight"] and (mode == 3 or left < 0 or j >= t - left - 1))
            ]
            count = min(max(t, 0) // ratio, len(chosen))
            far: list[int] = []
            if given["cmpSparseIndicesOptional"] is None:
                far = list(range(count))
            else:
                for number in batch(given["cmpSparseIndicesOptional"], ends, None, b)[i, 0, :count]:
                    if number < 0:
                        break
                    far += [int(number)] if number < count else []
            seen = np.array([*near, *(chosen[j] for j in far)])
            for head in range(q.shape[-2]):
                s = seen @ rows[i, head] * np.asarray(given["softmaxScale"], q.dtype)
                top = max(s.max(), sinks[head])
                e = np.exp(s - top)
                total = e.sum() + np.exp(sinks[head] - top)
                results[i, head], logs[i, head] = e / total @ seen, top + np.log(total)
    more = (np.expand_dims(lse, 1 if ends is None else 0),) if given["returnSoftmaxLse"] else ()
    return (out, *more)


def rounded_bound(way: Expected) -> Any:
    """Twice that of attention, as sums have 512 terms, and the error of probabilities that were rounded to 16 bits."""
    plain = bound(way)

    def allowed(arguments: Any, right: np.ndarray, dtype: str) -> Any:
        unit = {"float16": 2.0**-11, "bfloat16": 2.0**-8}.get(dtype, 0.0)
        keys = [np.abs(arguments[name]).max() for name in ("oriKvOptional", "cmpKvOptional")
                if arguments[name] is not None]  # fmt: skip
        return 2 * plain(arguments, right, dtype) + unit * max(keys)

    return allowed


def compressor(**given: Any) -> Any:
    """The cache and the compressed keys: token by token into a list of positions, then column by column."""
    x, ends, r, coff = given["x"], given["cuSeqlens"], given["cmpRatio"], given["coff"]
    cache, table, ring = given["stateCacheRef"].copy(), given["stateBlockTable"], given["cacheMode"] == 2
    width = given["wkv"].shape[0]
    packed: list[Any] = []
    padded = np.zeros((len(x), -(-x.shape[1] // r), width // coff)) if ends is None else None
    for b in range(len(x) if ends is None else len(ends) - 1):
        tokens, start = (
            batch(x, ends, given["seqused"], b),
            0 if given["startPos"] is None else int(given["startPos"][b]),
        )
        rows: dict[int, Any] = {}

        def place(p: int, b: int = b) -> tuple[int, int]:
            block = table[b] if ring else table[b, p // cache.shape[1]]
            return int(block), p % cache.shape[1]

        for p in range(max(start - 2 * r, 0), start):
            if table is not None:
                rows[p] = cache[place(p)].copy()
        for i, token in enumerate(tokens):
            p = start + i
            score = given["wgate"] @ token + given["ape"][p % r]
            rows[p] = np.concatenate([given["wkv"] @ token, score])
        stop, made = start + len(tokens), []
        for block in range(start // r, stop // r):
            own = [rows[p] for p in range(block * r, block * r + r) if p in rows]
            before = [rows[p] for p in range(block * r - r, block * r) if p in rows]
            made.append([column(own, before, d, width, coff) for d in range(width // coff)])
        if padded is not None and made:
            padded[b, : len(made)] = made
        packed += made
        for p in range(start, stop):
            if table is not None and place(p)[0] != 0 and (not ring or p >= (stop // r - (coff - 1)) * r):
                cache[place(p)] = rows[p]
    if padded is None:
        padded = np.zeros((min(len(x), len(x) // r + len(ends) - 1), width // coff))
        padded[: len(packed)] = packed
    return cache, padded


def column(own: list[Any], before: list[Any], d: int, width: int, coff: int) -> float:
    """One element of a key: a sum weighted by a softmax."""
    shift = width // 2 if coff == 2 else 0
    pairs = [(row[d + shift], row[width + d + shift]) for row in own]
    pairs += [(row[d], row[width + d]) for row in before] if coff == 2 else []
    shares = [exp(score) for _, score in pairs]
    return sum(share * value for share, (value, _) in zip(shares, pairs, strict=True)) / sum(shares)


def numbers(*values: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.resize(np.array(values), x.shape)


LATENT_VALUES = {
    "cuSeqlensQOptional": numbers(0, 2, 5), "cuSeqlensOriKvOptional": numbers(0, 1, 13),
    "cuSeqlensCmpKvOptional": numbers(0, 2, 5), "sequsedQOptional": numbers(3, 2),
    "sequsedOriKvOptional": numbers(12, 9), "sequsedCmpKvOptional": numbers(3, 1),
    "cmpSparseIndicesOptional": lambda x: np.resize(np.array([[1, 0], [0, -1], [2, 1], [-1, 0]]), x.shape),
    "oriBlockTableOptional": numbers(2, 0, 3, 1), "cmpBlockTableOptional": numbers(2, 0),
}  # fmt: skip
COMPRESSOR_VALUES = {
    "stateBlockTable": lambda x: np.resize(np.array([[1, 2, 0], [3, 4, 1]] if x.ndim > 1 else [2, 1]), x.shape),
    "cuSeqlens": numbers(0, 3, 7), "seqused": numbers(5, 4), "startPos": numbers(3, 4),
}  # fmt: skip
TYPED = ("q", "oriKvOptional", "cmpKvOptional", "attnOutOut")
ROUTES: tuple[Route, ...] = (
    route("aclnnSparseFlashMla", "loop", latent, bound=rounded_bound(latent), values=LATENT_VALUES, groups=[TYPED],
          also=[PACKED_LATENT, PAGED_LATENT, {"cmpKvOptional": None, "cmpSparseIndicesOptional": None, "cmpRatio": 1}],
          wrong={"all compressed keys": but(latent, cmpRatio=1), "no sinks": but(
              latent, sinksOptional=lambda given: np.full_like(given["sinksOptional"], -1e4)),
                 "scale left out": but(latent, softmaxScale=1.0)}),
    route("aclnnCompressor", "loop", compressor, bound="composite", values=COMPRESSOR_VALUES,
          groups=[("x", "wkv", "wgate", "cmpKv")],
          also=[OVERLAPPING, RING, PACKED_COMPRESSOR, {"startPos": None, "stateBlockTable": None},
                {**OVERLAPPING, "startPos": None}],
          wrong={"no positions": but(compressor, ape=lambda given: np.zeros_like(given["ape"])),
                 "no tokens before": but(compressor, startPos=lambda given: None if given["startPos"] is None
                                         else given["startPos"] // 2 * 2),
                 "keys and gates exchanged": but(compressor, wkv=lambda given: given["wgate"],
                                                 wgate=lambda given: given["wkv"])}),
)  # fmt: skip
