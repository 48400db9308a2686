"""Inverse, LinalgCholesky and LinalgCross."""

from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, DataTypes, Planning, Relation, Shape, T, axis, broadcast_shape, castable, demand, empty,
    in_parts, listed, planned, public_format, ranks, same_dtype, same_format, same_shape, shape,
)  # fmt: skip


WIDE: Final = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}
"""the types of the computation, by kind of the input"""
each_matrix_alone: Final = in_parts((-2, -1))
"""decorator of a kernel that computes each matrix of a stack independently"""
LARGEST: Final = 8192
INVERTED: Final = DataTypes((T.ACL_FLOAT, T.ACL_DOUBLE, T.ACL_COMPLEX64, T.ACL_COMPLEX128, T.ACL_FLOAT16))
FACTORED: Final = DataTypes((T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16))


def square(name: str) -> Relation:
    """Checks that the matrices of a tensor have as many rows as columns."""

    def bad(a: Arguments) -> Bad:
        rows, columns = a.shape(name)[-2:]
        return None if rows == columns else (list(a.shape(name)), "as many rows as columns")

    return demand("{0} has square matrices", name, bad=bad)


SQUARE: Final = square("self")


@planned(
    "aclnnInverse", listed("self", among=INVERTED), castable("self", "out"), same_shape("out", "self"),
    ranks("self", least=0, most=8), empty("self"), ranks("self", least=2), SQUARE,
)  # fmt: skip
def inverse(p: Planning) -> None:
    """out = the inverse of each matrix of self; NaN for a matrix without an inverse"""
    x = p.read("self")
    p.store("out", p.step(inverted, [x], x.shape, x.dtype))


@each_matrix_alone
def inverted(x: Array) -> Array:
    return each_matrix(np.linalg.inv, x)


def each_matrix(function: Callable[[Array], Array], x: Array) -> Array:
    """A numpy function applied to a stack of square matrices. The result is NaN for a matrix that numpy refuses."""
    wide: Array = x.astype(WIDE[x.dtype.kind])
    try:
        return function(wide).astype(x.dtype)
    except np.linalg.LinAlgError:
        pass
    matrices = wide.reshape(-1, *x.shape[-2:])
    results: Array = np.full_like(matrices, np.nan)
    for number, matrix in enumerate(matrices):
        try:
            results[number] = function(matrix)
        except np.linalg.LinAlgError:
            continue
    return cast("Array", results.reshape(x.shape).astype(x.dtype))


def too_large(a: Arguments) -> Bad:
    size = a.shape("self")[-1]
    return None if size <= LARGEST else (f"matrices of {size} rows", f"at most {LARGEST}")


@planned(
    "aclnnLinalgCholesky", listed("self", among=FACTORED), same_dtype("out", "self"), same_format("out", "self"),
    public_format("self"), ranks("self"), same_shape("out", "self"), empty("self"), SQUARE,
    demand("{0} has no more than 8192 columns", "self", bad=too_large),
)  # fmt: skip
def linalg_cholesky(p: Planning) -> None:
    """out = the lower triangular L with L L^H = self; if upper is true, the upper triangular U with U^H U = self. Only
    the same triangle of self is read. NaN if a matrix is not positive definite."""
    x = p.read("self")
    p.store("out", p.step(factored, [x], x.shape, x.dtype, upper=p["upper"]))


@each_matrix_alone
def factored(x: Array, *, upper: bool) -> Array:
    """The triangular factor of each matrix. numpy reads the lower triangle."""
    if not upper:
        return each_matrix(np.linalg.cholesky, x)
    return np.swapaxes(each_matrix(np.linalg.cholesky, np.swapaxes(x, -1, -2)), -1, -2)


# LinalgCross


def stretched(a: Arguments) -> Shape | None:
    return broadcast_shape(a.shape("self"), a.shape("other"))


def no_broadcast(a: Arguments) -> Bad:
    shape = list(a.shape("other"))
    return None if stretched(a) is not None else (shape, f"a shape that broadcasts with {list(a.shape('self'))}")


def no_triple(a: Arguments) -> Bad:
    size = (stretched(a) or ())[a.axis("dim", "self")]
    return None if size == 3 else (f"dimension {a['dim']}, of size {size}", "a dimension of size 3")


@planned(
    "aclnnLinalgCross", listed("self"), same_dtype("other", "self"), same_dtype("out", "self"), ranks("self", "other"),
    demand("{0} broadcasts with self", "other", "self", bad=no_broadcast),
    shape("out", "{0} has the shape that self and other broadcast to", stretched), axis("dim", "self"),
    demand("{0} is a dimension of size 3, after both are broadcast", "dim", "self", "other", bad=no_triple),
    empty("out"),
)  # fmt: skip
def linalg_cross(p: Planning) -> None:
    """out = the cross products of the vectors along dim. dim counts the dimensions of self."""
    out_shape, x = p.shape("out"), p.read("self")
    result = p.step(crossed, [x, p.read("other")], out_shape, x.dtype, axis=p.axis("dim", "self"))
    p.store("out", result)


@in_parts("axis")
def crossed(self: Array, other: Array, *, axis: int) -> Array:
    a, b = (np.moveaxis(array, axis, 0) for array in np.broadcast_arrays(self, other))
    rows: list[Any] = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(rows, axis)
