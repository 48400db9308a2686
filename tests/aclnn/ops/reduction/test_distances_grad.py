"""CdistBackward: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.reduction.good_calls import GOOD
from tests.helpers.refusals import answer

F32 = np.float32


@pytest.mark.parametrize(("power", "distance", "slopes"), [
    (2.0, 5, [0.6, -0.8]), (1.0, 7, [1, -1]), (np.inf, 4, [0, -1]), (0.0, 2, [0, 0]), (2.0, 0, [0, 0]),
    (3.0, 91 ** (1 / 3), [9 / 91 ** (2 / 3), -16 / 91 ** (2 / 3)]),
])  # fmt: skip
def test_slopes_of_a_distance(power: float, distance: float, slopes: Any) -> None:
    """of (3, 0) and (0, 4); a distance of 0 has no slope"""
    x1, x2, grad = np.array([[3, 0]], F32), np.array([[0, 4]], F32), np.ones((1, 1), F32)
    with Machine():
        out = run(aclnnCdistBackward, grad, x1, x2, grad * F32(distance), power, np.empty_like(x1))
    assert out[0] == pytest.approx(slopes, rel=1e-6)


def test_no_rows() -> None:
    none = {"grad": Meta((2, 0, 4)), "cdist": Meta((2, 0, 4)), "x1": Meta((2, 0, 5)), "out": Meta((2, 0, 5))}
    found = answer(aclnnCdistBackwardGetWorkspaceSize, GOOD["aclnnCdistBackward"], none)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
