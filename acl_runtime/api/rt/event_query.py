"""acl/acl_rt.h: querying events, waiting for them on the host, reading their time."""

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import CAPTURED_EVENT, check_event
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import null
from acl_runtime.api.rt.device import milliseconds
from acl_runtime.api.rt.event import event_unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclrtEventRecordedStatus, aclrtEventStatus, aclrtEventWaitStatus
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
    ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
    ACL_ERROR_RT_INTERNAL_ERROR,
)
from acl_runtime.machine.current import current
from acl_runtime.streams.event import Event, Record
from acl_runtime.streams.surfacing import check_accepts_work, reraise

MS = 1000.0
SECOND = 1e6


def _queried(number: int, what: str, parameter: str = "event") -> Event:
    """The event of a handle, for a query, a synchronisation or an elapsed time; 207000 for an external event."""
    machine = current()
    event = machine.event(number, what, parameter)
    machine.context(what)
    check_event(machine, event, what)
    if event.external:
        raise event_unsupported()
    event.look()
    return event


def _timed(number: int, what: str, parameter: str = "event") -> Event:
    """The event of a handle, for a query of its time; 207000 for an event of several processes, which has no time."""
    event = _queried(number, what, parameter)
    if event.between_processes:
        raise event_unsupported()
    return event


def _recorded(record: Record) -> bool:
    """True if the record has run. With `schedule="late"` one task of its stream runs first, so that polling ends."""
    machine = current()
    if streams := list(record.streams()):
        machine.scheduler.polled(streams)
    _check_lost(record)
    if record.done:
        machine.clock.reach(record.at)
        _announce_learnt(record)
    return record.done


def _announce_learnt(record: Record) -> None:
    """Announce that the host now knows that the record, and everything ordered before it, has run."""
    current().announce.host_learnt(record.clock())


def _check_lost(record: Record) -> None:
    """AclError if the record can never run: its stream was aborted, or failed in stop mode."""
    if record.lost and record.task is not None:
        check_accepts_work(record.task.stream)


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED_EVENT)
def aclrtQueryEventStatus(event: c.aclrtEvent, status: c.aclrtEventRecordedStatus_p) -> c.aclError:
    """Write ACL_EVENT_RECORDED_STATUS_COMPLETE (1) when the latest record has run, NOT_READY (0) before. If the event
    was never recorded: NOT_READY for a classic event, COMPLETE for an event of the new mode.

    Returns:
        ACL_SUCCESS: `*status` is written.
        ACL_ERROR_INVALID_PARAM: a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is an external one (ACL_EVENT_EXTERNAL).
    """
    if not event:
        raise null("event")
    if status.null:
        raise null("status")
    live_event = _queried(event, "Querying an event")
    latest = live_event.latest
    complete = _recorded(latest) and not latest.reset if latest is not None else live_event.new
    kind = aclrtEventRecordedStatus
    status.store(kind.ACL_EVENT_RECORDED_STATUS_COMPLETE if complete else kind.ACL_EVENT_RECORDED_STATUS_NOT_READY)


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED_EVENT)
def aclrtQueryEvent(event: c.aclrtEvent, status: c.aclrtEventStatus_p) -> c.aclError:
    """Write ACL_EVENT_STATUS_COMPLETE (0) when the latest record has run, or when there is none, and NOT_READY (1)
    before. Deprecated: use aclrtQueryEventStatus.

    Returns:
        ACL_SUCCESS: `*status` is written.
        ACL_ERROR_INVALID_PARAM: a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is of the new mode, or an external one (ACL_EVENT_EXTERNAL).
    """
    if not event:
        raise null("event")
    if status.null:
        raise null("status")
    live_event = _queried(event, "Querying an event")
    if live_event.new:
        raise event_unsupported()
    latest = live_event.latest
    complete = latest is None or _recorded(latest)  # a reset event is "not recorded", which counts as COMPLETE
    kind = aclrtEventStatus
    status.store(kind.ACL_EVENT_STATUS_COMPLETE if complete else kind.ACL_EVENT_STATUS_NOT_READY)


@acl_api("acl/acl_rt.h", also=CAPTURED_EVENT)
def aclrtQueryEventWaitStatus(event: c.aclrtEvent, status: c.aclrtEventWaitStatus_p) -> c.aclError:
    """Write ACL_EVENT_WAIT_STATUS_COMPLETE (0) when all waits for the event are over, NOT_READY (1) before.

    Returns:
        ACL_SUCCESS: `*status` is written.
        ACL_ERROR_INVALID_PARAM: a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is of the new mode, or an external one (ACL_EVENT_EXTERNAL).
    """
    if not event:
        raise null("event")
    if status.null:
        raise null("status")
    live_event = _queried(event, "Querying the waits of an event")
    if live_event.new:
        raise event_unsupported()
    if streams := [wait.stream for wait in live_event.waits()]:
        current().scheduler.polled(streams)
    if not live_event.waits():
        current().announce.waits_over(live_event.unsettled)
    kind = aclrtEventWaitStatus
    status.store(kind.ACL_EVENT_WAIT_STATUS_NOT_READY if live_event.waits() else kind.ACL_EVENT_WAIT_STATUS_COMPLETE)


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED_EVENT, resource=True)
def aclrtSynchronizeEvent(event: c.aclrtEvent) -> c.aclError:
    """Block until the latest record of the event has run; returns at once if the event was never recorded.

    Returns:
        ACL_SUCCESS: the record has run, or there is none.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is an external one (ACL_EVENT_EXTERNAL).
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT: the record can never run (only if the machine reports findings instead of
            raising them).
    """
    if not event:
        raise null("event")
    _synchronize(event, None)


@acl_api("acl/acl_rt.h", also=LAUNCHES + CAPTURED_EVENT, resource=True)
def aclrtSynchronizeEventWithTimeout(event: c.aclrtEvent, timeout: c.int32_t) -> c.aclError:
    """Block until the latest record of the event has run, for at most `timeout` milliseconds of simulated time (-1: for
    ever).

    Returns:
        ACL_SUCCESS: the record has run, or there is none.
        ACL_ERROR_INVALID_PARAM: `event` is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or less than -1 (less than -1 is refused before a null event).
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is an external one (ACL_EVENT_EXTERNAL).
        ACL_ERROR_RT_EVENT_SYNC_TIMEOUT: the record needs more time, or can never run.
    """
    what = "Event synchronisation"
    if timeout < -1:
        refused = _refused_timeout(what, timeout)
        raise AclError(refused.status, *refused.items, runtime=0)  # refused by the ACL layer, "not recorded"
    if not event:
        raise null("event")
    current().event(event, what, "event")
    _synchronize(event, milliseconds(what, timeout))


def _refused_timeout(what: str, timeout: int) -> AclError:
    try:
        milliseconds(what, timeout)
    except AclError as error:
        return error
    raise AssertionError(timeout)


def _synchronize(number: int, timeout: float | None) -> None:
    what = "Event synchronisation"
    event = _queried(number, what)
    record = event.latest
    if record is None:
        return
    machine = current()
    seconds = float("inf") if timeout is None else timeout / SECOND
    reached = machine.scheduler.wait(record, timeout, elsewhere=lambda: min(record.grace, seconds))
    if record.task is not None:
        reraise(record.task.stream)
    _check_lost(record)
    if not reached:
        text = f"{what} timed out: {record} has not run"
        error = AclError(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, Item("EE1002", (text,)))
        if timeout is None:
            machine.consequences.taint(error, "deadlock")
        raise error
    _announce_learnt(record)


@acl_api("acl/acl_rt.h", also=CAPTURED_EVENT)
def aclrtEventElapsedTime(ms: c.float_p, startEvent: c.aclrtEvent, endEvent: c.aclrtEvent) -> c.aclError:
    """Write the milliseconds of simulated time between the latest records of two events, negative if the second came
    first.

    Returns:
        ACL_SUCCESS: `*ms` is written.
        ACL_ERROR_INVALID_PARAM: a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE: a handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: an event is an external one, or for several processes.
        ACL_ERROR_RT_INTERNAL_ERROR: an event was never recorded.
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: an event has no ACL_EVENT_TIME_LINE, or its record has not run yet.
    """
    if ms.null:
        raise null("ms")
    if not startEvent:
        raise null("startEvent")
    if not endEvent:
        raise null("endEvent")
    what = "Getting the elapsed time"
    events = [_timed(startEvent, what, "startEvent"), _timed(endEvent, what, "endEvent")]
    records = [_record_of(event, what) for event in events]
    start, end = (_stamp(event, record, what) for event, record in zip(events, records, strict=True))
    ms.store((end - start) / MS)


@acl_api("acl/acl_rt.h", also=CAPTURED_EVENT)
def aclrtEventGetTimestamp(event: c.aclrtEvent, timestamp: c.uint64_t_p) -> c.aclError:
    """Write the simulated time, in microseconds, at which the latest record of the event ran.

    Returns:
        ACL_SUCCESS: `*timestamp` is written.
        ACL_ERROR_INVALID_PARAM: a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is an external one, or for several processes.
        ACL_ERROR_RT_INTERNAL_ERROR: the event was never recorded.
        ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID: it has no ACL_EVENT_TIME_LINE, or its record has not run yet.
    """
    if not event:
        raise null("event")
    if timestamp.null:
        raise null("timestamp")
    what = "Getting the time of an event"
    live_event = _timed(event, what)
    timestamp.store(int(_stamp(live_event, _record_of(live_event, what), what)))


def _record_of(event: Event, what: str) -> Record:
    record = event.recorded
    if record is None:
        text = f"{what} failed, reason={event} is not recorded ({event.history()})."
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE9999", (text,)))
    return record


def _stamp(event: Event, record: Record, what: str) -> float:
    if not event.timed:
        reason = f"{event} ({event.history()}) carries no time: create it with ACL_EVENT_TIME_LINE or aclrtCreateEvent"
    elif not record.done:
        reason = f"{record}, has not run yet ({event.history()}): synchronise first"
    else:
        _announce_learnt(record)
        return record.at
    raise AclError(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, Item("EE1018", (what, reason)))


@acl_api("acl/acl_rt.h")
def aclrtGetEventId(event: c.aclrtEvent, eventId: c.uint32_t_p) -> c.aclError:
    """Write the number of the event on its device: the lowest number that was free when it was created.

    Returns:
        ACL_SUCCESS: `*eventId` is written.
        ACL_ERROR_INVALID_PARAM: a pointer is null.
        ACL_ERROR_RT_INVALID_HANDLE: the handle was destroyed, or is no event.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the event is for several processes.
    """
    if not event:
        raise null("event")
    if eventId.null:
        raise null("eventId")
    machine, what = current(), "Getting the event id"
    live_event = machine.event(event, what, "event")
    machine.context(what)
    if live_event.between_processes:
        raise event_unsupported()
    eventId.store(live_event.id)


@acl_api("acl/acl_rt.h")
def aclrtGetEventAvailNum(eventCount: c.uint32_t_p) -> c.aclError:
    """Write how many events the device of the current context has left.

    Returns:
        ACL_SUCCESS: `*eventCount` is written.
        ACL_ERROR_INVALID_PARAM: `eventCount` is null.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if eventCount.null:
        raise null("eventCount")
    device = current().context("Getting the number of available events").device
    eventCount.store(max(device.event_limit - device.event_ids.used, 0))
