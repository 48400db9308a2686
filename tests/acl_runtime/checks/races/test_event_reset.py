"""The finding `event-reset-early`: "a reset of an event that may still be waited for" is documented as undefined. It is
found by the order of the calls, as races are, whatever has run by then (docs/findings.md, Order)."""

from collections.abc import Callable
from ctypes import byref, c_int32
from typing import NamedTuple

import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine, UndefinedBehaviour
from tests.helpers.creating import create_stream, event_of
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import ok

ID = "event-reset-early"
each_schedule = pytest.mark.parametrize("schedule", SCHEDULES)


class Cast(NamedTuple):
    """The stream that records, the one that waits, the event, and another event."""

    one: aclrtStream
    two: aclrtStream
    event: aclrtEvent
    other: aclrtEvent


def awaited(wait: Callable[[aclrtStream, aclrtEvent], int] = aclrtStreamWaitEvent) -> Cast:
    """The second stream waits for the first one."""
    cast = Cast(create_stream(), create_stream(), event_of(aclrtCreateEvent), event_of(aclrtCreateEvent))
    ok(aclrtRecordEvent(cast.event, cast.one))
    ok(wait(cast.two, cast.event))
    return cast


def resets(machine: Machine) -> list[Finding]:
    return [finding for finding in machine.findings if finding.id == ID]


def none_between(cast: Cast) -> None:
    pass


def synchronised(wait: Callable[[Cast], int]) -> Callable[[Cast], None]:
    return lambda cast: ok(wait(cast))


def behind_another_event(cast: Cast) -> None:
    ok(aclrtRecordEvent(cast.other, cast.two))
    ok(aclrtStreamWaitEvent(cast.one, cast.other))


def behind_an_event_of_the_record(cast: Cast) -> None:
    """Which says nothing of the wait."""
    ok(aclrtRecordEvent(cast.other, cast.one))
    ok(aclrtSynchronizeEvent(cast.other))


def told_that_no_stream_waits(cast: Cast) -> None:
    status = c_int32(-1)
    while status.value != ACL_EVENT_WAIT_STATUS_COMPLETE:
        ok(aclrtQueryEventWaitStatus(cast.event, byref(status)))


ORDERED: dict[str, Callable[[Cast], None]] = {
    "the waiting stream synchronised": synchronised(lambda cast: aclrtSynchronizeStream(cast.two)),
    "the device synchronised": synchronised(lambda _: aclrtSynchronizeDevice()),
    "the waiting stream destroyed": synchronised(lambda cast: aclrtDestroyStream(cast.two)),
    "behind another event": behind_another_event,
    "aclrtQueryEventWaitStatus": told_that_no_stream_waits,
}
UNORDERED: dict[str, Callable[[Cast], None]] = {
    "nothing": none_between,
    "the recording stream synchronised": synchronised(lambda cast: aclrtSynchronizeStream(cast.one)),
    "the event synchronised": synchronised(lambda cast: aclrtSynchronizeEvent(cast.event)),
    "behind an event of the record": behind_an_event_of_the_record,
}


@each_schedule
@pytest.mark.parametrize("between", UNORDERED.values(), ids=UNORDERED)
def test_a_reset_that_nothing_orders_behind_the_wait(schedule: str, between: Callable[[Cast], None]) -> None:
    """Also where the wait has run already, as with the schedule eager: the host does not know that."""
    with board(schedule) as machine:
        cast = awaited()
        between(cast)
        with pytest.raises(UndefinedBehaviour) as raised:
            aclrtResetEvent(cast.event, cast.one)
        (finding,) = resets(machine)
        assert raised.value.finding is finding
        assert (finding.level, finding.call) == ("error", "aclrtResetEvent")
        for word in ("stream 1 resets event 1", "stream 2", "wait for event 1", "recorded", "test_event_reset.py"):
            assert word in finding.message
        ok(aclrtSynchronizeDevice())


@each_schedule
@pytest.mark.parametrize("between", ORDERED.values(), ids=ORDERED)
def test_a_reset_that_is_ordered_behind_the_wait(schedule: str, between: Callable[[Cast], None]) -> None:
    with board(schedule) as machine:
        cast = awaited()
        between(cast)
        ok(aclrtResetEvent(cast.event, cast.one))
        ok(aclrtSynchronizeDevice())
        assert resets(machine) == []


@each_schedule
def test_a_reset_in_the_waiting_stream(schedule: str) -> None:
    """ "Asynchronous in stream order": it comes after the wait, round after round."""
    with board(schedule) as machine:
        cast = awaited()
        for _ in range(3):
            ok(aclrtResetEvent(cast.event, cast.two))
            ok(aclrtSynchronizeStream(cast.two))
            ok(aclrtRecordEvent(cast.event, cast.one))
            ok(aclrtStreamWaitEvent(cast.two, cast.event))
        ok(aclrtSynchronizeDevice())
        assert resets(machine) == []


WAITS: dict[str, Callable[[aclrtStream, aclrtEvent], int]] = {
    "aclrtStreamWaitEvent": aclrtStreamWaitEvent,
    "aclrtStreamWaitEventWithTimeout": lambda stream, event: aclrtStreamWaitEventWithTimeout(stream, event, 9),
    "aclrtStreamWaitEventWithFlag": lambda stream, event: aclrtStreamWaitEventWithFlag(stream, event, 0, 0),
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS)
def test_a_reset_before_any_kind_of_wait_is_found(
    machine: Machine, wait: Callable[[aclrtStream, aclrtEvent], int]
) -> None:
    cast = awaited(wait)
    with pytest.raises(UndefinedBehaviour, match=ID):
        aclrtResetEvent(cast.event, cast.one)


def test_a_wait_of_a_third_stream_is_not_ordered_by_another(machine: Machine) -> None:
    """One wait is ordered before the reset, the other is not."""
    cast, third = awaited(), create_stream()
    ok(aclrtStreamWaitEvent(third, cast.event))
    with pytest.raises(UndefinedBehaviour, match="stream 3 may still wait"):
        aclrtResetEvent(cast.event, cast.two)


@each_schedule
def test_a_wait_before_the_record(schedule: str) -> None:
    """A classic event with ACL_EVENT_SYNC is waited for until somebody records it."""
    with board(schedule):
        one, two, event = create_stream(), create_stream(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        ok(aclrtStreamWaitEvent(two, event))
        with pytest.raises(UndefinedBehaviour, match=ID):
            aclrtResetEvent(event, one)
        ok(aclrtRecordEvent(event, one))
        ok(aclrtSynchronizeDevice())


@each_schedule
def test_a_reset_whose_place_is_known_later(schedule: str) -> None:
    """The stream of the reset waits for something that is recorded only afterwards; the finding has the line of the
    reset."""
    with board(schedule, on_undefined="report") as machine:
        cast, gate = awaited(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        ok(aclrtStreamWaitEvent(cast.one, gate))
        ok(aclrtResetEvent(cast.event, cast.one))
        assert resets(machine) == []
        ok(aclrtRecordEvent(gate, None))
        (finding,) = resets(machine)
        assert finding.call.startswith("reset of event 1")
        ok(aclrtSynchronizeDevice())


@pytest.mark.fidelity("a reset of an event that a stream may still wait for, which the documentation calls undefined")
@each_schedule
def test_the_wait_ends_in_a_machine_that_reports(schedule: str) -> None:
    """Ours: as if it came before the reset. A loop shows it once."""
    with board(schedule, on_undefined="report") as machine:
        cast = Cast(create_stream(), create_stream(), event_of(aclrtCreateEvent), event_of(aclrtCreateEvent))
        for _ in range(3):
            ok(aclrtRecordEvent(cast.event, cast.one))
            ok(aclrtStreamWaitEvent(cast.two, cast.event))
            ok(aclrtResetEvent(cast.event, cast.one))
        ok(aclrtSynchronizeDevice())
        assert len(resets(machine)) == 1


def test_without_checks_it_is_not_found() -> None:
    with board(checks=False) as machine:
        cast = awaited()
        ok(aclrtResetEvent(cast.event, cast.one))
        ok(aclrtSynchronizeDevice())
        assert resets(machine) == []


def test_waits_that_are_over_do_not_pile_up(machine: Machine) -> None:
    """Waits that the host knows to be over are forgotten."""
    cast = awaited()
    for _ in range(1000):
        ok(aclrtStreamWaitEvent(cast.two, cast.event))
        ok(aclrtSynchronizeStream(cast.two))
    from acl_runtime.streams.event import Event

    found = machine.handles.find(cast.event.value or 0, Event)
    assert found is not None
    assert len(found.unsettled) < 100


@pytest.mark.parametrize("drops", [True, False])
def test_a_wait_that_was_dropped_holds_no_reset(drops: bool) -> None:
    """The wait stands behind another one that nothing ends, and goes with its stream."""
    with board(on_undefined="report") as machine:
        stream, event = create_stream(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        ok(aclrtStreamWaitEvent(stream, event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)))
        ok(aclrtRecordEvent(event, None))
        ok(aclrtStreamWaitEvent(stream, event))
        if drops:
            ok(aclrtDestroyStreamForce(stream))
        ok(aclrtResetEvent(event, None))
        assert len(resets(machine)) == (not drops)
        if not drops:
            ok(aclrtDestroyStreamForce(stream))
