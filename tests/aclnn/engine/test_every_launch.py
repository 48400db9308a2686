"""The rules of the second phase of every operator ("4.2 Phase 2", "4.3 What must stay alive, until when").

The two families differ where the tables have two columns: composite (hand-written) operators, and generated ones, of
which aclnnCrossEntropyLossGrad is the only one here."""

from __future__ import annotations

import re

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import Case, Changes, board
from tests.aclnn.ops.cases import BATCH_NORM, CASES, CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX, every_case, is_output
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.operator_launches import (
    Ready,
    assert_results,
    assert_works,
    create_stream,
    error_text,
    every_tensor,
    found,
    placed,
    ready,
    synchronise,
)

NULLPTR = ACLNN_ERR_PARAM_NULLPTR

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
@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
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
    machine.allow("xstream-race", reason="the host writes too early on purpose")
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


@pytest.mark.fidelity("an executor launched twice, or by another operator")
@every_case
def test_a_consumed_executor_names_its_launch(machine: Machine, case: Case) -> None:
    """ "After a normal phase 2 the handle is already gone"; the text knows the launch that used it up."""
    call = ready(case)
    assert_works(call)
    with found("exec-reused", case.name, "aclSetAclOpExecutorRepeatable", "consumed by its launch at", ".py:"):
        call.launch()
    with found("exec-destroy-after-run"):
        aclDestroyAclOpExecutor(call.executor)


@pytest.mark.fidelity("an executor launched twice, or by another operator")
@every_case
def test_an_executor_of_another_operator_is_found(machine: Machine, case: Case) -> None:
    for other in CASES:
        if other is not case:
            call = ready(other)
            with found("exec-wrong-op", case.name, other.name):
                case.second(call.workspace, call.size, call.executor, None)
            assert_works(call)


@every_case
def test_a_destroyed_executor_is_found(machine: Machine, case: Case) -> None:
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
