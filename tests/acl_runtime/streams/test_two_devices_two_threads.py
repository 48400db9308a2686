"""Programs that drive two devices, from a host thread each or from one (public)."""

import threading
from collections.abc import Iterator
from ctypes import byref, c_float, c_int32

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.host_threads import at_once, in_thread, wait
from tests.helpers.machines import SCHEDULES
from tests.helpers.outcomes import assert_status, ok, text
from tests.helpers.patience import PATIENCE
from tests.helpers.pipelined_job import SHAPE, SIZE, Job


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """Two devices, none set, under each schedule; at the end nothing is left behind, nothing wrong was done."""
    with Machine(device_count=2, schedule=request.param, seed=5) as machine:
        ok(aclInit(None))
        yield machine
        ok(aclFinalize())
    check_documented(machine)
    assert not machine.findings


def device() -> int:
    number = c_int32(-1)
    ok(aclrtGetDevice(byref(number)))
    return number.value


def test_a_thread_per_device(each: Machine) -> None:
    """Each allocates, copies, computes, records events, synchronises, and cleans up, at the same time."""
    meeting = threading.Barrier(2)

    def program(number: int) -> float:
        ok(aclrtSetDevice(number))
        stream, events = create_stream(), [event_of(aclrtCreateEvent) for _ in range(2)]
        meeting.wait(PATIENCE)
        jobs = [Job(10 * number + each_one) for each_one in range(3)]
        ok(aclrtRecordEvent(events[0], stream))
        for job in jobs:
            job.launch(stream)
        ok(aclrtRecordEvent(events[1], stream))
        assert device() == number
        ok(aclrtSynchronizeEvent(events[1]))
        milliseconds = c_float()
        ok(aclrtEventElapsedTime(byref(milliseconds), *events))
        for job in jobs:
            job.check()
        ok(aclrtSynchronizeStream(stream))
        for job in jobs:
            job.free()
        for event in events:
            ok(aclrtDestroyEvent(event))
        ok(aclrtDestroyStream(stream))
        ok(aclrtResetDevice(number))
        return milliseconds.value

    took = at_once(lambda: program(0), lambda: program(1))
    assert min(took) >= 13 / 1000, "12 tasks and a record, 1 us each"


def test_a_thread_per_device_with_explicit_contexts(each: Machine) -> None:
    """The same with a context of the thread's own, which holds its device, and its default stream."""

    def program(number: int) -> None:
        context = create_context(number)
        job = Job(number)
        job.launch(aclrtStream())
        ok(aclrtSynchronizeDevice())
        job.check()
        job.free()
        assert device() == number
        ok(aclrtDestroyContext(context))

    at_once(lambda: program(0), lambda: program(1))


def test_one_thread_alternates_between_two_devices(each: Machine) -> None:
    """Switching is allowed any time; the work of both is in flight together."""
    jobs: list[tuple[int, aclrtStream, Job]] = []
    for number in (0, 1):
        ok(aclrtSetDevice(number))
        stream, job = create_stream(), Job(number)
        job.launch(stream)
        jobs.append((number, stream, job))
    for number, stream, job in jobs:
        ok(aclrtSetDevice(number))
        ok(aclrtSynchronizeStream(stream))
        job.check()
        job.free()
        ok(aclrtDestroyStream(stream))
    for number in (0, 0, 1, 1):
        ok(aclrtResetDevice(number))


def test_a_pipeline_over_two_devices(each: Machine) -> None:
    """Device 0 computes in one thread; its result, in pinned memory, goes to device 1 in the other. The host hands
    over, as an event of device 0 tells when it is there."""
    ready, taken = threading.Event(), threading.Event()
    between: list[tuple[int, np.ndarray]] = []

    def producer() -> np.ndarray:
        ok(aclrtSetDevice(0))
        stream, job, event = create_stream(), Job(1), event_of(aclrtCreateEvent)
        job.launch(stream)
        ok(aclrtRecordEvent(event, stream))
        ok(aclrtSynchronizeEvent(event))
        between.append(job.hosts[2])
        ready.set()
        wait(taken)
        ok(aclrtDestroyEvent(event))
        ok(aclrtDestroyStream(stream))
        job.free()
        ok(aclrtResetDevice(0))
        return job.expected

    def consumer() -> np.ndarray:
        ok(aclrtSetDevice(1))
        stream, memory = create_stream(), malloc(SIZE)
        wait(ready)
        ok(aclrtMemcpyAsync(memory, SIZE, between[0][0], SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream))
        ok(aclrtSynchronizeStream(stream))
        values = each.read(memory, SHAPE, "f4")
        taken.set()
        ok(aclrtFree(memory))
        ok(aclrtDestroyStream(stream))
        ok(aclrtResetDevice(1))
        return values

    expected, found = at_once(producer, consumer)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_what_belongs_to_the_other_device(two: Machine) -> None:
    """Streams of it take no work (107003), but may be waited for (2.13); errors stay with the thread that made them."""
    ok(aclrtSetDevice(0))
    stream, memory = create_stream(), malloc(8)

    def other() -> None:
        ok(aclrtSetDevice(1))
        assert_status(aclrtMemsetAsync(memory, 8, 0, 8, stream), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)")
        assert aclrtLaunchHostFunc(stream, print, None) == ACL_ERROR_RT_STREAM_CONTEXT
        assert aclrtRecordEvent(event_of(aclrtCreateEvent), stream) == ACL_ERROR_RT_STREAM_CONTEXT
        assert aclrtDestroyStream(stream) == ACL_ERROR_RT_STREAM_CONTEXT
        ok(aclrtSynchronizeStream(stream))
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_STREAM_CONTEXT

    ok(aclrtMemsetAsync(memory, 8, 3, 8, stream))
    in_thread(other)
    assert two.read(memory, 8, "u1").tolist() == [3] * 8, "the other thread waited for it"
    assert (text(), aclrtGetLastError(ACL_RT_THREAD_LEVEL)) == ("", ACL_SUCCESS)
