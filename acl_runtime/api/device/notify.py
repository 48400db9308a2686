"""acl/acl_rt.h: notifies, by which streams wait for each other."""

from ctypes import c_uint64
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.api.memory.buffers import load
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_NO_NOTIFY_RESOURCE
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.soc import Series
from acl_runtime.source.frames import trail
from acl_runtime.streams.counting_notify import CountWaitTask, Notify, NotifyChange, RecordWait
from acl_runtime.streams.stream import Device

HEADER: Final = "acl/acl_rt.h"
WHAT: Final = "A notify"
SECONDS: Final = 1e6
"""simulated microseconds"""
DEFAULT: Final = 0xFFFF_FFFF
"""the timeout that means the one of aclrtSetOpWaitTimeout on Atlas inference products, and for ever on others"""


@acl_api(HEADER, resource=True)
def aclrtCreateNotify(notify: m.aclrtNotify_p, flag: c.uint64_t) -> c.aclError:
    """Create a notify on the device of the current context. `flag` is 0, or 1 for the device alone.

    Returns:
        ACL_SUCCESS: `*notify` is the notify.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_PARAM_INVALID: `flag` is neither 0 nor 1.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_NOTIFY_RESOURCE: the device has no notify left (65535 on 950, 8192 on A2 and A3, 2048 on
            200I/500 A2, 1024 on others).
    """
    if notify.null:
        raise null("notify")
    if flag > 1:
        raise out_of_range(WHAT, flag, "flag", "0 or 1")
    machine = current()
    device = machine.context(WHAT).device
    if device.notify_ids.used >= device.soc.notifies:
        reason = f"all {device.soc.notifies} notifies of device {device.number} ({device.soc.label}) are in use"
        raise AclError(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, Item("EE1023", (WHAT, reason)))
    notify.store(machine.handles.add(Notify(device)))


@acl_api(HEADER, resource=True)
def aclrtDestroyNotify(notify: m.aclrtNotify) -> c.aclError:
    """Destroy a notify. The call does not wait for streams.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    machine, live_notify = _notify(notify)
    machine.context(WHAT)
    live_notify.device.notify_ids.give(live_notify.id)
    machine.handles.remove(live_notify)


@acl_api(HEADER, also=LAUNCHES, resource=True)
def aclrtRecordNotify(notify: m.aclrtNotify, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that records a notify, so that one wait for it ends, also one that was queued before. A null stream
    is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    machine, live_notify = _notify(notify)
    machine.submit(machine.own_stream(stream, WHAT), NotifyChange(live_notify, 0, 1, trail()))


@acl_api(HEADER, also=LAUNCHES, resource=True)
def aclrtWaitAndResetNotify(notify: m.aclrtNotify, stream: c.aclrtStream, timeout: c.uint32_t) -> c.aclError:
    """Let later tasks of a stream wait for a record of a notify; the task resets the notify then. `timeout` is in
    seconds, 0 for ever, as is 0xFFFFFFFF on all but Atlas inference products. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    machine, live_notify = _notify(notify)
    live_stream = machine.own_stream(stream, WHAT)
    wait = RecordWait(live_notify, _limit(timeout, live_stream.context.device), machine.scheduler)
    machine.submit(live_stream, CountWaitTask(wait, live_notify, trail(), clears=True))


@acl_api(HEADER)
def aclrtGetNotifyId(notify: m.aclrtNotify, notifyId: c.uint32_t_p) -> c.aclError:
    """Query the number of a notify.

    Returns:
        ACL_SUCCESS: `*notifyId` is the number.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if notify and notifyId.null:
        raise null("notifyId")
    machine, live_notify = _notify(notify)
    machine.context(WHAT)
    notifyId.store(live_notify.id)


@acl_api(HEADER, pyacl=None)
def aclrtNotifyBatchReset(notifies: m.aclrtNotifies, num: c.size_t) -> c.aclError:
    """Reset notifies at once. The call ends at the first one that is refused.

    Returns:
        ACL_SUCCESS: all are reset.
        ACL_ERROR_INVALID_PARAM: `notifies` is null.
        ACL_ERROR_RT_PARAM_INVALID: `num` is 0; or `notifies` has fewer elements (only if the machine reports findings
            instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not notifies.value:
        raise null("notifies")
    if not num:
        raise out_of_range(WHAT, num, "num", "at least 1")
    check_product(WHAT)
    for number in load(notifies, c_uint64 * num, "notifies"):
        machine, live_notify = _notify(number, "notifies")
        machine.context(WHAT)
        live_notify.value = 0


def _notify(number: int, parameter: str = "notify") -> tuple[Machine, Notify]:
    if not number:
        raise null(parameter)
    machine = current()
    return machine, live_object(machine.handles, number, Notify, WHAT, parameter)


def _limit(timeout: int, device: Device) -> float | None:
    """The simulated microseconds that a wait may take, None for ever."""
    if timeout == DEFAULT:
        return device.op_wait_timeout if device.soc.series is Series.INFERENCE else None
    return timeout * SECONDS or None
