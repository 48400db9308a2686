"""MX quantisation along two dimensions: figures by hand, floats of 4 bits, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from aclnn import *
from tests.aclnn.ops.blocks.blocks import Narrow, along, block_quantised, launched
from tests.aclnn.ops.blocks.good_calls import GOOD
from tests.aclnn.ops.case import A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_refused

H = np.float16
E4, E5, E2M1, E1M2, E8 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2, ACL_FLOAT8_E8M0
TILING = ACLNN_ERR_INNER_TILING_ERROR
DUAL = [(aclnnDynamicMxQuantWithDualAxisGetWorkspaceSize, "aclnnDynamicMxQuantWithDualAxis"),
        (aclnnDynamicMxQuantWithDualAxisV2GetWorkspaceSize, "aclnnDynamicMxQuantWithDualAxisV2")]  # fmt: skip
TILES = (aclnnDynamicBlockMxQuantGetWorkspaceSize, "aclnnDynamicBlockMxQuant")


def test_both_dimensions_of_floats_of_4_bits() -> None:
    x = np.random.default_rng(1).normal(0, 3, (2, 40, 6)).astype(H)
    y1, scale1, y2, scale2 = launched(
        "aclnnDynamicMxQuantWithDualAxisV2", x, b"floor", int(E2M1), 2, 7.0, Narrow.out(x.shape, E2M1),
        Narrow.out((2, 40, 1, 2), E8), Narrow.out(x.shape, E2M1), Narrow.out((2, 1, 6, 2), E8))  # fmt: skip
    for axis, numbers, scales in ((-1, y1, scale1), (-2, y2, scale2)):
        wanted = along(x, axis, 32, lambda block: block_quantised(block, E2M1, 2, "floor", 7))
        assert np.array_equal(numbers, wanted[0])
        assert np.array_equal(scales, wanted[1])


def test_a_tile_has_one_scale() -> None:
    """The first tile has the magnitude 6, the second one 12; rows and columns behind the tensor count as 0."""
    x = np.ones((3, 34), H)
    x[1, 2], x[2, 33] = 6, 12
    y, first, second = launched(
        "aclnnDynamicBlockMxQuant", x, b"rint", int(E2M1), 0, 0.0, Narrow.out(x.shape, E2M1),
        Narrow.out((3, 1, 2), E8), Narrow.out((1, 34, 2), E8))  # fmt: skip
    assert first.tolist() == [[[1, 2]]] * 3
    assert second[0, :, 0].tolist() == [1] * 32 + [2] * 2
    assert (second[0, :, 1] == 2.0**-127).all()
    assert y[1, :3].tolist() == [1, 1, 6]
    assert y[2, 32:].tolist() == [0.5, 6]


def test_an_empty_x() -> None:
    empty = {"x": Meta((3, 0), ACL_FLOAT16)}
    for first, name in DUAL:
        changes = {"y1Out": Meta((3, 0), E4), "y2Out": Meta((3, 0), E4), "mxscale1Out": Meta((3, 0, 2), E8),
                   "mxscale2Out": Meta((1, 0, 2), E8)}  # fmt: skip
        assert answer(first, GOOD[name], {**empty, **changes}, A950).status == ACL_SUCCESS
    assert answer(TILES[0], GOOD[TILES[1]], empty, A950).status == TILING


@pytest.mark.parametrize("dtype", [E5, E2M1, E1M2])
def test_other_floats(dtype: int) -> None:
    y = Meta((3, 40), dtype)
    for first, name in DUAL:
        assert answer(first, GOOD[name], {"y1Out": y, "y2Out": y, "dstType": int(dtype)}, A950).status == ACL_SUCCESS
    assert answer(TILES[0], GOOD[TILES[1]], {"yOut": y, "dstType": int(dtype)}, A950).status == ACL_SUCCESS


ODD: dict[str, Any] = {"x": Meta((3, 41), ACL_FLOAT16), "dstType": int(E2M1)}


def test_half_a_byte() -> None:
    y = Meta((3, 41), E2M1)
    for first, name in DUAL:
        assert_refused(first, GOOD[name], Mistake("", TILING, "x", **ODD, y1Out=y, y2Out=y), A950)
    assert_refused(TILES[0], GOOD[TILES[1]], Mistake("", TILING, "x", **ODD, yOut=y), A950)
