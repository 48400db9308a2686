"""Qr, LinalgQr, Slogdet and Logdet for stacks of matrices, computed in float64 and complex128."""

from typing import Final, cast

import numpy as np

from aclnn.op import (
    HIGHEST_RANK, PLAN, Arguments, Array, Bad, Planning, Relation, Shape, T, aclDataType, demand, in_range, is_complex,
    listed, null_status, planned, public_format, ranks, shape,
)  # fmt: skip
from aclnn.ops.linear_algebra.matrices import SQUARE, WIDE, each_matrix_alone

REDUCED, COMPLETE, ONLY_R = 0, 1, 2
"""the values of mode: reduced Q and R; a square Q; only R"""


def mode(a: Arguments) -> int:
    if a.op.c_name() == "aclnnLinalgQr":
        return a["mode"]
    return REDUCED if a["some"] else COMPLETE


def sizes(a: Arguments) -> tuple[Shape, Shape]:
    """The shapes of Q and R."""
    *batch, m, n = a.shape("self")
    inner = m if mode(a) == COMPLETE else min(m, n)
    return (*batch, m, inner), (*batch, inner, n)


def q_shape(a: Arguments) -> Shape | None:
    return None if mode(a) == ONLY_R else sizes(a)[0]


QR: Final[tuple[Relation, ...]] = (
    listed("self", "Q", "R"), ranks("self"),
    shape("Q", "{0} has the rows of self, and the columns that the mode asks for", q_shape),
    shape("R", "{0} has the columns of self, and the rows that the mode asks for", lambda a: sizes(a)[1]),
)  # fmt: skip


def factored(p: Planning) -> None:
    x = p.read("self")
    factors = p.steps(qr, [x], [(size, x.dtype) for size in sizes(p)], complete=mode(p) == COMPLETE)
    for name, result in zip(("Q", "R"), factors, strict=True):
        if name == "R" or mode(p) != ONLY_R:
            p.store(name, result)


@each_matrix_alone
def qr(x: Array, *, complete: bool) -> tuple[Array, Array]:
    q, r = np.linalg.qr(x.astype(WIDE[x.dtype.kind]), "complete" if complete else "reduced")
    return q.astype(x.dtype), r.astype(x.dtype)


@planned("aclnnLinalgQr", public_format("self", "Q", "R"), in_range("mode", REDUCED, ONLY_R), *QR)
def linalg_qr(p: Planning) -> None:
    """self = Q @ R, where Q has orthonormal columns, and R is upper triangular. mode 0: Q has the fewest columns; 1: Q
    is square; 2: only R is written"""
    factored(p)


@planned("aclnnQr", null_status(PLAN, "R"), *QR)
def qr_of_some(p: Planning) -> None:
    """self = Q @ R, where Q has orthonormal columns, and R is upper triangular. Q is square if some is false"""
    factored(p)


# determinants


ANY_RANK: Final = HIGHEST_RANK + 1


def real_sign_of_complex(a: Arguments) -> Bad:
    lost = is_complex(a.dtype("self")) and not is_complex(a.dtype("signOut"))
    return (a.type_name("signOut"), "a complex data type") if lost else None


def batch(a: Arguments) -> Shape:
    return a.shape("self")[:-2]


@planned(
    "aclnnSlogdet", listed("self", "signOut", "logOut"),
    demand("{0} is complex if {1} is", "signOut", "self", bad=real_sign_of_complex),
    public_format("self", "signOut", "logOut"), ranks("self", least=2, most=ANY_RANK), SQUARE,
    *(shape(name, "{0} has an element for each matrix", batch) for name in ("signOut", "logOut")),
)  # fmt: skip
def slogdet(p: Planning) -> None:
    """signOut * exp(logOut) = the determinant of each matrix. signOut is 1 or -1, or a complex number of magnitude 1.
    For a determinant of 0, signOut is 0 and logOut is -inf"""
    x = p.read("self")
    real = {T.ACL_COMPLEX64: T.ACL_FLOAT, T.ACL_COMPLEX128: T.ACL_DOUBLE}.get(aclDataType(x.dtype), x.dtype)
    results = p.steps(sign_and_log, [x], [(batch(p), x.dtype), (batch(p), real)])
    for name, result in zip(("signOut", "logOut"), results, strict=True):
        p.store(name, result)


@each_matrix_alone
def sign_and_log(x: Array) -> tuple[Array, Array]:
    sign, log = cast("tuple[Array, Array]", np.linalg.slogdet(x.astype(WIDE[x.dtype.kind])))
    return np.asarray(sign, x.dtype), np.asarray(log, np.abs(x[:0]).dtype)


@planned(
    "aclnnLogdet", listed("self", "out"), ranks("self", least=2), SQUARE,
    shape("out", "{0} has an element for each matrix", batch),
)  # fmt: skip
def logdet(p: Planning) -> None:
    """out = the logarithm of the determinant of each matrix: -inf for a determinant of 0, NaN for a negative one"""
    x = p.read("self")
    p.store("out", p.step(log_of, [x], batch(p), x.dtype))


@each_matrix_alone
def log_of(x: Array) -> Array:
    sign, log = map(np.asarray, np.linalg.slogdet(x.astype(WIDE[x.dtype.kind])))
    if x.dtype.kind == "c":
        return (log + 1j * np.angle(sign)).astype(x.dtype)
    return np.where(sign < 0, np.nan, log).astype(x.dtype)
