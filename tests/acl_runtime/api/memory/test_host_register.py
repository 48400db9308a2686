"""Host memory that a device may use: aclrtHostRegister and related functions (public)."""

import ctypes
import gc
import mmap
import weakref
from collections.abc import Callable, Iterator
from ctypes import byref, c_size_t, c_void_p
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory.device_memory import DeviceMemory
from aclnn import *
from tests.conftest import check_documented
from tests.helpers.builders import malloc, on_device, plan
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of, text
from tests.helpers.planned_operators import SOFTMAX_RESULT

PAGE = mmap.PAGESIZE


def register(ptr: Any, size: int, type: int = ACL_HOST_REGISTER_MAPPED) -> int:
    """Register the memory; its device address."""
    address = c_void_p()
    assert aclrtHostRegister(ptr, size, type, byref(address)) == ACL_SUCCESS, text()
    assert address.value
    return address.value


def device_pointer(ptr: Any) -> int:
    address = c_void_p()
    assert aclrtHostGetDevicePointer(ptr, byref(address), 0) == ACL_SUCCESS, text()
    assert address.value
    return address.value


def kind_of(ptr: Any) -> int:
    found = aclrtPtrAttributes()
    assert aclrtPointerGetAttributes(ptr, byref(found)) == ACL_SUCCESS
    return found.location.type


def launch(out: int) -> None:
    """Queue a SoftmaxBackward whose output, 8 floats, lies at an address."""
    grad, output = on_device(np.full(8, 3, np.float32)), on_device(np.full(8, 1, np.float32))
    tensor = aclCreateTensor([8], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [8], 1, out)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, tensor)
    assert planned.status == ACL_SUCCESS
    assert aclnnSoftmaxBackward(None, 0, planned.executor, None) == ACL_SUCCESS, text()


@pytest.fixture
def pages() -> Iterator[int]:
    """The address of two pages of the host program, known only as a number."""
    mapping = mmap.mmap(-1, 2 * PAGE)
    held = ctypes.c_char.from_buffer(mapping)
    address = ctypes.addressof(held)
    yield address
    protect(address, 3)
    del held
    mapping.close()


def protect(address: int, rights: int) -> None:
    assert ctypes.CDLL(None).mprotect(c_void_p(address), c_size_t(2 * PAGE), rights) == 0


# what registering gives


def test_both_sides_use_the_same_bytes(machine: Machine) -> None:
    """The device address takes no memory of the device. aclrtPointerGetAttributes reports pinned memory. Unregistering
    undoes both."""
    host, used = np.arange(64, dtype=np.uint8), machine.devices[0].memory.used
    assert kind_of(host) == ACL_MEM_LOCATION_TYPE_UNREGISTERED
    address = register(host, 64)
    assert machine.devices[0].memory.used == used
    assert machine.memory_at(address) is machine.devices[0].memory
    assert machine.read(address, 64, "u1").tolist() == list(range(64))
    host[5] = 99
    assert machine.read(address + 5, 1, "u1").tolist() == [99]
    assert (kind_of(host), kind_of(address)) == (ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_DEVICE)
    assert str(machine.pinned.holding(host.ctypes.data + 63)) == "registered host memory 1 (64 bytes)"
    assert aclrtHostUnregister(host) == ACL_SUCCESS
    assert kind_of(host) == ACL_MEM_LOCATION_TYPE_UNREGISTERED
    status = aclrtPointerGetAttributes(address, byref(aclrtPtrAttributes()))
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "registered at", "unregistered at")


@pytest.mark.fidelity("registered host memory")
def test_copies_use_it_as_device_memory(machine: Machine) -> None:
    """Through the device's address, in both directions."""
    host, other = np.zeros(64, np.uint8), np.arange(64, dtype=np.uint8)
    address = register(host, 64)
    assert aclrtMemcpy(address, 64, other, 64, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert np.array_equal(host, other)
    device = malloc(64)
    assert aclrtMemcpy(device, 64, address, 64, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert machine.read(device, 64, "u1").tolist() == list(range(64))


@pytest.mark.fidelity("registered host memory")
def test_kernels_use_it_as_device_memory(machine: Machine) -> None:
    """The result of an operator stands in the array of the host."""
    host = np.zeros(8, np.float32)
    launch(register(host, 32))
    assert host.tolist() == [0] * 8
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert host.tolist() == [SOFTMAX_RESULT] * 8
    assert aclrtHostUnregister(host) == ACL_SUCCESS


@pytest.mark.parametrize(
    "flag",
    [ACL_HOST_REG_MAPPED, ACL_HOST_REG_IOMEMORY, ACL_HOST_REG_READONLY, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED],
    ids=hex,
)
def test_registering_v2_gives_the_address_by_a_call_of_its_own(machine: Machine, flag: int) -> None:
    """With V2, aclrtHostGetDevicePointer returns the address, also of a byte inside. It needs a context."""
    host = np.arange(64, dtype=np.uint8)
    assert aclrtHostRegisterV2(host, 64, flag) == ACL_SUCCESS
    address = device_pointer(host)
    assert device_pointer(host.ctypes.data + 63) == address + 63
    assert machine.read(address + 63, 1, "u1").tolist() == [63]
    assert in_thread(lambda: aclrtHostGetDevicePointer(host, byref(c_void_p()), 0)) == ACL_ERROR_RT_CONTEXT_NULL
    assert in_thread(lambda: aclrtHostUnregister(host)) == ACL_ERROR_RT_CONTEXT_NULL
    assert aclrtHostUnregister(host) == ACL_SUCCESS


def test_memory_that_is_only_pinned_has_no_address_on_the_device(machine: Machine) -> None:
    """V2 flag 0x10000000 (ours)."""
    host = np.zeros(64, np.uint8)
    assert aclrtHostRegisterV2(host, 64, ACL_HOST_REG_PINNED) == ACL_SUCCESS
    assert kind_of(host) == ACL_MEM_LOCATION_TYPE_HOST
    status = aclrtHostGetDevicePointer(host, byref(c_void_p()), 0)
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "without ACL_HOST_REG_MAPPED")
    assert aclrtHostUnregister(host) == ACL_SUCCESS


@pytest.mark.fidelity("registered host memory")
def test_the_address_belongs_to_the_current_device(two: Machine) -> None:
    """The address belongs to the device of the current context, which may be closed meanwhile."""
    aclrtSetDevice(1)
    host = np.zeros(64, np.uint8)
    assert two.memory_at(register(host, 64)) is two.devices[1].memory


def test_pinned_memory_may_be_registered(machine: Machine) -> None:
    """Memory of aclrtMallocHost gets an address on the device this way (ours)."""
    host = c_void_p()
    assert aclrtMallocHost(byref(host), 64) == ACL_SUCCESS
    address = register(host, 64)
    ctypes.memset(host.value or 0, 7, 64)
    assert machine.read(address, 64, "u1").tolist() == [7] * 64
    assert aclrtHostUnregister(host) == aclrtFreeHost(host) == ACL_SUCCESS


def test_registered_objects_are_kept_alive(machine: Machine) -> None:
    """An array stays as long as it is registered, no longer."""
    host = np.zeros(64, np.uint8)
    gone, number = weakref.ref(host), host.ctypes.data
    address = register(host, 64)
    del host
    gc.collect()
    assert gone() is not None
    assert machine.read(address, 1, "u1").tolist() == [0]
    assert aclrtHostUnregister(number) == ACL_SUCCESS
    gc.collect()
    assert gone() is None


# refusals

REFUSED: dict[str, tuple[Callable[[], int], int, str]] = {
    "V1: ptr null -> 100000": (
        lambda: aclrtHostRegister(None, 0, 99, None),
        ACL_ERROR_INVALID_PARAM,
        "ptr cannot be",
    ),
    "V1: size 0 -> 100000": (
        lambda: aclrtHostRegister(bytearray(8), 0, 99, None),
        ACL_ERROR_INVALID_PARAM,
        "parameter size",
    ),
    "V1: unknown type -> 100000": (
        lambda: aclrtHostRegister(bytearray(8), 8, 2, None),
        ACL_ERROR_INVALID_PARAM,
        "parameter type",
    ),
    "V1: devPtr null -> 100000": (
        lambda: aclrtHostRegister(bytearray(8), 8, 0, None),
        ACL_ERROR_INVALID_PARAM,
        "devPtr cannot be a NULL pointer",
    ),
    "V2: ptr null -> 100000": (
        lambda: aclrtHostRegisterV2(None, 0, 0),
        ACL_ERROR_INVALID_PARAM,
        "ptr cannot be",
    ),
    "V2: size 0 -> 100000": (lambda: aclrtHostRegisterV2(bytearray(8), 0, 0), ACL_ERROR_INVALID_PARAM, "size"),
    "V2: no flag -> 107000": (lambda: aclrtHostRegisterV2(bytearray(8), 8, 0), ACL_ERROR_RT_PARAM_INVALID, "flag"),
    "V2: unknown flag -> 107000": (lambda: aclrtHostRegisterV2(bytearray(8), 8, 3), ACL_ERROR_RT_PARAM_INVALID, "flag"),
    "pointer: pHost null -> 100000": (
        lambda: aclrtHostGetDevicePointer(None, None, 1),
        ACL_ERROR_INVALID_PARAM,
        "pHost cannot be a NULL pointer",
    ),
    "pointer: pDevice null -> 100000": (
        lambda: aclrtHostGetDevicePointer(0x10, None, 1),
        ACL_ERROR_INVALID_PARAM,
        "pDevice cannot be a NULL pointer",
    ),
    "pointer: flag not 0 -> 100000": (
        lambda: aclrtHostGetDevicePointer(0x10, byref(c_void_p()), 1),
        ACL_ERROR_INVALID_PARAM,
        "parameter flag",
    ),
    "pointer: unknown -> 107000": (
        lambda: aclrtHostGetDevicePointer(0x10, byref(c_void_p()), 0),
        ACL_ERROR_RT_PARAM_INVALID,
        "0x10 is no device address and no pinned host memory",
    ),
    "unregister: null -> 100000": (
        lambda: aclrtHostUnregister(None),
        ACL_ERROR_INVALID_PARAM,
        "ptr cannot be",
    ),
    "unregister: unknown -> 507911": (
        lambda: aclrtHostUnregister(0x10),
        ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
        "0x10 is no device address and no pinned host memory",
    ),
}


@pytest.mark.parametrize(("call", "status", "words"), REFUSED.values(), ids=REFUSED)
def test_refusals_need_no_context(machine: Machine, call: Callable[[], int], status: int, words: str) -> None:
    """In the order of the arguments, ranges before the context (public); what the driver refuses comes "after the
    context check" (public)."""
    assert_status(call(), status, words)
    driver = status in (ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED) and "0x10" in words
    assert in_thread(call) == (ACL_ERROR_RT_CONTEXT_NULL if driver else status)


BOTH: dict[str, Callable[[Any, int], int]] = {
    "aclrtHostRegister": lambda ptr, size: aclrtHostRegister(ptr, size, 0, byref(c_void_p())),
    "aclrtHostRegisterV2": lambda ptr, size: aclrtHostRegisterV2(ptr, size, ACL_HOST_REG_MAPPED),
}
each_register = pytest.mark.parametrize("call", BOTH.values(), ids=BOTH)


@each_register
def test_registering_needs_a_context(machine: Machine, call: Callable[[Any, int], int]) -> None:
    """107002: the address is one of the current device."""
    assert in_thread(lambda: call(bytearray(64), 64)) == ACL_ERROR_RT_CONTEXT_NULL


@each_register
def test_registering_what_is_no_host_memory_is_107000(
    machine: Machine, call: Callable[[Any, int], int], pages: int
) -> None:
    """The driver refuses what is no memory of the host: 107000, EL0003; an object that is too small is host-overrun."""
    assert_status(call(0x10, 64), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "0x10")
    assert_status(call(malloc(64), 64), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "is device memory")
    assert_status(call(pages, 1 << 62), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "no host memory of")
    protect(pages, 1)
    assert_status(call(pages, 2 * PAGE), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "cannot be written")
    protect(pages, 0)
    assert_status(call(pages, 2 * PAGE), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "no host memory of")
    assert finding_of(lambda: call(bytearray(63), 64))[0] == "host-overrun"
    assert list(machine.pinned) == []


@each_register
def test_registering_memory_again_is_507910(machine: Machine, call: Callable[[Any, int], int]) -> None:
    """507910, also for a part of it. Neighbours are fine, and so is registering again after unregistering."""
    host = np.zeros(128, np.uint8)
    assert call(host[:64], 64) == ACL_SUCCESS
    for part in (host[:64], host[:1], host[63:65], host):
        status = call(part, part.nbytes)
        assert_status(status, ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "(EE1011)", "registered at")
    assert call(host[64:], 64) == ACL_SUCCESS
    assert aclrtHostUnregister(host) == ACL_SUCCESS
    assert call(host[:32], 32) == ACL_SUCCESS


def test_unregistering_what_is_not_registered(machine: Machine) -> None:
    """507911: twice, an interior pointer, the address on the device, memory of aclrtMallocHost."""
    host, pinned = np.zeros(64, np.uint8), c_void_p()
    assert aclrtMallocHost(byref(pinned), 64) == ACL_SUCCESS
    address = register(host, 64)
    cases: dict[Any, str] = {
        host.ctypes.data + 1: "1 bytes inside",
        address: "inside the 64 bytes at device 0 + ",
        pinned.value: "start of pinned host memory 1",
    }
    for bad, word in cases.items():
        assert_status(aclrtHostUnregister(bad), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "(EE1011)", word)
    assert aclrtHostUnregister(host) == ACL_SUCCESS
    assert_status(aclrtHostUnregister(host), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "registered at", "unregistered at")


def test_frees_refuse_registered_memory(machine: Machine) -> None:
    """aclrtFree and aclrtFreeHost refuse it: 107000."""
    host = np.zeros(64, np.uint8)
    address = register(host, 64)
    assert_status(aclrtFree(address), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "(host memory)", "registered at")
    assert_status(aclrtFreeHost(host), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "registered host memory 1")
    assert aclrtHostUnregister(host) == ACL_SUCCESS


def test_registering_with_no_address_left_is_207001(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """207001 with EL0004; nothing is registered then."""

    def nothing(*_: object) -> None:
        return None

    host, address = np.zeros(64, np.uint8), c_void_p(7)
    with monkeypatch.context() as patch:
        patch.setattr(DeviceMemory, "_address", nothing)
        status = aclrtHostRegister(host, 64, 0, byref(address))
    assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "(EL0004)", "device 0")
    assert address.value == 7
    register(host, 64)


# what goes wrong later


def test_unregistering_under_queued_work_is_pinned_reuse(machine: Machine) -> None:
    """Finding pinned-reuse; after a wait it is fine."""
    host = np.zeros(8, np.float32)
    launch(register(host, 32))
    id, message = finding_of(lambda: aclrtHostUnregister(host))
    assert id == "pinned-reuse"
    for word in ("registered host memory 1", "unregistered while it is the output `out`", "aclrtSynchronizeStream"):
        assert word in message
    assert aclrtSynchronizeStream(None) == aclrtHostUnregister(host) == ACL_SUCCESS
    assert host.tolist() == [SOFTMAX_RESULT] * 8


GONE: dict[str, tuple[int, int, str]] = {
    "nobody can read it": (ACL_HOST_REGISTER_MAPPED, 0, "without aclrtHostUnregister"),
    "the device may only read it": (ACL_HOST_REGISTER_READONLY, 3, "may only be read"),
}


@pytest.mark.parametrize(("type", "rights", "words"), GONE.values(), ids=GONE)
@pytest.mark.parametrize("report", [False, True], ids=["raise", "report"])
def test_kernel_that_cannot_use_it(pages: int, type: int, rights: int, words: str, report: bool) -> None:
    """Memory that was given by its number, and is gone or read-only when the task runs: host-overrun and no crash; a
    machine that reports returns 507015 at the next synchronise (ours)."""
    with Machine(on_undefined="report" if report else "raise") as machine:
        aclrtSetDevice(0)
        launch(register(pages, 64, type))
        protect(pages, rights)
        if report:
            assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_AICORE_EXCEPTION, words)
            assert [finding.id for finding in machine.findings] == ["host-overrun"]
        else:
            id, message = finding_of(lambda: aclrtSynchronizeStream(None))
            assert (id, words in message) == ("host-overrun", True)
    check_documented(machine)


def test_kernel_that_reads_read_only_memory(machine: Machine, pages: int) -> None:
    """The good twin: an input may lie in read-only memory."""
    protect(pages, 1)
    tensor = aclCreateTensor([8], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [8], 1, register(pages, 32, 8))
    out = on_device(np.ones(8, np.float32))
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensor, tensor, 0, out)
    assert aclnnSoftmaxBackward(None, 0, planned.executor, None) == aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert out.read().tolist() == [0] * 8


@pytest.mark.fidelity("registered host memory")
def test_copy_that_cannot_reach_it(machine: Machine, pages: int) -> None:
    """A copy to or from memory that is gone: host-overrun and no crash."""
    address, other = register(pages, 64, ACL_HOST_REGISTER_IOMEMORY), np.zeros(64, np.uint8)
    protect(pages, 0)
    assert finding_of(lambda: aclrtMemcpy(other, 64, address, 64, ACL_MEMCPY_DEFAULT))[0] == "host-overrun"
    assert finding_of(lambda: aclrtMemcpy(address, 64, other, 64, ACL_MEMCPY_DEFAULT))[0] == "host-overrun"


def test_memory_that_is_never_unregistered_is_leaked() -> None:
    """Warning host-mem-leaked, and no mem-leaked: the device lost nothing."""
    host = np.zeros(64, np.uint8)
    with Machine() as machine:
        aclrtSetDevice(0)
        register(host, 64)
    leaks = [finding for finding in machine.findings if finding.id in ("host-mem-leaked", "mem-leaked")]
    assert [finding.id for finding in leaks] == ["host-mem-leaked"]
    assert "1 x 64 bytes of registered host memory were never unregistered" in leaks[0].message
