"""Recording events, waiting for them in streams, resetting and destroying them (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.stream_gate import Gate

pytestmark = pytest.mark.finds("event-misuse")

PLAIN, EX = aclrtCreateEventWithFlag, aclrtCreateEventExWithFlag
SYNC = ACL_EVENT_SYNC
WAITABLE = 4
READY, NOT_READY = ACL_EVENT_RECORDED_STATUS_COMPLETE, ACL_EVENT_RECORDED_STATUS_NOT_READY
Wait = Callable[[aclrtStream, aclrtEvent], int]
WAITS: dict[str, Wait] = {
    "aclrtStreamWaitEvent": aclrtStreamWaitEvent,
    "aclrtStreamWaitEventWithTimeout": lambda stream, event: aclrtStreamWaitEventWithTimeout(stream, event, 0),
    "aclrtStreamWaitEventWithFlag": lambda stream, event: aclrtStreamWaitEventWithFlag(stream, event, 0, 0),
}


def every_wait() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)


def status_of(event: aclrtEvent) -> int:
    status = c_int32(-1)
    ok(aclrtQueryEventStatus(event, byref(status)))
    return status.value


def say(stream: aclrtStream, seen: list[str], word: str) -> None:
    """Queue a task that appends a word to a list."""
    ok(aclrtLaunchHostFunc(stream, seen.append, word))


def names(machine: Machine) -> list[tuple[str, str]]:
    return [(task.stream, task.name) for task in machine.tasks]


# waiting


@pytest.mark.parametrize("schedule", SCHEDULES)
@every_wait()
def test_a_stream_waits_for_what_stands_before_the_record(schedule: str, wait: Wait) -> None:
    """ "Different streams: unordered unless linked by events" (public)."""
    with board(schedule):
        seen: list[str] = []
        one, other, event = create_stream(), create_stream(), event_of(aclrtCreateEvent)
        gate = Gate(one)
        say(one, seen, "before")
        ok(aclrtRecordEvent(event, one))
        ok(wait(other, event))
        say(other, seen, "after")
        gate.open()
        ok(aclrtSynchronizeStream(other))
        assert seen == ["before", "after"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_latest_record_at_call_time_is_waited_for(schedule: str) -> None:
    """ "Makes the stream wait for the event's latest record at call time": not for a later record."""
    with board(schedule):
        seen: list[str] = []
        one, other, event = create_stream(), create_stream(), event_of(aclrtCreateEvent)
        ok(aclrtRecordEvent(event, one))
        ok(aclrtStreamWaitEvent(other, event))
        gate = Gate(one)
        say(one, seen, "behind the first record")
        ok(aclrtRecordEvent(event, one))
        say(other, seen, "other")
        ok(aclrtSynchronizeStream(other))
        assert seen == ["other"]
        gate.open()
        ok(aclrtSynchronizeStream(one))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_second_record_overwrites_the_first(schedule: str) -> None:
    """ "A second record overwrites the first": a wait that is queued after it waits for the second record."""
    with board(schedule):
        seen: list[str] = []
        one, two, other, event = *(create_stream() for _ in range(3)), event_of(aclrtCreateEvent)
        ok(aclrtRecordEvent(event, one))
        ok(aclrtSynchronizeEvent(event))
        assert status_of(event) == READY
        gate = Gate(two)
        say(two, seen, "before the second")
        ok(aclrtRecordEvent(event, two))
        assert status_of(event) == NOT_READY
        ok(aclrtStreamWaitEvent(other, event))
        say(other, seen, "other")
        gate.open()
        ok(aclrtSynchronizeStream(other))
        assert seen == ["before the second", "other"]
        assert status_of(event) == READY


@every_wait()
def test_never_recorded_new_mode_is_not_waited_for(machine: Machine, wait: Wait) -> None:
    """ "Event never recorded: new-mode event -> no-op, success"."""
    ok(wait(create_stream(), event_of(EX, SYNC)))
    ok(wait(None, event_of(EX, WAITABLE)))  # type: ignore[arg-type]
    assert not machine.scheduler.busy


@every_wait()
def test_never_recorded_sync_is_waited_for(machine: Machine, wait: Wait) -> None:
    """ "Classic event with SYNC flag -> really waits until someone records it"."""
    seen: list[str] = []
    one, other, event = create_stream(), create_stream(), event_of(PLAIN, SYNC)
    ok(wait(one, event))
    say(one, seen, "after")
    ok(aclrtSynchronizeStream(other))
    say(other, seen, "before")
    ok(aclrtRecordEvent(event, other))
    ok(aclrtSynchronizeStream(one))
    assert seen == ["before", "after"]


@every_wait()
@pytest.mark.parametrize(
    "create", [lambda: event_of(aclrtCreateEvent), lambda: event_of(PLAIN, WAITABLE)], ids=["plain", "waitable"]
)
def test_never_recorded_classic_without_sync_107000(machine: Machine, wait: Wait, create: Any) -> None:
    """ "Classic without SYNC -> 107000 (EE1018)". The text has the event's history."""
    words = ("(EE1018)", "event 1", "created at", "never recorded", "aclrtRecordEvent")
    assert_status(wait(create_stream(), create()), ACL_ERROR_RT_PARAM_INVALID, *words)
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_PARAM_INVALID
    assert not machine.scheduler.busy


def test_an_event_of_another_device_is_waited_for(two: Machine) -> None:
    """Ours: a stream can wait for an event of another context or another device. Only the stream must belong to the
    current context."""
    seen: list[str] = []
    ok(aclrtSetDevice(0))
    event, one = event_of(aclrtCreateEvent), create_stream()
    say(one, seen, "device 0")
    ok(aclrtRecordEvent(event, one))
    for device in (0, 1):
        create_context(device)
        ok(aclrtStreamWaitEvent(None, event))
        ok(aclrtLaunchHostFunc(None, seen.append, f"context of device {device}"))
        ok(aclrtSynchronizeStream(None))
    assert seen == ["device 0", "context of device 0", "context of device 1"]


# reset


def test_reset_returns_the_event_to_not_recorded(machine: Machine) -> None:
    """ "Asynchronous in stream order: returns the event to not recorded"; never recorded, aclrtQueryEvent says
    COMPLETE and aclrtQueryEventStatus NOT_READY."""
    stream, event, status = create_stream(), event_of(aclrtCreateEvent), c_int32(-1)
    ok(aclrtRecordEvent(event, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtResetEvent(event, stream))
    assert status_of(event) == READY, "the stream has not come to it"
    ok(aclrtSynchronizeStream(stream))
    assert status_of(event) == NOT_READY
    ok(aclrtQueryEvent(event, byref(status)))
    assert status.value == ACL_EVENT_STATUS_COMPLETE
    ok(aclrtSynchronizeEvent(event))
    assert_status(aclrtStreamWaitEvent(stream, event), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)", "reset")
    ok(aclrtRecordEvent(event, stream))
    ok(aclrtStreamWaitEvent(stream, event))
    ok(aclrtSynchronizeStream(stream))
    assert status_of(event) == READY
    assert [name for _, name in names(machine)] == [
        "record of event 1",
        "reset of event 1",
        "record of event 1",
        "wait for event 1",
    ]


def test_a_wait_before_the_reset_is_not_undone(machine: Machine) -> None:
    """The usual order: record, wait in another stream, reset there."""
    seen: list[str] = []
    one, other, event = create_stream(), create_stream(), event_of(aclrtCreateEvent)
    for word in ("first", "second"):
        say(one, seen, word)
        ok(aclrtRecordEvent(event, one))
        ok(aclrtStreamWaitEvent(other, event))
        ok(aclrtResetEvent(event, other))
        say(other, seen, f"after {word}")
    ok(aclrtSynchronizeStream(other))
    assert seen == ["first", "after first", "second", "after second"]


def test_a_reset_that_runs_before_the_record(machine: Machine) -> None:
    """The reset does nothing, and the record that runs after it stays."""
    one, other, event = create_stream(), create_stream(), event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, one))
    ok(aclrtResetEvent(event, other))
    ok(aclrtSynchronizeStream(other))
    ok(aclrtSynchronizeStream(one))
    assert status_of(event) == READY


def test_a_sync_event_is_waited_for_again_after_a_reset(machine: Machine) -> None:
    seen: list[str] = []
    one, other, event = create_stream(), create_stream(), event_of(PLAIN, SYNC)
    ok(aclrtRecordEvent(event, one))
    ok(aclrtResetEvent(event, one))
    ok(aclrtSynchronizeStream(one))
    ok(aclrtStreamWaitEvent(other, event))
    say(other, seen, "other")
    say(one, seen, "one")
    ok(aclrtRecordEvent(event, one))
    ok(aclrtSynchronizeStream(other))
    assert seen == ["one", "other"]


def test_reset_of_an_event_never_recorded(machine: Machine) -> None:
    event = event_of(PLAIN, SYNC)
    ok(aclrtResetEvent(event, None))
    ok(aclrtSynchronizeStream(None))
    assert status_of(event) == NOT_READY


# destroying


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_destroying_returns_at_once_even_if_tasks_use_the_event(schedule: str) -> None:
    """ "Returns at once even if tasks still use it (freed later)": the record and the waits go on."""
    with board(schedule) as machine:
        one, other, event = create_stream(), create_stream(), event_of(aclrtCreateEvent)
        cell = malloc(1)
        ok(aclrtMemset(cell, 1, 0, 1))
        gate = Gate(one)
        ok(aclrtMemsetAsync(cell, 1, 7, 1, one))
        ok(aclrtRecordEvent(event, one))
        ok(aclrtStreamWaitEvent(other, event))
        ok(aclrtDestroyEvent(event))
        assert machine.read(cell, 1, "u1") == 0
        gate.open()
        ok(aclrtSynchronizeStream(other))
        assert machine.read(cell, 1, "u1") == 7


def test_new_mode_is_recorded_again_without_a_reset(machine: Machine) -> None:
    """ "New mode: re-recordable without reset"; each record has its own time."""
    event = event_of(EX, SYNC | ACL_EVENT_TIME_LINE)
    for number in range(1, 4):
        ok(aclrtRecordEvent(event, None))
        ok(aclrtSynchronizeEvent(event))
        assert machine.clock.now == number
