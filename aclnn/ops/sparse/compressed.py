"""NsaCompressAttention: attention of packed sequences to compressed keys, which also scores blocks of other keys."""

from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Planning, Relation, T, demand, listed, one_of, planned, positive, ranks, required,
    same_dtype, shape, widen,
)  # fmt: skip
from aclnn.ops.attention._scores import SCORES
from aclnn.ops.attention._scores import blocks as parts_of
from aclnn.ops.sparse.compression import BLOCK, STRIDE, ends_of_sequences
from aclnn.ops.sparse.selected import COPIES, ENDS, out_shape, statistics

KEY_ENDS, BLOCK_ENDS = "actualCmpSeqKvLenOptional", "actualSelSeqKvLenOptional"
SIZE, COUNT = "selectBlockSize", "selectBlockCount"
MASK, CHOSEN = "attenMaskOptional", "topkMaskOptional"
HIDDEN, ALWAYS = np.float32(40000), np.float32(23333)
"""the loss of a masked score; the score of a block that is always chosen"""
RESULTS: Final = ("softmaxMaxOut", "softmaxSumOut", "attentionOutOut", "topkIndicesOut")


def wrong_heads(a: Arguments) -> Bad:
    (_, heads, size), (_, of_keys, of_key), value = (a.shape(name) for name in ("query", "key", "value"))
    good = of_keys and heads == a["headNum"] and heads % of_keys == 0 and size == of_key
    if good and value[:2] == a.shape("key")[:2]:
        return None
    return list(a.shape("query")), f"headNum {a['headNum']}, and heads and elements of key {list(a.shape('key'))}"


def wrong_sizes(a: Arguments) -> Bad:
    sizes = a[BLOCK], a[SIZE]
    return None if not any(size % a[STRIDE] for size in sizes) else (a[STRIDE], f"a divisor of {sizes[0]}, {sizes[1]}")


def longest(a: Arguments, name: str) -> int:
    return max((stop - start for start, stop in pairwise((0, *a[name].values))), default=0)


def covers(mask: str, columns: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        least = longest(a, ENDS), longest(a, columns)
        good = all(own >= size for own, size in zip(a.shape(mask), least, strict=True))
        return None if good else (list(a.shape(mask)), f"{list(least)} or more")

    return demand("{0} has the rows and columns of the longest sequence", mask, ENDS, columns, bad=bad)


@planned(
    "aclnnNsaCompressAttention", required(ENDS, KEY_ENDS, BLOCK_ENDS),
    listed("query", "key", "value", MASK, CHOSEN, *RESULTS),
    *(same_dtype(name, "query") for name in ("key", "value", "attentionOutOut")), one_of("inputLayout", "TND"),
    one_of("sparseMode", 0, 1), ranks("query", "key", "value", least=3, most=3),
    ranks(MASK, CHOSEN, least=2, most=2), *map(positive, (BLOCK, STRIDE, SIZE, COUNT)),
    demand("the heads and elements of {0} and {1} fit", "query", "key", "value", bad=wrong_heads),
    demand("{0} divides the sizes of blocks", STRIDE, BLOCK, SIZE, bad=wrong_sizes),
    ends_of_sequences(ENDS, "query"), ends_of_sequences(KEY_ENDS, "key", beside=ENDS),
    ends_of_sequences(BLOCK_ENDS, None, beside=ENDS), covers(MASK, KEY_ENDS), covers(CHOSEN, BLOCK_ENDS),
    *(shape(name, "{0} has eight numbers for each row and head", statistics) for name in RESULTS[:2]),
    shape(RESULTS[2], "{0} has the rows of query and the elements of value", out_shape),
    shape(RESULTS[3], "{0} has the blocks of each row and head of key",
          lambda a: (a.shape("query")[0], a.shape("key")[1], a[COUNT])),
)  # fmt: skip
def compress_attention(p: Planning) -> None:
    """P = softmax(scaleValue * query @ key^T - 40000 * attenMask), attentionOut = P @ value. The score of block j of
    the uncompressed keys is the sum of P[m * (j + 1) - a - b] over a < m and b < n and over the heads that share a
    head of key, with m = selectBlockSize / compressStride and n = compressBlockSize / compressStride; 23333 where
    topkMask is set. topkIndices = the blocks with the largest scores, the first of equal ones first; -1 behind the
    last one."""
    masks = {key: p.read(name) for key, name in (("hidden", MASK), ("chosen", CHOSEN)) if p.given(name)}
    of_rows = (statistics(p), T.ACL_FLOAT)
    results = p.steps(
        compressed, [*map(p.read, ("query", "key", "value")), *masks.values()],
        [of_rows, of_rows, (out_shape(p), p.dtype("query")), (p.shape(RESULTS[3]), T.ACL_INT32)], moves=True,
        names=tuple(masks), ends=tuple(p[ENDS].values), key_ends=tuple(p[KEY_ENDS].values),
        block_ends=tuple(p[BLOCK_ENDS].values), scale=p["scaleValue"],
        steps=(p[SIZE] // p[STRIDE], p[BLOCK] // p[STRIDE]),
        count=p[COUNT],
    )  # fmt: skip
    for name, result in zip(RESULTS, results, strict=True):
        p.store(name, result)


def compressed(
    q: Array, k: Array, v: Array, *masks: Array, names: tuple[str, ...], ends: tuple[int, ...],
    key_ends: tuple[int, ...], block_ends: tuple[int, ...], scale: float, steps: tuple[int, int], count: int,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """The statistics, the output and the indices."""
    optional = dict(zip(names, masks, strict=True))
    heads = k.shape[1]
    group = q.shape[1] // heads
    out = np.zeros((*q.shape[:2], v.shape[2]), np.float32)
    tops, sums = np.zeros((2, *q.shape[:2], COPIES), np.float32)
    indices = np.full((len(q), heads, count), -1, np.int32)
    spans = (pairwise((0, *each)) for each in (ends, key_ends, block_ends))
    for (start, stop), (first, last), (low, high) in zip(*spans, strict=True):
        for part in parts_of(stop - start, SCORES // max(group * (last - first), 1)):
            rows = slice(start + part.start, start + part.stop)
            hidden, always = (optional[name][part] if name in optional else None for name in ("hidden", "chosen"))
            for head in range(heads):
                members = slice(head * group, (head + 1) * group)
                queries = np.swapaxes(widen(q[rows, members]), 0, 1) * np.float32(scale)
                p, top, total = probabilities(queries, widen(k[first:last, head]), hidden)
                out[rows, members] = np.swapaxes(np.matmul(p, widen(v[first:last, head])), 0, 1)
                tops[rows, members], sums[rows, members] = top.T[..., None], total.T[..., None]
                scores = of_blocks(p.sum(0), high - low, *steps)
                if always is not None:
                    scores[always[:, : high - low].astype(np.bool_)] = ALWAYS
                order = np.argsort(-scores, axis=1, kind="stable")[:, :count]
                indices[rows, head, : order.shape[1]] = order
    return tops, sums, out, indices


def probabilities(queries: Array, keys: Array, hidden: Array | None) -> tuple[Array, Array, Array]:
    """P (heads, rows, keys), the largest scores and the sums. Without keys both statistics are 0."""
    scores: Array = np.matmul(queries, np.swapaxes(keys, 0, 1))
    if not len(keys):
        none = np.zeros(scores.shape[:2], np.float32)
        return scores, none, none
    if hidden is not None:
        scores = np.where(hidden[:, : len(keys)], scores - HIDDEN, scores)
    top: Array = scores.max(-1)
    p = np.exp(scores - top[..., None])
    total: Array = p.sum(-1)
    return p / total[..., None], top, total


def of_blocks(p: Array, count: int, m: int, n: int) -> Array:
    """The scores (rows, blocks) of probabilities (rows, keys). Keys that do not exist count as 0."""
    scores = np.zeros((len(p), count), np.float32)
    firsts = m * (np.arange(count) + 1)
    for a in range(m):
        for b in range(n):
            places = firsts - a - b
            valid = (places >= 0) & (places < p.shape[1])
            scores[:, valid] += p[:, places[valid]]
    return scores
