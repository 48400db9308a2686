"""aclnnMatmulWeightNz, aclnnBatchMatMulWeightNz and aclnnAddmmWeightNz: mat2 is in FRACTAL_NZ."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from aclnn import *
from tests.aclnn.ops.case import A950, INFERENCE, Meta, f16, f32
from tests.helpers.builders import malloc, plan
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.refusals import Mistake, Number, answer, assert_order, assert_refused
from tests.helpers.weights import blocks_by_hand, fetched, filled, laid_out, launch, tensor

INVALID, NULL, NZ = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACL_FORMAT_FRACTAL_NZ
WEIGHT = Meta((16, 32), ACL_FLOAT16, NZ, storage=(2, 1, 16, 16))
GOOD: dict[str, Any] = {"self": f16(3, 16), "mat2": WEIGHT, "out": f16(3, 32), "cubeMathType": 0}
BATCHED: dict[str, Any] = {
    "self": f16(2, 3, 16), "mat2": Meta((2, 16, 32), ACL_FLOAT16, NZ, storage=(2, 2, 1, 16, 16)),
    "out": f16(2, 3, 32), "cubeMathType": 0,
}  # fmt: skip
ADDED: dict[str, Any] = {
    "self": f16(32), "mat1": f16(3, 16), "mat2": WEIGHT, "beta": Number(1), "alpha": Number(1), "out": f16(3, 32),
    "cubeMathType": 0,
}  # fmt: skip
MATMUL = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "mat2", "out")),
    Mistake("type of self", INVALID, "self", self=Meta((3, 16), ACL_INT32)),
    Mistake("ND", INVALID, "mat2", mat2=replace(WEIGHT, format=ACL_FORMAT_ND)),
    Mistake("mixed halves", INVALID, "mat2", mat2=replace(WEIGHT, dtype=ACL_BF16)),
    Mistake("rank of self", INVALID, "self", self=f16(1, 3, 16)),
    Mistake("rank of mat2", INVALID, "mat2", mat2=Meta((1, 16, 32), ACL_FLOAT16, NZ)),
    Mistake("rank of storage", INVALID, "mat2", mat2=replace(WEIGHT, storage=(512,))),
    Mistake("a thin weight", INVALID, "mat2", mat2=Meta((16, 1), ACL_FLOAT16, NZ, storage=(1, 1, 16, 16))),
    Mistake("inner size", INVALID, "self", self=f16(3, 17)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
    Mistake("size of storage", INVALID, "mat2", mat2=replace(WEIGHT, storage=(3, 1, 16, 16))),
    Mistake("shape of out", INVALID, "out", out=f16(32, 3)),
]
BATCH = [
    *MATMUL[:3],
    Mistake("type of self", INVALID, "self", self=f32(2, 3, 16)),
    Mistake("another type", INVALID, "mat2", mat2=replace(BATCHED["mat2"], dtype=ACL_BF16)),
    Mistake("type of out", INVALID, "out", out=Meta((2, 3, 32), ACL_BF16)),
    Mistake("ND", INVALID, "mat2", mat2=replace(BATCHED["mat2"], format=ACL_FORMAT_ND)),
    Mistake("rank of self", INVALID, "self", self=f16(3, 16)),
    Mistake("inner size", INVALID, "self", self=f16(2, 3, 17)),
    Mistake("batches", INVALID, "self", self=f16(3, 3, 16)),
    Mistake("shape of out", INVALID, "out", out=f16(2, 32, 3)),
    Mistake("rank of storage", INVALID, "mat2", mat2=replace(BATCHED["mat2"], storage=(1024,))),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
]
ADDMM = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ADDED if name != "cubeMathType"),
    Mistake("self in FRACTAL_NZ", INVALID, "self", self=Meta((3, 32), ACL_FLOAT16, NZ)),
    Mistake("mat1 in FRACTAL_NZ", INVALID, "mat1", mat1=Meta((3, 16), ACL_FLOAT16, NZ)),
    Mistake("ND", INVALID, "mat2", mat2=replace(WEIGHT, format=ACL_FORMAT_ND)),
    Mistake("type of mat1", INVALID, "mat1", mat1=f32(3, 16)),
    Mistake("another type", INVALID, "mat2", mat2=replace(WEIGHT, dtype=ACL_BF16)),
    Mistake("rank of storage", INVALID, "mat2", mat2=replace(WEIGHT, storage=(512,))),
    Mistake("size of storage", INVALID, "mat2", mat2=replace(WEIGHT, storage=(3, 1, 16, 16))),
    Mistake("rank of self", INVALID, "self", self=f16()),
    Mistake("inner size", INVALID, "mat1", mat1=f16(3, 17)),
    Mistake("a thin weight", INVALID, "mat2", mat2=Meta((16, 1), ACL_FLOAT16, NZ, storage=(1, 1, 16, 16))),
    Mistake("self does not broadcast", INVALID, "self", self=f16(31)),
    Mistake("shape of out", INVALID, "out", out=f16(32, 3)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
]


@pytest.mark.parametrize(("first", "good", "mistakes"), [
    (aclnnMatmulWeightNzGetWorkspaceSize, GOOD, MATMUL), (aclnnBatchMatMulWeightNzGetWorkspaceSize, BATCHED, BATCH),
    (aclnnAddmmWeightNzGetWorkspaceSize, ADDED, ADDMM),
], ids=["matmul", "batch", "addmm"])  # fmt: skip
def test_mistakes_are_refused_in_the_order_of_the_contract(first: Any, good: Any, mistakes: Any) -> None:
    assert answer(first, good).status == ACL_SUCCESS
    for mistake in mistakes:
        assert_refused(first, good, mistake)
    assert_order(first, good, mistakes)


def test_types_by_product() -> None:
    """Weights of FLOAT are for A2 and A3; KEEP_DTYPE does not narrow a FLOAT self to FLOAT16."""
    first, wide = aclnnMatmulWeightNzGetWorkspaceSize, Meta((16, 32), ACL_FLOAT, NZ, storage=(4, 1, 16, 8))
    assert answer(first, GOOD, {"self": f32(3, 16), "mat2": wide, "out": f32(3, 32)}).status == ACL_SUCCESS
    found = answer(first, GOOD, {"mat2": wide, "cubeMathType": 2}, INFERENCE)
    assert (found.status, "parameter: mat2" in found.text) == (INVALID, True)
    assert answer(first, GOOD, {"self": f32(3, 16)}).status == INVALID
    assert answer(first, GOOD, {"self": f32(3, 16), "cubeMathType": 1}).status == ACL_SUCCESS
    assert answer(first, GOOD, {"self": f32(3, 16)}, A950).status == INVALID


def test_empty_results() -> None:
    for first, good, empty in (
        (aclnnMatmulWeightNzGetWorkspaceSize, GOOD, {"self": f16(0, 16), "out": f16(0, 32)}),
        (aclnnBatchMatMulWeightNzGetWorkspaceSize, BATCHED, {"self": f16(2, 0, 16), "out": f16(2, 0, 32)}),
        (aclnnAddmmWeightNzGetWorkspaceSize, ADDED, {"mat1": f16(0, 16), "out": f16(0, 32)}),
    ):
        found = answer(first, good, empty)
        assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


def small(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float32).astype(dtype)


def weight(values: np.ndarray, *, turned: bool = False) -> Any:
    """A tensor in FRACTAL_NZ with these values; `turned`: their transpose is what is stored."""
    stored = values.swapaxes(-1, -2) if turned else values
    blocks, strides = blocks_by_hand(stored), (1, values.shape[0]) if turned else None
    return tensor(laid_out(stored), values.shape, data_type_of(values.dtype), format=NZ, storage=blocks.shape,
                  strides=strides)  # fmt: skip


def plain(values: np.ndarray) -> Any:
    return tensor(filled(values), values.shape, data_type_of(values.dtype))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("dtype", [np.float16, bfloat16])
@pytest.mark.parametrize("turned", [False, True])
def test_products(dtype: Any, turned: bool, schedule: str) -> None:
    left, right = small((5, 18), dtype, 1), small((18, 33), dtype, 2)
    wanted, kind = left.astype(float) @ right.astype(float), data_type_of(np.dtype(dtype))
    with board(schedule):
        out = malloc(5 * 33 * 2)
        launch("aclnnMatmulWeightNz", plain(left), weight(right, turned=turned), tensor(out, (5, 33), kind), 0)
        assert fetched(out, (5, 33), dtype).astype(float).tolist() == wanted.tolist()
        row, scalars = small((33,), dtype, 3), [aclCreateScalar(np.float32(each), ACL_FLOAT) for each in (3, -2)]
        launch("aclnnAddmmWeightNz", plain(row), plain(left), weight(right, turned=turned), *scalars,
               tensor(out, (5, 33), kind), 0)  # fmt: skip
        assert fetched(out, (5, 33), dtype).astype(float).tolist() == (3 * row.astype(float) - 2 * wanted).tolist()
        both = np.stack([right, -right])
        out = malloc(2 * 5 * 33 * 2)
        launch("aclnnBatchMatMulWeightNz", plain(left[None]), weight(both), tensor(out, (2, 5, 33), kind), 0)
        assert fetched(out, (2, 5, 33), dtype).astype(float).tolist() == [wanted.tolist(), (-wanted).tolist()]


def test_the_product_is_not_rounded_before_it_is_float() -> None:
    """2049 is no FLOAT16."""
    left, right = np.array([[2048, 1]], np.float16), np.ones((2, 2), np.float16)
    with board():
        out = malloc(8)
        launch("aclnnMatmulWeightNz", plain(left), weight(right), tensor(out, (1, 2), ACL_FLOAT), 0)
        assert fetched(out, (2,), np.float32).tolist() == [2049, 2049]


def test_the_first_phase_swaps_the_view_of_a_transposed_weight() -> None:
    """ "A second phase 1 with the same handle fails the k check unless K == N"."""
    with board():
        for n, status in ((33, INVALID), (18, ACL_SUCCESS)):
            left, right = small((5, 18), np.float16), small((18, n), np.float16)
            out, handle = tensor(malloc(5 * n * 2), (5, n), ACL_FLOAT16), weight(right, turned=True)
            launch("aclnnMatmulWeightNz", plain(left), handle, out, 0)
            planned = plan(aclnnMatmulWeightNzGetWorkspaceSize, plain(left), handle, out, 0)
            assert planned.status == status, planned.text
