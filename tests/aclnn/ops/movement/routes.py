"""Routes for `aclnn.ops.movement`: torch, and loops over indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, route, same_type


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


def torch_cat(tensors: list[np.ndarray], dim: int) -> Any:
    import torch

    return torch.cat(same_type(*tensors), dim).numpy()


def torch_split(self: np.ndarray, splitSections: int, dim: int, out: list[np.ndarray]) -> list[Any]:
    import torch

    pieces = torch.split(as_tensor(self), splitSections, dim)
    return [pieces[at].numpy() if at < len(pieces) else None for at in range(len(out))]


def cat_backwards(tensors: list[np.ndarray], dim: int) -> np.ndarray:
    return cat(tensors[::-1], dim)


def cat_of_first(tensors: list[np.ndarray], dim: int) -> np.ndarray:
    return cat([tensors[0]] * len(tensors), dim) if len({each.shape for each in tensors}) == 1 else cat(tensors, dim)


def split_backwards(self: np.ndarray, splitSections: int, dim: int, out: list[np.ndarray]) -> list[Any]:
    return split(np.flip(self, dim), splitSections, dim, out)


def split_round_robin(self: np.ndarray, splitSections: int, dim: int, out: list[np.ndarray]) -> list[Any]:
    """Each piece takes every n-th element, as many as it has."""
    count = -(-self.shape[dim] // splitSections)
    order = [each for at in range(count) for each in range(at, self.shape[dim], count)]
    return split(np.take(self, order, dim), splitSections, dim, out)


PIECES = [
    {"splitSections": 1, "out": (Meta((1, 3)), Meta((1, 3)))},
    {"self": Meta((4, 3)), "out": (Meta((2, 3)), Meta((2, 3)))},
    {"self": Meta((2, 4)), "dim": 1, "out": (Meta((2, 2)), Meta((2, 2)))},
    {"self": Meta((2, 3)), "dim": -1, "out": (Meta((2, 2)), Meta((2, 1)))},
]

ROUTES: tuple[Route, ...] = (
    route("aclnnCat", "loop", cat, bound="exact", also=[{"dim": 1, "out": Meta((2, 6))}],
          torch=("torch.cat", torch_cat), extremes={"tensors": ALL},
          wrong={"from the last tensor on": cat_backwards, "the first tensor again and again": cat_of_first}),
    route("aclnnSplitTensor", "loop", split, bound="exact", also=PIECES,
          torch=("torch.split", torch_split), extremes={"self": ALL},
          wrong={"pieces from the end": split_backwards, "pieces take turns": split_round_robin}),
)  # fmt: skip
