"""Waits that nothing can end are reported with both sides (ours: several host threads)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import byref

import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.machine.current import current
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status, finding_of
from tests.helpers.patience import PATIENCE

SCHEDULES = ("late", "eager", "threads", "random")


def sync_event() -> aclrtEvent:
    event = aclrtEvent()
    assert aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC) == ACL_SUCCESS
    return event


def circle() -> tuple[aclrtStream, aclrtStream]:
    """Two streams. Each waits for an event that the other stream records after its own wait."""
    one, other = create_stream(), create_stream()
    first, second = sync_event(), sync_event()
    aclrtStreamWaitEvent(one, first)
    aclrtRecordEvent(second, one)
    aclrtStreamWaitEvent(other, second)
    aclrtRecordEvent(first, other)
    return one, other


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_circle_of_two_streams_is_reported_with_both_sides(schedule: str) -> None:
    with Machine(schedule=schedule, seed=0) as machine:
        aclrtSetDevice(0)
        one, _ = circle()
        id, message = finding_of(lambda: aclrtSynchronizeStream(one))
        assert id == "deadlock"
        assert "thread MainThread waits in aclrtSynchronizeStream for the work of stream 1" in message
        assert "wait for event 1 in stream 1" in message
        assert "recorded by record of event 1 in stream 2" in message
        assert "wait for event 2 in stream 2" in message
        assert message.count("test_deadlocks.py") >= 4, "launch sites"
    assert [finding.id for finding in machine.findings].count("deadlock") == 1


def test_a_record_that_is_queued_is_not_called_dropped(machine: Machine) -> None:
    """It stands behind a wait that nothing ends."""
    stream, event = create_stream(), sync_event()
    aclrtStreamWaitEvent(stream, sync_event())
    aclrtRecordEvent(event, stream)
    id, message = finding_of(lambda: aclrtSynchronizeEvent(event))
    assert id == "deadlock"
    assert "dropped" not in message


def test_a_wait_that_is_stuck_for_a_second_reason_is_reported() -> None:
    """Two streams could write the value. The record for which one of them waits was dropped, which was reported. The
    other one waits for an event that nobody records, which was not."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        cell, event, lost = malloc(8), sync_event(), create_stream()
        assert aclrtMemset(cell, 8, 0, 8) == ACL_SUCCESS
        waits, one, other = create_stream(), create_stream(), create_stream()
        aclrtMemsetAsync(malloc(8), 8, 0, 8, lost)
        aclrtRecordEvent(event, lost)
        aclrtStreamWaitEvent(one, event)
        aclrtDestroyStreamForce(lost)
        aclrtStreamWaitEvent(other, sync_event())
        for stream in (one, other):
            aclrtValueWrite(cell, 1, 0, stream)
        aclrtValueWait(cell, 1, ACL_STREAM_WAIT_VALUE_EQ, waits)
        aclrtSynchronizeStream(waits)
        assert [finding.id for finding in machine.findings.worth_telling] == ["work-dropped", "deadlock"]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("destroys", [aclrtDestroyStream, aclrtDestroyStreamForce], ids=lambda each: each.__name__)
def test_the_clean_up_of_a_circle_reports_no_second_deadlock(schedule: str, destroys: Callable[[object], int]) -> None:
    """ "A finding that only follows from an earlier one is not reported again". A stream that is destroyed removes one
    side of the circle, and the other side still waits: that is a consequence. A new circle is a new mistake."""
    with Machine(schedule=schedule, seed=0, on_undefined="report") as machine:
        aclrtSetDevice(0)
        one, other = circle()
        assert aclrtSynchronizeStream(one)
        assert destroys(other) in (ACL_SUCCESS, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        assert aclrtDestroyStream(one) in (ACL_SUCCESS, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        assert [finding.id for finding in machine.findings].count("deadlock") == 1
        assert aclrtSynchronizeStream(circle()[0])
        assert [finding.id for finding in machine.findings].count("deadlock") == 2


def host_waits() -> dict[str, Callable[[], object]]:
    """Waits that never end while there is only one host thread, by name."""

    def stream() -> object:
        return aclrtSynchronizeStream(circle()[0])

    def device() -> object:
        circle()
        return aclrtSynchronizeDevice()

    def destroy() -> object:
        return aclrtDestroyStream(circle()[0])

    def reset() -> object:
        circle()
        return aclrtResetDevice(0)

    def dropped_record() -> object:
        stream, event = create_stream(), aclrtEvent()
        aclrtCreateEvent(byref(event))
        aclrtStreamWaitEvent(stream, sync_event())
        aclrtRecordEvent(event, stream)
        aclrtDestroyStreamForce(stream)
        return aclrtSynchronizeEvent(event)

    def value() -> object:
        cell = malloc(8)
        aclrtMemset(cell, 8, 0, 8)
        aclrtValueWait(cell, 1, 1, None)
        return aclrtSynchronizeStream(None)

    def callback() -> object:
        stream = create_stream()
        aclrtSubscribeReport(threading.get_ident(), stream)
        aclrtLaunchCallback(print, 1, ACL_CALLBACK_BLOCK, stream)
        return aclrtSynchronizeStream(stream)

    def report() -> object:
        stream = create_stream()
        aclrtSubscribeReport(threading.get_ident(), stream)
        return aclrtProcessReport(-1)

    def own_stream() -> object:
        current().allow("callback-acl", reason="the test looks at the deadlock that it causes")
        stream = create_stream()
        aclrtLaunchHostFunc(stream, lambda _: aclrtSynchronizeStream(stream), None)
        return aclrtSynchronizeStream(stream)

    named = (stream, device, destroy, reset, dropped_record, value, callback, report, own_stream)
    return {each.__name__: each for each in named}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("wait", host_waits().values(), ids=host_waits())
def test_a_wait_of_one_host_thread_is_reported_at_once(schedule: str, wait: Callable[[], object]) -> None:
    """ "reported at once (`deadlock`) when one thread alive has ever called this machine": patience is not needed."""
    with Machine(schedule=schedule, seed=0, patience=1e6):
        aclrtSetDevice(0)
        assert finding_of(wait)[0] == "deadlock"


REPORTED = {
    "stream": ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
    "device": ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
    "destroy": ACL_SUCCESS,
    "reset": ACL_SUCCESS,
    "dropped_record": ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
    "value": ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
    "callback": ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
    "report": ACL_ERROR_RT_REPORT_TIMEOUT,
    "own_stream": ACL_SUCCESS,
}


@pytest.mark.fidelity("a wait that cannot end")
@pytest.mark.parametrize("name", REPORTED)
def test_a_machine_that_reports_goes_on_with_a_status(name: str) -> None:
    """The wait ends as if it had timed out. A stream or device that goes away drops its work."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        assert host_waits()[name]() == REPORTED[name]
        assert "deadlock" in [finding.id for finding in machine.findings]
    check_documented(machine)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_two_host_threads_that_both_wait(schedule: str) -> None:
    """ "else when every such thread is inside a wait of the machine": one of the threads reports the waits of all."""
    messages: list[str] = []
    with Machine(schedule=schedule, seed=0, patience=1e6) as machine:
        aclrtSetDevice(0)
        streams = circle()
        ready = threading.Barrier(2)

        def wait(stream: aclrtStream) -> None:
            aclrtSetDevice(0)
            ready.wait(PATIENCE)
            try:
                aclrtSynchronizeStream(stream)
            except UndefinedBehaviour as error:
                messages.append(str(error))

        others = [threading.Thread(target=wait, args=(stream,), name=f"host {i}") for i, stream in enumerate(streams)]
        for thread in others:
            thread.start()
        # the main thread waits as well, so that every thread that called the machine does
        with pytest.raises(UndefinedBehaviour):
            aclrtSynchronizeDevice()
        for stream in streams:
            aclrtDestroyStreamForce(stream)
        for thread in others:
            thread.join(PATIENCE)
            assert not thread.is_alive()
    messages = [finding.message for finding in machine.findings if finding.id == "deadlock"]
    assert "thread host 0 waits in aclrtSynchronizeStream" in messages[0] or "host 1" in messages[0]


def test_patience_ends_a_wait_that_another_thread_could_still_end() -> None:
    """ "or after `patience` seconds": the other thread is alive, but makes no further call."""
    with Machine(patience=0.1):
        aclrtSetDevice(0)
        one, _ = circle()
        called, done = threading.Event(), threading.Event()

        def idle() -> None:
            aclrtSetDevice(0)
            called.set()
            done.wait(PATIENCE)

        thread = threading.Thread(target=idle)
        thread.start()
        assert called.wait(PATIENCE)
        assert finding_of(lambda: aclrtSynchronizeStream(one))[0] == "deadlock"
        done.set()
        thread.join()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_thread_whose_first_call_comes_later_ends_a_wait(schedule: str) -> None:
    """The thread was started before the wait, but has not called the machine yet. It may still end the wait."""
    with Machine(schedule=schedule, seed=0) as machine:
        aclrtSetDevice(0)
        stream, event, over = create_stream(), sync_event(), threading.Event()
        aclrtStreamWaitEvent(stream, event)

        def record() -> None:
            while not machine.scheduler.awaited and not over.is_set():
                pass
            aclrtSetDevice(0)
            aclrtRecordEvent(event, None)

        thread = threading.Thread(target=record)
        thread.start()
        try:
            assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
        finally:
            over.set()
            thread.join(PATIENCE)
    assert "deadlock" not in [finding.id for finding in machine.findings]


def test_patience_ends_a_wait_that_a_thread_without_a_call_could_end() -> None:
    """The bad twin: the other thread never calls the machine."""
    with Machine(patience=0.1):
        aclrtSetDevice(0)
        one, _ = circle()
        done = threading.Event()
        thread = threading.Thread(target=done.wait, args=(PATIENCE,))
        thread.start()
        try:
            assert finding_of(lambda: aclrtSynchronizeStream(one))[0] == "deadlock"
        finally:
            done.set()
            thread.join()


@pytest.mark.fidelity("a timeout")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_timeout_is_no_deadlock(schedule: str) -> None:
    """ "A timeout expires when the work it waits for needs more simulated time, or cannot finish"."""
    with Machine(schedule=schedule, seed=0) as machine:
        aclrtSetDevice(0)
        one, _ = circle()
        assert_status(
            aclrtSynchronizeStreamWithTimeout(one, 1_000_000), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "(EE1002)", "stream 1"
        )
        assert not [finding for finding in machine.findings if finding.id == "deadlock"]


@pytest.mark.fidelity("a stream waits for an event longer than its timeout")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_wait_of_a_stream_with_a_timeout_fails_instead_of_hanging(schedule: str) -> None:
    """ "expiry makes the stream fail (507xxx at synchronise)". Streams that depend on it go on."""
    with Machine(schedule=schedule, seed=0) as machine:
        aclrtSetDevice(0)
        one, other = create_stream(), create_stream()
        never, after = sync_event(), sync_event()
        assert aclrtStreamWaitEventWithTimeout(one, never, 3) == ACL_SUCCESS
        aclrtRecordEvent(after, one)
        aclrtStreamWaitEvent(other, after)
        assert aclrtSynchronizeStream(other) == ACL_SUCCESS
        assert aclrtSynchronizeStream(one) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
        assert aclrtSynchronizeStream(one) == ACL_SUCCESS
        assert machine.clock.now >= 3e6
    assert "deadlock" not in [finding.id for finding in machine.findings]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_record_after_the_timeout_is_too_late(schedule: str) -> None:
    """The wait ends at 3 s, and the record runs at 5,000,001 us at the earliest. So the stream fails, though the event
    is recorded later."""
    with Machine(schedule=schedule, seed=0) as machine:
        aclrtSetDevice(0)
        one, other, event = create_stream(), create_stream(), sync_event()
        assert aclrtStreamWaitEventWithTimeout(one, event, 3) == ACL_SUCCESS
        machine.clock.advance(5e6)
        aclrtRecordEvent(event, other)
        assert aclrtSynchronizeStream(one) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
        assert machine.tasks[-1].end == 3_000_001 or schedule != "late"


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_host_function_that_waits_for_its_own_stream_needs_no_patience(schedule: str) -> None:
    """A second host thread is alive and waits for nothing, but it cannot end this wait. So the deadlock is reported
    without delay, and only once."""
    with Machine(schedule=schedule, seed=0, patience=1e6) as machine:
        aclrtSetDevice(0)
        called, done = threading.Event(), threading.Event()

        def idle() -> None:
            aclrtSetDevice(0)
            called.set()
            done.wait(PATIENCE)

        thread = threading.Thread(target=idle)
        thread.start()
        assert called.wait(PATIENCE)
        assert finding_of(host_waits()["own_stream"])[0] == "deadlock"
        done.set()
        thread.join()
    assert [finding.id for finding in machine.findings].count("deadlock") == 1


@pytest.mark.parametrize("schedule", ["late", "threads"])
def test_a_host_function_that_waits_for_its_own_stream_reports_before_a_thread_that_waits_for_it(schedule: str) -> None:
    with Machine(schedule=schedule, on_undefined="report", patience=1e6) as machine:
        aclrtSetDevice(0)
        machine.allow("callback-acl", reason="the deadlock is what counts")
        stream, pause = create_stream(), threading.Event()
        thread = threading.Thread(target=lambda: (aclrtSetDevice(0), aclrtSynchronizeStream(stream)))

        def waits(_: object) -> None:
            thread.start()
            while not machine.scheduler.waits(thread.ident or 0):
                pause.wait(0.001)
            aclrtSynchronizeStream(stream)

        assert aclrtLaunchHostFunc(stream, waits, None) == ACL_SUCCESS
        aclrtSynchronizeStream(stream)
        thread.join()
    assert [finding.id for finding in machine.findings].count("deadlock") == 1


def test_a_worker_thread_goes_on_after_a_host_function_raised() -> None:
    """The call that waits raises what the host function raised, also a BaseException as of sys.exit or pytest.fail.
    Then the stream goes on."""
    with Machine(schedule="threads", patience=1e6):
        aclrtSetDevice(0)
        stream, seen = create_stream(), list[int]()

        def leave(_: object) -> None:
            raise SystemExit(3)

        aclrtLaunchHostFunc(stream, leave, None)
        with pytest.raises(SystemExit):
            aclrtSynchronizeStream(stream)
        aclrtLaunchHostFunc(stream, seen.append, 1)
        assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
        assert seen == [1]
