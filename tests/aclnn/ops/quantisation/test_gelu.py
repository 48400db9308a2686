"""GeluQuant and QuantMax: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta
from tests.aclnn.ops.quantisation.good_calls import GOOD
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused

F32, I8 = np.float32, np.int8
FIRST, CALL = aclnnGeluQuantGetWorkspaceSize, GOOD["aclnnGeluQuant"]
X = np.array([[0, 1, -1, 3], [0, 0, 0, 0]], F32)
"""gelu is 0, 0.841345, -0.158655 and 2.995950; then zeros"""
STATIC = {"quantMode": "static", "outScaleOptional": None}
ROW = Meta((8,))


def test_given_scales() -> None:
    scale, offset = np.array([100], F32), np.array([1], F32)
    with Machine(A950):
        y, _ = run(aclnnGeluQuant, X, scale, offset, "none", "static", "rint", 2, np.empty((2, 4), I8), None)
    assert y.tolist() == [[1, 85, -15, 127], [1, 1, 1, 1]]


@pytest.mark.fidelity("rows of zeros in aclnnDynamicQuant and aclnnGeluQuant")
def test_a_scale_of_each_row() -> None:
    outs: Any = np.empty((2, 4), I8), np.empty(2, F32)
    with Machine(A950):
        y, scale = run(aclnnGeluQuant, X, None, None, "none", "dynamic", "rint", 2, *outs)
    assert y.tolist() == [[0, 36, -7, 127], [0] * 4]
    assert scale == pytest.approx([2.995950 / 127, 0])


def test_the_order_of_checks() -> None:
    assert_in_order(FIRST, CALL, [
        Mistake("mode", ACLNN_ERR_PARAM_INVALID, "quantMode", quantMode="none"),
        Mistake("null", ACLNN_ERR_PARAM_NULLPTR, "self", self=None),
        Mistake("scale of rows", ACLNN_ERR_PARAM_NULLPTR, "quantMode", outScaleOptional=None),
        Mistake("offset", ACLNN_ERR_PARAM_INVALID, "inputOffsetOptional", inputOffsetOptional=ROW,
                inputScaleOptional=None),
        Mistake("type", ACLNN_ERR_PARAM_INVALID, "self", self=Meta((2, 8), ACL_INT32)),
        Mistake("form", ACLNN_ERR_PARAM_INVALID, "approximate", approximate="erf"),
        Mistake("shape", ACLNN_ERR_PARAM_INVALID, "y", y=Meta((2, 9), ACL_INT8)),
        Mistake("rounding", ACLNN_ERR_PARAM_INVALID, "roundMode", roundMode="round"),
    ], A950)  # fmt: skip


@pytest.mark.parametrize("mistake", [
    Mistake("no scale", ACLNN_ERR_PARAM_NULLPTR, "quantMode", **STATIC | {"inputScaleOptional": None}),
    Mistake("a scale of rows", ACLNN_ERR_PARAM_INVALID, "outScaleOptional", quantMode="static"),
    Mistake("no rows", ACLNN_ERR_PARAM_INVALID, "self", self=ROW, y=Meta((8,), ACL_INT8), outScaleOptional=Meta(())),
], ids=str)  # fmt: skip
def test_refusals_by_mode(mistake: Mistake) -> None:
    assert_refused(FIRST, CALL, mistake, A950)


@pytest.mark.parametrize(("dtype", "rounding"), [
    (ACL_FLOAT8_E5M2, "rint"), (ACL_FLOAT8_E4M3FN, "rint"), (ACL_HIFLOAT8, "round"), (ACL_HIFLOAT8, "hybrid"),
])  # fmt: skip
def test_floats_of_8_bits(dtype: int, rounding: str) -> None:
    changes = {"dstType": int(dtype), "y": Meta((2, 8), dtype), "roundMode": rounding}
    for first, good in ((FIRST, CALL), (aclnnQuantMaxGetWorkspaceSize, GOOD["aclnnQuantMax"])):
        assert answer(first, good, changes, A950).status == ACL_SUCCESS


def test_rows_of_float8() -> None:
    """The largest number of a row becomes 448."""
    outs: Any = np.empty((2, 4), ml_dtypes.float8_e4m3fn), np.empty(2, F32)
    with Machine(A950):
        y, scale = run(aclnnGeluQuant, X, None, None, "tanh", "dynamic", "rint", int(ACL_FLOAT8_E4M3FN), *outs)
    assert y.astype(F32)[:, 3].tolist() == [448, 0]
    assert scale == pytest.approx([2.996363 / 448, 0])


def test_the_largest_magnitude() -> None:
    e5 = ml_dtypes.float8_e5m2
    x = np.array([1, -3, 2.25, 0.5], F32)
    with Machine(A950):
        y, largest = run(aclnnQuantMax, x, np.array([2], F32), "rint", 35, np.empty(4, e5), np.empty(1, F32))
    assert y.astype(F32).tolist() == [2, -6, 4, 1], "4.5 lies halfway between 4 and 5"
    assert largest.tolist() == [3]
