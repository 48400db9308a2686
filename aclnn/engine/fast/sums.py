"""Sums over dimensions of a tile: short runs are summed in float32, the sums of the runs in float64."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array

RUN: Final = 512
"""elements of a row that float32 sums up: BLAS does it in many lanes, so that the error stays that of 16 at most"""
ONES: Final = np.ones(RUN, np.float32)
GROUP: Final = 16
"""rows that are added up column by column in float32"""


def dot(a: Array, b: Array, gone: tuple[int, ...]) -> Array:
    """The sum of a * b over dimensions of which one is the last; float64, with one element along each of them."""
    total = _wide(_rows(a, b), gone)
    return total if np.isfinite(total).all() else _wide(a * b, gone)  # perhaps beyond float32 only on the way


def row_sums(a: Array, gone: tuple[int, ...]) -> Array:
    """The sum of a, in the same way: as the product with ones it takes half the time of `np.add.reduce`."""
    total = _wide(_rows(a, None), gone)
    return total if np.isfinite(total).all() else _wide(a, gone)


def _rows(a: Array, b: Array | None) -> Array:
    """The sums of short runs of each row of a * b; without b, of a."""
    size = a.shape[-1]
    count = _runs(size)
    if size <= RUN:
        return np.vecdot(a, ONES[:size] if b is None else b)[..., None]
    if count:
        return np.vecdot(_cut(a, count), ONES[: size // count] if b is None else _cut(b, count))
    runs = pairwise([*range(0, size, RUN), size])
    return np.stack([np.vecdot(a[..., i:j], ONES[: j - i] if b is None else b[..., i:j]) for i, j in runs], -1)


def columns(a: Array, gone: tuple[int, ...]) -> Array:
    """The sum over dimensions of which none is the last."""
    return _grouped((a,), gone)


def column_dot(a: Array, b: Array, gone: tuple[int, ...]) -> Array:
    """The sum of a * b over dimensions of which none is the last; both have all dimensions."""
    return _grouped((a, b), gone)


def _grouped(factors: tuple[Array, ...], gone: tuple[int, ...]) -> Array:
    shape = factors[0].shape
    dim = max((place for place in gone if shape[place] > 1), default=-1)
    if dim < 0:
        return _product(factors).astype(np.float64)
    size = shape[dim]
    whole = size // GROUP * GROUP
    front = (slice(None),) * dim
    parts: list[Array] = []
    if whole:
        groups = (*shape[:dim], whole // GROUP, GROUP, *shape[dim + 1 :])
        cut = [each[(*front, slice(whole))].reshape(groups) for each in factors]
        parts.append(_wide(_reduced(cut, dim + 1), gone))
    if whole < size:
        rest = [each[(*front, slice(whole, size))] for each in factors]
        parts.append(_wide(np.expand_dims(_reduced(rest, dim), dim), gone))
    total = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    return total if np.isfinite(total).all() else _wide(_product(factors), gone)


def _product(factors: Sequence[Array]) -> Array:
    return factors[0] if len(factors) == 1 else factors[0] * factors[1]


def _reduced(factors: Sequence[Array], axis: int) -> Array:
    """The sum of the product over an axis, without the product."""
    if len(factors) == 1:
        return np.add.reduce(factors[0], axis=axis)
    every = list(range(factors[0].ndim))
    found: Array = np.einsum(factors[0], every, factors[1], every, every[:axis] + every[axis + 1 :])
    return found


def combined(ufunc: np.ufunc, totals: Array) -> Array:
    """Sums or extremes of parts, which are the first dimension, as one; in order."""
    found: Array = np.add.reduce(totals, axis=0) if ufunc is np.add else ufunc.reduce(totals, axis=0)
    return found


def start_of(ufunc: np.ufunc) -> float:
    """The sum or extreme of nothing."""
    return -np.inf if ufunc is np.maximum else np.inf if ufunc is np.minimum else 0.0


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
