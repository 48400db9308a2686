"""The progress thread, which runs the streams of this process up to the work for which other processes wait.

The host threads of this process may compute or sleep meanwhile, or wait in another library. Only code that keeps
Python's lock for long holds it up.
"""

import gc
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Protocol

from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.waiters import POLL, EmulatorThread


class Demand(Protocol):
    """Work of this process for which another one waits."""

    def pending(self) -> bool:
        """True if it is queued, and has not run yet."""
        ...

    def sources(self) -> Iterable[Stream]:
        """The streams that have to run up to it."""
        ...


class ProgressOwner(Protocol):
    """The machine, as far as the progress thread needs it."""

    lock: threading.RLock
    scheduler: Scheduler

    def attach(self) -> None:
        """Make the calling thread a worker of this machine."""
        ...

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...


class Progress:
    """Runs what other processes need. A host thread that waits does it itself, as two threads would hand the machine's
    lock back and forth. The progress thread starts when no host thread waits."""

    def __init__(self, machine: ProgressOwner) -> None:
        self._machine = machine
        self._demanded: dict[Demand, None] = {}
        self._work = threading.Condition(machine.lock)
        self._thread: threading.Thread | None = None
        self._ended = False

    def demand(self, demand: Demand) -> None:
        """Run the streams of this process up to some work."""
        if self._ended:
            return
        self._demanded[demand] = None
        scheduler = self._machine.scheduler
        if not scheduler.awaited or scheduler.outside is None:  # else the thread that waits does it: see `serve`
            self._wake()

    def serve(self) -> None:
        """Run what is demanded, on the calling thread, which waits."""
        for demand in [*self._demanded]:
            self._advance(demand)
            if not demand.pending():
                self._demanded.pop(demand, None)

    def served(self) -> None:
        """The calling thread waits no longer: the progress thread does the rest."""
        if self._demanded and not self._ended:
            self._wake()

    def _wake(self) -> None:
        """Let the progress thread run what is demanded. The first time starts it."""
        if self._thread is None:
            self._thread = EmulatorThread(target=self._run, name="aclnn progress", daemon=True)
            self._thread.start()
        self._work.notify()

    def end(self) -> None:
        """Let the thread end. The caller holds the machine's lock."""
        self._ended = True
        self._work.notify()

    def join(self) -> None:
        """Wait for the end of the thread. The caller must not hold the machine's lock."""
        if self._thread is not None and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        """The body of the thread."""
        machine, changed = self._machine, self._machine.scheduler.changed
        machine.attach()
        with machine.lock:
            machine.thread()  # under the lock, as this lists the thread
            while not self._ended:
                self.serve()
                if self._demanded:
                    changed.wait(POLL)
                else:
                    self._work.wait()

    def _advance(self, demand: Demand) -> None:
        """Run what is needed, as far as it can run. A finding is raised in the call that waits for the stream."""
        try:
            with _without_collection():
                self._machine.scheduler.advance(demand.sources)
        except UndefinedBehaviour as error:
            for stream in demand.sources():
                stream.raised = stream.raised or error


@contextmanager
def _without_collection() -> Generator[None]:
    """A block in which Python collects no garbage: objects of the program may wait for a lock of another thread."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
