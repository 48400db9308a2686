"""acl/acl_rt.h: operations on the cache of a device (CMO). A simulated device has no cache: the tasks do nothing."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.device as d
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, null, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_RT_CMO_MAX_BARRIER_NUM, aclrtCmoType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_STREAM_MODEL,
)
from acl_runtime.headers.structs import aclrtBarrierTaskInfo
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import Kind, Side, bad_address, fill, kind_of, locate, on_device
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task, nothing
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "An operation on the cache"
INVALIDATE: Final = aclrtCmoType.ACL_RT_CMO_TYPE_INVALID
DESCRIPTOR: Final = 64
"""bytes of a descriptor in device memory"""


@acl_api(HEADER, also=LAUNCHES, resource=True, inert=True)
def aclrtCmoAsync(src: c.source_void_p, size: c.size_t, cmoType: d.aclrtCmoType, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that prefetches (0), writes back (1), invalidates (2) or flushes (3) the cache of `size` bytes at
    `src`. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `src` is null, or `size` is 0.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `cmoType` is none of these.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not src.value:
        raise null("src")
    if not size:
        raise invalid(size, "size", "more than 0 bytes")
    check_product(WHAT, silent=True)
    _check_type(cmoType)
    _queue(current(), stream)


@acl_api(HEADER, also=LAUNCHES, resource=True, inert=True, pyacl=None)
def aclrtCmoAsyncWithBarrier(
    src: c.source_void_p, size: c.size_t, cmoType: d.aclrtCmoType, barrierId: c.uint32_t, stream: c.aclrtStream
) -> c.aclError:
    """aclrtCmoAsync with a barrier for aclrtCmoWaitBarrier, in a stream of a model. Only an invalidation has a barrier.

    Returns:
        ACL_ERROR_INVALID_PARAM: `src` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `cmoType` is no aclrtCmoType.
        ACL_ERROR_RT_PARAM_INVALID: `size` is 0; an invalidation has the barrier 0, or another operation has one.
        ACL_ERROR_RT_STREAM_MODEL: the stream belongs to no model.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not src.value:
        raise null("src")
    check_product(WHAT)
    if not size:
        raise out_of_range(WHAT, size, "size", "more than 0 bytes")
    _check_type(cmoType)
    if (cmoType == INVALIDATE) != bool(barrierId):
        reason = "an invalidation has a barrier other than 0, another operation has 0"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (WHAT, barrierId, "barrierId", reason)))
    current().own_stream(stream, WHAT)
    raise _no_model()


@acl_api(HEADER, also=LAUNCHES, resource=True, inert=True, pyacl=None)
def aclrtCmoWaitBarrier(taskInfo: d.aclrtBarrierTaskInfo_p, stream: c.aclrtStream, flag: c.uint32_t) -> c.aclError:
    """Let later tasks of a stream of a model wait for the barriers of up to 6 invalidations.

    Returns:
        ACL_ERROR_INVALID_PARAM: `taskInfo` is null, or has no barrier or more than 6.
        ACL_ERROR_RT_PARAM_INVALID: an entry is no invalidation, or has the barrier 0; or `taskInfo` is no memory of
            the host (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_STREAM_MODEL: the stream belongs to no model.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not taskInfo.value:
        raise null("taskInfo")
    info = load(taskInfo, aclrtBarrierTaskInfo, "taskInfo")
    if not 0 < info.barrierNum <= ACL_RT_CMO_MAX_BARRIER_NUM:
        raise invalid(info.barrierNum, "taskInfo->barrierNum", f"[1, {ACL_RT_CMO_MAX_BARRIER_NUM}]")
    for entry in info.cmoInfo[: info.barrierNum]:
        if entry.cmoType != INVALIDATE or not entry.barrierId:
            raise out_of_range(WHAT, entry.barrierId, "taskInfo->cmoInfo", "invalidations with a barrier other than 0")
    check_product(WHAT)
    current().own_stream(stream, WHAT)
    raise _no_model()


@acl_api(HEADER, pyacl=None)
def aclrtCmoGetDescSize(size: c.size_t_p) -> c.aclError:
    """Query the bytes of the device memory that a descriptor of aclrtCmoSetDesc needs.

    Returns:
        ACL_SUCCESS: `*size` bytes.
        ACL_ERROR_RT_PARAM_INVALID: `size` is null.
    """
    if size.null:
        raise null_in_runtime(WHAT, "size")
    check_product(WHAT)
    size.store(DESCRIPTOR)


@acl_api(HEADER, pyacl=None)
def aclrtCmoSetDesc(cmoDesc: c.void_p, src: c.source_void_p, size: c.size_t) -> c.aclError:
    """Write a descriptor of the `size` bytes at `src` to device memory.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_RT_PARAM_INVALID: an argument is null or 0, or `cmoDesc` is no device memory of this size.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    for name, value in (("cmoDesc", cmoDesc.value), ("src", src.value)):
        if not value:
            raise null_in_runtime(WHAT, name)
    if not size:
        raise out_of_range(WHAT, size, "size", "more than 0 bytes")
    check_product(WHAT)
    machine = current()
    machine.context(WHAT)
    side = _descriptor(machine, cmoDesc, write=True)
    content = src.value.to_bytes(8, "little") + size.to_bytes(8, "little")
    machine.announce.host_used((side.range(DESCRIPTOR),))
    fill(machine, side, content.ljust(DESCRIPTOR, b"\0"), DESCRIPTOR)


@acl_api(HEADER, also=LAUNCHES, resource=True, inert=True, pyacl=None)
def aclrtCmoAsyncWithDesc(
    cmoDesc: c.source_void_p, cmoType: d.aclrtCmoType, stream: c.aclrtStream, reserve: c.source_void_p
) -> c.aclError:
    """aclrtCmoAsync for the memory of a descriptor.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_PARAM_INVALID: `cmoDesc` is null or no device memory, or `reserve` is not null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `cmoType` is no aclrtCmoType.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not cmoDesc.value:
        raise null_in_runtime(WHAT, "cmoDesc")
    if reserve.value:
        raise out_of_range(WHAT, f"{reserve.value:#x}", "reserve", "null")
    check_product(WHAT)
    _check_type(cmoType)
    machine = current()
    machine.own_stream(stream, WHAT)
    side = _descriptor(machine, cmoDesc, write=False)
    _queue(machine, stream, side)


def _check_type(kind: int) -> None:
    if kind not in tuple(aclrtCmoType):
        raise AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1006", (WHAT, kind, "it is no aclrtCmoType")))


def _descriptor(machine: Machine, pointer: Address, *, write: bool) -> Side:
    if kind_of(machine, pointer.value) is not Kind.DEVICE:
        raise bad_address(machine, pointer.value, "cmoDesc")
    return locate(machine, pointer, DESCRIPTOR, "cmoDesc", write=write)


def _queue(machine: Machine, stream: int, *sides: Side) -> None:
    live_stream = machine.own_stream(stream, WHAT)
    ranges = tuple(side.range(DESCRIPTOR) for side in sides)
    work = on_device(machine, nothing) if sides else nothing
    machine.submit(live_stream, Task(Text("operation on the cache"), work, ranges, trail(), nbytes=0))


def _no_model() -> AclError:
    return AclError(ACL_ERROR_RT_STREAM_MODEL, Item("EE1017", (WHAT, "stream", "it belongs to no model")))
