"""Each function that takes a stream or an event, or that copies at once: its answer during a capture.

A function that is new, and has neither a row here nor a reason to have none, fails the last test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from ctypes import byref, c_float, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, NamedTuple

import numpy as np
import pytest

import acl_runtime
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.streams.model.capture import capture_of
from acl_runtime.streams.stream import Stream
from tests.acl_runtime.api.product_families import ON_DEVICE, managed, new_notify, numbers, pool
from tests.acl_runtime.api.test_product_support import batch
from tests.helpers.builders import malloc
from tests.helpers.captures import GLOBAL, RELAXED, THREAD_LOCAL, captured, end, new_event
from tests.helpers.creating import create_stream, event_of, malloc_host
from tests.helpers.outcomes import assert_status, ok, text

pytestmark = pytest.mark.finds(
    "order-teardown", "stream-leaked", "event-leaked", "model-leaked", "mem-leaked", "host-mem-leaked"
)


class Things(NamedTuple):
    """The arguments of the calls."""

    stream: aclrtStream
    """a captured stream"""
    event: aclrtEvent
    """an event that the capture has recorded"""
    memory: int
    pinned: int
    host: Any
    """host memory that is not pinned"""
    model: aclmdlRI
    """the model of an earlier capture"""


STORED, ACTS = "its task is stored", "it acts at once, as without a capture"
D2D, H2D = ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_HOST_TO_DEVICE
CAPTURED, OF_EVENT = ACL_ERROR_RT_STREAM_CAPTURED, ACL_ERROR_RT_EVENT_CAPTURED
UNSAFE = ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT
Row = tuple[Callable[[Things], int], Any]


def attribute(kind: int) -> Callable[[Things], int]:
    return lambda its: aclrtSetStreamAttribute(its.stream, kind, byref(aclrtStreamAttrValue()))


def random_memory() -> int:
    """Memory for random numbers; its counter is set in a mode that allows it."""
    mode = c_int32(ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
    ok(aclmdlRICaptureThreadExchangeMode(byref(mode)))
    return malloc(4096)


def reset(its: Things) -> int:
    return int(aclrtResetEvent(event_of(aclrtCreateEventWithFlag, ACL_EVENT_EXTERNAL), its.stream))


def batched(call: Callable[..., int], *more: object) -> Callable[[Things], int]:
    return lambda its: call([its.memory], [8], [its.pinned], [8], 1, *batch(its.memory, its.host), *more, its.stream)


ROWS: dict[str, Row] = {
    # tasks
    "aclrtMemcpyAsync": (lambda its: aclrtMemcpyAsync(its.memory, 8, its.pinned, 8, H2D, its.stream), STORED),
    "aclrtMemcpyAsyncWithCondition": (
        lambda its: aclrtMemcpyAsyncWithCondition(its.memory, 8, its.pinned, 8, H2D, its.stream), STORED
    ),
    "aclrtMemcpy2dAsync": (lambda its: aclrtMemcpy2dAsync(its.memory, 8, its.pinned, 8, 8, 1, H2D, its.stream), STORED),
    "aclrtMemsetAsync": (lambda its: aclrtMemsetAsync(its.memory, 8, 0, 8, its.stream), STORED),
    "aclrtMemsetD32Async": (lambda its: aclrtMemsetD32Async(its.memory, 8, 0, 2, its.stream), STORED),
    "aclrtReduceAsync": (
        lambda its: aclrtReduceAsync(its.memory, its.memory + 8, 4, 10, ACL_FLOAT, its.stream, None), STORED
    ),
    "aclrtValueWrite": (lambda its: aclrtValueWrite(its.memory, 1, 0, its.stream), STORED),
    "aclrtValueWait": (lambda its: aclrtValueWait(its.memory, 1, 0, its.stream), STORED),
    "aclrtRecordEvent": (lambda its: aclrtRecordEvent(its.event, its.stream), STORED),
    "aclrtRecordEventWithFlag": (lambda its: aclrtRecordEventWithFlag(its.event, its.stream, 0), STORED),
    "aclrtResetEvent": (reset, STORED),
    "aclrtStreamWaitEvent": (lambda its: aclrtStreamWaitEvent(its.stream, its.event), STORED),
    "aclrtStreamWaitEventWithFlag": (lambda its: aclrtStreamWaitEventWithFlag(its.stream, its.event, 0, 0), STORED),
    "aclrtStreamWaitEventWithTimeout": (lambda its: aclrtStreamWaitEventWithTimeout(its.stream, its.event, 1), STORED),
    "aclrtLaunchHostFunc": (lambda its: aclrtLaunchHostFunc(its.stream, print, None), STORED),
    "aclrtLaunchCallback": (
        lambda its: (
            aclrtSubscribeReport(threading.get_ident(), its.stream) or aclrtLaunchCallback(print, None, 0, its.stream)
        ),
        STORED,
    ),
    "aclrtCmoAsync": (lambda its: aclrtCmoAsync(its.memory, 64, 0, its.stream), STORED),
    "aclrtCmoAsyncWithDesc": (
        lambda its: (
            aclrtCmoSetDesc(its.memory, its.memory, 64) or aclrtCmoAsyncWithDesc(its.memory, 0, its.stream, None)
        ),
        STORED,
    ),
    "aclrtRandomNumAsync": (lambda its: aclrtRandomNumAsync(byref(numbers(random_memory())), its.stream, None), STORED),
    "aclrtMemcpyAsyncWithDesc": (
        lambda its: (
            aclrtSetMemcpyDesc(its.memory, 6, its.memory, its.memory + 32, 8, None)
            or aclrtMemcpyAsyncWithDesc(its.memory, 6, its.stream)
        ),
        STORED,
    ),
    "aclrtRecordNotify": (lambda its: aclrtRecordNotify(new_notify(), its.stream), STORED),
    "aclrtWaitAndResetNotify": (lambda its: aclrtWaitAndResetNotify(new_notify(), its.stream, 1), STORED),
    "aclrtMemPoolFreeAsync": (lambda its: aclrtMemPoolFreeAsync(malloc(64), its.stream), STORED),
    "aclrtProfTrace": (lambda its: aclrtProfTrace(its.host, 8, its.stream), STORED),
    # refused on a captured stream
    "aclrtGetFloatOverflowStatus": (lambda its: aclrtGetFloatOverflowStatus(its.memory, 64, its.stream), CAPTURED),
    "aclrtResetFloatOverflowStatus": (lambda its: aclrtResetFloatOverflowStatus(its.stream), CAPTURED),
    "aclrtNpuGetFloatOverFlowStatus": (
        lambda its: aclrtNpuGetFloatOverFlowStatus(its.memory, 64, 0, its.stream), CAPTURED
    ),
    "aclrtNpuClearFloatOverFlowStatus": (lambda its: aclrtNpuClearFloatOverFlowStatus(0, its.stream), CAPTURED),
    "aclrtSynchronizeStream": (lambda its: aclrtSynchronizeStream(its.stream), CAPTURED),
    "aclrtSynchronizeStreamWithTimeout": (lambda its: aclrtSynchronizeStreamWithTimeout(its.stream, 1), CAPTURED),
    "aclrtStreamQuery": (lambda its: aclrtStreamQuery(its.stream, byref(c_int32())), CAPTURED),
    "aclrtDestroyStream": (lambda its: aclrtDestroyStream(its.stream), CAPTURED),
    "aclrtSetStreamOverflowSwitch": (lambda its: aclrtSetStreamOverflowSwitch(its.stream, 1), CAPTURED),
    "aclrtGetOverflowStatus": (lambda its: aclrtGetOverflowStatus(its.memory, 64, its.stream), CAPTURED),
    "aclrtResetOverflowStatus": (lambda its: aclrtResetOverflowStatus(its.stream), CAPTURED),
    "aclrtSetStreamAttribute": (attribute(ACL_STREAM_ATTR_USER_CUSTOM_TAG), CAPTURED),
    "aclrtSetStreamAttribute, overflow check": (attribute(ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK), CAPTURED),
    "aclrtSetStreamAttribute, cache op info": (attribute(ACL_STREAM_ATTR_CACHE_OP_INFO), ACTS),
    "aclmdlRICaptureBegin": (lambda its: aclmdlRICaptureBegin(its.stream, GLOBAL), CAPTURED),
    "aclmdlRIExecuteAsync": (lambda its: aclmdlRIExecuteAsync(its.model, its.stream), CAPTURED),
    "aclmdlRICaptureTaskUpdateBegin": (
        lambda its: aclmdlRICaptureTaskUpdateBegin(its.stream, c_void_p(1)), ACL_ERROR_RT_INVALID_HANDLE
    ),
    "aclmdlRICaptureTaskUpdateEnd": (lambda its: aclmdlRICaptureTaskUpdateEnd(its.stream), CAPTURED),
    "aclrtSynchronizeDevice": (lambda its: aclrtSynchronizeDevice(), CAPTURED),
    "aclrtSynchronizeDeviceWithTimeout": (lambda its: aclrtSynchronizeDeviceWithTimeout(1), CAPTURED),
    # refused for a captured event
    "aclrtQueryEvent": (lambda its: aclrtQueryEvent(its.event, byref(c_int32())), OF_EVENT),
    "aclrtQueryEventStatus": (lambda its: aclrtQueryEventStatus(its.event, byref(c_int32())), OF_EVENT),
    "aclrtQueryEventWaitStatus": (lambda its: aclrtQueryEventWaitStatus(its.event, byref(c_int32())), OF_EVENT),
    "aclrtSynchronizeEvent": (lambda its: aclrtSynchronizeEvent(its.event), OF_EVENT),
    "aclrtSynchronizeEventWithTimeout": (lambda its: aclrtSynchronizeEventWithTimeout(its.event, 1), OF_EVENT),
    "aclrtEventElapsedTime": (lambda its: aclrtEventElapsedTime(byref(c_float()), its.event, its.event), OF_EVENT),
    "aclrtEventGetTimestamp": (lambda its: aclrtEventGetTimestamp(its.event, byref(c_uint64())), OF_EVENT),
    # refused because they act at once, or would wait
    "aclrtMemcpy": (lambda its: aclrtMemcpy(its.memory, 8, its.host, 8, H2D), UNSAFE),
    "aclrtMemset": (lambda its: aclrtMemset(its.memory, 8, 0, 8), UNSAFE),
    "aclrtMemsetD32": (lambda its: aclrtMemsetD32(its.memory, 8, 0, 2), UNSAFE),
    "aclrtMemcpy2d": (lambda its: aclrtMemcpy2d(its.memory, 8, its.host, 8, 8, 1, H2D), UNSAFE),
    "aclrtMemcpyAsync, plain": (
        lambda its: aclrtMemcpyAsync(its.memory, 8, its.host, 8, H2D, its.stream), ACL_ERROR_RT_PARAM_INVALID
    ),
    "aclrtMemcpy2dAsync, plain": (
        lambda its: aclrtMemcpy2dAsync(its.memory, 8, its.host, 8, 8, 1, H2D, its.stream), ACL_ERROR_RT_PARAM_INVALID
    ),
    "aclrtMemcpyAsync, plain, elsewhere": (
        lambda its: aclrtMemcpyAsync(its.memory, 8, its.host, 8, H2D, None), ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC
    ),
    "aclrtMemcpy2dAsync, plain, elsewhere": (
        lambda its: aclrtMemcpy2dAsync(its.memory, 8, its.host, 8, 8, 1, H2D, None),
        ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
    ),
    # not affected
    "aclrtMemPoolMallocAsync": (lambda its: aclrtMemPoolMallocAsync(byref(c_void_p()), 64, pool(), its.stream), ACTS),
    "aclrtMemManagedPrefetchAsync": (
        lambda its: aclrtMemManagedPrefetchAsync(managed(), 64, ON_DEVICE, 0, its.stream), STORED
    ),
    "aclrtMemManagedPrefetchBatchAsync": (
        lambda its: aclrtMemManagedPrefetchBatchAsync(
            byref(managed()), byref(c_size_t(64)), 1, byref(ON_DEVICE), byref(c_size_t(0)), 1, 0, its.stream
        ),
        STORED,
    ),
    "aclrtStreamStop": (lambda its: aclrtStreamStop(its.stream), ACTS),
    "aclrtPersistentTaskClean": (lambda its: aclrtPersistentTaskClean(its.stream), ACL_ERROR_RT_PARAM_INVALID),
    "aclmdlRICaptureGetInfo": (lambda its: aclmdlRICaptureGetInfo(its.stream, byref(c_int32()), None), ACTS),
    "aclmdlRICaptureTaskGrpBegin": (lambda its: aclmdlRICaptureTaskGrpBegin(its.stream), ACTS),
    "aclmdlRICaptureTaskGrpEnd": (
        lambda its: aclmdlRICaptureTaskGrpEnd(its.stream, byref(aclrtTaskGrp())), ACL_ERROR_STREAM_TASK_GROUP_STATUS
    ),
    "aclmdlRIGetTasksByStream": (
        lambda its: aclmdlRIGetTasksByStream(its.stream, None, byref(c_uint32())), ACL_ERROR_RT_PARAM_INVALID
    ),
    "aclrtDestroyEvent": (lambda its: aclrtDestroyEvent(its.event), ACTS),
    "aclrtGetEventId": (lambda its: aclrtGetEventId(its.event, byref(c_uint32())), ACTS),
    "aclrtGetStreamOverflowSwitch": (lambda its: aclrtGetStreamOverflowSwitch(its.stream, byref(c_uint32())), ACTS),
    "aclrtGetStreamAttribute": (
        lambda its: aclrtGetStreamAttribute(its.stream, 1, byref(aclrtStreamAttrValue())), ACTS
    ),
    "aclrtSetStreamFailureMode": (lambda its: aclrtSetStreamFailureMode(its.stream, 0), ACTS),
    "aclrtStreamGetFlags": (lambda its: aclrtStreamGetFlags(its.stream, byref(c_uint32())), ACTS),
    "aclrtStreamGetId": (lambda its: aclrtStreamGetId(its.stream, byref(c_int32())), ACTS),
    "aclrtStreamGetPriority": (lambda its: aclrtStreamGetPriority(its.stream, byref(c_uint32())), ACTS),
    "aclrtGetStreamResLimit": (lambda its: aclrtGetStreamResLimit(its.stream, 0, byref(c_uint32())), ACTS),
    "aclrtSetStreamResLimit": (lambda its: aclrtSetStreamResLimit(its.stream, 0, 8), ACTS),
    "aclrtResetStreamResLimit": (lambda its: aclrtResetStreamResLimit(its.stream), ACTS),
    "aclrtUseStreamResInCurrentThread": (lambda its: aclrtUseStreamResInCurrentThread(its.stream), ACTS),
    "aclrtUnuseStreamResInCurrentThread": (lambda its: aclrtUnuseStreamResInCurrentThread(its.stream), ACTS),
    "aclrtSubscribeReport": (lambda its: aclrtSubscribeReport(threading.get_ident(), its.stream), ACTS),
    "aclrtUnSubscribeReport": (
        lambda its: (
            aclrtSubscribeReport(threading.get_ident(), its.stream)
            or aclrtUnSubscribeReport(threading.get_ident(), its.stream)
        ),
        ACTS,
    ),
    "aclrtSubscribeHostFunc": (lambda its: aclrtSubscribeHostFunc(threading.get_ident(), its.stream), ACTS),
    "aclrtUnSubscribeHostFunc": (
        lambda its: (
            aclrtSubscribeHostFunc(threading.get_ident(), its.stream)
            or aclrtUnSubscribeHostFunc(threading.get_ident(), its.stream)
        ),
        ACTS,
    ),
    "aclrtMemcpyBatch": (
        lambda its: aclrtMemcpyBatch(
            [its.memory], [8], [its.host], [8], 1, *batch(its.memory, its.host), byref(c_size_t())
        ),
        ACTS,
    ),
    "aclrtMemcpyBatchV2": (
        lambda its: aclrtMemcpyBatchV2([its.memory], [8], [its.host], [8], 1, *batch(its.memory, its.host)), ACTS
    ),
    "aclrtMemcpyBatchAsync": (batched(aclrtMemcpyBatchAsync, byref(c_size_t())), STORED),
    "aclrtMemcpyBatchAsyncV2": (batched(aclrtMemcpyBatchAsyncV2), STORED),
}  # fmt: skip
ELSEWHERE = {
    "the end of the stream: test_capture.py": "aclmdlRICaptureEnd aclrtDestroyStreamForce aclrtStreamAbort",
    "they submit a task like the functions above": """
        aclopExecWithHandle aclopCompileAndExecute aclopCompileAndExecuteV2 aclopExecute aclopExecuteV2 rtKernelLaunch
        aclprofGetStepTimestamp aclprofMarkEx aclrtLaunchKernel aclrtLaunchKernelV2 aclrtLaunchKernelWithConfig
        aclrtLaunchKernelWithHostArgs aclrtLaunchKernelWithArgsArray""",
    "they copy like aclrtMemcpyAsync: api/kernel/test_symbols.py": """
        aclrtMemcpyToSymbolAsync aclrtMemcpyFromSymbolAsync""",
    "an operation of several ranks: tests/acl_runtime/collective/test_captured.py": """
        HcclAllGather HcclAllGatherV HcclAllReduce HcclAlltoAll HcclAlltoAllV HcclAlltoAllVC HcclBarrier
        HcclBatchSendRecv HcclBroadcast HcclRecv HcclReduce HcclReduceScatter HcclReduceScatterV HcclScatter
        HcclSend""",
    "it submits a task of a loaded model: api/mdl/test_executions.py": "aclmdlExecuteAsync",
    "it waits for its stream: api/mdl/test_options.py": "aclmdlExecuteV2",
    "a stream is only the key of an allocator": """
        aclrtAllocatorRegister aclrtAllocatorUnregister aclrtAllocatorGetByStream""",
    "streams that are bound to built models: test_built_models.py": """
        aclmdlRIBindStream aclmdlRIUnbindStream aclmdlRIEndTask aclrtSetLabel aclrtSwitchLabelByIndex aclrtActiveStream
        aclrtSwitchStream""",
    "the streams are bound to built models: test_kernel_tasks.py": "aclrtTaskUpdateAsync",
    "the beginning of a capture, and a task of one: test_conditions.py": """
        aclmdlRIAddCondTask aclmdlRICaptureToModelRIBegin""",
    "it writes a handle, and queues nothing: test_shared_events.py": "aclrtIpcGetEventHandle",
    "only the 950 series has them": """
        aclrtCntNotifyRecord aclrtCntNotifyReset aclrtCntNotifyWaitWithTimeout aclrtLaunchSIMTKernelWithArgsArray
        aclrtLaunchSIMTKernelWithHostArgs""",
    "only streams of models take them": "aclrtCmoAsyncWithBarrier aclrtCmoWaitBarrier",
    "marks of the host, not of the stream": "mstxDomainMarkA mstxDomainRangeStartA mstxMarkA mstxRangeStartA",
}
"""functions without a row, by the reason"""
AT_ONCE = "aclrtMemcpy aclrtMemset aclrtMemsetD32 aclrtMemcpy2d aclrtMemcpyBatch aclrtMemcpyBatchV2".split()


def things() -> Things:
    stream, event, memory = create_stream(), new_event(), malloc(64)
    ok(aclrtMemset(memory, 64, 0, 64))
    model = captured(stream)
    ok(aclmdlRICaptureBegin(stream, GLOBAL))
    ok(aclrtRecordEvent(event, stream))
    return Things(stream, event, memory, malloc_host(64), np.zeros(64, np.uint8), model)


@pytest.mark.parametrize("name", ROWS)
def test_the_answer_during_a_capture(name: str, machine: Machine) -> None:
    """Refusals name the capture by its stream and line, and leave it as it was."""
    call, expected = ROWS[name]
    its = things()
    stream = machine.handles.find(its.stream.value or 0, Stream)
    assert stream is not None
    capture = capture_of(stream)
    assert capture is not None
    before, ran = len(capture.model.nodes), len(machine.tasks)
    status = call(its)
    stored = len(capture.model.nodes) - before
    if expected in (STORED, ACTS):
        assert (status, stored) == (ACL_SUCCESS, int(expected is STORED)), text()
        assert not stream.queue
        assert len(machine.tasks) == ran
    else:
        assert stored == 0
        words = ("stream 1", "test_calls_in_captures.py:") if expected in (CAPTURED, OF_EVENT, UNSAFE) else ()
        assert_status(status, expected, *words)
    assert not capture.invalid


@pytest.mark.parametrize("name", [name for name, (_, expected) in ROWS.items() if expected == UNSAFE])
@pytest.mark.parametrize("mode", [THREAD_LOCAL, RELAXED])
def test_calls_that_act_at_once_by_mode(name: str, mode: int, machine: Machine) -> None:
    """The thread that began the capture may make them with RELAXED only."""
    its = things()
    end(its.stream)
    ok(aclmdlRICaptureBegin(its.stream, mode))
    assert ROWS[name][0](its) == (ACL_SUCCESS if mode == RELAXED else UNSAFE)
    text()
    end(its.stream)


def test_every_function_has_its_row() -> None:
    named = {name.partition(",")[0] for name in ROWS} | {each for names in ELSEWHERE.values() for each in names.split()}
    declared = [getattr(getattr(acl_runtime, name), "c", None) for name in acl_runtime.__all__]
    takes = {
        each.name
        for each in declared
        if each is not None
        and any(kind.spelling.endswith(("aclrtStream", "aclrtEvent")) for _, kind in each.parameters)
    }
    assert named == takes | {*AT_ONCE, "aclrtSynchronizeDevice", "aclrtSynchronizeDeviceWithTimeout"}
