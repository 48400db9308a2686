"""aclnnDot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta, f16, f32
from tests.helpers.refusals import Mistake, Number, answer, assert_order, assert_refused

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
GOOD: dict[str, Any] = {"self": f32(3), "tensor": f32(3), "out": f32()}
DOUBLE = Meta((3,), ACL_DOUBLE)
DOT = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in GOOD),
    Mistake("type of tensor", INVALID, "tensor", tensor=f16(3)),
    Mistake("type of out", INVALID, "out", out=f16()),
    Mistake("rank of self", INVALID, "self", self=f32(1, 3)),
    Mistake("length", INVALID, "self", self=f32(4)),
    Mistake("rank of out", INVALID, "out", out=f32(1)),
]


def test_mistakes_are_refused_in_the_order_of_the_contract() -> None:
    for mistake in DOT:
        assert_refused(aclnnDotGetWorkspaceSize, GOOD, mistake)
    assert_order(aclnnDotGetWorkspaceSize, GOOD, DOT)
    listed = {"self": DOUBLE, "tensor": DOUBLE, "out": Meta((), ACL_DOUBLE)}
    assert answer(aclnnDotGetWorkspaceSize, GOOD, listed).status == INVALID


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16, np.int32])
@pytest.mark.parametrize("length", [0, 5, 5000])
def test_dot(dtype: Any, length: int) -> None:
    rng = np.random.default_rng(length)
    a, b = (rng.integers(-4, 5, length).astype(np.float32).astype(dtype) for _ in range(2))
    with Machine():
        found = run(aclnnDot, a, np.repeat(b, 2)[::2], np.ones((), dtype))
    assert found == (a.astype(np.int64) @ b.astype(np.int64)).astype(np.float32).astype(dtype)


@pytest.mark.fidelity("integers in aclnnDot")
@pytest.mark.parametrize(("dtype", "left"), [(np.int8, 113), (np.uint8, 113), (np.int32, 1292401)])
def test_integers_keep_their_low_bits(dtype: Any, left: int) -> None:
    """1292401, of which 8 bits are 113."""
    a, b = np.full(90, 121, dtype), np.full(90, 119, dtype)
    b[0] = 90
    with Machine():
        assert run(aclnnDot, a, b, np.empty((), dtype)) == left


# Ger and Addr

OUTER: dict[str, Any] = {"self": f32(3), "vec2": f32(4), "out": f32(3, 4)}
GER = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in OUTER),
    Mistake("type of self", INVALID, "self", self=Meta((3,), ACL_UINT32)),
    Mistake("type of vec2", INVALID, "vec2", vec2=Meta((4,), ACL_BF16)),
    Mistake("type of out", INVALID, "out", out=Meta((3, 4), ACL_INT32)),
    Mistake("rank of self", INVALID, "self", self=f32(3, 1)),
    Mistake("rank of vec2", INVALID, "vec2", vec2=f32()),
    Mistake("rank of out", INVALID, "out", out=f32(12)),
    Mistake("shape of out", INVALID, "out", out=f32(4, 3)),
]
SUM: dict[str, Any] = {
    "self": f32(4), "vec1": f32(3), "vec2": f32(4), "betaOptional": Number(1), "alphaOptional": Number(1),
    "out": f32(3, 4),
}  # fmt: skip
ADDR = [
    *(Mistake(f"null {name}", NULL, name, **{name: None}) for name in ("self", "vec1", "vec2", "out")),
    Mistake("type of self", INVALID, "self", self=Meta((4,), ACL_COMPLEX64)),
    Mistake("type of vec1", INVALID, "vec1", vec1=Meta((3,), ACL_UINT32)),
    Mistake("type of out", INVALID, "out", out=Meta((3, 4), ACL_COMPLEX64)),
    Mistake("BOOL beta", INVALID, "betaOptional", betaOptional=Number(True, np.bool_)),
    Mistake("BOOL alpha", INVALID, "alphaOptional", alphaOptional=Number(True, np.bool_)),
    Mistake("rank of vec1", INVALID, "vec1", vec1=f32(3, 1)),
    Mistake("rank of vec2", INVALID, "vec2", vec2=f32()),
    Mistake("rank of self", INVALID, "self", self=f32(1, 3, 4)),
    Mistake("self does not broadcast", INVALID, "self", self=f32(3)),
    Mistake("shape of out", INVALID, "out", out=f32(4, 3)),
]
OF_OUTER = [(aclnnGerGetWorkspaceSize, OUTER, GER), (aclnnAddrGetWorkspaceSize, SUM, ADDR)]


@pytest.mark.parametrize("table", OF_OUTER, ids=["ger", "addr"])
def test_mistakes_of_outer_products(table: Any) -> None:
    first, good, mistakes = table
    for mistake in mistakes:
        assert_refused(first, good, mistake)
    assert_order(first, good, mistakes)


def test_integers_take_no_float_scalar() -> None:
    whole = {name: Meta(SUM[name].shape, ACL_INT32) for name in ("self", "vec1", "vec2", "out")}
    for name in ("betaOptional", "alphaOptional"):
        scalars = {"betaOptional": Number(2, np.int8), "alphaOptional": None}
        assert answer(aclnnAddrGetWorkspaceSize, SUM, whole | scalars).status == ACL_SUCCESS
        found = answer(aclnnAddrGetWorkspaceSize, SUM, whole | scalars | {name: Number(2)})
        assert (found.status, f"parameter: {name}" in found.text) == (INVALID, True)


def test_ger_in_the_promoted_type() -> None:
    a, b = np.array([1, -2, 3], np.int8), np.array([100, 0.5], np.float16)
    with Machine():
        found = run(aclnnGer, a, b, np.empty((3, 2), np.float32))
        assert found.tolist() == [[100, 0.5], [-200, -1], [300, 1.5]]
        logic = run(aclnnGer, a > 0, np.array([True, False]), np.empty((3, 2), np.bool_))
        assert logic.tolist() == [[True, False], [False, False], [True, False]]
        turned = run(aclnnGer, a * 1j, a[:2], np.empty((2, 3), np.complex128).T)
        assert turned.tolist() == (a[:, None] * a[:2] * 1j).tolist()


@pytest.mark.parametrize("shape", [(), (4,), (3, 1), (3, 4)], ids=str)
def test_addr(shape: tuple[int, ...]) -> None:
    self, a, b = np.full(shape, 3, np.float32), np.arange(3, dtype=np.float32), np.arange(4, dtype=np.float32)
    with Machine():
        found = run(aclnnAddr, self, a, b, 2.0, -1.0, np.empty((3, 4), np.float32))
        assert found.tolist() == (6 - np.outer(a, b)).tolist()
        assert (
            run(aclnnAddr, self, a, b, None, None, np.empty((3, 4), np.int32)).tolist() == (3 + np.outer(a, b)).tolist()
        )
        nan = np.full(shape, np.nan, np.float32)
        assert run(aclnnAddr, nan, a, b, 0.0, 1.0, np.empty((3, 4), np.float32)).tolist() == np.outer(a, b).tolist()


def test_addr_in_place_and_in_bool() -> None:
    a = np.array([True, False])
    with Machine():
        found = run(aclnnInplaceAddr, np.eye(2, dtype=np.bool_), a, a[::-1], None, None)
        assert found.tolist() == [[True, True], [False, True]]
        found = run(
            aclnnInplaceAddr, np.eye(2, dtype=np.float32), a.astype(np.float32), np.ones(2, np.float32), 2.0, 0.5
        )
        assert found.tolist() == [[2.5, 0.5], [0, 2]]
    good = {"selfRef": f32(3, 4), **{name: value for name, value in SUM.items() if name not in ("self", "out")}}
    assert answer(aclnnInplaceAddrGetWorkspaceSize, good, {"selfRef": f32(1, 4)}).status == INVALID


def test_each_step_of_addr_is_rounded() -> None:
    """ "alpha multiplies vec1 first, then the outer product": 3 * 683 is 2049, which is no FLOAT16."""
    half = [np.array([each], np.float16) for each in (683, 2)]
    with Machine():
        found = run(aclnnAddr, np.zeros(1, np.float16), *half, 1.0, 3.0, np.empty((1, 1), np.float16))
    assert found.item() == 4096


def test_empty_outer_products() -> None:
    for first, good, vectors in ((aclnnGerGetWorkspaceSize, OUTER, {"self": f32(0)}),
                                 (aclnnAddrGetWorkspaceSize, SUM, {"vec1": f32(0)})):  # fmt: skip
        found = answer(first, good, vectors | {"out": f32(0, 4)})
        assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0)
