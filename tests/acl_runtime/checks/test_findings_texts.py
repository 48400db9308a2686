"""The content of a report: what happened with its values, and where its objects came from (findings, the
column "Wanted report")."""

import threading
from collections.abc import Callable
from ctypes import byref, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Finding, Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import OnDevice, malloc, meta, on_device, plan
from tests.helpers.host_threads import wait
from tests.helpers.planned_operators import softmax

HERE = "test_findings_texts.py:"
PLANNED = "executor 1 of aclnnSoftmaxBackward was created"
Call = Callable[[], object]


def found(call: Call) -> Finding:
    """The finding that the call raises. Its sentence says what happened; places are in the history."""
    with pytest.raises(UndefinedBehaviour) as error:
        call()
    finding = error.value.finding
    assert ".py:" not in finding.what
    assert finding.what.endswith(".")
    assert HERE in finding.site
    return finding


def assert_tells(finding: Finding, id: str, what: str, *history: str) -> None:
    """Its id, a part of what happened, and all of the history."""
    assert finding.id == id
    assert what in finding.what
    assert [past.what for past in finding.history] == list(history)
    assert all(".py:" in past.site for past in finding.history)


# copies and memory of the host


def read(address: int, count: int) -> int:
    return aclrtMemcpy(bytearray(count), count, address, count, ACL_MEMCPY_DEVICE_TO_HOST)


def test_memcpy_size_names_three_sizes(machine: Machine) -> None:
    """ "Three sizes": of the copy, of what is left, of the allocation."""
    address = malloc(64)
    name = machine.devices[0].memory.name(address)
    assert_tells(
        found(lambda: read(address + 16, 56)),
        "memcpy-size",
        f"count = 56 bytes, but src has 48 bytes left: it points 16 bytes into the 64 bytes at {name}.",
        f"{name} (64 bytes) was allocated",
    )


def test_host_overrun_names_sizes_and_object(machine: Machine) -> None:
    """ "Sizes, the object"."""
    address, pinned = malloc(64), c_void_p()
    assert aclrtMallocHost(byref(pinned), 32) == ACL_SUCCESS
    call = lambda: aclrtMemcpy(pinned.value, 64, address, 64, ACL_MEMCPY_DEVICE_TO_HOST)  # noqa: E731
    what = "count = 64 bytes, but dst is a host object of 32 bytes (pinned host memory 1 (32 bytes))."
    assert_tells(found(call), "host-overrun", what, "pinned host memory 1 (32 bytes) was allocated")
    inside = found(lambda: aclrtMemcpy(pinned.value + 24, 64, address, 16, ACL_MEMCPY_DEVICE_TO_HOST))
    what = "count = 16 bytes, but dst has 8 bytes left: it points 24 bytes into pinned host memory 1 (32 bytes)."
    assert_tells(inside, "host-overrun", what, "pinned host memory 1 (32 bytes) was allocated")
    assert aclrtFreeHost(pinned) == ACL_SUCCESS
    assert_tells(
        found(call),
        "host-overrun",
        "dst points into pinned host memory 1 (32 bytes), which is gone.",
        "pinned host memory 1 (32 bytes) was allocated",
        "pinned host memory 1 (32 bytes) was freed",
    )
    bytes8 = np.zeros(8, np.uint8)
    small = found(lambda: aclrtMemcpy(bytes8, 64, address, 64, ACL_MEMCPY_DEVICE_TO_HOST))
    assert_tells(small, "host-overrun", "count = 64 bytes, but dst is a host object of 8 bytes (ndarray).")


def test_registered_memory_says_registered(machine: Machine) -> None:
    """It was never allocated by the machine."""
    host, device = np.zeros(64, np.uint8), c_void_p()
    assert aclrtHostRegister(host, 64, 0, byref(device)) == ACL_SUCCESS
    allocation = machine.devices[0].memory.holding(device.value or 0)
    assert allocation is not None
    assert aclrtHostUnregister(host) == ACL_SUCCESS
    name = machine.devices[0].memory.name(device.value or 0)
    assert [past.what for past in allocation.past()] == [
        f"{name} (64 bytes) was registered",
        f"{name} (64 bytes) was unregistered",
    ]


# objects


def test_double_destroy_tells_both_lines(machine: Machine) -> None:
    tensor = aclCreateTensor([2], 1, ACL_FLOAT, None, 0, 2, [2], 1, None)
    assert aclDestroyTensor(tensor) == ACL_SUCCESS
    for call, id in ((aclDestroyTensor, "tensor-double-destroy"), (lambda t: aclGetViewOffset(t, None), "dead-handle")):
        assert_tells(
            found(lambda call=call: call(tensor)),
            id,
            "tensor is no live tensor: tensor 1 (DT_FLOAT [2]) is gone.",
            "tensor 1 (DT_FLOAT [2]) was created",
            "tensor 1 (DT_FLOAT [2]) was destroyed",
        )


def test_double_destroy_by_a_list(machine: Machine) -> None:
    """ "List destroyed its elements at ..."."""
    tensor = meta([2])
    tensors = aclCreateTensorList([tensor], 1)
    assert aclDestroyTensorList(tensors) == ACL_SUCCESS
    finding = found(lambda: aclDestroyTensor(tensor))
    assert finding.history[1].what == "tensor 1 (DT_FLOAT [2]) was destroyed with tensor list 1"
    assert HERE in finding.history[1].site


# executors


def launch(executor: aclOpExecutor, workspace: int | None = None, size: int = 0, stream: object = None) -> int:
    return aclnnSoftmaxBackward(workspace, size, executor, stream)


def test_executors_tell_of_their_launch(machine: Machine) -> None:
    """ "Executor consumed at ...", and the operator that planned it."""
    executor = softmax()[3].executor
    assert launch(executor) == ACL_SUCCESS
    name = "executor 1 of aclnnSoftmaxBackward"
    history = f"{name} was created", f"{name} was consumed by its launch"
    assert_tells(found(lambda: launch(executor)), "exec-reused", f"{name} is gone.", *history)
    assert_tells(found(lambda: aclDestroyAclOpExecutor(executor)), "exec-destroy-after-run", "is gone.", *history)


def test_a_wrong_executor_names_both_operators(machine: Machine) -> None:
    """ "Names A and B"."""
    executor = softmax()[3].executor
    what = "aclnnPreluBackward got executor 1 of aclnnSoftmaxBackward, which aclnnSoftmaxBackwardGetWorkspaceSize"
    assert_tells(found(lambda: aclnnPreluBackward(None, 0, executor, None)), "exec-wrong-op", what, PLANNED)
    assert launch(executor) == ACL_SUCCESS, "the call that was wrong had no effect"


def test_executor_of_a_first_phase_that_failed(machine: Machine) -> None:
    """ "Phase 1 at ... returned 161002"."""
    plan(aclnnSoftmaxBackwardGetWorkspaceSize, None, meta([2]), 0, meta([2]))
    past = "aclnnSoftmaxBackwardGetWorkspaceSize returned ACLNN_ERR_PARAM_NULLPTR (161001)"
    what = "held before the first phase failed: 0x1234 is no handle that this machine gave out."
    assert_tells(found(lambda: launch(aclOpExecutor(0x1234))), "exec-failed-phase1", what, past)


# workspaces


def strided() -> tuple[aclOpExecutor, int]:
    """A planned call that needs a workspace: the executor and the size."""
    values = np.ones((8, 2), np.float32)
    grad, output, out = on_device(values, strides=[1, 8]), on_device(values), on_device(values)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    return planned.executor, planned.workspace_size


@pytest.mark.parametrize("passed", ["too little", "enough"])
def test_ws_small_names_required_given_and_allocated_bytes(machine: Machine, passed: str) -> None:
    """ "Required v. given v. allocation"."""
    executor, size = strided()
    given = 64 if passed == "too little" else size
    workspace = malloc(64)
    name = machine.devices[0].memory.name(workspace)
    assert_tells(
        found(lambda: launch(executor, workspace, given)),
        "ws-small",
        f"aclnnSoftmaxBackward needs a workspace of {size} bytes, but "
        f"{f'workspaceSize is {given} and ' if given < size else ''}"
        f"only 64 are allocated from its address on, in the 64 bytes at {name}.",
        PLANNED,
        f"{name} (64 bytes) was allocated",
    )
    workspace = malloc(size)
    assert launch(executor, workspace, size) == ACL_SUCCESS, "the good twin"


def test_ws_foreign_names_both_devices(two: Machine) -> None:
    """ "Device ids", and where it was allocated."""
    aclrtSetDevice(1)
    far = malloc(4096)
    aclrtSetDevice(0)
    executor, size = strided()
    what = "workspace of aclnnSoftmaxBackward lies on device 1, but the stream works on device 0."
    history = PLANNED, f"{two.devices[1].memory.name(far)} (4096 bytes) was allocated"
    assert_tells(found(lambda: launch(executor, far, size)), "ws-foreign", what, *history)


def test_ws_host_ptr_names_the_kind_of_pointer(machine: Machine) -> None:
    """ "Pointer kind"."""
    executor, size = strided()
    pinned, plain = c_void_p(), np.zeros(size, np.uint8)
    assert aclrtMallocHost(byref(pinned), size) == ACL_SUCCESS
    what = f"workspace of aclnnSoftmaxBackward: its data pointer is in pinned host memory 1 ({size} bytes)."
    made = f"pinned host memory 1 ({size} bytes) was allocated"
    assert_tells(found(lambda: launch(executor, pinned.value, size)), "ws-host-ptr", what, PLANNED, made)
    finding = found(lambda: launch(executor, plain.ctypes.data, size))
    assert_tells(finding, "ws-host-ptr", f"{plain.ctypes.data:#x}, an address of the host.", PLANNED)


# tensors


def planned(grad: OnDevice) -> aclOpExecutor:
    """A first phase that reads `grad`, 8 numbers."""
    other, out = on_device(np.ones(8, np.float32)), on_device(np.ones(8, np.float32))
    answer = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, other, 0, out)
    assert answer.status == ACL_SUCCESS, answer.text
    return answer.executor


def tensor_over(address: int, *, offset: int = 0, storage: int = 8, stride: int = 1) -> OnDevice:
    """8 numbers at an address, whatever lies there."""
    handle = aclCreateTensor([8], 1, ACL_FLOAT, [stride], offset, 2, [storage], 1, address)
    return OnDevice(handle, address, np.zeros(storage, np.float32), (8,), (stride,), offset)


def test_a_tensor_destroyed_early_names_both_places(machine: Machine) -> None:
    """ "Both stacks": of the tensor, and of the first phase that keeps it."""
    grad = on_device(np.ones(8, np.float32))
    executor = planned(grad)
    aclDestroyTensor(grad.handle)
    assert_tells(
        found(lambda: launch(executor)),
        "tensor-destroyed-early",
        "the input `gradOutput` of aclnnSoftmaxBackward (tensor 1 (DT_FLOAT [8])) was destroyed before the launch.",
        "tensor 1 (DT_FLOAT [8]) was created",
        "tensor 1 (DT_FLOAT [8]) was destroyed",
        PLANNED,
    )


def test_freed_data_names_the_tensor_and_the_free(machine: Machine) -> None:
    """ "Tensor name in the call, freed-at stack"."""
    grad = on_device(np.ones(8, np.float32))
    executor = planned(grad)
    assert aclrtFree(grad.address) == ACL_SUCCESS
    name = machine.devices[0].memory.name(grad.address)
    assert_tells(
        found(lambda: launch(executor)),
        "data-freed-under-tensor",
        "the data of the input `gradOutput` of aclnnSoftmaxBackward (tensor 1 (DT_FLOAT [8])): "
        f"the 32 bytes at {name} were freed.",
        "tensor 1 (DT_FLOAT [8]) was created",
        f"{name} (32 bytes) was allocated",
        f"{name} (32 bytes) was freed",
    )


def test_a_view_beyond_its_storage_shows_the_arithmetic(machine: Machine) -> None:
    """ "Arithmetic shown"."""
    executor = planned(tensor_over(malloc(64), offset=1))
    sum_ = "offset + sum((dim - 1) * stride) = 1 + (8 - 1) * 1 = 8"
    what = f"the last element lies at {sum_}, but its storage [8] has only 8 elements."
    finding = found(lambda: launch(executor))
    assert_tells(finding, "view-exceeds-storage", what, "tensor 1 (DT_FLOAT [8]) was created")
    good = planned(on_device(np.ones(8, np.float32), offset=1))
    assert launch(good) == ACL_SUCCESS


def test_a_view_below_its_storage_shows_the_arithmetic(machine: Machine) -> None:
    """The same at the other end, of an output."""
    out = tensor_over(malloc(64), offset=3, storage=16, stride=-1)
    grad, output = on_device(np.ones(8, np.float32)), on_device(np.ones(8, np.float32))
    answer = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    assert answer.status == ACL_SUCCESS, answer.text
    workspace = malloc(max(answer.workspace_size, 1))
    with machine.allow("neg-stride-offset", reason="it is what makes the view begin too low"):
        finding = found(lambda: launch(answer.executor, workspace, answer.workspace_size))
    what = "the first element lies at offset + sum((dim - 1) * stride) = 3 + (8 - 1) * -1 = -4, but"
    assert_tells(finding, "view-exceeds-storage", what, "tensor 1 (DT_FLOAT [8]) was created")


def test_storage_beyond_its_allocation_names_the_missing_bytes(machine: Machine) -> None:
    """ "Bytes short, allocation site"."""
    address = malloc(24)
    name = machine.devices[0].memory.name(address)
    executor = planned(tensor_over(address))
    assert_tells(
        found(lambda: launch(executor)),
        "storage-exceeds-alloc",
        "its storage [8] needs 32 bytes, but only 24 are allocated from its address on (8 too few): it lies in the 24 "
        f"bytes at {name}.",
        "tensor 1 (DT_FLOAT [8]) was created",
        f"{name} (24 bytes) was allocated",
    )


# the machine


def test_a_closed_machine_names_where_it_closed() -> None:
    """ "Where it closed"."""
    go, findings = threading.Event(), list[Finding]()

    def late() -> None:
        wait(go)
        findings.append(found(lambda: aclrtSetDevice(0)))

    with Machine() as machine:
        thread = threading.Thread(target=late, name="late")
        thread.start()
    go.set()
    thread.join()
    what = "thread late calls the API, but the machine in which it was started was closed."
    assert_tells(findings[0], "machine-closed", what, "the machine was closed")
    assert HERE in findings[0].history[0].site
    assert findings[0].call == "aclrtSetDevice"
    assert machine.findings[-1] is findings[0]
