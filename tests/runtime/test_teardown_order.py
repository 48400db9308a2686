"""The end of a program: what is destroyed, reset and finalised too early (findings, 47, 48, 50, 63)."""

from collections.abc import Callable
from ctypes import byref

import pytest

from acl_runtime import (
    ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
    Finding,
    Machine,
    aclFinalize,
    aclFinalizeReference,
    aclInit,
    aclrtCreateEvent,
    aclrtCtxGetCurrentDefaultStream,
    aclrtDestroyContext,
    aclrtDestroyEvent,
    aclrtDestroyStream,
    aclrtDestroyStreamForce,
    aclrtFree,
    aclrtMemsetAsync,
    aclrtRecordEvent,
    aclrtResetDevice,
    aclrtResetDeviceForce,
    aclrtSetDevice,
    aclrtStream,
    aclrtStreamAbort,
    aclrtSynchronizeDevice,
    aclrtSynchronizeStream,
)
from tests.builders import malloc
from tests.runtime.common import assert_status, create_context, create_stream
from tests.runtime.hosts import event_of
from tests.runtime.places import SCHEDULES, Gate, board, ok

HERE = "test_teardown_order.py:"


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings]


def only(machine: Machine, id: str) -> Finding:
    (finding,) = [finding for finding in machine.findings if finding.id == id]
    return finding


def work(stream: aclrtStream | None) -> int:
    """Queue a memory set; its memory."""
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
    """One finding for a reset, with what lived and where it was made; the status of what is destroyed too late only
    follows from that (findings, 48)."""
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
    assert ids(machine) == ["order-teardown", "init"]  # what could not be destroyed is no leak besides


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_documented_order(schedule: str) -> None:
    """The good twin: events, streams, contexts, then reset (findings, 48)."""
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


def test_a_reset_that_is_not_the_last_takes_nothing(machine: Machine) -> None:
    """A library sets and resets the device of a program that goes on using it (findings, a false alarm is worse)."""
    stream = create_stream()
    ok(aclrtSetDevice(0))
    ok(aclrtResetDevice(0))
    ok(aclrtSynchronizeStream(stream))
    assert ids(machine) == []


def test_objects_of_another_device_are_none_of_its(two: Machine) -> None:
    """Two devices, of which one is done (findings, 48)."""
    ok(aclrtSetDevice(1))
    ok(aclrtSetDevice(0))
    create_stream()
    event_of(aclrtCreateEvent)
    ok(aclrtResetDevice(1))
    assert ids(two) == []


def test_what_is_never_destroyed_leaks_though_the_device_was_reset() -> None:
    """A stream of the default context went with it, an event still lives (findings, 61)."""
    with Machine() as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        create_stream()
        event_of(aclrtCreateEvent)
        ok(aclrtResetDevice(0))
    assert ids(machine) == ["event-leaked", "stream-leaked"]


def test_a_reset_too_many_tells_of_the_last_one(machine: Machine) -> None:
    """507007, with where the device was set and released; never set: that (findings, 48)."""
    ok(aclrtResetDevice(0))
    words = ("device 0 is not set", "set at", "conftest.py:", "released by aclrtResetDevice at", HERE)
    assert_status(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, *words)
    ok(aclrtSetDevice(0))


def test_a_reset_of_a_device_never_set(two: Machine) -> None:
    """507007 (findings, 48)."""
    assert_status(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device 1 is not set", "it never was")
    assert ids(two) == []


# destroy-pending-stream


def test_a_stream_destroyed_with_work_in_it(machine: Machine) -> None:
    """Advice: aclrtDestroyStream waits for what nobody waited for; the list of it (findings, 47)."""
    stream = create_stream()
    for _ in range(2):
        work(stream)
    ok(aclrtDestroyStream(stream))
    finding = only(machine, "destroy-pending-stream")
    assert (finding.level, finding.call) == ("advice", "aclrtDestroyStream")
    assert "stream 1 is destroyed with 2 task(s)" in finding.what
    assert [past.what for past in finding.history] == [
        "stream 1 was created", *["memory set in stream 1 was launched"] * 2
    ]  # fmt: skip
    assert HERE in finding.history[1].site
    assert "aclrtSynchronizeStream" in finding.hint


@pytest.mark.fidelity("`work-dropped`, `destroy-pending-stream`, `finalize-pending`")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_stream_destroyed_after_its_work(schedule: str) -> None:
    """The good twins: the host has waited for the stream, or for all; a mark behind that is no work (findings, 47)."""
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
    """What is queued, with its launches (findings, 50)."""
    ok(aclInit(None))
    work(None)
    ok(finalize())
    finding = only(machine, "finalize-pending")
    assert finding.level == "warning"
    assert "1 task(s)" in finding.what
    assert [past.what for past in finding.history] == [
        "memory set in the default stream of default context of device 0 was launched"
    ]


@pytest.mark.fidelity("`work-dropped`, `destroy-pending-stream`, `finalize-pending`")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("how", ["synchronised", "reset"])
def test_finalised_after_the_work(schedule: str, how: str) -> None:
    """The good twins: the host waited, or reset the device, which waits (findings, 50)."""
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
    """aclFinalizeReference takes one of two back (findings, 50)."""
    ok(aclInit(None))
    aclInit(None)
    work(None)
    ok(aclFinalizeReference(None))
    assert ids(machine) == []


# work-dropped


def leave(stream: aclrtStream) -> None:
    """Nothing: the machine ends."""


LOSES: dict[str, Callable[[aclrtStream], object]] = {
    "force": lambda stream: ok(aclrtDestroyStreamForce(stream)),
    "exit": leave,
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("how", LOSES)
def test_work_that_never_runs(schedule: str, how: str) -> None:
    """The tasks with their launches; what only waits or marks is not work (findings, 63)."""
    with board(schedule) as machine:
        stream = create_stream()
        Gate(stream)
        work(stream)
        ok(aclrtRecordEvent(event_of(aclrtCreateEvent), stream))
        LOSES[how](stream)
    finding = only(machine, "work-dropped")
    assert "1 task(s) in stream 1 never ran" in finding.what
    assert [past.what for past in finding.history] == ["memory set in stream 1 was launched"]
    assert HERE in finding.history[0].site


@pytest.mark.fidelity("`work-dropped`, `destroy-pending-stream`, `finalize-pending`")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("how", LOSES)
def test_work_that_ran(schedule: str, how: str) -> None:
    """The good twin: waited for; the mark behind it is no loss (findings, 63)."""
    with board(schedule) as machine:
        stream = create_stream()
        work(stream)
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtRecordEvent(event_of(aclrtCreateEvent), stream))
        LOSES[how](stream)
    assert "work-dropped" not in ids(machine)


def test_an_abort_drops_on_purpose(machine: Machine) -> None:
    """aclrtStreamAbort is called to discard work (findings, 63)."""
    stream = create_stream()
    Gate(stream)
    work(stream)
    ok(aclrtStreamAbort(stream))
    ok(aclrtDestroyStream(stream))
    assert ids(machine) == []
