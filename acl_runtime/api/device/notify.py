"""acl/acl_rt.h: notifies."""

import ctypes
from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.memory as m
from acl_runtime.api.memory.buffers import load_array
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_NO_NOTIFY_RESOURCE, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.contexts import live_object
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.soc import Series
from acl_runtime.source.frames import by_site, trail
from acl_runtime.streams.shared.notify import Notify, NotifyRecord, NotifyWaitTask

HEADER: Final = "acl/acl_rt.h"
CREATING: Final = "Notify creation"
USING: Final = "Using a notify"
SECOND: Final = 1e6
"""simulated microseconds"""
FOR_EVER: Final = 0xFFFF_FFFF


@acl_api(HEADER, resource=True)
def aclrtCreateNotify(notify: m.aclrtNotify_p, flag: c.uint64_t) -> c.aclError:
    """Create a notify on the device of the current context: a bit, which is not set. `flag` is ACL_NOTIFY_DEFAULT (0)
    or ACL_NOTIFY_DEVICE_USE_ONLY (1).

    Returns:
        ACL_SUCCESS: `*notify` is the notify.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_PARAM_INVALID: `flag` is neither 0 nor 1.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_NOTIFY_RESOURCE: the device has no notify left (65535 on 950, 8192 on A2 and A3, 2048 on
            200I/500 A2, 1024 on the training and the inference series).
    """
    if notify.null:
        raise null("notify")
    if flag > 1:
        raise out_of_range(CREATING, flag, "flag", "0 or 1")
    machine = current()
    notify.store(machine.handles.add(new_notify(machine)))


@acl_api(HEADER, resource=True)
def aclrtDestroyNotify(notify: m.aclrtNotify) -> c.aclError:
    """Destroy a notify. The call does not wait for streams; queued tasks use it nevertheless.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    machine, live = live_notify(notify)
    live.device.notify_ids.give(live.id)
    machine.handles.remove(live)
    live.dismiss()


@acl_api(HEADER, also=LAUNCHES, resource=True)
def aclrtRecordNotify(notify: m.aclrtNotify, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that sets the bit. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    machine, live = live_notify(notify)
    machine.submit(machine.own_stream(stream, USING), NotifyRecord(live, trail()))


@acl_api(HEADER, also=LAUNCHES, resource=True)
def aclrtWaitAndResetNotify(notify: m.aclrtNotify, stream: c.aclrtStream, timeout: c.uint32_t) -> c.aclError:
    """Let later tasks of a stream wait until the bit is set; the task then clears it. So one record ends one wait, also
    a record that comes later. `timeout` are seconds of simulated time; 0 and 0xFFFFFFFF mean for ever, but 0xFFFFFFFF
    means the time of aclrtSetOpWaitTimeout on the inference series. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `notify` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: another process created the notify, on another device than that of the stream.
    """
    machine, live = live_notify(notify)
    queue = machine.own_stream(stream, USING)
    device = queue.context.device
    if live.physical != device.physical:
        reason = f"the notify belongs to device {live.physical}, and the stream to device {device.physical}"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1012", (USING, live, "notify", reason)))
    seconds: float | None = timeout * SECOND or None
    if timeout == FOR_EVER:
        seconds = device.op_wait_timeout if machine.soc.series is Series.INFERENCE else None
    machine.submit(queue, NotifyWaitTask(live, seconds, trail()))


@acl_api(HEADER)
def aclrtGetNotifyId(notify: m.aclrtNotify, notifyId: c.uint32_t_p) -> c.aclError:
    """Query the number of a notify on its device: the lowest number that was free when it was created.

    Returns:
        ACL_SUCCESS: `*notifyId` is the number.
        ACL_ERROR_INVALID_PARAM: an argument is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if notify and notifyId.null:
        raise null("notifyId")
    _, live = live_notify(notify)
    notifyId.store(live.id)


@acl_api(HEADER, pyacl=None)
def aclrtNotifyBatchReset(notifies: m.aclrtNotifies, num: c.size_t) -> c.aclError:
    """Clear the bits of notifies, in order, up to the first error.

    Returns:
        ACL_SUCCESS: cleared.
        ACL_ERROR_INVALID_PARAM: `notifies` is null, or a notify in it.
        ACL_ERROR_RT_PARAM_INVALID: `num` is 0, or `notifies` cannot be read (only if the machine reports findings
            instead of raising them).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not notifies.value:
        raise null("notifies")
    if num == 0:
        raise out_of_range(USING, num, "num", "a value greater than 0")
    check_product(USING)
    for number in load_array(notifies, ctypes.c_uint64, num, "notifies"):
        live_notify(number, "notifies")[1].set(0)


def new_notify(machine: Machine, physical: int | None = None) -> Notify:
    """A notify of the current device; 207009 if none is left. `physical`: the device of the process that created it, if
    that is another process."""
    device = machine.context(CREATING).device
    if device.notify_ids.used >= device.soc.notifies:
        lines = by_site(notify.made for notify in machine.handles.all(Notify) if notify.device is device)
        reason = f"all {device.soc.notifies} notifies of device {device.number} are in use, created: {lines}"
        raise AclError(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, Item("EE1023", (CREATING, reason)))
    return Notify(machine, device, device.physical if physical is None else physical)


def live_notify(number: int, parameter: str = "notify") -> tuple[Machine, Notify]:
    """The machine, and the notify of a handle, in a thread with a context."""
    if not number:
        raise null(parameter)
    machine = current()
    live = live_object(machine.handles, number, Notify, USING, parameter)
    machine.context(USING)
    return machine, live
