"""acl/acl_rt.h: events: making them, recording them, letting streams wait for them."""

from typing import Final

import acl_runtime.c as c
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import invalid, null, out_of_range
from acl_runtime.boundary import acl_api
from acl_runtime.enums import (
    ACL_EVENT_DEVICE_USE_ONLY,
    ACL_EVENT_EXTERNAL,
    ACL_EVENT_IPC,
    ACL_EVENT_RECORD_EXTERNAL,
    ACL_EVENT_SYNC,
)
from acl_runtime.errors import AclError
from acl_runtime.machine.event import PLAIN, Event, EventWait
from acl_runtime.machine.installation import current
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.site import here
from acl_runtime.machine.soc import Series
from acl_runtime.machine.stream import Stream, Task
from acl_runtime.messages import Item
from acl_runtime.statuses import (
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_NO_EVENT_RESOURCE,
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_STREAM_NOT_CAPTURED,
)

COMBINED: Final = PLAIN | ACL_EVENT_SYNC
"""flags that may be or-ed"""
GREATEST: Final = COMBINED | ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC
SECOND: Final = 1e6


@acl_api("acl/acl_rt.h")
def aclrtCreateEvent(event: c.aclrtEvent_p) -> c.aclError:
    """Create an event that streams can record and wait for and that carries the time.

    Returns:
        ACL_SUCCESS: `*event` is the new event.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left (65536 on A2, A3 and 200I/500 A2, 65535 on the
            training series, 1023 on the inference series).
    """
    if event.null:
        raise null("event")
    event.store(_create(current(), PLAIN, new=False))


@acl_api("acl/acl_rt.h")
def aclrtCreateEventWithFlag(event: c.aclrtEvent_p, flag: c.uint32_t) -> c.aclError:
    """Create an event with flags: any of ACL_EVENT_SYNC (1), ACL_EVENT_CAPTURE_STREAM_PROGRESS (2), 4 and
    ACL_EVENT_TIME_LINE (8) or-ed, or ACL_EVENT_DEVICE_USE_ONLY (0x10) alone, or ACL_EVENT_EXTERNAL (0x20) alone.

    Returns:
        ACL_SUCCESS: `*event` is the new event.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_PARAM_INVALID: `flag` is 0, too large, or no legal combination.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left.
    """
    if event.null:
        raise null("event")
    _check_flags(flag, (ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL))
    event.store(_create(current(), flag, new=False))


@acl_api("acl/acl_rt.h")
def aclrtCreateEventExWithFlag(event: c.aclrtEvent_p, flag: c.uint32_t) -> c.aclError:
    """Create an event of the new mode, which can be recorded again without a reset. Flags: any of ACL_EVENT_SYNC (1),
    ACL_EVENT_CAPTURE_STREAM_PROGRESS (2), 4 and ACL_EVENT_TIME_LINE (8) or-ed, or ACL_EVENT_IPC (0x40) alone.

    Returns:
        ACL_SUCCESS: `*event` is the new event.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_PARAM_INVALID: `flag` is 0, too large, or no legal combination.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: only A2 and A3 have events between processes (ACL_EVENT_IPC).
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_NO_EVENT_RESOURCE: the device has no event left.
    """
    if event.null:
        raise null("event")
    _check_flags(flag, (ACL_EVENT_IPC,))
    machine = current()
    if flag == ACL_EVENT_IPC and machine.soc.series not in (Series.A2, Series.A3):
        raise quiet_unsupported()
    event.store(_create(machine, flag, new=True))


def _check_flags(flag: int, alone: tuple[int, ...]) -> None:
    what = "Event creation"
    if not 0 < flag <= GREATEST:
        raise out_of_range(what, flag, "flag", f"a value in [1, {GREATEST:#x}]")
    if flag & ~COMBINED and flag not in alone:
        listed = ", ".join(f"{each:#x}" for each in alone)
        text = f"legal are combinations of 1, 2, 4, 8, and {listed} alone"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1006", (what, f"flag {flag:#x}", text)))


def _create(machine: Machine, flags: int, *, new: bool) -> int:
    device = machine.context("Event creation").device
    if device.event_ids.used >= device.soc.events:
        reason = f"all {device.soc.events} events of device {device.number} ({device.soc.label}) are in use"
        raise AclError(ACL_ERROR_RT_NO_EVENT_RESOURCE, Item("EE1023", ("Event creation", reason)))
    return machine.handles.add(Event(device, flags, new=new))


def quiet_unsupported() -> AclError:
    """ "the quiet 207000 answers of event functions": no text, no last error."""
    return AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT)


@acl_api("acl/acl_rt.h")
def aclrtDestroyEvent(event: c.aclrtEvent) -> c.aclError:
    """Destroy an event; it "returns at once even if tasks still use it", and they go on.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
    """
    if not event:
        raise null("event")
    machine, what = current(), "Event destruction"
    found = machine.event(event, what)
    machine.context(what)
    found.device.event_ids.give(found.id)
    machine.handles.remove(found, "destroyed")


@acl_api("acl/acl_rt.h", also=LAUNCHES)
def aclrtRecordEvent(event: c.aclrtEvent, stream: c.aclrtStream) -> c.aclError:
    """Queue a record of the event: it is recorded when the stream gets there. "A second record overwrites the first."
    Null is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context.
    """
    if not event:
        raise null("event")
    _record(*_pair(event, stream, "Recording an event"))


@acl_api("acl/acl_rt.h", also=LAUNCHES)
def aclrtRecordEventWithFlag(event: c.aclrtEvent, stream: c.aclrtStream, flag: c.uint32_t) -> c.aclError:
    """aclrtRecordEvent with ACL_EVENT_RECORD_DEFAULT (0); ACL_EVENT_RECORD_EXTERNAL (1) is for streams being captured,
    which this emulator has not.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `event` is null, or `flag` is neither 0 nor 1.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: flag 1, and the event was not made by aclrtCreateEventExWithFlag with
            ACL_EVENT_SYNC alone.
        ACL_ERROR_RT_PARAM_INVALID: flag 1 on an event that was recorded with flag 0.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: flag 1, and the stream is not being captured.
    """
    if not event:
        raise null("event")
    what = "Recording an event"
    _check_flag(flag)
    found, queue = _pair(event, stream, what)
    if flag == ACL_EVENT_RECORD_EXTERNAL:
        raise _not_captured(what, found, queue)
    _record(found, queue)


def _record(event: Event, stream: Stream) -> None:
    machine = current()
    task = Task(f"record of {event}", _nothing, (), here())
    stream.accept()
    record = event.record()
    record.task, task.done = task, record.ran
    machine.submit(stream, task)


def _nothing() -> None:
    """The device only marks."""


def _pair(event: int, stream: int, what: str) -> tuple[Event, Stream]:
    machine = current()
    if stream:
        machine.stream(stream, what)
    found = machine.event(event, what)
    return found, machine.own_stream(stream, what)


def _check_flag(flag: int) -> None:
    if flag not in (0, 1):
        raise invalid(flag, "flag", "0 or 1")


def _not_captured(what: str, event: Event, stream: Stream) -> AclError:
    if not (event.new and event.flags == ACL_EVENT_SYNC):
        return quiet_unsupported()
    if event.latest is not None:
        reason = f"{event} was recorded with flag 0 before, and cannot be used with flag 1 as well"
        return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1018", (what, reason)))
    return AclError(
        ACL_ERROR_RT_STREAM_NOT_CAPTURED, Item("EE1018", (what, f"flag 1 needs a captured stream; {stream} is not"))
    )


@acl_api("acl/acl_rt.h", also=LAUNCHES)
def aclrtStreamWaitEvent(stream: c.aclrtStream, event: c.aclrtEvent) -> c.aclError:
    """Later tasks of the stream wait for the event's "latest record at call time". Null is the default stream.

    An event that was never recorded: one of the new mode is not waited for; a classic one with ACL_EVENT_SYNC is waited
    for until somebody records it.

    Returns:
        ACL_SUCCESS: queued, or there is nothing to wait for.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event has neither ACL_EVENT_SYNC nor flag 4, so nobody can wait for it.
        ACL_ERROR_RT_PARAM_INVALID: a classic event without ACL_EVENT_SYNC that was never recorded.
    """
    if not event:
        raise null("event")
    found, queue = _pair(event, stream, WAITING)
    _wait(found, queue, queue.context.device.op_wait_timeout)


WAITING: Final = "Triggering event waiting"


@acl_api("acl/acl_rt.h", also=LAUNCHES)
def aclrtStreamWaitEventWithTimeout(stream: c.aclrtStream, event: c.aclrtEvent, timeout: c.int32_t) -> c.aclError:
    """aclrtStreamWaitEvent for at most `timeout` seconds of simulated time (0: for ever), after which the stream fails
    with ACL_ERROR_RT_EVENT_SYNC_TIMEOUT at its next synchronise.

    Returns:
        ACL_SUCCESS: queued, or there is nothing to wait for.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_PARAM_INVALID: `event` is null, `timeout` is negative, or the event is a classic one without
            ACL_EVENT_SYNC that was never recorded.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event has neither ACL_EVENT_SYNC nor flag 4.
    """
    if timeout < 0:  # of the ACL layer, and "not recorded": "an event timeout below its range"
        values = (WAITING, timeout, "timeout", "0 or more seconds")
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1003", values), runtime=0)
    if not event:  # "107000 in WithTimeout, whose ACL layer has no null check"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (WAITING, "null", "event", "it must not be null")))
    found, queue = _pair(event, stream, WAITING)
    _wait(found, queue, timeout * SECOND if timeout else None)


@acl_api("acl/acl_rt.h", also=LAUNCHES)
def aclrtStreamWaitEventWithFlag(
    stream: c.aclrtStream, event: c.aclrtEvent, timeout: c.uint32_t, flag: c.uint32_t
) -> c.aclError:
    """aclrtStreamWaitEvent for at most `timeout` seconds (0: for ever), with ACL_EVENT_WAIT_DEFAULT (0);
    ACL_EVENT_WAIT_EXTERNAL (1) is for streams being captured, which this emulator has not.

    Returns:
        ACL_SUCCESS: queued, or there is nothing to wait for.
        ACL_ERROR_INVALID_PARAM: `event` is null, `flag` is neither 0 nor 1, or flag 1 comes with a timeout.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event has neither ACL_EVENT_SYNC nor flag 4; or flag 1, and the event was
            not made by aclrtCreateEventExWithFlag with ACL_EVENT_SYNC alone.
        ACL_ERROR_RT_PARAM_INVALID: a classic event without ACL_EVENT_SYNC that was never recorded; or flag 1 on an
            event that was recorded with flag 0.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: flag 1, and the stream is not being captured.
    """
    if not event:
        raise null("event")
    _check_flag(flag)
    if flag and timeout:
        raise invalid(timeout, "timeout", "0, as flag is ACL_EVENT_WAIT_EXTERNAL")
    found, queue = _pair(event, stream, WAITING)
    if flag:
        raise _not_captured(WAITING, found, queue)
    _wait(found, queue, timeout * SECOND if timeout else None)


def _wait(event: Event, stream: Stream, timeout: float | None) -> None:
    if not event.waitable:
        raise quiet_unsupported()
    record = event.recorded
    if record is None and event.new:
        return  # "new-mode event -> no-op, success"
    if record is None and not event.flags & ACL_EVENT_SYNC:
        reason = f"{event} ({event.history()}) was never recorded, or was reset: call aclrtRecordEvent first"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1018", (WAITING, reason)))
    wait = EventWait(event, record, timeout)
    task = Task(f"wait for {event}", _nothing, (), here(), wait=wait)
    stream.accept()
    if record is None:
        event.expect(wait)  # before other work runs, which may record it
    current().submit(stream, task)
    event.awaited_by(task)


@acl_api("acl/acl_rt.h", also=LAUNCHES)
def aclrtResetEvent(event: c.aclrtEvent, stream: c.aclrtStream) -> c.aclError:
    """Queue a reset of a classic event: "returns the event to not recorded" when the stream gets there.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
        ACL_ERROR_RT_STREAM_CONTEXT: the stream belongs to another context.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is of the new mode, or nobody can wait for it.
    """
    if not event:
        raise null("event")
    found, queue = _pair(event, stream, "Resetting an event")
    if found.new or not found.waitable:
        raise quiet_unsupported()
    record = found.latest

    def done(_at: float) -> None:
        if record is not None:
            record.reset = True

    current().submit(queue, Task(f"reset of {found}", _nothing, (), here(), done=done))
    found.forgotten = True


@acl_api("acl/acl_rt.h")
def aclrtSetOpWaitTimeout(timeout: c.uint32_t) -> c.aclError:
    """How many seconds of simulated time a stream waits for an event that has no timeout of its own, on the device of
    the current context; 0, as at first: for ever.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_RT_CONTEXT_NULL: the thread has no current context.
    """
    device = current().context("Setting the timeout of event waiting").device
    device.op_wait_timeout = timeout * SECOND if timeout else None
