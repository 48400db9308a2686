"""Shapes that are known only when an operator has run: "the view shape holds the maximum until the stream was waited
for; reading it earlier is `read-before-sync`" (ours). `race_twins` has the wrong and right programs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_int64, c_uint64

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import OnDevice, on_device, plan, run
from tests.helpers.outcomes import finding_of, ok

SCHEDULES = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
CHECKS = pytest.mark.parametrize("checks", [True, False], ids=["checks", "no checks"])
GIVEN = np.array([[0, 1.5, 0], [np.nan, -0.0, 2]], np.float32)
FOUND = [[0, 1], [1, 0], [1, 2]]


@contextmanager
def board(schedule: str = "late", *, checks: bool = True, on_undefined: str = "raise") -> Iterator[Machine]:
    with Machine(schedule=schedule, seed=1, checks=checks, on_undefined=on_undefined) as machine:
        ok(aclrtSetDevice(0))
        yield machine


def sizes(tensor: OnDevice) -> list[int]:
    values, count = POINTER(c_int64)(), c_uint64()
    ok(aclGetViewShape(tensor.handle, byref(values), byref(count)))
    return values[: count.value]


def strides(tensor: OnDevice) -> list[int]:
    values, count = POINTER(c_int64)(), c_uint64()
    ok(aclGetViewStrides(tensor.handle, byref(values), byref(count)))
    return values[: count.value]


def launched(given: np.ndarray = GIVEN, out: OnDevice | None = None) -> OnDevice:
    """A launch of aclnnNonzero that nobody has waited for; its output."""
    out = out or on_device(np.full((given.size, given.ndim), -1, np.int64))
    tensor = on_device(given)
    planned = plan(aclnnNonzeroGetWorkspaceSize, tensor, out)
    ok(planned.status)
    assert planned.workspace_size == 0
    ok(aclnnNonzero(None, 0, planned.executor, None))
    return out


@SCHEDULES
@CHECKS
def test_the_shape_is_right_behind_the_wait(schedule: str, checks: bool) -> None:
    with board(schedule, checks=checks):
        out = launched()
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [3, 2]
        assert strides(out) == [2, 1]
        assert out.read_storage().reshape(6, 2)[:3].tolist() == FOUND


@pytest.mark.fidelity("shapes that are known only after the run")
@SCHEDULES
def test_before_the_wait_the_shape_is_the_largest_under_every_schedule(schedule: str) -> None:
    """Reported once; behind the wait the shape is right nevertheless."""
    with board(schedule, on_undefined="report") as machine:
        out = launched()
        assert sizes(out) == [6, 2]
        assert [each.id for each in machine.findings] == ["read-before-sync"]
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [3, 2]
        assert [each.id for each in machine.findings] == ["read-before-sync"]


@SCHEDULES
def test_an_early_read_is_raised_with_tensor_and_launch(schedule: str) -> None:
    with board(schedule):
        out = launched()
        id, text = finding_of(lambda: sizes(out))
        assert id == "read-before-sync"
        assert "aclGetViewShape" in text
        assert "view shape of tensor 1" in text
        assert "aclnnNonzero in the default stream" in text
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [3, 2]


def test_a_read_in_a_loop_without_a_wait_is_one_finding() -> None:
    with board(on_undefined="report") as machine:
        for _ in range(3):
            sizes(launched())
        assert [each.id for each in machine.findings] == ["read-before-sync"]


def test_launches_at_the_same_addresses_each_size_their_own_tensor() -> None:
    """The bound steps are cached by addresses; the tensors are not part of them."""
    with board():
        given, out = on_device(GIVEN), on_device(np.full((6, 2), -1, np.int64))
        for _ in range(4):
            again = aclCreateTensor([6, 2], 2, ACL_INT64, [2, 1], 0, ACL_FORMAT_ND, [6, 2], 2, out.address)
            run(aclnnNonzeroGetWorkspaceSize, aclnnNonzero, given, again)
            values, count = POINTER(c_int64)(), c_uint64()
            ok(aclGetViewShape(again, byref(values), byref(count)))
            assert values[: count.value] == [3, 2]
        assert sizes(out) == [6, 2], "no launch had this tensor"


def test_an_output_that_is_used_again_gets_the_shape_of_the_last_run() -> None:
    """Its room stays that of its storage."""
    with board():
        out = launched(np.array([0, 1, 0, 0], np.float32))
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [1, 1]
        launched(np.array([1, 1, 0, 1], np.float32), out)
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [3, 1]
        assert out.read_storage().reshape(-1)[:3].tolist() == [0, 1, 3]


def test_launches_in_a_row_into_one_output_need_no_wait_between() -> None:
    """To give a tensor as an output again does not count as reading its shape."""
    with board() as machine:
        out = launched(np.array([0, 1, 0, 0], np.float32))
        launched(np.array([1, 1, 0, 1], np.float32), out)
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [3, 1]
        assert not [each for each in machine.findings if each.level == "error"]


def test_the_next_first_phase_plans_for_the_shape_that_was_found() -> None:
    """Also if the program never called aclGetViewShape, and though a plan for the larger shape is cached."""
    with board():
        out, copy = launched(), on_device(np.zeros((3, 2), np.int64))
        ok(aclrtSynchronizeStream(None))
        members = aclCreateTensorList([out.handle], 1)
        run(aclnnCatGetWorkspaceSize, aclnnCat, members, 0, copy)
        assert copy.read_storage().reshape(3, 2).tolist() == FOUND


@pytest.mark.fidelity("a result that is larger than its output")
@pytest.mark.parametrize("on_undefined", ["raise", "report"])
def test_a_result_that_does_not_fit_is_found_and_the_task_fails(on_undefined: str) -> None:
    """ "out's shape is not tested": only the run can see it (ours)."""
    with board(on_undefined=on_undefined) as machine:
        out = launched(GIVEN, on_device(np.full((2, 2), -1, np.int64)))
        if on_undefined == "raise":
            with pytest.raises(UndefinedBehaviour, match="view-exceeds-storage"):
                aclrtSynchronizeStream(None)
        else:
            assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
            assert [each.id for each in machine.findings if each.level == "error"] == ["view-exceeds-storage"]
        assert sizes(out) == [2, 2]
        assert out.read_storage().tolist() == [-1] * 4


def test_room_for_the_result_is_enough_even_if_it_is_less_than_the_largest() -> None:
    with board():
        out = launched(GIVEN, on_device(np.full((3, 2), -1, np.int64)))
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [3, 2]
        assert out.read_storage().reshape(3, 2).tolist() == FOUND


def test_a_strided_output_is_written_as_a_dense_one() -> None:
    """ "Strided out: written as dense"."""
    with board():
        out = on_device(np.full((2, 6), -1, np.int64).T)
        launched(GIVEN, out)
        ok(aclrtSynchronizeStream(None))
        assert (sizes(out), strides(out)) == ([3, 2], [2, 1])
        assert out.read_storage().reshape(-1)[:6].reshape(3, 2).tolist() == FOUND


def test_a_tensor_that_is_destroyed_before_the_run_does_no_harm() -> None:
    with board() as machine:
        out = launched()
        ok(aclDestroyTensor(out.handle))
        ok(aclrtSynchronizeStream(None))
        launched()
        ok(aclrtSynchronizeStream(None))
        assert not [each for each in machine.findings if each.level == "error"]


def test_an_empty_input_leaves_the_shape() -> None:
    """ "E(self, out): the shape of out is not changed then"."""
    with board():
        out = on_device(np.full((4, 2), -1, np.int64))
        launched(np.zeros((0, 3), np.float32), out)
        ok(aclrtSynchronizeStream(None))
        assert sizes(out) == [4, 2]
