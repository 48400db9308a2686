"""Mixtures of experts: figures by hand."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run

F32, I32 = np.float32, np.int32


def test_gating_of_equal_experts_takes_the_first() -> None:
    x = np.array([[0, 0, 0, -1], [0, 1, 0, 1]], F32)
    out = np.empty((2, 2), F32), np.empty((2, 2), I32), np.empty((2, 2), I32)
    with Machine():
        _, expert, row = run(aclnnMoeGatingTopKSoftmax, x, np.array([False, False]), 2, *out)
        assert expert.tolist() == [[0, 1], [1, 3]]
        assert row.tolist() == [[0, 2], [1, 3]]
        _, expert, _ = run(aclnnMoeGatingTopKSoftmax, x, np.array([False, True]), 2, *out)
        assert expert.tolist() == [[0, 1], [4, 4]]


def test_there_and_back() -> None:
    """Each token comes to its experts, and back with the sum of its weights."""
    tokens, indices = np.arange(6, dtype=F32).reshape(3, 2), np.array([[1, 0], [0, 1], [1, 1]], I32)
    with Machine():
        rows, places = run(aclnnMoeTokenPermute, tokens, indices, 0, False, np.empty((6, 2), F32), np.empty(6, I32))
        assert rows[:, 0].tolist() == [0, 2, 0, 2, 4, 4]
        assert places.tolist() == [2, 0, 1, 3, 4, 5]
        weights = np.full((3, 2), 0.5, F32)
        assert np.array_equal(run(aclnnMoeTokenUnpermute, rows, places, weights, False, None, tokens.copy()), tokens)
        grad = run(aclnnMoeTokenPermuteGrad, rows, places, 2, False, tokens.copy())
        assert np.array_equal(grad, 2 * tokens)


@pytest.mark.fidelity("rows that MoeTokenPermute dropped")
def test_rows_that_were_dropped_add_nothing() -> None:
    places, rows = np.array([0, 3, 1, 2], I32), np.ones((2, 1), F32)
    with Machine():
        assert run(aclnnMoeTokenPermuteGrad, rows, places, 2, False, np.empty((2, 1), F32)).ravel().tolist() == [1, 1]


def test_a_place_that_does_not_exist_is_found() -> None:
    places, rows = np.array([0, 4], I32), np.ones((2, 1), F32)
    with Machine(), pytest.raises(UndefinedBehaviour, match="index-range"):
        run(aclnnMoeTokenUnpermute, rows, places, None, False, None, np.empty((2, 1), F32))
