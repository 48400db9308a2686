"""acl/acl_rt.h: callbacks for failed tasks."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.kernel.stand_in import KernelTask
from acl_runtime.api.refusals import null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.streams.exception_callbacks import ExceptionInfo
from acl_runtime.text import Text

UNKNOWN: Final = 0xFFFF_FFFF
NO_KERNEL: Final = -1
"""a status without a name: the info is of no kernel"""


@acl_api("acl/acl_rt.h")
def aclrtSetExceptionInfoCallback(callback: c.aclrtExceptionInfoCallback) -> c.aclError:
    """Set the callback that is called as `callback(exceptionInfo)` when a task fails on a device. A new callback
    replaces the old one; null removes it.

    Deprecated: use aclrtExceptionInfoCallbackRegister, which can register several callbacks.

    Returns:
        ACL_SUCCESS: set, or cleared.
    """
    current().exceptions.slot = callback.value


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtExceptionInfoCallbackRegister(callback: c.aclrtExceptionInfoCallback) -> c.aclError:
    """Add a callback that is called as `callback(exceptionInfo)` when a task fails on a device. A callback that is
    registered twice is called once.

    Returns:
        ACL_SUCCESS: registered.
        ACL_ERROR_RT_PARAM_INVALID: `callback` is null.
    """
    if callback.value is None:
        raise _null("Registering an exception callback")
    current().exceptions.add(callback.value)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtExceptionInfoCallbackUnregister(callback: c.aclrtExceptionInfoCallback) -> c.aclError:
    """Remove a registered callback. It is no error if the callback is not registered.

    Returns:
        ACL_SUCCESS: the callback is not registered.
        ACL_ERROR_RT_PARAM_INVALID: `callback` is null.
    """
    if callback.value is None:
        raise _null("Unregistering an exception callback")
    current().exceptions.remove(callback.value)


def _null(what: str) -> AclError:
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (what, "null", "callback", "it must not be null")))


@acl_api("acl/acl_rt.h")
def aclrtGetTaskIdFromExceptionInfo(info: c.const_aclrtExceptionInfo_p) -> c.uint32_t_result:
    """The number of the failed task in its stream; 0xFFFFFFFF for a null info."""
    live_info = _info(info)
    return UNKNOWN if live_info is None else live_info.task.number


@acl_api("acl/acl_rt.h")
def aclrtGetStreamIdFromExceptionInfo(info: c.const_aclrtExceptionInfo_p) -> c.uint32_t_result:
    """The id of the failed task's stream; 0xFFFFFFFF for a null info."""
    live_info = _info(info)
    return UNKNOWN if live_info is None else live_info.task.stream.id


@acl_api("acl/acl_rt.h")
def aclrtGetThreadIdFromExceptionInfo(info: c.const_aclrtExceptionInfo_p) -> c.uint32_t_result:
    """The system's id of the host thread that launched the failed task; 0xFFFFFFFF for a null info."""
    live_info = _info(info)
    return UNKNOWN if live_info is None else live_info.task.thread & UNKNOWN


@acl_api("acl/acl_rt.h")
def aclrtGetDeviceIdFromExceptionInfo(info: c.const_aclrtExceptionInfo_p) -> c.uint32_t_result:
    """The device of the failed task; 0xFFFFFFFF for a null info."""
    live_info = _info(info)
    return UNKNOWN if live_info is None else live_info.task.stream.context.device.number


@acl_api("acl/acl_rt.h")
def aclrtGetThreadLastTaskId(taskId: c.uint32_t_p) -> c.aclError:
    """Query the number, in its stream, of the last task that the calling thread queued; 0xFFFFFFFF before its first
    task. An exception info has the same numbers.

    Returns:
        ACL_SUCCESS: `*taskId` is the number.
        ACL_ERROR_INVALID_PARAM: `taskId` is null.
    """
    if taskId.null:
        raise null("taskId")
    taskId.store(current().thread().last_task)


@acl_api("acl/acl_rt.h")
def aclrtGetErrorCodeFromExceptionInfo(info: c.const_aclrtExceptionInfo_p) -> c.uint32_t_result:
    """The status that calls on the stream return because of the failed task; 0xFFFFFFFF for a null info."""
    live_info = _info(info)
    return UNKNOWN if live_info is None else live_info.status


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetArgsFromExceptionInfo(
    info: c.const_aclrtExceptionInfo_p, devArgsPtr: c.void_pp, devArgsLen: c.uint32_t_p
) -> c.aclError:
    """Get the arguments of the failed kernel: their address on the device, and their bytes. The emulator has them only
    for kernels of the program, not for those of operators.

    Returns:
        ACL_SUCCESS: both are written.
        ACL_ERROR_INVALID_PARAM: `devArgsPtr` or `devArgsLen` is null.
        -1: `info` is null, or the failed task is no kernel of the program.
    """
    live_info = _info(info)
    if live_info is None:
        raise AclError(NO_KERNEL)
    for out, name in ((devArgsPtr, "devArgsPtr"), (devArgsLen, "devArgsLen")):
        if out.null:
            raise null(name)
    task = live_info.task.work
    if not isinstance(task, KernelTask):
        raise AclError(NO_KERNEL)
    address, size = task.launch.arguments_on_device(live_info.task.stream.context.device)
    devArgsPtr.store(address)
    devArgsLen.store(size)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetFuncHandleFromExceptionInfo(info: c.const_aclrtExceptionInfo_p, func: c.aclrtFuncHandle_p) -> c.aclError:
    """Get the failed kernel.

    Returns:
        ACL_SUCCESS: `*func` is the kernel.
        ACL_ERROR_INVALID_PARAM: `func` is null.
        ACL_ERROR_RT_PARAM_INVALID: the failed task is no kernel of the program; `*func` is null.
        -1: `info` is null.
    """
    live_info = _info(info)
    if live_info is None:
        raise AclError(NO_KERNEL)
    if func.null:
        raise null("func")
    task = live_info.task.work
    if not isinstance(task, KernelTask):
        func.store(0)
        raise out_of_range(
            "Getting the failed kernel", str(task.name), "info", "the failure of a kernel of the program"
        )
    func.store(task.launch.kernel.number)


def _info(number: int) -> ExceptionInfo | None:
    """The info of a handle: the handle is "valid only inside the call" of the callback."""
    if not number:
        return None
    machine = current()
    info = machine.handles.find(number, ExceptionInfo)
    if info is None:
        place, history = machine.handles.describe(number)
        hint = Text("An exception info is valid only inside its callback: copy what you need there.")
        text = Text("{parameter} is no live {kind}: {where}.", parameter="info", kind=ExceptionInfo.kind, where=place)
        machine.undefined("dead-handle", text, *history, hint=hint)
    return info
