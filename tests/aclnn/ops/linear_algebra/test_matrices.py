"""aclnnInverse, aclnnLinalgCholesky, aclnnLinalgCross and aclnnEinsum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, Meta, f16, f32
from tests.helpers.builders import plan
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused, made

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NZ = ACL_FORMAT_FRACTAL_NZ
MATRIX: dict[str, Any] = {"self": f32(2, 3, 3), "out": f32(2, 3, 3)}
BOTH = ("self", "out")
INVERSE = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in BOTH),
    Mistake("type of self", INVALID, "self", self=Meta((2, 3, 3), ACL_INT32)),
    Mistake("type of out", INVALID, "out", out=Meta((2, 3, 3), ACL_INT32)),
    Mistake("shape of out", INVALID, "out", out=f32(3, 3)),
    Mistake("a vector", INVALID, "self", self=f32(3), out=f32(3)),
    Mistake("not square", INVALID, "self", self=f32(3, 4), out=f32(3, 4)),
]
FACTOR: dict[str, Any] = {"self": f32(2, 3, 3), "upper": False, "out": f32(2, 3, 3)}
CHOLESKY = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in BOTH),
    Mistake("type of self", INVALID, "self", self=Meta((2, 3, 3), ACL_DOUBLE)),
    Mistake("type of out", INVALID, "out", out=f16(2, 3, 3)),
    Mistake("another format", INVALID, "out", out=f32(2, 3, 3, format=NZ)),
    Mistake("FRACTAL_NZ", INVALID, "self", self=f32(2, 3, 3, format=NZ), out=f32(2, 3, 3, format=NZ)),
    Mistake("a vector", INVALID, "self", self=f32(3)),
    Mistake("shape of out", INVALID, "out", out=f32(3, 3)),
    Mistake("not square", INVALID, "self", self=f32(3, 4), out=f32(3, 4)),
    Mistake("too large", INVALID, "self", self=f32(8193, 8193), out=f32(8193, 8193)),
]
VECTORS: dict[str, Any] = {"self": f32(3, 4), "other": f32(3, 1), "dim": -2, "out": f32(3, 4)}
CROSS = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "other", "out")),
    Mistake("type of self", INVALID, "self", self=Meta((3, 4), ACL_BOOL)),
    Mistake("type of other", INVALID, "other", other=f16(3, 1)),
    Mistake("type of out", INVALID, "out", out=f16(3, 4)),
    Mistake("no broadcast", INVALID, "other", other=f32(3, 2)),
    Mistake("shape of out", INVALID, "out", out=f32(4, 3)),
    Mistake("no such dimension", INVALID, "dim", dim=2),
    Mistake("size 4", INVALID, "dim", dim=1),
]


@pytest.mark.parametrize(("first", "good", "mistakes"), [
    (aclnnInverseGetWorkspaceSize, MATRIX, INVERSE), (aclnnLinalgCholeskyGetWorkspaceSize, FACTOR, CHOLESKY),
    (aclnnLinalgCrossGetWorkspaceSize, VECTORS, CROSS),
], ids=["inverse", "cholesky", "cross"])  # fmt: skip
def test_mistakes_are_refused_in_the_order_of_the_contract(first: Any, good: Any, mistakes: Any) -> None:
    for mistake in mistakes:
        assert_refused(first, good, mistake)
    if len(mistakes) > 7:
        assert_order(first, good, [each for each in mistakes if each.rule != "type of self"])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.float16])
def test_inverse(dtype: Any) -> None:
    x = (np.eye(4) * 2 + np.arange(32).reshape(2, 4, 4) / 64).astype(dtype)
    with Machine():
        found = run(aclnnInverse, x.swapaxes(1, 2).copy().swapaxes(1, 2), np.empty_like(x))
    wide = x.astype(complex if x.dtype.kind == "c" else float)
    assert np.allclose(found, np.linalg.inv(wide), rtol=1e-3 if dtype == np.float16 else 1e-5, atol=1e-4)


@pytest.mark.fidelity("matrices without an inverse or a factor")
def test_a_matrix_without_a_result_is_nan() -> None:
    x = np.stack([np.eye(2), np.zeros((2, 2)), 2 * np.eye(2)]).astype(np.float32)
    with Machine():
        found = run(aclnnInverse, x, np.empty_like(x))
        assert found[[0, 2]].tolist() == [np.eye(2).tolist(), (np.eye(2) / 2).tolist()]
        assert np.isnan(found[1]).all()
        found = run(aclnnLinalgCholesky, np.stack([-x[0], x[0]]), False, x[:2])
        assert found[1].tolist() == np.eye(2).tolist()
        assert np.isnan(found[0]).all()


@pytest.mark.fidelity("the triangle that aclnnLinalgCholesky reads")
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_reads_one_triangle(upper: bool, dtype: Any) -> None:
    factor = np.array([[2, 0, 0], [1, 3, 0], [-1, 2, 1]])
    x = (factor @ factor.T).astype(np.float32)
    x[np.triu_indices(3, 1) if not upper else np.tril_indices(3, -1)] = 99
    with Machine(A2):
        found = run(aclnnLinalgCholesky, x.astype(dtype), upper, np.empty((3, 3), dtype))
    assert found.tolist() == (factor.T if upper else factor).tolist()


def test_cross_products() -> None:
    a, b = np.arange(12, dtype=np.int8).reshape(3, 4), np.array([[1], [2], [3]], np.int8)
    with Machine():
        found = run(aclnnLinalgCross, a, b, -2, np.empty((3, 4), np.int8))
        assert found.T.tolist() == [np.cross(column, [1, 2, 3]).tolist() for column in a.T]
        wide = run(
            aclnnLinalgCross, a[:, :3].astype(np.float16), b.T.astype(np.float16), 1, np.empty((3, 3), np.float16)
        )
        assert wide.tolist() == [np.cross(row, [1, 2, 3]).tolist() for row in a[:, :3]]


def test_empty_results() -> None:
    for first, good, empty in (
        (aclnnInverseGetWorkspaceSize, MATRIX, {"self": f32(0), "out": f32(0)}),
        (aclnnLinalgCholeskyGetWorkspaceSize, FACTOR, {"self": f32(0, 4), "out": f32(0, 4)}),
        (aclnnLinalgCrossGetWorkspaceSize, VECTORS, {"self": f32(3, 0), "out": f32(3, 0)}),
    ):
        found = answer(first, good, empty)
        assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


# Einsum


def einsum_status(equation: str | None, *shapes: tuple[int, ...], dtype: int = ACL_FLOAT, **changes: Any) -> int:
    """Of these shapes, the last one that of the output."""
    metas = [Meta(each, dtype) for each in shapes]
    metas[-1] = changes.get("output", metas[-1])
    with Machine(A2, on_undefined="report"):
        aclrtSetDevice(0)
        tensors = None if changes.get("null") else made(list(metas[:-1]))
        return plan(aclnnEinsumGetWorkspaceSize, tensors, equation and equation.encode(), metas[-1].make()).status


FIRST = (2, 1, 3, 4), (2, 1, 3, 5, 4), (2, 1, 3, 5)


def test_equations() -> None:
    """Any letters will do. A blank, or another order, will not."""
    assert einsum_status("abcd,abced->abce", *FIRST) == einsum_status("xyzw,xyzvw->xyzv", *FIRST) == ACL_SUCCESS
    assert einsum_status("q,b->qb", (2,), (3,), (2, 3)) == ACL_SUCCESS
    for wrong in ("abcd, abced->abce", "abcd,abced->abec", "ij,jk->ik", ""):
        assert einsum_status(wrong, *FIRST) == INVALID


def test_mistakes_of_einsum() -> None:
    assert einsum_status("abcd,abced->abce", *FIRST, null=True) == NULL
    assert einsum_status(None, *FIRST) == NULL
    assert einsum_status("abcd,abced->abce", *FIRST, dtype=ACL_DOUBLE) == INVALID
    assert einsum_status("abcd,abced->abce", *FIRST, output=Meta(FIRST[2], ACL_FLOAT16)) == INVALID
    assert einsum_status("abcd,abced->abce", *FIRST, output=f32(2, 1, 5, 3)) == INVALID
    assert einsum_status("abcd,abced->abce", FIRST[0], (2, 1, 3, 5, 6), FIRST[2]) == INVALID
    assert einsum_status("abcd,abced->abce", FIRST[0], FIRST[2]) == INVALID


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.uint16, np.int64])
def test_einsum(dtype: Any) -> None:
    """Integers beyond 2048 lose bits in the first equation, as it is computed in FLOAT16."""
    one, other = np.arange(24).reshape(FIRST[0]).astype(dtype), (np.arange(120) % 5).reshape(FIRST[1]).astype(dtype)
    with Machine():
        found = run(aclnnEinsum, [one, other], "abcd,abced->abce", np.empty(FIRST[2], dtype))
        assert found.tolist() == np.einsum("abcd,abced->abce", one, other).tolist()
        found = run(aclnnEinsum, [one[0, 0, 0], other[0, 0, 0, 0]], "i,j->ij", np.empty((4, 4), dtype))
        assert found.tolist() == np.outer(one[0, 0, 0], other[0, 0, 0, 0]).tolist()
        large = np.full((1, 1, 1, 1), 2049).astype(np.int32)
        found = run(
            aclnnEinsum, [large, np.ones((1, 1, 1, 1, 1), np.int32)], "abcd,abced->abce", np.empty((1,) * 4, np.int32)
        )
        assert found.item() == 2048
