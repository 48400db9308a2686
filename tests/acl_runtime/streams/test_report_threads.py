"""Programs with callbacks: who runs them, when, with what, and what waits for them (public)."""

import threading
from collections.abc import Iterator
from ctypes import byref, c_int32
from threading import get_ident

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, event_of, pinned
from tests.helpers.host_threads import Host, current_context, report_thread, wait
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, ok

NO_BLOCK, BLOCK = ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule, device 0 set."""
    with board(request.param) as machine:
        yield machine
    assert not errors(machine)


def served_stream() -> aclrtStream:
    """A stream that the calling thread serves."""
    stream = create_stream()
    ok(aclrtSubscribeReport(get_ident(), stream))
    return stream


def query(stream: aclrtStream) -> int:
    status = c_int32(-1)
    ok(aclrtStreamQuery(stream, byref(status)))
    return status.value


def test_a_report_thread_as_in_the_samples(each: Machine) -> None:
    """The main thread starts it, subscribes it, launches, synchronises, unsubscribes; the thread only loops."""
    values = np.arange(4, dtype=np.float32)
    address, array = pinned(np.zeros(4, np.float32))
    memory, stream = malloc(16), create_stream()
    seen: list[tuple[int, float, int]] = []
    last = threading.Event()

    def called(number: int) -> None:
        seen.append((number, float(array[0]), get_ident()))
        if number == 19:
            last.set()

    with report_thread() as thread:
        ok(aclrtSubscribeReport(thread, stream))
        for number in range(20):
            source, _ = pinned(values + number)
            ok(aclrtMemcpyAsync(memory, 16, source, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream))
            ok(aclrtMemcpyAsync(address, 16, memory, 16, ACL_MEMCPY_DEVICE_TO_HOST, stream))
            ok(aclrtLaunchCallback(called, number, BLOCK, stream))
        ok(aclrtSynchronizeStream(stream))
        assert len(seen) == 20, "each of them blocked the stream"
        wait(last)
        ok(aclrtUnSubscribeReport(thread, stream))
    assert seen == [(number, float(number), thread) for number in range(20)]


def test_a_report_thread_whose_callbacks_do_not_block(each: Machine) -> None:
    """The stream is done before they have run; each runs once, in order (FIFO per stream)."""
    seen: list[int] = []
    last, stream = threading.Event(), create_stream()

    def called(number: int) -> None:
        seen.append(number)
        if number == 99:
            last.set()

    with report_thread() as thread:
        ok(aclrtSubscribeReport(thread, stream))
        for number in range(100):
            ok(aclrtLaunchCallback(called, number, NO_BLOCK, stream))
        ok(aclrtSynchronizeStream(stream))
        wait(last)
    assert seen == list(range(100))


def test_a_subscribed_thread_that_has_not_called_yet_is_waited_for(each: Machine) -> None:
    """It is slow to start: a wait for its callback is no deadlock, though it has never called the machine."""
    seen: list[int] = []
    stream, other, begin = create_stream(), create_stream(), threading.Event()

    def serve() -> None:
        wait(begin)
        ok(aclrtProcessReport(-1))

    host = Host(serve)
    ok(aclrtSubscribeReport(host.number, stream))
    event = event_of(aclrtCreateEvent)
    ok(aclrtLaunchHostFunc(other, lambda _: begin.set(), None))  # late: not before the main thread waits
    ok(aclrtRecordEvent(event, other))
    ok(aclrtStreamWaitEvent(stream, event))
    ok(aclrtLaunchCallback(seen.append, 1, BLOCK, stream))
    ok(aclrtSynchronizeStream(stream))
    assert seen == [1]
    host.end()


def test_two_report_threads_of_two_streams(each: Machine) -> None:
    """Each callback runs on the thread that subscribed its stream."""
    seen: list[tuple[int, int]] = []
    streams = create_stream(), create_stream()
    with report_thread() as one, report_thread() as other:
        for thread, stream in zip((one, other), streams, strict=True):
            ok(aclrtSubscribeReport(thread, stream))
            for _ in range(10):
                ok(aclrtLaunchCallback(lambda given: seen.append((given, get_ident())), thread, BLOCK, stream))
        for stream in streams:
            ok(aclrtSynchronizeStream(stream))
    assert sorted(seen) == sorted([(one, one)] * 10 + [(other, other)] * 10)


def test_no_block_lets_the_following_tasks_go_on(each: Machine) -> None:
    """Type 0: "following tasks go on"."""
    seen: list[str] = []
    stream, memory = served_stream(), malloc(4)
    address, array = pinned(np.array([5], np.float32))
    ok(aclrtLaunchCallback(seen.append, "called", NO_BLOCK, stream))
    ok(aclrtMemcpyAsync(memory, 4, address, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    ok(aclrtSynchronizeStream(stream))
    assert each.read(memory, 1, "f4") == array
    assert not seen
    assert query(stream) == ACL_STREAM_STATUS_COMPLETE
    ok(aclrtProcessReport(100))
    assert seen == ["called"]
    assert aclrtProcessReport(100) == ACL_ERROR_RT_REPORT_TIMEOUT


def test_block_holds_the_stream_until_the_callback_has_run(each: Machine) -> None:
    """Type 1: "stream waits for the callback", so that the next task sees what the callback wrote."""
    stream, memory = served_stream(), malloc(4)
    address, array = pinned(np.array([5], np.float32))

    def fill(value: float) -> None:
        array[0] = value

    ok(aclrtLaunchCallback(fill, 8.5, BLOCK, stream))
    ok(aclrtMemcpyAsync(memory, 4, address, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    arrivals = each.reports.of_thread(get_ident())
    assert arrivals is not None
    while not arrivals.reports:  # under `threads`, a millisecond is a real one: the worker may not have begun
        assert aclrtSynchronizeStreamWithTimeout(stream, 1) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
    timed_out = aclrtSynchronizeStreamWithTimeout(stream, 1)
    assert_status(timed_out, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "(EE1002)", "end of callback in stream 1", "launched at")
    assert [query(stream) for _ in range(3)] == [ACL_STREAM_STATUS_NOT_READY] * 3
    assert array[0] == 5
    ok(aclrtProcessReport(-1))
    ok(aclrtSynchronizeStream(stream))
    assert each.read(memory, 1, "f4") == 8.5


def test_one_call_runs_all_that_arrived(each: Machine) -> None:
    """ "Executes pending callbacks on the calling thread", those of all its streams."""
    seen: list[tuple[str, int]] = []
    streams = {name: served_stream() for name in ("one", "other")}
    for number in range(3):
        for name, stream in streams.items():
            ok(aclrtLaunchCallback(seen.append, (name, number), NO_BLOCK, stream))
    for stream in streams.values():
        ok(aclrtSynchronizeStream(stream))
    ok(aclrtProcessReport(1))
    for wanted in streams:
        assert [number for name, number in seen if name == wanted] == [0, 1, 2]


def test_processing_drives_the_queue(each: Machine) -> None:
    """aclrtProcessReport runs "the late queues [it] depend[s] on": nobody synchronises (ours)."""
    seen: list[int] = []
    stream, other, event = served_stream(), create_stream(), event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    ok(aclrtStreamWaitEvent(stream, event))
    ok(aclrtLaunchCallback(seen.append, 1, BLOCK, stream))
    ok(aclrtRecordEvent(event, other))
    ok(aclrtProcessReport(-1))
    assert seen == [1]


@pytest.mark.fidelity("aclrtProcessReport with a timeout")
@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
def test_a_callback_that_comes_after_the_timeout(schedule: str) -> None:
    """ "A timeout expires when the work it waits for needs more simulated time": 1500 records take 1.5 ms."""
    seen: list[int] = []
    with board(schedule):
        stream, event = served_stream(), event_of(aclrtCreateEvent)
        for _ in range(1500):
            ok(aclrtRecordEvent(event, stream))
        ok(aclrtLaunchCallback(seen.append, 1, NO_BLOCK, stream))
        assert_status(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT, "no callback arrived from stream 1")
        assert not seen
        ok(aclrtProcessReport(1))
        assert seen == [1]


@pytest.mark.fidelity("aclrtProcessReport with a timeout")
@pytest.mark.parametrize("another", [True, False], ids=["another thread lives", "alone"])
def test_with_a_timeout_it_waits_for_other_host_threads_that_live(another: bool) -> None:
    """Ours: a million seconds are over at once where no other thread could launch a callback."""
    seen: list[int] = []
    with board("late") as machine:
        stream, context = served_stream(), current_context()

        def launch() -> None:
            ok(aclrtSetCurrentContext(context))
            called.set()
            while not machine.scheduler.awaited:
                pass
            ok(aclrtLaunchCallback(seen.append, 1, NO_BLOCK, stream))

        called = threading.Event()
        host = Host(launch) if another else None
        if host is not None:
            wait(called)
        status = aclrtProcessReport(1_000_000_000)
        if host is not None:
            host.end()
        assert (status, seen) == ((ACL_SUCCESS, [1]) if another else (ACL_ERROR_RT_REPORT_TIMEOUT, []))


@pytest.mark.fidelity("a callback for a stream without a subscriber")
def test_what_nobody_serves_is_dropped(each: Machine) -> None:
    """Ours: at aclrtUnSubscribeReport what arrived is dropped, and what the stream reaches while nobody serves it."""
    seen: list[str] = []
    stream, other = served_stream(), served_stream()
    ok(aclrtLaunchCallback(seen.append, "arrived", NO_BLOCK, stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtLaunchCallback(seen.append, "queued", NO_BLOCK, stream))
    ok(aclrtUnSubscribeReport(get_ident(), stream))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtSubscribeReport(get_ident(), stream))
    ok(aclrtLaunchCallback(seen.append, "other", NO_BLOCK, other))
    ok(aclrtProcessReport(-1))
    assert aclrtProcessReport(10) == ACL_ERROR_RT_REPORT_TIMEOUT
    assert seen == ["other"]


@pytest.mark.fidelity("a callback for a stream without a subscriber")
def test_what_is_queued_goes_to_the_next_subscriber() -> None:
    """Ours: a callback belongs to whoever serves the stream when the stream gets there."""
    seen: list[int] = []
    with board():
        stream = served_stream()
        ok(aclrtLaunchCallback(lambda _: seen.append(get_ident()), None, BLOCK, stream))
        ok(aclrtUnSubscribeReport(get_ident(), stream))
        with report_thread() as thread:
            ok(aclrtSubscribeReport(thread, stream))
            ok(aclrtSynchronizeStream(stream))
        assert seen == [thread]


def test_unsubscribing_ends_the_wait_of_the_thread_107012(each: Machine) -> None:
    """aclrtProcessReport(-1) of a thread that serves nothing any more does not wait for ever."""
    serving = threading.Event()

    def serve() -> None:
        serving.set()
        assert_status(aclrtProcessReport(-1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "serves no stream")

    begin, stream = threading.Event(), create_stream()
    host = Host(lambda: (wait(begin), serve()))
    ok(aclrtSubscribeReport(host.number, stream))
    begin.set()
    wait(serving)
    ok(aclrtUnSubscribeReport(host.number, stream))
    host.end()


def test_an_exception_leaves_the_call_that_ran_the_callback(each: Machine) -> None:
    """ "An exception in one leaves the host call that ran it" (ours); what else arrived is run by the next."""
    seen: list[int] = []

    def broken(data: object) -> None:
        raise KeyError(data)

    stream = served_stream()
    ok(aclrtLaunchCallback(broken, "mine", BLOCK, stream))
    ok(aclrtLaunchCallback(seen.append, 1, NO_BLOCK, stream))
    with pytest.raises(KeyError, match="mine"):
        aclrtProcessReport(-1)
    ok(aclrtSynchronizeStream(stream))
    assert not seen
    ok(aclrtProcessReport(100))
    assert seen == [1]
    ok(aclrtSynchronizeStream(stream))
