"""aclnnTriangularSolve."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnTriangularSolve, aclnnTriangularSolveGetWorkspaceSize
from aclnn.testing import run
from tests.aclnn.ops.case import Meta, f16, f32
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_NULLPTR
GOOD: dict[str, Any] = {
    "self": f32(2, 3, 4), "A": f32(2, 3, 3), "upper": False, "transpose": False, "unitriangular": False,
    "xOut": f32(2, 3, 4), "mOut": f32(2, 3, 3),
}  # fmt: skip
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "A", "xOut")),
    Mistake("type of self", INVALID, "self", self=f16(2, 3, 4)),
    Mistake("type of A", INVALID, "A", A=Meta((2, 3, 3), ACL_DOUBLE)),
    Mistake("rank of self", INVALID, "self", self=f32(3)),
    Mistake("rank of A", INVALID, "A", A=f32(3)),
    Mistake("A is not square", INVALID, "A", A=f32(2, 3, 4)),
    Mistake("rows", INVALID, "self", self=f32(2, 4, 4)),
    Mistake("batches", INVALID, "self", self=f32(5, 3, 4)),
    Mistake("shape of xOut", INVALID, "xOut", xOut=f32(2, 4, 3)),
    Mistake("shape of mOut", INVALID, "mOut", mOut=f32(3, 3)),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    for mistake in MISTAKES:
        assert_refused(aclnnTriangularSolveGetWorkspaceSize, GOOD, mistake)
    assert_order(aclnnTriangularSolveGetWorkspaceSize, GOOD, MISTAKES)


def test_m_out_may_be_null() -> None:
    assert answer(aclnnTriangularSolveGetWorkspaceSize, GOOD, {"mOut": None}).status == ACL_SUCCESS


@pytest.mark.parametrize("dtype", [ACL_DOUBLE, ACL_COMPLEX64])
def test_unitriangular_is_for_float(dtype: int) -> None:
    changes = {name: Meta(value.shape, dtype) for name, value in GOOD.items() if isinstance(value, Meta)}
    assert answer(aclnnTriangularSolveGetWorkspaceSize, GOOD, changes).status == ACL_SUCCESS
    found = answer(aclnnTriangularSolveGetWorkspaceSize, GOOD, changes | {"unitriangular": True})
    assert (found.status, "parameter: unitriangular" in found.text) == (INVALID, True)


def well_conditioned(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    rng = np.random.default_rng(shape)
    found = rng.standard_normal(shape) / shape[-1] + 2 * np.eye(shape[-1])
    return (found + 1j * rng.standard_normal(shape) / shape[-1] if np.dtype(dtype).kind == "c" else found).astype(dtype)


@pytest.mark.parametrize(("upper", "transpose", "unit"), list(product((False, True), repeat=3)))
@pytest.mark.parametrize("size", [1, 5, 130])
def test_the_solution(upper: bool, transpose: bool, unit: bool, size: int) -> None:
    """Across blocks of rows too. The other triangle does not count, but comes with mOut."""
    a, b = well_conditioned(3, size, size), np.random.default_rng(1).standard_normal((3, size, 2)).astype(np.float32)
    with Machine():
        x, m = run(aclnnTriangularSolve, b, a, upper, transpose, unit, np.empty_like(b), np.empty_like(a))
    half = np.triu(a) if upper else np.tril(a)
    if unit:
        half = half * (1 - np.eye(size)) + np.eye(size)
    wanted = np.linalg.solve((half.swapaxes(1, 2) if transpose else half).astype(float), b.astype(float))
    assert np.allclose(x, wanted, rtol=1e-5, atol=1e-6)
    assert m.tolist() == a.tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.complex64, np.complex128])
def test_batches_broadcast_in_every_type(dtype: Any) -> None:
    """A^T of a complex matrix is not conjugated."""
    a, b = well_conditioned(2, 1, 4, 4, dtype=dtype), well_conditioned(3, 4, 4, dtype=dtype)[..., :3]
    with Machine():
        x, m = run(aclnnTriangularSolve, b, a, False, True, False, np.empty((2, 3, 4, 3), dtype),
                   np.empty((2, 3, 4, 4), dtype))  # fmt: skip
    wanted = np.linalg.solve(np.tril(a).swapaxes(-1, -2), np.broadcast_to(b, (2, 3, 4, 3)))
    assert np.allclose(x, wanted, rtol=1e-5)
    assert m.tolist() == np.broadcast_to(a, (2, 3, 4, 4)).tolist()


@pytest.mark.fidelity("singular matrices in aclnnTriangularSolve")
def test_a_zero_in_the_diagonal() -> None:
    a, b = np.array([[0, 0], [1, 1]], np.float32), np.array([[1, 0], [1, 1]], np.float32)
    with Machine():
        x, _ = run(aclnnTriangularSolve, b, a, False, False, False, np.empty_like(b), np.empty_like(a))
    assert np.array_equal(x, [[np.inf, np.nan], [-np.inf, np.nan]], equal_nan=True)


def test_empty_systems() -> None:
    none = {"self": f32(2, 0, 4), "A": f32(2, 0, 0), "xOut": f32(2, 0, 4), "mOut": f32(2, 0, 0)}
    found = answer(aclnnTriangularSolveGetWorkspaceSize, GOOD, none)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
