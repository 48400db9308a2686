"""Counting notifies of the 950 series; older queries of the overflow status."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_uint32, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.streams.counting_notify import CountingNotify, NotifyChange
from tests.acl_runtime.api.product_families import notify
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok

SET, ADD, OR, AND = 0, 1, 2, 4
LESS, EQUAL, MORE, AT_LEAST, BITS = range(5)


@pytest.fixture
def newest() -> Iterator[Machine]:
    with board(soc="Ascend950PR_9599") as machine:
        yield machine


def record(made: aclrtCntNotify, stream: aclrtStream | None, mode: int, value: int) -> int:
    return aclrtCntNotifyRecord(made, stream, byref(aclrtCntNotifyRecordInfo(mode, value)))


def wait(
    made: aclrtCntNotify, stream: aclrtStream | None, mode: int, value: int, timeout: int = 0, clear: int = 0
) -> int:
    return aclrtCntNotifyWaitWithTimeout(made, stream, byref(aclrtCntNotifyWaitInfo(mode, value, timeout, clear)))


def test_who_sees_the_value_sees_its_change_too(newest: Machine) -> None:
    """A worker does the work of a task without the lock of the machine; at the end of the task it has the lock."""
    live = CountingNotify(newest.context("test").device, 0)
    change = NotifyChange(live, ADD, 3, "here")
    change.run()
    assert live.value == 0
    assert change.done is not None
    change.done(5.0)
    assert (live.value, live.last, live.changed) == (3, change, 5.0)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_stream_waits_for_the_changes_of_another(schedule: str) -> None:
    with board(schedule, soc="Ascend950PR_9599") as machine:
        made, first, second, memory = notify(), create_stream(), create_stream(), malloc(64)
        ok(wait(made, second, AT_LEAST, 3))
        ok(aclrtMemsetAsync(memory, 64, 7, 64, second))
        ok(aclrtMemsetAsync(memory, 64, 5, 64, first))
        ok(record(made, first, SET, 1))
        ok(record(made, first, ADD, 2))
        ok(aclrtSynchronizeStream(second))
        assert machine.read(memory, 1, np.uint8)[0] == 7
        ok(aclrtSynchronizeStream(first))
        assert [finding.id for finding in machine.findings if finding.level == "error"] == []


@pytest.mark.parametrize(
    ("changes", "mode", "value", "waits"),
    [
        ([(SET, 5)], EQUAL, 5, False),
        ([(SET, 5)], LESS, 5, True),
        ([(SET, 5)], MORE, 4, False),
        ([(SET, 5), (OR, 2)], EQUAL, 7, False),
        ([(SET, 5), (AND, 4)], EQUAL, 4, False),
        ([(SET, 0xFFFFFFFF), (ADD, 2)], EQUAL, 1, False),
        ([(SET, 6)], BITS, 2, False),
        ([(SET, 6)], BITS, 3, True),
    ],
)
def test_changes_and_conditions(
    newest: Machine, changes: list[tuple[int, int]], mode: int, value: int, waits: bool
) -> None:
    made, stream = notify(), create_stream()
    for change in changes:
        ok(record(made, stream, *change))
    ok(wait(made, stream, mode, value, timeout=1))
    expected = ACL_ERROR_RT_EVENT_SYNC_TIMEOUT if waits else ACL_SUCCESS
    assert aclrtSynchronizeStream(stream) == expected


def test_a_wait_may_clear_and_a_reset_does(newest: Machine) -> None:
    made, stream = notify(), create_stream()
    ok(record(made, stream, SET, 3))
    ok(wait(made, stream, EQUAL, 3, clear=1))
    ok(wait(made, stream, EQUAL, 0))
    ok(record(made, stream, SET, 3))
    ok(aclrtCntNotifyReset(made, stream))
    ok(wait(made, stream, EQUAL, 0))
    ok(aclrtSynchronizeStream(stream))


def test_a_wait_that_nobody_ends_is_a_deadlock(newest: Machine) -> None:
    made, stream = notify(), create_stream()
    ok(wait(made, stream, EQUAL, 3))
    assert finding_of(lambda: aclrtSynchronizeStream(stream))[0] == "deadlock"


def test_refusals(newest: Machine) -> None:
    made, number = notify(), c_uint32()
    ok(aclrtCntNotifyGetId(made, byref(number)))
    for status, expected in (
        (aclrtCntNotifyCreate(None, 0), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCntNotifyCreate(byref(aclrtCntNotify()), 2), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCntNotifyDestroy(None), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCntNotifyDestroy(0x40), ACL_ERROR_RT_INVALID_HANDLE),
        (aclrtCntNotifyGetId(made, None), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCntNotifyGetId(None, byref(number)), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCntNotifyRecord(made, None, None), ACL_ERROR_INVALID_PARAM),
        (record(aclrtCntNotify(), None, 0, 0), ACL_ERROR_RT_PARAM_INVALID),
        (record(made, None, 3, 0), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCntNotifyWaitWithTimeout(made, None, None), ACL_ERROR_INVALID_PARAM),
        (wait(made, None, 5, 0), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCntNotifyReset(None, None), ACL_ERROR_RT_PARAM_INVALID),
    ):
        assert_status(status, expected)
    ok(aclrtCntNotifyDestroy(made))
    assert_status(record(made, None, 0, 0), ACL_ERROR_RT_INVALID_HANDLE)


def test_the_overflow_status_is_always_clear(machine: Machine) -> None:
    stream, memory, address = create_stream(), malloc(128), c_void_p()
    ok(aclrtGetFloatOverflowStatus(memory, 64, stream))
    ok(aclrtNpuGetFloatOverFlowStatus(memory + 64, 64, 0, stream))
    ok(aclrtResetFloatOverflowStatus(stream))
    ok(aclrtNpuClearFloatOverFlowStatus(0, stream))
    ok(aclrtSynchronizeStream(stream))
    assert not machine.read(memory, 128, np.uint8).any()
    ok(aclrtCtxGetFloatOverflowAddr(byref(address)))
    assert not machine.read(address, 64, np.uint8).any()
    for status in (
        aclrtGetFloatOverflowStatus(None, 64, stream),
        aclrtGetFloatOverflowStatus(memory, 63, stream),
        aclrtGetFloatOverflowStatus(0x1000, 64, stream),
        aclrtCtxGetFloatOverflowAddr(None),
    ):
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID)
