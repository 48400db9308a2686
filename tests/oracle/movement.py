"""Routes for functions that move elements: `movement`, `sorting`, `indexing`. Loops over indices."""

from __future__ import annotations

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, route


def cat(tensors: list[np.ndarray], dim: int) -> np.ndarray:
    """Each element goes to its index, shifted along dim."""
    shape, start = list(tensors[0].shape), 0
    shape[dim] = sum(each.shape[dim] for each in tensors)
    out = np.empty(shape, np.result_type(*tensors))
    for each in tensors:
        for at in np.ndindex(each.shape):
            to = list(at)
            to[dim] += start
            out[tuple(to)] = each[at]
        start += each.shape[dim]
    return out


def split(self: np.ndarray, splitSections: int, dim: int, out: list[np.ndarray]) -> list[np.ndarray | None]:
    """Pieces by the numbers of their elements; tensors that are left over are not compared."""
    numbers = range(self.shape[dim])
    pieces: list[np.ndarray | None] = []
    for at in range(len(out)):
        chosen = [each for each in numbers if each // splitSections == at]
        pieces.append(np.stack([np.take(self, each, dim) for each in chosen], dim) if chosen else None)
    return pieces


def sort(self: np.ndarray, dim: int, descending: bool) -> tuple[np.ndarray, np.ndarray]:
    """Python's sort is stable, and keeps the order of equal values when it is reversed."""
    values, places = np.empty_like(self), np.empty(self.shape, np.int64)
    lanes = np.moveaxis(self, dim, -1)
    for at in np.ndindex(lanes.shape[:-1]):
        lane = lanes[at].tolist()
        order = sorted(range(len(lane)), key=lane.__getitem__, reverse=descending)
        np.moveaxis(values, dim, -1)[at] = [lane[each] for each in order]
        np.moveaxis(places, dim, -1)[at] = order
    return values, places


def nonzero(self: np.ndarray) -> np.ndarray:
    found = [at for at in np.ndindex(self.shape) if self[at] != 0]
    return np.array(found, np.int64).reshape(len(found), self.ndim)


def embedding(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    rows = [weight[index] for index in indices.ravel().tolist()]
    return np.array(rows).reshape(*indices.shape, *weight.shape[1:])


ROWS = (Meta((1, 3)), Meta((1, 3)))
ROUTES: tuple[Route, ...] = (
    route("aclnnCat", "loop", cat, bound="exact", also=[{"dim": 0}]),
    route("aclnnSplitTensor", "loop", split, bound="exact", also=[{"splitSections": 1, "out": ROWS}, {"dim": 1}]),
    route("aclnnSort", "loop", sort, bound="exact", also=[{"descending": True}, {"dim": -1}]),
    route("aclnnNonzero", "loop", nonzero, bound="exact", values={"self": np.rint}),
    route("aclnnEmbedding", "loop", embedding, bound="exact"),
)
