"""aclnnDot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnDot, aclnnDotGetWorkspaceSize
from aclnn.testing import run
from tests.aclnn.ops.case import Meta, f16, f32
from tests.helpers.refusals import Mistake, answer, assert_order, assert_refused

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
