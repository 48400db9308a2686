"""DynamicBlockQuant and its groups: figures by hand, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.blocks.blocks import Narrow, launched
from tests.aclnn.ops.blocks.good_calls import GOOD
from tests.aclnn.ops.case import A2, A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused

F32, H, I8 = np.float32, np.float16, np.int8
E4 = ml_dtypes.float8_e4m3fn
TILING = ACLNN_ERR_INNER_TILING_ERROR
FIRST, CALL = aclnnDynamicBlockQuantV2GetWorkspaceSize, GOOD["aclnnDynamicBlockQuantV2"]
OLD, GROUPED = aclnnDynamicBlockQuantGetWorkspaceSize, aclnnGroupedDynamicBlockQuantV2GetWorkspaceSize
IN_GROUPS = GOOD["aclnnGroupedDynamicBlockQuantV2"]


def rows(x: list[list[float]], least: float = 0) -> tuple[Any, Any]:
    values = np.array(x, H)
    with Machine(A2):
        return run(aclnnDynamicBlockQuant, values, least, "rint", 2, 1, 128, np.empty(values.shape, I8),
                   np.empty((len(x), 1), F32))  # fmt: skip


def test_figures_of_a_row() -> None:
    """The largest magnitude is 2, and the factor 63.5."""
    y, scale = rows([[1, -2, 0.5]])
    assert y.tolist() == [[64, -127, 32]]
    assert scale[0, 0] == pytest.approx(0.01574803)


def test_the_least_scale() -> None:
    """With minScale 100 the factor is 100 in place of 63.5: the magnitude 2 saturates."""
    y, scale = rows([[1, -2, 0.5]], 100)
    assert y.tolist() == [[100, -128, 50]]
    assert scale[0, 0] == F32(0.01)


@pytest.mark.fidelity("aclnnDynamicBlockQuant: tiles of zeros, and numbers that are not finite")
def test_a_tile_of_zeros() -> None:
    y, scale = rows([[0, 0], [0, 1]])
    assert y.tolist() == [[0, 0], [0, 127]]
    assert scale[0, 0] == 0


def tiles(x: Any, dtype: Any, number: int, sizes: tuple[int, int], least: float = 0) -> tuple[Any, Any]:
    height, width = (-(-size // tile) for size, tile in zip(x.shape, sizes, strict=True))
    with Machine(A950):
        return run(aclnnDynamicBlockQuantV2, x, least, None if number == 2 else "rint", number, *sizes, 0.0,
                   np.empty(x.shape, dtype), np.empty((height, width), F32))  # fmt: skip


def test_tiles_of_float8() -> None:
    x = np.ones((65, 65), F32)
    x[0, 0], x[64, 3] = 448, 896
    y, scale = tiles(x, E4, 36, (64, 64))
    assert scale.tolist() == [[1, F32(1 / 448)], [2, F32(1 / 448)]]
    assert y.astype(F32)[[0, 1, 64, 64], [0, 1, 3, 4]].tolist() == [448, 1, 448, 0.5]


@pytest.mark.fidelity("aclnnDynamicBlockQuant: tiles of zeros, and numbers that are not finite")
def test_numbers_that_are_not_finite() -> None:
    """They do not count for the scale; an infinity saturates, and NaN is 0."""
    x = np.array([[1, 127, np.inf, -np.inf, np.nan]], F32)
    y, scale = tiles(x, I8, 2, (1, 64))
    assert scale.tolist() == [[1]]
    assert y.tolist() == [[1, 127, 127, -128, 0]]


def in_groups(x: Any, ends: list[int], height: int) -> tuple[Any, Any]:
    outs = Narrow.out(x.shape, ACL_FLOAT8_E4M3FN, 3), Narrow.out((height, 1), ACL_FLOAT)
    return tuple(launched("aclnnGroupedDynamicBlockQuant", x, np.array(ends, np.int32), 0.0, b"rint", 36, 64, 64, 0,
                          *outs))  # fmt: skip


@pytest.mark.fidelity("aclnnDynamicBlockQuant: tiles of zeros, and numbers that are not finite")
def test_groups_begin_anew() -> None:
    """Group 0 has one row, so the scales of group 1 begin at row 1; it has 69 rows, so they are two. Row 70 has no
    group. An infinity counts: its scale is an infinity, and its numbers are 0."""
    x = np.full((71, 2), 448, H)
    x[66] = 224
    x[65:70] /= 2
    y, scale = in_groups(x, [1, 70], 3)
    assert scale.tolist() == [[1], [1], [0.5]]
    assert y[[0, 1, 65, 66, 70], 0].tolist() == [448, 448, 448, 224, 3]
    x[0, 0] = np.inf
    y, scale = in_groups(x, [1, 70], 3)
    assert scale[:2].tolist() == [[np.inf], [1]]
    assert not y[0].any()


def test_the_order_of_checks() -> None:
    assert_in_order(FIRST, CALL, [
        Mistake("null", ACLNN_ERR_PARAM_NULLPTR, "x", x=None),
        Mistake("type", ACLNN_ERR_PARAM_INVALID, "scaleOut", scaleOut=Meta((3, 2), ACL_FLOAT16)),
        Mistake("rows", TILING, "rowBlockSize", rowBlockSize=64),
        Mistake("columns", TILING, "colBlockSize", colBlockSize=64),
        Mistake("greatest", TILING, "dstTypeMax", dstTypeMax=15.0), Mistake("number", TILING, "dstType", dstType=36),
        Mistake("rounding", TILING, "roundModeOptional", roundModeOptional="round"),
        Mistake("least", TILING, "minScale", minScale=-1.0),
        Mistake("shape", TILING, "yOut", yOut=Meta((3, 131), ACL_INT8)),
    ], A2)  # fmt: skip


@pytest.mark.parametrize(("first", "good"), [(FIRST, CALL), (OLD, GOOD["aclnnDynamicBlockQuant"])])
def test_types_of_950(first: Any, good: Any) -> None:
    assert answer(first, good, {"x": Meta((3, 130))}, A2).status == ACLNN_ERR_PARAM_INVALID
    for x, y, mode in ((ACL_FLOAT, ACL_FLOAT8_E5M2, "rint"), (ACL_BF16, ACL_FLOAT8_E4M3FN, "rint"),
                       (ACL_FLOAT, ACL_HIFLOAT8, "round")):  # fmt: skip
        changes = {"x": Meta((3, 130), x), "yOut": Meta((3, 130), y), "dstType": int(y), "roundModeOptional": mode}
        assert answer(first, good, changes, A2).status == ACLNN_ERR_PARAM_INVALID
        assert answer(first, good, changes, A950).status == ACL_SUCCESS


@pytest.mark.parametrize("mistake", [
    Mistake("no elements", TILING, "x", x=Meta((0, 130), ACL_FLOAT16), yOut=Meta((0, 130), ACL_INT8)),
    Mistake("a scale for each tile", TILING, "scaleOut", scaleOut=Meta((3, 1))),
], ids=str)  # fmt: skip
def test_refusals(mistake: Mistake) -> None:
    assert_refused(FIRST, CALL, mistake, A2)


def test_groups_of_nothing() -> None:
    nothing = {"x": Meta((0, 0), ACL_FLOAT16), "yOut": Meta((0, 0), ACL_FLOAT8_E4M3FN), "scaleOut": Meta((2, 0))}
    assert answer(GROUPED, IN_GROUPS, nothing, A950).status == ACL_SUCCESS
    half = {"x": Meta((0, 130), ACL_FLOAT16), "yOut": Meta((0, 130), ACL_FLOAT8_E4M3FN), "scaleOut": Meta((2, 2))}
    assert answer(GROUPED, IN_GROUPS, half, A950).status == TILING


def test_other_floats_of_groups() -> None:
    for name in ("aclnnGroupedDynamicBlockQuant", "aclnnGroupedDynamicBlockQuantV2"):
        for dtype, mode in ((ACL_FLOAT8_E5M2, "rint"), (ACL_HIFLOAT8, "round")):
            changes = {"yOut": Meta((3, 130), dtype), "dstType": int(dtype), "roundModeOptional": mode}
            first = getattr(aclnn, f"{name}GetWorkspaceSize")
            assert answer(first, GOOD[name], changes, A950).status == ACL_SUCCESS
