"""acl/acl_rt.h: counting notifies, which only the 950 series has."""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.abi.pointers import Address
from acl_runtime.api.memory.buffers import AnyStruct, load
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.headers.structs import aclrtCntNotifyRecordInfo, aclrtCntNotifyWaitInfo
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import trail
from acl_runtime.streams.counting_notify import (
    CHANGES,
    CONDITIONS,
    CountingNotify,
    CountWait,
    CountWaitTask,
    NotifyChange,
)

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "A counting notify"
SECONDS: Final = 1e6
"""simulated microseconds"""


@acl_api(HEADER, pyacl=None)
def aclrtCntNotifyCreate(cntNotify: m.aclrtCntNotify_p, flag: c.uint64_t) -> c.aclError:
    """Create a counting notify with the value 0 on the device of the current context.

    Returns:
        ACL_SUCCESS: `*cntNotify` is the notify.
        ACL_ERROR_RT_PARAM_INVALID: `cntNotify` is null, or `flag` is neither 0 nor 1.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if cntNotify.null:
        raise null_in_runtime(WHAT, "cntNotify")
    check_product(WHAT)
    if flag > 1:
        raise out_of_range(WHAT, flag, "flag", "0 or 1")
    machine = current()
    device = machine.context(WHAT).device
    number = sum(1 for _ in machine.handles.all(CountingNotify))
    cntNotify.store(machine.handles.add(CountingNotify(device, number)))


@acl_api(HEADER, pyacl=None)
def aclrtCntNotifyDestroy(cntNotify: m.aclrtCntNotify) -> c.aclError:
    """Destroy a counting notify. The call does not wait for streams.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_RT_PARAM_INVALID: `cntNotify` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
    """
    machine, notify = _notify(cntNotify)
    machine.handles.remove(notify)


@acl_api(HEADER, also=LAUNCHES, resource=True, pyacl=None)
def aclrtCntNotifyRecord(
    cntNotify: m.aclrtCntNotify, stream: c.aclrtStream, info: m.aclrtCntNotifyRecordInfo_p
) -> c.aclError:
    """Queue a task that changes the value: sets it (0), adds to it (1), or (2), and (4). A null stream is the default
    stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `info` is null.
        ACL_ERROR_RT_PARAM_INVALID: `cntNotify` is null; the mode is none of these; or `info` is no memory of the host
            (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    change = _loaded(info, aclrtCntNotifyRecordInfo)
    machine, notify = _notify(cntNotify)
    if change.mode not in CHANGES:
        raise out_of_range(WHAT, change.mode, "info->mode", "an aclrtCntNotifyRecordMode")
    _record(machine, notify, stream, change.mode, change.value)


@acl_api(HEADER, also=LAUNCHES, resource=True, pyacl=None)
def aclrtCntNotifyReset(cntNotify: m.aclrtCntNotify, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that sets the value to 0. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_PARAM_INVALID: `cntNotify` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    machine, notify = _notify(cntNotify)
    _record(machine, notify, stream, 0, 0)


@acl_api(HEADER, also=LAUNCHES, resource=True, pyacl=None)
def aclrtCntNotifyWaitWithTimeout(
    cntNotify: m.aclrtCntNotify, stream: c.aclrtStream, info: m.aclrtCntNotifyWaitInfo_p
) -> c.aclError:
    """Let later tasks of a stream wait until the value is less (0), equal (1), greater (2), greater or equal (3), or
    has all bits (4) of `info->value`. A timeout of 0 seconds means for ever. The task may set the value to 0 then. A
    null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `info` is null.
        ACL_ERROR_RT_PARAM_INVALID: `cntNotify` is null; the mode is none of these; or `info` is no memory of the host
            (only if the machine reports findings instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    condition = _loaded(info, aclrtCntNotifyWaitInfo)
    machine, notify = _notify(cntNotify)
    if condition.mode not in CONDITIONS:
        raise out_of_range(WHAT, condition.mode, "info->mode", "an aclrtCntNotifyWaitMode")
    live_stream = machine.own_stream(stream, WHAT)
    timeout = condition.timeout * SECONDS or None
    wait = CountWait(notify, condition.mode, condition.value, timeout, machine.scheduler)
    machine.submit(live_stream, CountWaitTask(wait, notify, trail(), clears=bool(condition.isClear)))


@acl_api(HEADER, pyacl=None)
def aclrtCntNotifyGetId(cntNotify: m.aclrtCntNotify, notifyId: c.uint32_t_p) -> c.aclError:
    """Query the number of a counting notify.

    Returns:
        ACL_SUCCESS: `*notifyId` is the number.
        ACL_ERROR_RT_PARAM_INVALID: an argument is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
    """
    if cntNotify and notifyId.null:
        raise null_in_runtime(WHAT, "notifyId")
    _, notify = _notify(cntNotify)
    notifyId.store(notify.id)


def _loaded(info: Address, kind: type[AnyStruct]) -> AnyStruct:
    if not info.value:
        raise null("info")
    return load(info, kind, "info")


def _notify(number: int) -> tuple[Machine, CountingNotify]:
    if not number:
        raise null_in_runtime(WHAT, "cntNotify")
    check_product(WHAT)
    machine = current()
    return machine, live_object(machine.handles, number, CountingNotify, WHAT, "cntNotify")


def _record(machine: Machine, notify: CountingNotify, stream: int, mode: int, value: int) -> None:
    machine.submit(machine.own_stream(stream, WHAT), NotifyChange(notify, mode, value, trail()))
