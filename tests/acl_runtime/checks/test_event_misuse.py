"""Waits for events that were never recorded, and the history of an event in the texts of refused calls (ours)."""

from collections.abc import Callable
from ctypes import byref, c_float
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream, event_of
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, ok

pytestmark = pytest.mark.finds("event-misuse")

HERE = "test_event_misuse.py:"
NEW = (aclrtCreateEventExWithFlag, ACL_EVENT_SYNC)
Wait = Callable[[aclrtStream, aclrtEvent], int]
WAITS: dict[str, Wait] = {
    "aclrtStreamWaitEvent": aclrtStreamWaitEvent,
    "aclrtStreamWaitEventWithTimeout": lambda stream, event: aclrtStreamWaitEventWithTimeout(stream, event, 1),
    "aclrtStreamWaitEventWithFlag": lambda stream, event: aclrtStreamWaitEventWithFlag(stream, event, 1, 0),
}


def misuses(machine: Machine) -> list[Any]:
    return [finding for finding in machine.findings if finding.id == "event-misuse"]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", WAITS)
def test_a_wait_for_an_event_never_recorded(schedule: str, wait: str) -> None:
    """New-mode event: "no-op, success", and so a warning with the event's history; a record that comes later does not
    change that (ours)."""
    with board(schedule) as machine:
        first, second, event = create_stream(), create_stream(), event_of(*NEW)
        ok(WAITS[wait](second, event))
        ok(aclrtRecordEvent(event, first))
        ok(aclrtSynchronizeDevice())
        (finding,) = misuses(machine)
        assert (finding.level, finding.call) == ("warning", wait)
        assert "stream 2 does not wait for event 1, which was never recorded" in finding.what
        assert [past.what for past in finding.history] == ["event 1 was created"]
        assert "aclrtRecordEvent" in finding.hint


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", WAITS)
def test_a_wait_for_a_recorded_event(schedule: str, wait: str) -> None:
    """The good twin: record, then wait (ours)."""
    with board(schedule) as machine:
        first, second, event = create_stream(), create_stream(), event_of(*NEW)
        ok(aclrtRecordEvent(event, first))
        ok(WAITS[wait](second, event))
        ok(aclrtSynchronizeDevice())
    assert misuses(machine) == []


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_sync_event_waits_for_the_coming_record(schedule: str) -> None:
    """A classic event with ACL_EVENT_SYNC: the wait is a wait (ours)."""
    with board(schedule) as machine:
        first, second, event = create_stream(), create_stream(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        ok(aclrtStreamWaitEvent(second, event))
        ok(aclrtRecordEvent(event, first))
        ok(aclrtSynchronizeDevice())
    assert misuses(machine) == []


@pytest.mark.parametrize("create", [NEW, (aclrtCreateEvent,)], ids=["new mode", "classic"])
def test_the_host_may_wait_for_an_event_never_recorded(machine: Machine, create: tuple[Any, ...]) -> None:
    """The first round of many loops: "never recorded -> success at once" (ours)."""
    ok(aclrtSynchronizeEvent(event_of(*create)))
    assert machine.findings == []


@pytest.mark.fidelity("the first rounds of a pipeline wait for events that were never recorded")
@pytest.mark.parametrize("rounds", [3, 8])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_first_rounds_of_a_pipeline_are_no_finding(schedule: str, rounds: int) -> None:
    """Two buffers, two streams: a buffer that nobody has used yet has nothing to wait for. The findings of the first
    rounds are withdrawn when their line does wait (findings, a false alarm is worse)."""
    with board(schedule) as machine:
        filling, using = create_stream(), create_stream()
        full, empty = ([event_of(*NEW) for _ in range(2)] for _ in range(2))
        for step in range(rounds):
            ok(aclrtStreamWaitEvent(filling, empty[step % 2]))
            ok(aclrtRecordEvent(full[step % 2], filling))
            ok(aclrtStreamWaitEvent(using, full[step % 2]))
            ok(aclrtRecordEvent(empty[step % 2], using))
        ok(aclrtSynchronizeDevice())
    assert misuses(machine) == []


@pytest.mark.fidelity("the first rounds of a pipeline wait for events that were never recorded")
def test_another_line_does_not_make_up_for_it(machine: Machine) -> None:
    """A wait that came too early stays one, whoever waits for the record later (ours)."""
    first, second, event = create_stream(), create_stream(), event_of(*NEW)
    ok(aclrtStreamWaitEvent(second, event))
    ok(aclrtRecordEvent(event, first))
    ok(aclrtStreamWaitEvent(second, event))
    assert len(misuses(machine)) == 1


@pytest.mark.fidelity("the first rounds of a pipeline wait for events that were never recorded")
def test_the_other_waits_of_a_loop_do_not_make_up_for_it(machine: Machine) -> None:
    """A stream joins three others, one of which forgot to record its event (ours)."""
    joining, events = create_stream(), [event_of(*NEW) for _ in range(3)]
    for event in (events[0], events[2]):
        ok(aclrtRecordEvent(event, create_stream()))
    for event in events:
        ok(aclrtStreamWaitEvent(joining, event))
    (finding,) = misuses(machine)
    assert "event 2" in finding.what


def test_a_loop_is_told_once(machine: Machine) -> None:
    """The same wait of the same line (findings, the rules)."""
    stream, event = create_stream(), event_of(*NEW)
    for _ in range(10):
        ok(aclrtStreamWaitEvent(stream, event))
    assert len(misuses(machine)) == 1


def elapsed(start: aclrtEvent, end: aclrtEvent) -> int:
    return aclrtEventElapsedTime(byref(c_float()), start, end)


def test_texts_of_an_event_never_recorded(machine: Machine) -> None:
    """107000 and 507000, with where it was made (ours)."""
    event = event_of(aclrtCreateEvent)
    words = ("event 1", "created at", "creating.py:", "never recorded")
    assert_status(aclrtStreamWaitEvent(None, event), ACL_ERROR_RT_PARAM_INVALID, *words, "aclrtRecordEvent")
    assert_status(elapsed(event, event), ACL_ERROR_RT_INTERNAL_ERROR, *words)


def test_texts_of_an_event_that_was_reset(machine: Machine) -> None:
    """Where it was made, recorded and reset (ours)."""
    event = event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, None))
    ok(aclrtResetEvent(event, None))
    ok(aclrtSynchronizeStream(None))
    words = ("event 1", "created at", "recorded in the default stream", "reset at", HERE)
    assert_status(aclrtStreamWaitEvent(None, event), ACL_ERROR_RT_PARAM_INVALID, *words)
    assert_status(elapsed(event, event), ACL_ERROR_RT_INTERNAL_ERROR, *words)


def test_texts_of_an_event_without_time(machine: Machine) -> None:
    """107006 (ours)."""
    event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    ok(aclrtRecordEvent(event, None))
    ok(aclrtSynchronizeStream(None))
    words = ("event 1", "created at", "recorded in the default stream", HERE, "ACL_EVENT_TIME_LINE")
    assert_status(elapsed(event, event), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, *words)


def test_texts_of_an_event_not_yet_run(machine: Machine) -> None:
    """107006 before the record has run; silent once it has (ours)."""
    event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_TIME_LINE)
    ok(aclrtRecordEvent(event, None))
    assert_status(elapsed(event, event), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "has not run yet", "recorded in", HERE)
    ok(aclrtSynchronizeStream(None))
    ok(elapsed(event, event))


def test_texts_of_a_destroyed_event(machine: Machine) -> None:
    """107017, with all that happened to it (ours)."""
    event = event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, None))
    ok(aclrtSynchronizeStream(None))
    ok(aclrtDestroyEvent(event))
    words = ("event 1 is gone", "created at", "recorded in", "destroyed at", HERE)
    assert_status(aclrtRecordEvent(event, None), ACL_ERROR_RT_INVALID_HANDLE, *words)
