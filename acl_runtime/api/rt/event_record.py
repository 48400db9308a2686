"""acl/acl_rt.h: recording and resetting events."""

import acl_runtime.abi.c as c
from acl_runtime.api.graph.captured_events import RECORDS, captures_of, records_in_capture
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import check_product, invalid, null
from acl_runtime.api.rt.event import event_unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_EVENT_RECORD_EXTERNAL, ACL_EVENT_SYNC
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_STREAM_NOT_CAPTURED
from acl_runtime.machine.current import current
from acl_runtime.source.frames import trail
from acl_runtime.streams.event import Event
from acl_runtime.streams.event_tasks import RecordTask, ResetTask
from acl_runtime.streams.model.capture import capture_of
from acl_runtime.streams.stream import Stream


@acl_api("acl/acl_rt.h", also=LAUNCHES + RECORDS, resource=True)
def aclrtRecordEvent(event: c.aclrtEvent, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that records the event. A second record replaces the first. A null stream is the default stream.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_PARAM_INVALID: the event is for the device alone.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    if not event:
        raise null("event")
    _record(*pair(event, stream, "Recording an event"))


@acl_api("acl/acl_rt.h", also=LAUNCHES + RECORDS, resource=True, pyacl=None)
def aclrtRecordEventWithFlag(event: c.aclrtEvent, stream: c.aclrtStream, flag: c.uint32_t) -> c.aclError:
    """aclrtRecordEvent with ACL_EVENT_RECORD_DEFAULT (0). ACL_EVENT_RECORD_EXTERNAL (1) is for streams being captured:
    each execution of the model records the event for waits outside of the model.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `event` is null, or `flag` is neither 0 nor 1.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: flag 1, and the event was not made by aclrtCreateEventExWithFlag with
            ACL_EVENT_SYNC alone.
        ACL_ERROR_RT_PARAM_INVALID: the event is for the device alone; or flag 1 on an event that was recorded with
            flag 0.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: flag 1, and the stream is not being captured.
    """
    if not event:
        raise null("event")
    what = "Recording an event"
    check_flag(flag)
    check_product(what, refused=flag == ACL_EVENT_RECORD_EXTERNAL, silent=True)
    live_event, queue = pair(event, stream, what)
    if flag == ACL_EVENT_RECORD_EXTERNAL:
        check_external(what, live_event, queue)
        current().submit(queue, RecordTask(live_event, trail()))
    else:
        _record(live_event, queue)


def _record(event: Event, stream: Stream) -> None:
    machine = current()
    if not records_in_capture(machine, event, stream, "Recording an event"):
        machine.submit(stream, RecordTask(event, trail()))


def pair(event: int, stream: int, what: str) -> tuple[Event, Stream]:
    """The event and the stream of two handles; the stream must belong to the current context."""
    machine = current()
    any_event = machine.handles.find(event, Event)
    if any_event is not None and any_event.device_only:  # "first test of the runtime after null"
        reason = f"{any_event} was made with ACL_EVENT_DEVICE_USE_ONLY ({any_event.history()})"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1006", (what, "an event for the device alone", reason)))
    if stream:
        machine.stream(stream, what)
    live_event = machine.event(event, what, "event")
    return live_event, machine.own_stream(stream, what)


def check_flag(flag: int) -> None:
    """100000 unless the flag is 0 or 1 (external)."""
    if flag not in (0, 1):
        raise invalid(flag, "flag", "0 or 1")


def check_external(what: str, event: Event, stream: Stream) -> None:
    """The checks of flag 1, which only a stream being captured accepts."""
    if not (event.new and event.flags == ACL_EVENT_SYNC):
        raise event_unsupported()
    capture = capture_of(stream)
    latest = event.latest.task if event.latest is not None else None
    if latest is not None and latest.execution is None:
        reason = f"{event} was recorded with flag 0 before, and cannot be used with flag 1 as well"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1018", (what, reason)))
    if capture is None:
        reason = f"flag 1 needs a stream that is being captured, and {stream} is not"
        raise AclError(ACL_ERROR_RT_STREAM_NOT_CAPTURED, Item("EE1018", (what, reason)))


@acl_api("acl/acl_rt.h", also=LAUNCHES + RECORDS, resource=True)
def aclrtResetEvent(event: c.aclrtEvent, stream: c.aclrtStream) -> c.aclError:
    """Queue a task that resets a classic event: from then on the event counts as not recorded.

    A reset is undefined if a stream may still wait for the event at that time: the finding `event-reset-early`.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is of another kind.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: the event is for the device alone.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is of the new mode, or streams cannot wait for it.
    """
    if not event:
        raise null("event")
    what = "Resetting an event"
    live_event, queue = pair(event, stream, what)
    machine = current()
    _, capture = captures_of(machine, live_event, queue, what)
    in_model = capture is not None and live_event.external
    if live_event.new or not (live_event.waitable or in_model):
        why = "is of the new mode, which needs no reset" if live_event.new else "cannot be waited for by a stream"
        raise event_unsupported(Item("EE1016", (what, f"{live_event} {why} ({live_event.history()})")))
    if capture is not None and not in_model:
        raise event_unsupported()
    machine.submit(queue, ResetTask(live_event, trail(), machine.unfinished_of))
