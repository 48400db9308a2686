"""aclnnWeightQuantBatchMatmulV2 and V3: a quantised weight, dense or transposed, in one or several groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from aclnn import aclnnWeightQuantBatchMatmulV2GetWorkspaceSize, aclnnWeightQuantBatchMatmulV3GetWorkspaceSize
from tests.aclnn.ops.case import A2, A950, INFERENCE, TRAINING, Meta, f16, f32
from tests.helpers.machines import board
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused
from tests.helpers.weights import fetched, filled, laid_out, launch, tensor

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
FIRST = aclnnWeightQuantBatchMatmulV2GetWorkspaceSize
GOOD: dict[str, Any] = {
    "x": f16(2, 64), "weight": Meta((64, 4), ACL_INT8), "antiquantScale": f16(2, 4),
    "antiquantOffsetOptional": f16(2, 4), "quantScaleOptional": Meta((4,), ACL_UINT64), "quantOffsetOptional": f32(4),
    "biasOptional": f16(4), "antiquantGroupSize": 32, "y": Meta((2, 4), ACL_INT8),
}  # fmt: skip


def spaced(meta: Meta) -> Meta:
    """With gaps between its elements."""
    strides = [2]
    for size in meta.shape[:0:-1]:
        strides.insert(0, strides[0] * size)
    return Meta(meta.shape, meta.dtype, strides=tuple(strides), storage=(2 * int(np.prod(meta.shape)),))


MISTAKES = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("x", "weight", "antiquantScale", "y")),
    *(Mistake(f"{name} with gaps", INVALID, name, **{name: spaced(GOOD[name])})
      for name in ("x", "weight", "antiquantScale", "antiquantOffsetOptional", "y", "quantScaleOptional",
                   "quantOffsetOptional", "biasOptional")),
    Mistake("type of x", INVALID, "x", x=f32(2, 64)),
    Mistake("type of weight", INVALID, "weight", weight=Meta((64, 4), ACL_UINT8)),
    Mistake("type of antiquantScale", INVALID, "antiquantScale", antiquantScale=f32(2, 4)),
    Mistake("type of y", INVALID, "y", y=f16(2, 4)),
    Mistake("rank of x", INVALID, "x", x=f16(1, 2, 64)),
    Mistake("rank of weight", INVALID, "weight", weight=Meta((256,), ACL_INT8)),
    Mistake("rank of y", INVALID, "y", y=Meta((8,), ACL_INT8)),
    Mistake("scale of another type", INVALID, "antiquantScale", antiquantScale=Meta((2, 4), ACL_BF16)),
    Mistake("type of bias", INVALID, "biasOptional", biasOptional=f32(4)),
    Mistake("rank of bias", INVALID, "biasOptional", biasOptional=f16(1, 1, 4)),
    Mistake("offset alone", INVALID, "quantOffsetOptional", quantScaleOptional=None, y=f16(2, 4)),
    Mistake("inner size", INVALID, "x", x=f16(2, 65)),
    Mistake("empty", INVALID, "x", x=f16(0, 64)),
    Mistake("too long", INVALID, "x", x=f16(2, 65536), weight=Meta((65536, 4), ACL_INT8)),
    Mistake("shape of y", INVALID, "y", y=Meta((4, 2), ACL_INT8)),
    *(Mistake(f"group of {g}", INVALID, "antiquantGroupSize", antiquantGroupSize=g) for g in (-32, 16, 33, 64)),
    Mistake("shape of antiquantScale", INVALID, "antiquantScale", antiquantScale=f16(4)),
    Mistake("shape of antiquantOffset", INVALID, "antiquantOffsetOptional", antiquantOffsetOptional=f16(1, 4)),
    Mistake("shape of quantScale", INVALID, "quantScaleOptional", quantScaleOptional=Meta((5,), ACL_UINT64)),
    Mistake("shape of quantOffset", INVALID, "quantOffsetOptional", quantOffsetOptional=f32(2, 4)),
    Mistake("shape of bias", INVALID, "biasOptional", biasOptional=f16(2, 4)),
]  # fmt: skip


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    assert answer(FIRST, GOOD).status == ACL_SUCCESS
    for mistake in MISTAKES:
        assert_refused(FIRST, GOOD, mistake)
    alone = ("offset alone", "too long", "empty")
    ordered = [each for each in MISTAKES if each.rule not in alone and "null" not in each.rule]
    assert_order(FIRST, GOOD, ordered[::2])
    assert_order(FIRST, GOOD, [*MISTAKES[:4], *ordered[1::3]])


def test_the_third_version_has_a_precision() -> None:
    good = {**{name: value for name, value in GOOD.items() if name != "y"}, "innerPrecise": 1, "y": GOOD["y"]}
    assert answer(aclnnWeightQuantBatchMatmulV3GetWorkspaceSize, good).status == ACL_SUCCESS
    found = answer(aclnnWeightQuantBatchMatmulV3GetWorkspaceSize, good, {"innerPrecise": 2})
    assert (found.status, "innerPrecise" in found.text) == (INVALID, True)


@pytest.mark.parametrize("name", ["quantScaleOptional", "quantOffsetOptional"])
@pytest.mark.parametrize("soc", [INFERENCE, A950])
def test_other_products_have_no_quantised_output(name: str, soc: str) -> None:
    """ "On 310P and 950 a non-null quantScale or quantOffset: 161001"."""
    plain = {"quantScaleOptional": None, "quantOffsetOptional": None, "y": f16(2, 4)}
    assert answer(FIRST, GOOD, plain, soc).status == ACL_SUCCESS
    found = answer(FIRST, GOOD, plain | {name: GOOD[name]}, soc)
    assert (found.status, f"parameter: {name}" in found.text) == (NULL, True)


def test_950_takes_no_weight_in_fractal_nz_and_lays_scales_out_as_the_weight() -> None:
    plain = {"quantScaleOptional": None, "quantOffsetOptional": None, "y": f16(2, 4)}
    nz = Meta((64, 4), ACL_INT8, ACL_FORMAT_FRACTAL_NZ)
    assert answer(FIRST, GOOD, plain | {"weight": nz}, A950).status == INVALID
    assert answer(FIRST, GOOD, plain | {"weight": nz}, A2).status == ACL_SUCCESS
    turned = {"weight": Meta((64, 4), ACL_INT8, strides=(1, 64))}
    scales = {name: Meta((2, 4), ACL_FLOAT16, strides=(1, 2)) for name in ("antiquantScale", "antiquantOffsetOptional")}
    assert answer(FIRST, GOOD, plain | turned | scales, A950).status == ACL_SUCCESS
    assert answer(FIRST, GOOD, plain | turned, A950).status == INVALID
    assert answer(FIRST, GOOD, plain | turned, A2).status == ACL_SUCCESS, "strides of the scales are not tested"


@pytest.mark.parametrize(("shape", "strides", "good"), [
    ((64, 3), None, False), ((64, 4), None, True), ((63, 4), (1, 63), False), ((64, 3), (1, 64), True),
    ((64, 1), None, False), ((64, 1), (1, 64), True),
])  # fmt: skip
def test_int4_has_pairs_in_its_dense_dimension(shape: tuple[int, int], strides: Any, good: bool) -> None:
    k, n = shape
    plain = {name: None for name in GOOD if name.endswith("Optional")}
    call = plain | {"x": f16(2, k), "weight": Meta(shape, ACL_INT4, strides=strides), "antiquantScale": f16(n),
                    "antiquantGroupSize": 0, "y": f16(2, n)}  # fmt: skip
    found = answer(FIRST, GOOD, call)
    assert (found.status, "parameter: weight" in found.text) == ((ACL_SUCCESS, False) if good else (INVALID, True))


# results


def by_steps(x: np.ndarray, weight: np.ndarray, scale: np.ndarray, offset: Any = None, group: int = 0) -> np.ndarray:
    """The product with the weight as the cube unit gets it: in FLOAT16 each step is rounded, in BFLOAT16 the last."""
    k, _ = weight.shape
    spread = [None if each is None else np.repeat(np.atleast_2d(each), group or k, 0)[:k] for each in (scale, offset)]
    wide = weight.astype(np.float32)
    if spread[1] is not None:
        wide = wide + spread[1].astype(np.float32)
        wide = wide.astype(np.float16).astype(np.float32) if x.dtype == np.float16 else wide
    wide = (wide * spread[0].astype(np.float32)).astype(x.dtype)
    return x.astype(float) @ wide.astype(float)


def packed(values: np.ndarray) -> np.ndarray:
    """Two values a byte, the first in the low four bits, along the last dimension."""
    return (values[..., 0::2] & 15 | values[..., 1::2] << 4).astype(np.uint8)


def computed(x: np.ndarray, weight: np.ndarray, scale: np.ndarray, *, group: int = 0, kind: int = ACL_INT8,
             turned: bool = False, bias: Any = None, offset: Any = None, quant: Sequence[Any] = (None, None),
             version: int = 2) -> np.ndarray:  # fmt: skip
    """The result on memory as a program has it: a transposed weight is a view of its dense transpose."""

    def small(values: Any, *, like_weight: bool = False) -> Any:
        if values is None:
            return None
        if like_weight and turned and values.ndim == 2:
            view = values.T.copy()
            return tensor(filled(view), values.shape, data_type_of(view.dtype), strides=(1, values.shape[0]))
        return tensor(filled(values), values.shape, data_type_of(values.dtype))

    lying = weight.T.copy() if turned else weight
    memory = lying if kind == ACL_INT8 else packed(lying)
    shape, strides = list(weight.shape), (1, weight.shape[0]) if turned else None
    if kind == ACL_INT32:
        shape[0 if turned else 1] //= 8
        strides = (1, shape[0]) if turned else None
    y = np.empty((len(x), weight.shape[1]), x.dtype if quant[0] is None else np.int8)
    out = filled(y)
    launch(
        f"aclnnWeightQuantBatchMatmulV{version}", tensor(filled(x), x.shape, data_type_of(x.dtype)),
        tensor(filled(memory), shape, kind, strides=strides), small(scale, like_weight=True),
        small(offset, like_weight=True), *map(small, quant), small(bias), group, *((1,) if version == 3 else ()),
        tensor(out, y.shape, data_type_of(y.dtype)),
    )  # fmt: skip
    return fetched(out, y.shape, y.dtype)


def near(found: np.ndarray, wanted: np.ndarray) -> bool:
    step = 2.0**-8 if found.dtype == bfloat16 else 2.0**-11
    return bool((np.abs(found.astype(float) - wanted) <= step * np.abs(wanted) * 1.01 + 1e-5).all())


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("turned", [False, True], ids=["dense", "transposed"])
@pytest.mark.parametrize("kind", [ACL_INT8, ACL_INT4, ACL_INT32], ids=["int8", "int4", "int32"])
@pytest.mark.parametrize("group", [0, 32, 64])
@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_weights_in_every_layout(dtype: Any, group: int, kind: int, turned: bool, version: int) -> None:
    """ggml has Q8_0 and Q4_0 as transposed views with groups of 32. The last group may be shorter."""
    rng = np.random.default_rng([group, kind])
    k, n = 152, 16
    weight = rng.integers(-8, 8, (k, n), np.int8) if kind != ACL_INT8 else rng.integers(-128, 128, (k, n), np.int8)
    x = rng.standard_normal((3, k)).astype(dtype)
    shape = (-(-k // group), n) if group else (1, n)
    scale, offset = (rng.uniform(0.01, 1, shape).astype(np.float32).astype(dtype) for _ in range(2))
    with board(on_undefined="raise"):
        for given in (None, offset):
            found = computed(x, weight, scale, group=group, kind=kind, turned=turned, offset=given, version=version)
            assert near(found, by_steps(x, weight, scale, given, group))


@pytest.mark.parametrize("shape", [(1,), (1, 1), (4,), (1, 4)], ids=str)
def test_scales_without_groups(shape: tuple[int, ...]) -> None:
    x, weight = np.eye(2, 4, dtype=np.float16), np.arange(16, dtype=np.int8).reshape(4, 4)
    scale = np.linspace(0.5, 2, int(np.prod(shape))).astype(np.float16).reshape(shape)
    with board(on_undefined="raise"):
        for turned in (False, True):
            found = computed(x, weight, scale, turned=turned)
            assert found.tolist() == (weight[:2] * scale.reshape(1, -1)).tolist()


def test_float16_is_rounded_after_the_offset_and_after_the_scale() -> None:
    """2049 and 2047 + 2 are no FLOAT16; BFLOAT16 is rounded once."""
    x, weight = np.ones((1, 1), np.float16), np.array([[1]], np.int8)
    with board(on_undefined="raise"):
        found = computed(x, weight, np.array([0.5], np.float16), offset=np.array([2048], np.float16))
        assert found.item() == 1024
        fine = computed(*(each.astype(bfloat16) for each in (x,)), weight, np.array([128], bfloat16),
                        offset=np.array([2**-7], bfloat16))  # fmt: skip
        assert fine.item() == 129


@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
def test_the_bias_is_added_before_the_only_rounding(dtype: Any) -> None:
    """A BFLOAT16 product has a FLOAT bias."""
    x, weight = np.full((1, 2), 1, dtype), np.array([[64], [64]], np.int8)
    bias = np.array([-127.5], np.float32 if dtype == bfloat16 else np.float16)
    with board(on_undefined="raise"):
        assert computed(x, weight, np.ones(1, dtype), bias=bias).item() == 0.5


@pytest.mark.fidelity("the INT8 result of aclnnWeightQuantBatchMatmulV2")
def test_a_quantised_result_is_rounded_half_to_even_and_saturates() -> None:
    x, weight = np.ones((1, 1), np.float16), np.array([[1, 3, -5, 100, -100]], np.int8)
    quant = np.full(5, np.float32(0.5).view(np.uint32), np.uint64) | np.uint64(1 << 46)
    with board(on_undefined="raise"):
        found = computed(x, weight, np.ones(5, np.float16), quant=(quant, np.zeros(5, np.float32)))
        assert found.tolist() == [[0, 2, -2, 50, -50]]
        found = computed(x, weight, np.full(5, 3, np.float16), quant=(quant, np.full(5, 0.5, np.float32)))
        assert found.tolist() == [[2, 5, -7, 127, -128]]


def test_packed_scales_of_a_float16_product() -> None:
    """ "antiquantScale UINT64/INT64: only FLOAT16 x, INT8 weight"."""
    x, weight = np.ones((1, 1), np.float16), np.array([[2, 3]], np.int8)
    scale = np.array([0.5, 1.5], np.float32).view(np.uint32).astype(np.int64) | 1 << 46
    with board(on_undefined="raise"):
        assert computed(x, weight, scale).tolist() == [[1, 4.5]]
    changes = {"antiquantScale": Meta((2, 4), ACL_INT64), "weight": Meta((64, 4), ACL_INT4)}
    assert answer(FIRST, GOOD, changes).status == INVALID


def test_a_weight_in_fractal_nz() -> None:
    x, weight = np.ones((1, 40), np.float16), np.arange(40 * 33).reshape(40, 33).astype(np.int8)
    with board(on_undefined="raise"):
        out, scale = filled(np.empty((1, 33), np.float16)), np.ones(33, np.float16)
        launch("aclnnWeightQuantBatchMatmulV2", tensor(filled(x), x.shape, ACL_FLOAT16),
               tensor(laid_out(weight), weight.shape, ACL_INT8, format=ACL_FORMAT_FRACTAL_NZ),
               tensor(filled(scale), (33,), ACL_FLOAT16), None, None, None, None, 0,
               tensor(out, (1, 33), ACL_FLOAT16))  # fmt: skip
        assert fetched(out, (33,), np.float16).tolist() == weight.sum(0, dtype=int).tolist()


def test_a_product_without_the_operator() -> None:
    assert answer(FIRST, GOOD, soc=TRAINING).status == ACLNN_ERR_RUNTIME_ERROR
