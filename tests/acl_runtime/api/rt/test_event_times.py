"""The simulated time of events, and their numbers (public; ours: clock)."""

from collections.abc import Callable
from ctypes import byref, c_float, c_uint32, c_uint64
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, event_of
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, ok

PLAIN, EX = aclrtCreateEventWithFlag, aclrtCreateEventExWithFlag
SYNC, TIME, WAITABLE = ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE, 4


def work(stream: aclrtStream | None, us: int) -> None:
    """Queue a task that takes 1 us, plus 1 us for each MB."""
    size = (us - 1) * 1_000_000
    ok(aclrtMemsetAsync(malloc(size), size, 0, size, stream))


def ran(*events: aclrtEvent) -> None:
    """Record them one after the other in the default stream, and wait."""
    for event in events:
        ok(aclrtRecordEvent(event, None))
    ok(aclrtSynchronizeStream(None))


def elapsed(start: aclrtEvent, end: aclrtEvent) -> float:
    milliseconds = c_float(-5)
    ok(aclrtEventElapsedTime(byref(milliseconds), start, end))
    return milliseconds.value


def timestamp(event: aclrtEvent) -> int:
    us = c_uint64()
    ok(aclrtEventGetTimestamp(event, byref(us)))
    return us.value


@pytest.mark.fidelity("time")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_elapsed_time_is_the_difference_of_the_timestamps(schedule: str) -> None:
    """ "Milliseconds as float, negative allowed when end precedes start"; timestamps in "microseconds". By hand: a
    record ends at 1 us, the memset of 7 MB at 9, the next record at 10."""
    with board(schedule):
        start, end = event_of(aclrtCreateEvent), event_of(EX, TIME)
        ok(aclrtRecordEvent(start, None))
        work(None, 8)
        ok(aclrtRecordEvent(end, None))
        ok(aclrtSynchronizeEvent(end))
        assert (timestamp(start), timestamp(end)) == (1, 10)
        assert elapsed(start, end) == c_float(0.009).value
        assert elapsed(end, start) == c_float(-0.009).value
        assert elapsed(start, start) == 0


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_elapsed_time_may_span_two_streams(schedule: str) -> None:
    """ "Needs no particular stream". By hand: the memset of 3 MB ends at 4 us and its record at 5; the wait of the
    other stream ends at 6, and its record at 7. The record of a third stream, which waits for nothing, ended at 1."""
    with board(schedule):
        one, other, third = (create_stream() for _ in range(3))
        events = [event_of(aclrtCreateEvent) for _ in range(3)]
        work(one, 4)
        ok(aclrtRecordEvent(events[0], one))
        ok(aclrtStreamWaitEvent(other, events[0]))
        ok(aclrtRecordEvent(events[1], other))
        ok(aclrtRecordEvent(events[2], third))
        for event in events:
            ok(aclrtSynchronizeEvent(event))
        assert [timestamp(event) for event in events] == [5, 7, 1]
        assert elapsed(events[2], events[1]) == c_float(0.006).value


def test_the_latest_record_counts(machine: Machine) -> None:
    start, end = event_of(aclrtCreateEvent), event_of(aclrtCreateEvent)
    ran(start, end, end, end)
    assert elapsed(start, end) == c_float(0.003).value


@pytest.mark.fidelity("time")
def test_host_time_between_two_launches_counts(machine: Machine) -> None:
    """A device is idle until the host launches: `machine.clock.advance(us)` (ours)."""
    start, end = event_of(aclrtCreateEvent), event_of(aclrtCreateEvent)
    ran(start)
    machine.clock.advance(1500)
    ran(end)
    assert (timestamp(start), timestamp(end)) == (1, 1502)
    assert elapsed(start, end) == c_float(1.501).value


def pending(_: Any = None) -> aclrtEvent:
    event = event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, None))
    return event


def untimed() -> aclrtEvent:
    event = event_of(PLAIN, SYNC | WAITABLE | ACL_EVENT_CAPTURE_STREAM_PROGRESS)
    ran(event)
    return event


def reset() -> aclrtEvent:
    event = event_of(aclrtCreateEvent)
    ran(event)
    ok(aclrtResetEvent(event, None))
    ok(aclrtSynchronizeStream(None))
    return event


UNRECORDED, INVALID = ACL_ERROR_RT_INTERNAL_ERROR, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID
TIMELESS: dict[str, tuple[Callable[[], aclrtEvent], int, tuple[str, ...]]] = {
    "not-recorded-507000": (lambda: event_of(aclrtCreateEvent), UNRECORDED, ("never recorded", "created at")),
    "not-recorded-new-mode-507000": (lambda: event_of(EX, TIME), UNRECORDED, ("never recorded", "created at")),
    "neither-recorded-nor-timed-507000": (lambda: event_of(PLAIN, SYNC), UNRECORDED, ("never recorded",)),
    "reset-507000": (reset, UNRECORDED, ("reset",)),
    "no-time-line-107006": (untimed, INVALID, ("ACL_EVENT_TIME_LINE", "created at")),
    "not-completed-107006": (pending, INVALID, ("has not run yet", "synchronise")),
}


@pytest.mark.parametrize(("create", "status", "words"), TIMELESS.values(), ids=TIMELESS)
def test_events_without_a_time_are_refused(
    machine: Machine, create: Callable[[], aclrtEvent], status: int, words: tuple[str, ...]
) -> None:
    """ "Not recorded -> 507000. No TIME_LINE flag, or not completed -> 107006"; timestamps: "same conditions"."""
    fine = event_of(aclrtCreateEvent)
    ran(fine)
    event, ms, us = create(), c_float(5), c_uint64(5)
    for call in (
        lambda: aclrtEventElapsedTime(byref(ms), event, fine),
        lambda: aclrtEventElapsedTime(byref(ms), fine, event),
        lambda: aclrtEventGetTimestamp(event, byref(us)),
    ):
        assert_status(call(), status, "event 2", *words)
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == status
    assert (ms.value, us.value) == (5, 5)


def test_unrecorded_before_untimed_507000(machine: Machine) -> None:
    """If one event is unrecorded and the other has no time, the unrecorded one decides the status."""
    status = aclrtEventElapsedTime(byref(c_float()), untimed(), event_of(aclrtCreateEvent))
    assert_status(status, UNRECORDED, "event 2")


def test_each_device_numbers_its_events(two: Machine) -> None:
    """Each device numbers its events, the lowest free number first (ours)."""

    def number(event: aclrtEvent) -> int:
        found = c_uint32(77)
        ok(aclrtGetEventId(event, byref(found)))
        return found.value

    ok(aclrtSetDevice(0))
    events = [event_of(aclrtCreateEvent), event_of(PLAIN, SYNC), event_of(EX, SYNC)]
    assert [number(event) for event in events] == [0, 1, 2]
    ok(aclrtSetDevice(1))
    assert number(event_of(aclrtCreateEvent)) == 0
    assert number(events[2]) == 2
    ok(aclrtDestroyEvent(events[1]))
    ok(aclrtSetDevice(0))
    assert number(event_of(aclrtCreateEvent)) == 1
