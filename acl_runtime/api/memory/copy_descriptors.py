"""acl/acl_rt.h: copies inside a device by a descriptor in device memory, which the task reads when it runs."""

from typing import Final

import numpy as np

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtMemcpyKind
from acl_runtime.headers.statuses import ACL_ERROR_RT_FEATURE_NOT_SUPPORT
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import (
    Kind,
    Side,
    array_of,
    bad_address,
    copy,
    fill,
    kind_of,
    locate,
    locate_both,
    on_device,
)
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "A copy by descriptor"
SIZE: Final = 64
INNER: Final = aclrtMemcpyKind.ACL_MEMCPY_INNER_DEVICE_TO_DEVICE


def _check_kind(kind: int) -> None:
    if kind not in tuple(aclrtMemcpyKind):
        raise invalid(kind, "kind", "an aclrtMemcpyKind")


def _check_inner(kind: int) -> None:
    check_product(WHAT)
    if kind != INNER:
        raise AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, runtime=0)


@acl_api(HEADER)
def aclrtGetMemcpyDescSize(kind: c.aclrtMemcpyKind, descSize: c.size_t_p) -> c.aclError:
    """Query the bytes of a descriptor for copies inside a device.

    Returns:
        ACL_SUCCESS: `*descSize` bytes.
        ACL_ERROR_INVALID_PARAM: `descSize` is null, or `kind` is no aclrtMemcpyKind.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `kind` is not ACL_MEMCPY_INNER_DEVICE_TO_DEVICE.
    """
    if descSize.null:
        raise null("descSize")
    _check_kind(kind)
    _check_inner(kind)
    descSize.store(SIZE)


@acl_api(HEADER, pyacl=None)
def aclrtSetMemcpyDesc(
    desc: c.void_p,
    kind: c.aclrtMemcpyKind,
    srcAddr: c.source_void_p,
    dstAddr: c.void_p,
    count: c.size_t,
    config: c.source_void_p,
) -> c.aclError:
    """Write a descriptor of a copy to device memory.

    Returns:
        ACL_SUCCESS: written.
        ACL_ERROR_INVALID_PARAM: `desc`, `srcAddr` or `dstAddr` is null; `kind` is no aclrtMemcpyKind; `count` is 0;
            `config` is not null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `kind` is not ACL_MEMCPY_INNER_DEVICE_TO_DEVICE.
        ACL_ERROR_RT_PARAM_INVALID: `desc` is no multiple of 64; an address is no live device memory; source and target
            are on two devices.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not desc.value:
        raise null("desc")
    _check_kind(kind)
    for name, pointer in (("srcAddr", srcAddr), ("dstAddr", dstAddr)):
        if not pointer.value:
            raise null(name)
    if not count:
        raise invalid(count, "count", "more than 0 bytes")
    if config.value:
        raise invalid(f"{config.value:#x}", "config", "null")
    _check_inner(kind)
    machine = current()
    if desc.value % SIZE:
        raise out_of_range(WHAT, f"{desc.value:#x}", "desc", f"a multiple of {SIZE}")
    side = _descriptor(machine, desc, write=True)
    for name, pointer in (("srcAddr", srcAddr), ("dstAddr", dstAddr)):
        if kind_of(machine, pointer.value) is not Kind.DEVICE:
            raise bad_address(machine, pointer.value, name)
    if machine.memory_at(srcAddr.value) is not machine.memory_at(dstAddr.value):
        raise out_of_range(WHAT, f"{dstAddr.value:#x}", "dstAddr", "memory of the device of srcAddr")
    machine.context(WHAT)
    machine.announce.host_used((side.range(SIZE),))
    fill(machine, side, np.array([srcAddr.value, dstAddr.value, count, *[0] * 5], np.uint64).tobytes(), SIZE)


@acl_api(HEADER, also=LAUNCHES, resource=True)
def aclrtMemcpyAsyncWithDesc(desc: c.source_void_p, kind: c.aclrtMemcpyKind, stream: c.aclrtStream) -> c.aclError:
    """Queue the copy of a descriptor, which the task reads when it runs.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `desc` or `stream` is null, or `kind` is no aclrtMemcpyKind.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: `kind` is not ACL_MEMCPY_INNER_DEVICE_TO_DEVICE.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `desc` is no live device memory, or describes no copy.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not desc.value:
        raise null("desc")
    _check_kind(kind)
    if not stream:
        raise null("stream")
    _check_inner(kind)
    machine = current()
    live_stream = machine.own_stream(stream, WHAT)
    side = _descriptor(machine, desc, write=False)
    target, source, count = _sides(machine, side)
    run = on_device(machine, lambda: copy(machine, *_sides(machine, side)))
    ranges = (side.range(SIZE), target.range(count), source.range(count))
    machine.submit(live_stream, Task(Text("copy by descriptor"), run, ranges, trail(), nbytes=count))


def _descriptor(machine: Machine, pointer: Address, *, write: bool) -> Side:
    if kind_of(machine, pointer.value) is not Kind.DEVICE:
        raise bad_address(machine, pointer.value, "desc")
    return locate(machine, pointer, SIZE, "desc", write=write)


def _sides(machine: Machine, descriptor: Side) -> tuple[Side, Side, int]:
    """Target, source and bytes of the copy that a descriptor describes at present."""
    source, target, count = array_of(descriptor, np.uint64, 3).tolist()
    for name, address in (("srcAddr", source), ("dstAddr", target)):
        if kind_of(machine, address) is not Kind.DEVICE:
            raise bad_address(machine, address, name)
    return (*locate_both(machine, Address(target), count, Address(source), count, ("dstAddr", "srcAddr")), count)
