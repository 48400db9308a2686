"""Routes for `aclnn.ops.sorting`: torch, and Python's sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, route


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


def torch_sort(self: np.ndarray, dim: int, descending: bool) -> tuple[Any, Any]:
    import torch

    found = torch.sort(as_tensor(self), dim=dim, descending=descending, stable=True)
    return found.values.numpy(), found.indices.numpy()


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


ROUTES: tuple[Route, ...] = (
    route("aclnnSort", "loop", sort, bound="exact", also=[{"descending": True}, {"dim": -1}, {"stable": True}],
          torch=("torch.sort", torch_sort), extremes={"self": ALL},
          wrong={"not stable": sort_unstable, "descending ignored": sort_upwards, "over another axis": sort_other_axis,
                 "NaN as the smallest value": sort_nan_first}),
)  # fmt: skip
