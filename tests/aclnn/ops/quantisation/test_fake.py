"""Fake quantisation: refusals in their order, the cast of out, the mask."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import Meta, f16, f32
from tests.aclnn.ops.quantisation.good_calls import GOOD, bf16, whole
from tests.helpers.refusals import Mistake, answer, assert_in_order

INVALID, INNER = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_NULLPTR
TENSOR, CHANNEL = "aclnnFakeQuantPerTensorAffineCachemask", "aclnnFakeQuantPerChannelAffineCachemask"
FIRSTS = {
    TENSOR: aclnnFakeQuantPerTensorAffineCachemaskGetWorkspaceSize,
    CHANNEL: aclnnFakeQuantPerChannelAffineCachemaskGetWorkspaceSize,
}
COMPLEX = Meta((2, 8), ACL_COMPLEX64)


def invalid(parameter: str, value: Any) -> Mistake:
    return Mistake(f"{parameter} {value}", INVALID, parameter, **{parameter: value})


@pytest.mark.parametrize("name", [TENSOR, CHANNEL])
def test_mistakes_are_refused_in_the_order_of_the_contract(name: str) -> None:
    """A null tensor is 561103, as the public code has it."""
    nulls = [Mistake(f"null {each}", INNER, each, **{each: None})
             for each in ("self", "scale", "zeroPoint", "out", "mask")]  # fmt: skip
    sizes = {
        TENSOR: [invalid("scale", f32(2)), invalid("zeroPoint", whole(2, dtype=ACL_INT32))],
        CHANNEL: [invalid("scale", f32(1, 8)), invalid("zeroPoint", whole(7, dtype=ACL_INT32)), invalid("axis", 2)],
    }
    assert_in_order(FIRSTS[name], GOOD[name], [
        *nulls, invalid("self", bf16(2, 8)), invalid("scale", whole(8)), invalid("zeroPoint", whole(8)),
        invalid("out", COMPLEX), invalid("mask", whole(2, 8)), *sizes[name], invalid("out", f32(2, 7)),
        invalid("mask", whole(2, 7, dtype=ACL_BOOL)), invalid("quantMin", 5),
    ])  # fmt: skip


def test_the_length_of_scale_is_that_of_the_axis() -> None:
    changes = {"scale": f32(2), "zeroPoint": whole(2, dtype=ACL_INT32)}
    assert answer(FIRSTS[CHANNEL], GOOD[CHANNEL], changes).status == INVALID
    assert answer(FIRSTS[CHANNEL], GOOD[CHANNEL], changes | {"axis": -2}).status == ACL_SUCCESS


@pytest.mark.parametrize("out", [f16(2, 8), f32(2, 8), whole(2, 8)])
def test_out_is_a_data_type_that_can_be_cast_to_the_one_that_is_computed_in(out: Meta) -> None:
    """The other direction than elsewhere: integers are accepted."""
    assert answer(FIRSTS[TENSOR], GOOD[TENSOR], {"out": out}).status == ACL_SUCCESS


def test_rounding_comes_before_an_integer_zero_point() -> None:
    """1.5 / 1 is rounded to 2, and then moved by 1; with a zero point of floats 2.5 is rounded to 2."""
    x, scale = np.array([[1.5, 100, -100]], np.float32), np.array([1, 1, 1], np.float32)
    results = {}
    for dtype in (np.int32, np.float32):
        with Machine():
            results[dtype] = run(aclnnFakeQuantPerChannelAffineCachemask, x, scale, np.ones(3, dtype), 1, -8, 7,
                                 np.empty_like(x), np.empty(x.shape, np.bool_))  # fmt: skip
    assert [each.tolist() for each in results[np.int32]] == [[[2, 6, -9]], [[True, False, False]]]
    assert [each.tolist() for each in results[np.float32]] == [[[1, 6, -9]], [[True, False, False]]]


def test_without_fake_quantisation_values_stay() -> None:
    x = np.array([1.3, 1e6, np.nan], np.float32)
    with Machine():
        out, mask = run(aclnnFakeQuantPerTensorAffineCachemask, x, np.ones(1, np.float32), np.zeros(1, np.int32), 0.99,
                        0, 1, np.empty_like(x), np.empty(3, np.bool_))  # fmt: skip
    assert np.array_equal(out, x, equal_nan=True)
    assert mask.all()
