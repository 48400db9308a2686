"""TriangularSolve: systems of linear equations with a triangular matrix."""

from typing import Any, Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Bad, Planning, Shape, aclDataType, demand, empty, listed, null_status,
    planned, ranks, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.elementwise.conversion import spread
from aclnn.ops.matmul._family import batches
from aclnn.ops.linear_algebra.matrices import each_matrix_alone, square

BLOCK: Final = 64
"""rows that are solved one by one, before one matrix product subtracts their terms from the rows below"""


def other_rows(a: Arguments) -> Bad:
    rows, expected_rows = a.shape("self")[-2], a.shape("A")[-2]
    return None if rows == expected_rows else (f"{rows} rows", f"{expected_rows} rows, as A has")


def unitriangular_not_float(a: Arguments) -> Bad:
    if not a["unitriangular"] or a.dtype("A") == aclDataType.ACL_FLOAT:
        return None
    return f"true, with {a.type_name('A')}", "false; with FLOAT also true"


def stretched_shape(a: Arguments, name: str) -> Shape:
    """The shape of a tensor, with the batch that self and A broadcast to."""
    return (*np.broadcast_shapes(a.shape("self")[:-2], a.shape("A")[:-2]), *a.shape(name)[-2:])


@planned(
    "aclnnTriangularSolve", null_status(ACLNN_ERR_INNER_NULLPTR), listed("self", "A", "xOut", "mOut"),
    same_dtype("A", "self"), same_dtype("xOut", "self"), same_dtype("mOut", "self"),
    demand("{0} is true only with FLOAT", "unitriangular", "A", bad=unitriangular_not_float,
           broken="{0} is true, and the data type of {1} is not FLOAT"),
    ranks("self", "A"), square("A"),
    demand("{0} has as many rows as A", "self", "A", bad=other_rows), batches("self", "A"),
    shape("xOut", "{0} has the matrices of self for the batch that self and A broadcast to",
          lambda a: stretched_shape(a, "self")),
    shape("mOut", "{0} has the matrices of A for that batch", lambda a: stretched_shape(a, "A")),
    empty("self", "A"),
)  # fmt: skip
def triangular_solve(p: Planning) -> None:
    """xOut = X such that A X = self, where A is a triangular matrix. mOut = A, broadcast to the batch. If upper is
    true, the elements of A below the diagonal are ignored, otherwise the elements above it. transpose: A^T X = self.
    unitriangular: the diagonal is taken as 1. With a 0 in the diagonal the result has infinities and NaN."""
    right_side, matrix = p.read("self"), p.read("A")
    shape = stretched_shape(p, "self")
    flags = {name: p[name] for name in ("upper", "transpose", "unitriangular")}
    p.store("xOut", p.step(solved, [right_side, matrix], shape, right_side.dtype, **flags))
    if p.given("mOut"):
        sizes = stretched_shape(p, "A")
        p.store("mOut", p.step(spread, [matrix], sizes, matrix.dtype, moves=True, sizes=sizes))


@each_matrix_alone
def solved(right_side: Array, matrix: Array, *, upper: bool, transpose: bool, unitriangular: bool) -> Array:
    """The solution by substitution. 32-bit numbers are computed in twice their precision."""
    wide: Any = {"f": np.float64, "c": np.complex128}[right_side.dtype.kind]
    a = matrix.astype(wide)
    if transpose:
        a, upper = np.swapaxes(a, -1, -2), not upper
    batch = np.broadcast_shapes(right_side.shape[:-2], a.shape[:-2])
    x = np.array(np.broadcast_to(right_side, (*batch, *right_side.shape[-2:])), wide)
    if upper:  # from the last row to the first
        substitute(a[..., ::-1, ::-1], x[..., ::-1, :], unit=unitriangular)
    else:
        substitute(a, x, unit=unitriangular)
    return x.astype(right_side.dtype)


def substitute(a: Array, x: Array, *, unit: bool) -> None:
    """Replace the right side `x` by the solution. `a` is a lower triangle; elements above the diagonal are not read."""
    rows = a.shape[-1]
    for start in range(0, rows, BLOCK):
        end = min(start + BLOCK, rows)
        for row in range(start, end):
            earlier = slice(start, row)
            x[..., row, :] -= (a[..., row : row + 1, earlier] @ x[..., earlier, :])[..., 0, :]
            if not unit:
                x[..., row, :] /= a[..., row, row, None]
        x[..., end:, :] -= a[..., end:, start:end] @ x[..., start:end, :]
