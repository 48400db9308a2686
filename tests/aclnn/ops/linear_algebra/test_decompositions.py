"""Factors and determinants: figures by hand."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run

F32 = np.float32
X = np.array([[3, 5], [4, 10]], F32)
Q, R = np.array([[-0.6, -0.8], [-0.8, 0.6]], F32), np.array([[-5, -11], [0, 2]], F32)


@pytest.mark.fidelity("factors and determinants of matrices")
def test_signs_of_factors_are_those_of_reflections() -> None:
    """The first element of a column becomes its length, with the other sign."""
    with Machine():
        q, r = run(aclnnQr, X, True, np.empty_like(X), np.empty_like(X))
        assert np.allclose(q, Q, atol=1e-6)
        assert np.allclose(r, R, atol=1e-6)


@pytest.mark.fidelity("factors and determinants of matrices")
@pytest.mark.parametrize(("mode", "inner"), [(0, 2), (1, 3), (2, 2)])
def test_modes(mode: int, inner: int) -> None:
    x = np.array([[3, 5], [4, 10], [0, 0]], F32)
    with Machine():
        q, r = run(aclnnLinalgQr, x, mode, np.empty((3, inner), F32), np.empty((inner, 2), F32))
    assert np.allclose(r[:2], R, atol=1e-6)
    assert np.isnan(q).all() if mode == 2 else np.allclose(q @ r, x, atol=1e-5)


@pytest.mark.fidelity("factors and determinants of matrices")
def test_determinants() -> None:
    x = np.array([X, X[::-1], np.ones((2, 2))], F32)
    out = np.empty(3, F32)
    with Machine():
        sign, log = run(aclnnSlogdet, x, out, out.copy())
        assert sign.tolist() == [1, -1, 0]
        assert np.allclose(log[:2], np.log(10))
        assert log[2] == -np.inf
        assert np.allclose(run(aclnnLogdet, x, out), [np.log(10), np.nan, -np.inf], equal_nan=True)


def test_matrices_without_elements() -> None:
    x, out = np.empty((2, 0, 0), F32), np.empty(2, F32)
    with Machine():
        sign, log = run(aclnnSlogdet, x, out, out.copy())
        assert (sign.tolist(), log.tolist()) == ([1, 1], [0, 0])
