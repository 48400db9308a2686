"""Pools of device memory, copies by descriptors, links: blocks are freed in the order of a stream."""

from __future__ import annotations

from ctypes import byref, c_int32, c_size_t, c_uint64, c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.acl_runtime.api.product_families import pool
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status, errors, ok

USED, HIGH = ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH


def block(of: aclrtMemPool, size: int, stream: aclrtStream) -> int:
    pointer = c_void_p()
    ok(aclrtMemPoolMallocAsync(byref(pointer), size, of, stream))
    return pointer.value or 0


def attribute(of: aclrtMemPool, kind: int) -> int:
    value = c_uint64()
    ok(aclrtMemPoolGetAttr(of, kind, byref(value)))
    return value.value


@pytest.mark.fidelity("memory pools (acl_rt_memory_soma.h)")
def test_a_block_is_freed_when_the_stream_gets_there(machine: Machine) -> None:
    made, stream = pool(), create_stream()
    address = block(made, 64, stream)
    ok(aclrtMemsetAsync(address, 64, 7, 64, stream))
    ok(aclrtMemPoolFreeAsync(address, stream))
    assert attribute(made, USED) == 64
    ok(aclrtSynchronizeStream(stream))
    assert (attribute(made, USED), attribute(made, HIGH)) == (0, 64)
    assert errors(machine) == []
    assert_status(aclrtMemPoolFreeAsync(address, stream), ACL_ERROR_RT_PARAM_INVALID)


def test_use_after_the_free_is_found(machine: Machine) -> None:
    machine.findings.raises = False
    made, stream = pool(), create_stream()
    address = block(made, 64, stream)
    ok(aclrtMemPoolFreeAsync(address, stream))
    ok(aclrtMemsetAsync(address, 64, 7, 64, stream))
    aclrtSynchronizeStream(stream)
    assert errors(machine) != []


def test_memory_of_malloc_and_free_of_a_block(machine: Machine) -> None:
    """ "pointer of `aclrtMalloc` is accepted too"; "`aclrtFree` of a pool pointer is a pool free"."""
    made, stream, memory = pool(), create_stream(), malloc(64)
    ok(aclrtMemPoolFreeAsync(memory, stream))
    ok(aclrtSynchronizeStream(stream))
    assert_status(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID)
    address = block(made, 64, stream)
    ok(aclrtFree(address))
    assert attribute(made, USED) == 0


def test_limits_and_attributes(machine: Machine) -> None:
    made, stream, pointer, small = pool(100), create_stream(), c_void_p(7), c_int32(0)
    address = block(made, 64, stream)
    assert_status(aclrtMemPoolMallocAsync(byref(pointer), 64, made, stream), ACL_ERROR_RT_MEMORY_ALLOCATION)
    assert pointer.value is None
    pointer.value = 7
    ok(aclrtMemPoolMallocAsync(byref(pointer), 0, made, stream))
    assert pointer.value == 7, "size 0: untouched"
    ok(aclrtMemPoolSetAttr(made, 4, byref(c_uint64(1 << 20))))
    assert attribute(made, 4) == 1 << 20
    ok(aclrtMemPoolSetAttr(made, 1, byref(small)))
    small.value = 9
    ok(aclrtMemPoolGetAttr(made, 1, byref(small)))
    assert small.value == 0
    ok(aclrtFree(address))
    ok(aclrtMemPoolSetAttr(made, HIGH, byref(c_uint64(0))))
    assert attribute(made, HIGH) == 0
    for kind in (USED, 5, HIGH):
        assert_status(aclrtMemPoolSetAttr(made, kind, byref(c_uint64(1))), ACL_ERROR_RT_PARAM_INVALID)
    ok(aclrtMemPoolTrimTo(made, 0))
    ok(aclrtMemPoolDestroy(made))
    assert_status(aclrtMemPoolTrimTo(made, 0), ACL_ERROR_RT_INVALID_HANDLE)


def test_refusals_of_pools(machine: Machine) -> None:
    made, stream, memory, out = pool(), create_stream(), malloc(64), byref(c_void_p())
    props = [aclrtMemPoolProps() for _ in range(4)]
    for each in props:
        each.location.type = ACL_MEM_LOCATION_TYPE_DEVICE
    props[0].allocType, props[1].location.type, props[2].reserved[31], props[3].location.id = 1, 0, 1, 9
    for each in props[:3]:
        assert_status(aclrtMemPoolCreate(byref(aclrtMemPool()), byref(each)), ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtMemPoolCreate(byref(aclrtMemPool()), byref(props[3])), ACL_ERROR_RT_INVALID_DEVICEID)
    for status in (
        aclrtMemPoolCreate(None, byref(props[0])),
        aclrtMemPoolCreate(byref(aclrtMemPool()), None),
        aclrtMemPoolDestroy(None),
        aclrtMemPoolMallocAsync(None, 64, made, stream),
        aclrtMemPoolMallocAsync(out, 64, None, stream),
        aclrtMemPoolMallocAsync(out, 64, made, None),
        aclrtMemPoolFreeAsync(None, stream),
        aclrtMemPoolSetAttr(None, 4, out),
        aclrtMemPoolGetAttr(None, 4, out),
        aclrtMemPoolTrimTo(None, 0),
    ):
        assert_status(status, ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtMemPoolFreeAsync(memory, None), ACL_ERROR_RT_INTERNAL_ERROR)
    assert_status(aclrtMemPoolGetAttr(made, 9, out), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(aclrtMemPoolGetAttr(made, 4, None), ACL_ERROR_RT_PARAM_INVALID)


def test_a_copy_does_what_its_descriptor_says_when_it_runs(machine: Machine) -> None:
    memory, stream, values = malloc(512), create_stream(), np.arange(64, dtype=np.uint8)
    source, first, second = memory + 64, memory + 128, memory + 192
    ok(aclrtMemcpy(source, 64, values, 64, ACL_MEMCPY_HOST_TO_DEVICE))
    ok(aclrtMemset(first, 128, 0, 128))
    ok(aclrtSetMemcpyDesc(memory, 6, source, first, 64, None))
    ok(aclrtMemcpyAsyncWithDesc(memory, 6, stream))
    ok(aclrtSynchronizeStream(stream))
    assert machine.read(first, 64, np.uint8).tolist() == values.tolist()
    ok(aclrtSetMemcpyDesc(memory, 6, source, second, 64, None))
    ok(aclrtMemcpyAsyncWithDesc(memory, 6, stream))
    ok(aclrtSynchronizeStream(stream))
    assert machine.read(second, 64, np.uint8).tolist() == values.tolist()


def test_refusals_of_descriptors(machine: Machine) -> None:
    memory, stream, size = malloc(512), create_stream(), c_size_t()
    ok(aclrtGetMemcpyDescSize(6, byref(size)))
    assert size.value == 64
    refused, silent = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    other = memory + 64
    for status, expected in (
        (aclrtGetMemcpyDescSize(6, None), refused),
        (aclrtGetMemcpyDescSize(99, byref(size)), refused),
        (aclrtGetMemcpyDescSize(3, byref(size)), silent),
        (aclrtSetMemcpyDesc(None, 6, other, other, 8, None), refused),
        (aclrtSetMemcpyDesc(memory, 99, other, other, 8, None), refused),
        (aclrtSetMemcpyDesc(memory, 6, None, other, 8, None), refused),
        (aclrtSetMemcpyDesc(memory, 6, other, None, 8, None), refused),
        (aclrtSetMemcpyDesc(memory, 6, other, other, 0, None), refused),
        (aclrtSetMemcpyDesc(memory, 6, other, other, 8, 1), refused),
        (aclrtSetMemcpyDesc(memory, 3, other, other, 8, None), silent),
        (aclrtSetMemcpyDesc(memory + 32, 6, other, other, 8, None), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtSetMemcpyDesc(memory, 6, 0x1000, other, 8, None), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtMemcpyAsyncWithDesc(None, 6, stream), refused),
        (aclrtMemcpyAsyncWithDesc(memory, 6, None), refused),
        (aclrtMemcpyAsyncWithDesc(memory, 4, stream), silent),
        (aclrtMemcpyAsyncWithDesc(0x1000, 6, stream), ACL_ERROR_RT_PARAM_INVALID),
    ):
        assert_status(status, expected)


def test_links_are_accepted(machine: Machine) -> None:
    memory, handle, prop = malloc(64), aclrtDrvMemHandle(), aclrtPhysicalMemProp()
    prop.memAttr, prop.location.type = ACL_HBM_MEM_HUGE, ACL_MEM_LOCATION_TYPE_DEVICE
    ok(aclrtMallocPhysical(byref(handle), 2 << 20, byref(prop), 0))
    ok(aclrtMemMapSetLink(handle, ACL_RT_MEM_ACCESS_LINK_HCCS))
    ok(aclrtMemP2PMap(memory, 64, 0, 0))
    for status, expected in (
        (aclrtMemMapSetLink(None, 0), ACL_ERROR_INVALID_PARAM),
        (aclrtMemMapSetLink(handle, 4), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtMemMapSetLink(0x40, 0), ACL_ERROR_RT_INVALID_HANDLE),
        (aclrtMemP2PMap(None, 64, 0, 0), ACL_ERROR_INVALID_PARAM),
        (aclrtMemP2PMap(memory, 0, 0, 0), ACL_ERROR_INVALID_PARAM),
        (aclrtMemP2PMap(memory, 64, 0, 1), ACL_ERROR_INVALID_PARAM),
        (aclrtMemP2PMap(memory, 64, 9, 0), ACL_ERROR_RT_INVALID_DEVICEID),
        (aclrtMemP2PMap(0x1000, 64, 0, 0), ACL_ERROR_RT_PARAM_INVALID),
    ):
        assert_status(status, expected)
    ok(aclrtFreePhysical(handle))
