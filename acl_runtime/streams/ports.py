"""What the modules about streams ask of the machine that they are part of."""

import threading
from typing import Protocol

from acl_runtime.errors import DeviceFault
from acl_runtime.memory.ports import Reporter
from acl_runtime.objects.clock import Clock
from acl_runtime.objects.timeouts import Timeouts
from acl_runtime.streams.events import Events
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Task


class Runner(Reporter, Protocol):
    """What the scheduler needs to run the tasks of streams, and to let host threads wait for them."""

    lock: threading.RLock
    clock: Clock
    timeouts: Timeouts
    events: Events

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def attach(self) -> None:
        """The calling thread is a worker of this machine."""
        ...

    def check_open(self) -> None:
        """A thread that waited is told that the machine was closed meanwhile."""
        ...

    def ran(self, task: Task, start: float, at: float, fault: DeviceFault | None) -> None:
        """A task has run from `start` until `at`, or failed."""
        ...
