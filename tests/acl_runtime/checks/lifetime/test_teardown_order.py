"""The end of a program: objects that are destroyed, reset or finalised too early (ours)."""

from collections.abc import Callable
from ctypes import byref

import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine
from acl_runtime.checks.lifetime import teardown_order
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok
from tests.helpers.stream_gate import Gate

HERE = "test_teardown_order.py:"


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings]


def only(machine: Machine, id: str) -> Finding:
    (finding,) = [finding for finding in machine.findings if finding.id == id]
    return finding


def work(stream: aclrtStream | None) -> int:
    """Queue a memory set. Returns the address of its memory."""
    cell = malloc(8)
    ok(aclrtMemsetAsync(cell, 8, 1, 8, stream))
    return cell


# order-teardown


def streams() -> Callable[[], int]:
    both = create_stream(), create_stream()
    return lambda: aclrtDestroyStream(both[0]) and aclrtDestroyStreamForce(both[1])


def events() -> Callable[[], int]:
    event = event_of(aclrtCreateEvent)
    ok(aclrtRecordEvent(event, None))
    return lambda: aclrtDestroyEvent(event)


def contexts() -> Callable[[], int]:
    context = create_context()
    ok(aclrtSetDevice(0))
    ok(aclrtResetDevice(0))
    return lambda: aclrtDestroyContext(context)


LIVING: dict[str, tuple[Callable[[], Callable[[], int]], str]] = {
    "streams": (streams, "stream 1"), "events": (events, "event 1"), "contexts": (contexts, "context 1"),
}  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("reset", [aclrtResetDevice, aclrtResetDeviceForce])
@pytest.mark.parametrize("living", LIVING)
def test_a_device_is_reset_while_its_objects_live(schedule: str, reset: Callable[[int], int], living: str) -> None:
    """There is one finding for a reset. It names an object that was still alive, and where it was made. The failed
    status of the late destroy is a consequence, and is not reported (ours)."""
    with board(schedule) as machine:
        make, name = LIVING[living]
        destroy = make()
        ok(reset(0))
        assert ids(machine) == []
        destroy()
        finding = only(machine, "order-teardown")
        assert finding.level == "warning"
        assert f"{name} is destroyed too late: device 0 was reset" in finding.what
        happened = [past.what for past in finding.history]
        assert happened[0] == f"{name} was created"
        assert happened[-1] == f"device 0 was reset by {reset.__name__}"
        assert "Destroy streams, events and contexts first" in finding.hint
    assert ids(machine) == ["order-teardown", "init"]  # no leak is reported for objects that could not be destroyed


def test_the_oldest_resets_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine remembers a bounded number of resets, and each of them gives its finding (ours)."""
    monkeypatch.setattr(teardown_order, "LATEST", 2)
    with board() as machine:
        streams: list[aclrtStream] = []
        for _ in range(4):
            streams.append(create_stream())
            ok(aclrtResetDevice(0))
            ok(aclrtSetDevice(0))
        for stream in (*streams, *streams):
            aclrtDestroyStream(stream)
    late = [finding.what for finding in machine.findings if finding.id == "order-teardown"]
    assert [what.partition(" is destroyed")[0] for what in late] == ["stream 3", "stream 4"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_documented_order_finds_nothing(schedule: str) -> None:
    """The good twin: events, streams, contexts, then reset (ours)."""
    with board(schedule) as machine:
        ok(aclInit(None))
        context = create_context()
        stream, event = create_stream(), event_of(aclrtCreateEvent)
        ok(aclrtCtxGetCurrentDefaultStream(byref(aclrtStream())))  # goes with its context
        ok(aclrtRecordEvent(event, stream))
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtDestroyEvent(event))
        ok(aclrtDestroyStream(stream))
        ok(aclrtDestroyContext(context))
        ok(aclrtResetDevice(0))
        ok(aclFinalize())
    assert ids(machine) == []


def test_a_reset_that_is_not_the_last_ends_no_object(machine: Machine) -> None:
    """A library sets and resets the device of a program that goes on using it (findings, a false alarm is worse)."""
    stream = create_stream()
    ok(aclrtSetDevice(0))
    ok(aclrtResetDevice(0))
    ok(aclrtSynchronizeStream(stream))
    assert ids(machine) == []


def test_a_reset_does_not_concern_objects_of_another_device(two: Machine) -> None:
    """There are two devices, and one is reset while the other is still in use (ours)."""
    ok(aclrtSetDevice(1))
    ok(aclrtSetDevice(0))
    create_stream()
    event_of(aclrtCreateEvent)
    ok(aclrtResetDevice(1))
    assert ids(two) == []


def test_objects_that_are_never_destroyed_leak_though_the_device_was_reset() -> None:
    """The stream ended with its default context, and the event still lives. Both are leaks (ours)."""
    with Machine() as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        create_stream()
        event_of(aclrtCreateEvent)
        ok(aclrtResetDevice(0))
    assert ids(machine) == ["event-leaked", "stream-leaked"]


def test_one_reset_too_many_names_the_reset_that_released_the_device(machine: Machine) -> None:
    """The status is 507007. The text says where the device was set, and where it was released (ours)."""
    ok(aclrtResetDevice(0))
    words = ("device 0 is not set", "set at", "conftest.py:", "released by aclrtResetDevice at", HERE)
    assert_status(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, *words)
    ok(aclrtSetDevice(0))


def test_a_reset_of_a_device_never_set(two: Machine) -> None:
    """The status is 507007, and the text says that the device was never set (ours)."""
    assert_status(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device 1 is not set", "it never was")
    assert ids(two) == []


# destroy-pending-stream


def test_a_stream_destroyed_with_work_in_it(machine: Machine) -> None:
    """aclrtDestroyStream had to wait for tasks that the host had not waited for. That is an advice, which lists these
    tasks (ours)."""
    stream = create_stream()
    for _ in range(2):
        work(stream)
    ok(aclrtDestroyStream(stream))
    finding = only(machine, "destroy-pending-stream")
    assert (finding.level, finding.call) == ("advice", "aclrtDestroyStream")
    assert "stream 1 is destroyed with 2 tasks" in finding.what
    assert [past.what for past in finding.history] == [
        "stream 1 was created", *["memory set in stream 1 was launched"] * 2
    ]  # fmt: skip
    assert HERE in finding.history[1].site
    assert "aclrtSynchronizeStream" in finding.hint


@pytest.mark.fidelity("`work-dropped`, `destroy-pending-stream`, `finalize-pending`")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_stream_destroyed_after_its_work(schedule: str) -> None:
    """The good twins: the host has waited for the stream, or for the device. An event record that is queued afterwards
    is no work (ours)."""
    with board(schedule) as machine:
        for all_of_them in (False, True):
            stream = create_stream()
            cell = work(stream)
            ok(aclrtSynchronizeDevice() if all_of_them else aclrtSynchronizeStream(stream))
            ok(aclrtRecordEvent(event_of(aclrtCreateEvent), stream))
            ok(aclrtFree(cell))
            ok(aclrtDestroyStream(stream))
        assert ids(machine) == []


# finalize-pending


@pytest.mark.parametrize("finalize", [aclFinalize, lambda: aclFinalizeReference(None)], ids=["all", "last"])
def test_finalised_with_work_in_a_stream(machine: Machine, finalize: Callable[[], int]) -> None:
    """The finding lists the queued tasks with their launches (ours)."""
    ok(aclInit(None))
    work(None)
    ok(finalize())
    finding = only(machine, "finalize-pending")
    assert finding.level == "warning"
    assert "1 task " in finding.what
    assert [past.what for past in finding.history] == [
        "memory set in the default stream of default context of device 0 was launched"
    ]


@pytest.mark.fidelity("`work-dropped`, `destroy-pending-stream`, `finalize-pending`")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("how", ["synchronised", "reset"])
def test_finalising_after_a_wait_finds_nothing(schedule: str, how: str) -> None:
    """The good twins: the host waited, or reset the device, which waits (ours)."""
    with board(schedule) as machine:
        ok(aclInit(None))
        cell, event = work(None), event_of(aclrtCreateEvent)
        if how == "synchronised":
            ok(aclrtSynchronizeStream(None))
            ok(aclrtRecordEvent(event, None))
        ok(aclrtDestroyEvent(event))
        if how == "reset":
            ok(aclrtResetDevice(0))
        ok(aclFinalize())
        if how == "synchronised":
            ok(aclrtFree(cell))
        assert "finalize-pending" not in ids(machine)


def test_a_finalise_that_is_not_the_last(machine: Machine) -> None:
    """aclInit was called twice, and aclFinalizeReference takes one call back (ours)."""
    ok(aclInit(None))
    aclInit(None)
    work(None)
    ok(aclFinalizeReference(None))
    assert ids(machine) == []


# work-dropped


def leave(stream: aclrtStream) -> None:
    """Do nothing to the stream: the end of the machine drops its work."""


WAYS_TO_DROP: dict[str, Callable[[aclrtStream], object]] = {
    "force": lambda stream: ok(aclrtDestroyStreamForce(stream)),
    "exit": leave,
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("how", WAYS_TO_DROP)
def test_work_that_never_runs_is_listed_with_its_launches(schedule: str, how: str) -> None:
    """The finding lists the tasks with their launches. A queued wait or event record is not work (ours)."""
    with board(schedule) as machine:
        stream = create_stream()
        Gate(stream)
        work(stream)
        ok(aclrtRecordEvent(event_of(aclrtCreateEvent), stream))
        WAYS_TO_DROP[how](stream)
    finding = only(machine, "work-dropped")
    assert "1 task in stream 1 never ran" in finding.what
    assert [past.what for past in finding.history] == ["memory set in stream 1 was launched"]
    assert HERE in finding.history[0].site


@pytest.mark.fidelity("`work-dropped`, `destroy-pending-stream`, `finalize-pending`")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("how", WAYS_TO_DROP)
def test_work_that_was_waited_for_is_no_loss(schedule: str, how: str) -> None:
    """The good twin: the host waited for the work. An event record that is still queued is no loss (ours)."""
    with board(schedule) as machine:
        stream = create_stream()
        work(stream)
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtRecordEvent(event_of(aclrtCreateEvent), stream))
        WAYS_TO_DROP[how](stream)
    assert "work-dropped" not in ids(machine)


def drop_a_record(*, behind_work: bool) -> aclrtEvent:
    """An event whose queued record is dropped, because its stream is destroyed first."""
    stream, event = create_stream(), event_of(aclrtCreateEvent)
    Gate(stream)
    if behind_work:
        work(stream)
    ok(aclrtRecordEvent(event, stream))
    ok(aclrtDestroyStreamForce(stream))
    return event


def wait_on_the_host(event: aclrtEvent) -> int:
    return aclrtSynchronizeEvent(event)


def wait_in_a_stream(event: aclrtEvent) -> int:
    ok(aclrtStreamWaitEvent(stream := create_stream(), event))
    return aclrtSynchronizeStream(stream)


def wait_in_a_chain_of_streams(event: aclrtEvent) -> int:
    first, second, between = create_stream(), create_stream(), event_of(aclrtCreateEvent)
    ok(aclrtStreamWaitEvent(first, event))
    ok(aclrtRecordEvent(between, first))
    ok(aclrtStreamWaitEvent(second, between))
    return aclrtSynchronizeStream(second)


WAITS: dict[Callable[[aclrtEvent], int], int] = {
    wait_on_the_host: ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
    wait_in_a_stream: ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
    wait_in_a_chain_of_streams: ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", WAITS, ids=lambda wait: wait.__name__)
def test_a_wait_for_a_dropped_record_is_a_consequence_of_the_dropped_work(
    wait: Callable[[aclrtEvent], int], schedule: str
) -> None:
    """ "A finding that only follows from an earlier one is not reported again" (ours)."""
    with board(schedule, on_undefined="report") as machine:
        event = drop_a_record(behind_work=True)
        assert wait(event) == WAITS[wait]
        assert ids(machine) == ["work-dropped"]


@pytest.mark.parametrize("wait", WAITS, ids=lambda wait: wait.__name__)
def test_a_wait_for_a_dropped_record_is_a_deadlock_where_no_work_was_lost(wait: Callable[[aclrtEvent], int]) -> None:
    """Nothing else in the report explains the wait then."""
    with board(on_undefined="report") as machine:
        assert wait(drop_a_record(behind_work=False)) == WAITS[wait]
        assert ids(machine) == ["deadlock"]


def test_a_wait_for_a_dropped_record_is_a_deadlock_where_dropped_work_is_allowed(machine: Machine) -> None:
    with machine.allow("work-dropped", reason="the program ends"):
        event = drop_a_record(behind_work=True)
    assert finding_of(lambda: wait_on_the_host(event))[0] == "deadlock"


def test_a_wait_is_a_deadlock_if_a_second_mistake_also_blocks_it() -> None:
    """One stream waits for the dropped record, another one for an event that nobody records."""
    with board(on_undefined="report") as machine:
        event, never = drop_a_record(behind_work=True), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
        ok(aclrtStreamWaitEvent(create_stream(), event))
        ok(aclrtStreamWaitEvent(create_stream(), never))
        assert aclrtSynchronizeDevice() == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
        assert ids(machine) == ["work-dropped", "deadlock"]


def test_a_wait_for_a_dropped_record_is_raised_where_errors_are_raised(machine: Machine) -> None:
    """`work-dropped` is a warning, so it raised nothing. The wait would never end, so it must raise."""
    event = drop_a_record(behind_work=True)
    assert finding_of(lambda: wait_on_the_host(event))[0] == "deadlock"


def test_an_abort_drops_work_without_a_finding(machine: Machine) -> None:
    """aclrtStreamAbort is called to discard work (ours)."""
    stream = create_stream()
    Gate(stream)
    work(stream)
    ok(aclrtStreamAbort(stream))
    ok(aclrtDestroyStream(stream))
    assert ids(machine) == []
