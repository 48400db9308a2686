"""Finding misaligned (ours): a tensor's data that does not start at a multiple of 32 bytes."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import aclnnInplaceRelu, aclnnInplaceReluGetWorkspaceSize
from tests.aclnn.ops.case import Case, Changes
from tests.aclnn.ops.cases import BATCH_NORM, CROSS_ENTROPY, SOFTMAX, every_case
from tests.helpers.builders import OnDevice, plan
from tests.helpers.memory.shared_allocations import buffer, laid
from tests.helpers.operator_launches import (
    assert_results,
    assert_works,
    every_read_or_written,
    found,
    ids,
    placed,
    planned,
    ready,
    role,
    synchronise,
)


def shifted(values: np.ndarray, by: int) -> OnDevice:
    """A tensor whose data starts `by` bytes behind a multiple of 32."""
    return laid(values, buffer(values.nbytes + 64) + by, 0, values.nbytes)


@every_read_or_written
@pytest.mark.parametrize("by", [8, 16])
def test_misaligned_data_is_recorded_by_the_second_phase(machine: Machine, case: Case, name: str, by: int) -> None:
    """A warning, never raised; the text tells the tensor's name in the call and how far it is from a multiple of 32."""
    call = planned(case, {**placed(case), name: shifted(case.good[name], by)})
    assert machine.findings == []
    assert_works(call)
    assert [(finding.id, finding.level) for finding in machine.findings] == [("misaligned", "warning")]
    for word in (role(case, name), case.name, f"{by} bytes behind a multiple of 32", "device 0 + 0x", "created at"):
        assert word in machine.findings[0].message


@every_read_or_written
def test_an_offset_may_be_anything(machine: Machine, case: Case, name: str) -> None:
    """The good twins: aligned data with any offset, and data at 32 bytes."""
    values = case.good[name]
    for tensor in (laid(values, buffer(4096), values.itemsize, 4096), shifted(values, 32)):
        assert_works(planned(case, {**placed(case), name: tensor}))
    assert machine.findings == []


@every_case
def test_a_repeatable_executor_is_told_once(machine: Machine, case: Case) -> None:
    """Not again for each launch, nor for another executor with the same tensor."""
    name = case.tensors[0]
    arguments = {**placed(case), name: shifted(case.good[name], 8)}
    call = planned(case, arguments)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    for each in (call, call, planned(case, arguments)):
        assert_works(each)
    assert ids(machine) == ["misaligned"]


def test_each_tensor_is_told(machine: Machine) -> None:
    arguments = {name: shifted(SOFTMAX.good[name], 4) for name in SOFTMAX.tensors}
    assert_works(planned(SOFTMAX, {**placed(SOFTMAX), **arguments}))
    assert ids(machine) == ["misaligned"] * 3


@pytest.mark.parametrize("case", [SOFTMAX, CROSS_ENTROPY], ids=str)
def test_a_rebound_address_is_checked_by_the_launch(machine: Machine, case: Case) -> None:
    """ "tensorData or rebound address"; reported by the launch that uses it, not by the setter."""
    call = ready(case)
    name = case.tensors[0]
    other = shifted(case.good[name], 4)
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    for setter in (aclSetTensorAddr, aclSetInputTensorAddr):
        assert setter(call.executor, 0, call.tensors[name].handle, other.address) == ACL_SUCCESS
    assert machine.findings == []
    assert_works(call)
    assert ids(machine) == ["misaligned"]
    assert role(case, name) in machine.findings[0].message


EMPTY: Changes = dict.fromkeys(("gradOut", "input"), np.zeros((0, 2), np.float32))


def test_a_tensor_without_elements_has_no_address_to_judge(machine: Machine) -> None:
    changes = {name: shifted(values, 4) for name, values in EMPTY.items()}
    call = planned(BATCH_NORM, {**placed(BATCH_NORM), **changes})
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert machine.findings == []


def test_an_address_that_is_wrong_anyway_is_told_once(machine: Machine) -> None:
    """A misaligned address of the host, or of memory that is too small, is the other finding only."""
    memory = np.zeros(64, np.uint8)
    shape = [4, 2]
    host = aclCreateTensor(shape, 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, shape, 2, memory[1:])
    with found("ws-host-ptr"):
        planned(SOFTMAX, {**placed(SOFTMAX), "gradOutput": host}).launch()
    short = aclCreateTensor(shape, 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, shape, 2, buffer(32) + 4)
    with found("storage-exceeds-alloc", "4 too few"):
        planned(SOFTMAX, {**placed(SOFTMAX), "gradOutput": short}).launch()
    assert ids(machine) == ["ws-host-ptr", "storage-exceeds-alloc"]


@pytest.mark.fidelity("data that does not start at a multiple of 32 bytes")
def test_a_workspace_is_judged_too(roomy: Machine) -> None:
    """ "warning for the five documents' operators and for workspaces", once for a line of the program; results are
    right anyway. The good twin: a workspace at 32 bytes."""
    for by in (32, 8, 8):
        call = ready(SOFTMAX)
        call.workspace = buffer(call.size + 32) + by
        assert_works(call)
        assert_results(call.results(), SOFTMAX)
    assert [(finding.id, finding.level) for finding in roomy.findings] == [("misaligned", "warning")]
    assert "the workspace of aclnnSoftmaxBackward" in roomy.findings[0].message


def test_a_workspace_that_is_used_again_is_judged_by_each_line(roomy: Machine) -> None:
    """A line of its own reports it, although an earlier launch had the same addresses."""
    call = ready(SOFTMAX)
    call.workspace = buffer(call.size + 32) + 8
    assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
    for _ in range(2):
        assert call.case.second(call.workspace, call.size, call.executor, None) == ACL_SUCCESS
    assert call.case.second(call.workspace, call.size, call.executor, None) == ACL_SUCCESS
    synchronise()
    assert ids(roomy) == ["misaligned"] * 2


def relu(values: np.ndarray, by: int) -> None:
    """aclnnInplaceRelu on a tensor whose data starts `by` bytes behind a multiple of 32."""
    planned_call = plan(aclnnInplaceReluGetWorkspaceSize, shifted(values, by).handle)
    assert aclnnInplaceRelu(None, 0, planned_call.executor, None) == ACL_SUCCESS
    synchronise()


@pytest.mark.fidelity("data that does not start at a multiple of 32 bytes")
def test_other_operators_give_advice_once_for_a_line(machine: Machine) -> None:
    """ "advice once a call site elsewhere"; the good twin has its data at 32 bytes."""
    values = np.ones(4, np.float32)
    relu(values, 32)
    assert machine.findings == []
    for _ in range(3):
        relu(values, 4)
    assert [(finding.id, finding.level) for finding in machine.findings] == [("misaligned", "advice")]
    again = plan(aclnnInplaceReluGetWorkspaceSize, shifted(values, 8).handle)
    assert aclnnInplaceRelu(None, 0, again.executor, None) == ACL_SUCCESS
    synchronise()
    assert ids(machine) == ["misaligned"] * 2
