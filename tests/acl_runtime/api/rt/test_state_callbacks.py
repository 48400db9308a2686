"""Callbacks for the states of streams and devices; stopping a stream; the last task of a thread."""

from __future__ import annotations

from ctypes import byref, c_uint32, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.acl_runtime.api.product_families import persistent
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, ok

POST, PRE = ACL_RT_STREAM_STATE_CREATE_POST, ACL_RT_STREAM_STATE_DESTROY_PRE


@pytest.mark.fidelity("callbacks for states")
def test_streams_are_reported_default_streams_included() -> None:
    events: list[tuple[str, int, int]] = []
    with Machine():
        for name in ("b", "a"):
            ok(
                aclrtRegStreamStateCallback(
                    name, lambda stm, state, args: events.append((args, stm.value, state)), name
                )
            )
        ok(aclrtSetDevice(0))
        stream, default = create_stream(), aclrtStream()
        ok(aclrtCtxGetCurrentDefaultStream(byref(default)))
        ok(aclrtDestroyStream(stream))
        ok(aclrtRegStreamStateCallback("a", None, None))
        context = create_context()
        ok(aclrtDestroyContext(context))
        ok(aclrtResetDevice(0))
    first, made = default.value, stream.value
    assert events[:6] == [(name, number, state) for number, state in ((first, POST), (made, POST), (made, PRE))
                          for name in ("a", "b")]  # fmt: skip
    assert [(name, state) for name, _, state in events[6:]] == [("b", POST), ("b", PRE), ("b", PRE)]


@pytest.mark.fidelity("callbacks for states")
def test_devices_are_reported_before_and_after() -> None:
    events: list[tuple[int, int]] = []
    with Machine():
        ok(aclrtRegDeviceStateCallback("name", lambda number, state, args: events.append((number, state)), None))
        ok(aclrtSetDevice(0))
        ok(aclrtResetDevice(0))
        ok(aclrtRegDeviceStateCallback("name", None, None))
        ok(aclrtSetDevice(0))
        ok(aclrtResetDevice(0))
    assert events == [(0, 0), (0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize(
    "register", [aclrtRegStreamStateCallback, aclrtRegDeviceStateCallback, aclrtSetDeviceTaskAbortCallback]
)
def test_a_name_is_registered_once(machine: Machine, register: Any) -> None:
    """ "Callback null = unregister (unknown name too: 0). Name already there -> 107000"."""

    def callback(*_: Any) -> int:
        return 0

    assert_status(register(None, callback, None), ACL_ERROR_INVALID_PARAM)
    ok(register("name", None, None))
    ok(register("name", callback, None))
    assert_status(register("name", callback, None), ACL_ERROR_RT_PARAM_INVALID, "(EE1011)")
    ok(register("name", None, None))
    ok(register("name", callback, None))


def test_a_stopped_stream_keeps_its_tasks(machine: Machine) -> None:
    stream, memory = create_stream(), malloc(64)
    ok(aclrtMemsetAsync(memory, 64, 7, 64, stream))
    ok(aclrtStreamStop(stream))
    ok(aclrtSynchronizeStream(stream))
    assert len(machine.tasks) == 1
    for function in (aclrtStreamStop, aclrtPersistentTaskClean):
        assert_status(function(None), ACL_ERROR_RT_PARAM_INVALID)
        assert_status(function(0x40), ACL_ERROR_RT_INVALID_HANDLE)
        other = create_context()
        assert_status(function(stream), ACL_ERROR_RT_STREAM_CONTEXT)
        ok(aclrtDestroyContext(other))
        ok(aclrtSetDevice(0))
        ok(aclrtResetDevice(0))


def test_the_tasks_of_a_persistent_stream_go(machine: Machine) -> None:
    stream, memory = persistent(), malloc(64)
    ok(aclrtMemsetAsync(memory, 64, 7, 64, stream))
    live = machine.handles.get(stream.value or 0)
    assert len(live.queue) == 1  # type: ignore[union-attr]
    ok(aclrtPersistentTaskClean(stream))
    assert not live.queue  # type: ignore[union-attr]
    assert_status(aclrtPersistentTaskClean(create_stream()), ACL_ERROR_RT_PARAM_INVALID)


def last_task() -> int:
    number = c_uint32()
    ok(aclrtGetThreadLastTaskId(byref(number)))
    return number.value


@pytest.mark.fidelity("the last task of a thread")
def test_each_thread_has_its_last_task(machine: Machine) -> None:
    assert last_task() == 0xFFFFFFFF
    stream, memory = create_stream(), malloc(64)
    ok(aclrtMemsetAsync(memory, 64, 7, 64, stream))
    ok(aclrtMemsetAsync(memory, 64, 7, 64, stream))
    assert last_task() == 2
    assert in_thread(last_task) == 0xFFFFFFFF
    assert_status(aclrtGetThreadLastTaskId(None), ACL_ERROR_INVALID_PARAM)


@pytest.mark.fidelity("the last task of a thread")
def test_the_exception_info_of_a_task_without_kernel(machine: Machine) -> None:
    """ "info null -> -1"; "record without kernel 107000, *func null"."""
    seen: list[Any] = []

    def failed(info: Any) -> None:
        number, func = aclrtGetTaskIdFromExceptionInfo(info), aclrtFuncHandle(7)
        seen.append((number, aclrtGetFuncHandleFromExceptionInfo(info, byref(func)), bool(func)))
        seen.append(aclrtGetFuncHandleFromExceptionInfo(info, None))
        seen.append(aclrtGetArgsFromExceptionInfo(info, byref(c_void_p()), byref(c_uint32())))
        seen.append(aclrtGetArgsFromExceptionInfo(info, None, byref(c_uint32())))
        seen.append(aclrtGetArgsFromExceptionInfo(info, byref(c_void_p()), None))

    ok(aclrtSetExceptionInfoCallback(failed))
    stream, memory = create_stream(), malloc(64)
    machine.fail("aclrtMemsetAsync", device=True)
    ok(aclrtMemsetAsync(memory, 64, 7, 64, stream))
    assert aclrtSynchronizeStream(stream) == ACL_ERROR_RT_AICORE_EXCEPTION
    refused = ACL_ERROR_INVALID_PARAM
    assert seen == [(last_task(), ACL_ERROR_RT_PARAM_INVALID, False), refused, -1, refused, refused]
    assert aclrtGetArgsFromExceptionInfo(None, byref(c_void_p()), byref(c_uint32())) == -1
    assert aclrtGetFuncHandleFromExceptionInfo(None, byref(aclrtFuncHandle())) == -1
