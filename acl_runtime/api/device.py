"""acl/acl_rt.h: devices."""

import acl_runtime.c as c
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.machine.device import Context, Device
from acl_runtime.machine.installation import current
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.site import here
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_CONTEXT_RELEASE_ERROR


@acl_api("acl/acl_rt.h")
def aclrtSetDevice(deviceId: c.int32_t) -> c.aclError:
    """Open device `deviceId` if needed and make its default context current for the calling thread.

    Every call counts one reference, taken back by aclrtResetDevice. Other devices stay open.

    Returns:
        ACL_SUCCESS: the device's default context is current.
        ACL_ERROR_RT_INVALID_DEVICEID: `deviceId` is not in [0, number of devices).
    """
    machine = current()
    device = machine.device(deviceId, "Setting the device of the current thread")
    if not device.references:
        device.set_at = here()
    device.references += 1
    machine.thread().use(primary=machine.open_primary(device))


@acl_api("acl/acl_rt.h")
def aclrtResetDevice(deviceId: c.int32_t) -> c.aclError:
    """Take one reference back; at the last one wait for the work of the default context and release it.

    The default stream and every stream created in the default context go away, and the calling thread has no
    default context any more; explicit contexts stay. Device memory is released with the last holder.

    Returns:
        ACL_SUCCESS: one reference less.
        ACL_ERROR_RT_INVALID_DEVICEID: `deviceId` is not in [0, number of devices).
        ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: the device was never set, or reset more often than set.
    """
    machine = current()
    device = machine.device(deviceId, "Resetting the device")
    if not device.references:
        reason = f"device {deviceId} is not set: each aclrtResetDevice takes back one aclrtSetDevice"
        raise AclError(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, Item("EE1018", ("Resetting the device", reason)))
    if device.references == 1:
        for stream in device.primary.all_streams() if device.primary else ():
            machine.finish(stream)  # "at 0: waits for the default context's unfinished work"
    device.references -= 1
    if not device.references and device.primary is not None:
        end_context(machine, device.primary, "released by aclrtResetDevice")
        # "slot 2 is emptied, even if it points to another device's default context"
        thread = machine.thread()
        if thread.primary is not None:
            thread.lost = f"{device.primary} was {device.primary.ended}"
        thread.primary = None
        release(machine, device)


def end_context(machine: Machine, context: Context, how: str) -> None:
    """The context is gone, and with it its streams and what is queued in them."""
    for stream in context.all_streams():
        if stream.queue:
            what = f"{len(stream.queue)} task(s) were dropped as {context} was {how}: {stream.pending()}"
            machine.findings.add("work-dropped", f"{what}. Synchronise first.")
        machine.scheduler.drop(stream)
    for stream in context.streams:
        machine.handles.remove(stream, f"destroyed with {context}")
    context.streams = []
    context.alive, context.ended = False, f"{how} at {here()}"


def release(machine: Machine, device: Device) -> None:
    """The last holder let go of the device: its memory is reclaimed, pointers to it are dead."""
    if not device.held:
        for allocation in list(device.memory):
            machine.findings.add(
                "mem-leaked",
                f"{allocation}, {allocation.history()}, were still there when device {device.number} was released. "
                "Call aclrtFree before the last aclrtResetDevice.",
            )
            device.memory.free(allocation)
