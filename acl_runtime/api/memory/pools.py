"""acl/acl_rt_memory_soma.h: pools of device memory. A block can be used at once, and is freed in the order of a stream.

The pools of the emulator keep no free memory, so the attributes of reuse, and trimming, have no effect.
"""

from ctypes import c_int32, c_uint64
from typing import Any, Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.api.memory.allocation_checks import NORMAL_PAGE, exhausted, no_host_memory
from acl_runtime.api.memory.buffers import load, store
from acl_runtime.api.memory.malloc_free import free_memory
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, null, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemAllocationType, aclrtMemLocationType, aclrtMemPoolAttr
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INTERNAL_ERROR
from acl_runtime.headers.structs import aclrtMemPoolProps
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import bad_address
from acl_runtime.memory.host_budget import NoHostMemory
from acl_runtime.memory.sizes import round_up
from acl_runtime.source.frames import trail
from acl_runtime.streams.memory_pool import MemoryPool
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt_memory_soma.h"
WHAT: Final = "A memory pool"
SWITCHES: Final = tuple(aclrtMemPoolAttr)[:3]
THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH = tuple(aclrtMemPoolAttr)[3:]


@acl_api(HEADER, pyacl=None)
def aclrtMemPoolCreate(memPool: m.aclrtMemPool_p, poolProps: m.const_aclrtMemPoolProps_p) -> c.aclError:
    """Create a pool on a device, with a greatest size; 0 means no limit.

    Returns:
        ACL_SUCCESS: `*memPool` is the pool.
        ACL_ERROR_INVALID_PARAM: an argument is null; the allocation is not ACL_MEM_ALLOCATION_TYPE_PINNED; the location
            is no device; a reserved byte is not 0.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `poolProps` is no memory of the host (only if the machine reports findings instead
            of raising them).
    """
    if memPool.null:
        raise null("memPool")
    if not poolProps.value:
        raise null("poolProps")
    props = load(poolProps, aclrtMemPoolProps, "poolProps")
    if props.allocType != aclrtMemAllocationType.ACL_MEM_ALLOCATION_TYPE_PINNED:
        raise invalid(props.allocType, "poolProps->allocType", "ACL_MEM_ALLOCATION_TYPE_PINNED (0)")
    if props.location.type != aclrtMemLocationType.ACL_MEM_LOCATION_TYPE_DEVICE:
        raise invalid(props.location.type, "poolProps->location.type", "ACL_MEM_LOCATION_TYPE_DEVICE (1)")
    if any(props.reserved):
        raise invalid("a byte", "poolProps->reserved", "zeros")
    check_product(WHAT)
    machine = current()
    device = machine.device(props.location.id, WHAT, "poolProps->location.id")
    memPool.store(machine.handles.add(MemoryPool(device, props.maxSize)))


@acl_api(HEADER, pyacl=None)
def aclrtMemPoolDestroy(memPool: m.const_aclrtMemPool) -> c.aclError:
    """Destroy a pool. Its blocks live until they are freed.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `memPool` is null.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    machine, pool = _pool(memPool)
    machine.handles.remove(pool)


@acl_api(HEADER, also=LAUNCHES, closes=False, resource=True, pyacl=None)
def aclrtMemPoolMallocAsync(
    ptr: c.void_pp, size: c.size_t, memPool: m.aclrtMemPool, stream: c.aclrtStream
) -> c.aclError:
    """Allocate a block for later tasks of a stream. Nothing is allocated for `size` 0.

    Returns:
        ACL_SUCCESS: `*ptr` is the address; unchanged for `size` 0.
        ACL_ERROR_INVALID_PARAM: `ptr`, `memPool` or `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_MEMORY_ALLOCATION: the pool or the device has too little left; `*ptr` is null.
    """
    if ptr.null:
        raise null("ptr")
    machine, pool = _pool(memPool)
    if not stream:
        raise null("stream")
    if not size:
        return
    machine.own_stream(stream, WHAT)
    memory, real = pool.device.memory, round_up(size, 32)
    ptr.store(0)
    if pool.most and pool.used + size > pool.most:
        raise exhausted(memory, size, real)
    try:
        block = memory.allocate(size, real, NORMAL_PAGE)
    except (MemoryError, NoHostMemory) as error:
        raise no_host_memory(error) from None
    if block is None:
        raise exhausted(memory, size, real)
    pool.took(block)
    ptr.store(block.address)


@acl_api(HEADER, also=LAUNCHES, resource=True, pyacl=None)
def aclrtMemPoolFreeAsync(ptr: c.source_void_p, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that frees a block, or memory of aclrtMalloc. Later tasks must not use it.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `ptr` is null.
        ACL_ERROR_RT_INTERNAL_ERROR: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: `ptr` is no start of live device memory.
    """
    if not ptr.value:
        raise null("ptr")
    check_product(WHAT)
    if not stream:
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE1004", (WHAT, "stream")))
    machine = current()
    live_stream = machine.own_stream(stream, WHAT)
    memory = machine.memory_at(ptr.value)
    block = memory.at(ptr.value) if memory is not None else None
    if block is None or not block.allocated:
        raise bad_address(machine, ptr.value, "ptr")

    def run() -> None:
        task = machine.thread().task
        with machine.lock:
            if task is not None and not block.gone:
                with machine.host_code_of(task):
                    free_memory(machine, block)

    task = Task(Text("free"), run, (), trail(), calls_host=True, publishes=True, opaque=True)
    machine.submit(live_stream, task)


@acl_api(HEADER, pyacl=None)
def aclrtMemPoolSetAttr(memPool: m.aclrtMemPool, attr: m.aclrtMemPoolAttr, value: c.source_void_p) -> c.aclError:
    """Set an attribute: a switch of reuse (int32_t), the bytes that the pool keeps (uint64_t), or a high-water mark,
    which can only be set to 0.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `memPool` is null.
        ACL_ERROR_RT_PARAM_INVALID: `value` is null; the attribute does not exist, or is a present number of bytes; a
            mark is not set to 0.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    _, pool = _pool(memPool)
    kind = _type_of(attr, value.value)
    number = load(value, kind * 1, "value")[0]
    if attr in (RESERVED, USED) or (attr in (RESERVED_HIGH, USED_HIGH) and number):
        raise out_of_range(WHAT, attr, "attr", "an attribute that can be set, a mark to 0 only")
    if attr in (RESERVED_HIGH, USED_HIGH):
        pool.peak = pool.used
    pool.values[attr] = number


@acl_api(HEADER, pyacl=None)
def aclrtMemPoolGetAttr(memPool: m.aclrtMemPool, attr: m.aclrtMemPoolAttr, value: c.void_p) -> c.aclError:
    """Query an attribute: a switch of reuse (int32_t, at first 1), or a number of bytes (uint64_t): what the pool
    keeps, has reserved or uses now, and had most.

    Returns:
        ACL_SUCCESS: written to `value`.
        ACL_ERROR_INVALID_PARAM: `memPool` is null.
        ACL_ERROR_RT_PARAM_INVALID: `value` is null, or the attribute does not exist.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    _, pool = _pool(memPool)
    kind = _type_of(attr, value.value)
    numbers = {RESERVED: pool.used, USED: pool.used, RESERVED_HIGH: pool.peak, USED_HIGH: pool.peak}
    number = numbers[aclrtMemPoolAttr(attr)] if attr in numbers else pool.values.get(attr, int(attr in SWITCHES))
    store(value, kind(number), "value")


@acl_api(HEADER, inert=True, pyacl=None)
def aclrtMemPoolTrimTo(memPool: m.aclrtMemPool, minBytesToKeep: c.size_t) -> c.aclError:
    """Return free memory of a pool to the device. The pool has none.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `memPool` is null.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    _pool(memPool)


def _pool(number: int) -> tuple[Machine, MemoryPool]:
    if not number:
        raise null("memPool")
    check_product(WHAT)
    machine = current()
    return machine, live_object(machine.handles, number, MemoryPool, WHAT, "memPool")


def _type_of(attr: int, value: int) -> Any:
    if attr not in tuple(aclrtMemPoolAttr):
        raise out_of_range(WHAT, attr, "attr", "an aclrtMemPoolAttr")
    if not value:
        raise null_in_runtime(WHAT, "value")
    return c_int32 if attr in SWITCHES else c_uint64
