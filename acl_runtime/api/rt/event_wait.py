"""acl/acl_rt.h: streams that wait for events."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.graph.captured_events import WAITS, waits_in_capture
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.api.rt.event import event_unsupported
from acl_runtime.api.rt.event_record import check_external, check_flag, pair
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_EVENT_SYNC
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.source.frames import here, trail
from acl_runtime.streams.event import Event
from acl_runtime.streams.event_tasks import EventWaitTask
from acl_runtime.streams.model.capture import capture_of
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text

SECOND: Final = 1e6
WAITING: Final = "Triggering event waiting"


@acl_api("acl/acl_rt.h", also=LAUNCHES + WAITS, resource=True)
def aclrtStreamWaitEvent(stream: c.aclrtStream, event: c.aclrtEvent) -> c.aclError:
    """Let later tasks of the stream wait for the latest record of the event at the time of the call. A null stream is
    the default stream.

    If the event was never recorded, the mode of the event decides. In the new mode nothing waits. With a classic event
    that has ACL_EVENT_SYNC, the stream waits until some thread records the event.

    Returns:
        ACL_SUCCESS: queued, or there is nothing to wait for.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event has neither ACL_EVENT_SYNC nor flag 4, so streams cannot wait for
            it.
        ACL_ERROR_RT_PARAM_INVALID: the event is for the device alone, or a classic one without ACL_EVENT_SYNC that was
            never recorded.
    """
    if not event:
        raise null("event")
    live_event, queue = pair(event, stream, WAITING)
    _wait(live_event, queue, queue.context.device.op_wait_timeout)


@acl_api("acl/acl_rt.h", also=LAUNCHES + WAITS, resource=True, pyacl=None)
def aclrtStreamWaitEventWithTimeout(stream: c.aclrtStream, event: c.aclrtEvent, timeout: c.int32_t) -> c.aclError:
    """aclrtStreamWaitEvent for at most `timeout` seconds of simulated time (0: for ever). After that time the stream
    fails, and its next synchronise returns ACL_ERROR_RT_EVENT_SYNC_TIMEOUT.

    Returns:
        ACL_SUCCESS: queued, or there is nothing to wait for.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_PARAM_INVALID: `event` is null, `timeout` is negative, or the event is for the device alone, or a
            classic one without ACL_EVENT_SYNC that was never recorded.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event has neither ACL_EVENT_SYNC nor flag 4.
    """
    if timeout < 0:  # refused by the ACL layer, and "not recorded": "an event timeout below its range"
        values = (WAITING, timeout, "timeout", "0 or more seconds")
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1003", values), runtime=0)
    if not event:  # "107000 in WithTimeout, whose ACL layer has no null check"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1011", (WAITING, "null", "event", "it must not be null")))
    live_event, queue = pair(event, stream, WAITING)
    _wait(live_event, queue, timeout * SECOND if timeout else None)


@acl_api("acl/acl_rt.h", also=LAUNCHES + WAITS, resource=True, pyacl=None)
def aclrtStreamWaitEventWithFlag(
    stream: c.aclrtStream, event: c.aclrtEvent, timeout: c.uint32_t, flag: c.uint32_t
) -> c.aclError:
    """aclrtStreamWaitEvent for at most `timeout` seconds (0: for ever). `flag` is ACL_EVENT_WAIT_DEFAULT (0).
    ACL_EVENT_WAIT_EXTERNAL (1) is for streams being captured: each execution of the model waits for the record that is
    the latest one then.

    Returns:
        ACL_SUCCESS: queued, or there is nothing to wait for.
        ACL_ERROR_INVALID_PARAM: `event` is null, `flag` is neither 0 nor 1, or flag 1 comes with a timeout.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event has neither ACL_EVENT_SYNC nor flag 4; or flag 1, and the event was
            not made by aclrtCreateEventExWithFlag with ACL_EVENT_SYNC alone.
        ACL_ERROR_RT_PARAM_INVALID: the event is for the device alone, or a classic one without ACL_EVENT_SYNC that was
            never recorded; or flag 1 on an event that was recorded with flag 0.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: flag 1, and the stream is not being captured.
    """
    if not event:
        raise null("event")
    check_flag(flag)
    if flag and timeout:
        raise invalid(timeout, "timeout", "0, as flag is ACL_EVENT_WAIT_EXTERNAL")
    check_product(WAITING, refused=bool(flag), silent=True)
    live_event, queue = pair(event, stream, WAITING)
    if flag:
        check_external(WAITING, live_event, queue)
        _submit(live_event, queue, None)
        return
    _wait(live_event, queue, timeout * SECOND if timeout else None)


def _wait(event: Event, stream: Stream, timeout: float | None) -> None:
    machine = current()
    if event.external and capture_of(stream) is not None:
        _submit(event, stream, timeout)  # "ordinary task inside the model"
        return
    if not event.waitable:
        raise event_unsupported()
    if waits_in_capture(machine, event, stream, timeout, WAITING):
        return
    event.look()
    record = event.recorded
    if record is None and event.new:  # "new-mode event -> no-op, success"
        _report_nothing_to_wait_for(event, stream)
        return
    if record is None and not event.flags & ACL_EVENT_SYNC:
        reason = f"{event} is not recorded ({event.history()}): call aclrtRecordEvent first"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1018", (WAITING, reason)))
    task = _submit(event, stream, timeout)
    if stream.unrecorded_waits:
        _withdraw(stream, task.launched)


def _submit(event: Event, stream: Stream, timeout: float | None) -> EventWaitTask:
    machine = current()
    task = EventWaitTask(event, timeout, trail(), machine.unfinished_of)
    machine.submit(stream, task)
    return task


def _report_nothing_to_wait_for(event: Event, stream: Stream) -> None:
    """Report the finding `event-misuse`, once for each event and line of the program."""
    passed = stream.unrecorded_waits.setdefault(here(), {})
    if event not in passed:
        what = Text(
            "{stream} does not wait for {event}, which was never recorded: the wait did nothing.",
            stream=stream,
            event=event,
        )
        finding = current().undefined("event-misuse", what, *event.past())
        if finding is not None:
            passed[event] = finding


def _withdraw(stream: Stream, site: str) -> None:
    """Withdraw the findings that `_report_nothing_to_wait_for` made for this line, as a later call there waits for a
    record.

    The loop of a pipeline waits for an event before it reuses a buffer. In the first rounds no buffer is in use, so the
    events are not recorded yet. If an event was recorded since, the first wait was no mistake."""
    passed = stream.unrecorded_waits.get(site, {})
    for event in [event for event in passed if event.latest is not None]:
        current().findings.withdraw(passed.pop(event))


@acl_api("acl/acl_rt.h")
def aclrtSetOpWaitTimeout(timeout: c.uint32_t) -> c.aclError:
    """Set the default timeout of waits for events, in seconds of simulated time. 0, the default, means for ever. The
    timeout applies to waits without an explicit timeout, in all streams of the current context's device. In a thread
    without a context it applies to those of all devices.

    Returns:
        ACL_SUCCESS: set.
    """
    machine = current()
    context = machine.context_of_caller()
    check_product("Setting the timeout of event waiting")
    for device in machine.devices if context is None else (context.device,):
        device.op_wait_timeout = timeout * SECOND if timeout else None
