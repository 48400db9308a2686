"""Routes for linear algebra, and for Einsum: torch where it has the function, elimination and loops."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, but, by_torch, of_terms, route, unit


def well_conditioned(values: np.ndarray) -> np.ndarray:
    return values / np.abs(values).max(initial=1) / values.shape[-1] + 2 * np.eye(values.shape[-1])


def by_inverse(self: np.ndarray, A: np.ndarray, upper: bool, transpose: bool) -> tuple[np.ndarray, np.ndarray]:
    half = np.triu(A) if upper else np.tril(A)
    solution = np.linalg.solve(half.swapaxes(-1, -2) if transpose else half, self)
    return solution, np.broadcast_to(A, (*solution.shape[:-2], *A.shape[-2:]))


def of_solution(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 8 * unit(dtype) * np.abs(exact).max(initial=0)


def other_triangle(self: np.ndarray, A: np.ndarray, upper: bool, transpose: bool) -> tuple[np.ndarray, np.ndarray]:
    return by_inverse(self, A, not upper, transpose)


def by_torch_solved(**given: Any) -> tuple[np.ndarray, np.ndarray]:
    import torch

    a, b = as_tensor(given["A"]), as_tensor(given["self"])
    turned, upper = (a.mT, not given["upper"]) if given["transpose"] else (a, given["upper"])
    solution = torch.linalg.solve_triangular(turned, b, upper=upper).numpy()
    return solution, np.broadcast_to(given["A"], (*solution.shape[:-2], *a.shape[-2:]))


def positive_definite(values: np.ndarray) -> np.ndarray:
    wide = values / np.abs(values).max(initial=1)
    return wide @ wide.swapaxes(-1, -2) + 2 * np.eye(values.shape[-1])


def by_elimination(self: np.ndarray) -> np.ndarray:
    return np.linalg.solve(self, np.broadcast_to(np.eye(self.shape[-1]), self.shape))


def by_rows(self: np.ndarray, upper: bool) -> np.ndarray:
    """The factor, row by row."""
    lower = np.zeros(self.shape)
    for i in range(self.shape[-1]):
        for j in range(i + 1):
            rest = self[..., i, j] - (lower[..., i, :j] * lower[..., j, :j]).sum(-1)
            lower[..., i, j] = np.sqrt(rest) if i == j else rest / lower[..., j, j]
    return lower.swapaxes(-1, -2) if upper else lower


def crossed(self: np.ndarray, other: np.ndarray, dim: int) -> np.ndarray:
    """Sums over the permutations of three dimensions."""
    one, other = np.broadcast_arrays(self, other)
    axis = dim % self.ndim
    a, b = np.moveaxis(one, axis, 0), np.moveaxis(other, axis, 0)
    found = np.zeros_like(a * b)
    for i in range(3):
        found[i] = a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2]
    return np.moveaxis(found, 0, axis)


def crossed_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    largest = [float(np.abs(arguments[name]).max(initial=0)) for name in ("self", "other")]
    return of_terms(2 * largest[0] * largest[1], 2, dtype)


def summed(tensors: list[np.ndarray], equation: str) -> np.ndarray:
    """By numpy's own einsum."""
    return np.einsum(equation, *tensors)


def summed_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    sizes = [np.abs(each) for each in arguments["tensors"]]
    return of_terms(summed(sizes, arguments["equation"]), sizes[0].shape[-1], dtype)


def packed_scale(scale: np.ndarray, offset: Any = None) -> np.ndarray:
    """By the bytes of Python's struct."""
    rows = np.broadcast_arrays(scale, np.zeros(1) if offset is None else offset)
    found = [
        int.from_bytes(struct.pack("<f", one), "little") >> 13 << 13 | 1 << 46 | (round(other) & 0x1FF) << 37
        for one, other in zip(*(each.ravel().tolist() for each in rows), strict=True)
    ]
    return np.array(found, np.uint64).reshape(rows[0].shape)


ROUTES: tuple[Route, ...] = (
    route("aclnnTriangularSolve", "numpy.linalg.solve", by_inverse, bound=of_solution, values={"A": well_conditioned},
          also=[{"upper": True}, {"transpose": True}], wrong={"the other triangle": other_triangle},
          torch=("torch.linalg.solve_triangular", by_torch_solved)),
    route("aclnnInverse", "numpy.linalg.solve", by_elimination, bound=of_solution, values={"self": well_conditioned},
          torch=("torch.linalg.inv", by_torch("inverse", "self")),
          wrong={"transposed": lambda self: by_elimination(self.swapaxes(-1, -2))}),
    route("aclnnLinalgCholesky", "a loop over rows and columns", by_rows, bound=of_solution, also=[{"upper": True}],
          values={"self": positive_definite},
          wrong={"the other triangle": but(by_rows, upper=lambda given: not given["upper"])}),
    route("aclnnLinalgCross", "loop", crossed, bound=crossed_bound,
          wrong={"the sign": lambda self, other, dim: -crossed(self, other, dim)}),
    route("aclnnEinsum", "numpy.einsum", summed, bound=summed_bound,
          wrong={"a sign": lambda tensors, equation: -summed(tensors, equation)}),
    route("aclnnTransQuantParamV2", "aclnnTransQuantParamV3", "struct", packed_scale,
          wrong={"without offset": but(packed_scale, offset=lambda given: None)}),
)  # fmt: skip
