"""Failures of tasks: a later call returns them, usually the next one that waits for the stream."""

from dataclasses import replace

from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_STREAM_ABORT
from acl_runtime.source.frames import here
from acl_runtime.streams.ports import TaskConsequences
from acl_runtime.streams.stream import Stream


def check_accepts_work(stream: Stream) -> None:
    """AclError if the stream takes no more work: after a failure in stop mode, as "later calls return the failure", or
    after an abort."""
    if stream.refuses() and stream.context.fault is not None:
        raise surfaced(stream.context.fault)
    if stream.refuses():
        raise aborted(stream)


def aborted(stream: Stream) -> AclError:
    """The error for an aborted stream, which has no tasks and takes none: 107023, also for a synchronisation."""
    reason = f"{stream} was aborted at {stream.aborted}; its queued tasks were discarded"
    return AclError(ACL_ERROR_RT_STREAM_ABORT, Item("EE1018", ("Stream use after its abort", reason)))


def surface(stream: Stream, consequences: TaskConsequences) -> None:
    """Raise the failure of a task, if there is one. The next call that waits for the stream or queries it returns the
    failure once; in stop mode each later call does."""
    fault, stream.fault = stream.fault, None
    if fault is not None and not consequences.of(fault):
        for other_stream in stream.context.all_streams():
            for task in other_stream.queue:  # launched before the host could know of the failure
                consequences.taint(task)
    fault = fault or stream.context.fault
    if fault is not None:
        raise surfaced(fault)


def reraise(stream: Stream) -> None:
    """Raise an exception of a task from the worker thread in "the next call that waits for that stream"."""
    raised = stream.raised
    if raised is not None:
        stream.raised = None
        raise raised


def surfaced(fault: DeviceFault) -> AclError:
    """The error with which a later call returns the failure of a task. The text names the task."""
    if not fault.items:
        return AclError(fault.status, taint=fault.taint)
    first, *others = fault.items
    place = f"surfaced at {here()}"
    whose = place if fault.origin in first.text() else f"the task is {fault.origin}; {place}"
    items = replace(first, detail=f"{first.detail} ({whose})".strip()), *others
    error = AclError(fault.status, *items, taint=fault.taint)
    error.injected = fault.injected
    return error
