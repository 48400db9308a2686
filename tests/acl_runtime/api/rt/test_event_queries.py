"""Querying events, and waiting for them on the host (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, event_of
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok
from tests.helpers.stream_gate import Gate

PLAIN, EX = aclrtCreateEventWithFlag, aclrtCreateEventExWithFlag
SYNC, TIME, WAITABLE = ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE, 4
READY, PENDING = ACL_EVENT_RECORDED_STATUS_COMPLETE, ACL_EVENT_RECORDED_STATUS_NOT_READY


def answer(call: Callable[..., int], event: aclrtEvent) -> int:
    status = c_int32(-1)
    ok(call(event, byref(status)))
    return status.value


def work(stream: aclrtStream | None, us: int) -> None:
    """Queue a task that takes 1 us, plus 1 us for each MB."""
    size = (us - 1) * 1_000_000
    ok(aclrtMemsetAsync(malloc(size), size, 0, size, stream))


# queries


@pytest.mark.parametrize(
    ("create", "flag", "expected"),
    [(PLAIN, SYNC, PENDING), (PLAIN, TIME, PENDING), (EX, SYNC, READY), (EX, TIME, READY)],
    ids=["classic-not-ready", "classic-time-line-not-ready", "new-mode-complete", "new-mode-time-line-complete"],
)
def test_the_status_of_an_unrecorded_event_depends_on_its_mode(
    machine: Machine, create: Callable[..., int], flag: int, expected: int
) -> None:
    """ "Never recorded: classic -> NOT_READY (0), new mode -> COMPLETE (1)"."""
    assert answer(aclrtQueryEventStatus, event_of(create, flag)) == expected


def test_an_unrecorded_event_is_complete_to_query_event(machine: Machine) -> None:
    """aclrtQueryEvent: "never recorded -> COMPLETE (0)"."""
    assert answer(aclrtQueryEvent, event_of(PLAIN, SYNC)) == ACL_EVENT_STATUS_COMPLETE


@pytest.mark.parametrize(
    ("query", "before", "after"),
    [
        (aclrtQueryEventStatus, PENDING, READY),
        (aclrtQueryEvent, ACL_EVENT_STATUS_NOT_READY, ACL_EVENT_STATUS_COMPLETE),
    ],
    ids=["aclrtQueryEventStatus", "aclrtQueryEvent"],
)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_complete_when_the_record_has_run(schedule: str, query: Callable[..., int], before: int, after: int) -> None:
    """ "After record: COMPLETE when the record task has run"."""
    with board(schedule):
        stream, event = create_stream(), event_of(aclrtCreateEvent)
        gate = Gate(stream)
        ok(aclrtRecordEvent(event, stream))
        assert [answer(query, event) for _ in range(3)] == [before] * 3
        gate.open()
        ok(aclrtSynchronizeStream(stream))
        assert answer(query, event) == after


@pytest.mark.parametrize("query", [aclrtQueryEventStatus, aclrtQueryEvent], ids=lambda call: call.__name__)
def test_each_query_lets_a_task_run_so_polling_ends(machine: Machine, query: Callable[..., int]) -> None:
    """ "A query lets one task of that stream run, then answers, so polling ends" (ours)."""
    stream, event = create_stream(), event_of(aclrtCreateEvent)
    for _ in range(3):
        work(stream, 2)
    ok(aclrtRecordEvent(event, stream))
    answers = [answer(query, event) for _ in range(4)]
    assert len(set(answers[:3])) == 1
    assert answers[3] != answers[2]
    assert machine.clock.now == 7, "the host saw it complete"


def test_the_wait_status_is_complete_when_all_waits_are_done(machine: Machine) -> None:
    """ "Whether all waits on the event are done: 0 complete / 1 not ready"."""
    one, other, third, event = *(create_stream() for _ in range(3)), event_of(aclrtCreateEvent)
    assert answer(aclrtQueryEventWaitStatus, event) == ACL_EVENT_WAIT_STATUS_COMPLETE
    ok(aclrtRecordEvent(event, one))
    assert answer(aclrtQueryEventWaitStatus, event) == ACL_EVENT_WAIT_STATUS_COMPLETE, "a record is no wait"
    gates = [Gate(stream) for stream in (other, third)]
    for stream in (other, third):
        ok(aclrtStreamWaitEvent(stream, event))
    for gate, stream in zip(gates, (other, third), strict=True):
        assert answer(aclrtQueryEventWaitStatus, event) == ACL_EVENT_WAIT_STATUS_NOT_READY
        gate.open()
        ok(aclrtSynchronizeStream(stream))
    assert answer(aclrtQueryEventWaitStatus, event) == ACL_EVENT_WAIT_STATUS_COMPLETE


# synchronising


@pytest.mark.parametrize("create", [PLAIN, EX], ids=["classic", "new mode"])
def test_synchronising_an_unrecorded_event_returns_at_once(machine: Machine, create: Callable[..., int]) -> None:
    """ "Never recorded -> success at once"."""
    event = event_of(create, SYNC)
    ok(aclrtSynchronizeEvent(event))
    ok(aclrtSynchronizeEventWithTimeout(event, 1))
    assert machine.clock.now == 0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_synchronise_blocks_until_the_latest_record(schedule: str) -> None:
    """ "Blocks the host until the latest record completed": the memset and both records, but not the tasks after
    them."""
    with board(schedule) as machine:
        stream, event = create_stream(), event_of(aclrtCreateEvent)
        ok(aclrtRecordEvent(event, stream))
        work(stream, 5)
        ok(aclrtRecordEvent(event, stream))
        Gate(stream)
        ok(aclrtSynchronizeEvent(event))
        assert machine.clock.now == 7
        assert answer(aclrtQueryEventStatus, event) == READY


@pytest.mark.parametrize(
    ("timeout", "recorded"),
    [(0, ACL_ERROR_RT_PARAM_INVALID), (-2, ACL_SUCCESS), (-(1 << 31), ACL_SUCCESS)],
    ids=["0-107000-remembered", "below-minus-1-107000-not-remembered", "least-107000-not-remembered"],
)
def test_timeout_out_of_range_107000(machine: Machine, timeout: int, recorded: int) -> None:
    """ "0 or < -1 -> 107000 (a timeout below -1 is tested before the null event)", by the ACL layer, which leaves no
    last error: "the few 107000 answers it gives itself, such as an event timeout below its range"."""
    status = aclrtSynchronizeEventWithTimeout(event_of(aclrtCreateEvent), timeout)
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "timeout", str(timeout), "-1")
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == recorded


@pytest.mark.parametrize(
    ("us", "status"), [(1000, ACL_SUCCESS), (1001, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)], ids=["1-ms", "507047"]
)
def test_the_timeout_is_in_milliseconds_and_expires_with_507047(machine: Machine, us: int, status: int) -> None:
    """ "ms; expiry 507047": a record that runs after exactly 1 ms is in time. A timeout does not change the event, and
    the host's clock has advanced by 1 ms."""
    event = event_of(aclrtCreateEvent)
    for _ in range(us):
        ok(aclrtRecordEvent(event, None))
    assert_status(
        aclrtSynchronizeEventWithTimeout(event, 1), status, *(("(EE1002)", "event 1", "has not run") if status else ())
    )
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == status
    assert machine.clock.now == 1000
    ok(aclrtSynchronizeEventWithTimeout(event, -1))
    assert machine.clock.now == us


def test_a_record_that_can_never_run(machine: Machine) -> None:
    """A timeout "expires when the work it waits for [...] cannot finish" (ours); without a timeout it is a deadlock."""
    stream, event = create_stream(), event_of(aclrtCreateEvent)
    ok(aclrtStreamWaitEvent(stream, event_of(PLAIN, SYNC)))
    ok(aclrtRecordEvent(event, stream))
    status = aclrtSynchronizeEventWithTimeout(event, 5)
    assert_status(status, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "(EE1002)", "stream 1")
    assert machine.clock.now == 5000
    assert finding_of(lambda: aclrtSynchronizeEvent(event))[0] == "deadlock"
