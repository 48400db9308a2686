"""Routes for functions that move elements: `movement`, `sorting`, `indexing`. Torch, and loops over indices."""

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


def sort(self: np.ndarray, dim: int, descending: bool) -> tuple[np.ndarray, np.ndarray]:
    """Python's sort is stable, and keeps the order of equal values when it is reversed. NaN is the largest value."""
    values, places = np.empty_like(self), np.empty(self.shape, np.int64)
    lanes = np.moveaxis(self, dim, -1)
    for at in np.ndindex(lanes.shape[:-1]):
        lane = lanes[at].tolist()
        keys = [(each != each, 0 if each != each else each) for each in lane]
        order = sorted(range(len(lane)), key=keys.__getitem__, reverse=descending)
        np.moveaxis(values, dim, -1)[at] = [lane[each] for each in order]
        np.moveaxis(places, dim, -1)[at] = order
    return values, places


def nonzero(self: np.ndarray) -> np.ndarray:
    found = [at for at in np.ndindex(self.shape) if self[at] != 0]
    return np.array(found, np.int64).reshape(len(found), self.ndim)


def embedding(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    rows = [weight[index] for index in indices.ravel().tolist()]
    return np.array(rows).reshape(*indices.shape, *weight.shape[1:])


def torch_cat(tensors: list[np.ndarray], dim: int) -> Any:
    import torch

    return torch.cat(same_type(*tensors), dim).numpy()


def torch_split(self: np.ndarray, splitSections: int, dim: int, out: list[np.ndarray]) -> list[Any]:
    import torch

    pieces = torch.split(as_tensor(self), splitSections, dim)
    return [pieces[at].numpy() if at < len(pieces) else None for at in range(len(out))]


def torch_sort(self: np.ndarray, dim: int, descending: bool) -> tuple[Any, Any]:
    import torch

    found = torch.sort(as_tensor(self), dim=dim, descending=descending, stable=True)
    return found.values.numpy(), found.indices.numpy()


def torch_nonzero(self: np.ndarray) -> Any:
    import torch

    return torch.nonzero(as_tensor(self)).numpy()


def torch_embedding(weight: np.ndarray, indices: np.ndarray) -> Any:
    import torch

    return torch.nn.functional.embedding(as_tensor(indices), as_tensor(weight)).numpy()


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


def sort_unstable(self: np.ndarray, dim: int, descending: bool) -> tuple[np.ndarray, np.ndarray]:
    """Equal values in the opposite order."""
    values, places = sort(np.flip(self, dim), dim, descending) if self.ndim else sort(self, dim, descending)
    return values, self.shape[dim] - 1 - places if self.ndim else places


def sort_upwards(self: np.ndarray, dim: int, descending: bool) -> tuple[np.ndarray, np.ndarray]:
    return sort(self, dim, False)


def sort_other_axis(self: np.ndarray, dim: int, descending: bool) -> tuple[np.ndarray, np.ndarray]:
    return sort(self, dim - 1 if self.ndim > 1 else dim, descending)


def sort_nan_first(self: np.ndarray, dim: int, descending: bool) -> tuple[np.ndarray, np.ndarray]:
    low = np.where(np.isnan(self), -np.inf, self) if self.dtype.kind == "f" else self
    places = sort(low, dim, descending)[1]
    return np.take_along_axis(self, places, dim) if self.ndim else self, places


def nonzero_column_major(self: np.ndarray) -> np.ndarray:
    found = nonzero(self)
    return found[np.lexsort(found.T)] if found.shape[1] else found


def nonzero_reversed(self: np.ndarray) -> np.ndarray:
    return np.flip(nonzero(self), 1)


def embedding_next_row(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return embedding(np.roll(weight, -1, 0), indices)


def embedding_first_index(weight: np.ndarray, indices: np.ndarray) -> np.ndarray:
    return embedding(weight, np.full(indices.shape, indices.ravel()[0]))


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
    route("aclnnSort", "loop", sort, bound="exact", also=[{"descending": True}, {"dim": -1}, {"stable": True}],
          torch=("torch.sort", torch_sort), extremes={"self": ALL},
          wrong={"not stable": sort_unstable, "descending ignored": sort_upwards, "over another axis": sort_other_axis,
                 "NaN as the smallest value": sort_nan_first}),
    route("aclnnNonzero", "loop", nonzero, bound="exact", values={"self": np.rint}, positions=True,
          torch=("torch.nonzero", torch_nonzero), extremes={"self": ALL},
          wrong={"column-major order": nonzero_column_major,
                 "coordinates from the last dimension on": nonzero_reversed}),
    route("aclnnEmbedding", "loop", embedding, bound="exact", torch=("torch.embedding", torch_embedding),
          extremes={"weight": ALL}, also=[{"weight": Meta((5, 4)), "out": Meta((2, 3, 4))}],
          wrong={"the next row": embedding_next_row, "one index for all": embedding_first_index}),
)  # fmt: skip
