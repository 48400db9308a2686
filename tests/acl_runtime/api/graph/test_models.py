"""Models that a capture made: execution, destruction, names, contents, JSON (public)."""

from __future__ import annotations

import json
from ctypes import byref, c_int32, c_uint32, c_void_p, create_string_buffer
from pathlib import Path

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc, on_device
from tests.helpers.captures import GLOBAL, add, captured, end, execute, lead, new_event, status_of
from tests.helpers.creating import create_context, create_stream, event_of
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, ok

pytestmark = pytest.mark.finds(
    "order-teardown", "stream-leaked", "event-leaked", "model-leaked", "mem-leaked", "tensor-leaked"
)


def a_model(stream: aclrtStream) -> aclmdlRI:
    """A model with one operator."""
    x = on_device(np.ones(4, np.float32))
    return captured(stream, lambda: add(x, x, x, stream))


def test_no_model_and_another_handle(machine: Machine) -> None:
    stream = create_stream()
    for model, status in ((None, ACL_ERROR_INVALID_PARAM), (c_void_p(stream.value), ACL_ERROR_RT_INVALID_HANDLE)):
        assert_status(aclmdlRIExecuteAsync(model, stream), status)
        assert_status(aclmdlRIExecute(model, -1), status)
        assert_status(aclmdlRIDestroy(model), status)
        assert_status(aclmdlRIDebugPrint(model), status)
        assert_status(aclmdlRIGetId(model, byref(c_uint32())), status)


def test_a_capture_that_goes_on_has_no_model_to_run_or_destroy(machine: Machine) -> None:
    stream, model = create_stream(), aclmdlRI()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclmdlRICaptureGetInfo(stream, None, byref(model)))
    assert_status(aclmdlRIExecuteAsync(model, None), ACL_ERROR_RT_MODEL_CAPTURED, "test_models.py:")
    assert_status(aclmdlRIDestroy(model), ACL_ERROR_RT_MODEL_CAPTURED)
    end(stream)


def test_a_stream_in_capture_executes_nothing(machine: Machine) -> None:
    stream = create_stream()
    model = a_model(stream)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    assert_status(aclmdlRIExecuteAsync(model, stream), ACL_ERROR_RT_STREAM_CAPTURED, "stream 1")
    end(stream)


def test_contexts_of_model_and_stream(machine: Machine) -> None:
    stream = create_stream()
    model = a_model(stream)
    create_context()
    assert_status(aclmdlRIExecuteAsync(model, stream), ACL_ERROR_RT_MODEL_CONTEXT, "model 1")
    assert_status(aclmdlRIDestroy(model), ACL_ERROR_RT_MODEL_CONTEXT)
    own = create_stream()
    create_context()
    model = a_model(create_stream())
    assert_status(aclmdlRIExecuteAsync(model, own), ACL_ERROR_RT_STREAM_CONTEXT)


def test_captured_models_are_executed_asynchronously_only(machine: Machine) -> None:
    model = a_model(create_stream())
    for timeout in (0, -2):
        assert_status(aclmdlRIExecute(model, timeout), ACL_ERROR_RT_PARAM_INVALID, "timeout")
    assert_status(aclmdlRIExecute(model, -1), ACL_ERROR_RT_PARAM_INVALID, "aclmdlRIExecuteAsync")
    assert_status(aclmdlRIAbort(model), ACL_ERROR_RT_PARAM_INVALID, "aclrtStreamAbort")
    assert_status(aclmdlRIAbort(None), ACL_ERROR_RT_PARAM_INVALID, "(EE1004)")


def test_the_default_stream_executes_models(machine: Machine) -> None:
    execute(a_model(create_stream()), None)
    assert len(machine.tasks) == 1


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_a_model_in_two_streams_runs_one_after_the_other(schedule: str) -> None:
    """The order holds for the race detector too: nothing is reported."""
    with board(schedule) as machine:
        first, second, x = create_stream(), create_stream(), on_device(np.ones(4, np.float32))
        model = captured(first, lambda: add(x, x, x, first))
        for stream in (first, second, first):
            ok(aclmdlRIExecuteAsync(model, stream))
        ok(aclrtSynchronizeStream(first))
        assert x.read().tolist() == [8] * 4
        assert [finding.id for finding in machine.findings] == []
        ok(aclrtSynchronizeStream(second))


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_destruction_waits_for_the_execution_and_calls_back(schedule: str) -> None:
    with board(schedule):
        stream, x, calls = create_stream(), on_device(np.ones(4, np.float32)), list[object]()
        model = captured(stream, lambda: add(x, x, x, stream))

        def called(data: object) -> None:
            calls.append(data)

        def withdrawn(data: object) -> None:
            raise AssertionError(data)

        for function in (called, withdrawn):
            ok(aclmdlRIDestroyRegisterCallback(model, function, "data"))
        ok(aclmdlRIDestroyUnregisterCallback(model, withdrawn))
        ok(aclmdlRIExecuteAsync(model, stream))
        ok(aclmdlRIDestroy(model))
        assert calls == ["data"]
        ok(aclrtSynchronizeStream(stream))
        assert x.read().tolist() == [2] * 4
        assert_status(aclmdlRIExecuteAsync(model, stream), ACL_ERROR_RT_INVALID_HANDLE, "model 1 is gone")


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_memory_may_be_freed_after_the_destruction(schedule: str) -> None:
    """The destruction has waited for the executions, in all streams of the model."""
    with board(schedule) as machine:
        stream, other, x, y = create_stream(), create_stream(), *(on_device(np.ones(4, np.float32)) for _ in range(2))
        model = captured(
            stream, lambda: (lead(stream, other), add(x, x, x, other), lead(other, stream), add(y, y, y, stream))
        )
        ok(aclmdlRIExecuteAsync(model, stream))
        ok(aclmdlRIExecuteAsync(model, create_stream()))
        ok(aclmdlRIDestroy(model))
        for each in (x, y):
            ok(aclDestroyTensor(each.handle))
            ok(aclrtFree(each.address))
        assert [finding.id for finding in machine.findings] == []
        ok(aclrtSynchronizeDevice())


def test_a_capture_that_fails_calls_back(machine: Machine) -> None:
    """Its end destroys the model."""
    stream, model, calls = create_stream(), aclmdlRI(), list[object]()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclmdlRICaptureGetInfo(stream, None, byref(model)))
    ok(aclmdlRIDestroyRegisterCallback(model, calls.append, "data"))
    ok(aclmdlRICaptureTaskGrpBegin(stream))
    assert_status(aclmdlRICaptureEnd(stream, byref(model)), ACL_ERROR_STREAM_TASK_GROUP_STATUS)
    assert calls == ["data"]


def test_destruction_gives_up_after_ten_seconds(machine: Machine) -> None:
    stream = create_stream()
    cell = malloc(8)
    ok(aclrtMemset(cell, 8, 0, 8))
    model = captured(stream, lambda: ok(aclrtValueWait(cell, 1, 1, stream)))
    ok(aclmdlRIExecuteAsync(model, stream))
    assert_status(aclmdlRIDestroy(model), ACL_ERROR_RT_MODEL_RUNNING, "model 1", "test_models.py:")
    ok(aclrtValueWrite(cell, 1, 0, None))
    ok(aclrtSynchronizeStream(None))
    ok(aclrtSynchronizeStream(stream))
    ok(aclmdlRIDestroy(model))


def test_callbacks_need_a_function_and_no_context(machine: Machine) -> None:
    model = a_model(create_stream())

    def register(function: object) -> int:
        return int(aclmdlRIDestroyRegisterCallback(model, function, None))

    def unregister(function: object) -> int:
        return int(aclmdlRIDestroyUnregisterCallback(model, function))

    for call in (register, unregister):
        assert_status(call(None), ACL_ERROR_RT_PARAM_INVALID, "(EE1004)")
        ok(in_thread(lambda call=call: call(print)))
    assert_status(aclmdlRIDestroyRegisterCallback(None, print, None), ACL_ERROR_RT_PARAM_INVALID)


def test_names(machine: Machine) -> None:
    """ "Unset name = empty string; longer than 512 bytes is cut." """
    model, name = a_model(create_stream()), create_string_buffer(b"x" * 600)
    ok(aclmdlRIGetName(model, 600, name))
    assert name.value == b""
    for given, kept in (("decode", b"decode"), ("y" * 700, b"y" * 512)):
        ok(aclmdlRISetName(model, given))
        ok(aclmdlRIGetName(model, 600, name))
        assert name.value == kept
    ok(aclmdlRIGetName(model, 4, name))
    assert name.value == b"yyy"
    gbk = "模型".encode("gbk")
    ok(aclmdlRISetName(model, gbk))
    ok(aclmdlRIGetName(model, 600, name))
    assert name.value == gbk, "bytes of any encoding"
    assert_status(aclmdlRIGetName(model, 0, name), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRIGetName(c_void_p(1), 0, None), ACL_ERROR_INVALID_PARAM, "name")
    assert_status(aclmdlRIGetName(c_void_p(1), 0, name), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRIGetName(c_void_p(1), 1, name), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclmdlRISetName(model, None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRIGetName(model, 4, None), ACL_ERROR_INVALID_PARAM)


def test_ids(machine: Machine) -> None:
    stream, ids = create_stream(), []
    for model in (a_model(stream), a_model(stream)):
        number = c_uint32()
        assert in_thread(lambda model=model, number=number: aclmdlRIGetId(model, byref(number))) == ACL_SUCCESS
        ids.append(number.value)
    assert len(set(ids)) == 2
    assert_status(aclmdlRIGetId(model, None), ACL_ERROR_INVALID_PARAM)


def forked(machine: Machine) -> aclmdlRI:
    """A model with two streams and one task of each type."""
    origin, other, x, cell = create_stream(), create_stream(), on_device(np.ones(4, np.float32)), malloc(8)
    ok(aclrtMemset(cell, 8, 0, 8))
    event = event_of(aclrtCreateEventWithFlag, ACL_EVENT_EXTERNAL)
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    lead(origin, other)
    add(x, x, x, other)
    ok(aclrtValueWrite(cell, 1, 0, other))
    lead(other, origin)
    ok(aclrtValueWait(cell, 1, 1, origin))
    ok(aclrtMemcpyAsync(x.address, 8, x.address + 8, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, origin))
    ok(aclrtRecordEvent(event, origin))
    return end(origin)


def test_streams_and_tasks(machine: Machine) -> None:
    """The pattern of two calls; the types and numbers of the tasks."""
    model, count = forked(machine), c_uint32()
    ok(aclmdlRIGetStreams(model, None, byref(count)))
    assert count.value == 2
    streams = (c_void_p * 2)()
    ok(aclmdlRIGetStreams(model, streams, byref(count)))
    found = []
    for stream in streams:
        ok(aclmdlRIGetTasksByStream(stream, None, byref(count)))
        tasks = (c_void_p * count.value)()
        ok(aclmdlRIGetTasksByStream(stream, tasks, byref(count)))
        for task in tasks:
            kind, number = c_int32(), c_uint32()
            ok(aclmdlRITaskGetType(task, byref(kind)))
            ok(aclmdlRITaskGetSeqId(task, byref(number)))
            found.append((number.value, aclmdlRITaskType(kind.value).name.removeprefix("ACL_MODEL_RI_TASK_")))
    assert found == [
        (0, "EVENT_RECORD"), (5, "EVENT_WAIT"), (6, "VALUE_WAIT"), (7, "DEFAULT"), (8, "EVENT_RECORD"),
        (1, "EVENT_WAIT"), (2, "KERNEL"), (3, "VALUE_WRITE"), (4, "EVENT_RECORD"),
    ]  # fmt: skip


def streams_of(model: aclmdlRI) -> list[aclrtStream]:
    count, streams = c_uint32(8), (c_void_p * 8)()
    ok(aclmdlRIGetStreams(model, streams, byref(count)))
    return [aclrtStream(stream) for stream in streams[: count.value]]


def test_a_model_has_its_streams_while_it_is_captured(machine: Machine) -> None:
    stream, model = create_stream(), aclmdlRI()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclmdlRICaptureGetInfo(stream, None, byref(model)))
    (own,) = streams_of(model)
    assert own
    assert streams_of(end(stream))[0].value == own.value


@pytest.mark.fidelity("streams of models")
def test_streams_of_a_model_are_not_streams_of_the_program(machine: Machine) -> None:
    """The statuses of the functions that look for them; others take them for no live stream. Queries work."""
    stream, number = create_stream(), c_int32()
    model = a_model(stream)
    (own,) = streams_of(model)
    bound = ACL_ERROR_RT_STREAM_MODEL
    for status, expected in (
        (aclmdlRICaptureBegin(own, 3), ACL_ERROR_RT_PARAM_INVALID),
        (aclmdlRICaptureBegin(own, GLOBAL), bound),
        (aclmdlRICaptureEnd(own, byref(aclmdlRI())), bound),
        (aclmdlRICaptureTaskUpdateBegin(own, c_void_p(1)), bound),
        (aclmdlRICaptureTaskUpdateEnd(own), bound),
        (aclrtDestroyStream(own), bound),
        (aclrtDestroyStreamForce(own), bound),
        (aclmdlRIExecuteAsync(model, own), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtSynchronizeStream(own), ACL_ERROR_RT_INVALID_HANDLE),
        (aclrtMemsetAsync(malloc(16), 16, 0, 16, own), ACL_ERROR_RT_INVALID_HANDLE),
    ):
        assert_status(status, expected)
    ok(aclrtStreamGetId(own, byref(number)))
    assert status_of(own) == ACL_MODEL_RI_CAPTURE_STATUS_NONE
    execute(model, stream)
    ok(aclmdlRIDestroy(model))
    assert_status(aclrtDestroyStream(own), ACL_ERROR_RT_INVALID_HANDLE, "stream 1 of model 1 is gone")


@pytest.mark.fidelity("executions in persistent streams")
def test_a_persistent_stream_executes_no_captured_model(machine: Machine) -> None:
    """A persistent stream may be captured; its model runs in others."""
    persistent, x = aclrtStream(), on_device(np.ones(4, np.float32))
    ok(aclrtCreateStreamWithConfig(byref(persistent), 0, ACL_STREAM_PERSISTENT))
    model = captured(persistent, lambda: add(x, x, x, persistent))
    assert_status(aclmdlRIExecuteAsync(model, persistent), ACL_ERROR_RT_PARAM_INVALID, "stream 1 is persistent")
    execute(model, create_stream())
    assert x.read().tolist() == [2] * 4


def test_arrays_that_are_too_small_and_handles_of_other_kinds(machine: Machine) -> None:
    model, one, streams = forked(machine), c_uint32(1), (c_void_p * 2)()
    assert_status(aclmdlRIGetStreams(model, streams, byref(one)), ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, "2 are needed")
    assert_status(aclmdlRIGetStreams(None, None, byref(one)), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRIGetStreams(model, None, None), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRIGetTasksByStream(create_stream(), None, byref(one)), ACL_ERROR_RT_PARAM_INVALID, "(EE1017)")
    assert_status(aclmdlRIGetTasksByStream(None, None, byref(one)), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRITaskGetType(None, byref(c_int32())), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRITaskGetType(model, byref(c_int32())), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclmdlRITaskGetSeqId(None, byref(c_uint32())), ACL_ERROR_RT_PARAM_INVALID)


def tasks_of(model: aclmdlRI) -> list[aclmdlRITask]:
    """The tasks of the first stream of a model."""
    count, tasks = c_uint32(8), (c_void_p * 8)()
    ok(aclmdlRIGetTasksByStream(streams_of(model)[0], tasks, byref(count)))
    return [aclmdlRITask(task) for task in tasks[: count.value]]


def test_a_disabled_operator_is_left_out_after_an_update(machine: Machine) -> None:
    """Its memory may be gone. Its place in the model stays."""
    stream, x, y, kind = create_stream(), *(on_device(np.ones(4, np.float32)) for _ in range(2)), c_int32()
    model = captured(stream, lambda: (add(x, x, x, stream), add(x, y, x, stream), add(x, x, x, stream)))
    ok(aclmdlRIUpdate(model))
    execute(model, stream, times=2)
    assert x.read().tolist() == [26] * 4
    ok(aclmdlRITaskDisable(tasks_of(model)[1]))
    execute(model, stream)
    assert x.read().tolist() == [106] * 4, "before the update"
    ok(aclmdlRIUpdate(model))
    ok(aclrtFree(y.address))
    execute(model, stream, times=2)
    assert x.read().tolist() == [106 * 16] * 4
    ok(aclmdlRITaskGetType(tasks_of(model)[1], byref(kind)))
    assert kind.value == ACL_MODEL_RI_TASK_DEFAULT
    assert [finding.id for finding in machine.findings] == []


@pytest.mark.fidelity("tasks that are disabled")
def test_what_cannot_be_disabled_or_updated(machine: Machine) -> None:
    stream, x, model = create_stream(), on_device(np.ones(4, np.float32)), aclmdlRI()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    add(x, x, x, stream)
    ok(aclrtMemsetAsync(x.address, 16, 0, 16, stream))
    ok(aclmdlRICaptureGetInfo(stream, None, byref(model)))
    operator, other = tasks_of(model)
    busy = ACL_ERROR_RT_MODEL_UPDATE_FAILED
    for call in (lambda: aclmdlRITaskDisable(operator), lambda: aclmdlRIUpdate(model)):
        assert_status(call(), busy, "capture of model 1")
    end(stream)
    assert_status(aclmdlRITaskDisable(other), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "memory set in model 1")
    ok(aclmdlRIExecuteAsync(model, stream))
    for call in (lambda: aclmdlRITaskDisable(operator), lambda: aclmdlRIUpdate(model)):
        assert_status(call(), busy, "model 1", "test_models.py:")
    ok(aclrtSynchronizeStream(stream))
    ok(aclmdlRITaskDisable(operator))
    assert_status(aclmdlRITaskDisable(None), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRIUpdate(None), ACL_ERROR_RT_PARAM_INVALID)
    ok(aclmdlRIDestroy(model))
    assert_status(aclmdlRITaskDisable(operator), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclmdlRIUpdate(model), ACL_ERROR_RT_INVALID_HANDLE)


@pytest.mark.parametrize("flags", [0, 1])
def test_the_json_is_a_trace_with_an_element_for_each_task(flags: int, machine: Machine, tmp_path: Path) -> None:
    """The Trace Event Format: "ph" X needs name, pid, tid, ts and dur."""
    model, file = forked(machine), tmp_path / "model.json"
    ok(aclmdlRIDebugJsonPrint(model, str(file), flags))
    rows = json.loads(file.read_text(encoding="utf-8"))
    assert [row["args"]["task id"] for row in rows] == list(range(9))
    assert {row["ph"] for row in rows} == {"X"}
    assert all(row["name"] and row["pid"] and row["tid"] and row["dur"] > 0 for row in rows)
    assert [row["ts"] for row in rows] == sorted(row["ts"] for row in rows)
    assert len({row["args"]["stream id"] for row in rows}) == 2
    assert all(row["args"]["captured at"].rpartition(":")[2].isdigit() for row in rows)
    assert any("memory" in row["args"] for row in rows) is bool(flags)


def test_a_file_that_cannot_be_opened(machine: Machine, tmp_path: Path) -> None:
    model = a_model(create_stream())
    status = aclmdlRIDebugJsonPrint(model, str(tmp_path / "absent" / "model.json"), 0)
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EE1011)")
    assert_status(aclmdlRIDebugJsonPrint(model, None, 0), ACL_ERROR_INVALID_PARAM)
    ok(aclmdlRIDebugPrint(model))


@pytest.mark.parametrize("end_of", ["device", "context"])
def test_a_model_ends_with_its_context(end_of: str, machine: Machine) -> None:
    """The text names the line of the reset, or of the destruction."""
    context = create_context() if end_of == "context" else None
    model = a_model(create_stream())
    ok(aclrtDestroyContext(context) if context is not None else aclrtResetDevice(0))
    ok(aclrtSetDevice(0))
    status = aclmdlRIExecuteAsync(model, create_stream())
    assert_status(status, ACL_ERROR_RT_INVALID_HANDLE, "model 1 is gone", "ended with", "test_models.py:")


def test_new_events_of_a_model_may_be_destroyed(machine: Machine) -> None:
    origin, other, x = create_stream(), create_stream(), on_device(np.ones(4, np.float32))
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    events = [lead(origin, other)]
    add(x, x, x, other)
    events.append(lead(other, origin))
    model = end(origin)
    for event in events:
        ok(aclrtDestroyEvent(event))
    execute(model, origin, times=2)
    assert x.read().tolist() == [4] * 4
    assert new_event()


def test_information_about_the_last_captured_task(machine: Machine) -> None:
    """Accepted without effect, right after a task was stored by this thread."""
    stream, x, info = create_stream(), on_device(np.ones(4, np.float32)), np.zeros(8, np.uint8)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    assert_status(aclrtCacheLastTaskOpInfo(info, 8), ACL_ERROR_RT_INTERNAL_ERROR)
    add(x, x, x, stream)
    ok(aclrtCacheLastTaskOpInfo(info, 8))
    ok(aclrtCacheLastTaskExtendInfo("text", 4))
    assert in_thread(lambda: aclrtCacheLastTaskOpInfo(info, 8)) == ACL_ERROR_RT_CONTEXT_NULL
    assert_status(aclrtCacheLastTaskOpInfo(None, 8), ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtCacheLastTaskOpInfo(info, 0), ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtCacheLastTaskOpInfo(info, 65537), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclrtCacheLastTaskExtendInfo(None, 8), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclrtCacheLastTaskExtendInfo("text", 0), ACL_ERROR_RT_PARAM_INVALID)
    model = end(stream)
    assert_status(aclrtCacheLastTaskOpInfo(info, 8), ACL_ERROR_RT_INTERNAL_ERROR)
    execute(model, stream)
    assert_status(aclrtCacheLastTaskOpInfo(info, 8), ACL_ERROR_RT_INTERNAL_ERROR)
