"""Protocols: what the modules about streams need from the machine around them."""

import threading
from collections import deque
from collections.abc import Callable, Sized
from typing import NamedTuple, Protocol

from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.memory.ports import Reporter
from acl_runtime.objects.clock import SimulatedClock
from acl_runtime.objects.timeouts import Timeouts
from acl_runtime.streams.announcements import Announcer
from acl_runtime.streams.exception_callbacks import Exceptions
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.ran import Ran
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.value_cell import Cells


class Asked(Protocol):
    """Fault injection, as far as tasks are concerned."""

    @property
    def injectors(self) -> Sized:
        """The failures that a test asked for; mostly none."""
        ...

    def of_task(self, function: str) -> Callable[[Task], DeviceFault] | None:
        """The function that makes the fault of a task which `function` queues; None if it shall not fail."""
        ...


class Deadlock(NamedTuple):
    """A wait that nothing can end."""

    tasks: frozenset[Task]
    """the first tasks of the streams, which can never run"""
    dropped: frozenset[Stream] = frozenset()
    """the streams with dropped event records that are the only cause; empty if there is another cause"""


class DroppedWork(NamedTuple):
    """Tasks of a stream never run, as the stream or its context was destroyed."""

    stream: Stream


class TaskConsequences(Protocol):
    """`checks.consequences`, as far as the modules about streams use it."""

    def of(self, subject: Deadlock | AclError) -> bool:
        """True if this is only a consequence of something already reported."""
        ...

    def taint(self, subject: Deadlock | Task) -> None:
        """Mark it as reported: later findings about it are consequences."""
        ...


class Runner(Reporter, Protocol):
    """The machine, as far as the scheduler needs it to run tasks and to let host threads wait."""

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
    def faults(self) -> Asked:
        """The failures that a test asked for."""
        ...

    @property
    def consequences(self) -> TaskConsequences:
        """Answers what is only a consequence of a finding."""
        ...

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def attach(self) -> None:
        """From now on the calling thread is a worker of this machine."""
        ...

    def check_open(self) -> None:
        """Raise in a thread whose machine was closed while it waited."""
        ...
