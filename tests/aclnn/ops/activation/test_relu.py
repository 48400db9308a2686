"""Relu and InplaceRelu."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.helpers.refusals import Mistake, Of, pairs, planned_with, rules

INVALID, NULL = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
TYPES = (np.float32, np.float16, bfloat16, np.int8, np.uint8, np.int32, np.int64)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (700, 800)], ids=str)
def test_negative_numbers_become_0(machine: Machine, dtype: Any, shape: tuple[int, ...]) -> None:
    whole = np.random.default_rng(4).integers(0 if dtype == np.uint8 else -100, 100, shape)
    x = np.asarray(whole).astype(dtype, order="F")
    for found in (run(aclnnRelu, x, np.empty(shape, dtype)), run(aclnnInplaceRelu, x)):
        assert found.dtype == x.dtype
        np.testing.assert_array_equal(found.astype(np.int64), np.where(whole > 0, whole, 0))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("count", [4, 1 << 19], ids=["small", "large"])
def test_nan_stays_and_minus_0_becomes_0(machine: Machine, dtype: Any, count: int) -> None:
    x = np.tile(np.array([np.nan, -0.0, np.inf, -np.inf], np.float32), count // 4).astype(dtype)
    found = run(aclnnRelu, x, np.empty_like(x)).astype(np.float32)
    np.testing.assert_array_equal(found, np.tile([np.nan, 0, np.inf, 0], count // 4))
    assert not np.signbit(found[1::4]).any()


def test_uint8_in_place_needs_no_work(machine: Machine) -> None:
    planned = planned_with(aclnnInplaceReluGetWorkspaceSize, {"selfRef": Of((2, 3), ACL_UINT8)})
    assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)
    x = np.array([[0, 255], [128, 7]], np.uint8)
    np.testing.assert_array_equal(run(aclnnInplaceRelu, x), x)


def test_an_empty_tensor_needs_no_work(machine: Machine) -> None:
    for first, values in (
        (aclnnReluGetWorkspaceSize, {"self": Of((0, 3)), "out": Of((0, 3))}),
        (aclnnInplaceReluGetWorkspaceSize, {"selfRef": Of((0, 3))}),
    ):
        planned = planned_with(first, values)
        assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0)


GOOD: dict[str, Any] = {"self": Of((2, 3)), "out": Of((2, 3))}
MISTAKES = [
    Mistake("self is null", NULL, "self", self=None),
    Mistake("out is null", NULL, "out", out=None),
    Mistake("self has a type of the list", INVALID, "self", self=Of((2, 3), ACL_DOUBLE)),
    Mistake("out has a type of the list", INVALID, "out", out=Of((2, 3), ACL_DOUBLE)),
    Mistake("out has the type of self", INVALID, "out", out=Of((2, 3), ACL_FLOAT16)),
    Mistake("self has at most 8 dimensions", INVALID, "self", self=Of((1,) * 9)),
    Mistake("out has the shape of self", INVALID, "out", out=Of((6,))),
]
IN_PLACE = [
    Mistake("selfRef is null", NULL, "selfRef", selfRef=None),
    Mistake("selfRef has a type of the list", INVALID, "selfRef", selfRef=Of((2, 3), ACL_BOOL)),
    Mistake("selfRef has at most 8 dimensions", INVALID, "selfRef", selfRef=Of((1,) * 9)),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=rules)
def test_refusals(machine: Machine, mistake: Mistake) -> None:
    assert planned_with(aclnnReluGetWorkspaceSize, GOOD).status == ACL_SUCCESS
    mistake.found(aclnnReluGetWorkspaceSize, GOOD)


@pytest.mark.parametrize(("one", "other"), pairs(MISTAKES))
def test_refusals_come_in_order(machine: Machine, one: Mistake, other: Mistake) -> None:
    one.found(aclnnReluGetWorkspaceSize, GOOD, other)


@pytest.mark.parametrize("mistake", IN_PLACE, ids=rules)
def test_refusals_in_place(machine: Machine, mistake: Mistake) -> None:
    mistake.found(aclnnInplaceReluGetWorkspaceSize, {"selfRef": Of((2, 3))})


def test_products() -> None:
    """The document names no Atlas inference series, but ggml calls it there; the training series has no BFLOAT16."""
    with Machine(soc="Ascend310P3"):
        aclrtSetDevice(0)
        assert planned_with(aclnnReluGetWorkspaceSize, GOOD).status == ACL_SUCCESS
    with Machine(soc="Ascend910A"):
        aclrtSetDevice(0)
        Mistake("", INVALID, "self", self=Of((2, 3), ACL_BF16)).found(aclnnReluGetWorkspaceSize, GOOD)
