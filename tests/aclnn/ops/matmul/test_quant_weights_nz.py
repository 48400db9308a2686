"""aclnnQuantMatmulWeightNz and aclnnWeightQuantBatchMatmulNz: quantised weights in FRACTAL_NZ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from aclnn import *
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta, f16, f32
from tests.helpers.machines import board
from tests.helpers.refusals import Mistake, answer, assert_in_order, assert_refused
from tests.helpers.weights import blocks_by_hand, fetched, filled, in_blocks, launch, tensor

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST = aclnnQuantMatmulWeightNzGetWorkspaceSize
NZ = ACL_FORMAT_FRACTAL_NZ


def i8(*shape: int) -> Meta:
    return Meta(shape, ACL_INT8)


def weight(*shape: int, dtype: int = ACL_INT8, columns: int = 32) -> Meta:
    *batch, k, n = shape
    return Meta(shape, dtype, NZ, storage=(*batch, -(-n // columns), -(-k // 16), 16, columns))


GOOD: dict[str, Any] = {
    "x1": i8(3, 32), "x2": weight(32, 48), "x1Scale": None, "x2Scale": Meta((48,), ACL_INT64), "yScale": None,
    "x1Offset": None, "x2Offset": f32(48), "yOffset": None, "bias": Meta((48,), ACL_INT32), "transposeX1": False,
    "transposeX2": False, "groupSize": 0, "out": i8(3, 48),
}  # fmt: skip
ROWS = {"x1Scale": f32(3), "x2Scale": f32(48), "x2Offset": None, "bias": f32(48), "out": Meta((3, 48), ACL_BF16)}


def test_mistakes_are_refused_in_order() -> None:
    mistakes = [
        *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x1", "x2", "x2Scale", "out")),
        Mistake("x2 in ND", INVALID, "x2", x2=i8(32, 48)),
        *(Mistake(f"{name} of another form", INVALID, name, **{name: f32(4)})
          for name in ("yScale", "x1Offset", "yOffset")),
        Mistake("type of x1", INVALID, "x1", x1=Meta((3, 32), ACL_INT16)),
        Mistake("type of x2Scale", INVALID, "x2Scale", x2Scale=Meta((48,), ACL_INT16)),
        Mistake("rank of x1", INVALID, "x1", x1=i8(32)),
        Mistake("type of offset", INVALID, "x2Offset", x2Offset=Meta((48,), ACL_INT32)),
        Mistake("inner size", INVALID, "x1", x1=i8(3, 33)),
        Mistake("shape of offset", INVALID, "x2Offset", x2Offset=f32(3)),
        Mistake("shape of bias", INVALID, "bias", bias=Meta((3,), ACL_INT32)),
        Mistake("shape of out", INVALID, "out", out=i8(4, 48)),
    ]  # fmt: skip
    assert_in_order(FIRST, GOOD, mistakes)
    small = Meta((32, 48), ACL_INT8, NZ, storage=(1, 2, 16, 32))
    assert_refused(FIRST, GOOD, Mistake("a small storage", INVALID, "x2", x2=small))
    assert answer(FIRST, GOOD, ROWS).status == ACL_SUCCESS
    assert_refused(FIRST, GOOD, Mistake("rows", INVALID, "x1Scale", **{**ROWS, "x1Scale": f32(4)}))
    long = {"x1": i8(3, 65536), "x2": weight(65536, 48)}
    assert_refused(FIRST, GOOD, Mistake("long", INVALID, "x1", **long))
    batches = {"x1": i8(2, 3, 32), "x2": weight(3, 32, 48), "out": i8(2, 3, 48)}
    assert_refused(FIRST, GOOD, Mistake("batches", INVALID, "x1", **batches))


def test_int4_and_empty_products() -> None:
    int4 = {
        "x1": Meta((3, 64), ACL_INT4), "x2": weight(64, 64, dtype=ACL_INT4, columns=64), "x2Offset": None, "bias": None,
        "x2Scale": Meta((64,), ACL_INT64), "out": f16(3, 64),
    }  # fmt: skip
    assert answer(FIRST, GOOD, int4).status == ACL_SUCCESS
    assert answer(FIRST, GOOD, int4, INFERENCE).status == ACLNN_ERR_RUNTIME_ERROR
    turned = {"transposeX1": True, "x1": Meta((64, 4), ACL_INT4), "out": f16(4, 64)}
    assert answer(FIRST, GOOD, int4 | turned).status == INVALID
    none = {"x1": i8(0, 32), "out": i8(0, 48)}
    assert answer(FIRST, GOOD, none, A950).status == ACL_SUCCESS
    assert answer(FIRST, GOOD, none, A2).status == INVALID


def integers(*shape: int, top: int = 128) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(-top, top, shape).astype(np.int8)


def given(values: np.ndarray | None) -> Any:
    return None if values is None else tensor(filled(values), values.shape, data_type_of(values.dtype))


def packed_nz(values: np.ndarray, kind: int) -> Any:
    """INT4 values in FRACTAL_NZ. INT32 has eight of them, so that a row of a block is 64 values for both."""
    blocks = blocks_by_hand(values, 64)
    memory = (blocks[..., 0::2] & 15 | blocks[..., 1::2] << 4).astype(np.uint8)
    last = 1 if kind == ACL_INT4 else 8
    shape, storage = (values.shape[0], values.shape[1] // last), (*blocks.shape[:-1], 64 // last)
    return tensor(filled(memory), shape, kind, format=NZ, storage=storage)


@pytest.mark.parametrize("turned", [False, True])
def test_int8(turned: bool) -> None:
    a, b = integers(3, 40), integers(40, 48)
    scale, rows = np.full(48, 0.5, np.float32), np.array([1, 2, 4], np.float32)
    with board():
        address = filled(np.zeros((3, 48), np.float16))
        launch("aclnnQuantMatmulWeightNz", given(a), in_blocks(b.T.copy() if turned else b).handle, given(rows),
               given(scale / 1024), None, None, None, None, None, False, turned, 0,
               tensor(address, (3, 48), ACL_FLOAT16))  # fmt: skip
        exact = (a.astype(int) @ b.astype(int)) * rows[:, None] / 2048
        np.testing.assert_array_equal(fetched(address, (3, 48), np.float16), exact.astype(np.float16))


BY_HAND = "the test lays out the weight, which no operator does for INT4"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", [ACL_INT4, ACL_INT32])
def test_int4(kind: int, turned: bool) -> None:
    a, b = integers(3, 64, top=8), integers(64, 128, top=8)
    pairs = (a[:, 0::2] & 15 | a[:, 1::2] << 4).astype(np.uint8)
    with board() as machine:
        machine.allow("format-mismatch", reason=BY_HAND)
        address = filled(np.zeros((3, 128), np.float16))
        scale = np.full(128, 0.25, np.float32).view(np.uint32).astype(np.uint64)
        launch("aclnnQuantMatmulWeightNz", tensor(filled(pairs), a.shape, ACL_INT4),
               packed_nz(b.T.copy() if turned else b, kind), None, given(scale), None, None, None, None, None, False,
               turned, 0, tensor(address, (3, 128), ACL_FLOAT16))  # fmt: skip
        np.testing.assert_array_equal(fetched(address, (3, 128), np.float16), a.astype(int) @ b.astype(int) / 4)


# weights that are quantised

WEIGHT = aclnnWeightQuantBatchMatmulNzGetWorkspaceSize
QUANTISED: dict[str, Any] = {
    "x": f16(2, 64), "weight": weight(64, 32), "antiquantScale": f16(2, 32), "antiquantOffsetOptional": f16(2, 32),
    "quantScaleOptional": None, "quantOffsetOptional": None, "biasOptional": f16(32), "antiquantGroupSize": 32,
    "y": f16(2, 32),
}  # fmt: skip


TURNED = Meta((2, 32), ACL_FLOAT16, strides=(1, 2))


def spaced(meta: Meta) -> Meta:
    """A matrix with gaps between its elements."""
    rows, columns = meta.shape
    return Meta(meta.shape, meta.dtype, strides=(3 * columns, 2), storage=(4 * rows * columns,))


def test_mistakes_with_a_quantised_weight_are_refused_in_order() -> None:
    half = Meta((2, 64), ACL_BF16)
    mistakes = [
        *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x", "weight", "antiquantScale", "y")),
        *(Mistake(f"{name} on Ascend 950", NULL, name, **{name: f32(32)})
          for name in ("quantScaleOptional", "quantOffsetOptional")),
        Mistake("weight in ND", INVALID, "weight", weight=i8(64, 32)),
        Mistake("x with gaps", INVALID, "x", x=spaced(QUANTISED["x"])),
        Mistake("antiquantScale transposed", INVALID, "antiquantScale", antiquantScale=TURNED),
        Mistake("y with gaps", INVALID, "y", y=spaced(QUANTISED["y"])),
        Mistake("bias with gaps", INVALID, "biasOptional",
                biasOptional=Meta((32,), ACL_FLOAT16, strides=(2,), storage=(64,))),
        Mistake("type of y", INVALID, "y", y=f32(2, 32)),
        Mistake("type of antiquantScale", INVALID, "antiquantScale", antiquantScale=Meta((2, 32), ACL_BF16)),
        Mistake("inner size", INVALID, "x", x=f16(2, 65)),
        Mistake("group", INVALID, "antiquantGroupSize", antiquantGroupSize=64),
        Mistake("shape of antiquantOffset", INVALID, "antiquantOffsetOptional", antiquantOffsetOptional=f16(1, 32)),
    ]  # fmt: skip
    assert_in_order(WEIGHT, QUANTISED, mistakes, A950)
    flat = Meta((64, 32), ACL_INT8, NZ, storage=(64, 32))
    assert_refused(WEIGHT, QUANTISED, Mistake("storage", INVALID, "weight", weight=flat), A950)
    gaps = Meta((64, 32), ACL_INT8, NZ, strides=(96, 2), storage=(8192,))
    assert_refused(WEIGHT, QUANTISED, Mistake("weight with gaps", INVALID, "weight", weight=gaps), A950)
    assert_refused(WEIGHT, QUANTISED, Mistake("offset transposed", INVALID, "antiquantOffsetOptional",
                                              antiquantOffsetOptional=TURNED), A950)  # fmt: skip
    odd = {"weight": weight(64, 33, dtype=ACL_INT4, columns=64), "antiquantScale": f16(2, 33), "y": f16(2, 33),
           "antiquantOffsetOptional": None, "biasOptional": None}  # fmt: skip
    assert_refused(WEIGHT, QUANTISED, Mistake("odd", INVALID, "weight", **odd), A950)
    bfloat = {"x": half, "antiquantScale": Meta((2, 32), ACL_BF16), "antiquantOffsetOptional": None,
              "biasOptional": f32(32), "y": Meta((2, 32), ACL_BF16)}  # fmt: skip
    assert answer(WEIGHT, QUANTISED, bfloat, A950).status == ACL_SUCCESS
    assert answer(WEIGHT, QUANTISED, soc=A2).status == ACLNN_ERR_RUNTIME_ERROR


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", [ACL_INT4, ACL_INT32])
def test_a_weight_of_int4(kind: int, turned: bool) -> None:
    x, values = np.random.default_rng(3).integers(-4, 5, (2, 64)).astype(np.float16), integers(64, 128, top=8)
    scale = np.full(128, 0.5, np.float16)
    with board(soc=A950) as machine:
        machine.allow("format-mismatch", reason=BY_HAND)
        lying = values.T.copy() if turned else values
        made = packed_nz(lying, kind)
        if turned:  # a transposed view of what lies in memory
            last = 1 if kind == ACL_INT4 else 8
            shape, blocks = (64 // last, 128), (64 // 64, 128 // 16, 16, 64 // last)
            memory = blocks_by_hand(lying, 64)
            memory = (memory[..., 0::2] & 15 | memory[..., 1::2] << 4).astype(np.uint8)
            made = tensor(filled(memory), shape, kind, format=NZ, storage=blocks, strides=(1, 64 // last))
        address = filled(np.zeros((2, 128), np.float16))
        launch("aclnnWeightQuantBatchMatmulNz", given(x), made, given(scale), None, None, None, None, 0,
               tensor(address, (2, 128), ACL_FLOAT16))  # fmt: skip
        exact = x.astype(float) @ (values * 0.5)
        np.testing.assert_array_equal(fetched(address, (2, 128), np.float16), exact.astype(np.float16))


@pytest.mark.parametrize("dtype", [ACL_FLOAT, ACL_FLOAT4_E2M1])
def test_a_weight_of_floats_has_no_kernel(dtype: int) -> None:
    changes = {"weight": weight(64, 32, dtype=dtype, columns=8 if dtype == ACL_FLOAT else 64)}
    found = answer(WEIGHT, QUANTISED, changes, A950)
    assert found.status == ACL_SUCCESS, found.text
