"""DynamicQuant: refusals in their order, combinations by product, rows of zeros, packed INT4."""

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
from tests.aclnn.ops.case import A2, A950, INFERENCE, TRAINING, Meta, f16, f32, i64
from tests.aclnn.ops.quantisation.good_calls import DYNAMIC_QUANTS, GOOD, bf16, whole
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL, TILING = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR
SMOOTH, GROUPS = "smoothScalesOptional", "groupIndexOptional"


def first(name: str) -> Any:
    return getattr(aclnn, f"{name}GetWorkspaceSize")


NULLS = [Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x", "yOut", "scaleOut")]
X_AND_SMOOTH = [
    Mistake("type of x", INVALID, "x", x=f32(2, 32)),
    Mistake("type of smooth", INVALID, SMOOTH, **{SMOOTH: bf16(32)}),
]
TYPES = [
    Mistake("type of yOut", INVALID, "yOut", yOut=f16(2, 32)),
    Mistake("type of scaleOut", INVALID, "scaleOut", scaleOut=f16(2)),
]
SHAPES = [
    Mistake("shape of yOut", INVALID, "yOut", yOut=whole(2, 31)),
    Mistake("shape of scaleOut", INVALID, "scaleOut", scaleOut=f32(2, 1)),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    smooth = Mistake("shape of smooth", INVALID, SMOOTH, **{SMOOTH: f16(2, 32)})
    rank = Mistake("rank of x", INVALID, "x", x=f16(32))
    assert_in_order(first("aclnnDynamicQuant"), GOOD["aclnnDynamicQuant"],
                    [*NULLS, *X_AND_SMOOTH, *TYPES, rank, smooth, *SHAPES])  # fmt: skip


def test_mistakes_with_groups_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(first("aclnnDynamicQuantV2"), GOOD["aclnnDynamicQuantV2"], [
        *NULLS, *X_AND_SMOOTH,
        Mistake("type of groups", INVALID, GROUPS, **{GROUPS: f32(3)}), *TYPES,
        Mistake("type of offsetOut", INVALID, "offsetOut", offsetOut=f16(2)),
        Mistake("rank of groups", INVALID, GROUPS, **{GROUPS: i64(3, 1)}),
        Mistake("shape of smooth", INVALID, SMOOTH, **{SMOOTH: f16(32)}), *SHAPES,
        Mistake("shape of offsetOut", INVALID, "offsetOut", offsetOut=f32(1)),
    ])  # fmt: skip


@pytest.mark.fidelity("isSymmetrical of aclnnDynamicQuantV3 and V4")
@pytest.mark.parametrize("name", DYNAMIC_QUANTS[2:])
def test_mistakes_with_modes_are_refused_in_the_order_of_the_contract(name: str) -> None:
    assert_in_order(first(name), GOOD[name], [
        *NULLS,
        Mistake("symmetry", INVALID, "isSymmetrical", isSymmetrical=False),
        Mistake("no mode", NULL, "quantMode", quantMode=None),
        Mistake("unknown mode", INVALID, "quantMode", quantMode="pergroup"),
        Mistake("columns of groups", INVALID, "quantMode", quantMode="perchannel"), *X_AND_SMOOTH,
    ], soc=A950)  # fmt: skip


@pytest.mark.parametrize("name", DYNAMIC_QUANTS[2:])
def test_another_product_is_561000_before_a_null_pointer(name: str) -> None:
    assert answer(first(name), GOOD[name], {"x": None}, A2).status == ACLNN_ERR_INNER


ODD, LOOSE = {"x": f16(2, 31), SMOOTH: None, GROUPS: None}, {SMOOTH: None, GROUPS: f32(7, 7)}


@pytest.mark.parametrize(("version", "changes", "soc", "status"), [
    ("", {"x": f16(2, 30), SMOOTH: f16(30), "yOut": whole(2, 30)}, INFERENCE, TILING),
    ("", {"x": f16(2, 30), SMOOTH: f16(30), "yOut": whole(2, 30)}, A2, ACL_SUCCESS),
    ("", {"x": bf16(2, 32), SMOOTH: bf16(32)}, TRAINING, INVALID),
    ("", {"yOut": whole(2, 4, dtype=ACL_INT32)}, A2, ACL_SUCCESS),
    ("", {"yOut": whole(2, 32, dtype=ACL_INT32)}, A2, INVALID),
    ("V2", {**ODD, "yOut": whole(2, 31, dtype=ACL_INT4)}, A2, INVALID),
    ("V2", {**ODD, "yOut": whole(2, 31)}, A2, ACL_SUCCESS),
    ("V2", {"offsetOut": f32(2)}, TRAINING, TILING),
    ("V2", {"yOut": whole(2, 4, dtype=ACL_INT32)}, A2, ACL_SUCCESS),
    ("V2", LOOSE, A2, ACL_SUCCESS),
    ("V3", {GROUPS: None, SMOOTH: f16(2), "quantMode": "perchannel", "scaleOut": f32(32)}, A950, ACL_SUCCESS),
    ("V3", {"quantMode": "pertensor", "scaleOut": f32(1)}, A950, ACL_SUCCESS),
    ("V4", {"yOut": Meta((2, 32), ACL_HIFLOAT8)}, A950, ACL_SUCCESS),
    *((version, {"yOut": whole(2, 4, dtype=ACL_INT32)}, A950, ACL_SUCCESS) for version in ("V3", "V4")),
    *((version, {"x": f16(0, 32), "yOut": whole(0, 32), "scaleOut": f32(0)}, A950, ACL_SUCCESS)
      for version in ("V2", "V3", "V4")),
])  # fmt: skip
@pytest.mark.fidelity("smooth factors of groups in aclnnDynamicQuantV2, V3 and V4")
def test_combinations(version: str, changes: dict[str, Any], soc: str, status: int) -> None:
    found = answer(first(f"aclnnDynamicQuant{version}"), GOOD[f"aclnnDynamicQuant{version}"], changes, soc)
    assert found.status == status, found.text


@pytest.mark.fidelity("rows of zeros in aclnnDynamicQuant and aclnnGeluQuant")
def test_a_row_of_zeros_stays_and_has_the_scale_0() -> None:
    x = np.array([[0] * 32, [-4, 2, 1, 0] * 8], np.float16)
    with Machine():
        y, scale = run(aclnnDynamicQuant, x, None, np.empty(x.shape, np.int8), np.empty(2, np.float32))
    assert y.tolist() == [[0] * 32, [-127, 64, 32, 0] * 8]
    assert scale.tolist() == [0, np.float32(4) / np.float32(127)]


def test_equal_values_with_an_offset() -> None:
    """The scale is at least 1e-12, so the offset may be huge; FLOAT loses the value in it."""
    x = np.array([[0] * 32], np.float16)
    results = (np.empty(x.shape, np.int8), np.empty(1, np.float32), np.empty(1, np.float32))
    with Machine():
        y, scale, offset = run(aclnnDynamicQuantV2, x, None, None, 2, *results)
    assert (set(y.ravel().tolist()), scale.tolist(), offset.tolist()) == ({127}, [np.float32(1e-12)], [127])


def test_int4_in_words() -> None:
    """M is 7."""
    x = np.array([[7, -7, 3.4, 0, 1, -1, 2, -2]], np.float16)
    with Machine():
        y, scale = run(aclnnDynamicQuant, x, None, np.empty((1, 1), np.int32), np.empty(1, np.float32))
    nibbles = [7, 9, 3, 0, 1, 15, 2, 14]
    assert y.view(np.uint32).tolist() == [[sum(each << 4 * at for at, each in enumerate(nibbles))]]
    assert scale.tolist() == [1]


@pytest.mark.fidelity("floats of 8 bits in aclnnDynamicQuantV3 and V4")
def test_floats_of_8_bits() -> None:
    x = np.array([[1, -0.3]], np.float16)
    with Machine(A950):
        y, scale, _ = run(aclnnDynamicQuantV3, x, None, None, 36, True, "pertensor", np.empty(x.shape, float8_e4m3fn),
                       np.empty(1, np.float32), None)  # fmt: skip
    assert y.astype(float).tolist() == [[448, -128]]
    assert scale.tolist() == [np.float32(1) / np.float32(448)]
