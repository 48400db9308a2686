"""Compressor: each block of keys becomes one key, a sum weighted by a softmax. A cache has the rows of tokens."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, Shape, Wording, demand, generated, in_memory, listed, may_be_null, one_of,
    out_of_range, planned, positive, ranks, same_dtype, shape, store, updates, widen,
)  # fmt: skip
from aclnn.ops.sparse._sequences import check_blocks

RATIO, TABLE, ENDS = "cmpRatio", "stateBlockTable", "cuSeqlens"
COUNTS: Final = ("seqused", "startPos")
IN_RING: Final = 2
"""the value of cacheMode with one block for each batch"""
UNWRITTEN: Final = 0
"""the number of the block that is not written"""


def packed(a: Arguments) -> bool:
    """True if the tokens of all batches lie one behind the other."""
    return a.rank("x") == 2


def batch_count(a: Arguments) -> int:
    return a.shape(ENDS)[0] - 1 if packed(a) else a.shape("x")[0]


def size(a: Arguments) -> int:
    """The elements of a compressed key."""
    return a.shape("wkv")[0] // a["coff"]


def result_shape(a: Arguments) -> Shape:
    ratio = a[RATIO]
    if packed(a):
        tokens = a.shape("x")[0]
        return min(tokens, tokens // ratio + batch_count(a)), size(a)
    batches, tokens, _ = a.shape("x")
    return batches, -(-tokens // ratio), size(a)


def wrong_weight(a: Arguments) -> Bad:
    rows, columns = a.shape("wkv")
    good = rows % a["coff"] == 0 and columns == a.shape("x")[-1]
    return None if good else ([rows, columns], f"a multiple of {a['coff']}, and {a.shape('x')[-1]}")


def wrong_ends(a: Arguments) -> Bad:
    good = not packed(a) or (a.given(ENDS) and a.shape(ENDS)[0] > 0)
    return None if good else (f"without {ENDS}", f"{ENDS}: 0 and an end for each batch")


def wrong_table(a: Arguments) -> Bad:
    sizes, rank = a.shape(TABLE), 1 if a["cacheMode"] == IN_RING else 2
    good = len(sizes) == rank and sizes[0] == batch_count(a)
    return None if good else (list(sizes), f"{batch_count(a)} batches in {rank} dimensions")


def of_cache(a: Arguments) -> Shape:
    return *a.shape("stateCacheRef")[:2], 2 * a.shape("wkv")[0]


@planned(
    "aclnnCompressor", generated(), may_be_null("stateCache"), updates("stateCacheRef"),
    listed("x", "wkv", "wgate", "stateCacheRef", "ape", TABLE, ENDS, *COUNTS, "cmpKv"),
    *(same_dtype(name, "x", status=TILING) for name in ("wkv", "wgate", "cmpKv")),
    ranks("x", least=2, most=3, status=TILING), ranks("wkv", "ape", least=2, most=2, status=TILING),
    ranks("stateCacheRef", least=3, most=3, status=TILING), ranks(ENDS, least=1, most=1, status=TILING),
    positive(RATIO, status=TILING), one_of("coff", 1, 2, status=TILING),
    demand("{0} comes with the ends of its batches, if it has 2 dimensions", "x", bad=wrong_ends, status=TILING),
    demand("{0} has rows as {1}, for each part of a key", "wkv", "x", bad=wrong_weight, status=TILING),
    shape("wgate", "{0} has the shape of wkv", lambda a: a.shape("wkv"), status=TILING),
    shape("ape", "{0} has a row for each token of a block", lambda a: (a[RATIO], a.shape("wkv")[0]), status=TILING),
    shape("stateCacheRef", "{0} has a key and a score for each row of wkv", of_cache, status=TILING),
    demand("{0} has the blocks of each batch", TABLE, bad=wrong_table, status=TILING),
    *(shape(name, "{0} has a number for each batch", lambda a: (batch_count(a),), status=TILING) for name in COUNTS),
    shape("cmpKv", "{0} has a row for each block", result_shape, status=TILING),
)  # fmt: skip
def compressor(p: Planning) -> None:
    """kv = x @ wkv^T. score = x @ wgate^T + ape[position % cmpRatio], where the first token of a batch has the position
    startPos. A block has cmpRatio positions. For each block that is complete after this call, cmpKv has the sum of
    kv * softmax(score) over the block. With coff 2 the sum is over two blocks: the first half of the columns of the
    block before, and the second half of the columns of the block itself. The rows of a batch lie one behind the other;
    further rows are 0.

    (kv | score) of each token is written to row position % block_size of block stateBlockTable[b, position //
    block_size] of stateCache; earlier tokens are read from there. With cacheMode 2 each batch has one block, which gets
    only the tokens that later blocks need. Block 0 is not written."""
    names = tuple(name for name in (TABLE, ENDS, *COUNTS) if p.given(name))
    operands = [p.read(name) for name in ("x", "wkv", "wgate", "ape", *names)]
    out = p.builder.alloc(p.shape("cmpKv"), p.dtype("cmpKv"))
    p.builder.launch(
        compressed, operands, [out, p.builder.written(p["stateCacheRef"])], names=names, coff=p["coff"],
        ring=p["cacheMode"] == IN_RING,
    )  # fmt: skip
    p.store("cmpKv", out)


@in_memory
def compressed(
    x: Array, wkv: Array, wgate: Array, ape: Array, *more: Array, out: list[Array], names: tuple[str, ...], coff: int,
    ring: bool,
) -> None:  # fmt: skip
    (results, cache), optional, ratio = out, dict(zip(names, more, strict=True)), len(ape)
    results[...] = 0
    weights, row = widen(np.concatenate([wkv, wgate])), 0
    for span in spans_of(x, optional):
        table = optional.get(TABLE)
        state = State(cache, None if table is None else table[span.batch], ring)
        tokens = widen(x[span.tokens])
        rows = np.matmul(tokens, np.swapaxes(weights, 0, 1))
        rows[:, len(wkv) :] += ape[(span.start + np.arange(len(rows))) % ratio]
        first = max(span.start // ratio - (coff - 1), 0) * ratio
        rows = np.concatenate([state.read(first, span.start, rows.shape[1]), rows])
        keys = block_keys(rows, ratio, coff)[span.start // ratio - first // ratio :]
        if x.ndim == 2:
            store(keys, results[row : row + len(keys)])
            row += len(keys)
        else:
            store(keys, results[span.batch, : len(keys)])
        stop = first + len(rows)
        needed = max(stop // ratio - (coff - 1), 0) * ratio if ring else 0
        begin = max(span.start, needed)
        state.write(begin, rows[begin - first :])


@dataclass(frozen=True)
class Span:
    """The tokens of one batch. `start`: the position of the first one."""

    batch: int
    tokens: tuple[int | slice, ...]
    start: int


def spans_of(x: Array, optional: dict[str, Array]) -> list[Span]:
    """The batches. Tokens behind the last one do not exist."""
    if x.ndim == 2:
        ends = np.clip(optional[ENDS].astype(np.int64), 0, len(x)).tolist()
        limits = [(first, max(first, last)) for first, last in pairwise(ends)]
    else:
        limits = [(0, x.shape[1])] * len(x)
    used, starts = (optional.get(name) for name in COUNTS)
    spans: list[Span] = []
    for batch, (first, last) in enumerate(limits):
        count = last - first if used is None else min(max(int(used[batch]), 0), last - first)
        places = slice(first, first + count)
        start = 0 if starts is None else max(int(starts[batch]), 0)
        spans.append(Span(batch, (places,) if x.ndim == 2 else (batch, places), start))
    return spans


@dataclass(frozen=True)
class State:
    """The rows of a batch in the cache."""

    cache: Array
    table: Array | None
    """the numbers of its blocks; the number of one block if `ring`"""
    ring: bool

    def read(self, first: int, stop: int, width: int) -> Array:
        """The rows of positions. Without a table they are missing: their scores are -infinity, so they have no
        weight."""
        if stop <= first or self.table is None:
            missing = np.zeros((max(stop - first, 0), width), np.float32)
            missing[:, width // 2 :] = -np.inf
            return missing
        blocks, places = self.places(np.arange(first, stop))
        return self.cache[blocks, places].astype(np.float32)

    def write(self, first: int, rows: Array) -> None:
        if self.table is None or not len(rows):
            return
        blocks, places = self.places(np.arange(first, first + len(rows)))
        kept = blocks != UNWRITTEN
        for block, place, values in zip(blocks[kept], places[kept], rows[kept], strict=True):
            self.cache[block, place] = values

    def places(self, positions: Array) -> tuple[Array, Array]:
        """The block and the row of each position."""
        assert self.table is not None
        rows = self.cache.shape[1]
        numbers = np.zeros_like(positions) if self.ring else positions // rows
        table = self.table.reshape(-1)
        if numbers.size and numbers[-1] >= len(table):
            raise out_of_range(
                TABLE,
                Wording("{index} has no block for the position {position}, legal values are {least} to {most}.",
                        index=TABLE, position=positions[-1], least=0, most=len(table) * rows - 1),
            )  # fmt: skip
        blocks: Array = table[numbers].astype(np.int64)
        check_blocks(blocks, len(self.cache), TABLE)
        return blocks, positions % rows


def block_keys(rows: Array, ratio: int, coff: int) -> Array:
    """A key for each complete block of rows (kv | score). The first row begins a block."""
    count, width = len(rows) // ratio, rows.shape[1] // 2
    kv, scores = (
        rows[: count * ratio, part].reshape(count, ratio, coff, width // coff)
        for part in (slice(0, width), slice(width, None))
    )
    if coff == 2:
        kv, scores = (behind(x, missing) for x, missing in ((kv, 0.0), (scores, -np.inf)))
    else:
        kv, scores = kv[:, :, 0], scores[:, :, 0]
    top: Array = scores.max(1, keepdims=True)
    weights = np.exp(scores - np.where(np.isneginf(top), 0, top))
    return (kv * weights).sum(1) / weights.sum(1)


def behind(x: Array, missing: float) -> Array:
    """For each block the first half of the block before, then its own second half: (blocks, 2 * rows, columns)."""
    before = np.full_like(x[:, :, 0], missing)
    before[1:] = x[:-1, :, 0]
    return np.concatenate([before, x[:, :, 1]], 1)
