"""The tensors of a launch and their memory: "4.3 What must stay alive, until when", and the findings about it."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint64
from dataclasses import replace

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import A2, Case, board
from tests.aclnn.ops.cases import BATCH_NORM, CROSS_ENTROPY, PRELU, SOFTMAX, every_case, every_composite
from tests.helpers.builders import UNTOUCHED, OnDevice, acl_type, malloc, on_device, plan
from tests.helpers.operator_launches import (
    ROOM,
    Ready,
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


@pytest.mark.fidelity("a tensor destroyed between the phases")
@every_tensor
def test_tensor_destroyed_between_the_phases(machine: Machine, case: Case, name: str) -> None:
    """ "Portable rule for users (and the one to enforce): keep tensors until phase 2 has returned", also of an operator
    that has their addresses by then, and of a tensor that no step reads; also where an equal launch went before."""
    assert_works(ready(case))
    call = ready(case)
    assert aclDestroyTensor(call.tensors[name].handle) == ACL_SUCCESS
    with found("tensor-destroyed-early", role(case, name), "created at", "destroyed at"):
        call.launch()


@every_case
def test_tensors_destroyed_right_after_the_second_phase(machine: Machine, case: Case) -> None:
    """The good twin: "after phase 2, before sync: may be destroyed"."""
    call = ready(case)
    assert call.launch() == ACL_SUCCESS
    for tensor in call.tensors.values():
        assert aclDestroyTensor(tensor.handle) == ACL_SUCCESS
    synchronise()
    assert_results(call.results(), case)
    assert machine.findings == []


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


@pytest.mark.fidelity("addresses of tensors")
@every_read_or_written
def test_data_on_the_host_is_found_by_the_launch(machine: Machine, case: Case, name: str) -> None:
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
def test_data_of_another_device_is_found(case: Case, name: str) -> None:
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
def test_freed_data_is_found(machine: Machine, case: Case, name: str) -> None:
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


@pytest.mark.fidelity("addresses of tensors")
@every_read_or_written
def test_a_view_beyond_its_storage_is_found(machine: Machine, case: Case, name: str) -> None:
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
def test_storage_beyond_its_allocation_is_found(machine: Machine, case: Case, name: str) -> None:
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
        with found("data-freed-under-tensor", "input `weight`"):
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


@every_read_or_written
def test_data_that_was_freed_before_the_launch_is_told_once(lenient: Machine, case: Case, name: str) -> None:
    """A second finding in memory that is not there, such as an index, is a consequence and not reported."""
    call = ready(case)
    assert aclrtFree(call.tensors[name].address) == ACL_SUCCESS
    assert call.launch() == ACL_SUCCESS
    aclrtSynchronizeStream(None)
    assert ids(lenient) == ["data-freed-under-tensor"]


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


def unwritten(case: Case) -> Ready:
    """A good call whose outputs lie in memory that nobody wrote."""
    arguments = placed(case)
    for name in case.results:
        given = arguments[name]
        address = malloc(given.storage.nbytes)
        assert aclSetRawTensorAddr(given.handle, address) == ACL_SUCCESS
        arguments[name] = replace(given, address=address)
    return planned(case, arguments)


def destroy_first(call: Ready) -> None:
    assert aclDestroyTensor(call.tensors[call.case.tensors[0]].handle) == ACL_SUCCESS


def launch_dead(call: Ready) -> None:
    destroy_first(call)
    assert call.launch() == RUNTIME


def launch_as_another(call: Ready) -> None:
    other = SOFTMAX if call.case is not SOFTMAX else PRELU
    assert other.second(call.workspace, call.size, call.executor, None) == RUNTIME


def plan_dead(call: Ready) -> None:
    """The variable holds garbage, as in C."""
    destroy_first(call)
    assert plan_with(call) == RUNTIME
    assert call.launch() == RUNTIME


def plan_null(call: Ready) -> None:
    assert plan_with(call, None) == ACLNN_ERR_PARAM_NULLPTR
    assert call.launch() == RUNTIME


def plan_with(call: Ready, *first: None) -> int:
    """Another first phase, into a variable that holds garbage; it fails."""
    assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    call.executor = aclOpExecutor(0x1230)
    handles = {name: tensor.handle for name, tensor in call.tensors.items()}
    given = list({**call.case.good, **handles}.values())
    return call.case.first(*first, *given[len(first) :], byref(c_uint64()), byref(call.executor))


SKIPPED: dict[str, tuple[Callable[[Ready], None], list[str]]] = {
    "a tensor is destroyed": (launch_dead, ["tensor-destroyed-early"]),
    "another operator": (launch_as_another, ["exec-wrong-op"]),
    "a dead tensor in the first phase": (plan_dead, ["dead-handle"]),
    "the executor of a failed first phase": (plan_null, ["exec-failed-phase1"]),
    "never launched": (lambda call: None, ["uninit-read"]),
}


@pytest.mark.fidelity(
    "consequences of a reported finding: contents of freed memory, outputs of a call that was refused"
)
@every_case
@pytest.mark.parametrize(("skip", "expected"), SKIPPED.values(), ids=SKIPPED)
def test_the_outputs_of_a_call_that_a_finding_ended(
    lenient: Machine, case: Case, skip: Callable[[Ready], None], expected: list[str]
) -> None:
    """Nobody wrote them, which "only follows from an earlier one"; the good twin is a call that was forgotten."""
    call = unwritten(case)
    skip(call)
    synchronise()
    call.results()
    assert sorted(set(ids(lenient))) == expected


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
