"""Repeatable executors of every operator ("3. Executor functions", "3.1 Repeatable executors")."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import Case, board
from tests.aclnn.ops.cases import CROSS_ENTROPY, SOFTMAX, every_case, every_composite, is_output
from tests.helpers.builders import OnDevice, malloc, on_device
from tests.helpers.operator_launches import (
    Ready,
    assert_results,
    assert_works,
    create_stream,
    error_text,
    found,
    ready,
    synchronise,
)

INVALID = ACLNN_ERR_PARAM_INVALID
RUNTIME = ACLNN_ERR_RUNTIME_ERROR

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
        assert_results({name: scaled[name].read() / gain(case, factor) for name in case.results}, case)
    assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    assert machine.findings == []


@every_case
@pytest.mark.parametrize("schedule", ["late", "random"])
def test_each_launch_keeps_the_addresses_it_was_made_with(case: Case, schedule: str) -> None:
    """ "Bind workspace offsets, re-read user tensor addresses, run nodes": a later setter does not reach it."""
    with board(schedule=schedule, seed=5):
        call = ready(case)
        assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
        names = [param.name for param in case.op.tensors]
        launches = {factor: {name: moved(call, name, factor) for name in case.tensors} for factor in (1, 2, 4)}
        for tensors in launches.values():
            for name, tensor in tensors.items():
                handle = call.tensors[name].handle
                assert aclSetTensorAddr(call.executor, names.index(name), handle, tensor.address) == ACL_SUCCESS
            assert call.launch() == ACL_SUCCESS, error_text()
        synchronise()
        for factor, tensors in launches.items():
            assert_results({name: tensors[name].read() / gain(case, factor) for name in case.results}, case)


LINEAR = {"gradOutput", "grad", "gradOut", "gradLoss"}
"""inputs in which the results are linear"""


def gain(case: Case, factor: int) -> int:
    """By how much the results grow when the linear input does."""
    return factor if LINEAR & set(case.tensors) else 1


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
    assert_results({name: fresh[name].read() / gain(case, 2) for name in case.results}, case)


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


@every_case
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
