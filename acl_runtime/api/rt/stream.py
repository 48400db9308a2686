"""acl/acl_rt.h: streams."""

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import CAPTURED, OF_MODEL, check_free, check_not_capturing
from acl_runtime.api.graph.capture import leave_capture
from acl_runtime.api.outcomes import QUERIES, WAITS
from acl_runtime.api.refusals import check_product, lacking, null, null_in_runtime
from acl_runtime.api.rt.destruction import destroying
from acl_runtime.api.rt.device import milliseconds, timed_out
from acl_runtime.api.rt.ending import report_dropped
from acl_runtime.api.rt.state_callbacks import stream_changes
from acl_runtime.api.stream_limit import check_limit
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import (
    ACL_STREAM_CPU_SCHEDULE,
    ACL_STREAM_DEVICE_USE_ONLY,
    ACL_STREAM_FAST_LAUNCH,
    ACL_STREAM_FAST_SYNC,
    ACL_STREAM_HUGE,
    ACL_STREAM_PERSISTENT,
    aclrtStreamState,
    aclrtStreamStatus,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_INTERNAL_ERROR,
    ACL_ERROR_RT_PARAM_INVALID,
)
from acl_runtime.machine.current import calling, current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.soc import Series
from acl_runtime.source.frames import here
from acl_runtime.streams.model.task_group import end_update
from acl_runtime.streams.stream import Stream, launches
from acl_runtime.streams.surfacing import aborted, surface
from acl_runtime.text import Text

SYNCHRONISING = "Stream synchronisation"
LEAST_PRIORITY = 7
KNOWN_FLAGS = (
    ACL_STREAM_FAST_LAUNCH
    | ACL_STREAM_FAST_SYNC
    | ACL_STREAM_PERSISTENT
    | ACL_STREAM_HUGE
    | ACL_STREAM_CPU_SCHEDULE
    | ACL_STREAM_DEVICE_USE_ONLY
)
OF_MODELS = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY


@acl_api("acl/acl_rt.h", resource=True)
def aclrtCreateStream(stream: c.aclrtStream_p) -> c.aclError:
    """Create a stream in the current context. The new stream does not synchronise with the default stream.

    Returns:
        ACL_SUCCESS: `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_STREAM_RESOURCE: the device has no stream left (1984 on A2, A3 and 950, 2048 on the training
            series, 1024 on the inference series, 512 on 200I/500 A2; default streams do not count).
    """
    if stream.null:
        raise null("stream")
    stream.store(create(current(), 0, 0))


@acl_api("acl/acl_rt.h", resource=True)
def aclrtCreateStreamWithConfig(stream: c.aclrtStream_p, priority: c.uint32_t, flag: c.uint32_t) -> c.aclError:
    """Create a stream with a priority (0 highest to 7) and flags: ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC,
    ACL_STREAM_PERSISTENT (its tasks belong to a model and do not run when submitted), ACL_STREAM_HUGE,
    ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY. Unknown bits are ignored.

    Returns:
        ACL_SUCCESS: `*stream` is the new stream.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: huge streams do not exist on the inference series.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_NO_STREAM_RESOURCE: the device has no stream left.
    """
    if stream.null:
        raise null("stream")
    stream.store(create(current(), min(priority, LEAST_PRIORITY), flag))


def create(machine: Machine, priority: int, flags: int) -> int:
    """The handle of a new stream of the current context."""
    if flags & ACL_STREAM_HUGE and not machine.soc.huge_streams:
        raise lacking("Stream creation", "ACL_STREAM_HUGE", f"huge streams do not exist on {machine.soc.label}")
    context = machine.context("Stream creation")
    check_limit(machine, context, "Stream creation")
    created = Stream(context, priority, flags & KNOWN_FLAGS, driven=not flags & OF_MODELS)
    context.streams[created] = None
    number = machine.handles.add(created)
    stream_changes(machine, created, aclrtStreamState.ACL_RT_STREAM_STATE_CREATE_POST)
    return number


def check_default(machine: Machine, stream: int, what: str) -> None:
    """Refuse a null stream if the product does not take null as the default stream."""
    if not stream and not machine.soc.null_means_default:
        raise null_in_runtime(what, "stream")


@acl_api("acl/acl_rt.h", also=CAPTURED + OF_MODEL, resource=True)
def aclrtDestroyStream(stream: c.aclrtStream) -> c.aclError:
    """Wait for the tasks queued in the stream, then destroy it.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `stream` is null (the default stream cannot be destroyed).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: the handle belongs to a default stream, which ends with its context.
    """
    if not stream:
        raise null("stream")
    machine = current()
    with destroying(machine, stream):
        check_free(machine, stream, "Stream destruction")
        live_stream = machine.own_stream(stream, "Stream destruction")
        _check_explicit(live_stream)
        check_not_capturing(live_stream, "Stream destruction")
        _report_unfinished(machine, live_stream)
        machine.finish(live_stream)
        _destroy(machine, machine.stream(stream, "Stream destruction"))  # another thread may have destroyed it


@acl_api("acl/acl_rt.h", also=OF_MODEL, resource=True)
def aclrtDestroyStreamForce(stream: c.aclrtStream) -> c.aclError:
    """Destroy the stream without waiting; its queued tasks are dropped.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `stream` is null (the default stream cannot be destroyed).
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: the handle belongs to a default stream, which ends with its context.
    """
    if not stream:
        raise null("stream")
    machine = current()
    with destroying(machine, stream):
        check_free(machine, stream, "Stream destruction")
        live_stream = machine.own_stream(stream, "Stream destruction")
        _check_explicit(live_stream)
        verb = Text("destroyed by {call}", call="aclrtDestroyStreamForce")
        leave_capture(machine, live_stream, Text("{thing} was {how}", thing=live_stream, how=verb))
        report_dropped(machine, live_stream, Text("{thing} was {how}", thing=live_stream, how=verb))
        _destroy(machine, live_stream)


def _report_unfinished(machine: Machine, stream: Stream) -> None:
    """Report the finding `destroy-pending-stream` if tasks are queued that no thread has waited for."""
    if stream.driven and (tasks := machine.unfinished(stream)):
        what = Text.plural(
            len(tasks),
            "{stream} is destroyed with {count} task in it that nobody waited for: the call waits for it.",
            "{stream} is destroyed with {count} tasks in it that nobody waited for: the call waits for them.",
            stream=stream,
        )
        machine.undefined("destroy-pending-stream", what, *stream.past(), *launches(tasks))


def _check_explicit(stream: Stream) -> None:
    """Refuse the default stream, which "must not be destroyed by hand"."""
    if stream is stream.context.default_stream:
        reason = f"it is {stream}, which ends with its context"
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1017", ("Stream destruction", "stream", reason)))


def _destroy(machine: Machine, stream: Stream) -> None:
    end_update(stream)
    stream_changes(machine, stream, aclrtStreamState.ACL_RT_STREAM_STATE_DESTROY_PRE)
    del stream.context.streams[stream]
    stream.context.device.stream_ids.give(stream.id)
    machine.scheduler.end(stream)
    machine.reports.forget(stream)
    machine.host_functions.forget(stream)
    machine.handles.remove(stream)


@acl_api("acl/acl_rt.h", also=WAITS + CAPTURED, resource=True)
def aclrtSynchronizeStream(stream: c.aclrtStream) -> c.aclError:
    """Block until all tasks submitted to the stream are done; null is the default stream of the current context.

    The stream may belong to a context that is not current. For a persistent stream the call does not wait.

    Returns:
        ACL_SUCCESS: everything is done.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    synchronize_stream(stream, SYNCHRONISING, None)


@acl_api("acl/acl_rt.h", also=QUERIES + CAPTURED, resource=True)
def aclrtSynchronizeStreamWithTimeout(stream: c.aclrtStream, timeout: c.int32_t) -> c.aclError:
    """Block until all tasks submitted to the stream are done, for at most `timeout` milliseconds of simulated time
    (-1: for ever). After a timeout the stream can still be used; a later synchronise may succeed.

    Returns:
        ACL_SUCCESS: everything is done.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `timeout` is 0 or less than -1.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: the work needs more time, or can never be done.
    """
    if stream:
        current().stream(stream, SYNCHRONISING)  # "the handle check comes before range checks"
    synchronize_stream(stream, SYNCHRONISING, milliseconds(SYNCHRONISING, timeout))


def synchronize_stream(handle: int, what: str, timeout: float | None) -> None:
    """Wait for a stream; AclError if a task in it failed, or if it is not done in `timeout` microseconds."""
    machine, thread = calling()
    stream = machine.stream(handle, what)
    machine.context(what, thread)
    if stream.stores is not None:
        check_not_capturing(stream, what)
    machine.announce.host_waits(thread.caller)
    complete = machine.finish(stream, timeout=timeout)
    if stream.aborted:  # before the call, or by another thread during it
        raise aborted(stream)
    if not complete:
        raise timed_out(what, (stream,), stuck=timeout is None)
    if stream.fault is not None or stream.context.fault is not None:
        surface(stream, machine.consequences)


@acl_api("acl/acl_rt.h", also=QUERIES + CAPTURED)
def aclrtStreamQuery(stream: c.aclrtStream, status: c.aclrtStreamStatus_p) -> c.aclError:
    """Write ACL_STREAM_STATUS_COMPLETE (0) or ACL_STREAM_STATUS_NOT_READY (1) to `*status`; null is the default
    stream of the current context. If a task failed, the call returns its status.

    With `schedule="late"` each query lets one task run, so that a loop of queries ends.

    Returns:
        ACL_SUCCESS: `*status` is written.
        ACL_ERROR_INVALID_PARAM: `status` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if status.null:
        raise null("status")
    machine, what = current(), "Stream query"
    live_stream = machine.stream(stream, what)
    machine.context(what)
    check_not_capturing(live_stream, what)
    if live_stream.aborted:
        raise aborted(live_stream)
    if live_stream.queue:
        machine.scheduler.polled([live_stream])
    if live_stream.fault is not None and live_stream.failed is not None:
        # the host learns that the tasks up to the failed task are over
        machine.announce.host_learnt({live_stream.failed.agent: live_stream.failed.number})
    surface(live_stream, machine.consequences)
    if not live_stream.queue:
        machine.clock.reach(live_stream.time)
        machine.announce.host_waited((live_stream,))
    complete = not live_stream.queue
    status.store(
        aclrtStreamStatus.ACL_STREAM_STATUS_COMPLETE if complete else aclrtStreamStatus.ACL_STREAM_STATUS_NOT_READY
    )


@acl_api("acl/acl_rt.h")
def aclrtStreamAbort(stream: c.aclrtStream) -> c.aclError:
    """Discard the tasks queued in the stream. Later synchronises and launches on it return ACL_ERROR_RT_STREAM_ABORT. A
    null stream is the default stream of the current context.

    Returns:
        ACL_SUCCESS: aborted.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `stream` is null and the thread has no current context, or the product is not
            A2, A3 or 950.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_INTERNAL_ERROR: the stream is persistent, and the product is Ascend 950.
    """
    machine, what = current(), "Stream abort"
    check_default(machine, stream, what)
    if not stream and machine.find_context() is None:
        raise AclError(ACL_ERROR_RT_PARAM_INVALID, machine.no_context(what))
    live_stream = machine.own_stream(stream, what)
    check_product(what)
    if not live_stream.driven and machine.soc.series is Series.A950:
        reason = f"a model runs its tasks, and the product is {machine.soc.label}"
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE1006", (what, "a persistent stream", reason)))
    live_stream.aborted = here()
    machine.scheduler.drop(live_stream)
