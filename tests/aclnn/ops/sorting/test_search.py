"""SearchSorted, SearchSorteds, Bucketize: rules of their contracts that no table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.helpers.builders import meta
from tests.helpers.refusals import Number, Of, planned_with, status_of

INVALID = ACLNN_ERR_PARAM_INVALID
NAN = float("nan")
I64 = ACL_INT64
SEQUENCE = np.array([1, 3, 3, 5], np.float32)


@pytest.mark.parametrize(("right", "wanted"), [(False, [0, 0, 1, 3, 3, 4]), (True, [0, 1, 3, 3, 4, 4])])
def test_both_sides(machine: Machine, right: bool, wanted: list[int]) -> None:
    x = np.array([0, 1, 3, 4, 5, 6], np.float32)
    assert run(aclnnSearchSorted, SEQUENCE, x, False, right, None, np.empty(6, np.int64)).tolist() == wanted
    assert run(aclnnSearchSorted, SEQUENCE, x, True, right, None, np.empty(6, np.int32)).tolist() == wanted


@pytest.mark.fidelity("NaN in sorted sequences")
def test_nan_is_the_largest_number(machine: Machine) -> None:
    """As in PyTorch: no element is less than a NaN of the sequence."""
    x = np.array([NAN, 2, 9], np.float32)
    ending = np.array([1, 3, NAN], np.float32)
    assert run(aclnnSearchSorted, SEQUENCE, x, False, False, None, np.empty(3, np.int64)).tolist() == [4, 1, 4]
    assert run(aclnnSearchSorted, ending, x, False, False, None, np.empty(3, np.int64)).tolist() == [3, 1, 3]


def test_both_are_compared_in_the_promoted_type(machine: Machine) -> None:
    """ "s64 against f32: f32, so large integers lose bits"."""
    sequence, x = np.array([2**24, 2**24 + 2], np.int64), np.array([2**24 + 1], np.float32)
    assert run(aclnnSearchSorted, sequence, x, False, True, None, np.empty(1, np.int64)) == 1
    assert run(aclnnSearchSorted, sequence, x.astype(np.int64) + 1, False, True, None, np.empty(1, np.int64)) == 1


@pytest.mark.parametrize(
    ("sequence", "x", "status"),
    [((4,), (2, 3), ACL_SUCCESS), ((2, 4), (2, 3), ACL_SUCCESS), ((1, 4), (2, 3), INVALID), ((4,), (), ACL_SUCCESS),
     ((1, 4), (1,), INVALID), ((4,), (1,), ACL_SUCCESS), ((2, 2, 4), (2, 3), INVALID), ((), (), ACL_SUCCESS)],
    ids=str,
)  # fmt: skip
def test_shapes_of_sequences(sequence: tuple[int, ...], x: tuple[int, ...], status: int) -> None:
    assert status_of("aclnnSearchSorted", Of(sequence), Of(x), False, False, None, Of(x, I64)) == status


def test_empty_tensors_give_zeros(machine: Machine) -> None:
    empty = np.empty(0, np.float32)
    assert run(aclnnSearchSorted, empty, SEQUENCE, False, True, None, np.ones(4, np.int64)).tolist() == [0] * 4


def test_a_sequence_in_the_order_of_its_sorter(machine: Machine) -> None:
    sequence, sorter = np.array([5, 1, 3], np.float32), np.array([1, 2, 0], np.int64)
    x = np.array([0, 3, 4, 9], np.float32)
    found = run(aclnnSearchSorted, sequence, x, False, True, sorter, np.empty(4, np.int64))
    assert found.tolist() == [0, 2, 2, 3]


def test_a_sorter_out_of_range_is_found(machine: Machine) -> None:
    sorter = np.array([1, 3, 0], np.int64)
    with pytest.raises(UndefinedBehaviour, match="index-range"):
        run(aclnnSearchSorted, SEQUENCE[:3], SEQUENCE, False, True, sorter, np.empty(4, np.int64))


@pytest.mark.parametrize(("value", "wanted"), [(2.7, 1), (3.0, 1), (3.9, 1), (-1, 0), (9, 4)])
def test_a_number_is_cast_to_the_type_of_the_sequence(machine: Machine, value: float, wanted: int) -> None:
    """ "2.7 against integers becomes 2"."""
    sequence = SEQUENCE.astype(np.int32)
    assert run(aclnnSearchSorteds, sequence, np.float64(value), False, False, None, np.empty(1, np.int64)) == wanted


def test_the_shape_of_out_becomes_1(machine: Machine) -> None:
    """ "out's view shape is overwritten with (1,) on the caller's object"."""
    out = meta((2, 3), ACL_INT64)
    values: dict[str, Any] = dict(enumerate([Of((4,)), Number(2), False, False, None, out]))  # pyright: ignore
    assert planned_with(aclnnSearchSortedsGetWorkspaceSize, values).status == ACL_SUCCESS
    assert machine.handles.find(out.value, object).shape == (1,)  # pyright: ignore


def test_refusals_of_a_number() -> None:
    number = Number(2)
    for out, sequence, status in (
        (Of((0,), I64), Of((4,)), INVALID), (Of((1,), I64), Of((1, 4)), INVALID),
        (Of((1,), ACL_INT32), Of((4,)), INVALID), (Of((1,), I64), Of((0,)), ACL_SUCCESS),
        (Of((), I64), Of((4,)), ACL_SUCCESS),
    ):  # fmt: skip
        assert status_of("aclnnSearchSorteds", sequence, number, False, False, None, out) == status


def test_buckets() -> None:
    """ "right false: boundaries[i-1] < x <= boundaries[i]"; a 0-d self only changes the category of the boundaries."""
    x = np.array([[1, 2], [3, 6]], np.float32)
    with Machine("Ascend950PR_9599"):
        for right, wanted in ((False, [[0, 1], [1, 4]]), (True, [[1, 1], [3, 4]])):
            assert run(aclnnBucketize, x, SEQUENCE, False, right, np.empty((2, 2), np.int64)).tolist() == wanted
        lone, whole = np.array(2049, np.float32), np.array([2048, 2050], np.float16)
        assert run(aclnnBucketize, lone, whole, True, True, np.empty((), np.int32)) == 1
        assert (
            run(aclnnBucketize, x, np.empty(0, np.float32), True, True, np.ones((2, 2), np.int32)).tolist()
            == [[0, 0]] * 2
        )
