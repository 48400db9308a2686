"""Physical memory: kinds, sizes, shares (public)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.host_threads import in_thread
from tests.helpers.memory.virtual_memory import MB, PAGE, on_host, physical, prop, reserve
from tests.helpers.outcomes import assert_status, ok, text

DEVICE, HOST = ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST
GIB = 1 << 30
HUGE, NORMAL = {4, 5, 13, 12, 15, 16}, {3, 5, 7, 12, 15}
ANY = {4, 5, 10, *range(12, 18)}


def granularity(given: aclrtPhysicalMemProp, option: int = 0) -> tuple[int, int]:
    found = c_uint64()
    return aclrtMemGetAllocationGranularity(byref(given), option, byref(found)), found.value


@pytest.mark.fidelity("granularity of physical memory")
@pytest.mark.parametrize("option", [0, 1])
def test_granularity_by_attribute_and_place(machine: Machine, option: int) -> None:
    """2 MiB, 1 GiB, and 4 KiB for normal pages of the host; DDR attributes only on the host, others nowhere."""
    for attribute in range(-1, 20):
        for place, allowed in ((DEVICE, ANY), (HOST, ANY | {2, 3, 6, 7})):
            status, found = granularity(prop(attribute, place), option)
            if attribute not in allowed:
                assert status == ACL_ERROR_INVALID_PARAM, (attribute, place)
                continue
            small = 4096 if place == HOST and attribute in NORMAL else 2 * MB
            assert (status, found) == (ACL_SUCCESS, GIB if attribute in (10, 14, 17) else small), (attribute, place)
    text()


def test_the_call_needs_no_context(machine: Machine) -> None:
    assert in_thread(lambda: granularity(prop())) == (ACL_SUCCESS, 2 * MB)
    handle = aclrtDrvMemHandle()
    ok(in_thread(lambda: aclrtMallocPhysical(byref(handle), PAGE, byref(prop()), 0)))
    ok(in_thread(lambda: aclrtFreePhysical(handle)))


def changed(**fields: int) -> aclrtPhysicalMemProp:
    made = prop()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


REFUSED: dict[str, tuple[Callable[[], int], int, str]] = {
    "granularity-prop": (lambda: aclrtMemGetAllocationGranularity(None, 0, None), 100000, "prop"),
    "granularity": (lambda: aclrtMemGetAllocationGranularity(byref(prop()), 0, None), 100000, "granularity"),
    "granularity-device": (lambda: granularity(prop(id=7))[0], 107001, "prop->location.id"),
    "granularity-option": (lambda: granularity(prop(), 7)[0], 107000, "option"),
    "granularity-type": (lambda: granularity(changed(allocationType=1))[0], 107000, "allocationType"),
    "handle": (lambda: aclrtMallocPhysical(None, 0, None, 9), 100000, "handle"),
    "prop": (lambda: malloc(None, 0, 9), 100000, "prop"),
    "size": (lambda: malloc(prop(), 0, 9), 100000, "size"),
    "flags": (lambda: malloc(changed(handleType=2), PAGE, 9), 100000, "flags"),
    "handle-type": (lambda: malloc(changed(handleType=2), PAGE), 100000, "handleType"),
    "allocation-type": (lambda: malloc(changed(allocationType=1), PAGE), 100000, "allocationType"),
    "location-2": (lambda: malloc(prop(type=2), PAGE), 100000, "location.type"),
    "location-3": (lambda: malloc(prop(type=3), PAGE), 100000, "location.type"),
    "ddr-of-a-device": (lambda: malloc(prop(2), PAGE), 100000, "memAttr"),
    "plain-hbm": (lambda: malloc(prop(1), PAGE), 100000, "memAttr"),
    "device": (lambda: malloc(prop(id=1), PAGE), 107001, "prop->location.id"),
    "too-much": (lambda: malloc(prop(), 1 << 50), 207001, "free"),
    "too-much-of-the-host": (lambda: malloc(on_host(), 1 << 62), 207001, "host"),
    "free-null": (lambda: aclrtFreePhysical(None), 100000, "handle"),
    "properties-null": (lambda: aclrtMemGetAllocationPropertiesFromHandle(None, None), 100000, "handle"),
    "properties-prop": (lambda: aclrtMemGetAllocationPropertiesFromHandle(c_void_p(8), None), 100000, "prop"),
    "properties-handle": (
        lambda: aclrtMemGetAllocationPropertiesFromHandle(c_void_p(8), byref(prop())), 107017, "handle",
    ),
}  # fmt: skip


def malloc(given: aclrtPhysicalMemProp | None, size: int, flags: int = 0) -> int:
    return aclrtMallocPhysical(byref(aclrtDrvMemHandle()), size, given and byref(given), flags)


@pytest.mark.parametrize("name", REFUSED)
def test_of_several_mistakes_the_first_check_answers(machine: Machine, name: str) -> None:
    call, status, word = REFUSED[name]
    assert_status(call(), status, word)
    assert machine.devices[0].memory.used == 0


@pytest.mark.fidelity("physical memory of a node of the host (HOST_NUMA)")
def test_kinds_that_the_product_lacks_are_207000() -> None:
    for soc, given, word in (
        ("Ascend910B1", prop(ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_HOST_NUMA), "nodes"),
        ("Ascend310P3", prop(ACL_HBM_MEM_HUGE1G), "1 GiB"),
    ):
        with Machine(soc=soc):
            ok(aclInit(None))
            ok(aclrtSetDevice(0))
            assert_status(malloc(given, GIB), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, word)
            ok(aclrtResetDevice(0))


def test_a_node_of_the_host_needs_a_context(machine: Machine) -> None:
    given = prop(ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_HOST_NUMA)
    assert in_thread(lambda: malloc(given, PAGE)) == ACL_ERROR_RT_CONTEXT_NULL


def test_memory_is_charged_in_whole_pages(machine: Machine) -> None:
    memory = machine.devices[0].memory
    handle = physical(PAGE + 1)
    assert memory.used == 2 * PAGE
    ok(aclrtFreePhysical(handle))
    assert memory.used == 0


@pytest.mark.fidelity("a second aclrtFreePhysical")
def test_a_handle_that_was_freed_is_107017(machine: Machine) -> None:
    handle = physical()
    ok(aclrtFreePhysical(handle))
    assert_status(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE, "physical memory handle 1", "freed at")
    address = reserve(PAGE)
    assert_status(aclrtMapMem(address, PAGE, 0, handle, 0), ACL_ERROR_RT_INVALID_HANDLE, "freed at")
    ok(aclrtReleaseMemAddress(address))


def test_memory_that_is_mapped_goes_back_with_its_last_mapping(machine: Machine) -> None:
    """ "Succeeds while the block is still mapped; the memory goes back when the last mapping is gone"."""
    memory, handle, address = machine.devices[0].memory, physical(), reserve(2 * PAGE)
    for at in (address, address + PAGE):
        ok(aclrtMapMem(at, PAGE, 0, handle, 0))
    ok(aclrtFreePhysical(handle))
    ok(aclrtUnmapMem(address))
    assert memory.used == PAGE
    ok(aclrtUnmapMem(address + PAGE))
    assert memory.used == 0
    ok(aclrtReleaseMemAddress(address))


@pytest.mark.fidelity("aclrtMemRetainAllocationHandle")
def test_each_share_needs_a_free(machine: Machine) -> None:
    handle, again, address = physical(), aclrtDrvMemHandle(), reserve(PAGE)
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    ok(aclrtMemRetainAllocationHandle(address, byref(again)))
    assert again == handle
    ok(aclrtUnmapMem(address))
    ok(aclrtFreePhysical(handle))
    assert machine.devices[0].memory.used == PAGE
    ok(aclrtFreePhysical(again))
    assert machine.devices[0].memory.used == 0
    ok(aclrtReleaseMemAddress(address))


@pytest.mark.fidelity("aclrtMemRetainAllocationHandle")
@pytest.mark.parametrize("given", [prop(), on_host()], ids=["device", "host"])
def test_memory_whose_handle_was_freed_gets_a_new_one(machine: Machine, given: aclrtPhysicalMemProp) -> None:
    """The mapping keeps the memory, so the memory can still be had. All its mappings belong to the new handle."""
    handle, again, address = physical(given=given), aclrtDrvMemHandle(), reserve(3 * PAGE)
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    ok(aclrtMapMem(address + PAGE, PAGE, 0, handle, 0))
    ok(aclrtFreePhysical(handle))
    ok(aclrtMemset(address, 64, 7, 64))
    ok(aclrtMemRetainAllocationHandle(address, byref(again)))
    assert again != handle
    for at in (address, address + PAGE):
        ok(aclrtUnmapMem(at))
    ok(aclrtMapMem(address + 2 * PAGE, PAGE, 0, again, 0))
    values = np.zeros(64, np.uint8)
    ok(aclrtMemcpy(values, 64, address + 2 * PAGE, 64, ACL_MEMCPY_DEFAULT))
    assert set(values) == {7}
    ok(aclrtUnmapMem(address + 2 * PAGE))
    assert_status(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE)
    ok(aclrtFreePhysical(again))
    assert machine.devices[0].memory.used == 0
    ok(aclrtReleaseMemAddress(address))


@pytest.mark.parametrize("given", [prop(), prop(ACL_MEM_NORMAL), on_host()])
def test_properties_are_those_of_the_allocation(machine: Machine, given: aclrtPhysicalMemProp) -> None:
    handle, found = physical(given=given), aclrtPhysicalMemProp(reserve=7)
    ok(aclrtMemGetAllocationPropertiesFromHandle(handle, byref(found)))
    assert bytes(found) == bytes(given)
    ok(aclrtFreePhysical(handle))


def test_memory_that_is_never_freed_is_a_leak() -> None:
    with Machine() as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        physical()
        physical(given=on_host())
        ok(aclrtResetDevice(0))
    assert [finding.id for finding in machine.findings] == ["mem-leaked", "host-mem-leaked"]


@pytest.mark.fidelity("reservations that a program never releases")
def test_each_leftover_of_virtual_memory_is_one_leak() -> None:
    """A handle that is never freed, its mappings, and addresses that are never released."""
    with Machine() as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        address, kept = reserve(4 * PAGE), physical(given=on_host())
        ok(aclrtMapMem(address, PAGE, 0, kept, 0))
        ok(aclrtMapMem(address + PAGE, PAGE, 0, kept, 0))
        reserve(PAGE)
        ok(aclrtResetDevice(0))
    found = [(finding.id, finding.what) for finding in machine.findings]
    assert [id for id, _ in found] == ["mem-leaked", "mem-leaked", "host-mem-leaked"]
    assert "1 x 8388608 bytes of virtual memory were never released with aclrtReleaseMemAddress" in found[0][1]
    assert "2 mappings in it were never ended with aclrtUnmapMem" in found[0][1]
    assert "1 x 2097152 bytes of virtual memory were never released" in found[1][1]
    assert "mapping" not in found[1][1]
    assert "aclrtFreePhysical" in found[2][1]


def test_memory_of_the_host_is_pinned_as_that_of_aclrtMallocHost(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both together fit into the memory of the host."""
    monkeypatch.setattr("acl_runtime.memory.pinned._host_bytes", lambda: 3 * PAGE)
    handle, pointer = physical(2 * PAGE, on_host()), c_void_p()
    assert_status(malloc(on_host(), 2 * PAGE), ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "pinned")
    assert aclrtMallocHost(byref(pointer), 2 * PAGE) == ACL_ERROR_RT_MEMORY_ALLOCATION
    text()
    ok(aclrtFreePhysical(handle))
    ok(aclrtMallocHost(byref(pointer), 2 * PAGE))
    assert_status(malloc(on_host(), 2 * PAGE), ACL_ERROR_RT_MEMORY_ALLOCATION, "host", "pinned")
    ok(aclrtFreeHost(pointer))
    ok(aclrtFreePhysical(physical(2 * PAGE, on_host())))


def test_released_virtual_memory_is_no_leak() -> None:
    with Machine() as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        ok(aclrtReleaseMemAddress(reserve(PAGE)))
        ok(aclrtResetDevice(0))
    assert not machine.findings
