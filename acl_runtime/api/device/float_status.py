"""acl/acl_rt.h: older queries of the overflow status of floating point results. The emulator records no overflow."""

import ctypes
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.capture_refusals import CAPTURED, check_not_capturing
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null_in_runtime, out_of_range
from acl_runtime.api.rt.overflow import STATUS_BYTES, status_memory
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.copies import fill, on_device
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Stream, Task, nothing
from acl_runtime.text import Text

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "The overflow status"


class StatusAreas(dict[int, int]):
    """The device addresses of the status, by device."""


@acl_api(HEADER, also=LAUNCHES + CAPTURED, resource=True, pyacl=None)
def aclrtGetFloatOverflowStatus(outputAddr: c.void_p, outputSize: c.uint64_t, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that writes the overflow status, 64 bytes of 0, to device memory. A null stream is the default
    stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_PARAM_INVALID: `outputAddr` is null or no live memory of the device; `outputSize` is not 64.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    _get(outputAddr, outputSize, stream)


@acl_api(HEADER, also=LAUNCHES + CAPTURED, resource=True, pyacl=None)
def aclrtResetFloatOverflowStatus(stream: c.aclrtStream) -> c.aclError:
    """Queue a task that clears the overflow status, which is always clear. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    _clear(stream)


@acl_api(HEADER, also=LAUNCHES + CAPTURED, resource=True, pyacl=None)
def aclrtNpuGetFloatOverFlowStatus(
    outputAddr: c.void_p, outputSize: c.uint64_t, checkMode: c.uint32_t, stream: c.aclrtStream
) -> c.aclError:
    """aclrtGetFloatOverflowStatus for a mode of the check, which changes nothing here.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_PARAM_INVALID: `outputAddr` is null or no live memory of the device; `outputSize` is not 64.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    check_product(WHAT)
    _get(outputAddr, outputSize, stream)


@acl_api(HEADER, also=LAUNCHES + CAPTURED, resource=True, pyacl=None)
def aclrtNpuClearFloatOverFlowStatus(checkMode: c.uint32_t, stream: c.aclrtStream) -> c.aclError:
    """aclrtResetFloatOverflowStatus for a mode of the check, which changes nothing here.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    check_product(WHAT)
    _clear(stream)


@acl_api(HEADER, pyacl=None)
def aclrtCtxGetFloatOverflowAddr(overflowAddr: c.void_pp) -> c.aclError:
    """Query the device memory with the overflow status of the current context's device: 64 bytes of 0.

    Returns:
        ACL_SUCCESS: `*overflowAddr` is the address.
        ACL_ERROR_RT_PARAM_INVALID: `overflowAddr` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if overflowAddr.null:
        raise null_in_runtime(WHAT, "overflowAddr")
    machine = current()
    device, areas = machine.context(WHAT).device, machine.part(StatusAreas)
    if device.number not in areas:
        area = (ctypes.c_uint8 * STATUS_BYTES)()
        machine.kept.append(area)
        mapping = device.memory.map(ctypes.addressof(area), STATUS_BYTES, kept_alive=True)
        assert mapping is not None, "a machine has more addresses than memory"
        areas[device.number] = mapping.address
    overflowAddr.store(areas[device.number])


def _get(pointer: Address, size: int, stream: int) -> None:
    if not pointer.value:
        raise null_in_runtime(WHAT, "outputAddr")
    if size != STATUS_BYTES:
        raise out_of_range(WHAT, size, "outputSize", f"{STATUS_BYTES}")
    machine, live_stream = _stream(stream)
    target = status_memory(machine, pointer, live_stream)
    run = on_device(machine, lambda: fill(machine, target, bytes(STATUS_BYTES), STATUS_BYTES))
    task = Task(Text("overflow status"), run, (target.range(STATUS_BYTES),), trail())
    machine.submit(live_stream, task)


def _clear(stream: int) -> None:
    machine, live_stream = _stream(stream)
    machine.submit(live_stream, Task(Text("clearing of the overflow status"), nothing, (), trail()))


def _stream(stream: int) -> tuple[Machine, Stream]:
    machine = current()
    live_stream = machine.own_stream(stream, WHAT)
    check_not_capturing(live_stream, WHAT)
    return machine, live_stream
