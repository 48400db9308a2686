"""acl/acl_rt.h: creating and destroying events."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import null, out_of_range
from acl_runtime.api.rt.destruction import destroying
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_EVENT_DEVICE_USE_ONLY,
    ACL_EVENT_EXTERNAL,
    ACL_EVENT_IPC,
    ACL_EVENT_SYNC,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_NO_EVENT_RESOURCE,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.process import process
from acl_runtime.source.frames import by_site
from acl_runtime.streams.event import PLAIN, Event

COMBINED: Final = PLAIN | ACL_EVENT_SYNC
"""flags that may be combined"""
GREATEST: Final = COMBINED | ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC


@acl_api("acl/acl_rt.h", resource=True)
def aclrtCreateEvent(event: c.aclrtEvent_p) -> c.aclError:
    """Create an event that streams can record and wait for, and that records the time.

    Returns:
        ACL_SUCCESS: `*event` is the new event.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left (65536 on A2, A3, 950 and 200I/500 A2, 65535 on the
            training series, 1023 on the inference series).
    """
    if event.null:
        raise null("event")
    machine = current()
    event.store(handle_of(machine, new_event(machine, PLAIN, new=False)))


@acl_api("acl/acl_rt.h", resource=True)
def aclrtCreateEventWithFlag(event: c.aclrtEvent_p, flag: c.uint32_t) -> c.aclError:
    """Create an event with flags: any of ACL_EVENT_SYNC (1), ACL_EVENT_CAPTURE_STREAM_PROGRESS (2), 4 and
    ACL_EVENT_TIME_LINE (8) or-ed, or ACL_EVENT_DEVICE_USE_ONLY (0x10) alone, or ACL_EVENT_EXTERNAL (0x20) alone.

    Returns:
        ACL_SUCCESS: `*event` is the new event.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_PARAM_INVALID: `flag` is 0, too large, or no legal combination.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: only A2, A3, 950 and the inference series have events for the device alone
            (ACL_EVENT_DEVICE_USE_ONLY).
        ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left.
    """
    if event.null:
        raise null("event")
    _check_flags(flag, (ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL))
    machine = current()
    if flag == ACL_EVENT_DEVICE_USE_ONLY:
        machine.context("Event creation")
        if not machine.soc.device_only_events:
            raise event_unsupported()
    event.store(handle_of(machine, new_event(machine, flag, new=False)))


@acl_api("acl/acl_rt.h", resource=True)
def aclrtCreateEventExWithFlag(event: c.aclrtEvent_p, flag: c.uint32_t) -> c.aclError:
    """Create an event of the new mode, which can be recorded again without a reset. The flags are any of ACL_EVENT_SYNC
    (1), ACL_EVENT_CAPTURE_STREAM_PROGRESS (2), 4 and ACL_EVENT_TIME_LINE (8) or-ed, or ACL_EVENT_IPC (0x40) alone.

    Returns:
        ACL_SUCCESS: `*event` is the new event.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_PARAM_INVALID: `flag` is 0, too large, or no legal combination.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: only A2, A3 and 950 have events between processes (ACL_EVENT_IPC).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left.
    """
    if event.null:
        raise null("event")
    _check_flags(flag, (ACL_EVENT_IPC,))
    machine = current()
    if flag == ACL_EVENT_IPC and not machine.soc.ipc_events:
        raise event_unsupported()
    event.store(handle_of(machine, new_event(machine, flag, new=True)))


def _check_flags(flag: int, alone: tuple[int, ...]) -> None:
    what = "Event creation"
    if not 0 < flag <= GREATEST:
        raise out_of_range(what, flag, "flag", f"a value in [1, {GREATEST:#x}]")
    if flag & ~COMBINED and flag not in alone:
        names = ", ".join(f"{flag:#x}" for flag in alone)
        text = f"legal values are combinations of 1, 2, 4 and 8; or {names} alone"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1006", (what, f"flag {flag:#x}", text)))


def new_event(machine: Machine, flags: int, *, new: bool) -> Event:
    """An event of the current device; 207009 if none is left."""
    device = machine.context("Event creation").device
    if device.event_ids.used >= device.event_limit:
        lines = by_site(event.made for event in machine.handles.all(Event) if event.device is device)
        device_name = f"device {device.number} ({device.soc.label})"
        reason = f"all {device.event_limit} events of {device_name} are in use, created: {lines}"
        raise AclError(ACL_ERROR_RT_NO_EVENT_RESOURCE, Item("EE1023", ("Event creation", reason)))
    if flags == ACL_EVENT_IPC:
        from acl_runtime.streams.shared.event import SharedEvent  # late, as few programs share events

        return SharedEvent(device, flags, new=new)
    return Event(device, flags, new=new)


def handle_of(machine: Machine, event: Event) -> int:
    """The handle of a new event."""
    handle = machine.handles.add(event)
    if process.event_lives is not None:
        process.event_lives(handle, True)
    return handle


def event_unsupported(*items: Item) -> AclError:
    """The refusal 207000 of an event function. It sets no last error, and has a text only with `items`."""
    return AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, *items, runtime=0)


@acl_api("acl/acl_rt.h", resource=True)
def aclrtDestroyEvent(event: c.aclrtEvent) -> c.aclError:
    """Destroy an event. The call returns at once, even if queued tasks use the event; these tasks run nevertheless.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if not event:
        raise null("event")
    machine, what = current(), "Event destruction"
    with destroying(machine, event):
        live_event = machine.event(event, what, "event")
        machine.context(what)
        live_event.device.event_ids.give(live_event.id)
        if process.event_lives is not None:
            process.event_lives(live_event.number, False)
        machine.handles.remove(live_event)
        live_event.dismiss()
