"""aclmdlRICaptureBegin, GetInfo, End and ThreadExchangeMode: checks, order, results (public)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int32, c_void_p
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.streams.model.capture import forbidding
from tests.helpers.builders import on_device
from tests.helpers.captures import (
    GLOBAL,
    RELAXED,
    THREAD_LOCAL,
    add,
    captured,
    end,
    execute,
    lead,
    new_event,
    status_of,
)
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import current_context, in_thread
from tests.helpers.outcomes import assert_status, ok

pytestmark = pytest.mark.finds(
    "order-teardown", "stream-leaked", "event-leaked", "model-leaked", "mem-leaked", "tensor-leaked"
)
MODES = (GLOBAL, THREAD_LOCAL, RELAXED)


def ones() -> object:
    return on_device(np.ones(4, np.float32))


@pytest.mark.parametrize("mode", MODES)
def test_captured_tasks_run_only_when_the_model_is_executed(mode: int, machine: Machine) -> None:
    stream, x = create_stream(), on_device(np.ones(4, np.float32))
    model = captured(stream, lambda: add(x, x, x, stream), mode=mode)
    assert machine.read(x.address, 4, np.float32).tolist() == [1] * 4
    execute(model, stream, times=3)
    assert x.read().tolist() == [8] * 4


def test_other_streams_run_during_a_capture(machine: Machine) -> None:
    stream, other, x = create_stream(), create_stream(), on_device(np.ones(4, np.float32))
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    add(x, x, x, other)
    ok(aclrtSynchronizeStream(other))
    assert machine.read(x.address, 4, np.float32).tolist() == [2] * 4
    execute(end(stream), stream)


def test_an_empty_capture_gives_a_model_that_does_nothing(machine: Machine) -> None:
    stream = create_stream()
    execute(captured(stream), stream)
    assert list(machine.tasks) == []


def test_the_info_follows_the_capture(machine: Machine) -> None:
    """ "Model is null when the status is NONE; while capturing it already is the handle End will return." """
    stream, status, model = create_stream(), c_int32(-1), aclmdlRI()
    ok(aclmdlRICaptureGetInfo(stream, byref(status), byref(model)))
    assert (status.value, bool(model)) == (ACL_MODEL_RI_CAPTURE_STATUS_NONE, False)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclmdlRICaptureGetInfo(stream, byref(status), byref(model)))
    assert status.value == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE
    assert end(stream).value == model.value
    assert status_of(stream) == ACL_MODEL_RI_CAPTURE_STATUS_NONE


def test_the_info_needs_no_context_and_one_output(machine: Machine) -> None:
    stream = create_stream()
    assert_status(aclmdlRICaptureGetInfo(stream, None, None), ACL_ERROR_INVALID_PARAM)
    ok(aclmdlRICaptureGetInfo(stream, None, byref(aclmdlRI())))
    assert in_thread(lambda: aclmdlRICaptureGetInfo(stream, byref(c_int32()), None)) == ACL_SUCCESS
    create_context()
    ok(aclmdlRICaptureGetInfo(stream, byref(c_int32()), None))


@pytest.mark.parametrize("mode", [-1, 3])
def test_a_mode_beyond_the_enumeration_is_refused(mode: int, machine: Machine) -> None:
    assert_status(aclmdlRICaptureBegin(create_stream(), mode), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclmdlRICaptureThreadExchangeMode(byref(c_int32(mode))), ACL_ERROR_RT_PARAM_INVALID)


def test_the_null_stream_is_refused(machine: Machine) -> None:
    assert_status(aclmdlRICaptureBegin(None, GLOBAL), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRICaptureGetInfo(None, byref(c_int32()), None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRICaptureEnd(None, byref(aclmdlRI())), ACL_ERROR_INVALID_PARAM)


def test_the_default_stream_is_refused_by_its_handle(machine: Machine) -> None:
    default = aclrtStream()
    ok(aclrtCtxGetCurrentDefaultStream(byref(default)))
    assert_status(aclmdlRICaptureBegin(default, GLOBAL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1017)")
    assert_status(aclmdlRICaptureEnd(default, byref(aclmdlRI())), ACL_ERROR_RT_FEATURE_NOT_SUPPORT)


def test_a_stream_for_the_device_alone_is_refused(machine: Machine) -> None:
    stream = aclrtStream()
    ok(aclrtCreateStreamWithConfig(byref(stream), 0, ACL_STREAM_DEVICE_USE_ONLY))
    assert_status(aclmdlRICaptureBegin(stream, GLOBAL), ACL_ERROR_RT_INTERNAL_ERROR, "(EE1011)")
    assert_status(aclmdlRICaptureEnd(stream, byref(aclmdlRI())), ACL_ERROR_RT_INTERNAL_ERROR)


def test_a_stream_of_another_context_is_refused(machine: Machine) -> None:
    stream = create_stream()
    create_context()
    assert_status(aclmdlRICaptureBegin(stream, GLOBAL), ACL_ERROR_RT_STREAM_CONTEXT)
    assert_status(aclmdlRICaptureEnd(stream, byref(aclmdlRI())), ACL_ERROR_RT_STREAM_CONTEXT)


def test_a_dead_stream_is_refused_before_its_mode(machine: Machine) -> None:
    stream = create_stream()
    ok(aclrtDestroyStream(stream))
    assert_status(aclmdlRICaptureBegin(stream, 3), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclmdlRICaptureEnd(stream, byref(aclmdlRI())), ACL_ERROR_RT_INVALID_HANDLE)


def test_a_second_begin_is_refused_and_names_the_first(machine: Machine) -> None:
    stream = create_stream()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    assert_status(aclmdlRICaptureBegin(stream, GLOBAL), ACL_ERROR_RT_STREAM_CAPTURED, "stream 1", "test_capture.py:")
    end(stream)


@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310B1"])
def test_other_products_refuse_it_before_they_look_at_the_stream(soc: str) -> None:
    with Machine(soc=soc):
        ok(aclrtSetDevice(0))
        for status in (aclmdlRICaptureBegin(c_void_p(1), GLOBAL), aclmdlRICaptureEnd(c_void_p(1), None)):
            assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
        ok(aclrtResetDevice(0))


# the results of the end, in order


def test_an_end_without_a_capture(machine: Machine) -> None:
    model = aclmdlRI()
    assert_status(aclmdlRICaptureEnd(create_stream(), byref(model)), ACL_ERROR_RT_STREAM_NOT_CAPTURED, "(EE1018)")
    assert not model


def test_a_null_model_is_refused_while_a_capture_goes_on(machine: Machine) -> None:
    """107000, "not 100000"; the capture goes on. Without a capture the first row of the table answers."""
    stream = create_stream()
    assert_status(aclmdlRICaptureEnd(stream, None), ACL_ERROR_RT_STREAM_NOT_CAPTURED)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    assert_status(aclmdlRICaptureEnd(stream, None), ACL_ERROR_RT_PARAM_INVALID, "(EE1004)")
    end(stream)


def test_a_stream_that_was_drawn_in_cannot_end_the_capture(machine: Machine) -> None:
    origin, other, model = create_stream(), create_stream(), aclmdlRI(7)
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    lead(origin, other)
    assert_status(aclmdlRICaptureEnd(other, byref(model)), ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "stream 1")
    assert model.value == 7, "not touched"
    lead(other, origin)
    end(origin)


@pytest.mark.parametrize("mode", MODES)
def test_another_thread_ends_it_in_the_mode_relaxed_only(mode: int, machine: Machine) -> None:
    stream, model, context = create_stream(), aclmdlRI(7), current_context()
    ok(aclmdlRICaptureBegin(stream, mode))

    def ends() -> int:
        ok(aclrtSetCurrentContext(context))
        return int(aclmdlRICaptureEnd(stream, byref(model)))

    expected = ACL_SUCCESS if mode == RELAXED else ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD
    assert in_thread(ends) == expected
    assert bool(model) is (mode == RELAXED)
    assert status_of(stream) == ACL_MODEL_RI_CAPTURE_STATUS_NONE, "the capture is over either way"


def test_events_of_two_captures_make_both_invalid(machine: Machine) -> None:
    first, second, event, model = create_stream(), create_stream(), new_event(), aclmdlRI(7)
    ok(aclmdlRICaptureBegin(first, GLOBAL))
    ok(aclmdlRICaptureBegin(second, GLOBAL))
    ok(aclrtRecordEvent(event, first))
    assert_status(aclrtStreamWaitEvent(second, event), ACL_ERROR_STREAM_CAPTURE_CONFLICT, "stream 1", "stream 2")
    for stream in (first, second):
        assert status_of(stream) == ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
        status = aclmdlRICaptureEnd(stream, byref(model))
        assert_status(status, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "event 1")
        assert not model
        assert status_of(stream) == ACL_MODEL_RI_CAPTURE_STATUS_NONE


@pytest.mark.parametrize("last", ["nothing", "an operator behind the record", "a record that nobody waits for"])
def test_a_stream_that_is_not_joined(last: str, machine: Machine) -> None:
    """The text names the stream and its last task."""
    origin, other, x, model = create_stream(), create_stream(), on_device(np.ones(4, np.float32)), aclmdlRI(7)
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    lead(origin, other)
    name = "wait for event 1"
    if last.startswith("an operator"):
        lead(other, origin)
        add(x, x, x, other)
        name = "aclnnAdd"
    elif last.startswith("a record"):
        ok(aclrtRecordEvent(new_event(), other))
        name = "record of event 2"
    status = aclmdlRICaptureEnd(origin, byref(model))
    assert_status(status, ACL_ERROR_RT_STREAM_UNJOINED, "stream 2", name, "test_capture.py:" if "event" in name else "")
    assert not model
    assert machine.read(x.address, 4, np.float32).tolist() == [1] * 4
    add(x, x, x, other)
    ok(aclrtSynchronizeStream(other))


def test_a_wait_that_was_refused_joins_nothing(machine: Machine) -> None:
    """The open task group of the origin refuses the wait, so that the record has nobody who waits for it."""
    origin, other, event = create_stream(), create_stream(), new_event()
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    lead(origin, other)
    ok(aclrtRecordEvent(event, other))
    ok(aclmdlRICaptureTaskGrpBegin(origin))
    words = "the task group that began at", "test_capture.py:"
    assert_status(aclrtStreamWaitEvent(origin, event), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, *words)
    assert_status(aclmdlRICaptureTaskGrpEnd(origin, byref(aclrtTaskGrp())), ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT)
    assert_status(aclmdlRICaptureEnd(origin, byref(aclmdlRI())), ACL_ERROR_RT_STREAM_UNJOINED, "stream 2")


def test_a_wait_that_is_refused_draws_no_stream_in(machine: Machine) -> None:
    origin, other, event = create_stream(), create_stream(), new_event()
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    ok(aclrtRecordEvent(event, origin))
    ok(aclrtStreamAbort(other))
    assert_status(aclrtStreamWaitEvent(other, event), ACL_ERROR_RT_STREAM_ABORT)
    assert status_of(other) == ACL_MODEL_RI_CAPTURE_STATUS_NONE
    end(origin)


@pytest.mark.fidelity("streams of models")
def test_captured_streams_use_up_the_streams_of_the_device() -> None:
    """A model has a stream for each captured stream, the origin too. The last one is refused as a stream would be."""
    with Machine() as machine:
        machine.budget(streams=5)
        ok(aclrtSetDevice(0))
        origin, other, models = create_stream(), create_stream(), [aclmdlRI() for _ in range(2)]
        for model in models:
            ok(aclmdlRICaptureBegin(origin, GLOBAL))
            ok(aclmdlRICaptureEnd(origin, byref(model)))
        ok(aclmdlRICaptureBegin(origin, GLOBAL))
        event = new_event()
        ok(aclrtRecordEvent(event, origin))
        assert_status(aclrtStreamWaitEvent(other, event), ACL_ERROR_RT_NO_STREAM_RESOURCE, "test_capture.py:")
        assert status_of(other) == ACL_MODEL_RI_CAPTURE_STATUS_NONE
        ok(aclmdlRIDestroy(models[0]))
        ok(aclrtStreamWaitEvent(other, event))
        lead(other, origin)
        end(origin)
        assert_status(aclmdlRICaptureBegin(other, GLOBAL), ACL_ERROR_RT_NO_STREAM_RESOURCE)
        ok(aclrtResetDevice(0))


def test_streams_may_join_through_others(machine: Machine) -> None:
    first, second, third = (create_stream() for _ in range(3))
    ok(aclmdlRICaptureBegin(first, GLOBAL))
    lead(first, second)
    lead(second, third)
    lead(third, second)
    lead(second, first)
    execute(end(first), first)


@pytest.mark.fidelity("a capture that fails")
def test_the_outputs_of_a_failed_capture_count_as_written(machine: Machine) -> None:
    """Reading them is a consequence of the status, not a second mistake."""
    origin, other = create_stream(), create_stream()
    x, out = on_device(np.ones(4, np.float32)), on_device(np.empty(0, np.float32))
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    fresh = c_void_p()
    ok(aclrtMalloc(byref(fresh), 16, ACL_MEM_MALLOC_HUGE_FIRST))
    ok(aclrtMemcpyAsync(fresh, 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, origin))
    lead(origin, other)
    assert_status(aclmdlRICaptureEnd(origin, byref(aclmdlRI())), ACL_ERROR_RT_STREAM_UNJOINED)
    y = aclCreateTensor([4], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [4], 1, fresh)
    out.handle, out.address = y, fresh.value or 0
    add(out, x, x, origin)
    ok(aclrtSynchronizeStream(origin))
    assert [finding.id for finding in machine.findings] == []


# the mode of a thread


@pytest.mark.parametrize("exchange", MODES)
@pytest.mark.parametrize("own", [None, *MODES])
@pytest.mark.parametrize("strictest", [None, *MODES])
def test_which_threads_may_copy_at_once(strictest: int | None, own: int | None, exchange: int) -> None:
    """The table of the three modes, written as its three sentences. The capture that forbids the copy is the one that
    the sentence is about."""
    sentences: dict[int, Callable[[], str]] = {
        RELAXED: lambda: "",
        GLOBAL: lambda: "strictest" if strictest == GLOBAL else "own" if own == THREAD_LOCAL else "",
        THREAD_LOCAL: lambda: "own" if own in (GLOBAL, THREAD_LOCAL) else "",
    }
    captures: Any = {"strictest": strictest, "own": own}
    around, mine = (None if mode is None else SimpleNamespace(name=name, mode=mode) for name, mode in captures.items())
    blamed: Any = forbidding(around, mine, exchange)  # type: ignore[arg-type]
    assert (blamed.name if blamed is not None else "") == (sentences[exchange]() if strictest is not None else "")


def test_the_text_names_the_capture_that_forbids_the_copy(machine: Machine) -> None:
    """Not a capture of the calling thread that allows it."""
    first, second, context, x = create_stream(), create_stream(), current_context(), on_device(np.ones(4, np.float32))
    target, plain = np.empty(4, np.float32), np.empty(4, np.float32)
    ok(aclmdlRICaptureBegin(first, GLOBAL))

    def copies() -> None:
        ok(aclrtSetCurrentContext(context))
        ok(aclmdlRICaptureBegin(second, RELAXED))
        status = aclrtMemcpy(target, 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST)
        assert_status(status, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "it acts at once", "the capture of stream 1")
        status = aclrtMemcpyAsync(plain, 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST, create_stream())
        words = "it waits for its stream", "not pinned", "the capture of stream 1"
        assert_status(status, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, *words)
        end(second)

    in_thread(copies)
    end(first)


def test_the_exchange_returns_the_former_mode_of_the_thread(machine: Machine) -> None:
    mode = c_int32(RELAXED)
    ok(aclmdlRICaptureThreadExchangeMode(byref(mode)))
    assert mode.value == GLOBAL
    mode.value = THREAD_LOCAL
    ok(aclmdlRICaptureThreadExchangeMode(byref(mode)))
    assert mode.value == RELAXED
    assert_status(aclmdlRICaptureThreadExchangeMode(None), ACL_ERROR_INVALID_PARAM)


@pytest.mark.parametrize(
    ("mode", "elsewhere"), [(GLOBAL, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT), (THREAD_LOCAL, 0), (RELAXED, 0)]
)
def test_a_copy_on_another_thread(mode: int, elsewhere: int, machine: Machine) -> None:
    """The thread that began the capture may copy with RELAXED only. The text names the capture."""
    stream, context, x = create_stream(), current_context(), on_device(np.ones(4, np.float32))
    target = np.empty(4, np.float32)
    ok(aclmdlRICaptureBegin(stream, mode))

    def copy() -> int:
        ok(aclrtSetCurrentContext(context))
        return int(aclrtMemcpy(target, 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST))

    assert in_thread(copy) == elsewhere
    here = ACL_SUCCESS if mode == RELAXED else ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT
    words = () if mode == RELAXED else ("stream 1", "test_capture.py:")
    assert_status(aclrtMemcpy(target, 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST), here, *words)
    too_small = ACL_ERROR_RT_PARAM_INVALID if mode == RELAXED else here
    assert_status(aclrtMemset(x.address, 8, 0, 16), too_small)  # "left to the driver", which checks last
    ok(aclmdlRICaptureThreadExchangeMode(byref(c_int32(RELAXED))))
    ok(aclrtMemcpy(target, 16, x.address, 16, ACL_MEMCPY_DEVICE_TO_HOST))
    end(stream)


# the end of a captured stream


@pytest.mark.fidelity("a captured stream that ends")
def test_a_forced_destruction_ends_the_capture_of_the_origin(machine: Machine) -> None:
    stream, model = create_stream(), aclmdlRI()
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclmdlRICaptureGetInfo(stream, None, byref(model)))
    ok(aclrtDestroyStreamForce(stream))
    words = "destroyed by aclrtDestroyStreamForce", "test_capture.py:"
    assert_status(aclmdlRIExecuteAsync(model, create_stream()), ACL_ERROR_RT_INVALID_HANDLE, *words)
    ok(aclrtMemset(on_device(np.ones(4, np.float32)).address, 16, 0, 16))


@pytest.mark.fidelity("a captured stream that ends")
def test_a_forced_destruction_of_a_stream_that_was_drawn_in_makes_the_capture_invalid(machine: Machine) -> None:
    origin, other = create_stream(), create_stream()
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    lead(origin, other)
    ok(aclrtDestroyStreamForce(other))
    status = aclmdlRICaptureEnd(origin, byref(aclmdlRI()))
    assert_status(status, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "stream 2")
