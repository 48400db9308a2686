"""Managed memory: host and device use it by the same address; advice and prefetches are kept."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int32, c_size_t, c_uint8, c_uint64, c_void_p

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, errors, ok

PAGE = 2 << 20
ATTRIBUTES = aclrtMemManagedRangeAttribute
HOST = aclrtMemManagedLocation(ACL_MEM_LOCATIONTYPE_HOST, 0)
DEVICE = aclrtMemManagedLocation(ACL_MEM_LOCATIONTYPE_DEVICE, 0)
NEITHER = aclrtMemManagedLocation(ACL_MEM_LOCATIONTYPE_DEVICE, 9)


def managed(size: int = 64) -> int:
    pointer = c_void_p()
    ok(aclrtMemAllocManaged(byref(pointer), size, 1))
    return pointer.value or 0


def attribute(kind: int, start: int, size: int = 64, count: int = 1) -> list[int]:
    values = (c_int32 * count)()
    ok(aclrtMemManagedGetAttr(kind, start, size, values, 4 * count))
    return list(values)


@pytest.mark.fidelity("managed memory (aclrtMemAllocManaged)")
def test_host_and_device_see_the_same_bytes(machine: Machine) -> None:
    start = managed()
    host = (c_uint8 * 64).from_address(start)
    host[:] = bytes(range(64))
    stream, target = create_stream(), managed(PAGE + 1)
    ok(aclrtMemcpyAsync(target, 64, start, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    ok(aclrtMemsetAsync(start, 64, 7, 32, stream))
    ok(aclrtSynchronizeStream(stream))
    assert bytes(host) == b"\x07" * 32 + bytes(range(32, 64))
    assert bytes((c_uint8 * 64).from_address(target)) == bytes(range(64))
    ok(aclrtFree(start))
    ok(aclrtFree(target))
    assert errors(machine) == []
    assert_status(aclrtFree(start), ACL_ERROR_RT_PARAM_INVALID)


def test_it_takes_pages_of_2_mib_and_no_memory_of_the_device(machine: Machine) -> None:
    """ "rounded up to 2 MiB [...] aclrtPointerGetAttributes says MANAGED 3"."""
    used = machine.devices[0].memory.used
    start, attributes = managed(1), aclrtPtrAttributes()
    ok(aclrtPointerGetAttributes(start + PAGE - 1, byref(attributes)))
    assert (attributes.location.type, attributes.pageSize) == (ACL_MEM_LOCATION_TYPE_MANAGED, PAGE)
    assert start % PAGE == 0
    assert_status(aclrtPointerGetAttributes(start + PAGE, byref(attributes)), ACL_ERROR_RT_PARAM_INVALID)
    assert machine.devices[0].memory.used == used


def test_advice_holds_for_its_bytes(machine: Machine) -> None:
    start = managed(64)
    ok(aclrtMemManagedAdvise(start, 32, ACL_MEM_ADVISE_SET_READ_MOSTLY, DEVICE))
    ok(aclrtMemManagedAdvise(start, 64, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, HOST))
    ok(aclrtMemManagedAdvise(start, 64, ACL_MEM_ADVISE_SET_ACCESSED_BY, DEVICE))
    ok(aclrtMemManagedAdvise(start, 64, ACL_MEM_ADVISE_SET_ACCESSED_BY, HOST))
    mostly = ATTRIBUTES.ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY
    assert [attribute(mostly, start, size) for size in (32, 33)] == [[1], [0]]
    assert attribute(ATTRIBUTES.ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, start) == [-1]
    assert attribute(ATTRIBUTES.ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, start) == [HOST.type]
    assert attribute(ATTRIBUTES.ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, start, 64, 3) == [0, -1, -2]
    ok(aclrtMemManagedAdvise(start, 8, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, DEVICE))
    ok(aclrtMemManagedAdvise(start, 64, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, DEVICE))
    assert [attribute(mostly, start, 8), attribute(mostly, start + 8, 24)] == [[0], [1]]
    assert attribute(ATTRIBUTES.ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, start, 64, 2) == [-1, -2]


def test_a_prefetch_counts_when_it_runs(machine: Machine) -> None:
    start, stream = managed(64), create_stream()
    last = ATTRIBUTES.ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION
    ok(aclrtMemManagedPrefetchAsync(start, 64, DEVICE, 0, stream))
    assert attribute(last, start) == [-2]
    ok(aclrtSynchronizeStream(stream))
    assert attribute(last, start) == [0]
    starts, sizes = (c_uint64 * 3)(start, start + 16, start + 32), (c_size_t * 3)(16, 16, 16)
    places, indexes = (aclrtMemManagedLocation * 2)(HOST, DEVICE), (c_size_t * 2)(0, 2)
    ok(aclrtMemManagedPrefetchBatchAsync(starts, sizes, 3, places, indexes, 2, 0, stream))
    ok(aclrtSynchronizeStream(stream))
    assert [attribute(last, start + at, 16)[0] for at in (0, 16, 32, 48)] == [-1, -1, 0, 0]
    kinds = (c_int32 * 2)(last, ATTRIBUTES.ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE)
    values = (c_int32 * 2)()
    targets = (c_uint64 * 2)(ctypes.addressof(values), ctypes.addressof(values) + 4)
    ok(aclrtMemManagedGetAttrs(kinds, 2, start, 16, targets, (c_size_t * 2)(4, 4)))
    assert list(values) == [-1, HOST.type]


def test_refusals_come_in_order(machine: Machine) -> None:
    start, pointer, one = managed(64), c_void_p(), (c_size_t * 1)(0)
    invalid, bad = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID
    places, value, starts = (aclrtMemManagedLocation * 1)(HOST), c_int32(), (c_uint64 * 1)(start)
    sizes = (c_size_t * 1)(64)
    rows = [
        (aclrtMemAllocManaged(None, 64, 2), invalid),
        (aclrtMemAllocManaged(byref(pointer), 0, 2), invalid),
        (aclrtMemAllocManaged(byref(pointer), 0, 1), bad),
        (aclrtMemAllocManaged(byref(pointer), (3 << 40) + 1, 1), ACL_ERROR_RT_MEMORY_ALLOCATION),
        (aclrtMemManagedAdvise(None, 0, 9, NEITHER), invalid),
        (aclrtMemManagedAdvise(start, 0, 9, NEITHER), invalid),
        (aclrtMemManagedAdvise(start, 64, 6, DEVICE), bad),
        (aclrtMemManagedAdvise(start, 64, 0, NEITHER), bad),
        (aclrtMemManagedAdvise(start, PAGE + 1, 0, DEVICE), bad),
        (aclrtMemManagedPrefetchAsync(None, 64, DEVICE, 0, None), invalid),
        (aclrtMemManagedPrefetchAsync(start, 64, NEITHER, 1, None), invalid),
        (aclrtMemManagedPrefetchAsync(start, 64, NEITHER, 0, None), bad),
        (aclrtMemManagedPrefetchBatchAsync(starts, sizes, 1, None, one, 1, 0, None), invalid),
        (aclrtMemManagedPrefetchBatchAsync(starts, sizes, 0, places, one, 1, 0, None), invalid),
        (aclrtMemManagedPrefetchBatchAsync(starts, sizes, 1, places, one, 2, 0, None), invalid),
        (aclrtMemManagedPrefetchBatchAsync(starts, sizes, 1, places, sizes, 1, 0, None), bad),
        (aclrtMemManagedGetAttr(9, None, 0, byref(value), 4), invalid),
        (aclrtMemManagedGetAttr(9, start, 0, byref(value), 4), invalid),
        (aclrtMemManagedGetAttr(9, start, 64, byref(value), 4), bad),
        (aclrtMemManagedGetAttr(1, start, 64, byref(value), 8), bad),
        (aclrtMemManagedGetAttrs(None, 0, start, 64, one, one), invalid),
        (aclrtMemManagedGetAttrs(one, 0, start, 64, one, one), bad),
    ]
    for number, (status, expected) in enumerate(rows):
        assert status == expected, number


def test_without_reserved_addresses_it_is_refused() -> None:
    """Device addresses that are plain numbers cannot be used by the host."""
    with board(window=False):
        pointer = c_void_p()
        assert_status(aclrtMemAllocManaged(byref(pointer), 64, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
