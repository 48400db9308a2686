"""ClippedSwiglu: figures by hand, rows of groups, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import device_tensor, run
from tests.aclnn.ops.activation.good_calls import GOOD
from tests.aclnn.ops.case import A950, Meta
from tests.helpers.refusals import Mistake, assert_refused

F32, I64 = np.float32, np.int64
X = np.array([[8, 9, -1, 0.5]], F32)
"""A is 8 and -1, B is 9 and 0.5"""


@pytest.mark.parametrize(("x", "interleaved"), [(X, True), (X[:, [0, 2, 1, 3]], False)])
def test_both_halves_are_limited(x: Any, interleaved: bool) -> None:
    with Machine():
        y = run(aclnnClippedSwiglu, x, None, -1, 1.702, 7.0, 1.0, interleaved, np.empty((1, 2), F32))
    assert y[0] == pytest.approx([55.999625, -0.231306], rel=1e-5)


@pytest.mark.fidelity("gradients whose document has no formula")
def test_gradients_at_a_limit() -> None:
    """A = 7 and B = -7 lie on the limit, 8 and 9 behind it. With alpha 0 the gate is A / 2."""
    x = np.array([[7, -7, 8, 9]], F32)
    with Machine():
        out = run(aclnnClippedSwigluGrad, np.ones((1, 2), F32), x, None, -1, 0.0, 7.0, 1.0, True, np.empty((1, 4), F32))
    assert out.tolist() == [[0.5 * (-7 + 1), 0.5 * 7, 0, 0]]


def test_rows_behind_the_groups_stay(machine: Machine) -> None:
    assert aclrtSetDevice(0) == ACL_SUCCESS
    x, groups = np.repeat(X, 4, 0).reshape(2, 2, 4), np.array([2, 1], I64)
    with device_tensor(np.full((2, 2, 2), 9, F32)) as out:
        run(aclnnClippedSwiglu, x, groups, 2, 0.0, 7.0, 0.0, True, out)
        y = out.numpy()
    assert y.reshape(4, 2).tolist() == [[24.5, -0.25]] * 3 + [[9, 9]]
    assert aclrtResetDevice(0) == ACL_SUCCESS


@pytest.mark.parametrize("mistake", [
    Mistake("no limit", ACLNN_ERR_INNER_TILING_ERROR, "limit", limit=0.0),
    Mistake("too many groups", ACLNN_ERR_INNER_TILING_ERROR, "groupIndexOptional",
            groupIndexOptional=Meta((8193,), ACL_INT64)),
], ids=str)  # fmt: skip
def test_the_kernel_of_950_refuses(mistake: Mistake) -> None:
    assert_refused(aclnnClippedSwigluGetWorkspaceSize, GOOD["aclnnClippedSwiglu"], mistake, A950)


def test_a_masked_softmax() -> None:
    x, mask = np.array([0, 2, 4], F32).reshape(1, 1, 1, 3), np.array([False, False, True]).reshape(1, 1, 1, 3)
    with Machine():
        y = run(aclnnScaledMaskedSoftmax, x, mask, 0.5, False, np.empty_like(x))
    assert y.ravel() == pytest.approx([1 / (1 + np.e), np.e / (1 + np.e), 0], rel=1e-6)
