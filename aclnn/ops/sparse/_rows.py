"""Attention of one row to its keys, and its gradient. All arrays are float32 of the heads of the row."""

from typing import Final

import numpy as np

from aclnn.op import Array, widen


def attended(
    q: Array, keys: Array, values: Array, sinks: Array | None, dtype: np.dtype[np.generic]
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The output, the largest scores, and the sums of exp(score - largest). The probabilities are rounded to
    `dtype`."""
    scores: Array = np.matmul(q, np.swapaxes(keys, 0, 1))
    top: Array = scores.max(-1)
    if sinks is not None:
        top = np.maximum(top, sinks)
    p = np.exp(scores - top[:, None])
    total: Array = p.sum(-1)
    if sinks is not None:
        total = total + np.exp(sinks - top)
    p = widen((p / total[:, None]).astype(dtype))
    return np.matmul(p, values), top, total


TILE: Final = 512
"""the number of keys whose probabilities are rounded together"""


def attended_in_tiles(
    q: Array, keys: Array, sinks: Array, dtype: np.dtype[np.generic]
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The output, the largest scores, and the sums of exp(score - largest). Keys are values, too. exp(score - largest)
    of each tile is rounded to `dtype`; `largest` is that of the tiles so far."""
    out = np.zeros(q.shape, np.float32)
    top, total = sinks.astype(np.float32), np.ones(len(sinks), np.float32)
    for start in range(0, len(keys), TILE):
        tile = keys[start : start + TILE]
        scores: Array = np.matmul(q, np.swapaxes(tile, 0, 1))
        largest = np.maximum(top, scores.max(-1))
        p = np.exp(scores - largest[:, None])
        shrunk = np.exp(top - largest)
        total = total * shrunk + p.sum(-1)
        out = out * shrunk[:, None] + np.matmul(widen(p.astype(dtype)), tile)
        top = largest
    return out / total[:, None], top, total


def attended_back(
    q: Array, keys: Array, values: Array, grad: Array, delta: Array, statistics: tuple[Array, Array]
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The gradients of the scaled queries, of the keys and of the values. `delta`: the sum of gradient * output of each
    head. `statistics`: the largest scores and the sums."""
    tops, totals = statistics
    p = np.exp(np.matmul(q, np.swapaxes(keys, 0, 1)) - tops[:, None]) / totals[:, None]
    of_scores = p * (np.matmul(grad, np.swapaxes(values, 0, 1)) - delta[:, None])
    return np.matmul(of_scores, keys), np.matmul(of_scores.T, q), np.matmul(p.T, grad)
