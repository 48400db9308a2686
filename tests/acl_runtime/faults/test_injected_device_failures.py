"""Injected failures of tasks on the device: `machine.fail(..., device=True)` (ours)."""

from collections.abc import Iterator, Sequence
from ctypes import byref, c_int32
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.faults.likely import queues
from aclnn import *
from aclnn.testing import expect_finding
from tests.acl_runtime.faults.test_injected_failures import FUNCTIONS
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.creating import create_stream, event_of
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, ok
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax, softmax

HERE = "test_injected_device_failures.py:"


@pytest.fixture(params=SCHEDULES)
def each(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """A machine of each schedule, device 0 set."""
    with board(request.param) as machine:
        yield machine
    assert not [found for found in machine.findings if found.level == "error"]


@pytest.mark.fidelity("an injected failure of a task")
def test_the_call_succeeds_and_the_task_fails(each: Machine) -> None:
    """The next synchronise returns the failure, once. The outputs are not written. The text names the task, its launch,
    and the line of `machine.fail`. The tasks before and after it in the stream run."""
    stream = create_stream()
    failure = each.fail("aclnnSoftmaxBackward", device=True, nth=2)
    outs = [launch_softmax(stream)[2] for _ in range(3)]
    words = ("EZ2001", "aclnnSoftmaxBackward in stream 1, launched at", HERE, "failure asked for by machine.fail")
    assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, *words)
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert [out.read()[0] for out in outs] == [SOFTMAX_RESULT, 0.0, SOFTMAX_RESULT]
    assert failure.met
    assert [task.status for task in each.tasks] == [ACL_SUCCESS, ACL_ERROR_RT_AICORE_EXCEPTION, ACL_SUCCESS]


def test_a_task_fails_with_the_injected_status(machine: Machine) -> None:
    machine.fail("aclrtMemsetAsync", ACL_ERROR_RT_AICORE_TIMEOUT, device=True)
    memory = on_device(np.ones(4, np.float32))
    assert aclrtMemsetAsync(memory.address, 16, 0, 16, None) == ACL_SUCCESS
    assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_AICORE_TIMEOUT, "memory set")
    assert memory.read().tolist() == [1.0] * 4


def test_a_failure_is_met_when_the_task_runs(machine: Machine) -> None:
    failure = machine.fail("aclrtMemsetAsync", device=True)
    aclrtMemsetAsync(malloc(16), 16, 0, 16, None)
    assert (failure.met, failure.seen) == (False, 1)
    assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_AICORE_EXCEPTION
    assert failure.met


def test_tasks_are_counted_not_calls(machine: Machine) -> None:
    """A copy of memory onto itself is "success without a task"."""
    failure = machine.fail("aclrtMemcpyAsync", device=True)
    one, other = malloc(8), malloc(8)
    aclrtMemsetAsync(one, 8, 0, 8, None)
    assert aclrtMemcpyAsync(one, 8, one, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert failure.seen == 0
    assert aclrtMemcpyAsync(other, 8, one, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_AICORE_EXCEPTION


def test_an_exception_callback_gets_the_status_and_the_task(machine: Machine) -> None:
    """The task is given by its number in its stream."""
    got: list[tuple[int, int]] = []
    aclrtSetExceptionInfoCallback(
        lambda info: got.append((aclrtGetErrorCodeFromExceptionInfo(info), aclrtGetTaskIdFromExceptionInfo(info)))
    )
    machine.fail("aclnnSoftmaxBackward", device=True, nth=2)
    launch_softmax()
    launch_softmax()
    assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_AICORE_EXCEPTION
    assert got == [(ACL_ERROR_RT_AICORE_EXCEPTION, 2)]


def test_stop_mode_ends_the_work_of_the_context(machine: Machine) -> None:
    """ "Later tasks of its streams are dropped", and later launches are refused."""
    stream = create_stream()
    aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE)
    machine.fail("aclnnSoftmaxBackward", device=True)
    outs = [launch_softmax(stream)[2] for _ in range(2)]
    assert aclrtSynchronizeStream(stream) == ACL_ERROR_RT_AICORE_EXCEPTION
    assert [out.read()[0] for out in outs] == [0.0, 0.0]
    planned = softmax()[3]
    assert aclnnSoftmaxBackward(None, 0, planned.executor, stream) == ACLNN_ERR_RUNTIME_ERROR


def test_a_query_that_returns_a_failed_task_shows_that_it_and_earlier_tasks_are_over(each: Machine) -> None:
    """Memory that only these tasks use may be freed then. The tasks behind it may still run."""
    stream, status = create_stream(), c_int32(0)
    before, failing, behind = malloc(16), malloc(16), malloc(16)
    each.fail("aclrtMemsetAsync", device=True, nth=2)
    for memory in (before, failing, behind):
        assert aclrtMemsetAsync(memory, 16, 0, 16, stream) == ACL_SUCCESS
    while (answer := aclrtStreamQuery(stream, byref(status))) == ACL_SUCCESS:
        pass
    assert answer == ACL_ERROR_RT_AICORE_EXCEPTION
    assert aclrtFree(before) == aclrtFree(failing) == ACL_SUCCESS
    with expect_finding(each, "io-freed-early", match="memory set in stream 1"):
        aclrtFree(behind)


@pytest.mark.parametrize("other", [False, True], ids=["same stream", "other stream"])
@pytest.mark.parametrize(("schedule", "seed"), [*((each, 0) for each in SCHEDULES), ("random", 1), ("random", 2)])
def test_bad_data_is_no_finding_for_work_that_was_launched_before_the_failure_was_known(
    schedule: str, seed: int, *, other: bool
) -> None:
    """An operator reads indices that a failed copy should have written, which the program could not know. When the
    program launches the operator again, after the synchronise that returned the failure, it could."""
    with Machine(schedule=schedule, seed=seed) as machine:
        ok(aclrtSetDevice(0))
        stream, event = create_stream(), event_of(aclrtCreateEvent)
        behind = create_stream() if other else stream
        indices, good = on_device(np.array([7, 8])), on_device(np.array([0, 1]))
        tensors = on_device(np.ones((2, 1), np.float32)), indices, 2, 2, False, on_device(np.zeros((2, 1), np.float32))
        machine.fail("aclrtMemcpyAsync", device=True)
        ok(aclrtMemcpyAsync(indices.address, 16, good.address, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, stream))
        ok(aclrtRecordEvent(event, stream))
        ok(aclrtStreamWaitEvent(behind, event))
        launch_embedding(tensors, behind)
        assert aclrtSynchronizeStream(stream) == ACL_ERROR_RT_AICORE_EXCEPTION
        aclrtSynchronizeStream(behind)
        assert not [found for found in machine.findings if found.level == "error"]
        with expect_finding(machine, "index-range"):
            launch_embedding(tensors, behind)
            aclrtSynchronizeStream(behind)


def launch_embedding(tensors: Sequence[Any], stream: aclrtStream) -> None:
    planned = plan(aclnnEmbeddingDenseBackwardGetWorkspaceSize, *tensors)
    ok(planned.status)
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    ok(aclnnEmbeddingDenseBackward(workspace, planned.workspace_size, planned.executor, stream))


def test_only_functions_that_queue_device_tasks_can_fail_there() -> None:
    """These are the operators and the launches of the runtime, except launches of host functions."""
    operators = {name for name in FUNCTIONS if f"{name}GetWorkspaceSize" in FUNCTIONS}
    runtime = {name for name, function in FUNCTIONS.items() if queues(function)} - operators
    assert runtime == {
        "HcclAllGather", "HcclAllGatherV", "HcclAllReduce", "HcclAlltoAll", "HcclAlltoAllV", "HcclAlltoAllVC",
        "HcclBarrier", "HcclBatchSendRecv", "HcclBroadcast", "HcclRecv", "HcclReduce", "HcclReduceScatter",
        "HcclReduceScatterV", "HcclScatter", "HcclSend",
        "aclopCompileAndExecute", "aclopCompileAndExecuteV2", "aclopExecWithHandle", "aclopExecute", "aclopExecuteV2",
        "aclrtCmoAsync", "aclrtCmoAsyncWithBarrier", "aclrtCmoAsyncWithDesc", "aclrtCmoWaitBarrier",
        "aclrtCntNotifyRecord", "aclrtCntNotifyReset", "aclrtCntNotifyWaitWithTimeout",
        "aclrtRecordNotify", "aclrtWaitAndResetNotify",
        "aclrtGetFloatOverflowStatus", "aclrtMemPoolFreeAsync", "aclrtMemPoolMallocAsync",
        "aclrtMemManagedPrefetchAsync", "aclrtMemManagedPrefetchBatchAsync",
        "aclrtMemcpyAsyncWithDesc", "aclrtMemcpyFromSymbolAsync",
        "aclrtMemcpyToSymbolAsync", "aclrtNpuClearFloatOverFlowStatus", "aclrtNpuGetFloatOverFlowStatus",
        "aclrtProfTrace", "aclrtRandomNumAsync", "aclrtResetFloatOverflowStatus",
        "aclrtGetOverflowStatus", "aclrtMemcpy2dAsync", "aclrtMemcpyAsync", "aclrtMemcpyAsyncWithCondition",
        "aclrtMemcpyBatchAsync", "aclrtMemcpyBatchAsyncV2", "aclrtMemsetAsync", "aclrtMemsetD32Async",
        "aclrtRecordEvent", "aclrtRecordEventWithFlag", "aclrtReduceAsync", "aclrtResetEvent",
        "aclrtResetOverflowStatus", "aclrtStreamWaitEvent", "aclrtStreamWaitEventWithFlag",
        "aclrtStreamWaitEventWithTimeout", "aclrtValueWait", "aclrtValueWrite", "rtKernelLaunch",
        "aclmdlRICaptureTaskUpdateEnd", "aclmdlRIAddCondTask", "aclmdlExecuteAsync", "aclmdlExecuteV2",
    }  # fmt: skip
    assert all(queues(FUNCTIONS[name]) for name in operators)


@pytest.mark.parametrize(
    "name", ["aclrtMalloc", "aclrtMemcpy", "aclrtSynchronizeStream", "aclrtStreamQuery", "aclrtLaunchHostFunc"]
)
def test_a_function_that_queues_no_device_task_is_refused(machine: Machine, name: str) -> None:
    with pytest.raises(ValueError, match="queues no task"):
        machine.fail(name, device=True)
