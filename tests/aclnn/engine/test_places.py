"""The text of a finding about a wrong address or a wrong workspace (ours)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.aclnn.ops.case import Case
from tests.aclnn.ops.cases import CROSS_ENTROPY, every_case, every_composite, is_output
from tests.helpers.builders import acl_type, malloc, on_device, plan
from tests.helpers.memory.shared_allocations import buffer, view
from tests.helpers.operator_launches import (
    ROOM,
    Ready,
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

SIZE = 4096


def null() -> int:
    return 0


def plain() -> int:
    return KEPT.ctypes.data


def pinned() -> int:
    pointer = c_void_p()
    assert aclrtMallocHost(byref(pointer), SIZE) == ACL_SUCCESS
    return pointer.value or 0


def freed_pinned() -> int:
    address = pinned()
    assert aclrtFreeHost(address) == ACL_SUCCESS
    return address


def registered() -> int:
    device = c_void_p()
    assert aclrtHostRegister(KEPT.ctypes.data, SIZE, ACL_HOST_REGISTER_MAPPED, byref(device)) == ACL_SUCCESS
    return KEPT.ctypes.data


KEPT = np.zeros(2 * SIZE, np.uint8)
# what the data pointer is, and the words for it
KINDS: dict[str, tuple[Callable[[], int], tuple[str, ...]]] = {
    "null": (null, ("data pointer is null",)),
    "memory of the program": (plain, ("an address of the host",)),
    "pinned": (pinned, ("in pinned host memory 1", "was allocated at")),
    "pinned and freed": (freed_pinned, ("in pinned host memory 1", "was freed at")),
    "registered": (registered, ("in registered host memory 1", "was registered at")),
}


def tensor_at(values: np.ndarray, address: int) -> aclTensor:
    shape = list(values.shape)
    return aclCreateTensor(shape, len(shape), acl_type(values.dtype), None, 0, ACL_FORMAT_ND, shape, len(shape),
                           address)  # fmt: skip


@pytest.mark.parametrize(("make", "words"), KINDS.values(), ids=KINDS)
@every_case
def test_the_kind_of_a_host_pointer(
    machine: Machine, case: Case, make: Callable[[], int], words: tuple[str, ...]
) -> None:
    """Finding ws-host-ptr: "pointer kind", the tensor's name in the call, and where both came from."""
    name = case.tensors[0]
    call = planned(case, {**placed(case), name: tensor_at(case.good[name], make())})
    with found("ws-host-ptr", role(case, name), case.name, "was created at", "aclrtMalloc", *words):
        call.launch()


@every_case
def test_a_workspace_in_pinned_memory(roomy: Machine, case: Case) -> None:
    """Pinned memory has no address of the device; a mapping of it would."""
    call = ready(case)
    right, call.workspace = call.workspace, pinned()
    with found("ws-host-ptr", "workspace", case.name, "pinned host memory 1", "executor 1"):
        call.launch()
    call.workspace = right
    assert_works(call)


@every_composite
def test_a_small_workspace_tells_three_numbers(roomy: Machine, case: Case) -> None:
    """Finding ws-small: "required v. given v. allocation"."""
    call = ready(case)
    call.workspace, call.size, needed = malloc(call.size - 100), call.size - 200, call.size
    with found(
        "ws-small", f"a workspace of {needed} bytes", f"is {needed - 200}", f"only {needed - 100} are allocated"
    ):
        call.launch()


@every_case
def test_a_workspace_that_starts_inside_its_allocation(roomy: Machine, case: Case) -> None:
    """The bytes from its address to the end of the allocation count; exactly enough is right."""
    call = ready(case)
    start = malloc(call.size + 64)
    call.workspace = start + 65
    with found("ws-small", f"a workspace of {call.size} bytes", f"only {call.size - 1} are allocated from"):
        call.launch()
    call.workspace = start + 64
    assert_works(call)
    assert ids(roomy) == ["ws-small"]


@every_case
def test_a_workspace_behind_the_end_of_its_allocation(roomy: Machine, case: Case) -> None:
    """Of a pool that was cut up wrongly: too small, as nothing was freed. The last piece of the same pool is right."""
    call = ready(case)
    room = -(-call.size // 512) * 512
    pool = malloc(2 * room)
    call.workspace = pool + 2 * room
    with found("ws-small", f"a workspace of {call.size} bytes", "lies 0 bytes past the end", "was allocated at"):
        call.launch()
    call.workspace = pool + room
    assert_works(call)
    assert ids(roomy) == ["ws-small"]


def test_a_generated_operator_is_told_of_a_small_allocation_too(machine: Machine) -> None:
    """Its documented 161002 speaks of the size that was passed only."""
    call = ready(CROSS_ENTROPY)
    call.workspace = malloc(call.size - 1)
    with found("ws-small", str(call.size), "allocated at"):
        call.launch()


@every_read_or_written
def test_an_address_that_no_memory_lives_at(machine: Machine, case: Case, name: str) -> None:
    """Finding data-freed-under-tensor: freed memory, also in its middle."""
    values = case.good[name]
    dead = malloc(SIZE)
    assert aclrtFree(dead) == ACL_SUCCESS
    for address, word in ((dead, "were freed"), (dead + 64, "64 bytes inside")):
        call = planned(case, {**placed(case), name: tensor_at(values, address)})
        with found("data-freed-under-tensor", role(case, name), case.name, word, "was created at", "allocated at"):
            call.launch()


@every_read_or_written
def test_an_address_behind_the_end_of_an_allocation(machine: Machine, case: Case, name: str) -> None:
    """Finding storage-exceeds-alloc, by all of its bytes: nothing was freed. The last piece of the pool is good."""
    values = case.good[name]
    room = -(-values.nbytes // 64) * 64
    pool = malloc(2 * room)
    call = planned(case, {**placed(case), name: tensor_at(values, pool + 2 * room)})
    words = f"{values.nbytes} too few", "lies 0 bytes past the end", "was created at", "was allocated at"
    with found("storage-exceeds-alloc", role(case, name), case.name, *words):
        call.launch()
    assert aclrtMemcpy(pool + room, room, values.tobytes(), values.nbytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    assert planned(case, {**placed(case), name: tensor_at(values, pool + room)}).launch() == ACL_SUCCESS
    assert ids(machine) == ["storage-exceeds-alloc"]


@every_read_or_written
def test_the_numbers_of_view_storage_and_allocation(machine: Machine, case: Case, name: str) -> None:
    """Findings view-exceeds-storage ("arithmetic shown") and storage-exceeds-alloc ("bytes short, allocation site");
    the good twins end exactly where they may."""
    values = case.good[name]
    shape, size, item = list(values.shape), values.size, values.itemsize
    room = buffer((size + 2) * item)

    def reaching(elements: int, offset: int) -> Ready:
        tensor = aclCreateTensor(shape, len(shape), acl_type(values.dtype), None, offset, ACL_FORMAT_ND, [elements], 1,
                                 room)  # fmt: skip
        return planned(case, {**placed(case), name: tensor})

    with found(
        "view-exceeds-storage", role(case, name), "the last element lies at offset", f"= {size + 1}, but its storage",
        f"has only {size + 1} elements", "was created at",
    ):  # fmt: skip
        reaching(size + 1, 2).launch()
    with found("storage-exceeds-alloc", role(case, name), f"{item} too few", "was created at", "was allocated at"):
        reaching(size + 3, 0).launch()
    if is_output(case, name):
        assert reaching(size + 2, 2).launch() == ACL_SUCCESS
        assert len(machine.findings) == 2


@pytest.mark.parametrize("which", ["view", "storage"])
@every_case
def test_reads_past_the_end_are_silent_on_a_device(lenient: Machine, case: Case, which: str) -> None:
    """ "SILENT rows return 0"; one finding, and none of its consequences."""
    name = case.tensors[0]
    values = case.good[name]
    shape = list(values.shape)
    room = buffer(values.nbytes)
    elements = values.size - 1 if which == "view" else values.size + 8
    wrong = aclCreateTensor(shape, len(shape), acl_type(values.dtype), None, 0, ACL_FORMAT_ND, [elements], 1, room)
    call = planned(case, {**placed(case), name: wrong})
    assert call.size >= ROOM
    assert call.launch() == ACL_SUCCESS
    synchronise()
    assert ids(lenient) == ["view-exceeds-storage" if which == "view" else "storage-exceeds-alloc"]


@pytest.mark.parametrize(("storage", "status"), [(6, ACL_SUCCESS), (5, ACLNN_ERR_INNER_NULLPTR)])
def test_a_view_that_is_copied_reaches_at_most_to_the_end_of_its_storage(
    machine: Machine, storage: int, status: int
) -> None:
    """The last element of a transposed view of 2 x 3 is element 5."""
    grad = view(buffer(64), [2, 3], [1, 2], storage)
    others = [on_device(np.ones((2, 3), np.float32)) for _ in range(2)]
    assert plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, others[0], 1, others[1]).status == status


def test_a_tensor_that_is_there_twice_is_reported_once() -> None:
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        short, out = view(buffer(16), [8], [1], 4), on_device(np.ones(8, np.float32))
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, short, short, 0, out)
        aclnnSoftmaxBackward(None, 0, planned.executor, None)
        aclrtSynchronizeStream(None)
        assert ids(machine) == ["view-exceeds-storage"]
