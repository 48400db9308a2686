"""Routes for attention whose keys are chosen block by block: head by head, and row by row."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.attention.reference import bound
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.sparse.good_calls_blocks import CAUSAL, PACKED_TILES, PAGED_CACHED
from tests.derived.values import Values
from tests.oracle.route import Route, but, route


def spans(given: dict[str, Any], *names: str) -> Any:
    return zip(*(pairwise((0, *given[name])) for name in names), strict=True)


def soft(scores: Any) -> Any:
    """Probabilities, the largest score and the sum."""
    e = np.exp(scores - scores.max())
    return e / e.sum(), scores.max(), e.sum()


def picks(given: dict[str, Any]) -> Any:
    """For each row and head: row, head, head of keys, and the keys that it sees."""
    group = given["query"].shape[1] // given["key"].shape[1]
    for (start, stop), (first, last) in spans(given, "actualSeqQLenOptional", "actualSeqKvLenOptional"):
        for row in range(start, stop):
            for head in range(given["query"].shape[1]):
                seen = [
                    first + place
                    for number in given["topkIndices"][row, head // group]
                    for place in range(
                        int(number) * given["selectedBlockSize"], (int(number) + 1) * given["selectedBlockSize"]
                    )
                    if place < last - first and (given["attenMaskOptional"] is None or place <= row - start)
                ]
                if seen:
                    yield row, head, head // group, seen


def selected(**given: Any) -> Any:
    q, k, v = (given[name] for name in ("query", "key", "value"))
    out = np.zeros((*q.shape[:2], v.shape[2]), q.dtype)
    tops, sums = np.zeros((2, *q.shape[:2], 8), q.dtype)
    for row, head, own, seen in picks(given):
        p, tops[row, head], sums[row, head] = soft(k[seen, own] @ q[row, head] * given["scaleValue"])
        out[row, head] = p @ v[seen, own]
    return tops, sums, out


def selected_grad(**given: Any) -> Any:
    q, k, v, scale = (given[name] for name in ("query", "key", "value", "scaleValue"))
    dq, dk, dv = (np.zeros_like(x) for x in (q, k, v))
    for row, head, own, seen in picks(given):
        grad, top, total = (
            given["attentionOutGrad"][row, head],
            given["softmaxMax"][row, head, 0],
            given["softmaxSum"][row, head, 0],
        )
        for j in seen:
            p = np.exp(q[row, head] @ k[j, own] * scale - top) / total
            slope = p * (grad @ v[j, own] - grad @ given["attentionOut"][row, head]) * scale
            dv[j, own] += p * grad
            dq[row, head] += slope * k[j, own]
            dk[j, own] += slope * q[row, head]
    return dq, dk, dv


def compressed(**given: Any) -> Any:
    q, k, v = (given[name] for name in ("query", "key", "value"))
    group, m = q.shape[1] // k.shape[1], given["selectBlockSize"] // given["compressStride"]
    n, count = given["compressBlockSize"] // given["compressStride"], given["selectBlockCount"]
    out = np.zeros((*q.shape[:2], v.shape[2]), q.dtype)
    tops, sums = np.zeros((2, *q.shape[:2], 8), q.dtype)
    indices = np.full((len(q), k.shape[1], count), -1, np.int64)
    names = ("actualSeqQLenOptional", "actualCmpSeqKvLenOptional", "actualSelSeqKvLenOptional")
    hidden, always = given["attenMaskOptional"], given["topkMaskOptional"]
    for (start, stop), (first, last), (low, high) in spans(given, *names):
        for row in range(start, stop):
            for own in range(k.shape[1]):
                total = np.zeros(last - first)
                for head in range(own * group, (own + 1) * group):
                    s = k[first:last, own] @ q[row, head] * given["scaleValue"]
                    if hidden is not None:
                        s = s - 40000 * hidden[row - start, : last - first]
                    p, tops[row, head], sums[row, head] = soft(s)
                    out[row, head] = p @ v[first:last, own]
                    total = total + p
                scores = []
                for j in range(high - low):
                    near = [m * (j + 1) - a - b for a in range(m) for b in range(n)]
                    score = sum(total[place] for place in near if 0 <= place < last - first)
                    if always is not None and always[row - start, j]:
                        score = 23333.0
                    scores.append((-score, j))
                chosen = [j for _, j in sorted(scores)[:count]]
                indices[row, own, : len(chosen)] = chosen
    return tops, sums, out, indices


def cached(**given: Any) -> Any:
    x, weight, out, table = (given[name] for name in ("input", "weight", "outputCache", "blockTableOptional"))
    out, start, size, page = out.copy(), 0, len(weight), given["pageBlockSize"]
    for b, count in enumerate(given["actSeqLenOptional"]):
        if count >= size and (count - size) % given["compressStride"] == 0:
            places = range(count - size, count)
            rows = [x[start + t] if table is None else x[int(table[b, t // page]), t % page] for t in places]
            out[int(given["slotMapping"][b])] = sum(
                row * factor[:, None] for row, factor in zip(rows, weight, strict=True)
            )
        start += count
    return out


def tiled(**given: Any) -> Any:
    q, k, v, mask = (given[name] for name in ("query", "key", "value", "blockSparseMaskOptional"))
    rows, keys = given["blockShapeOptional"] or (128, 128)
    layout, out, lse = given["qInputLayout"], np.zeros(q.shape), np.full((*q.shape[:-1], 1), np.inf)
    batches = mask.shape[0]
    counts = [given[name] or [x.shape[2 if layout == "BNSD" else 1]] * batches
              for name, x in (("actualSeqLengthsOptional", q), ("actualSeqLengthsKvOptional", k))]  # fmt: skip

    def at(b: int, head: int, i: int, start: int) -> tuple[int, ...]:
        return {"TND": (start + i, head), "BNSD": (b, head, i), "BSND": (b, i, head)}[layout]

    first = start = 0
    for b in range(batches):
        for head in range(mask.shape[1]):
            own = head // (mask.shape[1] // given["numKeyValueHeads"])
            for i in range(counts[0][b]):
                seen = [at(b, own, j, first) for j in range(counts[1][b]) if mask[b, head, i // rows, j // keys]]
                if seen:
                    place = at(b, head, i, start)
                    p, top, total = soft(np.array([k[j] @ q[place] for j in seen]) * given["scaleValue"])
                    out[place], lse[place] = p @ np.array([v[j] for j in seen]), top + np.log(total)
        start, first = start + counts[0][b], first + counts[1][b]
    return (out, lse) if given["softmaxLseFlag"] == 1 else (out,)


def small(x: np.ndarray) -> np.ndarray:
    return x / 4


def bits(x: np.ndarray) -> np.ndarray:
    return np.resize(np.array([1, 0, 1, 1, 0, 0, 1]), x.shape)


def open_mask(x: np.ndarray) -> np.ndarray:
    """A mask without a row that hides all keys: FLOAT rounds the scores of such a row."""
    return np.resize(np.array([0, 1, 0, 0, 1]), x.shape)


def turned(given: dict[str, Any]) -> Any:
    return given["weight"][::-1]


def all_tiles(given: dict[str, Any]) -> Any:
    return np.ones_like(given["blockSparseMaskOptional"])


BLOCKS = {"topkIndices": lambda x: np.resize(np.array([1, 0, 0, 1, 1, 1]), x.shape), "query": small}
STATISTICS = {"softmaxMax": lambda x: np.abs(x) + 4, "softmaxSum": lambda x: np.abs(x) + 1}
TYPED = ("query", "key", "value", "attentionOut", "attentionOutGrad", "attentionOutOut")
TILE_VALUES = {"blockSparseMaskOptional": bits, "query": small}
PLAIN_TILES = {"blockShapeOptional": None, "actualSeqLengthsOptional": None, "actualSeqLengthsKvOptional": None,
               "blockSparseMaskOptional": Meta((2, 4, 1, 2), ACL_INT8), "softmaxLseFlag": 0,
               "softmaxLseOptional": None}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnNsaSelectedAttention", "loop", selected, bound=bound(selected), groups=[TYPED], values=BLOCKS,
          also=[CAUSAL],
          wrong={"scale left out": but(selected, scaleValue=1.0),
                 "the first blocks": but(selected, topkIndices=lambda given: given["topkIndices"] * 0)}),
    route("aclnnNsaSelectedAttentionGrad", "loop", selected_grad, bound="composite", values={**BLOCKS, **STATISTICS},
          groups=[TYPED], also=[CAUSAL],
          wrong={"scale left out": but(selected_grad, scaleValue=1.0),
                 "no output": but(selected_grad, attentionOut=lambda given: given["attentionOut"] * 0)}),
    route("aclnnNsaCompressAttention", "loop", compressed, bound="composite", groups=[TYPED],
          values={"attenMaskOptional": open_mask},
          also=[{"attenMaskOptional": None, "topkMaskOptional": None, "selectBlockSize": 16, "selectBlockCount": 1,
                 "topkIndicesOut": Meta((5, 2, 1), ACL_INT32)}],
          wrong={"no mask": but(compressed, attenMaskOptional=None),
                 "no choice": but(compressed, topkMaskOptional=None)}),
    route("aclnnNsaCompressWithCache", "loop", cached, bound="composite", also=[PAGED_CACHED, {"compressStride": 1}],
          values={"slotMapping": lambda x: np.arange(x.size)[::-1] + 2,
                  "blockTableOptional": lambda x: np.resize(np.array([2, 0, 1]), x.shape)},
          groups=[("input", "weight", "outputCache")],
          wrong={"weights in the other order": but(cached, weight=turned),
                 "each length": but(cached, compressStride=1)}),
    *(route(name, "loop", tiled, bound="composite", values=TILE_VALUES, groups=[TYPED[:4]],
            also=[PACKED_TILES, PLAIN_TILES, {"qInputLayout": "BSND", "kvInputLayout": "BSND",
                  "query": Meta((2, 5, 4, 64), ACL_FLOAT16), "key": Meta((2, 200, 2, 64), ACL_FLOAT16),
                  "value": Meta((2, 200, 2, 64), ACL_FLOAT16), "attentionOut": Meta((2, 5, 4, 64), ACL_FLOAT16),
                  "softmaxLseOptional": Meta((2, 5, 4, 1)), "actualSeqLengthsOptional": Values((5, 3))}],
            wrong={"all tiles": but(tiled, blockSparseMaskOptional=all_tiles),
                   "scale left out": but(tiled, scaleValue=1.0)})
      for name in ("aclnnBlockSparseAttention", "aclnnBlockSparseAttentionV2")),
)  # fmt: skip
