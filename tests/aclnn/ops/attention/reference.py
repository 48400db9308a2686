"""Attention by torch, and by a loop over heads. Queries, keys and values are (heads, rows, sizes)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.oracle.compare import in_single
from tests.oracle.route import Bound, Expected, Route, as_tensor

Core = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]
"""from q, k, v, scale, bias and hidden positions to the output, the largest scores and the sums; 0 for a blind row"""


def by_loop(q: Any, k: Any, v: Any, scale: float, bias: Any, hidden: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Head by head and row by row."""
    heads, rows, _ = q.shape
    group = heads // len(k)
    out = np.zeros((heads, rows, v.shape[2]), q.dtype)
    tops, sums = np.zeros((2, heads, rows), q.dtype)
    for head in range(heads):
        for row in range(rows):
            seen = ~hidden[head, row]
            s = (k[head // group][seen] @ q[head, row]) * np.asarray(scale, q.dtype) + bias[head, row][seen]
            if not seen.any() or s.max() == -np.inf:
                continue
            e = np.exp(s - s.max())
            out[head, row] = (e / e.sum()) @ v[head // group][seen]
            tops[head, row], sums[head, row] = s.max(), e.sum()
    return out, tops, sums


def by_torch(q: Any, k: Any, v: Any, scale: float, bias: Any, hidden: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import torch

    group = len(q) // len(k)
    q, k, v, bias, hidden = (as_tensor(each) for each in (q, k, v, bias, hidden))
    k, v = (each.repeat_interleave(group, 0) for each in (k, v))
    mask = bias.masked_fill(hidden, -torch.inf)
    out = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], mask[None], scale=scale)[0]
    s = q @ k.mT * scale + mask
    tops = s.amax(-1)
    sums = torch.exp(s - tops[..., None]).sum(-1)
    blind = tops == -torch.inf
    made = (out.masked_fill(blind[..., None], 0), tops.masked_fill(blind, 0), sums.masked_fill(blind, 0))
    return made[0].numpy(), made[1].numpy(), made[2].numpy()


def sunk(out: Any, top: Any, total: Any, sink: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sink of each head as one more score, which takes a share of the probabilities."""
    sink = np.broadcast_to(sink[:, None], top.shape)
    larger = np.where(total == 0, sink, np.maximum(top, sink))
    kept = total * np.exp(np.where(total == 0, 0, top - larger))
    share = np.exp(sink - larger)
    return out * (kept / (kept + share))[..., None], larger, kept + share


def bound(way: Expected) -> Bound:
    """4 times the error of the plain formula in float32. That counts as at least the error of an exponential whose
    argument, a score of about 8, is rounded: of a few elements the largest error may be small by luck."""

    def allowed(arguments: Mapping[str, Any], right: np.ndarray, dtype: str) -> Any:
        del dtype
        errors = np.abs(in_single(Route((), "", way), arguments, right) - right)
        least = 2.0**-22 * np.abs(right).max(initial=0.0, where=np.abs(right) < 1e30)
        return 4 * max(errors.max(initial=0.0, where=np.isfinite(errors)), least)

    return allowed


def heads_of(x: np.ndarray, layout: str, heads: int) -> np.ndarray:
    """(batches, heads, rows, sizes)"""
    if layout in ("BSH", "SBH"):
        x = x.reshape(*x.shape[:2], heads, -1)
        layout = {"BSH": "BSND", "SBH": "SBND"}[layout]
    return np.einsum(f"{layout.lower()}->bnsd", x)


def layout_of(x: np.ndarray, layout: str) -> np.ndarray:
    """The other way round."""
    if layout in ("BSH", "SBH"):
        made = np.einsum(f"bnsd->{layout[:2].lower()}nd", x)
        return made.reshape(*made.shape[:2], -1)
    return np.einsum(f"bnsd->{layout.lower()}", x)


def band(rows: int, columns: int, low: float, high: float) -> np.ndarray:
    """Positions outside of low <= column - row <= high."""
    off = np.arange(columns) - np.arange(rows)[:, None]
    return (off < low) | (off > high)
