"""Virtual memory through pyACL: numbers for addresses and handles, dicts for structs, tuples with the status last."""

import ctypes
import os
from typing import Any

import numpy as np

from acl_runtime import Machine
from tests.helpers.outcomes import finding_of

PAGE = 2 << 20
DEVICE = {"mem_attr": 4, "location": {"id": 0, "type": 1}}
HOST = {"mem_attr": 4, "location": {"id": 0, "type": 0}}
TO_DEVICE, TO_HOST = 1, 2


def test_two_handles_side_by_side_are_one_range(machine: Machine, acl: Any) -> None:
    granularity, ret = acl.rt.mem_get_allocation_granularity(DEVICE, 0)
    assert (granularity, ret) == (PAGE, 0)
    address, ret = acl.rt.reserve_mem_address(2 * PAGE, 0, 0, 1)
    assert type(address) is int
    assert ret == 0
    handles = []
    for at in (address, address + PAGE):
        handle, ret = acl.rt.malloc_physical(PAGE, DEVICE, 0)
        assert ret == 0
        assert acl.rt.map_mem(at, PAGE, 0, handle, 0) == 0
        handles.append(handle)
    data = np.arange(64, dtype=np.float32).tobytes()
    start = address + PAGE - 128
    assert acl.rt.memcpy(start, 256, acl.util.bytes_to_ptr(data), 256, TO_DEVICE) == 0
    back = bytes(256)
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(back), 256, start, 256, TO_HOST) == 0
    assert back == data
    assert acl.rt.release_mem_address(address) == 107000, "something is mapped"
    for at, handle in zip((address, address + PAGE), handles, strict=True):
        assert acl.rt.unmap_mem(at) == 0
        assert acl.rt.free_physical(handle) == 0
    assert acl.rt.release_mem_address(address) == 0
    assert machine.devices[0].memory.used == 0


def test_memory_of_the_host_is_read_by_its_address(acl: Any) -> None:
    address, _ = acl.rt.reserve_mem_address(PAGE, 0, 0, 0)
    handle, _ = acl.rt.malloc_physical(PAGE, HOST, 0)
    assert acl.rt.map_mem(address, PAGE, 0, handle, 0) == 0
    ctypes.memset(address, 7, 16)
    assert acl.util.ptr_to_bytes(address, 16) == b"\7" * 16
    assert acl.rt.unmap_mem(address) == 0
    assert acl.rt.free_physical(handle) == 0
    assert acl.rt.release_mem_address(address) == 0


def test_a_read_of_the_target_of_a_queued_copy_is_found_through_any_mapping(acl: Any) -> None:
    device, _ = acl.rt.malloc(256, 0)
    assert acl.rt.memset(device, 256, 1, 256) == 0
    address, _ = acl.rt.reserve_mem_address(2 * PAGE, 0, 0, 0)
    handle, _ = acl.rt.malloc_physical(PAGE, HOST, 0)
    for at in (address, address + PAGE):
        assert acl.rt.map_mem(at, PAGE, 0, handle, 0) == 0
    assert acl.rt.memcpy_async(address, 256, device, 256, TO_HOST, 0) == 0
    acl.util.ptr_to_bytes(address + PAGE, 16)
    assert finding_of(lambda: acl.rt.synchronize_stream(0))[0] == "read-before-sync"
    for at in (address, address + PAGE):
        assert acl.rt.unmap_mem(at) == 0
    for ret in (acl.rt.free_physical(handle), acl.rt.release_mem_address(address), acl.rt.free(device)):
        assert ret == 0


def test_a_handle_does_not_leave_its_process(acl: Any) -> None:
    handle, _ = acl.rt.malloc_physical(PAGE, DEVICE, 0)
    number, ret = acl.rt.mem_export_to_shareable_handle(handle, 0, 1)
    assert ret == 0
    assert acl.rt.mem_export_to_shareable_handle(handle, 0, 1) == (0, 107000), "a second time"
    assert acl.rt.mem_import_from_shareable_handle(number, 0) == (0, 107000)
    assert acl.rt.mem_import_from_shareable_handle(number + (1 << 32), 0) == (0, 107000), "nobody exported it"
    assert acl.rt.device_get_bare_tgid() == (os.getpid(), 0)
    assert acl.rt.free_physical(handle) == 0


def test_a_failure_is_a_zero_and_a_status(acl: Any) -> None:
    assert acl.rt.reserve_mem_address(0, 0, 0, 0) == (0, 100000)
    assert acl.rt.reserve_mem_address(PAGE, 0, 5, 0) == (0, 107000)
    assert acl.rt.malloc_physical(PAGE, {"mem_attr": 1, "location": {"id": 0, "type": 1}}, 0) == (0, 100000)
    assert acl.rt.malloc_physical(1 << 50, DEVICE, 0) == (0, 207001)
    assert acl.rt.map_mem(1 << 20, PAGE, 0, 8, 0) == 107017
