"""Executors: repeatable ones, new addresses, destruction, use after a launch (public)."""

from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p
from functools import partial
from typing import Any

import numpy as np
import pytest

import acl_runtime
from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.conftest import check_documented
from tests.helpers.builders import malloc, meta, on_device, plan
from tests.helpers.outcomes import assert_status, finding_of
from tests.helpers.planned_operators import SOFTMAX_RESULT, cross_entropy, softmax

pytestmark = pytest.mark.finds("repeat-late")

SETTERS = ["aclSetInputTensorAddr", "aclSetOutputTensorAddr", "aclSetTensorAddr"]
DYNAMIC = ["aclSetDynamicInputTensorAddr", "aclSetDynamicOutputTensorAddr", "aclSetDynamicTensorAddr"]
Setter = Callable[..., int]
EVERY = [*SETTERS, *(name.replace("acl", "Acl", 1) for name in SETTERS)]
EVERY_DYNAMIC = [*DYNAMIC, *(name.replace("acl", "Acl", 1) for name in DYNAMIC)]
both_spellings = pytest.mark.parametrize("name", EVERY)
both_dynamic_spellings = pytest.mark.parametrize("name", EVERY_DYNAMIC)


def address_of(tensor: aclTensor) -> int:
    address = c_void_p()
    assert aclGetRawTensorAddr(tensor, byref(address)) == ACLNN_SUCCESS
    return address.value or 0


def launch(executor: aclOpExecutor) -> int:
    status = aclnnSoftmaxBackward(None, 0, executor, None)
    assert aclrtSynchronizeStream(None) == ACLNN_SUCCESS
    return status


@pytest.mark.parametrize("call", [aclSetAclOpExecutorRepeatable, aclDestroyAclOpExecutor], ids=lambda f: f.__name__)
def test_a_null_executor_is_561103(machine: Machine, call: Callable[[Any], int]) -> None:
    """NULL -> 561103 (public)."""
    for null in (None, aclOpExecutor(), c_void_p()):
        assert_status(call(null), ACLNN_ERR_INNER_NULLPTR, "EZ9999", "executor")


def test_destroying_another_object_as_executor_is_561000(machine: Machine) -> None:
    """An unrecognised object -> 561000 (public)."""
    assert_status(aclDestroyAclOpExecutor(c_void_p(meta([1]).value)), ACLNN_ERR_INNER, "EZ9999", "tensor 1")


def test_destroying_an_executor_that_was_never_launched(machine: Machine) -> None:
    """Valid for any executor whose phase 2 was never run, of both families (public)."""
    assert aclDestroyAclOpExecutor(softmax()[3].executor) == ACLNN_SUCCESS
    assert aclDestroyAclOpExecutor(cross_entropy().executor) == ACLNN_SUCCESS
    assert not machine.findings.worth_telling


def test_a_launched_executor_is_gone(machine: Machine) -> None:
    """A normal phase 2 ends the executor: any later use is undefined (public)."""
    executor = softmax()[3].executor
    assert launch(executor) == ACLNN_SUCCESS
    uses: list[tuple[Callable[[Any], int], str, str]] = [
        (launch, "exec-reused", "aclSetAclOpExecutorRepeatable"),
        (aclSetAclOpExecutorRepeatable, "exec-reused", "aclSetAclOpExecutorRepeatable"),
        (aclDestroyAclOpExecutor, "exec-destroy-after-run", "launch"),
    ]
    for use, expected, hint in uses:
        id, message = finding_of(partial(use, executor))
        assert id == expected
        for word in ("executor 1", "builders.py:", "test_executor_functions.py:", hint):
            assert word in message


def test_a_repeatable_executor_is_launched_many_times_and_destroyed_once(machine: Machine) -> None:
    """Launched any number of times with the tensors' current addresses, then destroyed once (public)."""
    grad, _, out, planned = softmax()
    assert aclSetAclOpExecutorRepeatable(planned.executor) == ACLNN_SUCCESS
    assert launch(planned.executor) == launch(planned.executor) == ACLNN_SUCCESS
    assert np.unique(out.read()).tolist() == [SOFTMAX_RESULT]
    doubled, elsewhere = on_device(np.full(8, 6, np.float32)), on_device(np.zeros(8, np.float32))
    assert aclSetInputTensorAddr(planned.executor, 0, grad.handle, doubled.address) == ACLNN_SUCCESS
    assert aclSetOutputTensorAddr(planned.executor, 0, out.handle, elsewhere.address) == ACLNN_SUCCESS
    assert launch(planned.executor) == ACLNN_SUCCESS
    assert np.unique(elsewhere.read()).tolist() == [2 * SOFTMAX_RESULT]
    assert np.unique(out.read()).tolist() == [SOFTMAX_RESULT]
    assert aclDestroyAclOpExecutor(planned.executor) == ACLNN_SUCCESS
    assert finding_of(lambda: aclDestroyAclOpExecutor(planned.executor))[0] == "exec-destroy-after-run"


def test_repeatable_for_an_empty_plan(machine: Machine) -> None:
    """A plan without steps is repeatable too, and so is a generated executor (public)."""
    empty = meta([0])
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, empty, empty, 0, empty)
    for executor in (planned.executor, cross_entropy().executor):
        assert aclSetAclOpExecutorRepeatable(executor) == ACLNN_SUCCESS
        assert aclDestroyAclOpExecutor(executor) == ACLNN_SUCCESS


@both_spellings
def test_setters_refuse_null_tensors_then_null_executors(machine: Machine, name: str) -> None:
    """Tensor NULL -> 561103; the tensor takes the address; then executor NULL -> 561103 (public)."""
    setter: Setter = getattr(acl_runtime, name)
    tensor, address = meta([8]), malloc(32)
    assert_status(setter(None, 0, None, address), ACLNN_ERR_INNER_NULLPTR, name, "tensor")
    assert_status(setter(None, 0, tensor, address), ACLNN_ERR_INNER_NULLPTR, name, "executor")
    assert address_of(tensor) == address, "the overwrite stays"


@both_spellings
def test_setter_of_a_composite_executor(machine: Machine, name: str) -> None:
    """The index is not looked at: the tensor carries the address (public)."""
    grad, _, out, planned = softmax()
    doubled = on_device(np.full(8, 6, np.float32))
    assert getattr(acl_runtime, name)(planned.executor, 99, grad.handle, doubled.address) == ACLNN_SUCCESS
    assert launch(planned.executor) == ACLNN_SUCCESS
    assert np.unique(out.read()).tolist() == [2 * SOFTMAX_RESULT]


# CrossEntropyLossGrad: inputs 0 to 5, of which 3 to 5 were null; output 0, also called 6
GENERATED: dict[str, tuple[Setter, int, int, tuple[str, ...]]] = {
    "input 0": (aclSetInputTensorAddr, 0, ACLNN_SUCCESS, ()),
    "input 2": (aclSetInputTensorAddr, 2, ACLNN_SUCCESS, ()),
    "input 3 was null -> 161002": (aclSetInputTensorAddr, 3, ACLNN_ERR_PARAM_INVALID, ("(EZ1009)", "0, 1, 2")),
    "input 6 -> 161002": (aclSetInputTensorAddr, 6, ACLNN_ERR_PARAM_INVALID, ("(EZ1012)", "index", "6")),
    "input -1 -> 161002": (aclSetInputTensorAddr, -1, ACLNN_ERR_PARAM_INVALID, ("(EZ1012)", "index")),
    "output 0": (aclSetOutputTensorAddr, 0, ACLNN_SUCCESS, ()),
    "output 1 -> 161002": (aclSetOutputTensorAddr, 1, ACLNN_ERR_PARAM_INVALID, ("(EZ1012)", "index", "1")),
    "argument 5 was null -> 161002": (aclSetTensorAddr, 5, ACLNN_ERR_PARAM_INVALID, ("(EZ1009)", "0, 1, 2, 6")),
    "argument 6 is the output": (aclSetTensorAddr, 6, ACLNN_SUCCESS, ()),
    "argument 7 -> 161002": (aclSetTensorAddr, 7, ACLNN_ERR_PARAM_INVALID, ("(EZ1012)", "index", "7")),
}


@pytest.mark.parametrize(("setter", "index", "status", "words"), GENERATED.values(), ids=GENERATED)
def test_setter_of_a_generated_executor(
    machine: Machine, setter: Setter, index: int, status: int, words: tuple[str, ...]
) -> None:
    """The index must exist, and have had a tensor in phase 1; inputs first, then outputs (public)."""
    assert_status(setter(cross_entropy().executor, index, meta([2, 3]), malloc(64)), status, *words)


@both_dynamic_spellings
def test_dynamic_setters_refuse_lists_then_indexes_then_executors(machine: Machine, name: str) -> None:
    """List NULL -> 561103, relativeIndex -> 161002, executor NULL -> 561103 after the overwrite (public)."""
    setter: Setter = getattr(acl_runtime, name)
    tensor, address, executor = meta([8]), malloc(32), softmax()[3].executor
    tensors = aclCreateTensorList([tensor, None], 2)
    assert_status(setter(None, 0, 9, None, address), ACLNN_ERR_INNER_NULLPTR, name, "tensors")
    assert_status(setter(None, 0, 2, tensors, address), ACLNN_ERR_PARAM_INVALID, "(EZ1012)", "relativeIndex", "2")
    assert_status(setter(None, 0, 0, tensors, address), ACLNN_ERR_INNER_NULLPTR, name, "executor")
    assert address_of(tensor) == address
    assert setter(executor, 99, 0, tensors, None) == ACLNN_SUCCESS
    assert address_of(tensor) == 0
    if "DynamicTensor" in name:
        assert finding_of(lambda: setter(executor, 0, 1, tensors, address))[0] == "dead-handle"
    else:
        assert_status(setter(executor, 0, 1, tensors, address), ACLNN_ERR_INNER_NULLPTR, "tensors[1]")


def test_setter_that_raises_has_no_effect(machine: Machine) -> None:
    """Using an executor that was launched is undefined: the call has no effect (ours)."""
    grad, _, _, planned = softmax()
    assert launch(planned.executor) == ACLNN_SUCCESS
    call = partial(aclSetInputTensorAddr, planned.executor, 0, grad.handle, malloc(32))
    assert finding_of(call)[0] == "exec-reused"
    assert address_of(grad.handle) == grad.address


def test_generated_executor_keeps_the_addresses_of_phase_1(machine: Machine) -> None:
    """Its tensors may be destroyed after phase 1; those of a composite executor may not (public)."""
    grad, *_, planned = softmax()
    aclDestroyTensor(grad.handle)
    id, message = finding_of(lambda: launch(planned.executor))
    assert id == "tensor-destroyed-early"
    assert "gradOutput" in message


def test_a_used_up_executor_does_nothing_in_report_mode() -> None:
    """The use of an executor that was launched would crash: nothing happens, 361001 (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        executor = softmax()[3].executor
        assert launch(executor) == ACLNN_SUCCESS
        for use in (launch, aclSetAclOpExecutorRepeatable, aclDestroyAclOpExecutor):
            assert_status(use(executor), ACLNN_ERR_RUNTIME_ERROR, "executor 1")
        found = [finding.id for finding in machine.findings if finding.level == "error"]
        assert found == ["exec-reused", "exec-reused", "exec-destroy-after-run"]
    check_documented(machine)


def test_out_pointers_stay_untouched_on_failure(machine: Machine) -> None:
    """A failed first phase leaves executor and workspaceSize as they were (public)."""
    size, executor = c_uint64(7), aclOpExecutor()
    tensor = meta([4])
    status = aclnnSoftmaxBackwardGetWorkspaceSize(tensor, tensor, 5, tensor, byref(size), byref(executor))
    assert (status, size.value, bool(executor)) == (ACLNN_ERR_PARAM_INVALID, 7, False)
