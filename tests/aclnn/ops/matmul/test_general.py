"""aclnnGemm and aclnnAddmv."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import INFERENCE, Meta, f16, f32
from tests.helpers.refusals import Mistake, Number, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
NZ, NCHW = ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_NCHW
GOOD: dict[str, Any] = {
    "A": f32(2, 3), "B": f32(3, 4), "C": f32(4), "alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0, "out": f32(2, 4),
    "cubeMathType": 0,
}  # fmt: skip
GEMM = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("C", "A", "B", "out")),
    *(Mistake(f"type of {name}", INVALID, name, **{name: Meta(GOOD[name].shape, ACL_INT32)})
      for name in ("A", "B", "C", "out")),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
    Mistake("rank of A", INVALID, "A", A=f32(3)),
    Mistake("rank of B", INVALID, "B", B=f32(1, 3, 4)),
    Mistake("inner size", INVALID, "A", A=f32(2, 5)),
    Mistake("C does not broadcast", INVALID, "C", C=f32(3)),
    Mistake("shape of out", INVALID, "out", out=f32(4, 2)),
    *(Mistake(f"format of {name}", INVALID, name, **{name: Meta(GOOD[name].shape, format=NZ if name == "C" else NCHW)})
      for name in ("A", "B", "C", "out")),
]  # fmt: skip
VECTOR: dict[str, Any] = {
    "self": f32(2), "mat": f32(2, 3), "vec": f32(3), "alpha": Number(1), "beta": Number(1), "out": f32(2),
    "cubeMathType": 0,
}  # fmt: skip
ADDMV = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in VECTOR if name != "cubeMathType"),
    Mistake("type of self", INVALID, "self", self=Meta((2,), ACL_COMPLEX64)),
    Mistake("type of vec", INVALID, "vec", vec=Meta((3,), ACL_UINT32)),
    Mistake("type of alpha", INVALID, "alpha", alpha=Number(1, np.complex64)),
    Mistake("type of out", INVALID, "out", out=Meta((2,), ACL_INT32)),
    Mistake("rank of self", INVALID, "self", self=f32(2, 1)),
    Mistake("rank of mat", INVALID, "mat", mat=f32(3)),
    Mistake("rank of vec", INVALID, "vec", vec=f32(3, 1)),
    Mistake("length of vec", INVALID, "mat", mat=f32(2, 4)),
    Mistake("length of self", INVALID, "self", self=f32(3)),
    Mistake("length of out", INVALID, "out", out=f32(3)),
    Mistake("cubeMathType", INVALID, "cubeMathType", cubeMathType=5),
]


@pytest.mark.parametrize(("first", "good", "mistakes"), [
    (aclnnGemmGetWorkspaceSize, GOOD, GEMM), (aclnnAddmvGetWorkspaceSize, VECTOR, ADDMV),
], ids=["gemm", "addmv"])  # fmt: skip
def test_mistakes_are_refused_in_the_order_of_the_contract(first: Any, good: Any, mistakes: Any) -> None:
    assert answer(first, good).status == ACL_SUCCESS
    for mistake in mistakes:
        assert_refused(first, good, mistake)
    assert_order(first, good, mistakes)


def test_gemm_has_no_fp32_add_on_310p() -> None:
    half = {name: f16(*GOOD[name].shape) for name in ("A", "B", "C", "out")}
    assert answer(aclnnGemmGetWorkspaceSize, GOOD, half, INFERENCE).status == ACL_SUCCESS
    assert answer(aclnnGemmGetWorkspaceSize, GOOD, half | {"cubeMathType": 4}, INFERENCE).status == INVALID


@pytest.mark.parametrize(("first", "second"), list(product((0, 1, -7), repeat=2)))
def test_gemm_transposes_for_any_value_but_0(first: int, second: int) -> None:
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)
    given = a.T.copy() if first else a, b.T.copy() if second else b
    with Machine():
        found = run(aclnnGemm, *given, np.arange(4, dtype=np.float32), 2.0, -1.0, first, second,
                    np.empty((2, 4), np.float32), 0)  # fmt: skip
    assert found.tolist() == (2 * a @ b - np.arange(4)).tolist()


def test_gemm_without_inner_size_or_elements() -> None:
    none, c = np.empty((2, 0), np.float32), np.arange(2, dtype=np.float32)
    with Machine():
        found = run(aclnnGemm, none, none, c, 1.0, 3.0, 0, 1, np.empty((2, 2), np.float32), 0)
        assert found.tolist() == [[0, 3]] * 2
    found = answer(aclnnGemmGetWorkspaceSize, GOOD, {"A": f32(0, 3), "out": f32(0, 4)})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.float64, np.int32, np.int8, np.uint8])
@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (2, 3), (0, 2)])
def test_addmv(dtype: Any, alpha: int, beta: int) -> None:
    mat, vec = np.arange(6).reshape(2, 3).astype(dtype), np.arange(3).astype(dtype)
    with Machine():
        for self in ([7, 1], [5]) if alpha else ([7, 1],):
            given = np.array(self).astype(dtype)
            found = run(aclnnAddmv, given, mat.T.copy().T, vec, alpha, beta, np.empty(2, dtype), 0)
            assert found.tolist() == (beta * np.array(self) + alpha * np.array([5, 14])).tolist()


def test_addmv_in_bool_and_of_nothing() -> None:
    mat = np.array([[True, True], [False, True]])
    with Machine():
        found = run(aclnnAddmv, np.array([False, False]), mat, np.array([True, False]), 1, 1, np.empty(2, np.int8), 0)
        assert found.tolist() == [1, 0], "`or` of `and`, not a sum"
        none = np.empty((2, 0), np.float32)
        found = run(aclnnAddmv, np.ones(1, np.float32), none, none[0], 1.0, 2.0, np.empty(2, np.float32), 0)
        assert found.tolist() == [2, 2]
        nan = np.full((2, 2), np.nan, np.float32)
        assert run(aclnnAddmv, nan[0] * 0 + 1, nan, nan[0], 0.0, 2.0, np.empty(2, np.float32), 0)[0] != 2, "NaN in self"
        ones = np.ones(2, np.float32)
        assert run(aclnnAddmv, ones, nan, nan[0], 0.0, 2.0, np.empty(2, np.float32), 0).tolist() == [2, 2]


def test_a_scalar_counts_for_the_data_type_unless_it_is_1() -> None:
    """A product of INT32 with alpha 0.5 is FLOAT; alpha 1.0 leaves INT32, which out INT32 takes."""
    whole = {name: Meta(VECTOR[name].shape, ACL_INT32) for name in ("self", "mat", "vec", "out")}
    assert answer(aclnnAddmvGetWorkspaceSize, VECTOR, whole).status == ACL_SUCCESS
    for name in ("alpha", "beta"):
        assert answer(aclnnAddmvGetWorkspaceSize, VECTOR, whole | {name: Number(0.5)}).status == INVALID
    with Machine():
        ones = np.ones((2, 2), np.int32)
        found = run(aclnnAddmv, ones[0], ones, ones[0], 0.25, 1, np.empty(2, np.float32), 0)
    assert found.tolist() == [1.5, 1.5]


def test_an_empty_self_ends_the_checks() -> None:
    found = answer(aclnnAddmvGetWorkspaceSize, VECTOR, {"self": f32(0), "mat": f32(0, 3), "out": f32(0)})
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
