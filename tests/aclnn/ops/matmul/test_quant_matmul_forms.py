"""The forms of aclnnQuantMatmulV5 and WeightNz whose scales belong to groups or blocks, and those for narrow floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import numpy_dtype
from aclnn import aclnnQuantMatmulV5GetWorkspaceSize
from tests.aclnn.ops.blocks.blocks import MAGNITUDES, Narrow, launched
from tests.aclnn.ops.case import A2, A950, Meta, f32
from tests.helpers.machines import board
from tests.helpers.refusals import answer
from tests.helpers.weights import blocks_by_hand, fetched, filled, launch, tensor

V5, INVALID, NULL = aclnnQuantMatmulV5GetWorkspaceSize, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
E4, E5, E8, FP4 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_FLOAT8_E8M0, ACL_FLOAT4_E2M1
I4, I8, H, B16, U64 = ACL_INT4, ACL_INT8, ACL_FLOAT16, ACL_BF16, ACL_UINT64
ONE_BY_128, SQUARES = 4303356032, 549764202624
"""groupSize of blocks of 1 x 128 of x1 and 128 x 128 of x2, and of 128 x 128 of both"""


def integers(*shape: int, top: int) -> np.ndarray:
    return np.random.default_rng(len(shape) + top).integers(-top, top, shape).astype(np.int8)


def pairs(values: np.ndarray, kind: int = I4) -> Any:
    """INT4 values, also as INT32, on the current device."""
    memory = (values[..., 0::2] & 15 | values[..., 1::2] << 4).astype(np.uint8)
    return tensor(filled(memory), (*values.shape[:-1], values.shape[-1] // (8 if kind == ACL_INT32 else 1)), kind)


def given(values: np.ndarray | None, dtype: int = ACL_FLOAT) -> Any:
    return None if values is None else tensor(filled(values), values.shape, dtype)


def words(scale: np.ndarray) -> np.ndarray:
    return scale.astype(np.float32).view(np.uint32).astype(np.uint64)


# integers


@pytest.mark.fidelity("aclnnQuantMatmulV5, INT8 beside a weight of INT4")
@pytest.mark.parametrize("kind", [I4, ACL_INT32])
@pytest.mark.parametrize("size", [0, 256])
def test_int8_beside_int4(size: int, kind: int) -> None:
    """With yOffset = 8 * the sums of the scaled weight, the product is that of x1 and the scaled weight."""
    x, w = integers(3, 512, top=128), integers(512, 16, top=8)
    scale = 2.0 ** (np.arange((512 // size if size else 1) * 16) % 5 - 9).reshape(-1, 16)
    scaled = w * np.repeat(scale, 512 // len(scale), 0)
    offset, rows = 8 * scaled.sum(0), np.array([1, 0.5, 2], np.float32)
    with board(soc=A2):
        address = filled(np.zeros((3, 16), np.float16))
        launch("aclnnQuantMatmulV5", given(x, I8), pairs(w, kind), given(rows[:, None] if size else rows),
               given(words(scale if size else scale[0]), U64), None, None, None, given(offset.astype(np.float32)), None,
               False, False, size, tensor(address, (3, 16), H))  # fmt: skip
        exact = (x @ scaled) * rows[:, None]
        np.testing.assert_array_equal(fetched(address, (3, 16), np.float16), exact.astype(np.float16))


def test_groups_of_int4() -> None:
    """x1Scale * x2Scale * (x1 @ x2 - x1 @ x2Offset) for each group of 256 rows."""
    x, w = integers(2, 1024, top=8), integers(1024, 256, top=8)
    scale = (2.0 ** (np.arange(4 * 256) % 5 - 9)).astype(np.float32).reshape(4, 256)
    offset = (np.arange(4 * 256) % 7 - 3).astype(np.float16).reshape(4, 256)
    rows = np.array([[1], [0.5]], np.float32)
    for turned in (False, True):
        with board(soc=A2):
            address = filled(np.zeros((2, 256), np.float16))
            order = (lambda each: each.T.copy()) if turned else (lambda each: each)
            launch("aclnnQuantMatmulV5", pairs(x), pairs(order(w)), given(rows), given(order(scale)), None, None,
                   given(order(offset), H), None, None, False, turned, 256, tensor(address, (2, 256), H))  # fmt: skip
            exact = np.zeros((2, 256))
            for group in range(4):
                part = slice(256 * group, 256 * (group + 1))
                exact += x[:, part].astype(float) @ (w[part] - offset[group].astype(float)) * scale[group] * rows
            np.testing.assert_array_equal(fetched(address, (2, 256), np.float16), exact.astype(np.float16))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("size", [0, ONE_BY_128])
def test_blocks_of_int8(size: int, turned: bool) -> None:
    x, w = integers(3, 512, top=64), integers(512, 256, top=64)
    left = (2.0 ** (np.arange(12) % 3 - 8)).astype(np.float32).reshape(3, 4)
    right = (2.0 ** (np.arange(8) % 3)).astype(np.float32).reshape(4, 2)
    bias = np.linspace(-4, 4, 256).astype(np.float32)
    exact = (x * np.repeat(left, 128, 1)) @ (w * np.repeat(np.repeat(right, 128, 0), 128, 1)) + bias
    narrow = Narrow.out((3, 256), B16)
    factors = (w.T.copy(), right.T.copy()) if turned else (w, right)
    found = launched("aclnnQuantMatmulV5", x, factors[0], left, factors[1], None, None, None, None, bias, False,
                     turned, size, narrow, soc=A2)[0]  # fmt: skip
    np.testing.assert_array_equal(found, exact.astype(numpy_dtype(B16)).astype(np.float32))


FIFTH: dict[str, Any] = dict.fromkeys(("yScale", "x1Offset", "x2Offset", "yOffset", "bias")) | {
    "transposeX1": False, "transposeX2": False, "groupSize": 0,
}  # fmt: skip
OF_INT8 = {**FIFTH, "x1": Meta((3, 512), I8), "x2": Meta((512, 256), I8), "x1Scale": f32(3, 4), "x2Scale": f32(4, 2),
           "out": Meta((3, 256), B16)}  # fmt: skip
OF_INT4 = {**FIFTH, "x1": Meta((3, 1024), I4), "x2": Meta((1024, 256), I4), "x1Scale": f32(3, 1), "groupSize": 256,
           "x2Scale": f32(4, 256), "x2Offset": Meta((4, 256), H), "out": Meta((3, 256), B16)}  # fmt: skip
MIXED = {**FIFTH, "x1": Meta((3, 512), I8), "x2": Meta((512, 16), I4), "x1Scale": f32(3), "yOffset": f32(16),
         "x2Scale": Meta((16,), U64), "out": Meta((3, 16), H)}  # fmt: skip
SHARED = {**FIFTH, "x1": Meta((3, 72), E4), "x2": Meta((72, 5), E5), "x1Scale": Meta((3, 2, 2), E8),
          "x2Scale": Meta((2, 5, 2), E8), "out": Meta((3, 5), H)}  # fmt: skip
OF_ROWS = {**SHARED, "x1Scale": f32(3), "x2Scale": f32(5)}
OF_BLOCKS = {**FIFTH, "x1": Meta((3, 256), E4), "x2": Meta((256, 130), E4), "x1Scale": f32(3, 2), "x2Scale": f32(2, 2),
             "groupSize": ONE_BY_128, "out": Meta((3, 130), H)}  # fmt: skip
BESIDE = {**FIFTH, "x1": Meta((3, 128), E4), "x2": Meta((16, 128), FP4), "x1Scale": Meta((3, 2, 2), E8),
          "x2Scale": Meta((16, 2, 2), E8), "transposeX2": True, "groupSize": 32, "bias": Meta((1, 16), H),
          "out": Meta((3, 16), H)}  # fmt: skip
PACKED = {**OF_ROWS, "x1Scale": None, "x2Scale": Meta((5,), U64)}


@pytest.mark.parametrize(("good", "soc", "status", "changes"), [
    (OF_INT8, A2, INVALID, {"x1Scale": f32(3, 3)}), (OF_INT8, A2, INVALID, {"x2Scale": f32(4, 3)}),
    (OF_INT8, A2, INVALID, {"x2Scale": Meta((4, 2), B16)}), (OF_INT8, A2, INVALID, {"out": Meta((3, 256), H)}),
    (OF_INT8, A2, INVALID, {"bias": f32(255)}), (OF_INT8, A2, INVALID, {"bias": Meta((256,), H)}),
    (OF_INT8, A2, INVALID, {"out": Meta((4, 256), B16)}), (OF_INT8, A2, INVALID, {"x1": Meta((3, 511), I8)}),
    (OF_INT8, A2, INVALID, {"groupSize": 32}), (OF_INT8, A2, INVALID, {"x1": Meta((0, 512), I8),
     "x1Scale": f32(0, 4), "groupSize": ONE_BY_128, "out": Meta((0, 256), B16)}),
    (OF_INT8, A2, INVALID, {"x1": Meta((2, 3, 512), I8), "x1Scale": f32(2, 3, 4), "x2": Meta((3, 512, 256), I8),
     "x2Scale": f32(3, 4, 2), "out": Meta((2, 3, 256), B16)}),
    (OF_INT4, A2, INVALID, {"x1Scale": f32(4, 1)}), (OF_INT4, A2, INVALID, {"x1Scale": None}),
    (OF_INT4, A2, INVALID, {"x1Scale": Meta((3, 1), H)}), (OF_INT4, A2, INVALID, {"x2Scale": Meta((4, 256), B16)}),
    (OF_INT4, A2, INVALID, {"x2Scale": f32(2, 256)}), (OF_INT4, A2, INVALID, {"x2Offset": Meta((2, 256), H)}),
    (OF_INT4, A2, INVALID, {"bias": f32(256)}), (OF_INT4, A2, INVALID, {"groupSize": 128}),
    (OF_INT4, A2, INVALID, {"out": Meta((3, 256))}), (OF_INT4, A2, INVALID, {"out": Meta((4, 256), B16)}),
    (OF_INT4, A2, INVALID, {"x1": Meta((3, 1022), I4)}), (OF_INT4, A2, INVALID, {"transposeX1": True}),
    (OF_INT4, A2, INVALID, {"x1": Meta((1, 3, 1024), I4), "out": Meta((1, 3, 256), B16)}),
    (OF_INT4, A2, INVALID, {"x1": Meta((0, 1024), I4), "x1Scale": f32(0, 1), "out": Meta((0, 256), B16)}),
    (MIXED, A2, INVALID, {"x1Scale": f32(4)}), (MIXED, A2, INVALID, {"yOffset": f32(4)}),
    (SHARED, A950, INVALID, {"x1Scale": Meta((3, 1, 2), E8)}),
    (SHARED, A950, INVALID, {"x2Scale": Meta((5, 2, 2), E8)}),
    (SHARED, A950, INVALID, {"groupSize": 64}), (SHARED, A950, INVALID, {"bias": f32(4)}),
    (SHARED, A950, INVALID, {"bias": Meta((5,), H)}), (SHARED, A950, INVALID, {"out": Meta((4, 5), H)}),
    (SHARED, A950, INVALID, {"x1": Meta((3, 71), E4)}), (SHARED, A950, INVALID, {"x1Scale": f32(3, 2, 2)}),
    (SHARED, A950, INVALID, {"x1": Meta((2, 3, 72), E4), "x2": Meta((3, 72, 5), E4), "x1Scale": Meta((2, 3, 2, 2), E8),
     "x2Scale": Meta((3, 2, 5, 2), E8), "out": Meta((2, 3, 5), H)}),
    (OF_ROWS, A950, INVALID, {"x1Scale": f32(4)}), (OF_ROWS, A950, INVALID, {"x2Scale": f32(4)}),
    (OF_ROWS, A950, INVALID, {"x1Scale": None}), (PACKED, A950, INVALID, {"x1Scale": f32(3)}),
    (OF_BLOCKS, A950, INVALID, {"x1Scale": f32(3, 1)}), (OF_BLOCKS, A950, INVALID, {"x2Scale": f32(2, 1)}),
    (OF_BLOCKS, A950, INVALID, {"x1Scale": f32(3)}), (OF_BLOCKS, A950, INVALID, {"groupSize": 128}),
    (BESIDE, A950, INVALID, {"bias": Meta((1, 15), H)}), (BESIDE, A950, INVALID, {"groupSize": 0}),
    (BESIDE, A950, NULL, {"yOffset": f32(16)}),
])  # fmt: skip
def test_refused(good: dict[str, Any], soc: str, status: int, changes: dict[str, Any]) -> None:
    names = ("x1", "x2", "x1Scale", "x2Scale", *FIFTH, "out")
    good = {name: good[name] for name in names}
    assert answer(V5, good, {}, soc).status == ACL_SUCCESS
    assert answer(V5, good, changes, soc).status == status


# floats


def floats(*shape: int, dtype: int) -> np.ndarray:
    """Numbers of this data type."""
    drawn = np.random.default_rng(dtype).integers(0, 16, shape)
    if dtype in MAGNITUDES:
        return np.where(drawn & 8, -1.0, 1.0) * np.array(MAGNITUDES[dtype])[drawn & 7]
    return ((drawn - 7.5) / 4).astype(numpy_dtype(dtype)).astype(np.float64)


def powers(*shape: int) -> np.ndarray:
    return 2.0 ** (np.arange(np.prod(shape)) % 5 - 2).reshape(shape)


def spread(scales: np.ndarray, axis: int, length: int) -> np.ndarray:
    """The scale of each element: pairs lie in the last dimension."""
    flat = np.moveaxis(scales, -1, axis + 1).reshape(*scales.shape[:axis], -1, *scales.shape[axis + 1 : -1])
    return np.repeat(flat, 32, axis).take(range(length), axis)


def shared_product(x1: int, x2: int, turned: tuple[bool, bool], k: int = 72, **options: Any) -> tuple[Any, np.ndarray]:
    """The arguments up to out of a product with shared scales, and its exact result."""
    shapes = [(k, 4) if turned[0] else (4, k), (6, k) if turned[1] else (k, 6)]
    axes = [0 if turned[0] else 1, 1 if turned[1] else 0]
    values = [floats(*shape, dtype=dtype) for shape, dtype in zip(shapes, (x1, x2), strict=True)]
    scales = [powers(*(-(-k // 64) if at == axis else size for at, size in enumerate(shape)), 2)
              for shape, axis in zip(shapes, axes, strict=True)]  # fmt: skip
    wide = [each * spread(scale, axis, k) for each, scale, axis in zip(values, scales, axes, strict=True)]
    left, right = (each.T if flag else each for each, flag in zip(wide, turned, strict=True))
    narrow = [Narrow(each, dtype) for each, dtype in zip((*values, *scales), (x1, x2, E8, E8), strict=True)]
    return narrow, left @ right


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("x1", "x2"), [(E4, E4), (E5, E4), (FP4, FP4)])
def test_shared_scales(x1: int, x2: int, turned: tuple[bool, bool]) -> None:
    narrow, exact = shared_product(x1, x2, turned)
    bias = np.arange(6, dtype=np.float32)
    for size in (0, 4295032864):
        found = launched("aclnnQuantMatmulV5", *narrow, None, None, None, None, bias, *turned, size,
                         Narrow.out((4, 6), ACL_FLOAT))[-1]  # fmt: skip
        np.testing.assert_array_equal(found, exact + bias)


def test_a_weight_of_4_bits_beside_8() -> None:
    narrow, exact = shared_product(E4, FP4, (False, True), 128)
    bias = Narrow(np.arange(6.0)[None], H)
    found = launched("aclnnQuantMatmulV5", *narrow, None, None, None, None, bias, False, True, 32,
                     Narrow.out((4, 6), H))[-1]  # fmt: skip
    np.testing.assert_array_equal(found, (exact + np.arange(6)).astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("turned", [(False, False), (True, True)])
def test_scales_of_rows_and_columns(turned: tuple[bool, bool]) -> None:
    a, b = floats(4, 40, dtype=E4), floats(40, 6, dtype=E5)
    rows, columns = powers(4).astype(np.float32), powers(6).astype(np.float32)
    factors = [Narrow(each.T.copy() if flag else each, dtype)
               for each, flag, dtype in zip((a, b), turned, (E4, E5), strict=True)]  # fmt: skip
    for left, right in ((rows, columns), (rows[:1], columns[:1]), (None, words(columns)), (None, words(columns[:1]))):
        found = launched("aclnnQuantMatmulV5", *factors, left, right, None, None, None, None, None, *turned, 0,
                         Narrow.out((4, 6), ACL_FLOAT))[-1]  # fmt: skip
        scales = columns if right.size > 1 else columns[:1]
        exact = (a @ b) * scales * (1 if left is None else left[:, None])
        np.testing.assert_array_equal(found, exact)


@pytest.mark.fidelity("forms of aclnnQuantMatmulV5")
@pytest.mark.parametrize("rows", [1, 128])
def test_scales_of_blocks(rows: int) -> None:
    """Blocks at the edges may be short."""
    a, b = floats(2, 130, 200, dtype=E4), floats(2, 200, 136, dtype=E4)
    left, right = powers(2, -(-130 // rows), 2).astype(np.float32), powers(2, 2, 2).astype(np.float32)
    exact = (a * np.repeat(np.repeat(left, rows, 1)[:, :130], 128, 2)[..., :200]) @ (
        b * np.repeat(np.repeat(right, 128, 1)[:, :200], 128, 2)[..., :136]
    )
    found = launched("aclnnQuantMatmulV5", Narrow(a, E4), Narrow(b, E4), left, right, *(None,) * 5, False, False,
                     ONE_BY_128 if rows == 1 else SQUARES, Narrow.out((2, 130, 136), ACL_FLOAT))[-1]  # fmt: skip
    np.testing.assert_array_equal(found, exact)


@pytest.mark.parametrize("dtype", [E4, FP4])
def test_a_weight_in_fractal_nz(dtype: int) -> None:
    x1 = Narrow(floats(4, 64, dtype=dtype), dtype)
    w, scales = floats(64, 64, dtype=dtype), (powers(4, 1, 2), powers(1, 64, 2))
    exact = (x1.values * spread(scales[0], 1, 64)) @ (w * spread(scales[1], 0, 64))
    columns = 64 if dtype == FP4 else 32
    blocks = Narrow(blocks_by_hand(w, columns), dtype)
    with board(soc=A950) as machine:
        machine.allow("format-mismatch", reason="the test lays out the weight")
        address = filled(np.zeros((4, 64), np.float32))
        weight = tensor(filled(blocks.stored()), w.shape, dtype, format=ACL_FORMAT_FRACTAL_NZ,
                        storage=blocks.values.shape)  # fmt: skip
        small = [tensor(filled(Narrow(each, E8).stored()), each.shape, E8) for each in scales]
        launch("aclnnQuantMatmulWeightNz", tensor(filled(x1.stored()), (4, 64), dtype), weight, *small, *(None,) * 5,
               False, False, 0, tensor(address, (4, 64), ACL_FLOAT))  # fmt: skip
        np.testing.assert_array_equal(fetched(address, (4, 64), np.float32), exact)
