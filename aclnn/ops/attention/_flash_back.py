"""Plans the gradients of attention, batch by batch, from the statistics of rows."""

from dataclasses import replace
from itertools import product
from math import prod
from typing import Final

import numpy as np

from aclnn.op import Array, Operand, Planning, T, widen
from aclnn.ops.attention._flash import LENGTHS, keys, layout, named
from aclnn.ops.attention._flash_steps import AlikeBatches, pieces
from aclnn.ops.attention._flash_versions import KEY_ROPE, QUERY_ROPE, has_sink
from aclnn.ops.attention._layouts import by_heads, spread
from aclnn.ops.attention._steps import attend_back, clear, copy

GRADS: Final = ("dqOut", "dkOut", "dvOut")
ROPE_GRADS: Final = ("dqRopeOut", "dkRopeOut")
STATISTICS: Final = ("softmaxMaxOptional", "softmaxSumOptional")


def backward(p: Planning) -> None:
    of_keys, count = keys(p).heads, p["headNum"]
    heads = dict(zip(GRADS, (count, of_keys, of_keys), strict=True))
    wholes = [Gradient(p, name, rope, heads[name]) for name, rope in zip(GRADS, (*ROPE_GRADS, ""), strict=True)]
    rows = [by_heads(p.read(name), layout(p), count) for name in ("dy", "attentionInOptional")]
    statistics = [p.read(name) for name in STATISTICS]
    parts = list(pieces(p))
    dsink = p.has("dsinkOut") and has_sink(p) and p["dsinkOut"] is not None and p["dsinkOut"].numel > 0
    shares = p.builder.alloc((len(parts), count), T.ACL_FLOAT)
    for number, piece in enumerate(parts):
        own_rows = [piece.of_query(row) for row in rows]
        own_rows += [first_statistic(piece.statistics(p, each)) for each in statistics]
        dq, dk, dv = (grad.whole for grad in wholes)
        attend_back(p, piece.attended, own_rows, [piece.of_query(dq), piece.of_key(dk), piece.of_key(dv)])
        if dsink:
            launch_sink(p, piece, own_rows, shares.part(slice(number, number + 1)))
    for grad in wholes:
        grad.finish(p)
    if dsink:
        p.store("dsinkOut", p.step(sum_of_parts, [shares], (count,), T.ACL_FLOAT))


class Gradient:
    """The gradient of query, key or value as (B, N, S, D), with that of its rotary part behind it."""

    def __init__(self, p: Planning, name: str, rope: str, heads: int) -> None:
        ropes = {"dqRopeOut": QUERY_ROPE, "dkRopeOut": KEY_ROPE}.get(rope, ())
        source = named(p, *ropes)
        rotary = bool(source) and p.given(source)
        self.names = (name, rope) if rotary else (name,)
        self.results = [p.builder.alloc(p.shape(own), p.dtype(own)) for own in self.names]
        self.parts = [by_heads(result, layout(p), heads) for result in self.results]
        self.whole, self.ends = self.parts[0], LENGTHS[0] if name == "dqOut" else LENGTHS[1]
        if rotary:
            size = sum(part.shape[3] for part in self.parts)
            self.whole = p.builder.alloc((*self.whole.shape[:3], size), self.whole.dtype)

    def finish(self, p: Planning) -> None:
        """Clear the rows behind the last batch, and store the results."""
        if layout(p) == "TND":
            clear(p, self.whole.along(2, slice(p[self.ends].values[-1], self.whole.shape[2])))
        if len(self.parts) > 1:
            size = self.parts[0].shape[3]
            for part, place in zip(self.parts, (slice(0, size), slice(size, None)), strict=True):
                copy(p, self.whole.along(3, place), part)
        for name, result in zip(self.names, self.results, strict=True):
            if prod(result.shape):
                p.store(name, result)


def first_statistic(rows: Operand) -> Operand:
    """One of the eight equal statistics of each row."""
    return replace(rows, shape=(*rows.shape[:-1], 1))


def launch_sink(p: Planning, piece: AlikeBatches, rows: list[Operand], share: Operand) -> None:
    """Queue the step that writes the share of some batches in the gradient of the sink, a number for each head."""
    if not prod(rows[0].shape):
        clear(p, share)
        return
    sink = spread(p.builder.reshape(p.read("sinkInOptional"), (p["headNum"], 1, 1)), rows[2].shape)
    p.builder.launch(sink_grad, [*rows, sink], [share], moves=True)


def sink_grad(dy: Array, out: Array, tops: Array, sums: Array, sink: Array) -> Array:
    """- the sum of P(sink) * rowsum(dy * out) over the rows of each head."""
    result = np.zeros((1, dy.shape[1]), np.float32)
    for batch, head in product(*map(range, dy.shape[:2])):
        slopes = (widen(dy[batch, head]) * widen(out[batch, head])).sum(-1)
        weights = np.exp(sink[batch, head] - tops[batch, head]) / sums[batch, head]
        result[0, head] -= (weights[:, 0] * slopes).sum()
    return result


def sum_of_parts(shares: Array) -> Array:
    return shares.sum(0)
