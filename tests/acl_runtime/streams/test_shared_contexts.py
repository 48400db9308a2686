"""Host threads that share a device and its context; what each thread has of its own (public)."""

import threading
from collections.abc import Callable, Iterator
from ctypes import byref, c_int32
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.host_threads import Host, at_once, current_context, in_thread, wait
from tests.helpers.machines import SCHEDULES
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.pipelined_job import SIZE, Job


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """Two devices, none set, under each schedule; at the end nothing is left behind, nothing wrong was done."""
    with Machine(device_count=2, schedule=request.param, seed=5) as machine:
        ok(aclInit(None))
        yield machine
        ok(aclFinalize())
    check_documented(machine)
    assert not machine.findings


def shared_by_context(context: aclrtContext) -> None:
    ok(aclrtSetCurrentContext(context))


def shared_by_device(context: aclrtContext) -> None:
    ok(aclrtSetDevice(1))


@pytest.mark.parametrize("share", [shared_by_context, shared_by_device], ids=lambda share: share.__name__)
def test_two_threads_share_a_context(each: Machine, share: Callable[[aclrtContext], None]) -> None:
    """A stream each; then one stream for both ("submission is serialised"), made and destroyed by the main thread."""
    ok(aclrtSetDevice(1))
    context, common = current_context(), create_stream()

    def program(seed: int) -> None:
        share(context)
        assert current_context() == context
        own = create_stream()
        mine, ours = Job(seed), Job(seed + 100)
        mine.launch(own)
        ours.launch(common)
        for stream, job in ((own, mine), (common, ours)):
            ok(aclrtSynchronizeStream(stream))
            job.check()
            job.free()
        ok(aclrtDestroyStream(own))
        if share is shared_by_device:
            ok(aclrtResetDevice(1))

    at_once(*(lambda seed=seed: program(seed) for seed in range(3)))
    ok(aclrtDestroyStream(common))
    ok(aclrtResetDevice(1))


def test_an_explicit_context_current_in_two_threads(each: Machine) -> None:
    """ "The same context may be current in many threads"; its default stream is one for all of them."""
    context = create_context(1)
    handles: list[Any] = []

    def program(seed: int) -> None:
        ok(aclrtSetCurrentContext(context))
        stream = aclrtStream()
        ok(aclrtCtxGetCurrentDefaultStream(byref(stream)))
        handles.append(stream)
        job = Job(seed)
        job.launch(aclrtStream())
        ok(aclrtSynchronizeStream(stream))
        job.check()
        job.free()
        number = c_int32(-1)
        ok(aclrtGetDevice(byref(number)))
        assert number.value == 1

    at_once(*(lambda seed=seed: program(seed) for seed in range(2)))
    assert handles[0] == handles[1]
    ok(aclrtDestroyContext(context))


def test_one_thread_submits_and_another_waits(each: Machine) -> None:
    """A stream of one thread waits for the event that the other thread will record in its own, and copies what is
    ready then."""
    ok(aclrtSetDevice(0))
    context, memory = current_context(), malloc(SIZE)
    event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_SYNC)
    waits = threading.Event()

    def consumer() -> list[int]:
        ok(aclrtSetCurrentContext(context))
        stream, copy = create_stream(), malloc(SIZE)
        ok(aclrtStreamWaitEvent(stream, event))
        ok(aclrtMemcpyAsync(copy, SIZE, memory, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, stream))
        waits.set()
        ok(aclrtSynchronizeStream(stream))
        values = np.unique(each.read(copy, SIZE, "u1")).tolist()
        ok(aclrtFree(copy))
        ok(aclrtDestroyStream(stream))
        return values

    def producer() -> None:
        ok(aclrtSetCurrentContext(context))
        stream = create_stream()
        wait(waits)
        ok(aclrtMemsetAsync(memory, SIZE, 9, SIZE, stream))
        ok(aclrtRecordEvent(event, stream))
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtDestroyStream(stream))

    made = Host(producer)
    assert Host(consumer).end() == [9]
    made.end()
    ok(aclrtDestroyEvent(event))
    ok(aclrtFree(memory))
    ok(aclrtResetDevice(0))


def test_a_handle_is_given_from_thread_to_thread(each: Machine) -> None:
    """ "All functions may be called from any thread": memory, streams, events made in one end in another."""

    def make() -> tuple[aclrtStream, int, Any]:
        ok(aclrtSetDevice(0))
        stream, memory, event = create_stream(), malloc(64), event_of(aclrtCreateEvent)
        ok(aclrtMemsetAsync(memory, 64, 4, 64, stream))
        ok(aclrtRecordEvent(event, stream))
        return stream, memory, event

    def use(stream: aclrtStream, memory: int, event: Any) -> None:
        ok(aclrtSetDevice(0))
        ok(aclrtSynchronizeEvent(event))
        assert each.read(memory, 64, "u1").tolist() == [4] * 64
        ok(aclrtDestroyEvent(event))
        ok(aclrtDestroyStream(stream))

    made = in_thread(make)
    in_thread(lambda: use(*made))
    in_thread(lambda: ok(aclrtFree(made[1])))  # "works without current context and from any thread"
    for _ in range(2):
        in_thread(lambda: ok(aclrtResetDevice(0)))


def test_many_threads_create_and_destroy(each: Machine) -> None:
    """ "Creation/destruction is internally locked": every handle is another, none is lost."""
    ok(aclrtSetDevice(0))

    def program() -> list[int]:
        ok(aclrtSetDevice(0))
        numbers: list[int] = []
        for _ in range(20):
            stream, event = create_stream(), event_of(aclrtCreateEvent)
            numbers += [stream.value or 0, event.value or 0]
            ok(aclrtRecordEvent(event, stream))
            ok(aclrtDestroyStream(stream))
            ok(aclrtDestroyEvent(event))
            assert aclrtDestroyStream(stream) == ACL_ERROR_RT_INVALID_HANDLE
        ok(aclrtResetDevice(0))
        return numbers

    found = [number for numbers in at_once(*[program] * 4) for number in numbers]
    assert len(set(found)) == len(found) == 160
    ok(aclrtResetDevice(0))


def test_a_new_thread_inherits_no_context_107002(two: Machine) -> None:
    """ "It never inherits one"; the text names the thread and the fix."""
    ok(aclrtSetDevice(0))
    stream = create_stream()

    def work() -> None:
        assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL, "thread worker", "aclrtSetDevice")
        assert aclrtCreateStream(byref(aclrtStream())) == ACL_ERROR_RT_CONTEXT_NULL

    Host(work, "worker").end()


def test_the_last_reset_ends_the_binding_of_other_threads_107002(two: Machine) -> None:
    """ "Call on a thread after another thread's final reset"; its references count, each thread's alike."""
    bound, reset = threading.Event(), threading.Event()

    def other() -> None:
        ok(aclrtSetDevice(0))
        ok(aclrtResetDevice(0))  # "count still > 0: nothing changes, thread stays bound"
        ok(aclrtSynchronizeDevice())
        bound.set()
        wait(reset)
        assert_status(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "released by aclrtResetDevice")
        ok(aclrtSetDevice(0))
        ok(aclrtSynchronizeDevice())

    ok(aclrtSetDevice(0))
    host = Host(other)
    wait(bound)
    ok(aclrtResetDevice(0))
    reset.set()
    host.end()


def test_a_context_destroyed_in_another_thread_107002(two: Machine) -> None:
    """ "Other threads that had it get 107002" (2.7), and its streams are gone: 107017."""
    context, stream = create_context(1), create_stream()
    destroyed, current = threading.Event(), threading.Event()

    def other() -> None:
        ok(aclrtSetCurrentContext(context))
        current.set()
        wait(destroyed)
        assert_status(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "context 1", "destroyed at")
        assert aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE

    host = Host(other)
    wait(current)
    ok(aclrtDestroyContext(context))
    destroyed.set()
    host.end()
