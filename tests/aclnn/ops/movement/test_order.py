"""Permute, Roll, Expand, Repeat, Slice: rules that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, TRAINING, Meta
from tests.derived.values import Values
from tests.helpers.changed_calls import INVALID, UNPLANNED, assert_nothing_to_do, assert_refused, changed
from tests.helpers.refusals import Of, status_of

NINE = (1,) * 9


@pytest.mark.parametrize(
    ("name", "words", "changes"),
    [
        ("aclnnPermute", "self", {"self": Meta(NINE), "dims": Values(tuple(range(9))), "out": Meta(NINE)}),
        ("aclnnExpand", "self", {"self": Meta(NINE), "size": Values(NINE), "out": Meta(NINE)}),
        ("aclnnExpand", "out", {"self": Meta((1,)), "size": Values(NINE), "out": Meta(NINE)}),
        ("aclnnRepeat", "self", {"self": Meta(NINE), "repeats": Values(NINE), "out": Meta(NINE)}),
        ("aclnnRepeat", "more than 8 numbers", {"self": Meta((1,)), "repeats": Values(NINE), "out": Meta(NINE)}),
    ],
)
def test_nine_dimensions(name: str, words: str, changes: dict[str, Any]) -> None:
    assert_refused(name, INVALID, words, **changes)


def test_an_empty_tensor_is_not_expanded() -> None:
    assert_nothing_to_do("aclnnExpand", self=Meta((0, 1)), size=Values((0, 4)), out=Meta((0, 4)))


def test_minus_one_is_no_size() -> None:
    assert_refused("aclnnExpand", INVALID, "size", self=Meta((2,)), size=Values((-1,)), out=Meta((2,)))


def test_an_empty_tensor_is_permuted_into_an_empty_one() -> None:
    empty = {"self": Meta((0, 3)), "dims": Values((1, 0))}
    assert_refused("aclnnPermute", UNPLANNED, "out", **empty, out=Meta((3, 1)))
    assert_refused("aclnnPermute", INVALID, "out", **empty, out=Meta((0, 3)))
    assert_nothing_to_do("aclnnPermute", **empty, out=Meta((3, 0)))


def test_one_element_may_have_another_shape() -> None:
    one = {"self": Meta((1, 1)), "dims": Values((1, 0))}
    assert changed("aclnnPermute", **one, out=Meta((1, 1))).status == ACL_SUCCESS


def test_no_repeats_of_a_tensor_are_written() -> None:
    """A number of 0: success, and the shape of out is not looked at."""
    assert_nothing_to_do("aclnnRepeat", self=Meta((2, 3)), repeats=Values((0, 2)), out=Meta((5,)))


def test_an_empty_tensor_is_rolled_before_dims_are_looked_at() -> None:
    shape = Meta((0, 2))
    assert_nothing_to_do("aclnnRoll", x=shape, out=shape, shifts=Values((1,)), dims=Values((7,)))


@pytest.mark.parametrize(
    ("start", "end", "wanted"),
    [(1, 3, [1, 2]), (-2, 99, [2, 3]), (-99, 2, [0, 1]), (3, 1, []), (9, 12, [])],
    ids=["inside", "from the end", "before the beginning", "backwards", "behind the end"],
)
def test_bounds_of_a_slice_are_clamped(start: int, end: int, wanted: list[int]) -> None:
    with Machine():
        found = run(aclnnSlice, np.arange(4, dtype=np.int32), 0, start, end, 1, np.empty(len(wanted), np.int32))
    assert found.tolist() == wanted


@pytest.mark.fidelity("aclnnSliceV2 with more steps than axes")
def test_a_dimension_without_a_step_is_not_sliced() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    with Machine():
        assert (run(aclnnSliceV2, x, [1, 1], [3, 3], [0, 1], [1], np.empty((2, 4), np.float32)) == x[1:]).all()


@pytest.mark.fidelity("aclnnSliceV2 with more steps than axes")
def test_more_steps_than_dimensions_are_refused() -> None:
    assert_refused("aclnnSliceV2", INVALID, "steps", steps=Values((1, 1)))


@pytest.mark.parametrize("strided", [False, True])
def test_every_bit_stays(strided: bool) -> None:
    bits = np.array([[0x7C01, 0xFE37, 0x8000], [0x0001, 0x3C00, 0x7E00]], np.uint16).view(np.float16)
    x = np.asfortranarray(bits) if strided else bits
    with Machine():
        found = run(aclnnPermute, x, [1, 0], np.empty((3, 2), np.float16))
        assert (found.view(np.uint16) == bits.T.view(np.uint16)).all()
        back = run(aclnnFlip, x, [1], np.empty((2, 3), np.float16))
        assert (back.view(np.uint16) == bits[:, ::-1].view(np.uint16)).all()


@pytest.mark.parametrize(
    ("name", "dtype", "soc", "status"),
    [
        ("aclnnFlip", ACL_UINT16, A950, ACL_SUCCESS), ("aclnnFlip", ACL_UINT16, A2, INVALID),
        ("aclnnRoll", ACL_INT16, A2, ACL_SUCCESS), ("aclnnRoll", ACL_INT16, TRAINING, INVALID),
        ("aclnnRoll", ACL_BF16, INFERENCE, INVALID), ("aclnnRoll", ACL_COMPLEX64, A950, ACL_SUCCESS),
        ("aclnnRoll", ACL_COMPLEX64, A2, INVALID),
    ],
)  # fmt: skip
def test_types_that_only_some_products_move(name: str, dtype: int, soc: str, status: int) -> None:
    one, dims = Of((2,), dtype), [0]
    given = (one, dims, one) if name == "aclnnFlip" else (one, [1], dims, one)
    assert status_of(name, *given, soc=soc) == status
