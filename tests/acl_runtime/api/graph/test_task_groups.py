"""Task groups: checks, updates, their order with executions (public)."""

from __future__ import annotations

import random
from ctypes import byref, c_int32, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.helpers.builders import OnDevice, malloc, on_device, plan
from tests.helpers.captures import GLOBAL, add, end, execute, lead, new_event
from tests.helpers.creating import create_context, create_stream
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, finding_of, ok

pytestmark = pytest.mark.finds(
    "order-teardown", "stream-leaked", "event-leaked", "model-leaked", "mem-leaked", "tensor-leaked"
)
STATUS = ACL_ERROR_STREAM_TASK_GROUP_STATUS


def filled(value: float):
    return on_device(np.full(4, value, np.float32))


def grouped(stream: aclrtStream, *tensors) -> aclrtTaskGrp:
    """A group with one operator."""
    group = aclrtTaskGrp()
    ok(aclmdlRICaptureTaskGrpBegin(stream))
    add(*tensors, stream)
    ok(aclmdlRICaptureTaskGrpEnd(stream, byref(group)))
    return group


def update(stream: aclrtStream, group: aclrtTaskGrp, *tensors) -> None:
    ok(aclmdlRICaptureTaskUpdateBegin(stream, group))
    add(*tensors, stream)
    ok(aclmdlRICaptureTaskUpdateEnd(stream))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_update_replaces_the_arguments(schedule: str) -> None:
    """The operators of the update run in the model, not in the stream of the update."""
    with board(schedule) as machine:
        stream, x, y, z, out = create_stream(), filled(1), filled(2), filled(5), filled(0)
        ok(aclmdlRICaptureBegin(stream, GLOBAL))
        group = grouped(stream, x, y, out)
        model = end(stream)
        execute(model, stream)
        assert out.read().tolist() == [3] * 4
        update(stream, group, x, z, out)
        ok(aclrtSynchronizeStream(stream))
        assert machine.read(out.address, 4, np.float32).tolist() == [3] * 4
        for _ in range(2):
            execute(model, stream)
            assert out.read().tolist() == [6] * 4
        assert [finding.id for finding in machine.findings] == []


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("first", ["update", "execution"])
def test_an_update_and_an_execution_that_a_value_orders(first: str, schedule: str, checks: bool) -> None:
    """As torch_npu does it: the model waits inside for a value that the stream of the update writes behind it. The
    execution may be queued before the update."""
    with board(schedule, checks=checks) as machine:
        stream, other, x, y, z, out = create_stream(), create_stream(), filled(1), filled(2), filled(5), filled(0)
        cell = malloc(8)
        ok(aclrtMemset(cell, 8, 0, 8))
        ok(aclmdlRICaptureBegin(stream, GLOBAL))
        ok(aclrtValueWait(cell, 1, ACL_STREAM_WAIT_VALUE_EQ, stream))
        group = grouped(stream, x, y, out)
        ok(aclrtValueWrite(cell, 0, 0, stream))
        model = end(stream)
        for source, value in ((z, 6), (x, 2)):
            if first == "execution":
                ok(aclmdlRIExecuteAsync(model, stream))
            update(other, group, x, source, out)
            ok(aclrtValueWrite(cell, 1, 0, other))
            if first == "update":
                ok(aclmdlRIExecuteAsync(model, stream))
            ok(aclrtSynchronizeStream(stream))
            ok(aclrtSynchronizeStream(other))
            assert out.read().tolist() == [value] * 4
        assert [finding.id for finding in machine.findings] == []


# what the checks see


def model_with_group(stream: aclrtStream, *tensors) -> tuple[aclmdlRI, aclrtTaskGrp]:
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    group = grouped(stream, *tensors)
    return end(stream), group


def unwritten():
    address = malloc(16)
    handle = aclCreateTensor([4], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [4], 1, address)
    return OnDevice(handle, address, np.zeros(4, np.float32), (4,), (1,), 0)


def beside_the_new_input(stream, other, new, old, out) -> None:
    ok(aclrtMemsetAsync(new.address, 16, 0, 16, other))


def beside_the_old_input(stream, other, new, old, out) -> None:
    ok(aclrtMemsetAsync(old.address, 16, 0, 16, other))


def too_early(stream, other, new, old, out) -> None:
    ok(aclrtMemcpy(np.empty(4, np.float32), 16, out.address, 16, ACL_MEMCPY_DEVICE_TO_HOST))


def frees_the_new_input(stream, other, new, old, out) -> None:
    ok(aclrtFree(new.address))


def frees_the_old_input(stream, other, new, old, out) -> None:
    ok(aclrtFree(old.address))


def the_output(stream, other, new, old, out) -> None:
    ok(aclrtSynchronizeStream(stream))
    too_early(stream, other, new, old, out)


BESIDE = {
    beside_the_new_input: "xstream-race", beside_the_old_input: "", too_early: "read-before-sync",
    frees_the_new_input: "io-freed-early", frees_the_old_input: "", the_output: "",
}  # fmt: skip


@pytest.mark.parametrize("order", ["in one stream", "by an event", "execution first"])
@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("schedule", ["late", "eager"])
def test_an_execution_is_judged_by_the_arguments_of_its_update(schedule: str, beside, order: str) -> None:
    """An update is ordered before the group: in the stream of the execution, by an event, or by an external event for
    which the model waits inside. All memory is new, also that of the output, which the old operator would not write."""
    with board(schedule, on_undefined="report") as machine:
        stream, updating, other, event = *(create_stream() for _ in range(3)), new_event()
        x, old, new, first_out, out = filled(1), filled(2), filled(5), filled(0), unwritten()
        ok(aclmdlRICaptureBegin(stream, GLOBAL))
        if order == "execution first":
            ok(aclrtStreamWaitEventWithFlag(stream, event, 0, ACL_EVENT_WAIT_EXTERNAL))
        group = grouped(stream, x, old, first_out)
        model = end(stream)
        if order == "execution first":
            ok(aclmdlRIExecuteAsync(model, stream))
        update(stream if order == "in one stream" else updating, group, x, new, out)
        if order == "by an event":
            ok(aclrtRecordEvent(event, updating))
            ok(aclrtStreamWaitEvent(stream, event))
        if order == "execution first":
            ok(aclrtRecordEvent(event, updating))
        else:
            ok(aclmdlRIExecuteAsync(model, stream))
        beside(stream, other, new, old, out)
        for each in (stream, updating, other):
            ok(aclrtSynchronizeStream(each))
        assert [finding.id for finding in machine.findings] == [BESIDE[beside]] * bool(BESIDE[beside])
        if not BESIDE[beside]:
            assert out.read().tolist() == [6] * 4


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("gone", ["new", "old"])
def test_memory_of_the_last_update_that_is_gone(gone: str, schedule: str) -> None:
    """The old memory may be freed as soon as the update is queued in front of the execution."""
    with board(schedule, on_undefined="report") as machine:
        stream, x, old, new, out = create_stream(), filled(1), filled(2), filled(5), filled(0)
        model, group = model_with_group(stream, x, old, out)
        update(stream, group, x, new, out)
        ok(aclrtFree((new if gone == "new" else old).address))
        execute(model, stream)
        found = [finding.id for finding in machine.findings]
        assert found == (["graph-memory-gone"] if gone == "new" else [])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("first", ["update", "execution", "another update"])
def test_an_update_without_an_order(first: str, schedule: str) -> None:
    """Found under every schedule by the call that comes second, once."""
    with board(schedule) as machine:
        stream, other, x, y, out = create_stream(), create_stream(), filled(1), filled(2), filled(0)
        model, group = model_with_group(stream, x, x, out)
        calls = {
            "update": lambda: update(other, group, x, y, out),
            "execution": lambda: ok(aclmdlRIExecuteAsync(model, stream)),
            "another update": lambda: update(stream, group, y, y, out),
        }
        calls[first]()
        id, found = finding_of(calls["execution" if first == "update" else "update"])
        assert id == "update-race"
        assert "task group 1" in found
        ok(aclrtSynchronizeStream(stream))
        ok(aclrtSynchronizeStream(other))
        calls["execution"]()
        ok(aclrtSynchronizeStream(stream))
        assert errors(machine) == ["update-race"]


def steps(rng: random.Random) -> list[tuple[str, int]]:
    """Calls in two streams: (what, stream)."""
    what = rng.choices(["update", "execute", "lead", "wait", "free"], [4, 4, 3, 1, 1], k=rng.randint(4, 10))
    return [(each, rng.randrange(2)) for each in what]


def play(machine: Machine, program: list[tuple[str, int]]) -> list[list[float]]:
    """The outputs of a model whose operator gets a new input and a new output with each update."""
    streams, x, outs, news = [create_stream(), create_stream()], filled(1), [filled(0)], [filled(1)]
    model, group = model_with_group(streams[0], x, news[0], outs[0])
    for number, (what, stream) in enumerate(program):
        if what == "update":
            news.append(filled(number))
            outs.append(filled(-1))
            update(streams[stream], group, x, news[-1], outs[-1])
        elif what == "execute":
            ok(aclmdlRIExecuteAsync(model, streams[stream]))
        elif what == "lead":
            lead(streams[stream], streams[1 - stream])
        elif what == "wait":
            ok(aclrtSynchronizeStream(streams[stream]))
        elif len(news) > 1:
            ok(aclrtFree(news.pop(0).address))
    for stream in streams:
        ok(aclrtSynchronizeStream(stream))
    return [machine.read(out.address, 4, np.float32).tolist() for out in outs]


@pytest.mark.parametrize("seed", range(10))
def test_updates_and_executions_at_random(seed: int) -> None:
    """Findings do not depend on the schedule. Without a finding, neither do the values."""
    program, seen = steps(random.Random(seed)), []
    for schedule in SCHEDULES:
        with board(schedule, on_undefined="report") as machine:
            outs = play(machine, program)
            found = {finding.id for finding in machine.findings}
            seen.append((found, outs if not found else None))
    assert all(each == seen[0] for each in seen), program


def test_an_update_of_a_model_that_was_destroyed_changes_nothing(machine: Machine) -> None:
    stream, other, x, out = create_stream(), create_stream(), filled(1), filled(0)
    model, group = model_with_group(stream, x, x, out)
    ok(aclmdlRICaptureTaskUpdateBegin(other, group))
    add(x, x, out, other)
    ok(aclmdlRIExecuteAsync(model, stream))
    ok(aclmdlRIDestroy(model))
    ok(aclmdlRICaptureTaskUpdateEnd(other))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtSynchronizeStream(other))
    assert errors(machine) == []


def test_an_update_that_is_dropped_changes_nothing(machine: Machine) -> None:
    machine.allow("work-dropped", reason="on purpose")
    stream, other, x, y, out = create_stream(), create_stream(), filled(1), filled(2), filled(0)
    model, group = model_with_group(stream, x, x, out)
    update(other, group, x, y, out)
    ok(aclrtDestroyStreamForce(other))
    ok(aclrtFree(y.address))
    execute(model, stream)
    assert out.read().tolist() == [2] * 4
    assert errors(machine) == []


def test_updates_keep_no_memory(machine: Machine) -> None:
    """Each with a new tensor, which is freed afterwards."""
    stream, x, out = create_stream(), filled(1), filled(0)
    model, group = model_with_group(stream, x, x, out)
    for value in range(5):
        new = filled(value)
        update(stream, group, x, new, out)
        execute(model, stream)
        assert out.read().tolist() == [value + 1] * 4
        ok(aclDestroyTensor(new.handle))
        ok(aclrtFree(new.address))
    id, found = finding_of(lambda: aclmdlRIExecuteAsync(model, stream))
    assert (id, found.count("lies in")) == ("graph-memory-gone", 1)


def test_tasks_that_are_no_operators(machine: Machine) -> None:
    """507009 from the call, and again from the end of the group."""
    stream, group, memory = create_stream(), aclrtTaskGrp(), malloc(16)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclmdlRICaptureTaskGrpBegin(stream))
    status = aclrtMemsetAsync(memory, 16, 0, 16, stream)
    words = "(EE1006)", "memory set", "the task group that began at", "test_task_groups.py:"
    assert_status(status, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, *words)
    assert_status(aclmdlRICaptureTaskGrpEnd(stream, byref(group)), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT)
    assert not group
    execute(end(stream), stream)
    assert list(machine.tasks) == []


def test_groups_need_a_capture_and_begin_and_end_in_turn(machine: Machine) -> None:
    stream, group = create_stream(), aclrtTaskGrp()
    assert_status(aclmdlRICaptureTaskGrpBegin(None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRICaptureTaskGrpEnd(stream, None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRICaptureTaskGrpBegin(stream), ACL_ERROR_RT_STREAM_NOT_CAPTURED)
    assert_status(aclmdlRICaptureTaskGrpEnd(stream, byref(group)), ACL_ERROR_RT_STREAM_NOT_CAPTURED)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    assert_status(aclmdlRICaptureTaskGrpEnd(stream, byref(group)), STATUS, "no task group")
    ok(aclmdlRICaptureTaskGrpBegin(stream))
    assert_status(aclmdlRICaptureTaskGrpBegin(stream), STATUS, "test_task_groups.py:")
    assert_status(aclmdlRICaptureEnd(stream, byref(aclmdlRI())), STATUS, "test_task_groups.py:")
    ok(aclrtSynchronizeStream(stream))


def test_the_end_of_a_group_in_an_invalid_capture(machine: Machine) -> None:
    first, second, event = create_stream(), create_stream(), new_event()
    ok(aclmdlRICaptureBegin(first, GLOBAL))
    ok(aclmdlRICaptureBegin(second, GLOBAL))
    ok(aclrtRecordEvent(event, first))
    ok(aclmdlRICaptureTaskGrpBegin(second))
    assert aclrtStreamWaitEvent(second, event) == ACL_ERROR_STREAM_CAPTURE_CONFLICT
    status = aclmdlRICaptureTaskGrpEnd(second, byref(aclrtTaskGrp()))
    assert_status(status, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED)
    for stream in (first, second):
        assert aclmdlRICaptureEnd(stream, byref(aclmdlRI())) == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED


def test_updates_begin_and_end_in_turn(machine: Machine) -> None:
    stream, other, x, memory = create_stream(), create_stream(), filled(1), malloc(16)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    group = grouped(stream, x, x, x)
    assert_status(aclmdlRICaptureTaskUpdateBegin(stream, group), ACL_ERROR_RT_STREAM_CAPTURED, "stream 1")
    model = end(stream)
    assert_status(aclmdlRICaptureTaskUpdateBegin(None, group), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRICaptureTaskUpdateBegin(stream, None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRICaptureTaskUpdateBegin(stream, c_void_p(1)), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclmdlRICaptureTaskUpdateEnd(stream), STATUS)
    ok(aclmdlRICaptureTaskUpdateBegin(stream, group))
    assert_status(aclmdlRICaptureTaskUpdateBegin(stream, group), STATUS, "stream 1")
    assert_status(aclmdlRICaptureTaskUpdateBegin(other, group), STATUS, "stream 1")
    assert_status(aclrtMemsetAsync(memory, 16, 0, 16, stream), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT)
    assert_status(aclmdlRICaptureTaskUpdateEnd(stream), ACL_ERROR_RT_INTERNAL_ERROR, "0 operators", "has 1")
    execute(model, stream)
    assert x.read().tolist() == [2] * 4, "nothing was replaced"
    create_context()
    assert_status(aclmdlRICaptureTaskUpdateBegin(stream, group), ACL_ERROR_RT_STREAM_CONTEXT)


def test_a_stream_with_an_open_update_takes_operators_only(machine: Machine) -> None:
    """A wait that would draw it into a capture and an execution are refused as other tasks are."""
    stream, other, origin, x, event = create_stream(), create_stream(), create_stream(), filled(1), new_event()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    group = grouped(stream, x, x, x)
    model = end(stream)
    ok(aclmdlRICaptureTaskUpdateBegin(other, group))
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    ok(aclrtRecordEvent(event, origin))
    for call in (lambda: aclrtStreamWaitEvent(other, event), lambda: aclmdlRIExecuteAsync(model, other)):
        assert_status(call(), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "the update of task group 1")
    end(origin)
    add(x, x, x, other)
    ok(aclmdlRICaptureTaskUpdateEnd(other))
    ok(aclrtSynchronizeStream(other))


@pytest.mark.fidelity("a capture in a stream with an update")
def test_a_stream_with_an_open_update_is_not_captured(machine: Machine) -> None:
    stream, x = create_stream(), filled(1)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    group = grouped(stream, x, x, x)
    end(stream)
    ok(aclmdlRICaptureTaskUpdateBegin(stream, group))
    assert_status(aclmdlRICaptureBegin(stream, GLOBAL), STATUS, "the update of task group 1", "stream 1")
    built = aclmdlRI()
    ok(aclmdlRIBuildBegin(byref(built), 0))
    assert_status(aclmdlRIBindStream(built, stream, ACL_MODEL_STREAM_FLAG_HEAD), STATUS, "the update of task group 1")
    add(x, x, x, stream)
    ok(aclmdlRICaptureTaskUpdateEnd(stream))
    ok(aclrtSynchronizeStream(stream))


@pytest.mark.parametrize("destroys", [aclrtDestroyStream, aclrtDestroyStreamForce])
def test_the_end_of_a_stream_ends_its_update(destroys, machine: Machine) -> None:
    """Another stream may update the group then."""
    stream, other, x, y = create_stream(), create_stream(), filled(1), filled(5)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    group = grouped(stream, x, x, x)
    model = end(stream)
    ok(aclmdlRICaptureTaskUpdateBegin(other, group))
    add(y, y, y, other)
    ok(destroys(other))
    update(stream, group, x, y, x)
    execute(model, stream)
    assert (x.read().tolist(), y.read().tolist()) == ([6] * 4, [5] * 4)


def test_a_group_lives_as_long_as_its_model(machine: Machine) -> None:
    stream, x = create_stream(), filled(1)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    group = grouped(stream, x, x, x)
    ok(aclmdlRIDestroy(end(stream)))
    words = "task group 1 is gone", "test_task_groups.py:"
    assert_status(aclmdlRICaptureTaskUpdateBegin(stream, group), ACL_ERROR_RT_INVALID_HANDLE, *words)


# three example programs of the runtime, written anew from their descriptions: the same calls, the same values


def ramp(begin: float):
    return on_device(np.arange(begin, begin + 8, dtype=np.float32))


def test_example_a_simple_model_runs_four_times(machine: Machine, tmp_path) -> None:
    """Add, then Mul; the mode of the thread is exchanged and set back; JSON; 6.4 8.4 ... 20.4 each time."""
    stream, x, y, two, out = create_stream(), ramp(0), *(on_device(np.full(8, v, np.float32)) for v in (3.2, 2, 0))
    mode = c_int32(ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
    ok(aclmdlRICaptureThreadExchangeMode(byref(mode)))
    ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED))
    add(x, y, out, stream)
    planned = plan(aclnnMulGetWorkspaceSize, out, two, out)
    ok(aclnnMul(None, 0, planned.executor, stream))
    model = end(stream)
    ok(aclmdlRICaptureThreadExchangeMode(byref(mode)))
    ok(aclmdlRIDebugJsonPrint(model, str(tmp_path / "model.json"), 1))
    for _ in range(4):
        execute(model, stream)
        assert np.allclose(out.read(), np.arange(6.4, 21, 2))
    ok(aclmdlRIDestroy(model))


def test_example_a_captured_operator_is_changed(machine: Machine) -> None:
    """5.4 ... 12.4, then with another alpha 7.6 ... 14.6."""
    stream, x, y, out, group = create_stream(), ramp(3), on_device(np.full(8, 2, np.float32)), ramp(0), aclrtTaskGrp()

    def queue(alpha: float) -> None:
        scalar = aclCreateScalar(np.array([alpha], np.float32), ACL_FLOAT)
        planned = plan(aclnnAddGetWorkspaceSize, x, y, scalar, out)
        ok(aclnnAdd(None, 0, planned.executor, stream))

    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclmdlRICaptureTaskGrpBegin(stream))
    queue(1.2)
    ok(aclmdlRICaptureTaskGrpEnd(stream, byref(group)))
    model = end(stream)
    execute(model, stream)
    assert np.allclose(out.read(), np.arange(5.4, 13))
    ok(aclmdlRICaptureTaskUpdateBegin(stream, group))
    queue(2.3)
    ok(aclmdlRICaptureTaskUpdateEnd(stream))
    execute(model, stream)
    assert np.allclose(out.read(), np.arange(7.6, 15))


@pytest.mark.parametrize("scenario", ["record outside", "record inside", "two models"])
def test_example_external_events_order_a_model_with_other_work(scenario: str, machine: Machine) -> None:
    """Copies only: what one side wrote before the record, the other side reads after the wait."""
    first, second, event = create_stream(), create_stream(), new_event()
    a, b, c = filled(7), filled(0), filled(0)

    def produce() -> None:
        ok(aclrtMemcpyAsync(b.address, 16, a.address, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, first))

    def consume() -> None:
        ok(aclrtMemcpyAsync(c.address, 16, b.address, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, second))

    if scenario == "record outside":
        produce()
        lead(first, second)
        ok(aclmdlRICaptureBegin(second, GLOBAL))
        consume()
        execute(end(second), second)
    elif scenario == "record inside":
        ok(aclmdlRICaptureBegin(first, GLOBAL))
        produce()
        model = end(first)
        ok(aclmdlRIExecuteAsync(model, first))
        lead(first, second)
        consume()
        ok(aclrtSynchronizeStream(second))
    else:
        ok(aclmdlRICaptureBegin(first, GLOBAL))
        produce()
        ok(aclrtRecordEventWithFlag(event, first, ACL_EVENT_RECORD_EXTERNAL))
        producer = end(first)
        ok(aclmdlRICaptureBegin(second, GLOBAL))
        ok(aclrtStreamWaitEventWithFlag(second, event, 0, ACL_EVENT_WAIT_EXTERNAL))
        consume()
        consumer = end(second)
        ok(aclmdlRIExecuteAsync(producer, first))
        execute(consumer, second)
    ok(aclrtSynchronizeStream(first))
    assert c.read().tolist() == [7] * 4
    assert [finding.id for finding in machine.findings] == []
