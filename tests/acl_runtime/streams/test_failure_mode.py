"""Failure modes, or whether a failed task stops the others: aclrtSetStreamFailureMode (public)."""

from collections.abc import Callable, Iterator
from ctypes import byref, c_int32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.failing_tasks import failing_task
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.stream_gate import Gate

LEVEL = ACL_RT_THREAD_LEVEL
FAULT = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
STOP, CONTINUE = ACL_STOP_ON_FAILURE, ACL_CONTINUE_ON_FAILURE
set_mode = aclrtSetStreamFailureMode


@pytest.fixture
def reporting() -> Iterator[Machine]:
    """A machine in which a task can fail on the device."""
    with board(on_undefined="report") as machine:
        yield machine


def mark(stream: aclrtStream | None) -> int:
    """Queue a task; its byte of device memory, which becomes 7 when it runs."""
    cell = malloc(1)
    ok(aclrtMemsetAsync(cell, 1, 7, 1, stream))
    return cell


def ran(machine: Machine, *cells: int) -> list[bool]:
    return [machine.read(cell, 1, "u1")[0] == 7 for cell in cells]


# setting it


@pytest.mark.parametrize("mode", [0, 2, 1 << 63], ids=["0", "2", "2^63"])
def test_even_numbers_are_continue(machine: Machine, mode: int) -> None:
    """ "Only the lowest bit counts: 0 continue (default)"; "setting the mode it already has -> success"."""
    stream = create_stream()
    ok(set_mode(stream, mode))
    ok(set_mode(stream, 1))
    assert set_mode(stream, mode) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT


@pytest.mark.parametrize("mode", [1, 3, (1 << 64) - 1], ids=["1", "3", "2^64-1"])
def test_odd_numbers_are_stop(machine: Machine, mode: int) -> None:
    """ "1 stop"; again -> success; "stop back to continue -> 207000 (EE1016)", and it stays stop."""
    stream = create_stream()
    for _ in range(2):
        ok(set_mode(stream, mode))
    for _ in range(2):
        assert_status(set_mode(stream, CONTINUE), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1016)", "stream 1", "continue")
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT


@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310P3", "Ascend310B1"])
def test_a_null_stream_is_107000_but_on_a2_and_a3(soc: str) -> None:
    """ "Null is replaced by the default stream only on chips with DEVICE_CTRL_SQ (A2, A3, 950); 910, 310P, 310B:
    107000, EE1004" (public); the stream's own handle works."""
    with board(soc=soc):
        status = set_mode(None, STOP)
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EE1004)", "failed because stream cannot be a NULL pointer.")
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_PARAM_INVALID
        default = aclrtStream()
        ok(aclrtCtxGetCurrentDefaultStream(byref(default)))
        ok(set_mode(default, STOP))


def test_null_is_the_default_stream(machine: Machine) -> None:
    """ "Null stream = default stream"; other streams keep their own mode."""
    other, default = create_stream(), aclrtStream()
    ok(set_mode(None, STOP))
    ok(aclrtCtxGetCurrentDefaultStream(byref(default)))
    assert set_mode(default, CONTINUE) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    ok(set_mode(other, CONTINUE))


# continue


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_continue_is_the_default(schedule: str) -> None:
    """Later tasks of the stream run; the failure "surfaces at the next synchronise/query of that stream" (1.6)."""
    with board(schedule, on_undefined="report") as machine:
        one, other = create_stream(), create_stream()
        failing_task(one)
        cells = mark(one), mark(other)
        ok(aclrtSynchronizeStream(other))
        assert aclrtSynchronizeStream(one) == FAULT
        assert ran(machine, *cells) == [True, True]
        ok(aclrtSynchronizeDevice())
        ok(aclrtMemsetAsync(cells[0], 1, 8, 1, one))


# stop


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("stopping", ["the stream that fails", "another stream", "the default stream"])
def test_stop_drops_the_work_of_the_whole_context(schedule: str, stopping: str) -> None:
    """ "Setting stop on one stream puts the whole context in stop mode: after a failed task, later tasks of its streams
    are dropped and later calls return the failure"."""
    with board(schedule, on_undefined="report") as machine:
        one, other = create_stream(), create_stream()
        ok(set_mode({"the stream that fails": one, "another stream": other}.get(stopping), STOP))
        gates = [Gate(stream) for stream in (one, other, None)]
        failing_task(one)
        cells = [mark(stream) for stream in (one, other, None)]
        gates[0].open()
        assert_status(aclrtSynchronizeStream(one), FAULT, "target[1] is 3")
        for gate in gates[1:]:
            gate.open()
        for stream in (other, None, one):
            assert aclrtSynchronizeStream(stream) == FAULT
        assert ran(machine, *cells) == [False] * 3


def test_what_ran_before_the_failure_stays(reporting: Machine) -> None:
    stream = create_stream()
    ok(set_mode(stream, STOP))
    cell = mark(stream)
    failing_task(stream)
    assert aclrtSynchronizeStream(stream) == FAULT
    assert ran(reporting, cell) == [True]


def query(stream: aclrtStream) -> int:
    return aclrtStreamQuery(stream, byref(c_int32()))


WAITING: dict[str, Callable[[aclrtStream, aclrtEvent], int]] = {
    "aclrtSynchronizeStream": lambda stream, _: aclrtSynchronizeStream(stream),
    "aclrtSynchronizeStreamWithTimeout": lambda stream, _: aclrtSynchronizeStreamWithTimeout(stream, 1),
    "aclrtSynchronizeDevice": lambda *_: aclrtSynchronizeDevice(),
    "aclrtSynchronizeDeviceWithTimeout": lambda *_: aclrtSynchronizeDeviceWithTimeout(1),
    "aclrtStreamQuery": lambda stream, _: query(stream),
    "aclrtSynchronizeEvent": lambda _, event: aclrtSynchronizeEvent(event),
    "aclrtSynchronizeEventWithTimeout": lambda _, event: aclrtSynchronizeEventWithTimeout(event, 1),
    "aclrtQueryEvent": lambda _, event: aclrtQueryEvent(event, byref(c_int32())),
    "aclrtQueryEventStatus": lambda _, event: aclrtQueryEventStatus(event, byref(c_int32())),
}
LAUNCHING: dict[str, Callable[[aclrtStream, aclrtEvent], int]] = {
    "aclrtMemsetAsync": lambda stream, _: aclrtMemsetAsync(malloc(1), 1, 7, 1, stream),
    "aclrtRecordEvent": lambda stream, event: aclrtRecordEvent(event, stream),
    "aclrtStreamWaitEvent": aclrtStreamWaitEvent,
    "aclrtResetEvent": lambda stream, event: aclrtResetEvent(event, stream),
}
LATER = WAITING | LAUNCHING


def failing_before_a_record() -> tuple[aclrtStream, aclrtStream, aclrtEvent]:
    """In stop mode: a stream with a task that fails and a record behind it, another stream, the event."""
    one, other, event = create_stream(), create_stream(), event_of(aclrtCreateEvent)
    ok(set_mode(other, STOP))
    failing_task(one)
    ok(aclrtRecordEvent(event, one))
    return one, other, event


@pytest.mark.parametrize("call", LATER.values(), ids=LATER)
def test_later_calls_return_the_failure(reporting: Machine, call: Callable[[aclrtStream, aclrtEvent], int]) -> None:
    """ "Later calls return the failure", of the failed stream and of others, again and again."""
    one, other, event = failing_before_a_record()
    assert aclrtSynchronizeStream(one) == FAULT
    for stream in (one, other, one):
        aclrtGetLastError(LEVEL)
        assert_status(call(stream, event), FAULT, "target[1] is 3")
        assert aclrtGetLastError(LEVEL) == FAULT


@pytest.mark.parametrize("call", WAITING.values(), ids=WAITING)
def test_the_call_during_which_the_task_fails(
    reporting: Machine, call: Callable[[aclrtStream, aclrtEvent], int]
) -> None:
    """A host that waits for a record, or polls it, hears of the failure; it does not wait for ever for what was
    dropped."""
    one, _, event = failing_before_a_record()
    for _ in range(2):
        assert_status(call(one, event), FAULT, "target[1] is 3")
    assert [finding.id for finding in reporting.findings.worth_telling] == ["index-range"]


def test_another_context_goes_on(reporting: Machine) -> None:
    """ "The whole context", and no other."""
    ok(set_mode(None, STOP))
    failing_task(None)
    context = create_context()
    cell = mark(None)
    ok(aclrtSetDevice(0))
    assert aclrtSynchronizeStream(None) == FAULT
    ok(aclrtSetCurrentContext(context))
    ok(aclrtSynchronizeDevice())
    assert ran(reporting, cell) == [True]
    failing_task(None)
    cell = mark(None)
    assert aclrtSynchronizeStream(None) == FAULT
    ok(aclrtSynchronizeStream(None))
    assert ran(reporting, cell) == [True], "the mode of that context is still continue"


def test_streams_and_contexts_of_a_failed_context_can_be_given_up(reporting: Machine) -> None:
    """The destruction succeeds; the default context set up anew is in continue mode (ours)."""
    stream = create_stream()
    ok(set_mode(stream, STOP))
    failing_task(stream)
    assert aclrtSynchronizeStream(stream) == FAULT
    ok(aclrtDestroyStream(stream))
    assert aclrtSynchronizeDevice() == FAULT
    ok(aclrtResetDevice(0))
    ok(aclrtSetDevice(0))
    ok(aclrtSynchronizeDevice())
    failing_task(None)
    assert aclrtSynchronizeDevice() == FAULT
    ok(aclrtSynchronizeDevice())
    context = create_context()
    ok(set_mode(None, STOP))
    failing_task(None)
    assert aclrtSynchronizeStream(None) == FAULT
    ok(aclrtDestroyContext(context))


def test_a_wait_that_timed_out_is_a_failure_too(machine: Machine) -> None:
    """ "Expiry makes the stream fail" (public)."""
    one, other = create_stream(), create_stream()
    ok(set_mode(one, STOP))
    ok(aclrtStreamWaitEventWithTimeout(one, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC), 1))
    cells = mark(one), mark(other)
    assert_status(aclrtSynchronizeStream(one), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "(EZ2001)", "timeout of 1 s")
    assert aclrtMemsetAsync(cells[1], 1, 8, 1, other) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
    assert ran(machine, *cells) == [False, False]


def test_stop_set_after_the_failure(reporting: Machine) -> None:
    """The earlier failure is returned once, as in continue mode (ours)."""
    stream = create_stream()
    failing_task(stream)
    assert query(stream) == FAULT
    ok(set_mode(stream, STOP))
    cell = mark(stream)
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert ran(reporting, cell) == [True]
