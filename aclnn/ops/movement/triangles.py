"""Tril, Triu, Diag, DiagFlat, Trace, Eye: triangles and diagonals of matrices."""

from typing import cast

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Kernel, Planning, T, apart_from, demand, done, dtype_name, empty,
    filling, in_memory, in_parts, is_integer, listed, loose_shape, not_negative, null_status, planned, public_format,
    ranks, same_dtype, same_shape, shape, total, triangle_copied, with_out,
)  # fmt: skip
from aclnn.ops.movement._family import Shape, as_view, one_format, strided


def triangle(p: Planning, kernel: Kernel) -> None:
    x = p.read("self")
    columns = p.step(on_the_diagonal, [], (x.shape[-2], 1), T.ACL_INT64, rows=x.shape[-2], diagonal=p["diagonal"])
    p.store("out", p.step(kernel, [x, columns], x.shape, x.dtype, moves=True))


def on_the_diagonal(*, rows: int, diagonal: int) -> Array:
    """The column of the diagonal in each row."""
    return np.add(np.arange(rows)[:, None], np.clip(diagonal, -(1 << 62), 1 << 62))


def matrix(a: Arguments) -> Bad:
    without_rows = a.rank("self") < 2 and a["self"].numel
    return (f"{a.rank('self')} dimensions", "2 or more") if without_rows else None


@planned(
    "aclnnTril", "aclnnInplaceTril", listed("self", "out"), same_dtype("out", "self"), one_format("out", "self"),
    ranks("self", least=2, most=8), same_shape("out", "self"), empty("self"),
)  # fmt: skip
def tril(p: Planning) -> None:
    """out = self with zeros above a diagonal of its last two dimensions: elements with j - i <= diagonal stay"""
    triangle(p, lower)


@planned(
    "aclnnTriu", "aclnnInplaceTriu", listed("self"), same_dtype("out", "self"), public_format("self", "out"),
    one_format("out", "self"), demand("{0} has at least 2 dimensions", "self", bad=matrix),
    ranks("self", least=0, most=8), same_shape("out", "self"), empty("self"),
)  # fmt: skip
def triu(p: Planning) -> None:
    """out = self with zeros below a diagonal of its last two dimensions: elements with j - i >= diagonal stay"""
    triangle(p, upper)


@with_out
@in_parts([-1])
def lower(self: Array, columns: Array, *, out: Array | None = None) -> Array:
    if out is not None and triangle_copied(self, columns + 1, out, upper=False):
        return out
    return _where(np.less_equal(*_places(self.shape[-1], columns)), self)


@with_out
@in_parts([-1])
def upper(self: Array, columns: Array, *, out: Array | None = None) -> Array:
    if out is not None and triangle_copied(self, columns, out, upper=True):
        return out
    return _where(np.greater_equal(*_places(self.shape[-1], columns)), self)


def _places(size: int, columns: Array) -> tuple[Array, Array]:
    """The columns, and the column of the diagonal in each row. A small type makes it fast to compare them."""
    small = np.int16 if size <= np.iinfo(np.int16).max else np.int64
    return np.arange(size, dtype=small), np.clip(columns, -1, size).astype(small)


def _where(mask: Array, self: Array) -> Array:
    """self inside the triangle, 0 elsewhere. Elements of one byte are multiplied by the mask, which is faster."""
    if self.itemsize == 1:
        return cast("Array", (self.view(np.uint8) * mask.view(np.uint8)).view(self.dtype))
    return np.where(mask, self, np.zeros((), self.dtype))


def square(length: int, diagonal: int) -> Shape:
    side = length + abs(diagonal)
    return side, side


def from_vector(p: Planning, length: int) -> None:
    """A matrix of zeros with the elements of self on a diagonal."""
    x, diagonal = p.read("self"), p["diagonal"]
    row = p.builder.reshape(x, (length,))
    p.store("out", p.step(on_diagonal, [row], square(length, diagonal), x.dtype, moves=True, diagonal=diagonal))


@in_memory
def on_diagonal(row: Array, *, out: Array, diagonal: int) -> None:
    row, side = apart_from([out], row), len(out)
    out[...] = 0
    first = diagonal if diagonal >= 0 else -diagonal * side
    out.reshape(-1)[first : first + len(row) * (side + 1) : side + 1] = row


def diagonal_length(a: Arguments) -> int:
    rows, columns = a.shape("self")
    return max(min(rows, columns - a["diagonal"]) if a["diagonal"] >= 0 else min(rows + a["diagonal"], columns), 0)


def diagonal_shape(a: Arguments) -> Shape:
    return square(a["self"].numel, a["diagonal"]) if a.rank("self") < 2 else (diagonal_length(a),)


def no_diagonal(a: Arguments) -> bool:
    """True if there is nothing to write: an empty tensor, or a diagonal just outside of the matrix."""
    offset: int = a["diagonal"]
    return a["self"].numel == offset == 0 or (a.rank("self") == 2 and a.shape("self")[offset > 0] == abs(offset) > 0)


def fillable(a: Arguments) -> Bad:
    bad = a["self"].numel == 0 and a.dtype("out") == T.ACL_COMPLEX64
    return (a.type_name("out"), "a real data type, as self is empty") if bad else None


@planned(
    "aclnnDiag", listed("self"), same_dtype("out", "self"), ranks("self", least=0, most=2),
    done("self is empty and diagonal 0, or the diagonal begins just outside of the matrix", "self", "diagonal",
         when=no_diagonal),
    demand("the data type of {0} is real if self is empty", "out", "self", bad=fillable),
    empty("self", plan=filling("out", 0)),
    loose_shape("out", "{0} has the shape of the matrix or of the diagonal", diagonal_shape),
)  # fmt: skip
def diag(p: Planning) -> None:
    """out = a matrix of zeros with the vector self on a diagonal, or the diagonal of the matrix self"""
    if p.rank("self") < 2:
        from_vector(p, p["self"].numel)
        return
    x, offset, length = as_view(p, "self"), p["diagonal"], diagonal_length(p)
    row, column = x.strides
    start = x.offset + (offset * column if offset > 0 else -offset * row) if length else x.offset
    p.store("out", strided(x, (length,), (row + column,), start))


@planned(
    "aclnnDiagFlat", null_status(ACLNN_ERR_INNER_NULLPTR), listed("self"), listed("out", like="self"),
    ranks("self", "out", least=0, most=8), empty("self"),
)  # fmt: skip
def diag_flat(p: Planning) -> None:
    """out = a matrix of zeros with the elements of self on a diagonal"""
    from_vector(p, p["self"].numel)


def trace_type(a: Arguments) -> Bad:
    self_dtype = a.dtype("self")
    expected_dtype = T.ACL_INT64 if is_integer(self_dtype) or self_dtype == T.ACL_BOOL else self_dtype
    return None if a.dtype("out") == expected_dtype else (a.type_name("out"), dtype_name(expected_dtype))


@planned(
    "aclnnTrace", ranks("self", least=2, most=2), ranks("out", least=0, most=0), listed("self"),
    demand("{0} is INT64 for integers, or has the data type of self", "out", "self", bad=trace_type),
    empty("self", plan=filling("out", 0)),
)  # fmt: skip
def trace(p: Planning) -> None:
    """out = the sum of the diagonal of self"""
    x = p.read("self", T.ACL_INT64 if p.dtype("out") == T.ACL_INT64 else None)
    rows, columns = x.shape
    diagonal = strided(x, (min(rows, columns),), (columns + 1,))
    p.store("out", p.step(summed, [diagonal], (), x.dtype))


def summed(diagonal: Array) -> Array:
    return np.asarray(total(diagonal, 0))


def identity_shape(a: Arguments) -> Shape:
    return a["n"], a["m"]


@planned(
    "aclnnEye", listed("out"), ranks("out", least=2, most=2), not_negative("n"), not_negative("m"),
    shape("out", "{0} has the shape (n, m)", identity_shape), empty("out"),
)  # fmt: skip
def eye(p: Planning) -> None:
    """out = 1 on the diagonal, 0 elsewhere"""
    out = p["out"]
    p.store("out", p.step(identity, [], out.shape, out.dtype))


@in_memory
def identity(*, out: Array) -> None:
    places = np.arange(min(out.shape))
    out[...] = 0
    out[places, places] = 1
