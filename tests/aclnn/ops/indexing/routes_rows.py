"""Routes for ScatterNd, ScatterNdUpdate, TfScatterAdd, InplaceScatterUpdate."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.oracle.extremes import ALL, FINITE
from tests.oracle.route import Route, as_tensor, of_terms, route


def apart(indices: np.ndarray) -> np.ndarray:
    """Rows of which none comes twice."""
    if indices.ndim < 2 or indices.shape[-1] != 2:
        return np.arange(indices.size).reshape(indices.shape)
    numbers = np.arange(len(indices))
    return np.stack([numbers % 3, numbers // 3], 1)


def rows(x: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, adds: bool) -> np.ndarray:
    out = x.copy()
    places = indices.reshape(-1, indices.shape[-1]).tolist()
    parts = updates.reshape(len(places), *x.shape[indices.shape[-1] :])
    for place, part in zip(places, parts, strict=True):
        out[tuple(place)] = out[tuple(place)] + part if adds else part
    return out


def put(x: np.ndarray, indices: np.ndarray, updates: np.ndarray, *, adds: bool) -> Any:
    places = tuple(as_tensor(indices[..., each]) for each in range(indices.shape[-1]))
    return as_tensor(x).index_put(places, as_tensor(updates), accumulate=adds).numpy()


def scatter_nd(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    return rows(data, indices, updates, adds=False)


def torch_scatter_nd(data: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> Any:
    return put(data, indices, updates, adds=False)


def update(varRef: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    return rows(varRef, indices, updates, adds=False)


def torch_update(varRef: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> Any:
    return put(varRef, indices, updates, adds=False)


def as_rows(varRef: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    nd = updates.shape == (*indices.shape[:-1], *varRef.shape[indices.shape[-1] :])
    return indices if nd else indices[..., None]


def add(varRef: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    return rows(varRef, as_rows(varRef, indices, updates), updates, adds=True)


def torch_add(varRef: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> Any:
    return put(varRef, as_rows(varRef, indices, updates), updates, adds=True)


def terms(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    largest = max(float(np.abs(arguments[name]).max()) for name in ("varRef", "updates"))
    return of_terms(8 * largest, 8, dtype)


def at_offsets(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: int) -> np.ndarray:
    out = data.copy()
    for number, row in enumerate(indices.tolist()):
        batch, offset = row if isinstance(row, list) else (number, row)
        for j in range(updates.shape[axis]):
            out[(batch, *(slice(None),) * (axis - 1), offset + j)] = np.take(updates[number], j, axis - 1)
    return out


def torch_at_offsets(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: int) -> Any:
    out = as_tensor(data)
    for number, row in enumerate(indices.tolist()):
        batch, offset = row if isinstance(row, list) else (number, row)
        out[batch].narrow(axis - 1, offset, updates.shape[axis]).copy_(as_tensor(updates[number]))
    return out.numpy()


def at_the_beginning(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: int) -> np.ndarray:
    return at_offsets(data, indices * 0, updates, axis)


ROUTES: tuple[Route, ...] = (
    route("aclnnScatterNd", "loop", scatter_nd, bound="exact", extremes={"data": ALL, "updates": ALL},
          values={"indices": apart}, torch=("torch.index_put", torch_scatter_nd),
          also=[{"indices": Meta((2, 1), ACL_INT64), "updates": Meta((2, 4))}],
          groups=[["data", "updates", "out"], ["indices"]], wrong={"nothing": lambda data: data}),
    route("aclnnScatterNdUpdate", "loop", update, bound="exact", extremes={"var": ALL, "updates": ALL},
          values={"indices": apart}, torch=("torch.index_put", torch_update),
          groups=[["varRef", "updates"], ["indices"]], also=[{"varRef": Meta((5, 7))}],
          wrong={"nothing": lambda varRef: varRef}),
    route("aclnnTfScatterAdd", "loop", add, bound=terms, extremes={"var": FINITE, "updates": FINITE},
          torch=("torch.index_put", torch_add), groups=[["varRef", "updates"], ["indices"]],
          also=[{"indices": Meta((5,), ACL_INT64), "updates": Meta((5, 4))}, {"varRef": Meta((5, 7))}],
          wrong={"replaced": lambda varRef, indices, updates: rows(
              varRef, as_rows(varRef, indices, updates), updates, adds=False)}),
    route("aclnnInplaceScatterUpdate", "loop", at_offsets, bound="exact", extremes={"data": ALL, "updates": ALL},
          torch=("torch.narrow", torch_at_offsets), groups=[["data", "updates"], ["indices"]],
          values={"indices": lambda each: each if each.ndim < 2 else np.stack([np.arange(len(each)), each[:, 1]], 1)},
          also=[{"indices": Meta((2, 2), ACL_INT64)}], wrong={"from the beginning": at_the_beginning}),
)  # fmt: skip
