"""Failures of tasks, and how a later call returns them: as the next one that waits for the stream."""

from dataclasses import replace

from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_STREAM_ABORT
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import Stream


def accept(stream: Stream) -> None:
    """May it be given work? After a failure in stop mode "later calls return the failure", and after an abort it
    takes none either."""
    if stream.refuses and stream.context.fault is not None:
        raise surfaced(stream.context.fault)
    if stream.refuses:
        raise aborted(stream)


def aborted(stream: Stream) -> AclError:
    """ "later synchronise -> 107023": its tasks are gone, and it takes no others."""
    reason = f"{stream} was aborted at {stream.aborted}; its queued tasks were discarded"
    return AclError(ACL_ERROR_RT_STREAM_ABORT, Item("EE1018", ("Stream use after its abort", reason)))


def surface(stream: Stream) -> None:
    """An asynchronous failure is returned by the next call that waits for the stream, or asks it; one of a context
    in stop mode by every later call."""
    fault, stream.fault = stream.fault, None
    if fault is not None and not fault.told:
        for other in stream.context.all_streams():
            for task in other.queue:  # it was launched before anybody knew
                task.behind_failure = True
    fault = fault or stream.context.fault
    if fault is not None:
        raise surfaced(fault)


def surfaced(fault: DeviceFault) -> AclError:
    """The failure as a later call returns it, which is not to blame: the text tells of the task."""
    if not fault.items:
        return AclError(fault.status, told=fault.told, listed=fault.listed)
    first, *others = fault.items
    seen = f"surfaced at {here()}"
    whose = seen if fault.origin in first.text() else f"the task is {fault.origin}; {seen}"
    items = replace(first, detail=f"{first.detail} ({whose})".strip()), *others
    error = AclError(fault.status, *items, told=fault.told, listed=fault.listed)
    error.asked = fault.asked
    return error
