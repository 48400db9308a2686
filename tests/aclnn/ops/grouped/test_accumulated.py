"""Grouped products that are added up: figures by hand, and what a search does not reach."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, board
from tests.derived.first_phases import first_phase
from tests.helpers.builders import on_device
from tests.helpers.weights import in_blocks, launch

F16, F32 = np.float16, np.float32
E4, E8 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu
FINAL = "aclnnGroupedMatmulFinalizeRoutingWeightNzV2"


@pytest.mark.parametrize("flat", [False, True], ids=["3 dimensions", "2 dimensions"])
def test_sums_of_groups(flat: bool) -> None:
    """Rows 0 and 1 belong to the first group, no row to the second one."""
    x, weight = np.array([[1, 2], [3, 4], [5, 6]], F16), np.array([[1], [10], [100]], F16)
    with Machine(A2):
        sums = np.ones((4, 1) if flat else (2, 2, 1), F32)
        out = run(aclnnGroupedMatmulAdd, x, weight, np.array([2, 2]), sums, True, False, 2)
    assert out.ravel().tolist() == [32, 43, 1, 1]


def test_scales_of_a_group_begin_anew() -> None:
    """The second group begins at row 33, so that its scales are pair 0 + 1."""
    x1 = np.ones((40, 1), E4)
    scales = np.array([[[2, 4]], [[8, 1]]], E8)
    with Machine(A950):
        out = run(aclnnQuantGroupedMatmulInplaceAdd, x1, x1, scales, np.ones((2, 1, 2), E8), np.array([33, 40]),
                  np.zeros((2, 1, 1), F32), 0, 0)  # fmt: skip
    assert out.ravel().tolist() == [32 * 2 + 4, 7 * 8]


def test_rows_of_tokens() -> None:
    """Two experts add to token 1; the row behind the last group is left out."""
    weight = np.zeros((2, 32, 32), np.int8)
    weight[0, 0], weight[1, 0] = 1, 2
    x = np.zeros((4, 32), np.int8)
    x[:, 0] = 1, 2, 3, 4
    with board(A2):
        out = on_device(np.full((3, 32), 7, F32))
        shared = on_device(np.ones((1, 32), ml_dtypes.bfloat16))
        launch(FINAL, on_device(x), in_blocks(weight), on_device(np.full((2, 32), 0.5, F32)), None, None, None, None,
               on_device(np.array([1, 1, 2, 9], F32)), on_device(np.array([2, 1])), shared,
               on_device(np.array([1, 1, 0.5, 9], F32)), on_device(np.array([1, 2, 1, 0])), 0, 0.25, 2, False, False, 1,
               None, out)  # fmt: skip
        assert out.read()[:, 0].tolist() == [0, 0.5 + 0.5 * 3 * 2 * 2 * 0.5, 1 + 0.25]


@pytest.mark.parametrize(("name", "changes", "status"), [
    ("GroupedMatmulAdd", {"x": Meta((6, 3), ACL_FLOAT16)}, ACLNN_ERR_INNER_TILING_ERROR),
    ("GroupedMatmulAdd", {"yRef": Meta((2, 5, 3))}, ACLNN_ERR_INNER_TILING_ERROR),
    ("GroupedMatmulFinalizeRoutingWeightNzV2", {"sharedInputOffset": 3}, ACLNN_ERR_PARAM_INVALID),
    ("GroupedMatmulFinalizeRoutingWeightNzV2", {"x2": Meta((2, 32, 64), ACL_INT8)}, ACLNN_ERR_PARAM_INVALID),
    ("GroupedMatmulFinalizeRoutingWeightNzV2", {"scale": Meta((2, 63))}, ACLNN_ERR_PARAM_INVALID),
])  # fmt: skip
def test_refused(name: str, changes: dict[str, Any], status: int) -> None:
    assert first_phase(name, A2, changes).status == status
