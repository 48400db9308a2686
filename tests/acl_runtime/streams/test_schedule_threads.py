"""schedule="threads": a worker for each stream, from the launch on (ours)."""

import threading
from collections.abc import Iterator

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import DeviceFault
from acl_runtime.streams.stream import Stream, Task
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import finding_of
from tests.helpers.patience import PATIENCE


@pytest.fixture
def threaded() -> Iterator[Machine]:
    with Machine(schedule="threads") as machine:
        aclrtSetDevice(0)
        yield machine
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(("stream", "the default stream"))]


def submit(machine: Machine, handle: aclrtStream, task: Task) -> None:
    """Put any work into a stream."""
    found = machine.handles.find(handle.value or 0, Stream)
    assert found is not None
    with machine.lock:
        machine.submit(found, task)


def test_two_streams_meet_where_neither_can_pass_alone(threaded: Machine) -> None:
    """Different streams run at the same time: both tasks wait at one barrier."""
    barrier = threading.Barrier(2)

    def meet() -> None:
        barrier.wait(PATIENCE)

    streams = create_stream(), create_stream()
    for stream in streams:
        submit(threaded, stream, Task("meet", meet, (), "here"))
    assert [aclrtSynchronizeStream(stream) for stream in streams] == [ACL_SUCCESS, ACL_SUCCESS]


@pytest.mark.fidelity("when queued work runs")
def test_work_runs_without_a_synchronise(threaded: Machine) -> None:
    """The worker starts at the launch."""
    ran = threading.Event()
    submit(threaded, create_stream(), Task("work", ran.set, (), "here"))
    assert ran.wait(PATIENCE)


def test_one_stream_is_a_fifo(threaded: Machine) -> None:
    """Strict FIFO within a stream (public)."""
    seen: list[int] = []
    stream = create_stream()
    for number in range(50):
        submit(threaded, stream, Task("work", lambda number=number: seen.append(number), (), "here"))
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert seen == list(range(50))


def test_a_failure_is_told_by_the_next_wait(threaded: Machine) -> None:
    """An asynchronous failure surfaces at the next synchronise of its stream, once (public)."""

    def fail() -> None:
        raise DeviceFault(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)

    stream = create_stream()
    submit(threaded, stream, Task("fails", fail, (), "here"))
    assert aclrtSynchronizeStream(stream) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS


def test_a_finding_is_raised_by_the_next_call_that_waits(threaded: Machine) -> None:
    """It names the launch, and belongs to the machine of the stream, whichever is entered (ours)."""
    other = Machine()
    stream = create_stream()
    with other:
        submit(threaded, stream, Task("task", lambda: threaded.undefined("index-range", "wrong"), (), "a.py:7"))
    id, message = finding_of(lambda: aclrtSynchronizeStream(stream))
    assert (id, message.splitlines()[1].strip()) == ("index-range", "--> a.py:7, in task")
    assert not other.findings
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS


def test_destroying_a_stream_waits_for_its_worker(threaded: Machine) -> None:
    """aclrtDestroyStream waits for pending tasks (public)."""
    seen: list[int] = []
    stream = create_stream()
    for number in range(20):
        submit(threaded, stream, Task("work", lambda number=number: seen.append(number), (), "here"))
    assert aclrtDestroyStream(stream) == ACL_SUCCESS
    assert len(seen) == 20


def test_closing_ends_the_workers_and_drops_what_has_not_begun() -> None:
    """At exit queued work is dropped and listed (ours)."""
    going = threading.Event()
    seen: list[int] = []
    with Machine(schedule="threads") as machine:
        aclrtSetDevice(0)
        stream = create_stream()
        found = machine.handles.find(stream.value or 0, Stream)
        assert found is not None

        def until_dropped() -> None:
            going.set()
            with machine.scheduler.changed:
                machine.scheduler.changed.wait_for(lambda: bool(found.ended), PATIENCE)

        submit(machine, stream, Task("slow", until_dropped, (), "here"))
        submit(machine, stream, Task("never", lambda: seen.append(1), (), "here"))
        assert going.wait(PATIENCE)
    assert "work-dropped" in [finding.id for finding in machine.findings]
    assert not seen
