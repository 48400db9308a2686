"""What holds for the second phase of every operator ("4.2 Phase 2", "4.3 What must stay alive, until when").

The two families differ where the tables have two columns: composite (hand-written) operators, and generated ones, of
which aclnnCrossEntropyLossGrad is the only one here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ctypes import byref
from typing import Any

import numpy as np
import pytest

from acl_runtime import (
    ACL_FORMAT_ND,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_SUCCESS,
    ACLNN_ERR_INNER,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
    Machine,
    UndefinedBehaviour,
    aclCreateTensor,
    aclDestroyAclOpExecutor,
    aclDestroyTensor,
    aclGetRecentErrMsg,
    aclOpExecutor,
    aclrtContext,
    aclrtCreateContext,
    aclrtDestroyStream,
    aclrtFree,
    aclrtMemcpy,
    aclrtSetCurrentContext,
    aclrtSetDevice,
    aclrtStream,
    aclrtSynchronizeStream,
    aclSetAclOpExecutorRepeatable,
    aclSetInputTensorAddr,
    aclSetOutputTensorAddr,
    aclSetRawTensorAddr,
    aclSetTensorAddr,
    aclTensor,
)
from aclnn.spec import TensorOut
from tests.builders import OnDevice, acl_type, malloc, on_device, plan
from tests.ops.cases import (
    A2,
    A200I,
    BATCH_NORM,
    CASES,
    CROSS_ENTROPY,
    EMBEDDING,
    INFERENCE,
    PRELU,
    SOFTMAX,
    Case,
    Changes,
    Ready,
    assert_results,
    board,
    create_stream,
    placed,
    ready,
)

NULLPTR, INVALID, RUNTIME = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR
ROOM = 4096
COMPOSITES = [case for case in CASES if case is not CROSS_ENTROPY]

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_composite = pytest.mark.parametrize("case", COMPOSITES, ids=str)
TENSORS = [pytest.param(case, name, id=f"{case}-{name}") for case in CASES for name in case.tensors]
UNREAD = (BATCH_NORM, "weight")
"""a dense FLOAT one: "it is only made contiguous and cast", which here takes no step"""
every_tensor = pytest.mark.parametrize(("case", "name"), TENSORS)
every_read_or_written = pytest.mark.parametrize(
    ("case", "name"), [each for each in TENSORS if tuple(each.values) != UNREAD]
)


@pytest.fixture
def roomy() -> Iterator[Machine]:
    """A machine on which every call that has work needs a workspace."""
    with board(min_workspace=ROOM) as machine:
        yield machine


@contextmanager
def found(id: str, *words: str) -> Iterator[None]:
    """The block must meet an undefined behaviour, and its text must tell these things."""
    with pytest.raises(UndefinedBehaviour) as caught:
        yield
    assert caught.value.finding.id == id, str(caught.value)
    for word in words:
        assert word in caught.value.finding.message


def error_text() -> str:
    return aclGetRecentErrMsg() or ""


def synchronise(stream: aclrtStream | None = None) -> None:
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS, error_text()


def assert_works(call: Ready) -> None:
    """The call is as good as new."""
    assert call.launch() == ACL_SUCCESS, error_text()
    synchronise()
    assert_results(call.results(), call.case)


def assert_consumed(call: Ready) -> None:
    """ "The executor is consumed": using it again is undefined."""
    with found("exec-reused", call.case.name):
        call.launch()


def is_output(case: Case, name: str) -> bool:
    return any(param.name == name and isinstance(param, TensorOut) for param in case.op.tensors)


def role(case: Case, name: str) -> str:
    return f"{'output' if is_output(case, name) else 'input'} {name}"


# success


@every_case
def test_good_call_gives_its_results(machine: Machine, case: Case) -> None:
    assert_works(ready(case))
    assert machine.findings == []


@every_case
def test_success_means_enqueued_not_finished(machine: Machine, case: Case) -> None:
    """ "0 = enqueued, not finished. Sync the stream before reading outputs"."""
    call = ready(case)
    assert call.launch() == ACL_SUCCESS
    for name in case.results:
        tensor = call.tensors[name]
        assert np.array_equal(machine.read(tensor.address, tensor.storage.shape, tensor.storage.dtype), tensor.storage)
    synchronise()
    assert_results(call.results(), case)


@every_case
def test_null_stream_is_the_default_stream_of_the_context(machine: Machine, case: Case) -> None:
    """A stream of its own, then null: both run the call."""
    stream = create_stream()
    call = ready(case)
    assert call.launch(stream) == ACL_SUCCESS
    synchronise(stream)
    assert_results(call.results(), case)
    assert_works(ready(case))


@every_case
def test_a_larger_workspace_is_fine(roomy: Machine, case: Case) -> None:
    call = ready(case)
    call.workspace, call.size = malloc(call.size + 1000), call.size + 1000
    assert_works(call)


@every_case
def test_tensors_may_go_once_the_second_phase_has_returned(machine: Machine, case: Case) -> None:
    """ "aclTensor after phase 2, before sync: may be destroyed (torch_npu does exactly this)"."""
    call = ready(case)
    assert call.launch() == ACL_SUCCESS
    for tensor in call.tensors.values():
        assert aclDestroyTensor(tensor.handle) == ACL_SUCCESS
    synchronise()
    assert_results(call.results(), case)
    assert machine.findings == []


@every_case
def test_null_pointer_of_an_empty_workspace_is_normal(machine: Machine, case: Case) -> None:
    """ "Required 0, workspace NULL, size 0: normal"."""
    empty = {name: np.zeros((0, 3), np.float32) for name in ("grad", "gradOutput", "output", "self", "gradInput")}
    changes: dict[Case, Changes] = {
        SOFTMAX: {name: empty[name] for name in ("gradOutput", "output")},
        PRELU: {name: empty[name] for name in ("gradOutput", "self", "gradInput")},
        BATCH_NORM: {"gradOut": np.zeros((0, 2), np.float32), "input": np.zeros((0, 2), np.float32)},
        CROSS_ENTROPY: {"logProb": empty["grad"], "target": np.zeros(0, np.int64), "out": empty["grad"]},
        EMBEDDING: {"grad": empty["grad"], "indices": np.zeros(0, np.int64)},
    }
    call = ready(case, changes[case])
    assert (call.workspace, call.size) == (None, 0)
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert machine.findings == []


@every_tensor
def test_strided_twin_equals_the_dense_call(machine: Machine, case: Case, name: str) -> None:
    """Strides and offset change where a tensor lies, not what the operator computes."""
    dense = ready(case)
    assert_works(dense)
    arguments = placed(case)
    shape = case.good[name].shape
    steps = [3 * int(np.prod(shape[i + 1 :])) + i for i in range(len(shape))]
    arguments[name] = twin = on_device(case.good[name], strides=steps, offset=5, tail=4)
    planned = plan(case.first, *arguments.values())
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    assert case.second(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    synchronise()
    for output, expected in dense.results().items():
        assert arguments[output].read().tobytes() == expected.tobytes()
    outside = np.ones(twin.storage.shape, bool)
    twin.view(outside)[...] = False
    assert np.array_equal(twin.read_storage()[outside], twin.storage[outside])


@every_case
@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
def test_results_do_not_depend_on_the_schedule(case: Case, schedule: str) -> None:
    with board(schedule=schedule, seed=1):
        assert_works(ready(case))


# memory is read when the work runs


@every_case
def test_inputs_written_after_the_first_phase_are_seen(machine: Machine, case: Case) -> None:
    """ "Nodes see device memory at execution time, so writes made to an input between phase 1 and phase 2 are seen"."""
    call = ready(case, blank_inputs(case))
    fill_in(call)
    assert_works(call)


@every_case
def test_inputs_written_after_the_second_phase_are_seen(machine: Machine, case: Case) -> None:
    """The work has not run before the stream is waited for."""
    call = ready(case, blank_inputs(case))
    assert call.launch() == ACL_SUCCESS
    fill_in(call)
    synchronise()
    assert_results(call.results(), case)


def blank_inputs(case: Case) -> dict[str, np.ndarray]:
    return {name: np.zeros_like(case.good[name]) for name in case.tensors if not is_output(case, name)}


def fill_in(call: Ready) -> None:
    """Write the inputs of the good call into the tensors."""
    for name in blank_inputs(call.case):
        address, values = call.tensors[name].address, call.case.good[name]
        assert aclrtMemcpy(address, values.nbytes, values, values.nbytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS


def test_an_operator_sees_the_results_of_the_one_before_it_in_the_stream(machine: Machine) -> None:
    """The output of one softmax gradient is the input of the next, with one synchronise at the end."""
    g, y = np.array([[1, 2, 3]], np.float32), np.array([[0.5, 0.25, 1]], np.float32)
    once = y * (g - np.sum(g * y))
    tensors = [on_device(g), on_device(y), on_device(np.zeros_like(g)), on_device(np.zeros_like(g))]
    for source, target in ((0, 2), (2, 3)):
        planned = plan(SOFTMAX.first, tensors[source], tensors[1], 1, tensors[target])
        assert SOFTMAX.second(None, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
    synchronise()
    np.testing.assert_array_equal(tensors[3].read(), y * (once - np.sum(once * y)))


# the executor


@every_case
def test_null_executor_is_161001(machine: Machine, case: Case) -> None:
    assert case.second(None, 0, None, None) == NULLPTR
    text = error_text()
    assert "executor" in text
    if case is CROSS_ENTROPY:  # "161001 (EZ1011 text naming the second-phase call and `executor`)"
        assert "EZ1011" in text
        assert case.name in text
    else:
        assert "executor is nullptr." in text


@every_case
def test_null_executor_tells_which_first_phase_failed(machine: Machine, case: Case) -> None:
    """Finding exec-failed-phase1: "phase 1 at … returned 161001"."""
    executor = case.plan({case.tensors[0]: None}).executor
    assert case.second(None, 0, executor, None) == NULLPTR
    text = error_text()
    assert f"{case.name}GetWorkspaceSize" in text
    assert "161001" in text
    assert re.search(r"\w+\.py:\d+", text)


def test_garbage_executor_after_a_failed_first_phase(machine: Machine) -> None:
    """The documents' samples leave `executor` uninitialised: "its value is garbage after a failed phase 1"."""
    SOFTMAX.plan({"out": None})
    with found("exec-failed-phase1", "161001"):
        SOFTMAX.second(None, 0, aclOpExecutor(0x1234), None)


@every_case
def test_consumed_executor(machine: Machine, case: Case) -> None:
    """ "After a normal phase 2 the handle is already gone"; the text knows the launch that used it up."""
    call = ready(case)
    assert_works(call)
    with found("exec-reused", case.name, "aclSetAclOpExecutorRepeatable", "used up by its launch at", ".py:"):
        call.launch()
    with found("exec-destroy-after-run"):
        aclDestroyAclOpExecutor(call.executor)


@every_case
def test_executor_of_another_operator(machine: Machine, case: Case) -> None:
    for other in CASES:
        if other is not case:
            call = ready(other)
            with found("exec-wrong-op", case.name, other.name):
                case.second(call.workspace, call.size, call.executor, None)
            assert_works(call)


@every_case
def test_destroyed_executor(machine: Machine, case: Case) -> None:
    call = ready(case)
    assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    with found("exec-reused"):
        call.launch()


@every_case
def test_executor_that_is_no_executor(machine: Machine, case: Case) -> None:
    call = ready(case)
    tensor = next(iter(call.tensors.values()))
    with found("dead-handle", "tensor"):
        case.second(call.workspace, call.size, aclOpExecutor(tensor.handle.value), None)


# the workspace


@every_composite
def test_null_workspace_destroys_a_composite_executor(roomy: Machine, case: Case) -> None:
    """ "workspaceSize > 0 and workspace null: 161001 (the executor is destroyed)"."""
    call = ready(case)
    assert case.second(None, call.size, call.executor, None) == NULLPTR
    assert "workspace is nullptr" in error_text()
    assert_consumed(call)


@every_composite
def test_null_workspace_is_161001_even_if_none_is_needed(machine: Machine, case: Case) -> None:
    call = ready(case)
    assert case.second(None, 1, call.executor, None) == NULLPTR
    assert_consumed(call)


def test_null_workspace_keeps_a_generated_executor(machine: Machine) -> None:
    """ "161001 (EZ1011, workspace); executor kept"."""
    call = ready(CROSS_ENTROPY)
    assert CROSS_ENTROPY.second(None, call.size, call.executor, None) == NULLPTR
    text = error_text()
    assert "EZ1011" in text
    assert "workspace" in text
    assert_works(call)


def test_small_workspace_is_161002_for_a_generated_operator(machine: Machine) -> None:
    """ "size < required -> 161002 (EZ1010 text); executor kept"; also size 0 "(any pointer)"."""
    call = ready(CROSS_ENTROPY)
    for workspace, size in ((call.workspace, call.size - 1), (call.workspace, 0), (None, 0)):
        assert CROSS_ENTROPY.second(workspace, size, call.executor, None) == INVALID
        text = error_text()
        assert "EZ1010" in text
        assert str(call.size) in text
    assert_works(call)


@every_composite
@pytest.mark.parametrize("size", [0, 1, ROOM - 1])
def test_small_workspace_is_undefined_for_a_composite(roomy: Machine, case: Case, size: int) -> None:
    """ "Smaller than required: no error; out-of-bounds use of workspace (UB)". The finding has no effect."""
    call = ready(case)
    assert call.size >= ROOM
    with found("ws-small", case.name, str(size), str(call.size)):
        case.second(call.workspace, size, call.executor, None)
    assert_works(call)


@every_case
def test_allocation_smaller_than_the_size_that_is_passed(roomy: Machine, case: Case) -> None:
    call = ready(case)
    small = malloc(call.size - 1)
    with found("ws-small", str(call.size), str(call.size - 1)):
        case.second(small, call.size, call.executor, None)
    assert_works(call)


@every_case
def test_workspace_on_the_host(roomy: Machine, case: Case) -> None:
    call = ready(case)
    memory = np.zeros(call.size, np.uint8)
    with found("ws-host-ptr", "workspace", case.name):
        case.second(memory, call.size, call.executor, None)
    assert_works(call)


@every_case
def test_freed_workspace(roomy: Machine, case: Case) -> None:
    call = ready(case)
    assert aclrtFree(call.workspace) == ACL_SUCCESS
    with found("data-freed-under-tensor", "workspace", case.name, "freed at"):
        call.launch()


@every_case
def test_workspace_of_another_device(case: Case) -> None:
    with board(min_workspace=ROOM, device_count=2):
        call = ready(case)
        assert aclrtSetDevice(1) == ACL_SUCCESS
        foreign = malloc(call.size)
        assert aclrtSetDevice(0) == ACL_SUCCESS
        with found("ws-foreign", "device 1", "device 0"):
            case.second(foreign, call.size, call.executor, None)
        assert_works(call)


@every_case
@pytest.mark.parametrize("shift", [0, 1024])
def test_one_workspace_in_two_streams(roomy: Machine, case: Case, shift: int) -> None:
    """Finding ws-shared: overlap of two operators in flight on different streams."""
    first, second = ready(case), ready(case)
    shared = malloc(2 * first.size)
    streams = create_stream(), create_stream()
    assert case.second(shared, first.size, first.executor, streams[0]) == ACL_SUCCESS
    with found("ws-shared", case.name):
        case.second(shared + shift, second.size, second.executor, streams[1])
    synchronise(streams[0])  # the good twin: one after the other
    assert case.second(shared + shift, second.size, second.executor, streams[1]) == ACL_SUCCESS
    synchronise(streams[1])
    assert_results(second.results(), case)


@every_case
def test_one_workspace_in_one_stream_is_fine(roomy: Machine, case: Case) -> None:
    """Work of one stream runs one after the other; a part of the memory for each stream is fine too."""
    first, second, third = ready(case), ready(case), ready(case)
    shared = malloc(2 * first.size)
    for call, where, stream in ((first, 0, None), (second, 0, None), (third, first.size, create_stream())):
        assert case.second(shared + where, call.size, call.executor, stream) == ACL_SUCCESS
        third_stream = stream
    synchronise()
    synchronise(third_stream)
    for call in (first, second, third):
        assert_results(call.results(), case)
    assert roomy.findings == []


# streams and contexts


def in_another_thread(work: Callable[[], Any]) -> Any:
    """A new thread inherits no context."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result()


@every_case
def test_without_a_context_the_launch_is_361001_and_consumes(machine: Machine, case: Case) -> None:
    """ "Phase 2 with no context, a dead stream or one of another context: 361001, executor consumed; text and last
    error carry 107002, 107017, 107003"."""
    call = ready(case)
    status, text, last = in_another_thread(lambda: (call.launch(), error_text(), machine.thread().last_error))
    assert status == RUNTIME
    assert "107002" in text
    assert last == 107002
    assert_consumed(call)


@every_case
def test_dead_stream_is_361001_and_consumes(machine: Machine, case: Case) -> None:
    call, stream = ready(case), create_stream()
    assert aclrtDestroyStream(stream) == ACL_SUCCESS
    assert call.launch(stream) == RUNTIME
    text = error_text()
    assert "107017" in text
    assert "destroyed" in text
    assert machine.thread().last_error == 107017
    assert_consumed(call)


@every_case
def test_stream_of_another_context_is_361001_and_consumes(machine: Machine, case: Case) -> None:
    call, stream, other = ready(case), create_stream(), aclrtContext()
    assert aclrtCreateContext(byref(other), 0) == ACL_SUCCESS
    assert aclrtSetCurrentContext(other) == ACL_SUCCESS
    assert call.launch(stream) == RUNTIME
    assert "107003" in error_text()
    assert machine.thread().last_error == 107003
    assert_consumed(call)


@every_case
def test_phases_may_run_on_different_threads(machine: Machine, case: Case) -> None:
    """ "Phase 1 and phase 2 may run on different threads (torch_npu does so with its task queue)"."""
    call, stream = ready(case), create_stream()

    def work() -> int:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        return call.launch(stream)

    assert in_another_thread(work) == ACL_SUCCESS
    synchronise(stream)
    assert_results(call.results(), case)
    assert machine.findings == []


@pytest.mark.parametrize(
    ("case", "soc"), [(SOFTMAX, A200I), (PRELU, INFERENCE), (PRELU, A200I)], ids=lambda value: str(value)
)
def test_missing_kernel_shows_at_the_launch(case: Case, soc: str) -> None:
    """SoftmaxBackward and PreluBackward: "phase 1 still returns 0, and phase 2 returns 561000"."""
    with board(soc):
        call = ready(case)
        assert call.launch() == ACLNN_ERR_INNER
        text = error_text()
        assert soc in text
        assert all(series.value in text for series in case.op.series)
        assert_consumed(call)


def test_missing_kernel_does_not_matter_for_an_empty_call(machine: Machine) -> None:
    """An executor with no step launches none."""
    with board(A200I):
        call = ready(SOFTMAX, {"gradOutput": np.zeros((0, 2), np.float32)})
        assert call.launch() == ACL_SUCCESS


# tensors and their memory


@pytest.mark.parametrize(
    ("case", "name"),
    [each for each in TENSORS if each.values[0] in COMPOSITES and tuple(each.values) != UNREAD],
)
def test_tensor_destroyed_between_the_phases(machine: Machine, case: Case, name: str) -> None:
    """Composite: "until phase 2 returns (executor keeps raw pointers; destroying earlier = use-after-free)"."""
    call = ready(case)
    assert aclDestroyTensor(call.tensors[name].handle) == ACL_SUCCESS
    with found("tensor-destroyed-early", role(case, name), "created at", "destroyed at"):
        call.launch()


def test_generated_operator_needs_its_tensors_no_more(machine: Machine) -> None:
    """Generated: "addresses captured in phase 1; may go after phase 1"."""
    call = ready(CROSS_ENTROPY)
    for tensor in call.tensors.values():
        assert aclDestroyTensor(tensor.handle) == ACL_SUCCESS
    assert_works(call)
    assert machine.findings == []


@every_read_or_written
def test_host_pointer_as_data(machine: Machine, case: Case, name: str) -> None:
    """Phase 1 looks at no address; phase 2 does."""
    values = case.good[name].copy()
    arguments = placed(case)
    shape = list(values.shape)
    arguments[name] = aclCreateTensor(shape, len(shape), acl_type(values.dtype), None, 0, ACL_FORMAT_ND,
                                      shape, len(shape), values)  # fmt: skip
    planned = plan(case.first, *arguments.values())
    assert planned.status == ACL_SUCCESS
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    with found("ws-host-ptr", role(case, name), case.name):
        case.second(workspace, planned.workspace_size, planned.executor, None)


@every_read_or_written
def test_freed_data(machine: Machine, case: Case, name: str) -> None:
    call = ready(case)
    assert aclrtFree(call.tensors[name].address) == ACL_SUCCESS
    with found("data-freed-under-tensor", role(case, name), case.name, "freed at"):
        call.launch()


@every_read_or_written
def test_data_freed_under_queued_work(machine: Machine, case: Case, name: str) -> None:
    """Finding io-freed-early; the free that is found has no effect, and after a synchronise it is fine."""
    call = ready(case)
    assert call.launch() == ACL_SUCCESS
    with found("io-freed-early", role(case, name), case.name):
        aclrtFree(call.tensors[name].address)
    synchronise()
    assert_results(call.results(), case)
    assert aclrtFree(call.tensors[name].address) == ACL_SUCCESS


@every_case
def test_workspace_freed_under_queued_work(roomy: Machine, case: Case) -> None:
    call = ready(case)
    assert call.launch() == ACL_SUCCESS
    with found("ws-freed-early", case.name, "aclrtSynchronizeStream"):
        aclrtFree(call.workspace)
    synchronise()
    assert_results(call.results(), case)
    assert aclrtFree(call.workspace) == ACL_SUCCESS


def with_storage(tensor: OnDevice, storage: int, *, offset: int = 0) -> aclTensor:
    """The same tensor with another storage shape or offset."""
    shape = list(tensor.shape)
    return aclCreateTensor(shape, len(shape), acl_type(tensor.storage.dtype), list(tensor.strides), offset,
                           ACL_FORMAT_ND, [storage], 1, tensor.address)  # fmt: skip


@every_read_or_written
def test_view_beyond_its_storage(machine: Machine, case: Case, name: str) -> None:
    """ "Storage-bounds are checked only on the non-contiguous path; a contiguous view that overruns its declared
    storage is accepted" by phase 1; the finding view-exceeds-storage comes with the launch."""
    for storage, offset in ((-1, 0), (0, 1), (0, -1)):
        arguments = placed(case)
        tensor = arguments[name]
        arguments[name] = with_storage(tensor, tensor.storage.size + storage, offset=offset)
        planned = plan(case.first, *arguments.values())
        assert planned.status == ACL_SUCCESS, planned.text
        workspace = malloc(planned.workspace_size) if planned.workspace_size else None
        with found("view-exceeds-storage", role(case, name), case.name):
            case.second(workspace, planned.workspace_size, planned.executor, None)


@every_read_or_written
def test_storage_beyond_its_allocation(machine: Machine, case: Case, name: str) -> None:
    """Finding storage-exceeds-alloc: storageDims * size > allocation."""
    arguments = placed(case)
    tensor = arguments[name]
    arguments[name] = with_storage(tensor, tensor.storage.size + 1)
    planned = plan(case.first, *arguments.values())
    assert planned.status == ACL_SUCCESS
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    with found("storage-exceeds-alloc", role(case, name), case.name, "allocated at"):
        case.second(workspace, planned.workspace_size, planned.executor, None)


@pytest.mark.parametrize(("dtype", "read"), [(np.float32, False), (np.float16, True)], ids=["FLOAT", "FLOAT16"])
def test_a_tensor_that_no_step_reads_is_not_looked_at(machine: Machine, dtype: type, read: bool) -> None:
    """weight of aclnnBatchNormReduceBackward: "w is never read again, but its cast is queued"."""
    call = ready(BATCH_NORM, {"weight": np.ones(2, dtype)})
    assert aclrtFree(call.tensors["weight"].address) == ACL_SUCCESS
    if read:
        with found("data-freed-under-tensor", "input weight"):
            call.launch()
    else:
        assert_works(call)


# repeatable executors


@every_case
def test_repeatable_executor_runs_with_the_addresses_of_each_launch(machine: Machine, case: Case) -> None:
    """ "It may be launched any number of times, each time using the tensors' current addresses (this is what the
    setters are for); workspace pointer may differ per launch"."""
    call = ready(case)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    names = [param.name for param in case.op.tensors]
    for factor in (1, 2, 4):
        scaled = {name: moved(call, name, factor) for name in case.tensors}
        for name, tensor in scaled.items():
            index = names.index(name)
            handle = call.tensors[name].handle
            assert aclSetTensorAddr(call.executor, index, handle, tensor.address) == ACL_SUCCESS
        call.workspace = malloc(call.size) if call.size else None
        assert call.launch() == ACL_SUCCESS, error_text()
        synchronise()
        assert_results({name: scaled[name].read() / factor for name in case.results}, case)
    assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    assert machine.findings == []


LINEAR = {"gradOutput", "grad", "gradOut", "gradLoss"}
"""inputs in which the results are linear"""


def moved(call: Ready, name: str, factor: int) -> OnDevice:
    """New memory for a tensor; the linear input is multiplied."""
    values = call.case.good[name]
    return on_device(values * values.dtype.type(factor) if name in LINEAR else values)


@every_case
def test_setters_count_inputs_and_outputs(machine: Machine, case: Case) -> None:
    """aclSetInputTensorAddr counts the inputs, aclSetOutputTensorAddr the outputs."""
    call = ready(case)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    inputs = [param.name for param in case.op.tensors if not is_output(case, param.name)]
    outputs = [param.name for param in case.op.tensors if is_output(case, param.name)]
    fresh = {name: moved(call, name, 2) for name in case.tensors}
    for setter, names in ((aclSetInputTensorAddr, inputs), (aclSetOutputTensorAddr, outputs)):
        for name in set(names) & set(fresh):
            handle = call.tensors[name].handle
            assert setter(call.executor, names.index(name), handle, fresh[name].address) == ACL_SUCCESS
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert_results({name: fresh[name].read() / 2 for name in case.results}, case)


def test_generated_setters_look_at_the_index(machine: Machine) -> None:
    """Generated: "index >= count -> 161002 (EZ1012 text); the slot was empty in phase 1 -> 161002 (EZ1009 text)"."""
    call = ready(CROSS_ENTROPY)
    tensor = call.tensors["logProb"]
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    for setter, index, code in (
        (aclSetInputTensorAddr, 6, "EZ1012"), (aclSetOutputTensorAddr, 1, "EZ1012"), (aclSetTensorAddr, 7, "EZ1012"),
        (aclSetInputTensorAddr, 4, "EZ1009"), (aclSetTensorAddr, 5, "EZ1009"),
    ):  # fmt: skip
        assert setter(call.executor, index, tensor.handle, tensor.address) == INVALID
        assert code in error_text()
    assert_works(call)


def test_generated_operator_keeps_the_address_of_the_first_phase(machine: Machine) -> None:
    """A tensor that gets another address afterwards does not matter to it, but to a composite."""
    for case, moves in ((CROSS_ENTROPY, False), (SOFTMAX, True)):
        call = ready(case)
        out = call.tensors["out"]
        other = on_device(np.zeros_like(out.storage))
        assert aclSetRawTensorAddr(out.handle, other.address) == ACL_SUCCESS
        assert call.launch() == ACL_SUCCESS
        synchronise()
        written, left = (other, out) if moves else (out, other)
        assert_results({"out": written.read().reshape(out.shape)}, case)
        assert not left.read_storage().any()


@every_composite
def test_tensor_destroyed_under_a_repeatable_executor(machine: Machine, case: Case) -> None:
    call = ready(case)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    assert_works(call)
    assert aclDestroyTensor(next(iter(call.tensors.values())).handle) == ACL_SUCCESS
    with found("tensor-destroyed-early"):
        call.launch()


@every_composite
def test_a_repeatable_executor_survives_a_launch_that_fails(machine: Machine, case: Case) -> None:
    """ "The executor is consumed (unless it was made repeatable)"."""
    call, stream = ready(case), create_stream()
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    assert aclrtDestroyStream(stream) == ACL_SUCCESS
    assert call.launch(stream) == RUNTIME
    assert_works(call)


# a machine that only reports


@pytest.fixture
def lenient() -> Iterator[Machine]:
    with board(on_undefined="report", min_workspace=ROOM) as machine:
        yield machine


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings]


@every_case
def test_crash_rows_do_nothing_and_are_361001(lenient: Machine, case: Case) -> None:
    """ "CRASH rows do nothing and return 361001 (aclnn)"."""
    call = ready(case)
    assert_works(call)
    assert call.launch() == RUNTIME
    assert ids(lenient) == ["exec-reused"]
    host = ready(case)
    assert case.second(np.zeros(host.size, np.uint8), host.size, host.executor, None) == RUNTIME
    assert ids(lenient) == ["exec-reused", "ws-host-ptr"]


@every_composite
def test_small_workspace_is_silent_on_a_device(lenient: Machine, case: Case) -> None:
    """ "SILENT rows return 0 and do the memory-safe version of what a device does"."""
    call = ready(case)
    assert case.second(call.workspace, ROOM // 2, call.executor, None) == ACL_SUCCESS
    synchronise()
    assert ids(lenient) == ["ws-small"]


@every_read_or_written
def test_freed_data_is_silent_on_a_device(lenient: Machine, case: Case, name: str) -> None:
    """Reads find the fill, writes are dropped, and nothing is reported twice."""
    call = ready(case)
    assert call.launch() == ACL_SUCCESS
    assert aclrtFree(call.tensors[name].address) == ACL_SUCCESS
    aclrtSynchronizeStream(None)  # a freed index tensor reads as -1, which is the device's fault at this call
    assert ids(lenient)[0] == "io-freed-early"
    assert [id for id in ids(lenient)[1:] if id != "index-range"] == []


@pytest.mark.parametrize(("freed", "left"), [("gradInput", "gradWeight"), ("gradWeight", "gradInput")])
def test_the_other_output_is_still_written(lenient: Machine, freed: str, left: str) -> None:
    call = ready(PRELU)
    assert call.launch() == ACL_SUCCESS
    assert aclrtFree(call.tensors[freed].address) == ACL_SUCCESS
    synchronise()
    np.testing.assert_array_equal(call.tensors[left].read(), PRELU.results[left])


def test_freed_gradient_reads_as_the_fill(lenient: Machine) -> None:
    """0xFF is NaN in every float type."""
    call = ready(SOFTMAX)
    assert call.launch() == ACL_SUCCESS
    assert aclrtFree(call.tensors["gradOutput"].address) == ACL_SUCCESS
    synchronise()
    assert np.isnan(call.tensors["out"].read()).all()
    assert ids(lenient) == ["io-freed-early"]


def test_default_board_is_an_a2(machine: Machine) -> None:
    """The tests above say A2 where they leave the chip open."""
    assert machine.soc.name == A2
