"""Forms of MX quantisation: figures by hand, floats of 4 bits, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import UndefinedBehaviour
from tests.aclnn.ops.blocks.blocks import Narrow, along, block_quantised, launched
from tests.aclnn.ops.blocks.good_calls import GOOD
from tests.aclnn.ops.case import A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_refused

F32, H = np.float32, np.float16
E4, E5, E2M1, E1M2, E8 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2, ACL_FLOAT8_E8M0
TILING, INNER = ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_INNER_NULLPTR


def first(name: str) -> Any:
    return getattr(aclnn, f"{name}GetWorkspaceSize")


def test_numbers_of_4_bits_times_their_scales() -> None:
    x = Narrow(np.array([[0.5, -1, 6, -0.0]]), E2M1)
    scales = Narrow(np.array([[[4, 2.0**-127]]]), E8)
    for dtype, code in ((np.float16, 1), (ml_dtypes.bfloat16, 27), (F32, 0)):
        found = launched("aclnnAntiMxQuant", x, scales, -1, code, Narrow(np.zeros((1, 4), dtype), code))[-1]
        assert list(map(str, found[0].tolist())) == ["2.0", "-4.0", "24.0", "-0.0"]


def test_quantised_and_back() -> None:
    x = Narrow(np.array([[0.25, -1.75, 1, 0]]), E1M2)
    back = launched("aclnnAntiMxQuant", x, Narrow(np.array([[[1.0, 1.0]]]), E8), 1, 0, Narrow.out((1, 4), ACL_FLOAT))
    assert back[-1].tolist() == [[0.25, -1.75, 1, 0]]


@pytest.mark.fidelity("aclnnDynamicDualLevelMxQuant: the product with smooth, and blocks of zeros")
def test_two_levels() -> None:
    """The magnitude 12 of the first 64 elements gives the scale 2. Then the blocks of 32 have the magnitudes 6 and 3.
    The third one has zeros."""
    x = np.zeros((1, 96), H)
    x[0, :4], x[0, 32:34] = [12, 2, 3, -1], [6, 2]
    smooth = np.ones(96, H)
    smooth[3] = 2
    y, large, small = launched(
        "aclnnDynamicDualLevelMxQuant", x, smooth, b"rint", 64, 32, Narrow.out((1, 96), E2M1),
        Narrow.out((1, 2), ACL_FLOAT), Narrow.out((1, 2, 2), E8))  # fmt: skip
    assert large.tolist() == [[2, 0]]
    assert small.tolist() == [[[1, 0.5], [2.0**-127, 2.0**-127]]]
    assert y[0, :4].tolist() == [6, 1, 1.5, -1]
    assert y[0, 32:34].tolist() == [6, 2]
    assert not y[0, 64:].any()


def test_two_levels_of_nothing() -> None:
    changes = {"x": Meta((0, 40), ACL_FLOAT16), "yOut": Meta((0, 40), E2M1), "level0ScaleOut": Meta((0, 1)),
               "level1ScaleOut": Meta((0, 1, 2), E8)}  # fmt: skip
    name = "aclnnDynamicDualLevelMxQuant"
    assert answer(first(name), GOOD[name], changes, A950).status == ACL_SUCCESS


def test_groups_begin_anew() -> None:
    """The groups have the rows 0 to 2 and 3 to 69: their scales begin at the pairs 0 and 1. Other rows stay."""
    x = np.full((72, 2), 1, H)
    x[40], x[1] = 8, 2
    y, scales = launched(
        "aclnnGroupedDynamicMxQuantV2", x, np.array([3, 70], np.int32), b"rint", int(E2M1), 32, 0, 0.0,
        Narrow.out(x.shape, E2M1, 3), Narrow.out((3, 2, 2), E8, 4))  # fmt: skip
    assert (scales[:, 0] * 4).tolist() == [[2, 2.0**-125], [1, 8], [1, 2.0**-125]]
    assert y[[0, 1, 2, 34, 35, 40, 69, 70], 0].tolist() == [2, 4, 2, 4, 0.5, 4, 4, 3]


def test_a_group_beyond_the_rows() -> None:
    with pytest.raises(UndefinedBehaviour, match="legal values are 0 to 72"):
        launched("aclnnGroupedDynamicMxQuant", np.ones((72, 2), H), np.array([3, 73], np.int32), b"rint", int(E4), 32,
                 Narrow.out((72, 2), E4), Narrow.out((3, 2, 2), E8))  # fmt: skip


@pytest.mark.parametrize(("value", "x", "rstd"), [(np.inf, np.inf, 0), (np.nan, np.nan, np.nan)])
def test_rows_without_a_norm(value: float, x: float, rstd: float) -> None:
    """An infinity, or NaN, of the sum: the elements are 0, and the scale NaN."""
    x1, gamma = np.ones((1, 32), H), np.ones(32, H)
    x1[0, 3] = value
    y, total, scales, found = launched(
        "aclnnAddRmsNormDynamicMxQuant", x1, x1, gamma, None, 1e-6, 0, b"rint", int(E4), True,
        Narrow.out((1, 32), E4), Narrow.out((1, 32), ACL_FLOAT16), Narrow.out((1, 1, 2), E8),
        Narrow.out((1, 1), ACL_FLOAT))  # fmt: skip
    assert not y.any()
    assert np.isnan(scales[0, 0, 0])
    assert np.array_equal(total[0, 3], x, equal_nan=True)
    assert np.array_equal(found, [[rstd]], equal_nan=True)


def test_a_norm_in_4_bits() -> None:
    """rstd is 0.5, so the row is 1 1 1 1, times gamma."""
    y, scales, _ = launched(
        "aclnnRmsNormDynamicMxQuant", np.full((1, 4), 2, H), np.array([1, 2, 3, 4], F32), None, 0.0, 0, b"rint",
        int(E2M1), False, Narrow.out((1, 4), E2M1), Narrow.out((1, 1, 2), E8), Narrow.out((1,), ACL_FLOAT))  # fmt: skip
    assert y.tolist() == [[1, 2, 3, 4]]
    assert scales[0, 0, 0] == 1


def test_gates_along_the_first_dimension() -> None:
    x = np.random.default_rng(3).normal(0, 3, (4, 40)).astype(H)
    y, scales = launched(
        "aclnnSwigluMxQuant", x, None, 0, False, 0, 7.0, 1.702, 1.0, 0, -1, int(E2M1), None, 0, 0.0,
        Narrow.out((2, 40), E2M1), Narrow.out((2, 1, 2), E8))  # fmt: skip
    line, gate = x.astype(F32)[:2], x.astype(F32)[2:]
    wanted = along(gate / (1 + np.exp(-gate)) * line, -1, 32, lambda block: block_quantised(block, E2M1))
    assert np.array_equal(y, wanted[0])
    assert np.array_equal(scales, wanted[1])


SAME = ("aclnnRmsNormDynamicMxQuant", "aclnnAddRmsNormDynamicMxQuant", "aclnnSwigluMxQuant")


@pytest.mark.parametrize("dtype", [E5, E2M1, E1M2])
def test_other_floats(dtype: int) -> None:
    for name in SAME:
        changes = {"yOut": Meta((3, 40), dtype), "dstType": int(dtype)}
        assert answer(first(name), GOOD[name], changes, A950).status == ACL_SUCCESS
    for name in ("aclnnGroupedDynamicMxQuant", "aclnnGroupedDynamicMxQuantV2")[dtype != E5 :]:
        changes = {"x": Meta((70, 6), ACL_FLOAT16), "y": Meta((70, 6), dtype), "dstType": int(dtype),
                   "mxscale": Meta((3, 6, 2), E8)}  # fmt: skip
        assert answer(first(name), GOOD[name], changes, A950).status == ACL_SUCCESS


def test_other_types_of_numbers() -> None:
    for dtype in (ACL_FLOAT16, ACL_BF16):
        changes = {"y": Meta((3, 40), dtype), "dstType": int(dtype)}
        assert answer(first("aclnnAntiMxQuant"), GOOD["aclnnAntiMxQuant"], changes, A950).status == ACL_SUCCESS


ODD: dict[str, Any] = {"yOut": Meta((3, 41), E2M1), "dstType": int(E2M1)}
VECTORS = {"gamma": Meta((41,), ACL_FLOAT16), "beta": None}
OF_ODD = Meta((3, 41), ACL_FLOAT16)


@pytest.mark.parametrize(("name", "mistake"), [
    ("aclnnRmsNormDynamicMxQuant", Mistake("half a byte", INNER, "x", **ODD, **VECTORS, x=OF_ODD)),
    ("aclnnAddRmsNormDynamicMxQuant", Mistake("half a byte", INNER, "x1", **ODD, **VECTORS, x1=OF_ODD, x2=OF_ODD,
                                              xOut=OF_ODD)),
    ("aclnnSwigluMxQuant", Mistake("half a byte", TILING, "yOut", **ODD, x=Meta((3, 82), ACL_FLOAT16))),
    ("aclnnGroupedDynamicMxQuantV2", Mistake("half a byte", ACLNN_ERR_PARAM_INVALID, "x", y=Meta((70, 5), E2M1),
                                             dstType=int(E2M1))),
    ("aclnnDynamicDualLevelMxQuant", Mistake("rounding", TILING, "roundModeOptional", roundModeOptional="ceil")),
    *((name, Mistake("gaps", ACLNN_ERR_PARAM_INVALID, "mxscale", mxscale=Meta((3, 5, 2), E8, strides=(10, 2, 3))))
      for name in ("aclnnGroupedDynamicMxQuant", "aclnnGroupedDynamicMxQuantV2")),
], ids=str)  # fmt: skip
def test_refusals(name: str, mistake: Mistake) -> None:
    assert_refused(first(name), GOOD[name], mistake, A950)
