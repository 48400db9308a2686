"""Svd: the product of its factors, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.linear_algebra.good_calls import GOOD
from tests.helpers.refusals import answer


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
@pytest.mark.parametrize(("rows", "columns"), [(4, 3), (3, 4), (3, 3)])
@pytest.mark.parametrize("whole", [True, False])
def test_the_factors(dtype: Any, rows: int, columns: int, whole: bool) -> None:
    """input = u @ diag(sigma) @ v^H, with orthonormal columns in u and v."""
    random = np.random.default_rng(rows * columns)
    parts = random.standard_normal((2, 2, rows, columns))
    x = (parts[0] + 1j * parts[1] if dtype == np.complex128 else parts[0]).astype(dtype)
    least = min(rows, columns)
    outs = [np.empty((2, *shape), dtype) for shape in (
        (least,), (rows, rows if whole else least), (columns, columns if whole else least))]  # fmt: skip
    with Machine():
        sigma, u, v = run(aclnnSvd, x, whole, True, *outs)
    exact = 1e-4 if dtype == np.float32 else 1e-12
    back = u[..., :least] * sigma[:, None] @ np.swapaxes(v[..., :least].conj(), -1, -2)
    assert np.allclose(back, x, atol=exact)
    for factor in (u, v):
        assert np.allclose(np.swapaxes(factor.conj(), -1, -2) @ factor, np.eye(factor.shape[-1]), atol=exact)
    assert (np.diff(sigma.real) <= 0).all()


@pytest.mark.fidelity("aclnnSvd: signs, and matrices with NaN")
def test_a_matrix_with_nan() -> None:
    x = np.array([[[1, np.nan], [0, 1]], [[3, 0], [0, 4]]], np.float32)
    with Machine():
        sigma, u, _ = run(
            aclnnSvd, x, False, True, np.empty((2, 2), np.float32), *[np.empty((2, 2, 2), np.float32)] * 2
        )
    assert np.isnan(sigma[0]).all()
    assert np.isnan(u[0]).all()
    assert sigma[1].tolist() == [4, 3]


def test_calls_with_little_to_do() -> None:
    first, good = aclnnSvdGetWorkspaceSize, GOOD["aclnnSvd"]
    none = Meta((0,))
    assert answer(first, good, {"computeUV": False, "u": none, "v": none}).status == ACL_SUCCESS
    assert answer(first, good, {"u": none}).status == ACLNN_ERR_PARAM_INVALID
    empty = answer(first, good, {"input": Meta((0, 3, 4)), "sigma": Meta((7,))})
    assert (empty.status, empty.workspace_size) == (ACL_SUCCESS, 0)
