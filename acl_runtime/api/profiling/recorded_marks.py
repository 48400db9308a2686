"""Recording of marks and ranges in the trace of the machine, for the functions of mstx and aclprof."""

from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import trail
from acl_runtime.streams.stream import Task, nothing
from acl_runtime.streams.surfacing import check_accepts_work
from acl_runtime.trace.marks import InCall, Mark


def mark(message: str, domain: str) -> Mark:
    """Record a mark at the current time of the host."""
    machine = current()
    return machine.marks.add(message, domain, _call(machine), machine.clock.now, is_range=False)


def begin(message: str, domain: str, stream: int = 0) -> Mark:
    """Record the start of a range at the current time of the host."""
    machine = current()
    return machine.marks.add(message, domain, _call(machine), machine.clock.now, is_range=True, stream=stream)


def finish(id: int, domain: str) -> Mark | None:
    """End a range; None if the domain has no range of this number."""
    machine = current()
    return machine.marks.end(id, domain, _call(machine), machine.clock.now)


def _call(machine: Machine) -> InCall:
    """The running call of this thread."""
    return InCall(machine.thread(), machine.calls.latest())


def mark_in_stream(name: str, stream: int, what: str) -> None:
    """Queue a task that only marks the time of the stream."""
    machine = current()
    live_stream = machine.own_stream(stream, what)
    check_accepts_work(live_stream)
    machine.submit(live_stream, Task(name, nothing, (), trail()))
