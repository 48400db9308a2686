"""Events in captures: what recording, waiting for and resetting them does in a captured stream.

An event of the new mode that a captured stream records belongs to the capture until that ends: streams that wait for it
are drawn in. An external event (ACL_EVENT_EXTERNAL, or flag 1) is recorded, awaited and reset by each execution, as by
ordinary tasks.
"""

from acl_runtime.api.capture_refusals import check_free, refusal
from acl_runtime.api.rt.event import event_unsupported
from acl_runtime.api.stream_limit import NO_STREAM, check_limit
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_CAPTURE_DEPENDENCY,
    ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
    ACL_ERROR_STREAM_CAPTURE_CONFLICT,
)
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import trail
from acl_runtime.streams.event import Event
from acl_runtime.streams.model.capture import Capture, capture_of
from acl_runtime.streams.model.captured_events import CapturedRecord
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.surfacing import check_accepts_work

RECORDS = (
    ("ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT", "a capture has recorded the event, and it is a default stream."),
    ("ACL_ERROR_STREAM_CAPTURE_CONFLICT", "the stream is being captured, and another capture has recorded the event."),
    ("ACL_ERROR_RT_FEATURE_NOT_SUPPORT", "the stream is being captured, and the event is not of the new mode."),
)
"""statuses of functions that record or reset an event"""
WAITS = (
    *RECORDS,
    ("ACL_ERROR_RT_STREAM_MODEL", "a capture has recorded the event, and the stream is bound to a model."),
    ("ACL_ERROR_RT_CAPTURE_DEPENDENCY", "the stream is captured, and the event was recorded elsewhere."),
    *NO_STREAM,
)
"""statuses of functions that wait for an event"""


def captures_of(machine: Machine, event: Event, stream: Stream, what: str) -> tuple[Capture | None, Capture | None]:
    """The capture that has recorded the event, and that of the stream. Both become invalid if they differ."""
    if not machine.captures.active:
        return None, None
    recording, storing = machine.captures.recording(event), capture_of(stream)
    if recording is not None and stream.default:
        reason = f"{recording} has recorded {event}, and {stream} cannot be captured"
        raise AclError(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, Item("EE1017", (what, "stream", reason)))
    if recording is not None and storing is not None and recording is not storing:
        reason = f"{event} was recorded in {recording}, and {stream} belongs to {storing}"
        recording.invalid = storing.invalid = f"{reason} ({what})"
        raise refusal(ACL_ERROR_STREAM_CAPTURE_CONFLICT, what, reason)
    return recording, storing


def records_in_capture(machine: Machine, event: Event, stream: Stream, what: str) -> bool:
    """Record an event in a captured stream, if that differs from an ordinary record. True if all is done."""
    recording, storing = captures_of(machine, event, stream, what)
    if storing is None:
        if recording is not None:
            del recording.records[event]  # the new record is an ordinary one
        return False
    if event.external:  # "ordinary task inside the model"
        return False
    if not event.new or event.between_processes:
        raise event_unsupported()
    if event.waitable:  # else "0, nothing happens"
        machine.submit(stream, CapturedRecord(event, trail()))
    return True


def waits_in_capture(machine: Machine, event: Event, stream: Stream, timeout: float | None, what: str) -> bool:
    """Wait for an event in a captured stream, or for a captured event, if that differs from an ordinary wait. True if
    all is done."""
    recording, storing = captures_of(machine, event, stream, what)
    if recording is not None:
        check_accepts_work(stream)
        check_free(machine, stream.number, what)
        if stream.stores is None:
            check_limit(machine, stream.context, what)
            recording.draw_in(stream)
        machine.submit(stream, recording.wait(event, timeout, trail()))
        return True
    if storing is None:
        return False
    if not event.new or event.between_processes:
        raise event_unsupported()
    if event.recorded is not None:
        reason = f"{stream} belongs to {storing}, and the record of {event} lies outside ({event.history()})"
        raise refusal(ACL_ERROR_RT_CAPTURE_DEPENDENCY, what, reason)
    return True  # "on a never recorded new-mode event: 0, no-op"
