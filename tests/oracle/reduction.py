"""Routes for `aclnn.ops.reduction`: Python's exactly rounded sums, one result after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any

import numpy as np

from tests.oracle.route import Route, of_numbers, of_terms, route


def reduced(x: np.ndarray, dims: Sequence[int], keepdims: bool, one: Callable[[list[Any]], Any]) -> np.ndarray:
    """`one` of the elements that each result is made of."""
    axes = sorted(dim % max(x.ndim, 1) for dim in dims) or list(range(x.ndim))
    kept = [at for at in range(x.ndim) if at not in axes]
    rows = x.transpose(*kept, *axes).reshape(*(x.shape[at] for at in kept), -1) if x.ndim else x.reshape(1)
    numbers = of_numbers([one(row.tolist()) for row in rows.reshape(-1, rows.shape[-1])])
    shape = [1 if at in axes else size for at, size in enumerate(x.shape) if keepdims or at not in axes]
    return numbers.reshape(shape)


def total(row: list[Any]) -> Any:
    if isinstance(row[0], bool):
        return any(row)
    if isinstance(row[0], complex):
        return complex(fsum(each.real for each in row), fsum(each.imag for each in row))
    return sum(row) if isinstance(row[0], int) else fsum(row)


def average(row: list[Any]) -> Any:
    """Integers are divided toward zero."""
    whole = total(row)
    if isinstance(whole, int) and not isinstance(whole, bool):
        return abs(whole) // len(row) * (1 if whole > 0 else -1)
    return whole / len(row)


def bound(of: str, keep: str, *, divided: bool) -> Callable[[Mapping[str, Any], np.ndarray, str], Any]:
    def terms(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
        x = np.abs(arguments["self"])
        count = x.size // max(exact.size, 1)
        magnitudes = reduced(x, arguments[of], arguments[keep], total)
        return of_terms(magnitudes / count if divided else magnitudes, count, dtype)

    return terms


FURTHER = ((1,), (-1,), (0, 1), ())


def reduce_sum(self: np.ndarray, dims: list[int], keepDims: bool) -> np.ndarray:
    return reduced(self, dims, keepDims, total)


def mean(self: np.ndarray, dim: list[int], keepDim: bool) -> np.ndarray:
    return reduced(self, dim, keepDim, average)


ROUTES: tuple[Route, ...] = (
    route("aclnnReduceSum", "fsum", reduce_sum, bound=bound("dims", "keepDims", divided=False)),
    route("aclnnMean", "fsum", mean, bound=bound("dim", "keepDim", divided=True)),
)
