"""aclnnQuantMatmulV3, V4 and V5: products of INT8 and INT4 that are scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from aclnn import (
    aclnnQuantMatmulV3GetWorkspaceSize,
    aclnnQuantMatmulV4GetWorkspaceSize,
    aclnnQuantMatmulV5GetWorkspaceSize,
)
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta, f32
from tests.helpers.builders import plan
from tests.helpers.machines import board
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused, made
from tests.helpers.weights import fetched, filled, laid_out, launch, tensor

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
V3, V4 = aclnnQuantMatmulV3GetWorkspaceSize, aclnnQuantMatmulV4GetWorkspaceSize


def i8(*shape: int) -> Meta:
    return Meta(shape, ACL_INT8)


PLAIN: dict[str, Any] = {
    "x1": i8(3, 8), "x2": i8(8, 4), "scale": Meta((4,), ACL_INT64), "offset": f32(4), "bias": Meta((4,), ACL_INT32),
    "transposeX1": False, "transposeX2": False, "out": i8(3, 4),
}  # fmt: skip
ROWS: dict[str, Any] = {
    "x1": i8(3, 8), "x2": i8(8, 4), "scale": f32(4), "offset": None, "pertokenScaleOptional": f32(3), "bias": f32(4),
    "transposeX1": False, "transposeX2": False, "out": Meta((3, 4), ACL_BF16),
}  # fmt: skip
MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x1", "x2", "scale", "out")),
    Mistake("rank of x2", INVALID, "x2", x2=i8(8)),
    Mistake("rank of x1", INVALID, "x1", x1=i8(8)),
    Mistake("rank of out", INVALID, "out", out=i8(12)),
    Mistake("rank of scale", INVALID, "scale", scale=Meta((1, 4), ACL_INT64)),
    Mistake("type of offset", INVALID, "offset", offset=Meta((4,), ACL_INT32)),
    Mistake("types", INVALID, "x1", bias=f32(4)),
    Mistake("inner size", INVALID, "x1", x1=i8(3, 9)),
    Mistake("shape of scale", INVALID, "scale", scale=Meta((3,), ACL_INT64)),
    Mistake("shape of offset", INVALID, "offset", offset=f32(3)),
    Mistake("batches", INVALID, "x1", x1=i8(2, 3, 8), x2=i8(3, 8, 4), out=i8(2, 3, 4)),
    Mistake("shape of bias", INVALID, "bias", bias=Meta((3,), ACL_INT32)),
    Mistake("shape of out", INVALID, "out", out=i8(4, 3)),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    assert answer(V3, PLAIN).status == answer(V4, ROWS).status == ACL_SUCCESS
    for mistake in MISTAKES:
        assert_refused(V3, PLAIN, mistake)
    assert_order(V3, PLAIN, [each for each in MISTAKES if each.rule != "types"])
    assert_refused(V4, ROWS, Mistake("", INVALID, "pertokenScaleOptional", pertokenScaleOptional=f32(4)))
    assert_refused(V4, ROWS, Mistake("", INVALID, "x1", x1=i8(0, 8), pertokenScaleOptional=f32(0),
                                     out=Meta((0, 4), ACL_BF16)))  # fmt: skip


def test_int4_and_long_dimensions() -> None:
    int4 = {
        "x1": Meta((3, 8), ACL_INT4),
        "x2": Meta((8, 4), ACL_INT4),
        "offset": None,
        "out": Meta((3, 4), ACL_FLOAT16),
    }
    assert answer(V3, PLAIN, int4).status == ACL_SUCCESS
    assert answer(V3, PLAIN, int4 | {"x1": Meta((8, 3), ACL_INT4), "transposeX1": True}).status == INVALID
    assert answer(V3, PLAIN, int4, INFERENCE).status == ACLNN_ERR_RUNTIME_ERROR
    long = {"x1": i8(3, 65536), "x2": i8(65536, 4)}
    assert answer(V3, PLAIN, long).status == INVALID
    assert answer(V4, ROWS, long, A2).status == ACL_SUCCESS, "lifted for FLOAT scales of columns and rows"


def test_a_result_without_rows_on_950() -> None:
    none = {"x1": i8(0, 8), "out": i8(0, 4), "scale": Meta((7,), ACL_BOOL)}
    found = answer(V3, PLAIN, none, A950)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
    assert answer(V3, PLAIN, none, A2).status == INVALID


HALF, F32, I32, B16 = ACL_FLOAT16, ACL_FLOAT, ACL_INT32, ACL_BF16


@pytest.mark.parametrize(("scale", "bias", "rows", "out", "good"), [
    (ACL_UINT64, I32, False, HALF, True), (ACL_UINT64, None, False, ACL_INT8, True), (F32, F32, False, B16, True),
    (B16, B16, True, B16, True), (F32, HALF, True, HALF, True), (F32, I32, False, I32, True),
    (F32, None, False, HALF, False), (B16, None, True, HALF, False), (ACL_UINT64, F32, False, HALF, False),
    (F32, F32, False, I32, False), (ACL_UINT64, None, True, HALF, False), (F32, HALF, True, B16, False),
])  # fmt: skip
def test_the_table_of_data_types(scale: int, bias: int | None, rows: bool, out: int, good: bool) -> None:
    changes = {"scale": Meta((4,), scale), "bias": bias if bias is None else Meta((4,), bias), "out": Meta((3, 4), out),
               "pertokenScaleOptional": f32(3) if rows else None}  # fmt: skip
    assert answer(V4, ROWS, changes).status == (ACL_SUCCESS if good else INVALID)


# results


def given(values: Any, dtype: int | None = None, **options: Any) -> Any:
    if values is None:
        return None
    return tensor(filled(values), values.shape, dtype or data_type_of(values.dtype), **options)


def computed(x1: Any, x2: Any, scale: Any, out: Any, *, offset: Any = None, rows: Any = None, bias: Any = None,
             turned: tuple[bool, bool] = (False, False), shape: Any = None) -> np.ndarray:  # fmt: skip
    """By V4 with scales of rows, else by V3. `x1` and `x2`: arrays, or tensors."""
    factors = [given(each) if isinstance(each, np.ndarray) else each for each in (x1, x2)]
    address = filled(np.zeros(shape, out))
    optional = () if rows is None else (given(rows),)
    launch(f"aclnnQuantMatmulV{3 if rows is None else 4}", *factors, given(scale), given(offset), *optional,
           given(bias), *turned, tensor(address, shape, data_type_of(np.dtype(out))))  # fmt: skip
    return fetched(address, shape, out)


def integers(*shape: int, seed: int = 0, top: int = 128) -> np.ndarray:
    return np.random.default_rng(seed).integers(-top, top, shape).astype(np.int8)


def packed(scale: np.ndarray, offset: int = 0) -> np.ndarray:
    bits = scale.astype(np.float32).view(np.uint32).astype(np.uint64)
    return bits | np.uint64(1 << 46) | np.uint64((offset & 0x1FF) << 37)


A, B = integers(3, 40), integers(40, 6, seed=1)
WHOLE = A.astype(np.int64) @ B.astype(np.int64)
SCALE = (2.0 ** np.arange(-14, -8)).astype(np.float32)
BIAS = np.arange(-3, 3, dtype=np.int32) * 1000


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_scales_of_columns_and_rows(turned: tuple[bool, bool]) -> None:
    x1, x2 = (each.T.copy() if flag else each for each, flag in zip((A, B), turned, strict=True))
    rows = np.array([1, 0.5, -2], np.float32)
    with board():
        found = computed(x1, x2, packed(SCALE), np.float16, bias=BIAS, turned=turned, shape=(3, 6))
        assert found.tolist() == ((WHOLE + BIAS) * SCALE).astype(np.float16).tolist()
        found = computed(x1, x2, SCALE, bfloat16, rows=rows, bias=SCALE, turned=turned, shape=(3, 6))
        exact = (WHOLE * SCALE).astype(np.float32) * rows[:, None] + SCALE
        assert found.tolist() == exact.astype(bfloat16).tolist()
        found = computed(x1, x2, SCALE, np.float16, rows=rows, bias=BIAS, turned=turned, shape=(3, 1, 6))
        assert found[:, 0].tolist() == ((WHOLE + BIAS) * SCALE * rows[:, None]).astype(np.float16).tolist()


@pytest.mark.fidelity("the INT8 result of aclnnQuantMatmulV3 and V4")
def test_a_quantised_result() -> None:
    """Half to even, saturated; the offset is a tensor, or what the packed scale has."""
    x1, x2 = np.array([[1, 2]], np.int8), np.array([[1, 3, 100, -100], [0, 1, 100, -100]], np.int8)
    half = np.full(4, 0.5, np.float32)
    with board():
        assert computed(x1, x2, packed(half), np.int8, shape=(1, 4)).tolist() == [[0, 2, 127, -128]]
        found = computed(x1, x2, packed(half), np.int8, offset=np.full(4, -1, np.float32), shape=(1, 4))
        assert found.tolist() == [[0, 2, 127, -128]], "-0.5, 1.5"
        assert computed(x1, x2, packed(half, -3), np.int8, shape=(1, 4)).tolist() == [[-2, 0, 127, -128]]


def test_an_int32_result_is_not_scaled() -> None:
    with board():
        found = computed(A, B, SCALE, np.int32, bias=BIAS, shape=(3, 6))
        assert found.tolist() == (WHOLE + BIAS).tolist()


def test_batches_and_a_bias_for_each() -> None:
    x1, bias = np.stack([A, -A // 2]), np.stack([BIAS[None], 2 * BIAS[None]])
    with board():
        found = computed(x1, B[None], packed(SCALE[:1]), np.float16, bias=bias, shape=(2, 3, 6))
        exact = (x1.astype(np.int64) @ B.astype(np.int64) + bias) * SCALE[0]
        assert found.tolist() == exact.astype(np.float16).tolist()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", [ACL_INT4, ACL_INT32])
def test_int4(kind: int, turned: bool) -> None:
    a, b = integers(3, 40, top=8), integers(40, 8, seed=1, top=8)
    scale = np.full(8, 0.25, np.float32)

    def factor(values: np.ndarray) -> Any:
        pairs = (values[:, 0::2] & 15 | values[:, 1::2] << 4).astype(np.uint8)
        shape = values.shape if kind == ACL_INT4 else (values.shape[0], values.shape[1] // 8)
        return tensor(filled(pairs), shape, kind)

    with board():
        found = computed(factor(a), factor(b.T.copy() if turned else b), packed(scale), np.float16,
                         turned=(False, turned), shape=(3, 8))  # fmt: skip
        assert found.tolist() == (a.astype(int) @ b.astype(int) / 4).tolist()


def test_a_weight_in_fractal_nz() -> None:
    with board():
        weight = tensor(laid_out(B), B.shape, ACL_INT8, format=ACL_FORMAT_FRACTAL_NZ)
        found = computed(A, weight, SCALE, np.int32, shape=(3, 6))
        assert found.tolist() == WHOLE.tolist()


# the fifth version

V5 = aclnnQuantMatmulV5GetWorkspaceSize
FIFTH: dict[str, Any] = {
    "x1": i8(3, 8), "x2": i8(8, 4), "x1Scale": None, "x2Scale": Meta((4,), ACL_INT64), "yScale": None,
    "x1Offset": None, "x2Offset": f32(4), "yOffset": None, "bias": Meta((4,), ACL_INT32), "transposeX1": False,
    "transposeX2": False, "groupSize": 0, "out": i8(3, 4),
}  # fmt: skip
OTHER_FORM = {"x1": Meta((3, 64), ACL_FLOAT8_E4M3FN), "x2": Meta((16, 64), ACL_FLOAT4_E2M1), "x1Scale": None,
              "x2Scale": Meta((16, 2), ACL_BF16), "yScale": Meta((1, 16), ACL_UINT64), "x2Offset": None, "bias": None,
              "transposeX2": True, "groupSize": 32, "out": Meta((3, 16), ACL_FLOAT16)}  # fmt: skip


def test_the_fifth_version_refuses_as_the_fourth() -> None:
    renamed = {"scale": "x2Scale", "offset": "x2Offset"}
    for mistake in MISTAKES:
        changes = {renamed.get(name, name): value for name, value in mistake.changes.items()}
        name = renamed.get(mistake.parameter, mistake.parameter)
        assert_refused(V5, FIFTH, Mistake(mistake.rule, mistake.status, name, **changes))
    rows = {"x2Scale": f32(4), "x1Scale": f32(3), "x2Offset": None, "bias": f32(4), "out": Meta((3, 4), ACL_BF16)}
    assert answer(V5, FIFTH, rows).status == ACL_SUCCESS
    assert_refused(V5, FIFTH, Mistake("", INVALID, "x1Scale", **{**rows, "x1Scale": f32(4)}))
    assert answer(V5, FIFTH, {"x1": i8(3, 65536), "x2": i8(65536, 4)}).status == INVALID
    int4 = {"x1": Meta((3, 8), ACL_INT4), "x2": Meta((8, 4), ACL_INT4), "x2Offset": None, "out": Meta((3, 4), HALF)}
    assert answer(V5, FIFTH, int4).status == ACL_SUCCESS
    assert answer(V5, FIFTH, int4, INFERENCE).status == ACLNN_ERR_RUNTIME_ERROR
    assert answer(V5, FIFTH, int4 | {"x1": Meta((8, 3), ACL_INT4), "transposeX1": True}).status == INVALID


def test_tensors_of_other_forms_are_161001() -> None:
    for name in ("yScale", "x1Offset", "yOffset"):
        assert_refused(V5, FIFTH, Mistake("", NULL, name, **{name: f32(4)}))
        assert answer(V5, FIFTH, {name: f32(0)}).status == ACL_SUCCESS
    nz = Meta((32, 32), ACL_INT8, ACL_FORMAT_FRACTAL_NZ, storage=(1, 2, 16, 32))
    assert_refused(V5, FIFTH, Mistake("", INVALID, "x2", x2=nz), A950)
    none = {"x1": i8(0, 8), "out": i8(0, 4)}
    assert answer(V5, FIFTH, none, A950).status == ACL_SUCCESS
    assert answer(V5, FIFTH, none, A2).status == INVALID


@pytest.mark.fidelity("forms of aclnnQuantMatmulV5")
def test_groups_of_floats_of_4_bits_have_no_kernel() -> None:
    assert answer(V5, FIFTH, OTHER_FORM, A950).status == ACL_SUCCESS
    with board(soc=A950, catalogued="plan"):
        found = plan(V5, *map(made, {**FIFTH, **OTHER_FORM}.values()))
        assert found.status == ACLNN_ERR_INNER_FIND_KERNEL_ERROR
