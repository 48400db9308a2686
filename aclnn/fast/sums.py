"""Sums over dimensions of a tile: short runs in float32, those in float64."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from acl_runtime.dtypes import Array

RUN: Final = 1024
"""elements of a row that float32 sums up: BLAS does it in many lanes, so that the error stays that of a short sum"""
GROUP: Final = 16
"""rows that are added up column by column in float32"""


def dot(a: Array, b: Array, gone: Sequence[int]) -> Array:
    """The sum of a * b over dimensions of which one is the last; float64, with one element along each of them."""
    size = a.shape[-1]
    count = next((n for n in range(-(-size // RUN), 2 * -(-size // RUN)) if size % n == 0), 0)
    if size <= RUN:
        parts: list[Array] = [np.vecdot(a, b)[..., None]]
    elif count:
        parts = [np.vecdot(_cut(a, count), _cut(b, count))]
    else:
        ends = [*range(0, size, RUN), size]
        parts = [np.vecdot(a[..., i:j], b[..., i:j])[..., None] for i, j in pairwise(ends)]
    total: Array = parts[0].sum(tuple(gone), dtype=np.float64, keepdims=True)
    for part in parts[1:]:
        total += part.sum(tuple(gone), dtype=np.float64, keepdims=True)
    return total


def columns(a: Array, gone: Sequence[int]) -> Array:
    """The sum over dimensions of which none is the last."""
    dim = max((place for place in gone if a.shape[place] > 1), default=-1)
    if dim < 0:
        return a.astype(np.float64)
    size = a.shape[dim]
    whole = size // GROUP * GROUP
    if not whole:
        return np.add.reduce(a, axis=dim, keepdims=True).sum(tuple(gone), dtype=np.float64, keepdims=True)
    front, rest = a[(*_all(dim), slice(whole))], a[(*_all(dim), slice(whole, size))]
    groups = front.reshape(*a.shape[:dim], whole // GROUP, GROUP, *a.shape[dim + 1 :])
    total = np.add.reduce(groups, axis=dim + 1).sum(tuple(gone), dtype=np.float64, keepdims=True)
    if whole < size:
        total += np.add.reduce(rest, axis=dim, keepdims=True).sum(tuple(gone), dtype=np.float64, keepdims=True)
    return total


def _cut(a: Array, count: int) -> Array:
    """The last dimension as `count` runs."""
    return a.reshape(*a.shape[:-1], count, -1)


def _all(dim: int) -> tuple[slice, ...]:
    return (slice(None),) * dim
