"""Reserved addresses and their mappings (public)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.host_threads import in_thread
from tests.helpers.memory.virtual_memory import MB, PAGE, mapped, on_host, physical, prop, reserve
from tests.helpers.outcomes import assert_status, finding_of, ok, text

TIB = 1 << 40
D2H, H2D = ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE


def write(address: int, values: np.ndarray) -> None:
    ok(aclrtMemcpy(address, values.nbytes, values, values.nbytes, H2D))


def test_a_reservation_takes_no_memory_and_no_context(machine: Machine) -> None:
    """Many times the memory of the device, as allocators with growing segments reserve."""
    address = c_void_p()
    ok(in_thread(lambda: aclrtReserveMemAddress(byref(address), TIB, 0, None, 1)))
    assert machine.devices[0].memory.used == 0
    ok(aclrtReleaseMemAddress(address))


@pytest.mark.fidelity("expectPtr of aclrtReserveMemAddress")
def test_an_expected_address_is_given_if_it_is_free(machine: Machine) -> None:
    expected = 17 * TIB
    assert reserve(PAGE, expected) == expected
    status = aclrtReserveMemAddress(byref(c_void_p()), PAGE, 0, expected, 0)
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "not in use")
    ok(aclrtReleaseMemAddress(expected))
    assert reserve(PAGE, expected) == expected, "it is free again"
    ok(aclrtReleaseMemAddress(expected))


@pytest.mark.fidelity("expectPtr of aclrtReserveMemAddress")
def test_other_addresses_lie_outside_of_the_range_for_programs(machine: Machine) -> None:
    pointer = c_void_p()
    ok(aclrtMalloc(byref(pointer), 64, ACL_MEM_MALLOC_HUGE_FIRST))
    address = reserve(PAGE)
    for each in (address, pointer.value or 0):
        assert not 16 * TIB <= each < 24 * TIB
    ok(aclrtFree(pointer))
    ok(aclrtReleaseMemAddress(address))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (PAGE, 16 * TIB - PAGE), (PAGE, 24 * TIB), (2 * PAGE, 24 * TIB - PAGE), (PAGE, 17 * TIB + MB),
        (2 << 30, 17 * TIB + PAGE), ((1 << 64) - 1, 17 * TIB),
    ],
)  # fmt: skip
def test_an_expected_address_out_of_range_or_misaligned_is_107000(machine: Machine, size: int, expected: int) -> None:
    status = aclrtReserveMemAddress(byref(c_void_p()), size, 0, expected, 0)
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "expectPtr", "16 TiB")


@pytest.mark.fidelity("expectPtr of aclrtReserveMemAddress")
def test_ascend_950_chooses_the_address_itself() -> None:
    """ "On 950 null only": an address that other products give is 107000 there."""
    with Machine(soc="Ascend950PR_9599"):
        ok(aclrtSetDevice(0))
        status = aclrtReserveMemAddress(byref(c_void_p()), PAGE, 0, 17 * TIB, 0)
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "expectPtr", "null on Ascend950PR_9599")
        ok(aclrtReleaseMemAddress(reserve(PAGE)))
        ok(aclrtResetDevice(0))


def test_more_addresses_than_a_process_has_are_207001(machine: Machine) -> None:
    status = aclrtReserveMemAddress(byref(c_void_p()), 1 << 50, 0, None, 0)
    assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "host")


def test_handles_side_by_side_are_one_range(machine: Machine) -> None:
    """A copy over three handles, from the middle of the first to the middle of the last."""
    address = mapped(3)
    values = np.arange(PAGE // 2, dtype=np.float32)
    write(address + PAGE // 2, values)
    assert (machine.read(address + PAGE // 2, values.size, np.float32) == values).all()
    assert np.isnan(machine.read(address, 4, np.float32)).all(), "bytes that nobody wrote read as the fill"
    unmap(address, 3)


def unmap(address: int, pages: int) -> None:
    for i in range(pages):
        ok(aclrtUnmapMem(address + i * PAGE))
    ok(aclrtReleaseMemAddress(address))


def test_two_mappings_of_one_handle_are_the_same_bytes(machine: Machine) -> None:
    handle, address = physical(), reserve(4 * PAGE)
    for at in (0, 3):
        ok(aclrtMapMem(address + at * PAGE, PAGE, 0, handle, 0))
    write(address + 64, np.arange(16, dtype=np.int32))
    assert list(machine.read(address + 3 * PAGE + 64, 16, np.int32)) == list(range(16))
    ok(aclrtUnmapMem(address))
    assert machine.read(address + 3 * PAGE + 68, 1, np.int32)[0] == 1, "the other mapping keeps them"
    ok(aclrtMapMem(address + PAGE, PAGE, 0, handle, 0))
    assert machine.read(address + PAGE + 68, 1, np.int32)[0] == 1, "the handle keeps them"
    ok(aclrtUnmapMem(address + PAGE))
    ok(aclrtUnmapMem(address + 3 * PAGE))
    ok(aclrtReleaseMemAddress(address))
    ok(aclrtFreePhysical(handle))


def test_memory_of_the_host_is_real_memory_at_its_address(machine: Machine) -> None:
    """ "Host code then reads and writes the mapped range directly"; for copies it is pinned."""
    handle, address, pointer = physical(given=on_host()), reserve(PAGE), c_void_p()
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    ctypes.memset(address, 7, 64)
    found = aclrtPtrAttributes()
    ok(aclrtPointerGetAttributes(address, byref(found)))
    assert found.location.type == ACL_MEM_LOCATION_TYPE_HOST
    ok(aclrtMalloc(byref(pointer), 64, ACL_MEM_MALLOC_HUGE_FIRST))
    ok(aclrtMemcpyAsync(pointer, 64, address, 64, H2D, None))
    ok(aclrtSynchronizeStream(None))
    assert set(machine.read(pointer, 64, np.uint8)) == {7}
    ok(aclrtUnmapMem(address))
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    assert ctypes.string_at(address, 2) == b"\7\7", "the bytes belong to the handle"
    assert aclrtHostUnregister(address) == ACL_ERROR_HOST_MEMORY_NOT_REGISTERED
    ok(aclrtUnmapMem(address))
    for call in (aclrtFreePhysical(handle), aclrtReleaseMemAddress(address), aclrtFree(pointer)):
        ok(call)


@pytest.mark.fidelity("aclrtMapMem of a range that does not fit")
def test_a_range_that_does_not_fit_is_107000(two: Machine) -> None:
    handle, other, small = physical(), physical(given=prop(id=1)), physical(PAGE + 4096)
    address, plain = mapped(1, reserved=4), 0x1234_0000
    rows = [
        (plain, PAGE, 0, handle, "no reserved address"),
        (address, PAGE, 0, handle, "is mapped"),
        (address + MB, PAGE, 0, handle, "multiple"),
        (address + 4 * PAGE, PAGE, 0, handle, "reserved"),
        (address + PAGE, 2 * PAGE, 0, handle, "size"),
        (address + PAGE, PAGE, 64, handle, "offset"),
        (address + PAGE, PAGE + 4096, 0, small, "granularity"),
        (address + PAGE, PAGE, 0, other, "another device"),
    ]
    for each in (aclrtMapMem, aclrtMemMapNoAccess):
        for at, size, offset, what, words in rows:
            assert_status(each(at, size, offset, what, 0), ACL_ERROR_RT_PARAM_INVALID, words)
    large = physical(2 * PAGE)
    status = aclrtMapMem(address + 3 * PAGE, 2 * PAGE, 0, large, 0)
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "2097152 bytes are reserved")
    for each in (handle, other, small, large):
        ok(aclrtFreePhysical(each))
    unmap(address, 1)


@pytest.mark.fidelity("aclrtReleaseMemAddress while memory is mapped; pointers that are no start")
def test_only_starts_are_released_and_unmapped(machine: Machine) -> None:
    address, handle = mapped(2), aclrtDrvMemHandle()
    assert_status(aclrtReleaseMemAddress(address), ACL_ERROR_RT_PARAM_INVALID, "is mapped to virtual memory 1 + 0x0")
    assert_status(aclrtReleaseMemAddress(address + PAGE), ACL_ERROR_RT_PARAM_INVALID, "no start")
    assert_status(aclrtUnmapMem(address + 64), ACL_ERROR_RT_PARAM_INVALID, "no start")
    assert_status(aclrtMemRetainAllocationHandle(address + 64, byref(handle)), ACL_ERROR_RT_PARAM_INVALID, "no start")
    assert_status(aclrtFree(address), ACL_ERROR_RT_PARAM_INVALID)
    unmap(address, 2)
    assert_status(aclrtReleaseMemAddress(address), ACL_ERROR_RT_PARAM_INVALID, "released at")
    assert_status(aclrtUnmapMem(address), ACL_ERROR_RT_PARAM_INVALID)


def access(address: int, id: int = 0, type: int = ACL_MEM_LOCATION_TYPE_DEVICE) -> tuple[int, int]:
    flag = c_uint64(77)
    return aclrtMemGetAccess(address, byref(aclrtMemLocation(id=id, type=type)), byref(flag)), flag.value


def describe(flags: int, id: int = 0, type: int = ACL_MEM_LOCATION_TYPE_DEVICE) -> aclrtMemAccessDesc:
    return aclrtMemAccessDesc(flags=flags, location=aclrtMemLocation(id=id, type=type))


@pytest.mark.fidelity("aclrtMemSetAccess for a place to which the memory does not belong")
def test_the_access_of_the_own_device_counts(two: Machine) -> None:
    address = mapped(1)
    assert access(address) == (ACL_SUCCESS, 3)
    assert access(address, 1) == (ACL_SUCCESS, 0)
    both = (aclrtMemAccessDesc * 2)(describe(1), describe(3, 1))
    ok(aclrtMemSetAccess(address, PAGE, both, 2))
    assert access(address) == (ACL_SUCCESS, 1)
    assert access(address, 1) == (ACL_SUCCESS, 0)
    unmap(address, 1)


@pytest.mark.fidelity("`count` of aclrtMemSetAccess")
@pytest.mark.parametrize(("count", "status"), [(1 << 16, ACL_SUCCESS), ((1 << 16) + 1, ACL_ERROR_RT_PARAM_INVALID)])
def test_descriptions_of_access_are_at_most_65536(machine: Machine, count: int, status: int) -> None:
    """A larger count is a mistake, such as a size in bytes (ours)."""
    address = mapped(1)
    each = (aclrtMemAccessDesc * count)(*[describe(3)] * count)
    assert_status(aclrtMemSetAccess(address, PAGE, each, count), status, *(["from 1 to 65536"] if status else []))
    unmap(address, 1)


def test_memory_without_access_is_not_usable_before_it_is_given(machine: Machine) -> None:
    handle, address, values = physical(), reserve(PAGE), np.zeros(16, np.float32)
    ok(aclrtMemMapNoAccess(address, PAGE, 0, handle, 0))
    assert access(address) == (ACL_SUCCESS, 0)
    id, report = finding_of(lambda: aclrtMemcpy(address, 64, values, 64, H2D))
    assert id == "unmapped-access"
    assert "aclrtMemSetAccess" in report
    ok(aclrtMemSetAccess(address, PAGE, byref(describe(1)), 1))
    assert finding_of(lambda: aclrtMemcpy(address, 64, values, 64, H2D))[0] == "unmapped-access"
    ok(aclrtMemSetAccess(address, PAGE, byref(describe(3)), 1))
    write(address, values)
    unmap(address, 1)
    ok(aclrtFreePhysical(handle))


def test_queries_see_the_mapping(machine: Machine) -> None:
    address, start, size, found = mapped(2, reserved=3), c_void_p(), c_uint64(), aclrtPtrAttributes()
    ok(aclrtMemGetAddressRange(address + PAGE + 5, byref(start), byref(size)))
    assert (start.value, size.value) == (address + PAGE, PAGE)
    ok(aclrtPointerGetAttributes(address + PAGE, byref(found)))
    assert (found.location.type, found.location.id, found.pageSize) == (ACL_MEM_LOCATION_TYPE_DEVICE, 0, PAGE)
    hole = address + 2 * PAGE
    assert aclrtMemGetAddressRange(hole, byref(start), byref(size)) == ACL_ERROR_RT_PARAM_INVALID
    assert aclrtPointerGetAttributes(hole, byref(found)) == ACL_ERROR_RT_PARAM_INVALID
    with pytest.raises(ValueError, match="not all mapped"):
        machine.read(hole - 4, 2, np.float32)
    text()
    unmap(address, 2)


ONE = c_void_p(1 << 20)
HANDLE = c_void_p(8)
REFUSED: dict[str, tuple[Callable[[], int], int, str]] = {
    "reserve": (lambda: aclrtReserveMemAddress(None, 0, 0, None, 9), 100000, "virPtr"),
    "reserve-size": (lambda: aclrtReserveMemAddress(byref(c_void_p()), 0, 0, None, 9), 100000, "size"),
    "reserve-flags": (lambda: aclrtReserveMemAddress(byref(c_void_p()), 9, 0, 5, 2), 100000, "flags"),
    "release": (lambda: aclrtReleaseMemAddress(None), 100000, "virPtr"),
    "map": (lambda: aclrtMapMem(None, 0, 0, None, 9), 100000, "virPtr"),
    "map-handle": (lambda: aclrtMapMem(ONE, 0, 0, None, 9), 100000, "handle"),
    "map-size": (lambda: aclrtMapMem(ONE, 0, 0, HANDLE, 9), 100000, "size"),
    "map-flags": (lambda: aclrtMapMem(ONE, 9, 0, HANDLE, 9), 100000, "flags"),
    "map-dead": (lambda: aclrtMapMem(ONE, 9, 0, HANDLE, 0), 107017, "handle"),
    "no-access": (lambda: aclrtMemMapNoAccess(None, 0, 0, None, 9), 100000, "virPtr"),
    "no-access-dead": (lambda: aclrtMemMapNoAccess(ONE, 9, 0, HANDLE, 0), 107017, "handle"),
    "unmap": (lambda: aclrtUnmapMem(None), 100000, "virPtr"),
    "unmap-unknown": (lambda: aclrtUnmapMem(ONE), 107000, "no start of a mapping"),
    "set": (lambda: aclrtMemSetAccess(None, 0, None, 0), 107000, "virPtr"),
    "set-desc": (lambda: aclrtMemSetAccess(ONE, 0, None, 0), 107000, "desc"),
    "set-count": (lambda: aclrtMemSetAccess(ONE, 0, byref(describe(3)), 0), 107000, "count"),
    "set-unknown": (lambda: aclrtMemSetAccess(ONE, 0, byref(describe(3)), 1), 107000, "no start of a mapping"),
    "get": (lambda: aclrtMemGetAccess(None, None, None), 100000, "virPtr"),
    "get-location": (lambda: aclrtMemGetAccess(ONE, None, None), 100000, "location"),
    "get-flag": (lambda: aclrtMemGetAccess(ONE, byref(aclrtMemLocation()), None), 100000, "flag"),
    "get-place": (lambda: access(1 << 20, 9)[0], 107000, "location"),
    "get-unknown": (lambda: access(1 << 20)[0], 107000, "nothing is mapped"),
    "retain": (lambda: aclrtMemRetainAllocationHandle(None, None), 100000, "virPtr"),
    "retain-out": (lambda: aclrtMemRetainAllocationHandle(ONE, None), 100000, "handle"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_of_several_mistakes_the_first_check_answers(machine: Machine, name: str) -> None:
    call, status, word = REFUSED[name]
    assert_status(call(), status, word)


@pytest.mark.parametrize(
    ("desc", "size", "word"),
    [
        (describe(2), PAGE, "flags"), (describe(3, 9), PAGE, "location"), (describe(3, 0, 4), PAGE, "location"),
        (describe(3), PAGE // 2, "size"),
    ],
)  # fmt: skip
def test_a_description_that_fits_nothing_is_107000(
    machine: Machine, desc: aclrtMemAccessDesc, size: int, word: str
) -> None:
    address = mapped(1)
    assert_status(aclrtMemSetAccess(address, size, byref(desc), 1), ACL_ERROR_RT_PARAM_INVALID, word)
    assert access(address) == (ACL_SUCCESS, 3)
    unmap(address, 1)
