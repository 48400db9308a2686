"""acl/acl_rt.h: capture of streams into a model."""

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Out
from acl_runtime.api.capture_refusals import CAPTURED, OF_MODEL, check_free, check_not_capturing, refusal
from acl_runtime.api.graph.models import call_back, end_model
from acl_runtime.api.refusals import check_product, null, null_in_runtime, out_of_range
from acl_runtime.api.stream_limit import NO_STREAM, check_limit
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import ACL_STREAM_DEVICE_USE_ONLY, aclmdlRICaptureMode, aclmdlRICaptureStatus
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_INTERNAL_ERROR,
    ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
    ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
    ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
    ACL_ERROR_RT_STREAM_NOT_CAPTURED,
    ACL_ERROR_RT_STREAM_UNJOINED,
    ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING,
    ACL_ERROR_STREAM_TASK_GROUP_STATUS,
)
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.model.capture import RELAXED, Capture, capture_of
from acl_runtime.streams.model.model import ModelStream
from acl_runtime.streams.model.task_group import update_in
from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text

BEGINNING, ENDING = "Beginning a capture", "Ending a capture"


@acl_api("acl/acl_rt.h", also=CAPTURED + OF_MODEL + NO_STREAM, pyacl=None)
def aclmdlRICaptureBegin(stream: c.aclrtStream, mode: c.aclmdlRICaptureMode) -> c.aclError:
    """Store the tasks that are submitted to a stream from now on, instead of running them. aclmdlRICaptureEnd makes a
    model of them.

    `mode` says which threads may copy memory synchronously meanwhile: none (GLOBAL), all but this one (THREAD_LOCAL),
    all (RELAXED). Allocating, freeing and work in other streams are not restricted.

    Returns:
        ACL_SUCCESS: the capture goes on.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `mode` is not 0 to 2.
        ACL_ERROR_RT_INTERNAL_ERROR: the stream is for the device alone.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: it is a default stream.
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: an update of a task group goes on in the stream.
    """
    if not stream:
        raise null("stream")
    check_product(BEGINNING)
    machine = current()
    machine.captures.active.append(Capture(machine, check_begin(machine, stream, mode), mode))


def check_begin(machine: Machine, stream: int, mode: int) -> Stream:
    """The stream on which a capture can begin."""
    if machine.handles.find(stream, ModelStream) is None:
        machine.stream(stream, BEGINNING)
    if mode not in list(aclmdlRICaptureMode):
        raise out_of_range(BEGINNING, mode, "mode", "[0, 2]")
    live_stream = _capturable(machine, stream, BEGINNING)
    check_not_capturing(live_stream, BEGINNING)
    if (update := update_in(live_stream)) is not None:
        raise refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, BEGINNING, f"{update} goes on in {live_stream}")
    check_limit(machine, live_stream.context, BEGINNING)
    return live_stream


def _capturable(machine: Machine, handle: int, what: str) -> Stream:
    """A stream of the current context that can be captured."""
    check_free(machine, handle, what)
    stream = machine.stream(handle, what)
    if stream.flags & ACL_STREAM_DEVICE_USE_ONLY:
        values = (what, stream.flags, "flag of the stream", "a stream for the device alone cannot be captured")
        raise AclError(ACL_ERROR_RT_INTERNAL_ERROR, Item("EE1011", values))
    stream = machine.own_stream(handle, what)
    if stream.default:
        reason = f"{stream} cannot be captured: create a stream with aclrtCreateStream"
        raise AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1017", (what, "stream", reason)))
    return stream


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRICaptureGetInfo(
    stream: c.aclrtStream, status: c.aclmdlRICaptureStatus_p, modelRI: c.aclmdlRI_p
) -> c.aclError:
    """Query the capture of a stream: ACL_MODEL_RI_CAPTURE_STATUS_NONE (0), ACTIVE (1) or INVALIDATED (2), and the model
    that aclmdlRICaptureEnd will return (null without a capture). One of the outputs may be null. The stream may belong
    to any context.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: `stream` is null, or both outputs are.
        ACL_ERROR_RT_INVALID_HANDLE
    """
    if not stream:
        raise null("stream")
    if status.null and modelRI.null:
        raise null("status")
    machine, what = current(), "Query of a capture"
    check_product(what)
    free = machine.handles.find(stream, ModelStream) is None
    capture = capture_of(machine.stream(stream, what)) if free else None
    if not status.null:
        status.store(_status(capture))
    if not modelRI.null:
        modelRI.store(0 if capture is None else capture.model.number)


def _status(capture: Capture | None) -> int:
    if capture is None:
        return aclmdlRICaptureStatus.ACL_MODEL_RI_CAPTURE_STATUS_NONE
    if capture.invalid:
        return aclmdlRICaptureStatus.ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
    return aclmdlRICaptureStatus.ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE


@acl_api("acl/acl_rt.h", also=OF_MODEL, pyacl=None)
def aclmdlRICaptureEnd(stream: c.aclrtStream, modelRI: c.aclmdlRI_p) -> c.aclError:
    """End the capture that began on this stream, and write its model to `*modelRI`. If the end fails after it has found
    the capture, the capture is over: its tasks never run, and null is written.

    Returns:
        ACL_SUCCESS: `*modelRI` is the model; run it with aclmdlRIExecuteAsync.
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_INTERNAL_ERROR: the stream is for the device alone.
        ACL_ERROR_RT_PARAM_INVALID: `modelRI` is null, and the capture is not that of a body; it goes on.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product is not A2, A3, 950 or 310P; or it is a default stream.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: the stream is not being captured.
        ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED: the stream was drawn in by an event: end the capture on the stream where
            it began. The capture goes on.
        ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD: another thread began it, and the mode is not RELAXED.
        ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED: the capture was mixed with another one.
        ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING: the capture of the body of a condition goes on.
        ACL_ERROR_STREAM_TASK_GROUP_STATUS: a task group is open.
        ACL_ERROR_RT_STREAM_UNJOINED: a stream was drawn in, and its last task is not the record of an event for which
            another captured stream waits.
    """
    if not stream:
        raise null("stream")
    machine = current()
    check_product(ENDING)
    check_free(machine, stream, ENDING)
    capture = capture_of(machine.stream(stream, ENDING))
    if capture is not None and capture.model.body_of is None and modelRI.null:
        raise null_in_runtime(ENDING, "modelRI")
    live_stream = _capturable(machine, stream, ENDING)
    if capture is None:
        raise not_capturing(live_stream, ENDING)
    if live_stream is not capture.origin:
        reason = f"{live_stream} was drawn into {capture}: end it on {capture.origin}"
        raise refusal(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, ENDING, reason)
    machine.captures.end(capture)
    error = _failure(machine, capture)
    if error is not None:
        _write(modelRI, 0)
        abandon(machine, capture, Text("destroyed by the end of its capture, which failed"))
        call_back(machine, capture.model)
        raise error
    for condition in capture.model.conditions:
        for body in condition.bodies:
            body.capturing = False
    _write(modelRI, capture.model.number)


def _write(output: Out[int], number: int) -> None:
    """Write the model, which the end of a body may not ask for."""
    if not output.null:
        output.store(number)


def not_capturing(stream: Stream, what: str) -> AclError:
    """107029 for a stream that is not being captured."""
    return refusal(ACL_ERROR_RT_STREAM_NOT_CAPTURED, what, f"{stream} is not being captured", "EE1018")


def invalidated(capture: Capture, what: str) -> AclError:
    """507903 for a capture that can only fail."""
    return refusal(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, what, f"{capture} is invalid: {capture.invalid}")


def _failure(machine: Machine, capture: Capture) -> AclError | None:
    """The reason why a capture cannot become a model, if there is one."""
    if capture.mode != RELAXED and capture.thread is not machine.thread():
        reason = f"thread {capture.thread.name} began {capture}, and its mode is not RELAXED"
        return refusal(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, ENDING, reason)
    if capture.invalid:
        return invalidated(capture, ENDING)
    if (inner := next(filter(None, map(machine.captures.of_model, capture.model.bodies)), None)) is not None:
        reason = f"{inner}, which fills a body of a condition, goes on"
        return refusal(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, ENDING, reason)
    if capture.group is not None:
        reason = f"the task group that began at {capture.group.made} is open"
        return refusal(ACL_ERROR_STREAM_TASK_GROUP_STATUS, ENDING, reason)
    unjoined = capture.unjoined()
    if unjoined is not None:
        stream, task = unjoined
        reason = (
            f"{stream} was drawn into {capture} and is not joined to {capture.origin}; its last task is {task.name}, "
            f"launched at {task.launched}: record an event behind it, and let {capture.origin} wait for that"
        )
        return AclError(ACL_ERROR_RT_STREAM_UNJOINED, Item("EE1017", (ENDING, "stream", reason)))
    return None


def abandon(machine: Machine, capture: Capture, reason: Text) -> None:
    """Destroy the model of a capture that has failed. Reads of bytes that its tasks would have written are only
    consequences."""
    for node in capture.model.nodes:
        for used in node.task.ranges:
            if used.use.writes:
                machine.rejected(used.low, used.high)
    outer = machine.captures.of_model(capture.model.body_of) if capture.model.body_of is not None else None
    if outer is not None:
        outer.invalid = outer.invalid or Text("{capture}, which filled a body, failed", capture=capture)
    end_model(machine, capture.model, reason)


def leave_capture(machine: Machine, stream: Stream, reason: Text) -> None:
    """A stream ends. The capture that began on it is abandoned; a capture that has drawn it in can only fail."""
    capture = capture_of(stream)
    if capture is not None and capture.origin is stream:
        machine.captures.end(capture)
        abandon(machine, capture, reason)
    elif capture is not None:
        capture.invalid = capture.invalid or reason


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRICaptureThreadExchangeMode(mode: c.aclmdlRICaptureMode_p) -> c.aclError:
    """Set the mode of the calling thread to `*mode`, and write the former one there; at first it is GLOBAL (0).

    While a capture goes on, the mode says when the thread may not copy or set memory synchronously. GLOBAL: if the mode
    of a capture in its context is GLOBAL, or if the thread itself has begun one with THREAD_LOCAL. THREAD_LOCAL: if the
    thread itself has begun one that is not RELAXED. RELAXED: it always may.

    Returns:
        ACL_SUCCESS: exchanged.
        ACL_ERROR_INVALID_PARAM: `mode` is null.
        ACL_ERROR_RT_PARAM_INVALID: `*mode` is not 0 to 2.
        ACL_ERROR_RT_CONTEXT_NULL
    """
    if mode.null:
        raise null("mode")
    machine, what = current(), "Exchanging the capture mode"
    check_product(what)
    new = int(mode.held)
    if new not in list(aclmdlRICaptureMode):
        raise out_of_range(what, new, "*mode", "[0, 2]")
    machine.context(what)
    thread = machine.thread()
    mode.store(thread.capture_mode)
    thread.capture_mode = new
