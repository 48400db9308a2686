"""Routes for `aclnn.ops.movement`: torch, and loops over indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.case import Meta
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, but, route, same_type


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


def split_with_size(self: np.ndarray, splitSize: Any, dim: int) -> list[Any]:
    """One slice after the other."""
    ends = np.cumsum(splitSize)
    return [np.take(self, range(end - length, end), dim) for end, length in zip(ends, splitSize, strict=True)]


def torch_split_with_size(self: np.ndarray, splitSize: Any, dim: int) -> list[Any]:
    import torch

    return [each.numpy() for each in torch.split(as_tensor(self), [int(each) for each in splitSize], dim)]


def strided_slice(self: np.ndarray, begin: Any, end: Any, strides: Any, shrinkAxisMask: int) -> np.ndarray:
    """Rows of the first dimension, one after the other."""
    rows = [self[at] for at in range(*slice(begin[0], end[0], strides[0]).indices(len(self)))]
    return rows[0] if shrinkAxisMask else np.array(rows).reshape(-1, *self.shape[1:])


def torch_strided_slice(self: np.ndarray, begin: Any, end: Any, strides: Any, shrinkAxisMask: int) -> Any:
    import torch

    places = torch.arange(len(self))[begin[0] : end[0] : strides[0]]
    found = torch.index_select(as_tensor(self), 0, places)
    return (found[0] if shrinkAxisMask else found).numpy()


ROUTES: tuple[Route, ...] = (
    route("aclnnCat", "loop", cat, bound="exact", also=[{"dim": 1, "out": Meta((2, 6))}],
          torch=("torch.cat", torch_cat), extremes={"tensors": ALL},
          wrong={"from the last tensor on": cat_backwards, "the first tensor again and again": cat_of_first}),
    route("aclnnSplitTensor", "loop", split, bound="exact", also=PIECES,
          torch=("torch.split", torch_split), extremes={"self": ALL},
          wrong={"pieces from the end": split_backwards, "pieces take turns": split_round_robin}),
    route("aclnnSplitWithSize", "loop", split_with_size, bound="exact", torch=("torch.split", torch_split_with_size),
          extremes={"self": ("nan", "inf", "-inf")},
          wrong={"from the end": but(split_with_size, self=lambda arguments: np.flip(arguments["self"], 0))}),
    route("aclnnStridedSlice", "loop", strided_slice, bound="exact", extremes={"self": ALL},
          torch=("torch.index_select", torch_strided_slice),
          also=[{"shrinkAxisMask": 1, "out": Meta((4,))}],
          wrong={"one before": but(strided_slice, begin=[0], end=[2])}),
)  # fmt: skip
