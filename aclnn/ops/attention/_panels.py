"""The formula of attention, forward and backward, panel by panel."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from aclnn.op import JOBS_FOR_ALL_THREADS, Array, Job, Pages, Scratch, attended, first, legal, side_by_side, widen
from aclnn.ops.attention._scores import (
    LARGEST,
    LOWEST,
    Matrices,
    Panel,
    ScoredBatch,
    ScoreRules,
    blocks,
    floats,
    product,
)

TABLE: Final = "table"
"""the name of the input with the numbers of blocks"""


def attention(
    q: Array, k: Array, v: Array, *more: Array, names: tuple[str, ...], rules: ScoreRules, results: tuple[str, ...]
) -> tuple[Array, ...]:
    """softmax(scores) @ v. `more` are the inputs that `names` lists: shift, mask, sink, dropout bits, scales of
    INT8.
    With TABLE among the names, k and v are the blocks of a cache.
    `results` lists the statistics of each row that are returned too: "top", the largest score, and "sum", the sum of
    exp(score - top), each eight times; "lse", the logarithm of the sum of exp(score)."""
    others = dict(zip(names, more, strict=True))
    table = others.pop(TABLE, None)
    pages = None if table is None else Pages(table, rules.columns or 0)
    out = np.empty((*q.shape[:3], v.shape[3]), np.float32)
    tops: Array = np.empty(q.shape[:3], np.float32)
    sums: Array = np.empty(q.shape[:3], np.float32)
    if attended((q, k, v), (out, tops, sums), others, rules.scoring, pages):
        return out, *by_name_of(tops, sums, results)
    if pages is not None:
        k, v = (joined_blocks(cache, pages) for cache in (k, v))
    batches = [ScoredBatch(rules, i, q, k, others) for i in range(len(q))]
    if "deqScale1" in others:
        for batch in batches:
            batch.scale *= number_of(others["deqScale1"])
    chunks = [(batch, heads) for batch in batches for heads in batch.chunks(k.shape[3], v.shape[3])]
    # few parts for keys of 16 bits, as each part of a chunk converts all keys and values of the chunk to float32
    parts = 1 if len(chunks) >= JOBS_FOR_ALL_THREADS else JOBS_FOR_ALL_THREADS if k.dtype == np.float32 else 2
    jobs: list[Job] = []
    for batch, heads in chunks:
        panels = [*batch.panels(heads)]
        targets = [batch.grouped(result) for result in (out, tops, sums)]
        for part in blocks(len(panels), -(-len(panels) // parts)):
            jobs.append(partial(attend, batch, heads, panels[part], v[batch.number, heads], targets))
    side_by_side(jobs, max(q.size // q.shape[3] * k.shape[2], k.size))
    return out, *by_name_of(tops, sums, results)


def joined_blocks(cache: Array, pages: Pages) -> Array:
    """The rows of one batch, from the blocks (blocks, heads, rows, elements) of a cache. Blocks that do not exist are
    zeros, as `take` returns them."""
    places = pages.table.reshape(-1)
    in_range = legal(places, len(cache))
    of_heads = np.swapaxes(cache, 0, 1)[:, places if in_range is None else np.where(in_range, places, 0)]
    if in_range is not None:
        of_heads[:, ~in_range] = 0
    return of_heads.reshape(1, len(of_heads), -1, cache.shape[3])[:, :, : pages.columns]


def by_name_of(tops: Array, sums: Array, names: tuple[str, ...]) -> Iterator[Array]:
    """The statistics with these names."""
    by_name = {"top": eight(tops), "sum": eight(sums), "lse": logarithm(tops, sums)} if names else {}
    return (by_name[name] for name in names)


def attend(
    batch: ScoredBatch, heads: slice, panels: Sequence[Panel], v: Array, targets: Sequence[Array], scratch: Scratch
) -> None:  # fmt: skip
    """Compute some panels. `targets`: the arrays of the output, the largest scores and the sums of exponentials."""
    rules, others = batch.rules, batch.others
    keys, values = (Matrices(stacked, scratch, panels=len(panels)) for stacked in (batch.k[heads], v))
    for panel in panels:
        p = batch.scores(panel, keys, scratch)
        sink = None if batch.sink is None else widen(panel.of(batch.sink))
        top, total = exponentials(p, sink, corrects=rules.corrects)
        bits = batch.dropout(panel)
        if bits is not None:
            p *= bits
        divisor = total * np.float32(rules.keep)
        if "quantScale1" in others:
            p = np.clip(np.rint(p * (number_of(others["quantScale1"]) / total)), -128, 127)
            divisor = 1 / number_of(others["deqScale2"])
        sums = np.zeros((*p.shape[:2], v.shape[2]), np.float32)
        for place, part in values.parts(panel.columns):
            sums += p[..., place] @ part
        sums /= divisor
        place = panel.heads, panel.members, panel.rows
        for whole, statistic in zip(targets, (sums, top[..., 0], total[..., 0]), strict=True):
            whole[place] = statistic.reshape(whole[place].shape)


def exponentials(scores: Array, sink: Array | None, *, corrects: bool) -> tuple[Array, Array]:
    """Replace the scores by exp(score - top), where top is the largest score of the row. Return the tops and the sums
    of the rows. The sink is one more score of each row: it counts in the top and in the sum, and has no value."""
    top = scores.max(-1, keepdims=True)
    if sink is not None:
        top = np.maximum(top, sink)
    np.subtract(scores, top, out=scores)
    np.exp(scores, out=scores)
    total = scores.sum(-1, keepdims=True)
    if sink is not None:
        total += np.exp(sink - top)
    if corrects and (blind := top <= LOWEST).any():
        np.copyto(scores, 0, where=blind)
        top, total = np.where(blind, LOWEST, top), np.where(blind, LARGEST, total)
    return top, total


def number_of(scale: Array) -> Array:
    """A scale as float32. A UINT64 has the bits of the float in its low half."""
    number = first(scale)
    return number.astype(np.uint32).view(np.float32)[0] if number.dtype == np.uint64 else floats(number)[0]


def eight(rows: Array) -> Array:
    return np.broadcast_to(rows[..., None], (*rows.shape, 8))


def logarithm(tops: Array, sums: Array) -> Array:
    """The logarithm of the sum of the exponentials of the scores; infinity for a row without visible keys."""
    return np.where(sums == LARGEST, np.float32(np.inf), np.log(sums) + tops)[..., None]


def attention_grad(
    q: Array, k: Array, v: Array, dy: Array, out: Array, tops: Array, sums: Array, *more: Array, names: tuple[str, ...],
    rules: ScoreRules,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The gradients of q, k and v. `tops` and `sums` are the statistics of `attention`, one for each row."""
    others = dict(zip(names, more, strict=True))
    grads = [np.zeros(operand.shape, np.float32) for operand in (q, k, v)]
    jobs: list[Job] = []
    for number in range(len(q)):
        batch = ScoredBatch(rules, number, q, k, others)
        rows = [batch.grouped(array) for array in (dy, out, tops, sums)]
        for heads in batch.chunks(k.shape[3], v.shape[3]):
            jobs.append(partial(attend_back, batch, heads, v[number, heads], rows, grads))
    side_by_side(jobs, q.size // q.shape[3] * k.shape[2])
    dq, dk, dv = grads
    return dq, dk, dv


def attend_back(
    batch: ScoredBatch, heads: slice, v: Array, rows: Sequence[Array], grads: Sequence[Array], scratch: Scratch
) -> None:  # fmt: skip
    """Add the gradients of some key heads, and of their groups of query heads, to `grads`."""
    rules = batch.rules
    dq, dk, dv = batch.grouped(grads[0]), grads[1][batch.number, heads], grads[2][batch.number, heads]
    panels = [*batch.panels(heads)]
    keys, values = (Matrices(stacked, scratch, panels=len(panels)) for stacked in (batch.k[heads], v))
    for panel in panels:
        grad, out, top, total = (widen(panel.of(row)) for row in rows)
        p = batch.scores(panel, keys, scratch)
        np.subtract(p, top, out=p)
        np.exp(p, out=p)
        np.divide(p, total, out=p)
        bits = batch.dropout(panel)
        dp = scratch("gradients of scores", p.shape, np.float32)
        for place, part in values.parts(panel.columns):
            product(grad, part, dp[..., place])
        dropped = p
        if bits is not None:
            factor = bits * np.float32(1 / rules.keep)
            dropped = p * factor
            dp *= factor
        dv[:, panel.columns] += dropped.swapaxes(1, 2) @ grad
        dp -= (grad * out).sum(-1, keepdims=True)
        dp *= p
        dp *= np.float32(rules.scale)
        dk[:, panel.columns] += dp.swapaxes(1, 2) @ widen(panel.of(batch.q))
        sums = np.zeros((*p.shape[:2], dq.shape[3]), np.float32)
        for place, part in keys.parts(panel.columns):
            sums += dp[..., place] @ part
        place = panel.heads, panel.members, panel.rows
        dq[place] = sums.reshape(dq[place].shape)
