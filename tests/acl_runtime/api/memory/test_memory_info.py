"""Queries of free memory, of usage, and of the memory behind an address (public)."""

from collections.abc import Callable
from ctypes import byref, c_uint32, c_uint64, c_void_p, sizeof
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of

MIB, GIB = 1 << 20, 1 << 30
DDR = {ACL_DDR_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL, ACL_DDR_MEM_P2P_HUGE, ACL_DDR_MEM_P2P_NORMAL}
HBM = {
    ACL_HBM_MEM, ACL_HBM_MEM_HUGE, ACL_HBM_MEM_NORMAL, ACL_HBM_MEM_P2P_HUGE, ACL_HBM_MEM_P2P_NORMAL,
    ACL_HBM_MEM_HUGE1G, ACL_HBM_MEM_P2P_HUGE1G,
}  # fmt: skip
PAGES_1G = {ACL_HBM_MEM_HUGE1G, ACL_HBM_MEM_P2P_HUGE1G, ACL_MEM_HUGE1G, ACL_MEM_P2P_HUGE1G}
SAME = {
    "huge": (ACL_MEM_HUGE, ACL_MEM_P2P_HUGE),
    "normal": (ACL_MEM_NORMAL, ACL_MEM_P2P_NORMAL),
    "1 GiB": (ACL_MEM_HUGE1G, ACL_MEM_P2P_HUGE1G),
}
SOCS = {
    "training: HBM": ("Ascend910A", HBM, 32 * GIB),
    "A2: HBM": ("Ascend910B1", HBM, 64 * GIB),
    "A3: HBM": ("Ascend910_9391", HBM, 64 * GIB),
    "950: HBM": ("Ascend950PR_9599", HBM, 128 * GIB),
    "310P: DDR": ("Ascend310P3", DDR, 24 * 10**9),
    "310B: DDR": ("Ascend310B1", DDR, 32 * GIB),
}


def info(attr: int) -> tuple[int, int]:
    free, total = c_uint64(7), c_uint64(7)
    assert aclrtGetMemInfo(attr, byref(free), byref(total)) == ACL_SUCCESS
    return free.value, total.value


def allocate(size: int, policy: int) -> int:
    address = c_void_p()
    assert aclrtMalloc(byref(address), size, policy) == ACL_SUCCESS
    return address.value or 0


# aclrtGetMemInfo


def test_memory_info_refuses_null_and_unknown_attributes(machine: Machine) -> None:
    """Null -> 100000; an attribute beyond 0-17 -> 107016, a range check before that of the context (107002)."""
    number = c_uint64()
    assert_status(aclrtGetMemInfo(99, None, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "free cannot be a NULL pointer")
    assert_status(
        aclrtGetMemInfo(99, byref(number), None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "total cannot be a NULL pointer"
    )
    for attr in (18, -1):
        status = aclrtGetMemInfo(attr, byref(number), byref(number))
        assert_status(status, ACL_ERROR_RT_INVALID_MEMORY_TYPE, "(EE1003)", "[0, 17]")
        assert in_thread(lambda attr=attr: aclrtGetMemInfo(attr, byref(number), byref(number))) == status
    status = in_thread(lambda: aclrtGetMemInfo(ACL_HBM_MEM, byref(number), byref(number)))
    assert status == ACL_ERROR_RT_CONTEXT_NULL


@pytest.mark.fidelity("page sizes in aclrtGetMemInfo")
@pytest.mark.parametrize(("soc", "own", "capacity"), SOCS.values(), ids=SOCS)
def test_hbm_counts_on_every_product_and_ddr_where_it_is_the_memory(soc: str, own: set[int], capacity: int) -> None:
    """ "For the plain DDR (0) or HBM (1) attribute total = huge + normal"; "wrong memory kind for the product gives
    0/0 or the other kind's numbers" (public), here 0/0 for DDR, and the numbers of DDR for HBM (ours); 12-17 "the same
    without naming the kind"; pages of 1 GiB on A2, A3 and 950 only."""
    with Machine(soc) as machine:
        aclrtSetDevice(0)
        found = {attr: info(attr) for attr in aclrtMemAttr}
        assert [attr for attr in DDR if (found[attr] == (0, 0)) != (own is HBM)] == []
        assert all(
            (found[attr] != (0, 0)) == (soc in ("Ascend910B1", "Ascend910_9391", "Ascend950PR_9599"))
            for attr in PAGES_1G
        )
        assert found[ACL_HBM_MEM] == (capacity, capacity)
        if own is DDR:
            assert [found[attr] for attr in sorted(DDR)] == [found[attr] for attr in sorted(HBM - PAGES_1G)]
        assert found[ACL_MEM_HUGE][1] + found[ACL_MEM_NORMAL][1] == capacity
        assert found[ACL_MEM_HUGE][1] % (2 * MIB) == 0
        assert all(found[one] == found[other] for one, other in SAME.values())
        assert (found[ACL_HBM_MEM_HUGE], found[ACL_HBM_MEM_NORMAL]) == (found[ACL_MEM_HUGE], found[ACL_MEM_NORMAL])
    check_documented(machine)


@pytest.mark.fidelity("page sizes in aclrtGetMemInfo")
def test_15_of_16_parts_are_in_huge_pages() -> None:
    """15 of 16 parts in huge pages (ours); with another hbm_bytes too."""
    with Machine(hbm_bytes=GIB + 5):
        aclrtSetDevice(0)
        assert info(ACL_HBM_MEM) == (GIB + 5, GIB + 5)
        assert info(ACL_HBM_MEM_HUGE) == (960 * MIB, 960 * MIB)
        assert info(ACL_HBM_MEM_NORMAL) == (64 * MIB + 5, 64 * MIB + 5)
    with Machine("Ascend910_9391"):
        aclrtSetDevice(0)
        assert info(ACL_HBM_MEM_HUGE1G) == (60 * GIB, 60 * GIB)
        allocate(100, ACL_MEM_MALLOC_HUGE1G_ONLY)
        assert info(ACL_MEM_P2P_HUGE1G) == (59 * GIB, 60 * GIB)


SHRINKS = {
    "64 bytes: normal pages": (64, ACL_MEM_MALLOC_HUGE_FIRST, 96, ACL_HBM_MEM_NORMAL),
    "1 MiB: normal pages": (MIB, ACL_MEM_MALLOC_HUGE_FIRST, MIB + 32, ACL_HBM_MEM_NORMAL),
    "more than 1 MiB: huge pages": (MIB + 1, ACL_MEM_MALLOC_HUGE_FIRST, MIB + 64, ACL_HBM_MEM_HUGE),
    "huge only": (64, ACL_MEM_MALLOC_HUGE_ONLY, 2 * MIB, ACL_HBM_MEM_HUGE),
    "normal only": (4 * MIB, ACL_MEM_MALLOC_NORMAL_ONLY, 4 * MIB + 32, ACL_HBM_MEM_NORMAL),
    "an unknown policy: huge if large": (4 * MIB, 99, 4 * MIB + 32, ACL_HBM_MEM_HUGE),
    "huge first for sharing": (4 * MIB, 3, 4 * MIB + 32, ACL_HBM_MEM_P2P_HUGE),
}


@pytest.mark.parametrize(("size", "policy", "real", "attr"), SHRINKS.values(), ids=SHRINKS)
def test_free_shrinks_by_the_real_size(machine: Machine, size: int, policy: int, real: int, attr: int) -> None:
    """An allocation lowers both counts: of all pages, and of the pages of its policy. A free raises them again
    (public)."""
    before = info(ACL_HBM_MEM), info(attr)
    address = allocate(size, policy)
    for (free, total), now in zip(before, (info(ACL_HBM_MEM), info(attr)), strict=True):
        assert now == (free - real, total)
    assert aclrtFree(address) == ACL_SUCCESS
    assert (info(ACL_HBM_MEM), info(attr)) == before


@pytest.mark.fidelity("page sizes in aclrtGetMemInfo")
def test_pages_of_one_size_used_up() -> None:
    """Huge first falls back to normal pages, and an allocation fails only when the whole device is used (ours)."""
    with Machine(hbm_bytes=64 * MIB) as machine:
        aclrtSetDevice(0)
        assert info(ACL_MEM_HUGE)[0] == 60 * MIB
        allocate(60 * MIB - 32, ACL_MEM_MALLOC_HUGE_FIRST)
        address = allocate(3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST)
        assert (info(ACL_MEM_HUGE)[0], info(ACL_MEM_NORMAL)[0]) == (0, MIB - 32)
        assert attributes(address).pageSize == 4096
    with Machine(hbm_bytes=64 * MIB) as machine:
        aclrtSetDevice(0)
        allocate(10 * MIB - 32, ACL_MEM_MALLOC_NORMAL_ONLY)
        assert (info(ACL_MEM_HUGE)[0], info(ACL_MEM_NORMAL)[0], info(ACL_HBM_MEM)[0]) == (54 * MIB, 0, 54 * MIB)
    check_documented(machine)


# aclrtGetMemUsageInfo


def usage(device: int, room: int = 4) -> list[tuple[bytes, int, int]]:
    array, count = (aclrtMemUsageInfo * room)(), c_uint64()
    assert aclrtGetMemUsageInfo(device, array, room, byref(count)) == ACL_SUCCESS
    return [(each.name, each.curMemSize, each.memPeakSize) for each in array[: count.value]]


@pytest.mark.fidelity("aclrtGetMemUsageInfo")
def test_usage_and_peak_are_those_of_the_application(two: Machine) -> None:
    """One module (ours): the application, with its usage and peak on a device. No context is needed."""
    assert in_thread(lambda: usage(1)) == [(b"APP", 0, 0)]
    aclrtSetDevice(1)
    first, second = malloc(100), malloc(1000)
    assert aclrtFree(second) == ACL_SUCCESS
    assert usage(1, 1) == [(b"APP", 160, 160 + 1056)]
    assert aclrtFree(first) == ACL_SUCCESS
    assert usage(1) == [(b"APP", 0, 160 + 1056)]
    assert usage(0) == [(b"APP", 0, 0)]


def test_usage_refuses_null_then_a_bad_device(machine: Machine) -> None:
    """Null, room 0 -> 100000; a bad device -> 107001; too little room is host-overrun."""
    one, count = aclrtMemUsageInfo(), c_uint64()
    assert_status(aclrtGetMemUsageInfo(9, None, 0, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "memUsageInfo")
    status = aclrtGetMemUsageInfo(9, byref(one), 0, byref(count))
    assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "inputNum")
    assert_status(aclrtGetMemUsageInfo(9, byref(one), 1, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "outputNum")
    for device in (-1, 1):
        status = aclrtGetMemUsageInfo(device, byref(one), 1, byref(count))
        assert_status(status, ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "[0, 1)")
    assert finding_of(lambda: aclrtGetMemUsageInfo(0, 0x10, 1, byref(count)))[0] == "host-overrun"


# aclrtCheckMemType


@pytest.mark.fidelity("dead device addresses in queries")
def test_live_device_memory_is_of_type_2(machine: Machine) -> None:
    """The result is 1 "if all addresses are of that type". Live device memory is of type 2."""
    address, dead, host = malloc(64), malloc(64), np.zeros(8)
    assert aclrtFree(dead) == ACL_SUCCESS
    cases: list[tuple[list[Any], int, int]] = [
        ([address], ACL_RT_MEM_TYPE_DEV, 1),
        ([address, address + 63], ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP, 1),
        ([address], ACL_RT_MEM_TYPE_DVPP, 0),
        ([address, host], ACL_RT_MEM_TYPE_DEV, 0),
        ([address, None], ACL_RT_MEM_TYPE_DEV, 0),
        ([dead], ACL_RT_MEM_TYPE_DEV, 0),
        ([address, host], ACL_RT_MEM_TYPE_DEV, 0),
    ]
    for addresses, kind, expected in cases:
        result = c_uint32(7)
        assert aclrtCheckMemType(addresses, len(addresses), kind, byref(result), 0) == ACL_SUCCESS
        assert result.value == expected
    result = c_uint32(7)
    array: Any = (c_void_p * 3)(address)
    assert in_thread(lambda: aclrtCheckMemType(array, 1, ACL_RT_MEM_TYPE_DEV, byref(result), 0)) == ACL_SUCCESS
    assert result.value == 1


TYPE_REFUSALS: dict[str, tuple[Callable[[], int], str]] = {
    "addrList null": (lambda: aclrtCheckMemType(None, 0, 0, None, 1), "addrList"),
    "size 0": (lambda: aclrtCheckMemType([0], 0, 0, None, 1), "size"),
    "no type": (lambda: aclrtCheckMemType([0], 1, 0, None, 1), "memType"),
    "unknown type": (lambda: aclrtCheckMemType([0], 1, 3, None, 1), "memType"),
    "checkResult null": (lambda: aclrtCheckMemType([0], 1, 2, None, 1), "checkResult"),
    "reserve not 0": (lambda: aclrtCheckMemType([0], 1, 2, byref(c_uint32()), 1), "reserve"),
}


@pytest.mark.parametrize(("call", "parameter"), TYPE_REFUSALS.values(), ids=TYPE_REFUSALS)
def test_types_refuse_arguments_in_their_order(machine: Machine, call: Callable[[], int], parameter: str) -> None:
    """100000, in the order of the arguments (public)."""
    assert_status(call(), ACL_ERROR_INVALID_PARAM, parameter)


def test_more_addresses_than_there_are(machine: Machine) -> None:
    """A list shorter than its count is undefined (ours)."""
    call: Callable[[], int] = lambda: aclrtCheckMemType([0x10], 2, ACL_RT_MEM_TYPE_DEV, byref(c_uint32()), 0)  # noqa: E731
    assert finding_of(call)[0] == "host-overrun"


# aclrtMemGetAddressRange


@pytest.mark.fidelity("dead device addresses in queries")
def test_an_interior_pointer_gives_start_and_size_of_its_allocation(machine: Machine) -> None:
    """Start and size of the allocation that an interior pointer lies in; no context is needed."""
    address, start, size = malloc(100), c_void_p(), c_uint64()
    for inside in (0, 1, 99):
        start.value = 0
        status = in_thread(lambda inside=inside: aclrtMemGetAddressRange(address + inside, byref(start), byref(size)))
        assert (status, start.value, size.value) == (ACL_SUCCESS, address, 100)
    host = c_void_p()
    assert aclrtMallocHost(byref(host), 64) == ACL_SUCCESS
    dead = malloc(64)
    assert aclrtFree(dead) == ACL_SUCCESS
    for bad, word in (
        (address + 100, "past the end"),
        (dead, "freed at"),
        (host, "pinned host memory 1"),
        (0x10, "0x10"),
    ):
        status = aclrtMemGetAddressRange(bad, byref(start), byref(size))
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", word)


def test_an_address_range_refuses_nulls_in_their_order(machine: Machine) -> None:
    """Null arguments 100000, in their order."""
    assert_status(aclrtMemGetAddressRange(None, None, None), ACL_ERROR_INVALID_PARAM, "ptr cannot be a NULL pointer")
    assert_status(aclrtMemGetAddressRange(0x10, None, None), ACL_ERROR_INVALID_PARAM, "pbase")
    assert_status(aclrtMemGetAddressRange(0x10, byref(c_void_p()), None), ACL_ERROR_INVALID_PARAM, "psize")


# aclrtPointerGetAttributes


def attributes(pointer: Any) -> aclrtPtrAttributes:
    found = aclrtPtrAttributes()
    assert aclrtPointerGetAttributes(pointer, byref(found)) == ACL_SUCCESS
    return found


@pytest.mark.fidelity("dead device addresses in queries")
def test_device_memory_has_type_1_and_its_device(two: Machine) -> None:
    """Type 1, the device as id, the page size of the policy; "interior pointers are fine"; no context is needed."""
    with Machine("Ascend910_9391", device_count=2) as machine:
        aclrtSetDevice(1)
        for policy, page in (
            (ACL_MEM_MALLOC_NORMAL_ONLY, 4096),
            (ACL_MEM_MALLOC_HUGE_ONLY, 2 * MIB),
            (ACL_MEM_MALLOC_HUGE1G_ONLY, GIB),
        ):
            address = allocate(64, policy)
            found = in_thread(lambda address=address: attributes(address + 63))
            where = found.location.id, found.location.type, found.pageSize
            assert where == (1, ACL_MEM_LOCATION_TYPE_DEVICE, page)
            assert list(found.rsv) == [0] * 4
            assert aclrtFree(address) == ACL_SUCCESS
            status = aclrtPointerGetAttributes(address, byref(found))
            assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "freed at")
    check_documented(machine)


def test_pinned_memory_has_type_0_and_plain_memory_2(machine: Machine) -> None:
    """Pinned: type 0, id 0; "plain malloc memory gives 2, success", and so does any other address."""
    host = c_void_p()
    assert aclrtMallocHost(byref(host), 64) == ACL_SUCCESS
    assert host.value
    found = attributes(host.value + 63)
    assert (found.location.id, found.location.type, found.pageSize) == (0, ACL_MEM_LOCATION_TYPE_HOST, 4096)
    for plain in (np.zeros(8), bytes(8), 0x10, host.value + 64):
        found = attributes(plain)
        assert (found.location.id, found.location.type) == (0, ACL_MEM_LOCATION_TYPE_UNREGISTERED)


def test_attributes_refuse_null_and_a_missing_struct(machine: Machine) -> None:
    """Null arguments 100000; a bad address of the struct is host-overrun and no crash."""
    found = aclrtPtrAttributes()
    assert sizeof(found) == 28
    assert_status(
        aclrtPointerGetAttributes(None, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "ptr cannot be a NULL pointer"
    )
    assert_status(aclrtPointerGetAttributes(0x10, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "attributes")
    assert finding_of(lambda: aclrtPointerGetAttributes(0x10, 0x10))[0] == "host-overrun"
