"""AscendQuant, AscendQuantV3 and AscendAntiQuant: refusals in their order, packed INT4, roundings, saturation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import float8_e4m3fn

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta, f16, f32
from tests.aclnn.ops.quantisation.good_calls import GOOD, bf16, whole
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST, THIRD, BACK = (
    aclnnAscendQuantGetWorkspaceSize, aclnnAscendQuantV3GetWorkspaceSize, aclnnAscendAntiQuantGetWorkspaceSize,
)  # fmt: skip


TYPES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x", "scale", "y")),
    Mistake("type of x", INVALID, "x", x=whole(2, 8)),
    Mistake("type of y", INVALID, "y", y=f32(2, 8)),
    Mistake("type of scale", INVALID, "scale", scale=whole(8)),
    Mistake("offset as scale", INVALID, "offset", offset=f16(8)),
    Mistake("type of y is dstType", INVALID, "dstType", dstType=3),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(FIRST, GOOD["aclnnAscendQuant"], [
        *TYPES,
        Mistake("rank of offset", INVALID, "offset", offset=f32()),
        Mistake("shape of y", INVALID, "y", y=whole(2, 7)),
        Mistake("last dimensions", INVALID, "scale", scale=f32(1)),
        Mistake("rows of scale", INVALID, "scale", scale=f32(2, 8)),
        Mistake("rows of offset", INVALID, "offset", offset=f32(2, 8)),
        Mistake("no rounding", INVALID, "roundMode", roundMode=None),
        Mistake("unknown rounding", INVALID, "roundMode", roundMode="even"),
    ])  # fmt: skip


def test_mistakes_with_an_axis_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(THIRD, GOOD["aclnnAscendQuantV3"], [
        *TYPES,
        Mistake("axis", INVALID, "axis", axis=2),
        Mistake("shape of y", INVALID, "y", y=whole(2, 7)),
        Mistake("offset as scale", INVALID, "offset", offset=f32(1)),
        Mistake("length of scale", INVALID, "scale", scale=f32(2, 4), offset=f32(2, 4)),
        Mistake("unknown rounding", INVALID, "roundMode", roundMode="hybrid"),
    ])  # fmt: skip


@pytest.mark.parametrize(("name", "changes", "soc", "good"), [
    ("aclnnAscendQuant", {"scale": f16(8), "offset": f16(8)}, A2, True),
    ("aclnnAscendQuant", {"x": f16(2, 8)}, A2, False),
    ("aclnnAscendQuant", {"x": bf16(2, 8), "scale": bf16(8), "offset": None}, A2, True),
    ("aclnnAscendQuant", {"y": whole(2, 8, dtype=ACL_INT4), "dstType": 29}, A2, True),
    ("aclnnAscendQuant", {"y": whole(2, 1, dtype=ACL_INT32), "dstType": 3}, A2, True),
    ("aclnnAscendQuant", {"y": whole(2, 8, dtype=ACL_INT32), "dstType": 3}, A2, False),
    ("aclnnAscendQuant", {"x": f32(2, 7), "scale": f32(7), "offset": None, "dstType": 29,
                          "y": whole(2, 7, dtype=ACL_INT4)}, A2, False),
    *(("aclnnAscendQuant", {}, soc, False) for soc in (A950, "Ascend910A", "Ascend310B4")),
    ("aclnnAscendQuantV3", {"x": f32(), "y": whole()}, A2, False),
    ("aclnnAscendQuantV3", {"axis": -2, "scale": f32(2), "offset": f32(2)}, A2, True),
    ("aclnnAscendQuantV3", {"axis": 0, "scale": f32(2, 1), "offset": None}, A2, True),
    ("aclnnAscendQuantV3", {"axis": 0, "scale": f32(2), "offset": f32(2)}, "Ascend310P3", False),
    ("aclnnAscendQuantV3", {"x": f32(3, 2, 8), "y": whole(3, 2, 8), "axis": 0, "scale": f32(3), "offset": None},
     A2, False),
    *(("aclnnAscendQuantV3", {"y": Meta((2, 8), dtype), "dstType": int(dtype), "roundMode": mode}, A950, good)
      for dtype, mode, good in ((ACL_FLOAT8_E5M2, "round", True), (ACL_FLOAT8_E4M3FN, "floor", False),
                                (ACL_HIFLOAT8, "hybrid", True), (ACL_HIFLOAT8, "ceil", False))),
    ("aclnnAscendAntiQuant", {"x": whole(2, 1, dtype=ACL_INT32)}, A2, True),
    ("aclnnAscendAntiQuant", {"x": whole(dtype=ACL_INT32), "y": f16(8)}, A2, True),
    ("aclnnAscendAntiQuant", {"x": whole(2, 7, dtype=ACL_INT4), "y": f16(2, 7), "scale": f32(1), "offset": f32(1)},
     A2, False),
    ("aclnnAscendAntiQuant", {"y": bf16(2, 8), "dstType": 27}, A2, True),
])  # fmt: skip
def test_combinations(name: str, changes: dict[str, Any], soc: str, good: bool) -> None:
    first = {"aclnnAscendQuant": FIRST, "aclnnAscendQuantV3": THIRD, "aclnnAscendAntiQuant": BACK}[name]
    found = answer(first, GOOD[name], changes, soc)
    assert found.status == (ACL_SUCCESS if good else INVALID), found.text


def test_mistakes_of_the_way_back_are_refused_in_the_order_of_the_contract() -> None:
    assert_in_order(BACK, GOOD["aclnnAscendAntiQuant"], [
        *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x", "scale", "y")),
        Mistake("type of x", INVALID, "x", x=f32(2, 8)),
        Mistake("type of y", INVALID, "y", y=f32(2, 8)),
        Mistake("type of scale", INVALID, "scale", scale=f16(8)),
        Mistake("offset as scale", INVALID, "offset", offset=bf16(8)),
        Mistake("type of y is dstType", INVALID, "dstType", dstType=27),
        Mistake("shape of y", INVALID, "y", y=f16(2, 7)),
        Mistake("rank of scale", INVALID, "scale", scale=f32(1, 8)),
        Mistake("offset as scale", INVALID, "offset", offset=f32(1)),
        Mistake("length of scale", INVALID, "scale", scale=f32(2), offset=f32(2)),
    ])  # fmt: skip


def test_int4_with_gaps_is_refused_unless_it_is_empty() -> None:
    good = GOOD["aclnnAscendAntiQuant"]
    loose = Meta((2, 8), ACL_INT4, strides=(16, 1))
    assert answer(BACK, good, {"x": loose}).status == INVALID
    nothing = Meta((0, 8), ACL_INT4, strides=(16, 1))
    assert answer(BACK, good, {"x": nothing, "y": f16(0, 8)}).status == ACL_SUCCESS


VALUES = np.array([[-1000, -1.5, -0.5, 0.5, 1.5, 2.5, np.inf, np.nan]], np.float32)


@pytest.mark.parametrize(("mode", "wanted"), [
    ("round", [-128, -2, 0, 0, 2, 2, 127, 0]), ("floor", [-128, -2, -1, 0, 1, 2, 127, 0]),
    ("ceil", [-128, -1, 0, 1, 2, 3, 127, 0]), ("trunc", [-128, -1, 0, 0, 1, 2, 127, 0]),
])  # fmt: skip
@pytest.mark.fidelity("NaN in quantised tensors")
def test_roundings_saturate_and_nan_is_0(mode: str, wanted: list[int]) -> None:
    one = np.ones(1, np.float32)
    with Machine():
        found = run(aclnnAscendQuant, VALUES, one, None, False, mode, 2, np.empty((1, 8), np.int8))
    assert found.tolist() == [wanted]


def test_eight_int4_are_a_word_of_int32() -> None:
    """The first element is in the lowest bits."""
    x, one = np.array([[-100, -8, -1, 0, 1, 7, 100, 3]], np.float32), np.ones(1, np.float32)
    nibbles = [8, 8, 15, 0, 1, 7, 7, 3]
    word = sum(each << 4 * at for at, each in enumerate(nibbles))
    with Machine():
        packed = run(aclnnAscendQuant, x, one, None, False, "round", 3, np.empty((1, 1), np.int32))
        back = run(aclnnAscendAntiQuant, packed, one, None, 1, False, np.empty((1, 8), np.float16))
    assert packed.view(np.uint32).tolist() == [[word]]
    assert back.tolist() == [[-8, -8, -1, 0, 1, 7, 7, 3]]


def test_sqrt_mode_multiplies_twice() -> None:
    x, scale, offset = np.array([[3, 5]], np.float32), np.array([2, 3], np.float32), np.array([1, -1], np.float32)
    with Machine():
        found = run(aclnnAscendQuant, x, scale, offset, True, "round", 2, np.empty((1, 2), np.int8))
        back = run(aclnnAscendAntiQuant, found, scale, offset, 1, True, np.empty((1, 2), np.float16))
    assert found.tolist() == [[13, 44]]
    assert back.tolist() == [[56, 387]]


def test_an_axis_in_the_middle() -> None:
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    with Machine():
        scale = np.array([1, 10, 0], np.float32)
        found = run(aclnnAscendQuantV3, x, scale, None, False, "round", 2, -2, np.empty(x.shape, np.int8))
    assert found.tolist() == [[[0, 1], [20, 30], [0, 0]], [[6, 7], [80, 90], [0, 0]]]


def test_floats_of_8_bits_are_not_rounded_to_integers() -> None:
    x, one = np.array([[0.3, 1e6, -0.07]], np.float32), np.ones(1, np.float32)
    with Machine(A950):
        found = run(aclnnAscendQuantV3, x, one, None, False, "round", 36, -1, np.empty((1, 3), float8_e4m3fn))
    assert found.astype(float).tolist() == [[0.3125, 448, -0.0703125]]
