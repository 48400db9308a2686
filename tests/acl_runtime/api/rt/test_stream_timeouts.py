"""Waiting for a stream with a timeout, and querying it (public)."""

import threading
from collections.abc import Callable
from ctypes import byref, c_int32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream, event_of
from tests.helpers.failing_tasks import failing_task
from tests.helpers.host_threads import Host, wait
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok, text
from tests.helpers.stream_gate import Gate

LEVEL = ACL_RT_THREAD_LEVEL
LIMITED = aclrtSynchronizeStreamWithTimeout


def records(count: int, stream: aclrtStream | None = None) -> None:
    """Queue `count` tasks of 1 us each."""
    event = event_of(aclrtCreateEvent)
    for _ in range(count):
        ok(aclrtRecordEvent(event, stream))


def query(stream: aclrtStream | None) -> tuple[int, int]:
    """The status of aclrtStreamQuery, and the value that it wrote, -5 if none."""
    status = c_int32(-5)
    return int(aclrtStreamQuery(stream, byref(status))), status.value


# the timeout


@pytest.mark.parametrize("timeout", [0, -2, -(1 << 31)], ids=["0-107000", "-2-107000", "least-107000"])
def test_timeout_out_of_range_107000(machine: Machine, timeout: int) -> None:
    """ "0 or < -1 -> 107000", although nothing is queued. The runtime layer refuses, so it is the last error."""
    words = ("(EE1003)", "timeout", str(timeout), "-1")
    assert_status(LIMITED(None, timeout), ACL_ERROR_RT_PARAM_INVALID, *words)
    assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_PARAM_INVALID


@pytest.mark.fidelity("a timeout")
@pytest.mark.parametrize("null", [False, True], ids=["explicit", "null-is-default"])
@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
@pytest.mark.parametrize(
    ("tasks", "status"), [(1000, ACL_SUCCESS), (1001, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)], ids=["1-ms", "507046"]
)
def test_the_timeout_is_in_milliseconds_and_expires_with_507046(
    null: bool, schedule: str, tasks: int, status: int
) -> None:
    """ "ms; [...] expiry 507046 (EE1002)": work that is done after exactly 1 ms is in time. "After a timeout the stream
    is still usable; a later synchronise may succeed"."""
    with board(schedule) as machine:
        stream = None if null else create_stream()
        records(tasks, stream)
        found = LIMITED(stream, 1)
        assert_status(found, status, *(("(EE1002)", "Stream synchronisation timed out") if status else ()))
        assert aclrtGetLastError(LEVEL) == status
        assert machine.clock.now == 1000
        ok(LIMITED(stream, 1))
        assert machine.clock.now == tasks
        records(1, stream)
        ok(aclrtSynchronizeStream(stream))


def test_text_tells_what_is_still_queued(machine: Machine) -> None:
    records(1002)
    assert_status(
        LIMITED(None, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "record of event 1 in the default stream", "launched"
    )


def test_minus_1_is_for_ever(machine: Machine) -> None:
    """ "-1 forever": a wait of 5 s ends; one that can never end is a deadlock."""
    event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    ok(aclrtStreamWaitEventWithTimeout(None, event, 5))
    assert_status(LIMITED(None, -1), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "(EZ2001)")
    ok(aclrtStreamWaitEvent(None, event))
    assert finding_of(lambda: LIMITED(None, -1))[0] == "deadlock"


@pytest.mark.fidelity("a timeout")
def test_work_that_cannot_be_done_507046(machine: Machine) -> None:
    """A timeout "expires when the work it waits for [...] cannot finish" (ours), and the clock advances by the
    timeout."""
    one, other, event = create_stream(), create_stream(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    ok(aclrtStreamWaitEvent(one, event))
    assert_status(LIMITED(one, 7), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "wait for event 1 in stream 1")
    assert machine.clock.now == 7000
    ok(aclrtRecordEvent(event, other))
    ok(LIMITED(one, 1))
    assert machine.clock.now == 7002, "recorded at 7001, waited for until 7002"


@pytest.mark.fidelity("a timeout")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_timeouts_with_other_host_threads(schedule: str) -> None:
    """Timeouts take no real time, except under `threads`, where worker threads run the tasks (ours)."""
    with board(schedule):
        stream = create_stream()
        gate = Gate(stream)
        assert LIMITED(stream, 3) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
        text()
        gate.open()
        ok(LIMITED(stream, 10_000))


# synchronising


def test_with_nothing_pending_it_returns_at_once(machine: Machine) -> None:
    """ "Nothing pending: 0 at once" (public)."""
    for stream in (create_stream(), None):
        ok(aclrtSynchronizeStream(stream))
        ok(LIMITED(stream, 1))
    assert machine.clock.now == 0


def test_only_what_was_submitted_before_the_call_is_waited_for(machine: Machine) -> None:
    """ "Blocks until all tasks submitted before the call are done" (public): tasks that another thread submits
    meanwhile are not waited for."""
    stream, inside, go = create_stream(), threading.Event(), threading.Event()

    def first(_: object) -> None:
        inside.set()
        wait(go)

    def submit() -> Gate:
        ok(aclrtSetDevice(0))
        wait(inside)
        gate = Gate(stream)
        go.set()
        return gate

    other = Host(submit)
    ok(aclrtLaunchHostFunc(stream, first, None))
    ok(aclrtSynchronizeStream(stream))
    gate = other.end()
    assert query(stream) == (ACL_SUCCESS, ACL_STREAM_STATUS_NOT_READY)
    gate.open()
    ok(aclrtSynchronizeStream(stream))


@pytest.mark.parametrize("call", [aclrtSynchronizeStream, lambda stream: LIMITED(stream, 1)], ids=["plain", "limited"])
def test_a_failed_task_returns_its_device_code(call: Callable[[aclrtStream], int]) -> None:
    """ "A task failed asynchronously: returns its device code" (public), once, for its own stream."""
    with board(on_undefined="report"):
        one, other = create_stream(), create_stream()
        failing_task(one)
        ok(call(other))
        assert_status(call(one), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "target[1] is 3")
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
        ok(call(one))


# queries


def test_a_query_answers_complete_or_not_ready(machine: Machine) -> None:
    """ "0 complete / 1 not ready"; null is the default stream. The host's clock advances when the host sees it
    complete."""
    for number, stream in enumerate((create_stream(), None)):
        assert query(stream) == (ACL_SUCCESS, ACL_STREAM_STATUS_COMPLETE)
        records(3, stream)
        assert [query(stream)[1] for _ in range(3)] == [ACL_STREAM_STATUS_NOT_READY] * 2 + [ACL_STREAM_STATUS_COMPLETE]
        assert machine.clock.now == 3 + 3 * number


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_query_of_a_stream_that_cannot_go_on(schedule: str) -> None:
    with board(schedule):
        stream = create_stream()
        gate = Gate(stream)
        records(1, stream)
        assert [query(stream) for _ in range(3)] == [(ACL_SUCCESS, ACL_STREAM_STATUS_NOT_READY)] * 3
        gate.open()
        ok(aclrtSynchronizeStream(stream))
        assert query(stream) == (ACL_SUCCESS, ACL_STREAM_STATUS_COMPLETE)


def test_query_returns_an_asynchronous_failure() -> None:
    """ "An asynchronous failure is returned as the function's code"; nothing is written then."""
    with board(on_undefined="report"):
        stream = create_stream()
        failing_task(stream)
        assert query(stream) == (ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, -5)
        assert "target[1] is 3" in text()
        assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
        assert query(stream) == (ACL_SUCCESS, ACL_STREAM_STATUS_COMPLETE)
        ok(aclrtSynchronizeStream(stream))
