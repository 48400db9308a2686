"""Workspace, stream and context of the second phase of every operator ("4.2 Phase 2")."""

from __future__ import annotations

from ctypes import byref

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import A200I, INFERENCE, Case, board
from tests.aclnn.ops.cases import CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX, every_case, every_composite
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.host_threads import in_thread
from tests.helpers.operator_launches import (
    ROOM,
    assert_consumed,
    assert_results,
    assert_works,
    create_stream,
    error_text,
    found,
    placed,
    planned,
    ready,
    synchronise,
)

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID
RUNTIME = ACLNN_ERR_RUNTIME_ERROR

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
    """ "Smaller than required: no error; out-of-bounds use of workspace (UB)". The call that raises has no effect."""
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
def test_a_workspace_on_the_host_is_found(roomy: Machine, case: Case) -> None:
    call = ready(case)
    memory = np.zeros(call.size, np.uint8)
    with found("ws-host-ptr", "workspace", case.name):
        case.second(memory, call.size, call.executor, None)
    assert_works(call)


@pytest.mark.parametrize(("case", "name"), [(CROSS_ENTROPY, "target"), (EMBEDDING, "indices")], ids=str)
def test_a_consequence_of_a_bad_workspace_is_not_reported(case: Case, name: str) -> None:
    """Indices with strides are copied to the workspace. Bad indices there are a consequence of the bad workspace."""
    good = np.atleast_1d(case.good[name])
    twice = np.stack([good.ravel(), np.full(good.size, 99, good.dtype)], 1)
    for how, id in (
        ("right", None),
        ("freed", "ws-freed-early"),
        ("freed behind", "ws-freed-early"),
        ("small", "ws-small"),
    ):
        with board(on_undefined="report") as machine:
            arguments, strides = placed(case), [2 * each // good.itemsize for each in good.strides]
            shape, storage = list(good.shape), [twice.size]
            arguments[name] = aclCreateTensor(
                shape, good.ndim, ACL_INT64, strides, 0, ACL_FORMAT_ND, storage, 1, on_device(twice).address
            )
            call = planned(case, arguments)
            workspace = malloc(32) if how == "small" else call.workspace
            if how == "freed":
                assert aclrtFree(workspace) == ACL_SUCCESS
            assert case.second(workspace, call.size, call.executor, None) == ACL_SUCCESS
            if how == "freed behind":
                assert aclrtFree(workspace) == ACL_SUCCESS
            aclrtSynchronizeStream(None)
            assert [finding.id for finding in machine.findings.worth_telling] == ([id] if id else []), how


@every_case
def test_a_freed_workspace_is_found(roomy: Machine, case: Case) -> None:
    call = ready(case)
    assert aclrtFree(call.workspace) == ACL_SUCCESS
    with found("ws-freed-early", "workspace", case.name, "freed at"):
        call.launch()


@every_case
def test_a_workspace_of_another_device_is_found(case: Case) -> None:
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
    with found("ws-shared", case.name, "Give each stream its own workspace"):
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


@pytest.mark.fidelity("second phase without a context, with a dead stream, with a stream of another context")
@every_case
def test_without_a_context_the_launch_is_361001_and_consumes(machine: Machine, case: Case) -> None:
    """ "Phase 2 with no context, a dead stream or one of another context: 361001, executor consumed; text and last
    error carry 107002, 107017, 107003"."""
    call = ready(case)
    status, text, last = in_thread(lambda: (call.launch(), error_text(), machine.thread().last_error))
    assert status == RUNTIME
    assert "107002" in text
    assert last == 107002
    assert_consumed(call)


@pytest.mark.fidelity("second phase without a context, with a dead stream, with a stream of another context")
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


@pytest.mark.fidelity("second phase without a context, with a dead stream, with a stream of another context")
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

    assert in_thread(work) == ACL_SUCCESS
    synchronise(stream)
    assert_results(call.results(), case)
    assert machine.findings == []


@pytest.mark.fidelity("aclnnPreluBackward, products", "products without the operator")
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


def test_the_least_workspace_is_asked_for_only_by_calls_with_work() -> None:
    """`min_workspace` is for calls that launch something. An empty call needs no workspace."""
    with Machine(min_workspace=512):
        aclrtSetDevice(0)
        for rows, size in ((2, 512), (0, 0)):
            tensors = [on_device(np.ones((rows, 3), np.float32)) for _ in range(3)]
            assert plan(aclnnSoftmaxBackwardGetWorkspaceSize, *tensors[:2], 1, tensors[2]).workspace_size == size


@pytest.mark.parametrize("size", [1, 511])
def test_a_null_workspace_without_room_for_the_copies_is_161002(machine: Machine, size: int) -> None:
    """A generated operator copies a strided input before its kernel. The room for these copies is checked first, then
    the pointer."""
    log = on_device(np.zeros((3, 2), np.float32), strides=(1, 3))
    grad, target, out = on_device(np.float32(1)), on_device(np.zeros(3, np.int64)), on_device(np.zeros((3, 2), "f4"))
    arguments = (grad, log, target, None, None, None, "mean", -100, 0.0, 0.0, out)
    planned = plan(aclnnCrossEntropyLossGradGetWorkspaceSize, *arguments)
    assert aclnnCrossEntropyLossGrad(None, size, planned.executor, None) == INVALID
    assert aclnnCrossEntropyLossGrad(None, planned.workspace_size, planned.executor, None) == NULLPTR


def test_an_aborted_stream_takes_no_launch(machine: Machine) -> None:
    stream, tensors = create_stream(), [on_device(np.ones((2, 3), np.float32)) for _ in range(3)]
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, *tensors[:2], 1, tensors[2])
    assert aclrtStreamAbort(stream) == ACL_SUCCESS
    assert aclnnSoftmaxBackward(None, 0, planned.executor, stream) == RUNTIME
