"""acl/acl_rt.h: queries of errors: the last text, the last status, hardware faults."""

import threading
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.headers.statuses as statuses
from acl_runtime.api.memory.buffers import store
from acl_runtime.api.refusals import check_product, invalid, not_simulated, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError, Past
from acl_runtime.headers.enums import aclrtLastErrLevel
from acl_runtime.headers.structs import aclrtErrorInfo
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import here, is_c
from acl_runtime.text import Text

LAST: Final = (
    ("ACL_ERROR_RT_PARAM_INVALID", "a bad argument, or an address that the driver refuses."),
    ("ACL_ERROR_RT_INVALID_DEVICEID", "a device that does not exist."),
    ("ACL_ERROR_RT_CONTEXT_NULL", "no valid context."),
    ("ACL_ERROR_RT_STREAM_CONTEXT", "a stream or event of another context."),
    ("ACL_ERROR_RT_STREAM_MODEL", "a stream bound to a model, or to none."),
    ("ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID", "an event without a time."),
    ("ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL", "events in reverse order."),
    ("ACL_ERROR_RT_STREAM_SUBSCRIBE", "a stream that is subscribed already, or not subscribed."),
    ("ACL_ERROR_RT_THREAD_SUBSCRIBE", "a thread that is not subscribed, or subscribed on another device."),
    ("ACL_ERROR_RT_STREAM_NO_CB_REG", "a host function on a stream without a subscription."),
    ("ACL_ERROR_RT_INVALID_MEMORY_TYPE", "a type of memory that does not fit."),
    ("ACL_ERROR_RT_INVALID_HANDLE", "a destroyed handle, or one of another kind."),
    ("ACL_ERROR_RT_INVALID_SYMBOL", "an address that stands for no variable of a kernel."),
    ("ACL_ERROR_RT_SYSPARAMOPT_NOT_SET", "a system parameter that was never set."),
    ("ACL_ERROR_RT_DEVICE_TASK_ABORT", "tasks of the device were aborted."),
    ("ACL_ERROR_RT_STREAM_ABORT", "the stream was aborted."),
    ("ACL_ERROR_RT_MODEL_CONTEXT", "a model of another context."),
    ("ACL_ERROR_RT_CAPTURE_DEPENDENCY", "an event that was recorded outside of the capture."),
    ("ACL_ERROR_RT_STREAM_UNJOINED", "a capture whose streams were not joined."),
    ("ACL_ERROR_RT_MODEL_CAPTURED", "a model that is being captured."),
    ("ACL_ERROR_RT_STREAM_CAPTURED", "a stream that is being captured."),
    ("ACL_ERROR_RT_EVENT_CAPTURED", "an event of a capture."),
    ("ACL_ERROR_RT_STREAM_NOT_CAPTURED", "a stream that is not being captured."),
    ("ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT", "a call that the mode of a capture forbids."),
    ("ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT", "the default stream in a capture."),
    ("ACL_ERROR_STREAM_CAPTURE_CONFLICT", "a stream and an event of two captures."),
    ("ACL_ERROR_STREAM_TASK_GROUP_STATUS", "a task group in the wrong state."),
    ("ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED", "a capture that another stream began."),
    ("ACL_ERROR_RT_MODEL_RUNNING", "a model that is running."),
    ("ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING", "the capture of the body of a condition goes on."),
    ("ACL_ERROR_RT_MODEL_UPDATE_FAILED", "a model that cannot be changed yet."),
    ("ACL_ERROR_RT_SYMBOL_NOT_FOUND", "a name that a kernel binary does not have."),
    ("ACL_ERROR_RT_INVALID_DEVICE_FUNCTION", "an address that is no kernel."),
    ("ACL_ERROR_RT_NO_PERMISSION", "memory that another process does not share with this one."),
    ("ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD", "a capture that another thread began."),
    ("ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY", "an array with too few elements."),
    ("ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC", "a copy that would wait during a capture."),
    ("ACL_ERROR_RT_FEATURE_NOT_SUPPORT", "not supported."),
    ("ACL_ERROR_RT_MEMORY_ALLOCATION", "no memory left."),
    ("ACL_ERROR_RT_NO_DEVICE", "the machine has no device."),
    ("ACL_ERROR_RT_RESOURCE_ALLOC_FAIL", "no ids left."),
    ("ACL_ERROR_RT_NO_NOTIFY_RESOURCE", "no notifies left."),
    ("ACL_ERROR_RT_NO_EVENT_RESOURCE", "no events left."),
    ("ACL_ERROR_RT_NO_STREAM_RESOURCE", "no streams left."),
    ("ACL_ERROR_RT_NO_NOTIFY_RESOURCE", "no notifies left."),
    ("ACL_ERROR_SNAPSHOT_LOCK_FAILED", "a process that is locked already."),
    ("ACL_ERROR_SNAPSHOT_UNLOCK_FAILED", "a process that is not locked."),
    ("ACL_ERROR_SNAPSHOT_BACKUP_FAILED", "a process that is not locked, or backed up already."),
    ("ACL_ERROR_SNAPSHOT_RESTORE_FAILED", "a process that is not backed up."),
    ("ACL_ERROR_SNAPSHOT_CALLBACK_FAILED", "a callback of a snapshot that failed."),
    ("ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED", "a callback that no snapshot takes."),
    ("ACL_ERROR_RT_MODEL_EXECUTE", "a model that is not built."),
    ("ACL_ERROR_RT_LABEL_CONTEXT", "a label of another context."),
    ("ACL_ERROR_RT_QUEUE_EMPTY", "a queue without a message."),
    ("ACL_ERROR_RT_QUEUE_FULL", "a queue without room."),
    ("ACL_ERROR_RT_INTERNAL_ERROR", "an internal error, or an event never recorded."),
    ("ACL_ERROR_RT_CONTEXT_RELEASE_ERROR", "a device that was reset too often, or a context in use."),
    ("ACL_ERROR_RT_REPORT_TIMEOUT", "no callback arrived in time."),
    ("ACL_ERROR_RT_AICORE_TIMEOUT", "an operator ran too long."),
    ("ACL_ERROR_RT_AICORE_EXCEPTION", "a task failed on an AI core."),
    ("ACL_ERROR_RT_AICPU_TIMEOUT", "an operator ran too long on an AI CPU."),
    ("ACL_ERROR_RT_AICPU_EXCEPTION", "a task failed on an AI CPU."),
    ("ACL_ERROR_RT_DEV_SETUP_ERROR", "a device could not be opened."),
    ("ACL_ERROR_RT_VECTOR_CORE_EXCEPTION", "a task failed on a vector core."),
    ("ACL_ERROR_RT_STREAM_SYNC_TIMEOUT", "a stream or device was not done in time."),
    ("ACL_ERROR_RT_EVENT_SYNC_TIMEOUT", "an event was not recorded in time."),
    ("ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT", "a task that a task group does not take."),
    ("ACL_ERROR_RT_FFTS_PLUS_TIMEOUT", "an operation of several ranks to which a rank did not come."),
    ("ACL_ERROR_RT_KERNEL_DUPLICATE", "a kernel that is registered already."),
    ("ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED", "a capture that a call has invalidated."),
    ("ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "memory of the host that was registered before."),
    ("ACL_ERROR_HOST_MEMORY_NOT_REGISTERED", "memory of the host that is not registered."),
)
"""statuses that the last failure in the runtime layer may have"""
ONCE: Final = Text(
    "Ask once after a failure, keep a copy, and test the pointer: a std::string of null throws std::logic_error, and "
    "strlen of null ends the program."
)


@acl_api("acl/acl_rt.h")
def aclGetRecentErrMsg() -> c.const_char_p_result:
    """The text of all errors of the calling thread since the last call of this function; None if there are none.

    The first line gives code and reason of the oldest error; the trace lists the others (layout of CANN 9.1).
    """
    machine = current()
    thread, record, shared = machine.thread(), machine.errors(), machine.initialisation.errors_per_process
    oldest, text = record.oldest, record.take()
    machine.announce.text_read(None if shared else thread, text)
    if oldest is not None:
        record.taken = Past(Text("the text of {function} was taken", function=oldest.function), here())
    elif (shared or not _report_other_text(machine)) and record.taken is not None and is_c(thread.caller):
        _report_taken(machine, record.taken)
    return text


def _report_taken(machine: Machine, taken: Past) -> None:
    """Report `stale-errmsg`: a program in C reads its text a second time, gets null, and may crash."""
    if machine.consequences.first("stale-errmsg"):
        name = threading.current_thread().name
        what = Text(
            "aclGetRecentErrMsg returns null: thread {name} has taken its text already, and nothing failed since.",
            name=name,
        )
        machine.undefined("stale-errmsg", what, taken, hint=ONCE)


def _report_other_text(machine: Machine) -> bool:
    """Report `stale-errmsg` if only another thread has an unread text, which the program may have meant."""
    holders = [(state, Text("has one that it has not read")) for _, state in machine.threads.others()]
    if machine.failed is not None and machine.failed is not machine.thread():
        holders.append((machine.failed, Text("ended with one that it had not read")))
    for state, holds in holders:
        if (oldest := state.errors.oldest) is not None and machine.consequences.first("stale-errmsg"):
            me = threading.current_thread().name
            what = Text(
                "thread {me} has no error text, but thread {name} {holds}, of {function}.",
                me=me,
                name=state.name,
                holds=holds,
                function=oldest.function,
            )
            machine.undefined("stale-errmsg", what)
            return True
    return False


RESULTS: Final = frozenset(getattr(statuses, name) for name, _ in LAST)
"""statuses that a query returns as its result, not as its own failure"""


def _last_error(level: int) -> int:
    if level != aclrtLastErrLevel.ACL_RT_THREAD_LEVEL:
        raise invalid(level, "level", "ACL_RT_THREAD_LEVEL (0)")
    machine = current()
    thread = machine.thread()
    machine.announce.status_read(thread)
    return thread.last_error


@acl_api("acl/acl_rt.h", also=LAST, harmless=RESULTS)
def aclrtGetLastError(level: c.aclrtLastErrLevel) -> c.aclError:
    """The status of the calling thread's last failure in the runtime layer. The call then clears it.

    Successful calls do not clear it. Refusals of the ACL layer (1000xx) and statuses of aclnn functions are not stored.
    Failures of runtime calls inside aclnn functions are stored.

    Returns:
        ACL_SUCCESS: nothing failed since the last call.
        ACL_ERROR_INVALID_PARAM: `level` is not ACL_RT_THREAD_LEVEL.
    """
    if last := _last_error(level):
        current().thread().last_error = 0
        raise AclError(last)


@acl_api("acl/acl_rt.h", also=LAST, harmless=RESULTS)
def aclrtPeekAtLastError(level: c.aclrtLastErrLevel) -> c.aclError:
    """The status of the calling thread's last failure in the runtime layer, which the call does not clear.

    Returns:
        ACL_SUCCESS: nothing failed since the last call of aclrtGetLastError.
        ACL_ERROR_INVALID_PARAM: `level` is not ACL_RT_THREAD_LEVEL.
    """
    if last := _last_error(level):
        raise AclError(last)


@acl_api("acl/acl_rt.h", pyacl=None)
def aclrtGetErrorVerbose(deviceId: c.int32_t, errorInfo: c.aclrtErrorInfo_p) -> c.aclError:
    """Query the hardware fault of a device. A simulated device has none (type ACL_RT_NO_ERROR, all fields 0).

    Returns:
        ACL_SUCCESS: `*errorInfo` is written.
        ACL_ERROR_INVALID_PARAM: `errorInfo` is null.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_PARAM_INVALID: `errorInfo` is no memory that can be written (only if the machine reports findings
            instead of raising them).
    """
    if not errorInfo.value:
        raise null("errorInfo")
    what = "Getting the error of the device"
    check_product(what)
    current().device(deviceId, what, "deviceId")
    store(errorInfo, aclrtErrorInfo(), "errorInfo")


@acl_api("acl/acl_rt.h")
def aclrtDeviceTaskAbort(deviceId: c.int32_t, timeout: c.uint32_t) -> c.aclError:
    """Abort the tasks of a device, as the first step of its repair. Simulated devices do not support this.

    Returns:
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_API_NOT_SUPPORT: always, on the products that have the function.
    """
    what = "Aborting the tasks of the device"
    check_product(what)
    current().device(deviceId, what, "deviceId")
    raise not_simulated(what, "simulated devices need no repair; aclrtStreamAbort drops the work of a stream")
