"""Refusals because of a capture, which many functions share.

Each names the capture by its stream and by the line that began it, where the library gives a number.
"""

from typing import Final

from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
    ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
    ACL_ERROR_RT_EVENT_CAPTURED,
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_ERROR_RT_STREAM_CAPTURED,
    ACL_ERROR_RT_STREAM_MODEL,
)
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.event import Event
from acl_runtime.streams.model.built import model_of_stream
from acl_runtime.streams.model.capture import capture_of
from acl_runtime.streams.model.model import ModelStream
from acl_runtime.streams.stream import Context, Stream

UNSAFE: Final = (
    (
        "ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT",
        "a capture goes on whose mode forbids the call (see aclmdlRICaptureThreadExchangeMode).",
    ),
)
"""the status of functions that copy or set memory at once"""
BLOCKS: Final = (
    (
        "ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC",
        "the copy would wait for the stream, and a capture of another stream goes on whose mode forbids that.",
    ),
)
"""the status of asynchronous copies of host memory that is not pinned"""
CAPTURED: Final = (("ACL_ERROR_RT_STREAM_CAPTURED", "the stream is being captured."),)
"""the status of functions that a captured stream does not allow"""
ANY_CAPTURED: Final = (("ACL_ERROR_RT_STREAM_CAPTURED", "a stream of the context is being captured."),)
"""the status of functions that wait for all streams"""
CAPTURED_EVENT: Final = (("ACL_ERROR_RT_EVENT_CAPTURED", "a capture that goes on has recorded the event."),)
"""the status of functions that a captured event does not allow"""


OF_MODEL: Final = (("ACL_ERROR_RT_STREAM_MODEL", "it is a stream of a model, or bound to one."),)
"""the status of functions that take neither a stream of aclmdlRIGetStreams nor one of aclmdlRIBindStream"""


def check_free(machine: Machine, handle: int, what: str) -> None:
    """107005 for a stream of a model."""
    if (error := bound(machine, handle, what, ACL_ERROR_RT_STREAM_MODEL)) is not None:
        machine.context(what)
        raise error


def bound(machine: Machine, handle: int, what: str, status: int, parameter: str = "stream") -> AclError | None:
    """The refusal of a stream of a model; None for another stream."""
    lane, stream = (machine.handles.find(handle, kind) for kind in (ModelStream, Stream))
    if lane is not None:
        reason = f"it is {lane}, which only executions of the model use"
    elif isinstance(stream, Stream) and (model := model_of_stream(stream)) is not None:
        reason = f"{stream} is bound to {model}"
    else:
        return None
    return AclError(status, Item("EE1017", (what, parameter, reason)))


def check_not_capturing(stream: Stream, what: str) -> None:
    """107027 for a stream that is being captured."""
    capture = capture_of(stream)
    if capture is not None:
        raise refusal(ACL_ERROR_RT_STREAM_CAPTURED, what, f"{stream} belongs to {capture}: end the capture first")


def check_none_captured(machine: Machine, context: Context, what: str) -> None:
    """107027 if any stream of the context is being captured."""
    for capture in machine.captures.in_context(context):
        check_not_capturing(capture.origin, what)


def check_event(machine: Machine, event: Event, what: str) -> None:
    """107028 for an event that a capture has recorded."""
    capture = machine.captures.recording(event)
    if capture is not None:
        record = capture.records[event]
        reason = f"{event} was recorded at {record.launched} in {capture}, so it is recorded only when the model runs"
        raise refusal(ACL_ERROR_RT_EVENT_CAPTURED, what, reason)


def check_safe(machine: Machine, what: str) -> None:
    """107030 where a capture forbids calls that act at once."""
    _check_allowed(machine, what, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "it acts at once")


def check_blocking(machine: Machine, stream: Stream, what: str) -> None:
    """The refusals of a copy that would wait for the stream, as it has host memory that is not pinned: 107000 in a
    captured stream, 107041 in another one."""
    capture = capture_of(stream)
    if capture is not None:
        reason = f"it involves host memory that is not pinned, in {capture}: use memory of aclrtMallocHost"
        raise refusal(ACL_ERROR_RT_PARAM_INVALID, what, reason)
    effect = "it waits for its stream, as its host memory is not pinned"
    _check_allowed(machine, what, ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, effect)


def _check_allowed(machine: Machine, what: str, status: int, effect: str) -> None:
    if machine.captures.active:
        capture = machine.captures.forbidding(machine.find_context(), machine.thread())
        if capture is not None:
            advice = "call it before or after the capture, or let this thread set the mode RELAXED"
            raise refusal(status, what, f"{effect}, which {capture} forbids: {advice}")


def refusal(status: int, what: str, reason: str, code: str = "EE1016") -> AclError:
    """An error with a reason."""
    return AclError(status, Item(code, (what, reason)))
