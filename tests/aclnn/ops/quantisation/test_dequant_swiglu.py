"""DequantSwigluQuant and V2: refusals in their order, combinations, rows behind the last group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, f16, f32, i64
from tests.aclnn.ops.quantisation.good_calls import DEQUANT, GOOD, bf16, whole
from tests.helpers.builders import plan
from tests.helpers.refusals import Mistake, answer, assert_in_order, made

INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR


def first(name: str) -> Any:
    return getattr(aclnn, f"{name}GetWorkspaceSize")


def wrong(parameter: str, value: Any, status: int = TILING) -> Mistake:
    return Mistake(f"{parameter} {value}", status, parameter, **{parameter: value})


@pytest.mark.parametrize("name", DEQUANT)
def test_mistakes_are_refused_in_the_order_of_the_contract(name: str) -> None:
    more = [wrong("dstType", 3), wrong("roundModeOptional", "even"), wrong("activateDim", 0), wrong("swigluMode", 4)]
    assert_in_order(first(name), GOOD[name], [
        *(wrong(each, None, NULL) for each in ("x", "yOut", "scaleOut")), wrong("x", f32(3, 8), INVALID),
        wrong("quantScaleOptional", f16(2, 4), INVALID), wrong("quantModeOptional", "msd"),
        *(more if name == DEQUANT[1] else []), wrong("groupIndexOptional", i64()),
        wrong("weightScaleOptional", f32(3, 8)), wrong("activationScaleOptional", f32(2)),
        wrong("quantOffsetOptional", f32(3, 4)), wrong("yOut", whole(3, 8)), wrong("scaleOut", f32(1)),
    ])  # fmt: skip


PLAIN = {"weightScaleOptional": None, "activationScaleOptional": None, "biasOptional": None}
DYNAMIC = {"quantModeOptional": "dynamic", "quantOffsetOptional": None}


@pytest.mark.parametrize(("version", "changes", "soc", "status"), [
    ("V2", {"weightScaleOptional": None}, A2, NULL), ("", {"weightScaleOptional": None}, A2, NULL),
    ("V2", {"quantModeOptional": "dynamic"}, A2, TILING), ("", {"quantModeOptional": "dynamic"}, A2, TILING),
    ("V2", {}, A950, TILING), ("V2", DYNAMIC, A950, ACL_SUCCESS), ("", {"x": f16(3, 8)}, A2, TILING),
    ("V2", {"x": bf16(3, 8), **PLAIN}, A2, ACL_SUCCESS), ("", {"x": f16(3, 8), **PLAIN}, A2, ACL_SUCCESS),
    ("V2", {"x": whole(3, 7, dtype=ACL_INT32)}, A2, TILING),
    ("V2", {"roundModeOptional": None, "activateDim": 1}, A2, ACL_SUCCESS),
    *(("V2", {**DYNAMIC, "yOut": Meta((3, 4), dtype), "dstType": int(dtype)}, A950, ACL_SUCCESS)
      for dtype in (ACL_HIFLOAT8, ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2)),
])  # fmt: skip
def test_combinations(version: str, changes: dict[str, Any], soc: str, status: int) -> None:
    good = {**GOOD[f"aclnnDequantSwigluQuant{version}"]}
    found = answer(first(f"aclnnDequantSwigluQuant{version}"), good, changes, soc)
    assert found.status == status, found.text


def test_pairs_in_the_groups_have_no_formula() -> None:
    with Machine(A2, catalogued="plan"):
        aclrtSetDevice(0)
        good = {**GOOD[DEQUANT[1]], "groupIndexOptional": i64(2, 2)}
        assert plan(first(DEQUANT[1]), *map(made, good.values())).status == ACLNN_ERR_INNER_FIND_KERNEL_ERROR


X, HALF, SCALE = np.full((3, 2), 100, np.int32), np.empty((3, 1), np.int8), np.empty(3, np.float32)


@pytest.mark.fidelity("rows behind the last group of aclnnDequantSwigluQuant and V2")
def test_rows_behind_the_last_group_are_zeros() -> None:
    """silu(100) is 100."""
    weights, counts = np.array([[1, 1], [2, 2]], np.float32), np.array([1, 1], np.int32)
    with Machine():
        y, scale = run(
            aclnnDequantSwigluQuant, X, weights, None, None, None, None, counts, True, "dynamic", HALF, SCALE
        )
    assert y.tolist() == [[127], [127], [0]]
    assert scale.tolist() == np.float32([10000 / 127, 40000 / 127, 0]).tolist()


@pytest.mark.fidelity("the scale of a static aclnnDequantSwigluQuant")
def test_a_static_scale_divides() -> None:
    with Machine():
        y, scale = run(aclnnDequantSwigluQuant, X, np.ones(2, np.float32), None, None, np.array([100], np.float32),
                       np.array([-3], np.float32), None, True, None, HALF, SCALE)  # fmt: skip
    assert y.tolist() == [[97]] * 3
    assert np.isnan(scale).all()  # not written


@pytest.mark.fidelity("swigluMode of aclnnDequantSwigluQuantV2")
def test_modes_of_the_gated_unit() -> None:
    """3: min(silu(gate), clampLimit) * clipped; the gate is the half that activateLeft says."""
    x = np.array([[100, -5]], np.int32)
    found = []
    for left in (True, False):
        with Machine():
            y, _ = run(aclnnDequantSwigluQuantV2, x, np.ones(2, np.float32), None, None, None, None, None, left,
                       "static", 2, "rint", -1, 3, 7.0, 1.0, 1.0, HALF[:1], SCALE[:1])  # fmt: skip
        found += y.tolist()
    assert found == [[-35], [0]]  # silu(-5) is -0.033
