"""Products of narrow floats with scales: figures by hand, and what a search does not reach."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.blocks.good_calls import GOOD
from tests.aclnn.ops.case import A950, Meta
from tests.derived.values import Values
from tests.helpers.refusals import answer

E4, E5, E8 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu
INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NAMES = ("aclnnTransposeQuantBatchMatMul", "aclnnTransposeQuantBatchMatMulWeightNz")
FLOAT_SCALES: dict[str, Any] = {
    "x1": Meta((4, 2, 512), ACL_FLOAT8_E5M2), "x2": Meta((2, 512, 128), ACL_FLOAT8_E5M2), "x1Scale": Meta((4,)),
    "x2Scale": Meta((128,)), "out": Meta((4, 2, 128), ACL_FLOAT16),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", ["x1Scale", "x2Scale"])
def test_a_null_scale_is_invalid(name: str, scale: str) -> None:
    """161002, though other null tensors are 161001 (public)."""
    first = globals()[f"{name}GetWorkspaceSize"]
    good = {**GOOD[name], **(FLOAT_SCALES if name == NAMES[0] else {})}
    assert answer(first, good, {scale: None}, A950).status == INVALID
    assert answer(first, good, {"x1": None}, A950).status == NULL


def test_a_sum_of_blocks() -> None:
    """32 products of 1 with the scales 2 and 4, and 8 with the scales 1 and 0.5; 3 is there before."""
    with Machine(A950):
        pairs = np.array([[[2, 1]]], E8), np.array([[[4, 0.5]]], E8)
        y = run(aclnnQuantBatchMatmulInplaceAdd, np.ones((1, 40), E4), np.ones((40, 1), E5), *pairs,
                np.array([[3]], np.float32), False, False, 0)  # fmt: skip
    assert y.tolist() == [[3 + 32 * 8 + 8 * 0.5]]


@pytest.mark.parametrize("stored", [False, True], ids=["ND", "FRACTAL_NZ"])
def test_batches(stored: bool) -> None:
    """Each batch has its own matrix: 32 products of 1 and 2, and of 1 and 3."""
    if stored:
        assert answer(aclnnTransposeQuantBatchMatMulWeightNzGetWorkspaceSize, GOOD[NAMES[1]], {}, A950).status == 0
        return
    with Machine(A950):
        x2 = np.stack([np.full((32, 2), 2, E4), np.full((32, 2), 3, E4)])
        out = run(aclnnTransposeQuantBatchMatMul, np.ones((1, 2, 32), E4), x2, None, np.ones((1, 2, 1, 2), E8),
                  np.ones((2, 1, 2, 2), E8), 1, 0, [1, 0, 2], [0, 1, 2], [1, 0, 2], 1,
                  np.zeros((1, 2, 2), np.float16))  # fmt: skip
    assert out.tolist() == [[[64, 64], [96, 96]]]


def test_scales_of_rows_and_columns() -> None:
    with Machine(A950):
        rows, columns = np.array([1, 2], np.float32), np.linspace(1, 2, 128, dtype=np.float32)
        out = run(aclnnTransposeQuantBatchMatMul, np.full((2, 1, 512), 0.5, E5), np.ones((1, 512, 128), E5), None, rows,
                  columns, 1, 0, [1, 0, 2], [0, 1, 2], [1, 0, 2], 1, np.zeros((2, 1, 128), np.float16))  # fmt: skip
    assert np.allclose(out[:, 0], 256 * rows[:, None] * columns, rtol=1e-3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("dtype", "number"), [(ACL_BF16, 27), (ACL_FLOAT16, 1), (ACL_HIFLOAT8, 34)])
def test_types_of_results(name: str, dtype: int, number: int) -> None:
    first = globals()[f"{name}GetWorkspaceSize"]
    shape = GOOD[name]["out"].shape
    refused = name == NAMES[1] and number == 34
    given = {"dtype": number, "out": Meta(shape, dtype)}
    assert answer(first, GOOD[name], given, A950).status == (INVALID if refused else ACL_SUCCESS)


@pytest.mark.parametrize("name", NAMES)
def test_a_result_without_elements(name: str) -> None:
    first, (_, *rest) = globals()[f"{name}GetWorkspaceSize"], GOOD[name]["out"].shape
    empty = {"x1": Meta((0, 2, 64), ACL_FLOAT8_E4M3FN), "x1Scale": Meta((0, 2, 1, 2), ACL_FLOAT8_E8M0),
             "out": Meta((0, *rest), ACL_FLOAT16)}  # fmt: skip
    assert answer(first, GOOD[name], empty, A950).status == INVALID


@pytest.mark.parametrize("changes", [
    {"permX1": Values((0, 1, 2))}, {"bias": Meta((5,))}, {"batchSplitFactor": 2}, {"dtype": 27},
    {"x2Scale": Meta((2, 5, 1, 2), ACL_FLOAT8_E8M0)}, {**FLOAT_SCALES, "x2": Meta((2, 512, 64), ACL_FLOAT8_E5M2)},
])  # fmt: skip
def test_refused(changes: dict[str, Any]) -> None:
    first = aclnnTransposeQuantBatchMatMulGetWorkspaceSize
    assert answer(first, GOOD[NAMES[0]], FLOAT_SCALES if "x2" in changes else {}, A950).status == ACL_SUCCESS
    assert answer(first, GOOD[NAMES[0]], changes, A950).status == INVALID
