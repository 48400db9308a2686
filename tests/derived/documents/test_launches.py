"""Launches that the five documents describe for one operator: tensors that no step reads, empty calls, indices, copies.

`tests/derived` goes through the rules of a launch for every operator."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import A200I, Case, Changes, board
from tests.aclnn.ops.cases import BATCH_NORM, CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.operator_launches import (
    assert_works,
    create_stream,
    error_text,
    found,
    ids,
    placed,
    planned,
    ready,
    synchronise,
)

NULLPTR = ACLNN_ERR_PARAM_NULLPTR
INVALID = ACLNN_ERR_PARAM_INVALID
RUNTIME = ACLNN_ERR_RUNTIME_ERROR

# empty calls, and a chain

NO_ROWS = np.zeros((0, 3), np.float32)


EMPTY: dict[Case, Changes] = {
    SOFTMAX: dict.fromkeys(("gradOutput", "output"), NO_ROWS),
    PRELU: dict.fromkeys(("gradOutput", "self", "gradInput"), NO_ROWS),
    BATCH_NORM: dict.fromkeys(("gradOut", "input"), np.zeros((0, 2), np.float32)),
    CROSS_ENTROPY: {"logProb": NO_ROWS, "target": np.zeros(0, np.int64), "out": NO_ROWS},
    EMBEDDING: {"grad": NO_ROWS, "indices": np.zeros(0, np.int64)},
}


@pytest.mark.parametrize("case", EMPTY, ids=str)
def test_null_pointer_of_an_empty_workspace_is_normal(machine: Machine, case: Case) -> None:
    """ "Required 0, workspace NULL, size 0: normal"."""
    call = ready(case, EMPTY[case])
    assert (call.workspace, call.size) == (None, 0)
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert machine.findings == []


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


# tensors that no step reads, and memory that is wrong


def test_an_empty_tensor_destroyed_between_the_phases(machine: Machine) -> None:
    """The rule does not ask whether there is work."""
    nothing = np.zeros((0, 4), np.float32)
    call = ready(SOFTMAX, dict.fromkeys(SOFTMAX.tensors, nothing))
    assert aclDestroyTensor(call.tensors["output"].handle) == ACL_SUCCESS
    with found("tensor-destroyed-early", "input `output`"):
        call.launch()


def test_an_output_that_is_switched_off_may_be_dead(machine: Machine) -> None:
    """ "A disabled output is neither inspected nor written"."""
    call = ready(BATCH_NORM, {"biasG": False})
    assert aclDestroyTensor(call.tensors["gradBias"].handle) == ACL_SUCCESS
    assert call.launch() == ACL_SUCCESS
    assert machine.findings == []


@pytest.mark.parametrize(("dtype", "read"), [(np.float32, False), (np.float16, True)], ids=["FLOAT", "FLOAT16"])
def test_a_tensor_that_no_step_reads_is_not_looked_at(machine: Machine, dtype: type, read: bool) -> None:
    """weight of aclnnBatchNormReduceBackward: "w is never read again, but its cast is queued"."""
    call = ready(BATCH_NORM, {"weight": np.ones(2, dtype)})
    assert aclrtFree(call.tensors["weight"].address) == ACL_SUCCESS
    if read:
        with found("data-freed-under-tensor", "input `weight`"):
            call.launch()
    else:
        assert_works(call)


def test_an_index_out_of_range_in_memory_that_is_right(lenient: Machine) -> None:
    """The good twin of an operator that finds nothing is one whose memory is there."""
    call = ready(CROSS_ENTROPY, {"target": np.full_like(CROSS_ENTROPY.good["target"], 99)})
    assert call.launch() == ACL_SUCCESS
    aclrtSynchronizeStream(None)
    assert ids(lenient) == ["index-range"]


@pytest.mark.parametrize(
    ("offset", "room", "id"), [(1, 64, "view-exceeds-storage"), (0, 8, "storage-exceeds-alloc")]
)  # fmt: skip
def test_indices_that_lead_out_of_their_memory_are_told_once(lenient: Machine, offset: int, room: int, id: str) -> None:
    """Neither that nobody wrote what lies there, nor what it holds, is another mistake."""
    target = CROSS_ENTROPY.good["target"]
    call = placed(CROSS_ENTROPY)
    address = malloc(room)
    assert aclrtMemset(address, room, 0, min(room, target.nbytes)) == ACL_SUCCESS
    shape = list(target.shape)
    call["target"] = aclCreateTensor(shape, 1, ACL_INT64, None, offset, ACL_FORMAT_ND, shape, 1, address)
    assert planned(CROSS_ENTROPY, call).launch() == ACL_SUCCESS
    aclrtSynchronizeStream(None)
    assert ids(lenient) == [id]


def test_one_piece_of_memory_under_several_tensors(lenient: Machine) -> None:
    """One aclrtFree is one mistake, two are two; so is one tensor for two parameters."""
    shape = [2, 3]
    for starts, times in (((0, 512, 1024), 1), ((0, 512, None), 2), ((0, 0, 512), 1)):
        pool = malloc(2048)
        addresses = [malloc(2048) if start is None else pool + start for start in starts]
        tensors = [
            aclCreateTensor(shape, 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, shape, 2, address) for address in addresses
        ]
        if starts[0] == starts[1]:
            tensors[1] = tensors[0]
        answer = plan(SOFTMAX.first, tensors[0], tensors[1], 1, tensors[2])
        for address in {pool, addresses[2]} if times == 2 else {pool}:
            assert aclrtFree(address) == ACL_SUCCESS
        workspace = malloc(answer.workspace_size)
        assert SOFTMAX.second(workspace, answer.workspace_size, answer.executor, None) == ACL_SUCCESS
        assert ids(lenient) == ["data-freed-under-tensor"] * times
        synchronise()
        lenient.findings.clear()


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
