"""Quantize, GroupQuant and DequantBias: refusals in their order, combinations of data types, saturation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16, float8_e5m2

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta, f16, f32
from tests.aclnn.ops.quantisation.good_calls import GOOD, bf16, whole
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
NZ = Meta((2, 8), ACL_FLOAT, ACL_FORMAT_FRACTAL_NZ)


def first(name: str) -> Any:
    return getattr(aclnn, f"{name}GetWorkspaceSize")


def nulls(*names: str) -> list[Mistake]:
    return [Mistake(f"null {name}", NULL, name, **{name: None}) for name in names]


def invalid(parameter: str, value: Any, status: int = INVALID) -> Mistake:
    return Mistake(f"{parameter} {value}", status, parameter, **{parameter: value})


def test_mistakes_of_quantize_are_refused_in_the_order_of_the_contract() -> None:
    """Shapes come before data types."""
    assert_in_order(first("aclnnQuantize"), GOOD["aclnnQuantize"], [
        *nulls("x", "scales", "out"), invalid("out", whole(2, 7)), invalid("scales", f32(1, 8)),
        invalid("zeroPoints", whole(7)), invalid("axis", 2), invalid("x", whole(2, 8)),
        invalid("dtype", ACL_UINT8),
    ])  # fmt: skip
    assert answer(first("aclnnQuantize"), GOOD["aclnnQuantize"], {"x": NZ}).status == INVALID


def test_mistakes_of_group_quant_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(first("aclnnGroupQuant"), GOOD["aclnnGroupQuant"], [
        *nulls("x", "scale", "groupIndex", "y"), invalid("x", whole(2, 8)), invalid("groupIndex", f32(3)),
        invalid("y", f32(2, 8)), invalid("offsetOptional", f16(1)), invalid("dstType", 3),
        invalid("scale", f32(3, 7)),
    ])  # fmt: skip
    for changes in ({"offsetOptional": f32(2)}, {"groupIndex": whole(2, dtype=ACL_INT32)}, {"y": whole(2, 9)}):
        assert answer(first("aclnnGroupQuant"), GOOD["aclnnGroupQuant"], changes).status == INVALID


def test_mistakes_of_dequant_bias_are_refused_in_the_order_of_the_contract() -> None:
    """Data types of x, weightScale and out are 161002, everything below 561002."""
    assert_in_order(first("aclnnDequantBias"), GOOD["aclnnDequantBias"], [
        *nulls("x", "weightScale", "out"), invalid("x", f32(2, 8)), invalid("out", bf16(2, 8)),
        invalid("biasOptional", whole(8), TILING), invalid("outputDtype", 27, TILING),
        invalid("activateScaleOptional", f32(8), TILING),
    ])  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "soc", "good"), [
    ("Quantize", {"scales": f32(1), "zeroPoints": None, "axis": 77}, A2, True),
    ("Quantize", {"x": f32(), "out": whole(), "scales": f32(1), "zeroPoints": None}, A2, True),
    ("Quantize", {"scales": f32(2), "zeroPoints": whole(2), "axis": 0}, A2, True),
    ("Quantize", {"scales": f32(2), "zeroPoints": whole(2), "axis": 1}, A2, False),
    ("Quantize", {"x": bf16(2, 8), "scales": bf16(8), "zeroPoints": bf16(8)}, A2, True),
    ("Quantize", {"x": bf16(2, 8), "scales": bf16(8)}, A2, False),
    ("Quantize", {"zeroPoints": bf16(8)}, A2, False),
    ("Quantize", {"x": bf16(2, 8)}, INFERENCE, False),
    ("Quantize", {"zeroPoints": f32(8)}, A2, False),
    ("Quantize", {"zeroPoints": f32(8)}, A950, True),
    ("Quantize", {"dtype": ACL_HIFLOAT8, "out": Meta((2, 8), ACL_HIFLOAT8)}, A950, True),
    ("GroupQuant", {"y": whole(2, 8, dtype=ACL_INT4), "dstType": 29}, A2, True),
    ("GroupQuant", {"y": whole(2, 1, dtype=ACL_INT32), "dstType": 3}, A2, True),
    ("GroupQuant", {"y": whole(2, 8, dtype=ACL_INT32), "dstType": 3}, A2, False),
    ("GroupQuant", {"x": f32(2, 7), "scale": f32(3, 7), "y": whole(2, 7, dtype=ACL_INT4), "dstType": 29}, A2, False),
    ("GroupQuant", {"x": bf16(2, 8), "scale": f16(3, 8), "offsetOptional": f16(1)}, A2, True),
    ("DequantBias", {"weightScale": bf16(8), "out": bf16(2, 8), "outputDtype": 27}, A2, True),
    ("DequantBias", {"weightScale": bf16(8)}, A2, False),
])  # fmt: skip
def test_combinations(name: str, changes: dict[str, Any], soc: str, good: bool) -> None:
    found = answer(first(f"aclnn{name}"), GOOD[f"aclnn{name}"], changes, soc)
    assert found.status == (ACL_SUCCESS if good else INVALID), found.text


@pytest.mark.parametrize(("dtype", "wanted"), [
    (np.int8, [127, -128, 0, 2, -6]), (np.uint8, [255, 0, 0, 2, 0]), (np.int32, [2**31 - 1, -(2**31), 0, 2, -6]),
])  # fmt: skip
@pytest.mark.fidelity("NaN in quantised tensors")
def test_quantize_saturates_and_rounds_half_to_even(dtype: Any, wanted: list[int]) -> None:
    x, scale = np.array([[1e12, -1e12, np.nan, 5, -11]], np.float32), np.array([2], np.float32)
    kinds = {np.int8: ACL_INT8, np.uint8: ACL_UINT8, np.int32: ACL_INT32}
    with Machine():
        found = run(aclnnQuantize, x, scale, None, kinds[dtype], 0, np.empty(x.shape, dtype))
    assert found.tolist() == [wanted]


def test_quantize_to_floats_of_8_bits() -> None:
    x, scale = np.array([[1.1, 1e9]], np.float32), np.array([2], np.float32)
    with Machine(A950):
        found = run(aclnnQuantize, x, scale, None, ACL_FLOAT8_E5M2, 0, np.empty(x.shape, float8_e5m2))
    assert found.astype(float).tolist() == [[0.5, 57344]]


@pytest.mark.fidelity("rows behind the last group of aclnnGroupQuant and aclnnDynamicQuantV2")
def test_rows_behind_the_last_group_count_to_it() -> None:
    x, scale = np.ones((4, 2), np.float32), np.array([[1, 2], [3, 4], [5, 6]], np.float32)
    ends = np.array([1, 1, 2], np.int64)
    with Machine():
        found = run(aclnnGroupQuant, x, scale, ends, None, 2, np.empty((4, 2), np.int8))
    assert found.tolist() == [[1, 2], [5, 6], [5, 6], [5, 6]]


def test_a_bias_of_integers_is_exact() -> None:
    """2^24 + 1 is no FLOAT; the sum with the bias is one."""
    x, bias = np.array([[2**24 + 1]], np.int32), np.array([-(2**24)], np.int32)
    scale = np.array([1], bfloat16)
    with Machine():
        found = run(aclnnDequantBias, x, scale, None, bias, 27, np.empty((1, 1), bfloat16))
    assert found.astype(float).tolist() == [[1]]
