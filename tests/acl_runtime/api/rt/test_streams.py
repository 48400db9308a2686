"""Streams: creation, destruction, waiting, order, schedules (public)."""

from ctypes import byref

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.conftest import check_documented
from tests.helpers.builders import OnDevice, malloc, on_device, plan
from tests.helpers.creating import create_context, create_stream
from tests.helpers.failing_tasks import failing_task
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax
from tests.helpers.stream_gate import Gate


def done(machine: Machine, out: OnDevice) -> bool:
    """Has the task run? Read from the memory without a call of the API."""
    values = machine.read(out.address, out.shape, "f4")
    assert np.unique(values).tolist() in ([0.0], [SOFTMAX_RESULT])
    return bool(values.any())


def test_creating_refuses_null_before_no_context(machine: Machine) -> None:
    """The null pointer is checked before the context (public)."""
    assert_status(in_thread(lambda: aclrtCreateStream(None)), ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtCreateStream(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "stream")
    assert in_thread(lambda: aclrtCreateStream(byref(aclrtStream()))) == ACL_ERROR_RT_CONTEXT_NULL


def test_a_stream_belongs_to_the_context_that_was_current(machine: Machine) -> None:
    """A stream keeps its context, whichever context is current later, and ends with it (public)."""
    default = create_stream()
    context = create_context()
    explicit = create_stream()
    assert aclrtDestroyStream(default) == ACL_ERROR_RT_STREAM_CONTEXT
    aclrtSetDevice(0)
    assert aclrtDestroyStream(explicit) == ACL_ERROR_RT_STREAM_CONTEXT
    assert aclrtDestroyStream(default) == ACL_SUCCESS
    aclrtSetCurrentContext(context)
    assert aclrtDestroyStream(explicit) == ACL_SUCCESS


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_no_implicit_barrier_with_the_default_stream(schedule: str) -> None:
    """ "No special synchronising power (no implicit barrier with other streams)" (public): neither stream waits for the
    other."""
    with board(schedule) as machine:
        stream = create_stream()
        for held, free in ((None, stream), (stream, None)):
            gate = Gate(held)
            behind = launch_softmax(held)[2]
            out = launch_softmax(free)[2]
            assert aclrtSynchronizeStream(free) == ACL_SUCCESS
            assert (done(machine, out), done(machine, behind)) == (True, False)
            gate.open()
            assert aclrtSynchronizeStream(held) == ACL_SUCCESS


@pytest.mark.fidelity("contexts of one device")
def test_a_stream_beyond_the_limit_is_207008() -> None:
    """A 310B has 512 streams. One more is 207008, until a stream is destroyed. Default streams do not count
    (public)."""
    with Machine("Ascend310B1") as machine:
        aclrtSetDevice(0)
        streams = [create_stream() for _ in range(256)]
        create_context()
        streams += [create_stream() for _ in range(256)]
        status = aclrtCreateStream(byref(aclrtStream()))
        assert_status(status, ACL_ERROR_RT_NO_STREAM_RESOURCE, "(EE1023)", "512", "Ascend310B1")
        assert aclrtDestroyStream(streams.pop()) == ACL_SUCCESS
        assert aclrtCreateStream(byref(aclrtStream())) == ACL_SUCCESS
    check_documented(machine)


def test_the_default_stream_cannot_be_destroyed(machine: Machine) -> None:
    """Null stands for the default stream, and is refused. It is checked before the context (public)."""
    assert_status(aclrtDestroyStream(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "stream")
    assert in_thread(lambda: aclrtDestroyStream(None)) == ACL_ERROR_INVALID_PARAM


@pytest.mark.parametrize("call", [aclrtDestroyStream, aclrtSynchronizeStream], ids=lambda call: call.__name__)
def test_dead_and_foreign_handles_are_107017(machine: Machine, call: type) -> None:
    """A destroyed stream, or a handle of another kind, is 107017. The check comes before that of the context
    (public)."""
    stream, context = create_stream(), create_context()
    assert aclrtSetDevice(0) == aclrtDestroyStream(stream) == ACL_SUCCESS
    words = ("(EE1017)", "parameter stream", "stream 1", "destroyed")
    assert_status(call(stream), ACL_ERROR_RT_INVALID_HANDLE, *words)
    assert_status(call(context), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "parameter stream", "it is context")
    assert_status(call(0x1234), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "parameter stream", "0x1234")
    assert in_thread(lambda: call(stream)) == ACL_ERROR_RT_INVALID_HANDLE


@pytest.mark.parametrize("call", [aclrtDestroyStream, aclrtSynchronizeStream], ids=lambda call: call.__name__)
def test_without_a_context_a_live_stream_is_107002(machine: Machine, call: type) -> None:
    """The stream is alive, but the calling thread has no context: 107002 (public)."""
    stream = create_stream()

    def work() -> None:
        assert_status(call(stream), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "no valid context")

    in_thread(work)
    assert in_thread(lambda: aclrtSynchronizeStream(None)) == ACL_ERROR_RT_CONTEXT_NULL


def test_a_stream_of_another_context_may_be_waited_for_only(machine: Machine) -> None:
    """Destroying the stream is 107003. Waiting for it is allowed (public)."""
    stream = create_stream()
    out = launch_softmax(stream)[2]
    create_context()
    assert_status(aclrtDestroyStream(stream), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "stream_id=1", "cur_ctx=context")
    assert not done(machine, out)
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert done(machine, out)


def test_null_is_the_default_stream_of_the_current_context(machine: Machine) -> None:
    """Each context has a default stream. Two of these do not wait for each other (public)."""
    first = launch_softmax(None)[2]
    context = create_context()
    second = launch_softmax(None)[2]
    aclrtSetDevice(0)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert (done(machine, first), done(machine, second)) == (True, False)
    aclrtSetCurrentContext(context)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert done(machine, second)


def test_destroying_waits_for_pending_tasks(machine: Machine) -> None:
    """aclrtDestroyStream waits for the tasks, then destroys the stream and returns 0 (public)."""
    stream = create_stream()
    out = launch_softmax(stream)[2]
    assert aclrtDestroyStream(stream) == ACL_SUCCESS
    assert done(machine, out)


def test_destroying_a_stream_whose_task_fails() -> None:
    """ "Waits for them, then destroys, 0" (public), also when a task fails. No later call reports the failure."""
    with board(on_undefined="report") as machine:
        stream = create_stream()
        failing_task(stream)
        out = launch_softmax(stream)[2]
        assert aclrtDestroyStream(stream) == ACL_SUCCESS
        assert done(machine, out)
        assert aclrtSynchronizeDevice() == ACL_SUCCESS


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_destroying_an_idle_stream_leaves_the_others(schedule: str) -> None:
    """Only its own work is waited for."""
    with board(schedule) as machine:
        one, other = create_stream(), create_stream()
        gate = Gate(other)
        out = launch_softmax(other)[2]
        assert aclrtDestroyStream(one) == ACL_SUCCESS
        assert not done(machine, out)
        gate.open()
        assert aclrtSynchronizeStream(other) == ACL_SUCCESS
        assert done(machine, out)


@pytest.mark.fidelity("when queued work runs")
def test_late_work_runs_when_its_stream_is_waited_for(machine: Machine) -> None:
    """schedule "late": a queued task runs only when something needs it (ours)."""
    streams = create_stream(), create_stream()
    outs = [launch_softmax(stream)[2] for stream in streams]
    assert [done(machine, out) for out in outs] == [False, False]
    aclrtSynchronizeStream(streams[1])
    assert [done(machine, out) for out in outs] == [False, True]


@pytest.mark.fidelity("when queued work runs")
def test_eager_work_runs_at_launch() -> None:
    """schedule "eager": a task runs inside the call that launches it (ours)."""
    with Machine(schedule="eager") as machine:
        aclrtSetDevice(0)
        assert done(machine, launch_softmax(create_stream())[2])


@pytest.mark.fidelity("when queued work runs")
def test_random_order_is_repeatable() -> None:
    """schedule "random": any order the API allows, repeatable, each stream a FIFO (ours)."""

    def order(seed: int) -> list[tuple[bool, ...]]:
        seen: list[tuple[bool, ...]] = []
        with Machine(schedule="random", seed=seed) as machine:
            aclrtSetDevice(0)
            streams = [create_stream() for _ in range(2)]
            outs: list[OnDevice] = []
            for i in range(8):
                outs.append(launch_softmax(streams[i % 2])[2])
                seen.append(tuple(done(machine, out) for out in outs))
                for fifo in (seen[-1][0::2], seen[-1][1::2]):
                    assert list(fifo) == sorted(fifo, reverse=True), "a later task of a stream ran before an earlier"
            assert [aclrtSynchronizeStream(stream) for stream in streams] == [ACL_SUCCESS] * 2
            assert all(done(machine, out) for out in outs)
        return seen

    assert order(7) == order(7)
    assert len({tuple(order(seed)) for seed in range(4)}) > 1


def test_one_stream_is_a_fifo(machine: Machine) -> None:
    """The second task reads what the first wrote (public)."""
    stream = create_stream()
    grad, output, out = (on_device(np.full(8, value, np.float32)) for value in (3, 1, 0))
    for target in (grad, out):
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, target)
        workspace = malloc(max(planned.workspace_size, 1))
        assert aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, stream) == ACL_SUCCESS
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert np.unique(out.read()).tolist() == [SOFTMAX_RESULT - 8 * SOFTMAX_RESULT]


def test_a_failure_of_a_task_is_returned_by_the_next_wait_for_its_stream() -> None:
    """With on_undefined="report" the next synchronise returns 507035, and the synchronise after that returns 0
    (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        stream, other = create_stream(), create_stream()
        failing_task(stream)
        later = launch_softmax(stream)[2]
        assert aclrtSynchronizeStream(other) == ACL_SUCCESS
        assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "target[1] is 3")
        assert done(machine, later)
        assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
        assert [finding.id for finding in machine.findings.worth_telling] == ["index-range"]
    check_documented(machine)


def test_finding_inside_a_task_is_raised_by_the_call_that_ran_it(machine: Machine) -> None:
    """A finding inside a task is raised by the host call that made it run (ours)."""
    stream = create_stream()
    failing_task(stream)
    id, message = finding_of(lambda: aclrtSynchronizeStream(stream))
    assert (id, machine.findings[-1].call) == ("index-range", "aclrtSynchronizeStream")
    assert "target[1] is 3" in message
    assert "legal values are 0 to 2" in message
