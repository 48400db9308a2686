"""Sums over dimensions of a tile: short runs in float32, those in float64."""

from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from acl_runtime.dtypes import Array

RUN: Final = 1024
"""elements of a row that float32 sums up: BLAS does it in many lanes, so that the error stays that of a short sum"""
ONES: Final = np.ones(RUN, np.float32)
GROUP: Final = 16
"""rows that are added up column by column in float32"""


def dot(a: Array, b: Array, gone: tuple[int, ...]) -> Array:
    """The sum of a * b over dimensions of which one is the last; float64, with one element along each of them."""
    size = a.shape[-1]
    count = _runs(size)
    if size <= RUN:
        return _wide(np.vecdot(a, b)[..., None], gone)
    if count:
        return _wide(np.vecdot(_cut(a, count), _cut(b, count)), gone)
    ends = [*range(0, size, RUN), size]
    parts = np.stack([np.vecdot(a[..., i:j], b[..., i:j]) for i, j in pairwise(ends)], -1)
    return _wide(parts, gone)


def row_sums(a: Array, gone: tuple[int, ...]) -> Array:
    """The sum of a, in the same way: as the product with ones it takes half the time of `np.add.reduce`."""
    size = a.shape[-1]
    count = _runs(size)
    if size <= RUN:
        return _wide(np.vecdot(a, ONES[:size])[..., None], gone)
    if count:
        return _wide(np.vecdot(_cut(a, count), ONES[: size // count]), gone)
    ends = [*range(0, size, RUN), size]
    parts = np.stack([np.vecdot(a[..., i:j], ONES[: j - i]) for i, j in pairwise(ends)], -1)
    return _wide(parts, gone)


def columns(a: Array, gone: tuple[int, ...]) -> Array:
    """The sum over dimensions of which none is the last."""
    dim = max((place for place in gone if a.shape[place] > 1), default=-1)
    if dim < 0:
        return a.astype(np.float64)
    size = a.shape[dim]
    whole = size // GROUP * GROUP
    if not whole:
        return _wide(np.add.reduce(a, axis=dim, keepdims=True), gone)
    front, rest = a[(*_all(dim), slice(whole))], a[(*_all(dim), slice(whole, size))]
    groups = front.reshape(*a.shape[:dim], whole // GROUP, GROUP, *a.shape[dim + 1 :])
    total = _wide(np.add.reduce(groups, axis=dim + 1), gone)
    if whole < size:
        total += _wide(np.add.reduce(rest, axis=dim, keepdims=True), gone)
    return total


def _wide(parts: Array, gone: tuple[int, ...]) -> Array:
    """Sums of float32 added up in float64."""
    return np.add.reduce(parts, axis=gone, dtype=np.float64, keepdims=True)


@cache
def _runs(size: int) -> int:
    """So many equal runs of a row are short enough; 0 if there is no such number."""
    least = -(-size // RUN)
    return next((count for count in range(least, 2 * least) if size % count == 0), 0)


def _cut(a: Array, count: int) -> Array:
    """The last dimension as `count` runs."""
    return a.reshape(*a.shape[:-1], count, -1)


def _all(dim: int) -> tuple[slice, ...]:
    return (slice(None),) * dim
