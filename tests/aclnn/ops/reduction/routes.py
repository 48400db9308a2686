"""Routes for `aclnn.ops.reduction`: torch, and Python's exactly rounded sums, one result after the
other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum, inf
from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import numpy_dtype
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, of_numbers, of_terms, route


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
    if isinstance(row[0], int) or any(abs(each) == inf for each in row):
        return sum(row)  # `fsum` refuses infinities of both signs
    return fsum(row)


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


SQUARE, CUBE = Meta((3, 3)), Meta((2, 3, 3))


def further(dims: str, keep: str) -> list[dict[str, Any]]:
    """Several dimensions, negative ones, none, kept ones; squares, in which another dimension gives the same shape."""
    return [
        {"self": SQUARE, dims: Values((1,))},
        {"self": SQUARE, dims: Values((-1,)), keep: True, "out": Meta((3, 1))},
        {"self": CUBE, dims: Values((2, 0)), "out": Meta((3,))},
        {"self": CUBE, dims: Values((-1,)), "out": Meta((2, 3))},
        {"self": CUBE, dims: Values(()), keep: True, "out": Meta((1, 1, 1))},
    ]


def reduce_sum(self: np.ndarray, dims: list[int], keepDims: bool) -> np.ndarray:
    return reduced(self, dims, keepDims, total)


def mean(self: np.ndarray, dim: list[int], keepDim: bool, dtype: int) -> np.ndarray:
    """The sum of integers wraps in dtype before it is divided."""
    to = numpy_dtype(dtype)
    if to is None or to.kind not in "iu":
        return reduced(self, dim, keepDim, average)
    bits, low = 8 * to.itemsize, np.iinfo(to).min

    def wrapped(row: list[Any]) -> int:
        whole = (total(row) - low) % 2**bits + low
        return abs(whole) // len(row) * (1 if whole > 0 else -1)

    return reduced(self, dim, keepDim, wrapped)


def torch_sum(self: np.ndarray, dims: list[int], keepDims: bool) -> Any:
    import torch

    x = as_tensor(self)
    found = torch.sum(x, tuple(dims) or None, keepdim=keepDims)
    return (found != 0 if x.dtype == torch.bool else found).numpy()


def torch_mean(self: np.ndarray, dim: list[int], keepDim: bool, dtype: int) -> Any:
    import torch

    x = as_tensor(self)
    if x.is_floating_point() or x.is_complex():
        return torch.mean(x, tuple(dim) or None, keepdim=keepDim).numpy()
    found, to = torch.sum(x, tuple(dim) or None, keepdim=keepDim), numpy_dtype(dtype)
    if to is not None and to.kind in "iu":
        found = found.to(getattr(torch, to.name)).to(torch.int64)
    count = x.numel() // max(found.numel(), 1)
    return torch.div(found, count, rounding_mode="trunc").numpy()


def without_last(row: list[Any]) -> Any:
    return total(row[:-1] or row)


def other_count(row: list[Any]) -> Any:
    """As a sample's variance would be divided."""
    return total(row) / max(len(row) - 1, 1)


def mirrored(x: np.ndarray, dims: Sequence[int], keepdims: bool, one: Callable[[list[Any]], Any]) -> np.ndarray:
    """Over the dimensions counted from the other end."""
    return reduced(x, [-1 - dim for dim in dims], keepdims, one)


def by_size(self: np.ndarray, dim: list[int], keepDim: bool) -> np.ndarray:
    """Divided by the number of all elements."""
    return reduced(self, dim, keepDim, total) / self.size


ROUTES: tuple[Route, ...] = (
    route("aclnnReduceSum", "fsum", reduce_sum, bound=bound("dims", "keepDims", divided=False),
          also=further("dims", "keepDims"), torch=("torch.sum", torch_sum), extremes={"self": ALL},
          wrong={"the last term lost": lambda self, dims, keepDims: reduced(self, dims, keepDims, without_last),
                 "over another axis": lambda self, dims, keepDims: mirrored(self, dims, keepDims, total),
                 "the mean": lambda self, dims, keepDims: reduced(self, dims, keepDims, average)}),
    route("aclnnMean", "fsum", mean, bound=bound("dim", "keepDim", divided=True),
          also=further("dim", "keepDim"), torch=("torch.mean", torch_mean), extremes={"self": ALL},
          wrong={"divided by one less": lambda self, dim, keepDim: reduced(self, dim, keepDim, other_count),
                 "divided by the size of self": by_size,
                 "over another axis": lambda self, dim, keepDim: mirrored(self, dim, keepDim, average),
                 "sums of integers do not wrap": lambda self, dim, keepDim: reduced(self, dim, keepDim, average),
                 "not divided": lambda self, dim, keepDim: reduced(self, dim, keepDim, total)}),
)  # fmt: skip
