"""aclnnAddmm, aclnnBaddbmm and aclnnAddbmm, by their contract among the matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta, f16, f32
from tests.helpers.refusals import Mistake, Number, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
KEEP, DOWN, FP16, HF32, ADD = 0, 1, 2, 3, 4
NZ = ACL_FORMAT_FRACTAL_NZ


GOOD: dict[str, Any] = {
    "self": f32(4), "mat1": f32(2, 3), "mat2": f32(3, 4), "beta": Number(1), "alpha": Number(1), "out": f32(2, 4),
    "cubeMathType": KEEP,
}  # fmt: skip
BATCHED: dict[str, Any] = {
    "self": f32(2, 4), "batch1": f32(5, 2, 3), "batch2": f32(5, 3, 4), "beta": Number(1), "alpha": Number(1),
    "out": f32(5, 2, 4), "cubeMathType": KEEP,
}  # fmt: skip
SUMMED = {**BATCHED, "out": f32(2, 4)}


def nulls(good: dict[str, Any]) -> list[Mistake]:
    return [Mistake(f"null {name}", NULL, name, **{name: None}) for name in good if name != "cubeMathType"]


def types(good: dict[str, Any]) -> list[Mistake]:
    tensors = [name for name, value in good.items() if isinstance(value, Meta)]
    wrong = [Mistake(f"type of {name}", INVALID, name, **{name: Meta(good[name].shape, ACL_INT32)}) for name in tensors]
    return [*wrong, Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5)]


ADDMM = [
    *nulls(GOOD), *types(GOOD),
    Mistake("rank of mat1", INVALID, "mat1", mat1=f32(1, 2, 3)),
    Mistake("rank of mat2", INVALID, "mat2", mat2=f32(3)),
    Mistake("inner size", INVALID, "mat1", mat1=f32(2, 5)),
    Mistake("self in FRACTAL_NZ", INVALID, "self", self=f32(2, 4, format=NZ)),
    Mistake("self without dimensions", INVALID, "self", self=f32()),
    Mistake("self of three dimensions", INVALID, "self", self=f32(1, 2, 4)),
    Mistake("self does not broadcast", INVALID, "self", self=f32(3)),
    Mistake("shape of out", INVALID, "out", out=f32(4, 2)),
]  # fmt: skip
BADDBMM = [
    *nulls(BATCHED), *types(BATCHED),
    Mistake("rank of batch1", INVALID, "batch1", batch1=f32(2, 3)),
    Mistake("rank of batch2", INVALID, "batch2", batch2=f32(3, 4)),
    Mistake("inner size", INVALID, "batch1", batch1=f32(5, 2, 6)),
    Mistake("batches", INVALID, "batch1", batch1=f32(4, 2, 3)),
    Mistake("empty self", INVALID, "self", self=f32(0)),
    Mistake("self does not broadcast", INVALID, "self", self=f32(3)),
    Mistake("shape of out", INVALID, "out", out=f32(5, 4, 2)),
    Mistake("view format", INVALID, "out", out=f32(5, 2, 4, format=ACL_FORMAT_NCL)),
]  # fmt: skip
ADDBMM = [
    *nulls(SUMMED), *types(SUMMED), *BADDBMM[-8:-3],
    Mistake("rank of self", INVALID, "self", self=f32(1, 2, 4)),
    Mistake("self does not broadcast", INVALID, "self", self=f32(3)),
    Mistake("shape of out", INVALID, "out", out=f32(4, 2)),
    Mistake("view format", INVALID, "batch1", batch1=f32(5, 2, 3, format=ACL_FORMAT_NCL)),
]  # fmt: skip
TABLES = [
    (aclnnAddmmGetWorkspaceSize, GOOD, ADDMM),
    (aclnnBaddbmmGetWorkspaceSize, BATCHED, BADDBMM),
    (aclnnAddbmmGetWorkspaceSize, SUMMED, ADDBMM),
]


@pytest.mark.parametrize("table", TABLES, ids=["addmm", "baddbmm", "addbmm"])
def test_mistakes_are_refused_in_the_order_of_the_contract(table: Any) -> None:
    first, good, mistakes = table
    assert answer(first, good).status == ACL_SUCCESS
    for mistake in mistakes:
        assert_refused(first, good, mistake)
    assert_order(first, good, [each for each in mistakes if each.rule != "view format"])


@pytest.mark.parametrize("soc", [A2, A950, INFERENCE])
def test_use_fp32_add_by_product(soc: str) -> None:
    """ "cubeMathType <= 4, and 4 only on A2/A3, 950": the last check."""
    half = {"self": f16(4), "mat1": f16(2, 3), "mat2": f16(3, 4), "out": f16(2, 4), "cubeMathType": ADD}
    wanted = INVALID if soc == INFERENCE else ACL_SUCCESS
    assert answer(aclnnAddmmGetWorkspaceSize, GOOD, half, soc).status == wanted
    assert "parameter: out" in answer(aclnnAddmmGetWorkspaceSize, GOOD, half | {"out": f16(4, 2)}, soc).text


def test_self_without_dimensions_of_storage() -> None:
    found = answer(aclnnAddmmGetWorkspaceSize, GOOD, {"self": Meta((4,), storage=())})
    assert (found.status, "parameter: self" in found.text) == (INVALID, True), found.text


def test_in_place_self_has_the_shape_of_the_product() -> None:
    changed = {"selfRef": f32(4)}
    good = {"selfRef": f32(2, 4), **{name: value for name, value in GOOD.items() if name not in ("self", "out")}}
    assert answer(aclnnInplaceAddmmGetWorkspaceSize, good).status == ACL_SUCCESS
    assert answer(aclnnInplaceAddmmGetWorkspaceSize, good, changed).status == INVALID


def values(*shape: int, seed: int = 0, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16])
@pytest.mark.parametrize("alpha", [1.0, -0.75, 0.0])
@pytest.mark.parametrize("beta", [1.0, 2.5, 0.0])
def test_sums(dtype: Any, alpha: float, beta: float) -> None:
    a, b = values(5, 3, 6, dtype=dtype), values(5, 6, 4, dtype=dtype)
    wide = a.astype(float) @ b.astype(float)
    close = {"rtol": 2**-7, "atol": 2**-5} if dtype != np.float32 else {"rtol": 1e-5, "atol": 1e-5}
    with Machine():
        for shape in ((4,), (1, 4), (3, 1), (3, 4)):
            self = values(*shape, seed=1, dtype=dtype)
            out = run(aclnnAddmm, self, a[0], b[0], beta, alpha, np.empty((3, 4), dtype), KEEP)
            assert np.allclose(out.astype(float), beta * self.astype(float) + alpha * wide[0], **close)
            out = run(aclnnBaddbmm, self, a, b, beta, alpha, np.empty((5, 3, 4), dtype), KEEP)
            assert np.allclose(out.astype(float), beta * self.astype(float) + alpha * wide, **close)
            out = run(aclnnAddbmm, self, a, b, beta, alpha, np.empty((3, 4), dtype), KEEP)
            assert np.allclose(out.astype(float), beta * self.astype(float) + alpha * wide.sum(0), **close)
        self = values(3, 4, seed=2, dtype=dtype)
        found = run(aclnnInplaceAddmm, self.T.copy().T, a[0], b[0], beta, alpha, KEEP)
        assert np.allclose(found.astype(float), beta * self.astype(float) + alpha * wide[0], **close)


def test_self_may_have_the_larger_batch() -> None:
    """ "self broadcasts with the product, out == that shape"."""
    a, b, self = values(1, 1, 6), values(1, 6, 1), values(5, 3, 4)
    with Machine():
        for beta in (1.0, 0.0):
            found = run(aclnnBaddbmm, self, a, b, beta, 1.0, np.empty((5, 3, 4), np.float32), KEEP)
            assert np.allclose(found, beta * self + a @ b, atol=1e-5)


def test_nan_of_what_does_not_count() -> None:
    """ "alpha == 0: product skipped" in Addmm and Addbmm, not in Baddbmm; "beta == 0: self ignored" in all."""
    nan, one = np.full((1, 1), np.nan, np.float32), np.ones((1, 1), np.float32)
    out = np.empty((1, 1), np.float32)
    with Machine():
        assert run(aclnnAddmm, one, nan, one, 1.0, 0.0, out, KEEP) == 1
        assert run(aclnnAddmm, nan, one, one, 0.0, 1.0, out, KEEP) == 1
        assert run(aclnnAddmm, nan, nan, one, 0.0, 0.0, out, KEEP) == 0
        assert run(aclnnAddbmm, one, nan[None], one[None], 1.0, 0.0, out, KEEP) == 1
        assert run(aclnnAddbmm, nan, one[None], one[None], 0.0, 1.0, out, KEEP) == 1
        assert np.isnan(run(aclnnBaddbmm, one, nan[None], one[None], 1.0, 0.0, out[None], KEEP))
        assert run(aclnnBaddbmm, nan, one[None], one[None], 0.0, 1.0, out[None], KEEP) == 1


def test_scalars_near_0_and_1() -> None:
    """ "equal 1 and equal 0 within FLT_EPSILON"; Addbmm compares with 0 exactly."""
    nan, one = np.full((1, 1), np.nan, np.float32), np.ones((1, 1), np.float32)
    with Machine():
        assert run(aclnnAddmm, nan, one, one, 1e-8, 1.0, np.empty((1, 1), np.float32), KEEP) == 1
        assert np.isnan(run(aclnnAddbmm, nan, one[None], one[None], 1e-8, 1.0, np.empty((1, 1), np.float32), KEEP))


def test_empty_sums() -> None:
    """ "n or p == 0: success, nothing; m == 0: beta*self broadcast"."""
    none, self = np.empty((2, 0), np.float32), np.arange(3, dtype=np.float32)
    with Machine():
        out = run(aclnnAddmm, self, none, none.T.repeat(3, 1)[:, :3], 2.0, 1.0, np.empty((2, 3), np.float32), KEEP)
        assert out.tolist() == [[0, 2, 4]] * 2
    for first, good, empty in (
        (aclnnAddmmGetWorkspaceSize, GOOD, {"mat1": f32(0, 3), "out": f32(0, 4)}),
        (aclnnAddmmGetWorkspaceSize, GOOD, {"mat1": f32(0, 3), "out": f32(7, 0)}),
        (aclnnBaddbmmGetWorkspaceSize, BATCHED, {"batch1": f32(5, 0, 3), "out": f32(5, 0, 4), "self": f32(0, 4)}),
        (aclnnAddbmmGetWorkspaceSize, SUMMED, {"batch1": f32(5, 0, 3), "out": f32(0, 4), "self": f32(0, 4)}),
    ):
        found = answer(first, good, empty)
        assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text


FINE = 1 + 2**-9
"""its square is no FLOAT16"""


@pytest.mark.parametrize(("math", "kept"), [(KEEP, True), (HF32, True), (DOWN, False), (FP16, False), (ADD, False)])
def test_the_product_stays_float_until_the_addition(math: int, kept: bool) -> None:
    """ "A2/A3 Addmm: with 16-bit inputs and cubeMathType 0 or 3 the product is kept in FLOAT until after the
    addition"."""
    a, self = np.full((1, 1), FINE, np.float16), np.full((1, 1), -0.5, np.float16)
    with Machine(A2):
        found = run(aclnnAddmm, self, a, a, 2.0, 1.0, np.empty((1, 1), np.float16), math)
    assert found == (2**-8 + 2**-18 if kept else 2**-8)


def test_a_row_is_a_bias_that_is_added_before_the_only_rounding() -> None:
    """ "alpha == beta == 1 with self a row: self becomes the bias of the product (one rounding)"."""
    a = np.full((1, 1), FINE, np.float16)
    with Machine(A2):
        found = run(aclnnAddmm, np.full(1, -1, np.float16), a, a, 1.0, 1.0, np.empty((1, 1), np.float16), FP16)
    assert found == 2**-8 + 2**-18


def test_the_sum_over_a_batch_is_that_of_rounded_products() -> None:
    """2048 + 1 is 2048 in FLOAT16."""
    a = np.array([[[2048, 1]], [[1, 0]]], np.float16)
    b = np.ones((2, 2, 1), np.float16)
    with Machine():
        found = run(aclnnAddbmm, np.zeros(1, np.float16), a, b, 1.0, 1.0, np.empty((1, 1), np.float16), KEEP)
    assert found == 2048, "2048 + 1, of which only the 1 of the second product is left to be rounded away"
    with Machine():
        wide = run(aclnnAddbmm, np.zeros(1, np.float16), a, b, 1.0, 1.0, np.empty((1, 1), np.float32), KEEP)
    assert wide == 2050


def test_a_transposed_factor_takes_no_copy() -> None:
    turned = {"mat2": Meta((3, 4), ACL_FLOAT, strides=(1, 3)), "mat1": Meta((2, 3), ACL_FLOAT, strides=(1, 2))}
    found = answer(aclnnAddmmGetWorkspaceSize, GOOD, turned)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


@pytest.mark.fidelity("beta * self in Addmm, Baddbmm and Addbmm")
def test_beta_times_self_is_not_rounded_by_itself() -> None:
    """65504 * 2 is no FLOAT16."""
    one, self = np.full((1, 1), -100, np.float16), np.full((1, 1), 65504, np.float16)
    with Machine():
        found = run(aclnnAddmm, self, one, -one[:1], 2.0, 6.5504, np.empty((1, 1), np.float16), FP16)
    assert abs(found.item() - 65504) < 64
