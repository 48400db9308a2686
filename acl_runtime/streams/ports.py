"""Protocols: the attributes of the machine that the modules of this package use."""

import threading
from collections import deque
from collections.abc import Callable, Sized
from typing import NamedTuple, Protocol

from acl_runtime.errors import AclError, DeviceFault, Past
from acl_runtime.memory.ports import Reporter
from acl_runtime.objects.clock import SimulatedClock
from acl_runtime.objects.timeouts import Timeouts
from acl_runtime.streams.announcements import Announcer
from acl_runtime.streams.exception_callbacks import Exceptions
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.ran import Ran
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.value_cell import Cells


class TaskFaults(Protocol):
    """The part of fault injection that concerns tasks."""

    @property
    def injectors(self) -> Sized:
        """The failures that a test requested; usually empty."""
        ...

    def of_task(self, function: str) -> Callable[[Task], DeviceFault] | None:
        """The function that makes the fault of a task of `function`; None if the task shall not fail."""
        ...


class Deadlock(NamedTuple):
    """A wait that nothing can end."""

    tasks: frozenset[Task]
    """the first tasks of the streams, which can never run"""
    dropped: frozenset[Stream] = frozenset()
    """the streams whose dropped event records are the only cause; empty if there is another cause"""


class DroppedWork(NamedTuple):
    """The tasks of a stream that never run, as the stream or its context was destroyed."""

    stream: Stream


class TaskConsequences(Protocol):
    """The part of `checks.consequences` that this package uses."""

    def of(self, subject: Deadlock | AclError) -> bool:
        """True if the subject is a consequence of a finding that was reported."""
        ...

    def taint(self, subject: Deadlock | Task) -> None:
        """Mark the subject as reported, so that later findings about it are consequences."""
        ...


class Runner(Reporter, Protocol):
    """The part of the machine that the scheduler uses to run tasks and to let host threads wait."""

    lock: threading.RLock
    clock: SimulatedClock
    timeouts: Timeouts
    announce: Announcer
    cells: Cells
    exceptions: Exceptions
    tasks: deque[Ran]
    """the tasks that ran, in order"""
    launches: int
    """the number of operators that were launched"""

    @property
    def faults(self) -> TaskFaults:
        """The failures that a test requested."""
        ...

    @property
    def consequences(self) -> TaskConsequences:
        """The consequences of findings."""
        ...

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def attach(self) -> None:
        """Make the calling thread a worker of this machine."""
        ...

    def check_open(self) -> None:
        """Raise an exception if the machine was closed during the wait of the calling thread."""
        ...


class Outside(Protocol):
    """Other processes, which may end a wait of this one."""

    def stands(self, waits: Callable[[], tuple[str, tuple[Past, ...]]]) -> None:
        """A host thread waits, and nothing in this process can end its wait. `waits`: the text of all waits, and the
        lines of their tasks."""
        ...

    def moves(self) -> None:
        """Something moved in this process, or a wait has ended."""
        ...

    def serve(self) -> None:
        """Run what other processes need, on the calling thread, which waits."""
        ...

    def served(self) -> None:
        """The calling thread waits no longer."""
        ...

    def listen(self, seconds: float) -> None:
        """Sleep until another process says something, or something changes here."""
        ...

    def others(self) -> list[tuple[str, tuple[Past, ...]]]:
        """The waits of other processes that stand still."""
        ...
