"""acl/acl_rt.h: handles by which processes of one user share physical memory.

The process that exports a handle may not import it.
"""

import ctypes
import os
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.headers.structs as s
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.allocation_checks import no_host_memory
from acl_runtime.api.memory.buffers import load, load_array, store
from acl_runtime.api.memory.physical_memory import live
from acl_runtime.api.refusals import invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
    aclrtMemHandleType,
    aclrtMemSharedHandleType,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_NO_PERMISSION
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.physical import PhysicalHandle
from acl_runtime.memory.shared.exports import PHYSICAL, PID_BITS, Export, find

EXPORTING: Final = "Exporting physical memory"
IMPORTING: Final = "Importing physical memory"
ALLOWING: Final = "Setting the processes that may import physical memory"
DEFAULT: Final = aclrtMemSharedHandleType.ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT
FABRIC: Final = aclrtMemSharedHandleType.ACL_MEM_SHARE_HANDLE_TYPE_FABRIC
WIDTH: Final = 8
"""bytes of a handle of the default type"""


@acl_api("acl/acl_rt.h")
def aclrtMemExportToShareableHandle(
    handle: c.aclrtDrvMemHandle, handleType: c.aclrtMemHandleType, flags: c.uint64_t, shareableHandle: c.uint64_t_p
) -> c.aclError:
    """Make a number that lets other processes import physical memory. `flags` 1 allows all processes.

    Returns:
        ACL_SUCCESS: `*shareableHandle` is the number.
        ACL_ERROR_INVALID_PARAM: `handle` or `shareableHandle` is null, or `handleType` is not
            ACL_MEM_HANDLE_TYPE_NONE.
        ACL_ERROR_RT_PARAM_INVALID: `flags` is not 0 or 1, or the memory was exported before.
        ACL_ERROR_RT_INVALID_HANDLE: `handle` is no live physical memory.
    """
    if not handle:
        raise null("handle")
    if handleType != aclrtMemHandleType.ACL_MEM_HANDLE_TYPE_NONE:
        raise invalid(handleType, "handleType", "ACL_MEM_HANDLE_TYPE_NONE (0)")
    if shareableHandle.null:
        raise null("shareableHandle")
    shareableHandle.store(_export(current(), handle, flags))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemExportToShareableHandleV2(
    handle: c.aclrtDrvMemHandle, flags: c.uint64_t, shareType: c.aclrtMemSharedHandleType, shareableHandle: c.void_p
) -> c.aclError:
    """aclrtMemExportToShareableHandle that writes 8 bytes (`shareType` 1) or an aclrtMemFabricHandle (2).

    Returns:
        ACL_SUCCESS: the memory at `shareableHandle` is written.
        ACL_ERROR_INVALID_PARAM: `handle` or `shareableHandle` is null.
        ACL_ERROR_RT_PARAM_INVALID: `shareType` is not 1 or 2, `flags` is not 0 or 1, or the memory was exported before;
            `shareableHandle` cannot be written (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_CONTEXT_NULL: `shareType` is 2, and the thread has no context.
        ACL_ERROR_RT_INVALID_HANDLE: `handle` is no live physical memory.
    """
    if not handle:
        raise null("handle")
    if not shareableHandle.value:
        raise null("shareableHandle")
    _check_type(EXPORTING, shareType)
    machine = current()
    if shareType == FABRIC and flags <= 1:
        machine.context(EXPORTING)
    number = _export(machine, handle, flags).to_bytes(WIDTH, "little")
    store(shareableHandle, number.ljust(_width(shareType), b"\0"), "shareableHandle")


def _export(machine: Machine, handle: int, flags: int) -> int:
    """The number of physical memory that was not exported before."""
    if flags > ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION:
        raise out_of_range(EXPORTING, flags, "flags", "0 or 1")
    memory = live(machine, handle, EXPORTING)
    if memory.shared is not None:
        raise out_of_range(EXPORTING, f"{handle:#x}", "handle", "physical memory that was not exported before")
    return machine.virtual.share(memory, anybody=bool(flags))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemSetPidToShareableHandle(
    shareableHandle: c.uint64_t, pid: c.source_int32_t_p, pidNum: c.size_t
) -> c.aclError:
    """Allow processes to import exported physical memory.

    Returns:
        ACL_SUCCESS: allowed.
        ACL_ERROR_INVALID_PARAM: `pid` is null, or `pidNum` is 0.
        ACL_ERROR_RT_PARAM_INVALID: this process has not exported `shareableHandle`.
    """
    check_pids(pid, pidNum, "pidNum")
    _allow(shareableHandle, pid, pidNum)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemSetPidToShareableHandleV2(
    shareableHandle: c.source_void_p,
    shareType: c.aclrtMemSharedHandleType,
    pid: c.source_int32_t_p,
    pidNum: c.size_t,
) -> c.aclError:
    """aclrtMemSetPidToShareableHandle of a handle from aclrtMemExportToShareableHandleV2.

    Returns:
        ACL_SUCCESS: allowed.
        ACL_ERROR_INVALID_PARAM: `shareableHandle` or `pid` is null, or `pidNum` is 0.
        ACL_ERROR_RT_PARAM_INVALID: `shareType` is not 1 or 2; this process has not exported the handle, or
            `shareableHandle` cannot be read (only if the machine reports findings instead of raising them).
    """
    if not shareableHandle.value:
        raise null("shareableHandle")
    check_pids(pid, pidNum, "pidNum")
    _check_type(ALLOWING, shareType)
    _allow(_number(shareableHandle, shareType), pid, pidNum)


@acl_api("acl/acl_rt.h")
def aclrtMemImportFromShareableHandle(
    shareableHandle: c.uint64_t, deviceId: c.int32_t, handle: c.aclrtDrvMemHandle_p
) -> c.aclError:
    """Import physical memory of another process. It lives until both have freed it.

    Returns:
        ACL_SUCCESS: `*handle` is physical memory with the same bytes.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_PARAM_INVALID: this process has exported `shareableHandle` itself, or no process of this user has
            exported it.
        ACL_ERROR_RT_NO_PERMISSION: the process that exported it has not allowed this one.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the system refuses to map the memory.
    """
    if handle.null:
        raise null("handle")
    machine = current()
    machine.device(deviceId, IMPORTING, "deviceId")
    machine.context(IMPORTING)
    handle.store(_import(machine, shareableHandle, deviceId))


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtMemImportFromShareableHandleV2(
    shareableHandle: c.source_void_p,
    shareType: c.aclrtMemSharedHandleType,
    flags: c.uint64_t,
    handle: c.aclrtDrvMemHandle_p,
) -> c.aclError:
    """aclrtMemImportFromShareableHandle for the device of the current context.

    Returns:
        ACL_SUCCESS: `*handle` is physical memory with the same bytes.
        ACL_ERROR_INVALID_PARAM: `shareableHandle` or `handle` is null, or `flags` is not 0.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_PARAM_INVALID: `shareType` is not 1 or 2; this process has exported the handle itself, no process
            of this user has exported it, or `shareableHandle` cannot be read (only if the machine reports findings
            instead of raising them).
        ACL_ERROR_RT_NO_PERMISSION: the process that exported it has not allowed this one.
        ACL_ERROR_RT_MEMORY_ALLOCATION: the system refuses to map the memory.
    """
    if not shareableHandle.value:
        raise null("shareableHandle")
    if handle.null:
        raise null("handle")
    if flags:
        raise invalid(flags, "flags", "0")
    machine = current()
    device = machine.context(IMPORTING).device.number
    _check_type(IMPORTING, shareType)
    handle.store(_import(machine, _number(shareableHandle, shareType), device))


@acl_api("acl/acl_rt.h")
def aclrtDeviceGetBareTgid(pid: c.int32_t_p) -> c.aclError:
    """Query the id of this process, which another process needs to allow this process to import memory.

    Returns:
        ACL_SUCCESS: `*pid` is written.
        ACL_ERROR_INVALID_PARAM: `pid` is null.
    """
    if pid.null:
        raise null("pid")
    pid.store(os.getpid())


def _import(machine: Machine, number: int, device: int) -> int:
    """A new handle for physical memory of another process."""
    expected = "a handle that another process of this user has exported"
    if machine.virtual.exports.here(number):
        expected = "the handle of another process; use the physical memory itself in the process that exported it"
        raise out_of_range(IMPORTING, f"{number:#x}", "shareableHandle", expected)
    shared = find(number, PHYSICAL)
    if shared is None:
        raise out_of_range(IMPORTING, f"{number:#x}", "shareableHandle", expected)
    export, file = shared
    check_permission(number, export, file, IMPORTING, "shareableHandle", "aclrtMemSetPidToShareableHandle")
    memory = PhysicalHandle(device, export.location[1], export.attribute, export.size, export.extent, export.page)
    try:
        machine.virtual.attach(memory, machine.devices[device].memory, file, export.offset)
    except MemoryError as error:
        raise no_host_memory(error) from None
    handle = machine.handles.add(memory)
    assert memory.block is not None
    memory.block.label = f"physical memory {memory.ordinal} of process {number >> PID_BITS}"
    return handle


def check_permission(number: int, export: Export, file: int, what: str, parameter: str, allowing: str) -> None:
    """AclError 207006, and the file is closed, if this process may not import an export. `allowing`: the function that
    allows it."""
    if not export.anybody and os.getpid() not in export.pids:
        os.close(file)
        reason = f"process {number >> PID_BITS} has not allowed process {os.getpid()} to import it ({allowing})"
        raise AclError(ACL_ERROR_RT_NO_PERMISSION, Item("EE1017", (what, parameter, reason)))


def _allow(number: int, pids: Address, count: int) -> None:
    """Let processes import an exported number."""
    machine = current()
    if number not in machine.virtual.shared:
        raise out_of_range(ALLOWING, f"{number:#x}", "shareableHandle", "a handle that this process has exported")
    allow(machine, number, pids, count)


def allow(machine: Machine, number: int, pids: Address, count: int) -> None:
    """Let processes import an export of this process."""
    machine.virtual.exports.allow(number, tuple(load_array(pids, ctypes.c_int32, count, "pid")))


def check_pids(pid: Address, count: int, parameter: str) -> None:
    """AclError 100000 unless a list of processes has one at least."""
    if not pid.value:
        raise null("pid")
    check_count(count, parameter)


def check_count(count: int, parameter: str) -> None:
    """AclError 100000 for a count of 0."""
    if count == 0:
        raise invalid(0, parameter, "a value greater than 0")


def _check_type(what: str, kind: int) -> None:
    if kind not in (DEFAULT, FABRIC):
        raise out_of_range(what, kind, "shareType", "1 (8 bytes) or 2 (an aclrtMemFabricHandle)")


def _width(kind: int) -> int:
    """Bytes of a handle of a type."""
    return WIDTH if kind == DEFAULT else ctypes.sizeof(s.aclrtMemFabricHandle)


def _number(pointer: Address, kind: int) -> int:
    """The number in a handle of a type."""
    raw = bytes(load(pointer, ctypes.c_uint8 * _width(kind), "shareableHandle"))
    return int.from_bytes(raw[:WIDTH], "little")
