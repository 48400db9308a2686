"""A captured task is a task: schedules, time, trace, faults, callbacks and checks are those of launched ones (ours)."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from ctypes import POINTER, byref, c_int32, c_int64, c_uint64

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.streams.stream import Stream, Task
from aclnn import *
from tests.helpers.builders import OnDevice, malloc, on_device, plan
from tests.helpers.captures import GLOBAL, add, captured, end, execute, lead, new_event
from tests.helpers.creating import create_stream, pinned
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, finding_of, ok

pytestmark = pytest.mark.finds(
    "order-teardown", "stream-leaked", "event-leaked", "model-leaked", "mem-leaked", "tensor-leaked", "host-mem-leaked"
)
EVERY = pytest.mark.parametrize("schedule", SCHEDULES)


def filled(value: float, size: int = 4) -> OnDevice:
    return on_device(np.full(size, value, np.float32))


def all_kinds(stream: aclrtStream, other: aclrtStream, tensors: list[OnDevice], host: np.ndarray, address: int) -> None:
    """Calls that queue every kind of task, in two streams."""
    x, y, z = tensors
    add(x, y, z, stream)
    lead(stream, other)
    ok(aclrtMemcpyAsync(y.address, 16, z.address, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, other))
    ok(aclrtMemsetAsync(z.address + 8, 8, 0, 8, other))
    lead(other, stream)
    ok(aclrtReduceAsync(x.address, y.address, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, stream, None))
    ok(aclrtMemcpyAsync(address, 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST, stream))


@EVERY
def test_a_model_does_what_the_calls_do(schedule: str) -> None:
    """Same values, tasks and simulated times as the same calls without a capture, over three rounds."""
    seen = []
    for capture in (False, True):
        with board(schedule) as machine:
            stream, other = create_stream(), create_stream()
            tensors, (address, host) = [filled(1), filled(2), filled(3)], pinned(np.zeros(4, np.float32))
            arguments = stream, other, tensors, host, address
            model = captured(stream, lambda: all_kinds(*arguments)) if capture else None  # noqa: B023
            begun = machine.clock.now
            for _ in range(3):
                if model is not None:
                    ok(aclmdlRIExecuteAsync(model, stream))
                else:
                    all_kinds(*arguments)
                ok(aclrtSynchronizeStream(stream))
            values = [machine.read(each.address, 4, np.float32).tolist() for each in tensors]
            ran = [(task.name.partition(" event")[0], round(task.end - task.start, 6)) for task in machine.tasks]
            seen.append((values, host.tolist(), sorted(ran), round(machine.clock.now - begun, 6)))
            assert errors(machine) == []
    assert seen[0] == seen[1]


def test_host_memory_is_read_by_each_execution(machine: Machine) -> None:
    stream, x = create_stream(), filled(0)
    address, host = pinned(np.zeros(4, np.float32))
    copy = lambda: ok(aclrtMemcpyAsync(x.address, 16, address, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream))  # noqa: E731
    model = captured(stream, copy)
    for value in (3, 5):
        host[:] = value
        execute(model, stream)
        assert x.read().tolist() == [value] * 4


def test_host_memory_that_changes_under_a_queued_execution(machine: Machine) -> None:
    """As for a launched copy, the execution names the line of the capture."""
    stream, x = create_stream(), filled(0)
    address, _ = pinned(np.zeros(4, np.float32))
    model = captured(
        stream, lambda: ok(aclrtMemcpyAsync(x.address, 16, address, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    )
    ok(aclmdlRIExecuteAsync(model, stream))
    id, found = finding_of(lambda: aclrtMemset(address, 16, 0, 16))
    assert id == "pinned-reuse"
    assert "of model 1 executed at tests/acl_runtime/streams/test_executions.py" in found


@EVERY
def test_a_replay_races_with_what_runs_beside_it(schedule: str) -> None:
    """The finding belongs to the execution; the history has both lines of the capture."""
    with board(schedule) as machine:
        stream, other, x, y = create_stream(), create_stream(), filled(1), filled(1)
        model = captured(stream, lambda: add(x, x, x, stream))
        add(y, y, x, other)
        id, found = finding_of(lambda: aclmdlRIExecuteAsync(model, stream))
        assert id == "xstream-race"
        assert "in aclmdlRIExecuteAsync" in found
        assert found.count("was captured") == 1
        assert found.count("was launched") == 1
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtSynchronizeStream(other))
        assert x.read().tolist() == [2] * 4, "the execution had no effect"
        execute(model, stream)
        assert x.read().tolist() == [4] * 4
        assert errors(machine) == ["xstream-race"], "an execution that had no effect leaves no access behind"


def unwritten() -> OnDevice:
    address = malloc(16)
    handle = aclCreateTensor([4], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [4], 1, address)
    return OnDevice(handle, address, np.empty(4, np.float32), (4,), (1,), 0)


def read(x: OnDevice) -> None:
    ok(aclrtMemcpy(np.empty(4, np.float32), 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST))


@EVERY
def test_a_raised_finding_leaves_nothing_of_the_execution(schedule: str) -> None:
    """The last task of the model races. All checks forget the tasks before it: watches on pinned memory, written bytes,
    the record of an external event, accesses, failures that a test asks for."""
    with board(schedule) as machine:
        stream, other = create_stream(), create_stream()
        x, y, z, fresh, event = filled(1), filled(1), filled(1), unwritten(), new_event()
        address, host = pinned(np.zeros(4, np.float32))

        def calls() -> None:
            ok(aclrtMemcpyAsync(x.address, 16, address, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream))
            add(y, y, fresh, stream)
            ok(aclrtRecordEventWithFlag(event, stream, ACL_EVENT_RECORD_EXTERNAL))
            add(y, y, z, stream)

        model = captured(stream, calls)
        failure = machine.fail("aclnnAdd", device=True)
        ok(aclrtMemsetAsync(z.address, 16, 0, 16, other))
        assert finding_of(lambda: aclmdlRIExecuteAsync(model, stream))[0] == "xstream-race"
        host[:] = 7
        assert not failure.met
        status = c_int32(-1)
        ok(aclrtQueryEventStatus(event, byref(status)))
        assert status.value == ACL_EVENT_RECORDED_STATUS_COMPLETE, "never recorded"
        read(fresh)
        assert [finding.id for finding in machine.findings] == ["xstream-race", "uninit-read"]
        for each in (stream, other):
            ok(aclrtSynchronizeStream(each))
        read(x)
        ok(aclmdlRIExecuteAsync(model, stream))
        assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "aclnnAdd")
        assert x.read().tolist() == [7] * 4
        assert errors(machine) == ["xstream-race"]


@EVERY
@pytest.mark.parametrize("times", [1, 3])
def test_a_raised_finding_forgets_no_older_access(times: int, schedule: str) -> None:
    """The model writes x again, and then races. The launch before it still writes x, and nobody waits for that."""
    with board(schedule):
        stream, other, x, y, z = create_stream(), create_stream(), filled(1), filled(1), filled(1)
        model = captured(stream, lambda: (add(y, y, x, stream), add(y, y, z, stream)))
        for _ in range(times):
            add(y, y, x, stream)
        ok(aclrtMemsetAsync(z.address, 16, 0, 16, other))
        for _ in range(times):
            assert finding_of(lambda: aclmdlRIExecuteAsync(model, stream))[0] == "xstream-race"
        id, found = finding_of(lambda: read(x))
        assert id == "read-before-sync"
        assert "was launched" in found
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtSynchronizeStream(other))


@EVERY
def test_a_raised_execution_has_waited_for_nothing(schedule: str) -> None:
    """The model waits for the write of x, and then races. A launch behind it is not ordered after that write."""
    with board(schedule):
        stream, other, third, event = *(create_stream() for _ in range(3)), new_event()
        x, y, z = filled(1), filled(1), filled(1)
        ok(aclmdlRICaptureBegin(stream, GLOBAL))
        ok(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL))
        add(y, y, z, stream)
        model = end(stream)
        ok(aclrtMemsetAsync(x.address, 16, 0, 16, other))
        ok(aclrtRecordEvent(event, other))
        ok(aclrtMemsetAsync(z.address, 16, 0, 16, third))
        assert finding_of(lambda: aclmdlRIExecuteAsync(model, stream))[0] == "xstream-race"
        assert finding_of(lambda: add(x, x, y, stream))[0] == "xstream-race"
        for each in (stream, other, third):
            ok(aclrtSynchronizeStream(each))


@pytest.mark.parametrize("seed", range(6))
def test_what_a_raised_execution_leaves_is_what_was_there(seed: int) -> None:
    """Random calls, an execution that raises, and random calls again. Their findings are those without it."""
    rng = random.Random(seed)
    before, inside, after = (operators(rng) for _ in range(3))
    seen = []
    for executes in (False, True):
        with board(on_undefined="raise") as machine:
            streams, tensors, racy, other = (
                [create_stream(), create_stream()],
                [filled(n) for n in (1, 2, 3)],
                filled(1),
                create_stream(),
            )
            model = captured(streams[0], lambda: (play(inside, streams, tensors), add(racy, racy, racy, streams[0])))  # noqa: B023
            found = attempt(lambda: play(before, streams, tensors))  # noqa: B023
            ok(aclrtMemsetAsync(racy.address, 16, 0, 16, other))
            if executes:
                with pytest.raises(UndefinedBehaviour):
                    aclmdlRIExecuteAsync(model, streams[0])
            found += attempt(lambda: play(after, streams, tensors))  # noqa: B023
            found += attempt(lambda: read(tensors[0]))  # noqa: B023
            for stream in (*streams, other):
                ok(aclrtSynchronizeStream(stream))
            seen.append((found, [machine.read(each.address, 4, np.float32).tolist() for each in tensors]))
    assert seen[0] == seen[1]


def attempt(call: Callable[[], object]) -> list[str]:
    """The finding that the call raises, if it raises one."""
    try:
        call()
    except UndefinedBehaviour as behaviour:
        return [behaviour.finding.id]
    return []


@EVERY
def test_two_branches_of_a_model_race(schedule: str) -> None:
    """Streams of the model have names of their own."""
    with board(schedule):
        stream, other, x = create_stream(), create_stream(), filled(1)

        def branches() -> None:
            lead(stream, other)
            add(x, x, x, other)
            add(x, x, x, stream)
            lead(other, stream)

        model = captured(stream, branches)
        id, found = finding_of(lambda: aclmdlRIExecuteAsync(model, stream))
        assert id == "xstream-race"
        assert "in stream 2 of model 1" in found


@EVERY
def test_memory_that_nobody_wrote_is_found_by_the_execution(schedule: str) -> None:
    with board(schedule):
        stream, out, x = create_stream(), filled(1), unwritten()
        model = captured(stream, lambda: add(x, out, out, stream))
        id, found = finding_of(lambda: (aclmdlRIExecuteAsync(model, stream), aclrtSynchronizeStream(stream)))
        assert (id, "test_executions.py:" in found) == ("uninit-read", True)


# memory that is gone


@EVERY
@pytest.mark.parametrize("kind", ["tensor", "workspace", "source of a copy", "pinned memory", "handed out again"])
def test_memory_that_is_gone(kind: str, schedule: str) -> None:
    """Found at the execution, with the lines of the capture and of the free; the free itself is no mistake."""
    with board(schedule) as machine:
        stream, x, y = create_stream(), filled(1), filled(2)
        address, _ = pinned(np.zeros(4, np.float32))
        strided = on_device(np.ones((4, 4), np.float32), strides=(1, 4))
        dense, out = (on_device(np.ones((4, 4), np.float32)) for _ in range(2))

        def calls() -> None:
            if kind == "workspace":
                planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, strided, dense, 1, out)
                ok(planned.status)
                gone.append(malloc(planned.workspace_size))
                ok(aclnnSoftmaxBackward(gone[0], planned.workspace_size, planned.executor, stream))
            elif kind in ("tensor", "handed out again"):
                gone.append(y.address)
                add(x, y, x, stream)
            else:
                source = address if kind == "pinned memory" else y.address
                gone.append(source)
                ok(aclrtMemcpyAsync(x.address, 16, source, 16, ACL_MEMCPY_DEFAULT, stream))

        gone: list[int] = []
        model = captured(stream, calls)
        ok(aclrtFreeHost(gone[0]) if kind == "pinned memory" else aclrtFree(gone[0]))
        if kind == "handed out again":
            filled(9)
        assert errors(machine) == []
        for _ in range(2):
            id, found = finding_of(lambda: aclmdlRIExecuteAsync(model, stream))
            assert id == "graph-memory-gone"
            assert found.count("test_executions.py:") >= 3
        ok(aclrtSynchronizeStream(stream))
        assert len(machine.tasks) == 0


def test_a_machine_that_reports_reads_the_fill_and_reports_once() -> None:
    with board(on_undefined="report") as machine:
        stream, x, y = create_stream(), filled(1), filled(2)
        model = captured(stream, lambda: add(x, y, x, stream))
        ok(aclrtFree(y.address))
        execute(model, stream, times=2)
        assert np.isnan(x.read()).all()
        assert [finding.id for finding in machine.findings] == ["graph-memory-gone"]


def test_a_free_under_a_queued_execution_is_found_by_the_free(machine: Machine) -> None:
    stream, x, y = create_stream(), filled(1), filled(2)
    model = captured(stream, lambda: add(x, y, x, stream))
    ok(aclmdlRIExecuteAsync(model, stream))
    id, found = finding_of(lambda: aclrtFree(y.address))
    assert id == "io-freed-early"
    assert "of model 1 executed at" in found
    ok(aclrtSynchronizeStream(stream))


# faults


@EVERY
def test_a_failure_that_a_test_asks_for_hits_the_task_of_the_captured_call(schedule: str) -> None:
    """The capture uses no failure up. A task in a stream of the model fails the stream of the execution."""
    with board(schedule) as machine:
        stream, other, x, y = create_stream(), create_stream(), filled(1), filled(1)

        def calls() -> None:
            add(x, x, x, stream)
            lead(stream, other)
            add(y, y, y, other)
            lead(other, stream)

        failure = machine.fail("aclnnAdd", device=True, nth=4)
        model = captured(stream, calls)
        execute(model, stream)
        assert not failure.met
        ok(aclmdlRIExecuteAsync(model, stream))
        assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "aclnnAdd", "stream 2 of model 1")
        assert (x.read().tolist(), y.read().tolist()) == ([4] * 4, [2] * 4)
        execute(model, stream)


@pytest.mark.parametrize("ends", [aclrtDestroyStreamForce, aclrtStreamAbort])
def test_work_that_is_dropped_is_dropped_in_the_streams_of_the_model(ends: Callable[[object], int]) -> None:
    with board("late") as machine:
        stream, other, x = create_stream(), create_stream(), filled(1)

        def calls() -> None:
            lead(stream, other)
            add(x, x, x, other)
            lead(other, stream)

        model = captured(stream, calls)
        ok(aclmdlRIExecuteAsync(model, stream))
        machine.allow("work-dropped", reason="on purpose")
        ok(ends(stream))
        ok(aclmdlRIDestroy(model))
        ok(aclrtSynchronizeStream(other))
        assert machine.read(x.address, 4, np.float32).tolist() == [1] * 4
        assert list(machine.tasks) == []


@EVERY
@pytest.mark.parametrize("dropped", ["before", "after"])
def test_an_execution_waits_for_all_before_it_and_not_for_a_dropped_one(dropped: str, schedule: str) -> None:
    """Of three executions in three streams the first cannot begin yet, and the second is dropped before or after the
    third one is queued."""
    with board(schedule) as machine:
        machine.allow("work-dropped", reason="on purpose")
        first, second, third, x, cell = create_stream(), create_stream(), create_stream(), filled(1), malloc(8)
        ok(aclrtMemset(cell, 8, 0, 8))
        model = captured(first, lambda: add(x, x, x, first))
        ok(aclrtValueWait(cell, 1, ACL_STREAM_WAIT_VALUE_EQ, first))
        ok(aclmdlRIExecuteAsync(model, first))
        ok(aclmdlRIExecuteAsync(model, second))
        if dropped == "before":
            ok(aclrtStreamAbort(second))
        ok(aclmdlRIExecuteAsync(model, third))
        if dropped == "after":
            ok(aclrtStreamAbort(second))
        assert_status(aclrtSynchronizeStreamWithTimeout(third, 50), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        assert_status(aclmdlRIDestroy(model), ACL_ERROR_RT_MODEL_RUNNING, "test_executions.py:")
        ok(aclrtMemset(cell, 8, 1, 1))
        ok(aclrtSynchronizeStream(third))
        ok(aclmdlRIDestroy(model))
        assert x.read().tolist() == [4] * 4
        ok(aclrtSynchronizeStream(first))
        assert errors(machine) == []


@EVERY
def test_an_execution_that_is_dropped_holds_no_later_one_up(schedule: str) -> None:
    """Both have tasks in the same stream of the model; only those of the dropped one go."""
    with board(schedule) as machine:
        machine.allow("work-dropped", reason="on purpose")
        stream, other, dropped, x, y, cell = *(create_stream() for _ in range(3)), filled(1), filled(1), malloc(8)
        ok(aclrtMemset(cell, 8, 0, 8))
        model = captured(
            stream, lambda: (lead(stream, other), add(y, y, y, other), lead(other, stream), add(x, x, x, stream))
        )
        ok(aclrtValueWait(cell, 1, ACL_STREAM_WAIT_VALUE_EQ, dropped))
        ok(aclmdlRIExecuteAsync(model, dropped))
        ok(aclmdlRIExecuteAsync(model, stream))
        ok(aclrtDestroyStreamForce(dropped))
        for value in (2, 4):
            ok(aclrtSynchronizeStream(stream))
            assert (x.read().tolist(), y.read().tolist()) == ([value] * 4, [value] * 4)
            ok(aclmdlRIExecuteAsync(model, stream))
        ok(aclmdlRIDestroy(model))
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtFree(y.address))
        assert errors(machine) == []


@EVERY
def test_a_machine_closes_with_a_model_that_lives(schedule: str) -> None:
    """Its streams end as others do; no thread is left."""
    before = threading.active_count()
    with board(schedule) as machine:
        stream, other, x = create_stream(), create_stream(), filled(1)
        model = captured(stream, lambda: (lead(stream, other), add(x, x, x, other), lead(other, stream)))
        execute(model, stream)
    assert threading.active_count() == before
    leaked = [finding for finding in machine.findings if finding.id == "model-leaked"]
    assert [str(each.what) for each in leaked] == ["model 1 was never destroyed with aclmdlRIDestroy."]


# host code


@EVERY
def test_host_functions_and_callbacks_run_at_each_execution(schedule: str) -> None:
    with board(schedule):
        stream, x, calls = create_stream(), filled(1), list[str]()
        served = create_stream()
        ok(aclrtSubscribeReport(threading.get_ident(), served))

        def with_callback() -> None:
            ok(aclrtLaunchCallback(calls.append, "callback", ACL_CALLBACK_BLOCK, served))
            add(x, x, x, served)

        function = captured(
            stream, lambda: ok(aclrtLaunchHostFunc(stream, lambda data: calls.append(data), "function"))
        )
        callback = captured(served, with_callback)
        execute(function, stream, times=2)
        assert calls == ["function"] * 2
        for _ in range(2):
            ok(aclmdlRIExecuteAsync(callback, served))
            ok(aclrtProcessReport(-1))
        ok(aclrtSynchronizeStream(served))
        assert calls[2:] == ["callback"] * 2
        assert x.read().tolist() == [4] * 4


@EVERY
def test_values_in_memory_order_executions(schedule: str) -> None:
    with board(schedule):
        first, second, x, cell = create_stream(), create_stream(), filled(1), malloc(8)
        ok(aclrtMemset(cell, 8, 0, 8))
        writer = captured(first, lambda: (add(x, x, x, first), ok(aclrtValueWrite(cell, 1, 0, first))))
        reader = captured(
            second, lambda: (ok(aclrtValueWait(cell, 1, ACL_STREAM_WAIT_VALUE_EQ, second)), add(x, x, x, second))
        )
        ok(aclmdlRIExecuteAsync(reader, second))
        ok(aclmdlRIExecuteAsync(writer, first))
        ok(aclrtSynchronizeStream(second))
        ok(aclrtSynchronizeStream(first))
        assert x.read().tolist() == [4] * 4


def test_a_shape_that_a_captured_operator_finds_out(machine: Machine) -> None:
    """Known after the wait for the execution, and again for the next one."""
    stream, x = create_stream(), on_device(np.array([0, 1, 0, 2], np.float32))
    out = on_device(np.zeros((4, 1), np.int64))

    def calls() -> None:
        planned = plan(aclnnNonzeroGetWorkspaceSize, x, out)
        ok(planned.status)
        ok(aclnnNonzero(malloc(planned.workspace_size or 8), planned.workspace_size, planned.executor, stream))

    model = captured(stream, calls)
    for values, count in (([0, 1, 0, 2], 2), ([1, 1, 0, 2], 3)):
        ok(aclrtMemcpy(x.address, 16, np.array(values, np.float32), 16, ACL_MEMCPY_HOST_TO_DEVICE))
        execute(model, stream)
        dims, rank = POINTER(c_int64)(), c_uint64()
        ok(aclGetViewShape(out.handle, byref(dims), byref(rank)))
        assert dims[0] == count


# a random twin


def program(rng: random.Random) -> list[tuple[str, int, int, int]]:
    """Calls in two streams: (what, stream, target, source)."""
    what = rng.choices(["add", "copy", "lead"], [3, 2, 2], k=rng.randint(3, 9))
    return [(each, rng.randrange(2), rng.randrange(3), rng.randrange(3)) for each in what]


def play(program: list[tuple[str, int, int, int]], streams: list[aclrtStream], tensors: list[OnDevice]) -> None:
    lead(streams[0], streams[1])
    for what, stream, target, source in program:
        if what == "add":
            add(tensors[source], tensors[source], tensors[target], streams[stream])
        elif what == "copy" and target != source:
            to, of = tensors[target].address, tensors[source].address
            ok(aclrtMemcpyAsync(to, 16, of, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[stream]))
        elif what == "lead":
            lead(streams[stream], streams[1 - stream])
    lead(streams[1], streams[0])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("schedule", ["late", "random"])
def test_a_random_program_has_the_findings_of_its_calls(seed: int, schedule: str) -> None:
    """Ids and roles of the findings, and the values if there are none, with and without a capture."""
    calls, seen = program(random.Random(seed)), []
    for capture in (False, True):
        with board(schedule, on_undefined="report") as machine:
            streams, tensors = [create_stream(), create_stream()], [filled(n) for n in (1, 2, 3)]
            if capture:
                model = captured(streams[0], lambda: play(calls, streams, tensors))  # noqa: B023
                execute(model, streams[0])
            else:
                play(calls, streams, tensors)
                ok(aclrtSynchronizeStream(streams[0]))
            found = sorted(finding.id for finding in machine.findings)
            values = [machine.read(each.address, 4, np.float32).tolist() for each in tensors]
            seen.append((found, values if not found else None))
    assert seen[0] == seen[1]


def operators(rng: random.Random) -> list[tuple[str, int, int, int]]:
    """Calls in two streams, all of them operators or events."""
    return [each for each in program(rng) if each[0] != "copy"]


@pytest.mark.parametrize("seed", range(20))
def test_repeated_executions_are_judged_like_repeated_calls(seed: int) -> None:
    """Some rounds take the fast path of the race detector, others do not: the calls in between use the same memory, or
    nobody waits. Findings and values are those of the calls without a capture."""
    rng = random.Random(seed)
    calls, between = operators(rng), rng.choices(["wait", "wait", "nothing", "launch", "read", "write"], k=6)
    seen = []
    for capture in (False, True):
        with board(on_undefined="report") as machine:
            streams, tensors = [create_stream(), create_stream()], [filled(n) for n in (1, 2, 3)]
            other, values = create_stream(), np.zeros(4, np.float32)
            model = captured(streams[0], lambda: play(calls, streams, tensors)) if capture else None  # noqa: B023
            for step in between:
                if model is not None:
                    ok(aclmdlRIExecuteAsync(model, streams[0]))
                else:
                    play(calls, streams, tensors)
                if step in ("wait", "launch"):
                    ok(aclrtSynchronizeStream(streams[0]))
                if step == "launch":
                    add(tensors[0], tensors[0], tensors[1], other)
                elif step == "read":
                    ok(aclrtMemcpy(values, 16, tensors[1].address, 16, ACL_MEMCPY_DEVICE_TO_HOST))
                elif step == "write":
                    ok(aclrtMemset(tensors[2].address, 16, 0, 16))
            for stream in (*streams, other):
                ok(aclrtSynchronizeStream(stream))
            found = sorted(finding.id for finding in machine.findings)
            seen.append((set(found), [machine.read(each.address, 4, np.float32).tolist() for each in tensors]))
    assert seen[0][0] == seen[1][0]
    if not seen[0][0]:
        assert seen[0] == seen[1]


def last_task(machine: Machine, stream: aclrtStream) -> Task:
    """The task that was queued last in a stream."""
    found = machine.handles.find(stream.value or 0, Stream)
    assert found is not None
    return found.queue[-1]


def test_an_execution_that_repeats_the_one_before_takes_the_fast_path(machine: Machine) -> None:
    """Only if nothing else has used the memory since, and in the same stream."""
    stream, other, x, y = create_stream(), create_stream(), filled(1), filled(1)
    model = captured(stream, lambda: (add(x, y, y, stream), add(y, x, x, stream)))
    taken = []
    for step in ("", "", "launch", "", "other stream", "", ""):
        to = other if step == "other stream" else stream
        if step == "launch":
            add(x, x, x, stream)
        ok(aclmdlRIExecuteAsync(model, to))
        execution = last_task(machine, to).execution
        assert execution is not None
        taken.append(execution.announced)
        ok(aclrtSynchronizeStream(to))
    assert taken == [False, True, False, True, False, False, True]
    add(x, x, x, other)
    assert finding_of(lambda: aclmdlRIExecuteAsync(model, stream))[0] == "xstream-race"


def test_the_trace_has_an_arrow_from_the_execution_to_each_task(machine: Machine) -> None:
    stream, x = create_stream(), filled(1)
    model = captured(stream, lambda: (add(x, x, x, stream), add(x, x, x, stream)))
    execute(model, stream)
    call = next(call for call in machine.calls if call.function == "aclmdlRIExecuteAsync")
    assert list(call.tasks) == [task.id for task in machine.tasks]
    assert {task.launched.rpartition(":")[0].rpartition("/")[2] for task in machine.tasks} == {"captures.py"}
    json.dumps(machine.chrome_trace())


def test_what_a_raised_finding_leaves_in_a_capture(machine: Machine) -> None:
    """Nothing is stored for the call, and the capture goes on."""
    stream, x = create_stream(), filled(1)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    planned = plan(aclnnAddGetWorkspaceSize, x, x, aclCreateScalar(np.ones(1, np.float32), ACL_FLOAT), x)
    ok(aclrtFree(x.address))
    with pytest.raises(UndefinedBehaviour):
        aclnnAdd(None, 0, planned.executor, stream)
    execute(end(stream), stream)
    assert list(machine.tasks) == []
