"""AddRmsNormQuant and AddRmsNormDynamicQuant: refusals in their order, outputs that are not written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import float8_e4m3fn

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A950, Meta, f16, f32
from tests.aclnn.ops.quantisation.good_calls import GOOD, bf16, whole
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
GIVEN, DYNAMIC = "aclnnAddRmsNormQuant", "aclnnAddRmsNormDynamicQuant"


def first(name: str) -> Any:
    return getattr(aclnn, f"{name}GetWorkspaceSize")


def wrong(parameter: str, value: Any, status: int = INVALID) -> Mistake:
    return Mistake(f"{parameter} {value}", status, parameter, **{parameter: value})


def nulls(*names: str) -> list[Mistake]:
    return [wrong(name, None, NULL) for name in names]


@pytest.mark.fidelity("mixed data types in aclnnAddRmsNormQuant")
def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    """y2Out is needed, although it is not written without scales2."""
    assert_in_order(first(GIVEN), GOOD[GIVEN], [
        *nulls("x1", "x2", "gamma", "scales1", "y1Out", "y2Out", "xOut"), wrong("x1", whole(2, 8)),
        wrong("x2", bf16(2, 8)), wrong("scales1", f16(8)), wrong("zeroPoints1Optional", whole(8)),
        wrong("y1Out", f16(2, 8)), wrong("gamma", f16()), wrong("xOut", f16(3, 8), TILING),
    ])  # fmt: skip
    shapes = {"x2": f16(3, 8), "gamma": f16(7), "scales1": f32(7), "scales2Optional": f32(1), "y1Out": whole(2, 7),
              "y2Out": whole(2, 7), "zeroPoints2Optional": whole(1, dtype=ACL_INT32)}  # fmt: skip
    for name, value in shapes.items():
        assert answer(first(GIVEN), GOOD[GIVEN], {name: value}).status == TILING, name


def test_mistakes_with_scales_of_rows_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(first(DYNAMIC), GOOD[DYNAMIC], [
        *nulls("x1", "x2", "gamma", "y1Out", "y2Out", "xOut", "scale1Out", "scale2Out"), wrong("x1", f32(2, 8)),
        wrong("x2", bf16(2, 8)), wrong("smoothScale1Optional", bf16(8)), wrong("y1Out", f16(2, 8)),
        wrong("scale1Out", f16(2)), wrong("gamma", f16(7), TILING), wrong("smoothScale2Optional", f16(1), TILING),
        wrong("y2Out", whole(2, 7), ACLNN_ERR_INNER_NULLPTR), wrong("scale2Out", f32(1), ACLNN_ERR_INNER_NULLPTR),
    ])  # fmt: skip


@pytest.mark.parametrize("name", [GIVEN, DYNAMIC])
def test_both_results_have_one_data_type(name: str) -> None:
    one = Meta((2, 8), ACL_FLOAT8_E4M3FN)
    assert answer(first(name), GOOD[name], {"y2Out": one}, A950).status == INVALID
    assert answer(first(name), GOOD[name], {"y1Out": one, "y2Out": one}, A950).status == ACL_SUCCESS


@pytest.mark.parametrize("name", [GIVEN, DYNAMIC])
def test_an_empty_second_output_ends_the_checks(name: str) -> None:
    assert answer(first(name), GOOD[name], {"y2Out": whole(0), "x2": f16(3, 8)}).status == ACL_SUCCESS


X = np.array([[3, 4], [0, 0]], np.float16)
ONES, ZEROS = np.ones(2, np.float16), np.zeros((2, 2), np.float16)


def test_outputs_of_scales_that_are_null_are_not_written() -> None:
    single = np.array([50, 25], np.float32)
    with Machine():
        y1, y2, x = run(aclnnAddRmsNormQuant, X, X, ONES, single, None, None, None, -1, 1e-6, False,
                        np.empty((2, 2), np.int8), np.empty((2, 2), np.int8), np.empty_like(X))  # fmt: skip
        found = run(aclnnAddRmsNormDynamicQuant, X, ZEROS, ONES, None, None, 1e-6, np.empty((2, 2), np.int8),
                    np.empty((2, 2), np.int8), np.empty((2, 2), np.float16), np.empty(2, np.float32),
                    np.empty(2, np.float32))  # fmt: skip
    assert (y1.tolist(), x.tolist()) == ([[42, 28], [0, 0]], [[6, 8], [0, 0]])
    assert (y2.tolist(), found[1].tolist()) == ([[-1, -1]] * 2, [[-1, -1]] * 2)  # fresh memory
    assert np.isnan(found[4]).all()
    assert (found[0].tolist(), found[2].tolist()) == ([[95, 127], [0, 0]], X.tolist())
    assert found[3].tolist() == pytest.approx([4 / np.sqrt(12.5) / 127, 0], rel=1e-6)


@pytest.mark.fidelity("aclnnAddRmsNormDynamicQuant with smoothScale2 alone")
def test_the_second_smooth_factors_alone() -> None:
    """The first result has none, and the second has its own."""
    with Machine():
        found = run(aclnnAddRmsNormDynamicQuant, X, ZEROS, ONES, None, np.array([4, 0], np.float16), 1e-6,
                    *(np.empty((2, 2), np.int8) for _ in range(2)), np.empty((2, 2), np.float16),
                    *(np.empty(2, np.float32) for _ in range(2)))  # fmt: skip
    assert [each.tolist() for each in found[:2]] == [[[95, 127], [0, 0]], [[127, 0], [0, 0]]]


def test_floats_of_8_bits() -> None:
    with Machine(A950):
        found = run(aclnnAddRmsNormDynamicQuant, X, ZEROS, ONES, None, None, 0.5, np.empty((2, 2), float8_e4m3fn),
                    np.empty((2, 2), float8_e4m3fn), np.empty((2, 2), np.float16),
                    *(np.empty(2, np.float32) for _ in range(2)))  # fmt: skip
    assert found[0].astype(float).tolist() == [[320, 448], [0, 0]]
