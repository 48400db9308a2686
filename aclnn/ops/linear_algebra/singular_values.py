"""Svd of stacks of matrices, computed in float64 and complex128."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from aclnn.op import Arguments, Array, Planning, Shape, done, listed, planned, ranks, same_dtype, shape
from aclnn.ops.linear_algebra.matrices import WIDE, each_matrix_alone

FACTORS = ("u", "v")


def least(a: Arguments) -> int:
    return min(a.shape("input")[-2:])


def vectors(dim: int) -> Callable[[Any], Shape | None]:
    """The shape of u (dim -2) or v (dim -1): a square, or as many columns as singular values. None if computeUV is
    false, so that the shape is not checked."""

    def expected_shape(a: Arguments) -> Shape | None:
        if not a["computeUV"]:
            return None
        size = a.shape("input")[dim]
        return *a.shape("input")[:-2], size, size if a["fullMatrices"] else least(a)

    return expected_shape


@planned(
    "aclnnSvd", listed("input"), *(same_dtype(name, "input") for name in ("sigma", *FACTORS)), ranks("input"),
    done("input is empty", "input", when=lambda a: prod(a.shape("input")) == 0),
    shape("sigma", "{0} has the singular values of each matrix", lambda a: (*a.shape("input")[:-2], least(a))),
    shape("u", "{0} has the left singular vectors of each matrix", vectors(-2)),
    shape("v", "{0} has the right singular vectors of each matrix", vectors(-1)),
)  # fmt: skip
def svd(p: Planning) -> None:
    """input = u @ diag(sigma) @ v^H. sigma is in descending order; the columns of u and v are orthonormal. u and v are
    square if fullMatrices is true, and are not written if computeUV is false."""
    x, names = p.read("input"), ("sigma", *FACTORS) if p["computeUV"] else ("sigma",)
    sizes = {"sigma": (*x.shape[:-2], least(p)), **{name: p.shape(name) for name in names[1:]}}
    results = [(sizes[name], x.dtype) for name in names]
    factors = p.steps(decomposed, [x], results, whole=p["fullMatrices"], vectors=p["computeUV"])
    for name, result in zip(names, factors, strict=True):
        p.store(name, result)


@each_matrix_alone
def decomposed(x: Array, *, whole: bool, vectors: bool) -> Any:
    wide = x.astype(WIDE[x.dtype.kind])
    finite: Any = np.isfinite(wide).all((-2, -1), keepdims=True)
    wide = np.where(finite, wide, 0)
    if not vectors:
        return nan_where(np.linalg.svd(wide, compute_uv=False), finite[..., 0]).astype(x.dtype)
    u, sigma, adjoint = np.linalg.svd(wide, full_matrices=whole)
    v: Array = np.conj(np.swapaxes(adjoint, -1, -2))
    pairs = ((sigma, finite[..., 0]), (u, finite), (v, finite))
    return tuple([nan_where(values, good).astype(x.dtype) for values, good in pairs])


def nan_where(values: Array, finite: Array) -> Array:
    """The values, and NaN for a matrix that has a number which is not finite."""
    return np.where(finite, values, np.nan)
