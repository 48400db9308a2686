"""The tensors of a launch and their memory: "4.3 What must stay alive, until when", and the findings about it."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import (
    ACL_FORMAT_ND,
    ACL_SUCCESS,
    ACLNN_ERR_RUNTIME_ERROR,
    Machine,
    aclCreateTensor,
    aclDestroyTensor,
    aclrtFree,
    aclrtSetDevice,
    aclrtSynchronizeStream,
    aclTensor,
)
from tests.builders import OnDevice, acl_type, on_device, plan
from tests.ops.cases import (
    A2,
    BATCH_NORM,
    COMPOSITES,
    CROSS_ENTROPY,
    PRELU,
    SOFTMAX,
    UNTOUCHED,
    Case,
    board,
    every_case,
    every_composite,
)
from tests.ops.launches import (
    ROOM,
    TENSORS,
    UNREAD,
    assert_results,
    assert_works,
    every_read_or_written,
    every_tensor,
    found,
    ids,
    placed,
    planned,
    ready,
    role,
    synchronise,
)

RUNTIME = ACLNN_ERR_RUNTIME_ERROR

# tensors and their memory


@every_tensor
def test_tensor_destroyed_before_the_first_phase(machine: Machine, case: Case, name: str) -> None:
    """A dead handle is no null pointer; the text knows where it ended."""
    arguments = placed(case)
    assert aclDestroyTensor(arguments[name].handle) == ACL_SUCCESS
    with found("dead-handle", f"argument {name}", case.name, "destroyed at"):
        plan(case.first, *arguments.values())


@every_tensor
def test_garbage_for_a_tensor_is_361001_in_a_machine_that_reports(lenient: Machine, case: Case, name: str) -> None:
    answer = case.plan({name: aclTensor(0xDEAD)})
    assert answer.status == RUNTIME
    assert answer.workspace_size == UNTOUCHED
    assert ids(lenient) == ["dead-handle"]


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
    call = planned(case, arguments)
    with found("ws-host-ptr", role(case, name), case.name):
        call.launch()


@every_read_or_written
def test_data_of_another_device(case: Case, name: str) -> None:
    """Finding ws-foreign: the stream's device cannot use it."""
    with board(device_count=2):
        call = ready(case)
        assert aclrtSetDevice(1) == ACL_SUCCESS
        foreign = on_device(case.good[name])
        assert aclrtSetDevice(0) == ACL_SUCCESS
        arguments = {**placed(case), name: foreign}
        with found("ws-foreign", role(case, name), "device 1", "device 0"):
            planned(case, arguments).launch()
        assert_works(call)


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
        call = planned(case, arguments)
        with found("view-exceeds-storage", role(case, name), case.name):
            call.launch()


@every_read_or_written
def test_storage_beyond_its_allocation(machine: Machine, case: Case, name: str) -> None:
    """Finding storage-exceeds-alloc: storageDims * size > allocation."""
    arguments = placed(case)
    tensor = arguments[name]
    arguments[name] = with_storage(tensor, tensor.storage.size + 1)
    call = planned(case, arguments)
    with found("storage-exceeds-alloc", role(case, name), case.name, "allocated at"):
        call.launch()


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


# a machine that only reports


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
    assert ids(lenient) == ["io-freed-early"]


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
