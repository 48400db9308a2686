"""SwiGluQuant and SwiGluQuantV2: refusals in their order, rows behind the last group, INT4."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta, board, f16, f32
from tests.aclnn.ops.quantisation.good_calls import GOOD, whole
from tests.helpers.refusals import Mistake, answer, assert_in_order
from tests.helpers.weights import fetched, filled, launch, tensor

INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
SMOOTH, OFFSETS, GROUPS = "smoothScalesOptional", "offsetsOptional", "groupIndexOptional"
FIRST, SECOND = "aclnnSwiGluQuant", "aclnnSwiGluQuantV2"


def first(name: str) -> Any:
    return getattr(aclnn, f"{name}GetWorkspaceSize")


def wrong(parameter: str, value: Any, status: int = TILING) -> Mistake:
    return Mistake(f"{parameter} {value}", status, parameter, **{parameter: value})


@pytest.mark.fidelity("smooth factors of aclnnSwiGluQuant and V2")
@pytest.mark.parametrize("name", [FIRST, SECOND])
def test_mistakes_are_refused_in_the_order_of_the_contract(name: str) -> None:
    more = [wrong("groupListType", 2), wrong("dstType", 29)] if name == SECOND else []
    needed = ("x", "yOut", "scaleOut") if name == SECOND else ("x", SMOOTH, "yOut", "scaleOut")
    assert_in_order(first(name), GOOD[name], [
        *(wrong(each, None, NULL) for each in needed), wrong("x", whole(3, 8), INVALID),
        wrong(OFFSETS, f16(2, 4), INVALID), wrong("quantModeOptional", "dynamic_msd"), *more, wrong(SMOOTH, f32(3, 4)),
        wrong("yOut", whole(3, 8)), wrong("scaleOut", f32(3, 1)),
    ])  # fmt: skip


@pytest.mark.parametrize(("changes", "status"), [
    ({"x": f32(3, 7)}, TILING), ({"x": f32(3, 8194), "yOut": whole(3, 4097), SMOOTH: f32(2), OFFSETS: None}, TILING),
    ({"x": f32(0, 8), "yOut": whole(0, 4), "scaleOut": f32(0)}, TILING), ({OFFSETS: f32(2)}, TILING),
    ({SMOOTH: f32(2), OFFSETS: f32(2)}, ACL_SUCCESS), ({GROUPS: None}, TILING),
    ({GROUPS: None, SMOOTH: f32(1), OFFSETS: None}, ACL_SUCCESS), ({SMOOTH: None, OFFSETS: None}, ACL_SUCCESS),
    ({"yOut": whole(3, 4, dtype=ACL_INT4), "dstType": 29}, ACL_SUCCESS),
    ({"x": f32(3, 6), "yOut": Meta((3, 3), ACL_INT4), "dstType": 29, SMOOTH: f32(2), OFFSETS: f32(2)}, TILING),
])  # fmt: skip
def test_combinations(changes: dict[str, Any], status: int) -> None:
    found = answer(first(SECOND), GOOD[SECOND], changes)
    assert found.status == status, found.text


def test_rows_behind_the_last_group_have_no_smooth_factors() -> None:
    """A row has one value, so the scale tells its factor."""
    x = np.full((3, 2), 100, np.float32)  # silu(100) is 100
    smooth, ends = np.array([2, 4], np.float32), np.array([1, 2], np.int32)
    with Machine():
        y, scale = run(aclnnSwiGluQuant, x, smooth, None, ends, False, "dynamic", np.empty((3, 1), np.int8),
                       np.empty(3, np.float32))  # fmt: skip
    assert y.tolist() == [[127]] * 3
    assert scale.tolist() == np.float32([127 / 20000, 127 / 40000, 127 / 10000]).tolist()


@pytest.mark.fidelity("rows of zeros in aclnnSwiGluQuant and V2")
def test_int4_and_a_row_of_zeros() -> None:
    x = np.array([[100, 50, 1, 1], [0, 0, 0, 0]], np.float32)
    with board(on_undefined="raise"):
        y, scale = filled(np.empty(2, np.uint8)), filled(np.empty(2, np.float32))
        one = tensor(filled(np.ones(1, np.float32)), (1,), ACL_FLOAT)
        launch(SECOND, tensor(filled(x), x.shape, ACL_FLOAT), one, None, None, True, None, 0, 29,
               tensor(y, (2, 2), ACL_INT4), tensor(scale, (2,), ACL_FLOAT))  # fmt: skip
        assert fetched(y, (2,), np.uint8).tolist() == [7 | 4 << 4, 0]
        assert fetched(scale, (2,), np.float32).tolist() == [np.float32(0.07), np.inf]
