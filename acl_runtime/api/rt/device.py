"""acl/acl_rt.h: devices."""

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import ANY_CAPTURED, check_none_captured
from acl_runtime.api.outcomes import QUERIES, WAITS
from acl_runtime.api.refusals import out_of_range
from acl_runtime.api.rt.ending import end_context, release
from acl_runtime.api.rt.state_callbacks import device_changes, stream_changes
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError, Past
from acl_runtime.headers.enums import aclrtDeviceState, aclrtStreamState
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import here
from acl_runtime.streams.event import Event
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Device, Stream
from acl_runtime.streams.surfacing import aborted, surface
from acl_runtime.text import Text


@acl_api("acl/acl_rt.h")
def aclrtSetDevice(deviceId: c.int32_t) -> c.aclError:
    """Open device `deviceId` if needed and make its default context current for the calling thread.

    Each call adds one reference to the device, which one aclrtResetDevice removes. Other devices stay open.

    Returns:
        ACL_SUCCESS: the device's default context is current.
        ACL_ERROR_RT_INVALID_DEVICEID
    """
    machine = current()
    device = machine.device(deviceId, "Setting the device of the current thread", "deviceId")
    thread, site = machine.thread(), here()
    device_changes(machine, deviceId, aclrtDeviceState.ACL_RT_DEVICE_STATE_SET_PRE)
    if not device.references:
        device.set_at = site
    device.references += 1
    device.setters[thread.name] = device.setters.get(thread.name, (0, ""))[0] + 1, site
    opened = device.primary is None or not device.primary.alive
    thread.use(primary=machine.contexts.open_primary(device))
    if opened and device.primary is not None:
        stream_changes(machine, device.primary.default_stream, aclrtStreamState.ACL_RT_STREAM_STATE_CREATE_POST)
    device_changes(machine, deviceId, aclrtDeviceState.ACL_RT_DEVICE_STATE_SET_POST)


@acl_api("acl/acl_rt.h", resource=True)
def aclrtResetDevice(deviceId: c.int32_t) -> c.aclError:
    """Remove one reference of the device; the last reset waits for the work of the default context and releases it.

    All streams of the default context end with it, and the calling thread loses the context. Explicit contexts stay.
    Device memory is freed when neither a reference nor a context is left.

    Returns:
        ACL_SUCCESS: one reference was removed.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: the device was never set, or reset more often than set.
    """
    machine = current()
    device = machine.device(deviceId, "Resetting the device", "deviceId")
    if not device.references:
        raise not_set(device)
    _reset(machine, device, 1)


@acl_api("acl/acl_rt.h", resource=True)
def aclrtResetDeviceForce(deviceId: c.int32_t) -> c.aclError:
    """Remove all references of this process at once, and release the default context as aclrtResetDevice does.

    If several threads use the device, only the last one should call it.

    Returns:
        ACL_SUCCESS: released.
        ACL_ERROR_RT_INVALID_DEVICEID
        ACL_ERROR_RT_CONTEXT_RELEASE_ERROR: the device is not set, or was reset already.
    """
    machine = current()
    try:
        device = machine.device(deviceId, "Resetting the device", "deviceId")
        if not device.references:
            raise not_set(device)
        _reset(machine, device, device.references)
    except AclError as error:
        raise AclError(error.status, *error.items, runtime=0) from None  # "Not recorded: [its] failures"


def not_set(device: Device) -> AclError:
    """The refusal to reset a device that is not set: 507007."""
    reason = f"device {device.number} is not set: each aclrtResetDevice takes back one aclrtSetDevice"
    last = f"(set at {device.set_at}, {device.primary.ended})" if device.primary is not None else "(it never was)"
    return AclError(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, Item("EE1018", ("Resetting the device", reason), last))


def _reset(machine: Machine, device: Device, count: int) -> None:
    """Remove `count` references between the callbacks of the program."""
    device_changes(machine, device.number, aclrtDeviceState.ACL_RT_DEVICE_STATE_RESET_PRE)
    _remove_references(machine, device, count)
    device_changes(machine, device.number, aclrtDeviceState.ACL_RT_DEVICE_STATE_RESET_POST)


def _remove_references(machine: Machine, device: Device, count: int) -> None:
    """Remove `count` references; the last reset ends the default context."""
    if device.references == count and device.primary is not None:
        machine.finish(*device.primary.all_streams())  # "at 0: waits for the default context's unfinished work"
        if not device.references:  # another thread reset it meanwhile
            raise not_set(device)
    device.references -= min(count, device.references)
    name = machine.thread().name
    times, site = device.setters.pop(name, (0, ""))
    if times > count:
        device.setters[name] = times - count, site
    if not device.references:
        device.setters.clear()
    if not device.references and device.primary is not None:
        _announce_left(machine, device)
        end_context(machine, device.primary, Text("released by {call}", call=machine.thread().call))
        # "slot 2 is emptied, even if it points to another device's default context"
        thread = machine.thread()
        if thread.primary is not None:
            thread.lost = f"{device.primary} was {device.primary.ended}"
        thread.primary = None
        release(machine, device)


def _announce_left(machine: Machine, device: Device) -> None:
    """Announce the objects that should have been destroyed before the reset: "Documented order: events, streams,
    contexts, then reset"."""
    streams = [stream for stream in device.streams() if not stream.default]
    events = [event for event in machine.handles.all(Event) if event.device is device]
    models = [model for model in machine.handles.all(Model) if model.context.device is device]
    how = Text("reset by {call}", call=machine.thread().call)
    past = Past(Text("{thing} was {how}", thing=f"device {device.number}", how=how), here())
    machine.announce.left_behind(past, [*events, *models, *streams, *device.explicit])


@acl_api("acl/acl_rt.h", also=WAITS + ANY_CAPTURED, resource=True)
def aclrtSynchronizeDevice() -> c.aclError:
    """Wait for all streams of the thread's current context. Streams of other contexts of the device are not waited for.

    Returns:
        ACL_SUCCESS: everything is done.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    machine = current()
    machine.announce.host_waits(machine.thread().caller)
    synchronize(machine, "Device synchronisation")


@acl_api("acl/acl_rt.h", also=QUERIES + ANY_CAPTURED, resource=True)
def aclrtSynchronizeDeviceWithTimeout(timeout: c.int32_t) -> c.aclError:
    """Wait for all streams of the thread's current context, for at most `timeout` milliseconds of simulated time
    (-1: for ever).

    Returns:
        ACL_SUCCESS: everything is done.
        ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or less than -1.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: the work needs more time, or can never be done.
    """
    what = "Device synchronisation"
    machine, limit = current(), milliseconds(what, timeout)
    machine.announce.host_waits(machine.thread().caller)
    synchronize(machine, what, limit)


def milliseconds(what: str, timeout: int) -> float | None:
    """A timeout in simulated microseconds; None for -1, which means for ever. 107000 for 0 and below -1."""
    if timeout == 0 or timeout < -1:
        raise out_of_range(what, timeout, "timeout", "-1, or more than 0 milliseconds")
    return None if timeout == -1 else timeout * 1000.0


def synchronize(machine: Machine, what: str, timeout: float | None = None) -> None:
    """Wait for all streams of the current context; AclError if a task in them failed."""
    context = machine.context(what)
    check_none_captured(machine, context, what)
    streams = tuple(context.all_streams())
    if not machine.finish(*streams, timeout=timeout):
        raise timed_out(what, streams, stuck=timeout is None)
    for stream in streams:
        if stream.aborted:
            raise aborted(stream)
        surface(stream, machine.consequences)


def timed_out(what: str, streams: tuple[Stream, ...], *, stuck: bool) -> AclError:
    """The refusal of a wait whose streams are not done in time: 507046. `stuck`: True if their work can never be done,
    which was reported as `deadlock`."""
    queued = "; ".join(stream.pending() for stream in streams if stream.queue)
    text = f"{what} timed out. Still queued: {queued or 'nothing'}."
    error = AclError(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, Item("EE1002", (text,)))
    if stuck:
        current().consequences.taint(error, "deadlock")
    return error
