"""DynamicMxQuant: figures by hand, floats of 4 bits beside a loop, and what the search does not reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from aclnn import *
from tests.aclnn.ops.blocks.blocks import Narrow, along, block_quantised, launched
from tests.aclnn.ops.blocks.good_calls import GOOD
from tests.aclnn.ops.case import A950, Meta
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused

F32, H = np.float32, np.float16
E4, E5, E2M1, E1M2, E8 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2, ACL_FLOAT8_E8M0
TILING = ACLNN_ERR_INNER_TILING_ERROR
BLOCK = [1, -2.5, 3, 0.1, 7, -0.3]
FIRST, GOOD_CALL = aclnnDynamicMxQuantV3GetWorkspaceSize, GOOD["aclnnDynamicMxQuantV3"]


def quantised(
    x: Any, dtype: int, *, axis: int = -1, mode: bytes | None = b"rint", size: int = 32, algorithm: int = 0,
    most: float = 0, floor: float = 0,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    x = np.asarray(x)
    shape = [*x.shape, 2]
    shape[axis % x.ndim] = -(-x.shape[axis] // (2 * size))
    y, scale = launched("aclnnDynamicMxQuantV3", x, axis, mode, int(dtype), size, algorithm, most, floor,
                        Narrow.out(x.shape, dtype), Narrow.out(shape, E8))  # fmt: skip
    return y, scale


@pytest.mark.parametrize(("dtype", "algorithm", "most", "scale", "numbers"), [
    (E4, 0, 0, -6, [64, -160, 192, 6.5, 448, -20]), (E4, 1, 0, -6, [64, -160, 192, 6.5, 448, -20]),
    (E5, 0, 0, -13, [8192, -20480, 24576, 768, 57344, -2560]),
    (E5, 1, 0, -13, [8192, -20480, 24576, 768, 57344, -2560]),
    (E2M1, 0, 0, 0, [1, -2, 3, 0, 6, -0.5]), (E2M1, 2, 7, 0, [1, -2, 3, 0, 6, -0.5]),
    (E2M1, 2, 0, 1, [0.5, -1, 1.5, 0, 4, -0.0]), (E2M1, 2, 6, 1, [0.5, -1, 1.5, 0, 4, -0.0]),
    (E1M2, 0, 0, 2, [0.25, -0.5, 0.75, 0, 1.75, -0.0]),
])  # fmt: skip
def test_figures_of_a_block(dtype: int, algorithm: int, most: float, scale: int, numbers: list[float]) -> None:
    """The second scale of a pair is the byte 0, 2^-127."""
    y, scales = quantised(np.array(BLOCK, H), dtype, algorithm=algorithm, most=most)
    assert list(map(str, y.tolist())) == list(map(str, map(float, numbers))), "the sign of 0 stays"
    assert scales.tolist() == [[2.0**scale, 2.0**-127]]


EIGHTS = [0.25, 0.75, 1.25, 2.5, 5, -0.25, -2.5, -5]


@pytest.mark.parametrize(("mode", "numbers"), [
    (b"rint", [0, 1, 1, 2, 4, -0.0, -2, -4]), (b"floor", [0, 0.5, 1, 2, 4, -0.5, -3, -6]),
    (b"round", [0.5, 1, 1.5, 3, 6, -0.5, -3, -6]),
])  # fmt: skip
def test_roundings(mode: bytes, numbers: list[float]) -> None:
    assert quantised(np.array(EIGHTS, H), E2M1, mode=mode)[0].tolist() == numbers


@pytest.mark.parametrize(
    ("largest", "six", "seven"), [(5, 0, 0), (6, 0, 0), (6.03125, 1, 0), (7, 1, 0), (7.03125, 1, 1)]
)
def test_scales_of_algorithm_2(largest: float, six: int, seven: int) -> None:
    for most, exponent in ((6, six), (7, seven)):
        assert quantised(np.array([largest, 0], H), E2M1, algorithm=2, most=most)[1][0, 0] == 2.0**exponent


def test_the_layout_of_scales() -> None:
    """Rows 0 to 31 of column j have their scale at [0, j, 0]."""
    x = np.repeat([[1, 2, 4], [8, 16, 32]], 32, axis=0).astype(H)
    _, scales = quantised(x, E4, axis=0)
    assert (scales * 2**8).tolist() == [[[1, 8], [2, 16], [4, 32]]]


@pytest.mark.parametrize("algorithm", [0, 1])
def test_blocks_without_numbers(algorithm: int) -> None:
    """A block of zeros has the byte 0, and one with an infinity or NaN the byte 255; all elements are 0."""
    x = np.ones((3, 32), F32)
    x[0], x[1, 5], x[2, 7] = 0, np.inf, np.nan
    y, scales = quantised(x, E4, algorithm=algorithm)
    assert not y.any()
    assert scales[0, 0, 0] == 2.0**-127
    assert np.isnan(scales[1:, 0, 0]).all()


def test_the_smallest_blocks() -> None:
    """OCP's rule makes a block whose exponent would be 0 or less zeros; that of cuBLAS multiplies it by 2^127."""
    x = np.full((1, 32), 2.0**-120, F32)
    assert not quantised(x, E4)[0].any()
    assert quantised(x, E4, algorithm=1)[0].tolist() == [[128.0] * 32]


def test_the_least_magnitude() -> None:
    x = np.array([[1.0] * 32 + [0.0] * 32], H)
    y, scales = quantised(x, E4, algorithm=1, floor=448.0)
    assert scales.tolist() == [[[1, 2.0**-127]]]
    assert y[0, ::32].tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [E2M1, E1M2])
@pytest.mark.parametrize("mode", ["rint", "round", "floor"])
def test_floats_of_4_bits_beside_a_loop(dtype: int, mode: str) -> None:
    x = np.random.default_rng(dtype).normal(0, 3, (4, 40)).astype(F32)
    for axis, algorithm, most in ((-1, 0, 0), (1, 2 * (dtype == E2M1), 8.5)):
        wanted = along(x, axis, 32, lambda block: block_quantised(block, dtype, algorithm, mode, most))  # noqa: B023
        for one, other in zip(quantised(x, dtype, axis=axis, mode=mode.encode(), algorithm=algorithm, most=most),
                              wanted, strict=True):  # fmt: skip
            assert np.array_equal(one, other)


def test_without_a_mode_numbers_are_rounded_half_to_even() -> None:
    assert quantised(np.array(EIGHTS, H), E2M1, mode=None)[0].tolist() == [0, 1, 1, 2, 4, 0, -2, -4]


def test_the_order_of_checks() -> None:
    assert_in_order(FIRST, GOOD_CALL, [
        Mistake("null", ACLNN_ERR_PARAM_NULLPTR, "x", x=None),
        Mistake("type", ACLNN_ERR_PARAM_INVALID, "mxscaleOut", mxscaleOut=Meta((3, 1, 2))),
        Mistake("rounding", TILING, "roundModeOptional", roundModeOptional="ceil"),
        Mistake("other type", TILING, "dstType", dstType=35), Mistake("size", TILING, "blocksize", blocksize=48),
        Mistake("no algorithm", TILING, "scaleAlg", scaleAlg=3),
        Mistake("greatest", TILING, "dstTypeMax", dstTypeMax=5.0),
        Mistake("least", TILING, "maxLowBound", maxLowBound=-1.0), Mistake("axis", TILING, "axis", axis=2),
        Mistake("shape", TILING, "yOut", yOut=Meta((3, 41), E4)),
    ], A950)  # fmt: skip


@pytest.mark.parametrize("mistake", [
    Mistake("FLOAT8 has rint", TILING, "roundModeOptional", roundModeOptional="floor"),
    Mistake("FLOAT8 has no algorithm 2", TILING, "scaleAlg", scaleAlg=2),
    Mistake("a short row of FLOAT", TILING, "x", x=Meta((3, 8)), yOut=Meta((3, 8), E4)),
    Mistake("a long block of FLOAT", TILING, "blocksize", x=Meta((3, 40)), blocksize=64),
    Mistake("pairs of scales", TILING, "mxscaleOut", mxscaleOut=Meta((3, 2, 2), E8)),
    Mistake("half a byte", TILING, "x", x=Meta((3, 41), ACL_FLOAT16), yOut=Meta((3, 41), E2M1), dstType=int(E2M1)),
    Mistake("E1M2 has algorithm 0", TILING, "scaleAlg", yOut=Meta((3, 40), E1M2), dstType=int(E1M2), scaleAlg=2),
    Mistake("a bound without algorithm 1", TILING, "maxLowBound", maxLowBound=1.0),
], ids=str)  # fmt: skip
def test_refusals(mistake: Mistake) -> None:
    assert_refused(FIRST, GOOD_CALL, mistake, A950)


@pytest.mark.parametrize("dtype", [E5, E2M1, E1M2])
def test_other_floats(dtype: int) -> None:
    changes = {"yOut": Meta((3, 40), dtype), "dstType": int(dtype)}
    for name in ("", "V2", "V3"):
        first = globals()[f"aclnnDynamicMxQuant{name}GetWorkspaceSize"]
        assert answer(first, GOOD[f"aclnnDynamicMxQuant{name}"], changes, A950).status == ACL_SUCCESS
