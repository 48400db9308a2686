"""The pages that this process shares, and the pipes by which processes wake each other."""

import os
import threading
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, Protocol
from weakref import WeakKeyDictionary, finalize

from acl_runtime.memory.shared.exports import Export, Exports
from acl_runtime.objects.options import Options
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.shared.helpers import HelperThreads
from acl_runtime.streams.shared.page import SIZE, Member, Page
from acl_runtime.streams.shared.reader import ProcessLife
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.vector_clock import VectorClock, merged

BYTES: Final = 4096
"""bytes that are taken from a pipe at once"""
TO_OPEN: Final = 120.0
"""ours: as HCCL_CONNECT_TIMEOUT, the time in which processes find each other"""
MOST: Final = 256
"""tasks whose clocks are merged at once"""


class SharedObject(Protocol):
    """An event or notify with a page."""

    def rung(self) -> None:
        """The words of the page may have changed."""
        ...

    def pending(self) -> bool:
        """True if work of this process is queued for which another one waits."""
        ...

    def sources(self) -> Iterable[Stream]:
        """The streams with this work."""
        ...


class SharingMachine(Protocol):
    """The machine, as far as sharing needs it."""

    lock: threading.RLock
    scheduler: Scheduler
    options: Options

    @property
    def of_process(self) -> bool:
        """True if the program made no machine itself."""
        ...

    @property
    def helpers(self) -> HelperThreads:
        """The threads that serve other processes."""
        ...

    @property
    def exports(self) -> Exports:
        """The objects that this process has exported."""
        ...


class Sharing:
    """The shared objects of a machine. The caller holds the machine's lock."""

    def __init__(self, machine: SharingMachine) -> None:
        self._machine = machine
        self.seconds = TO_OPEN if machine.of_process else machine.options.patience
        """real seconds for which a wait may expect that another process opens an object"""
        self._read, self._write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.member = Member(os.getpid(), self._write, os.fstat(self._write).st_ino)
        self._pages: WeakKeyDictionary[SharedObject, SharedPage] = WeakKeyDictionary()
        self._open: Counter[int] = Counter()
        """how often each page is open here, by the number of its file in the system"""
        self._pipes: dict[Member, int] = {}
        self._lives: dict[int, ProcessLife] = {}
        self._ended: set[int] = set()
        """the processes that have ended"""
        self._tasks: list[Task] = []
        self._clock: VectorClock = {}
        machine.helpers.reader.watch(_Pipe(self._read), self._rung)

    def export(self, thing: SharedObject, kind: str, device: int, *, anybody: bool) -> "SharedPage":
        """A new page of an object, with the number by which other processes find it."""
        exports = self._machine.exports
        page, number = Page.new(), exports.number()
        exports.add(number, Export(kind, page.file, 0, SIZE, SIZE, SIZE, (device, 0), 0, anybody, ()))
        return self._added(thing, page, number)

    def allow(self, number: int, pids: tuple[int, ...]) -> None:
        """Let processes import a number."""
        self._machine.exports.allow(number, pids)

    def attach(self, thing: SharedObject, file: int) -> "SharedPage":
        """The page of an object that another process has exported."""
        return self._added(thing, Page(file), 0)

    def others(self, page: Page) -> bool:
        """True if another process that lives has the page open."""
        return any(member.process not in self._ended for member in page.members() if member != self.member)

    def ring(self, page: Page) -> None:
        """Wake the other processes that have a page open, as its words have changed."""
        for member in page.members():
            if member != self.member and member.process not in self._ended:
                with suppress(OSError):  # the process has ended, or is awake already
                    os.write(self._pipe(member), b"\0")

    def demand(self, thing: SharedObject) -> None:
        """Run the work of this process for which another one waits."""
        if thing.pending():
            self._machine.helpers.progress.demand(thing)

    def publish(self, task: Task) -> None:
        """Another process may wait for a task, and learn what is over before it."""
        self._tasks.append(task)
        if len(self._tasks) >= MOST:
            self.clock()

    def clock(self) -> VectorClock:
        """The work that is over before all tasks for which another process may have waited."""
        clocks = [task.clock or task.host_clock for task in self._tasks]
        self._tasks = [task for task, clock in zip(self._tasks, clocks, strict=True) if clock is None and task.queued]
        self._clock = merged([self._clock, *(clock for clock in clocks if clock is not None)])
        return self._clock

    def end(self) -> None:
        """Leave all pages, so that nobody waits for this process any more."""
        for shared in [*self._pages.values()]:
            shared.end()

    def drop(self, ended: "SharedPage") -> None:
        """Forget a page that has ended."""
        for thing in [thing for thing, shared in self._pages.items() if shared is ended]:
            del self._pages[thing]

    def close(self) -> None:
        """Close all descriptors."""
        for life in self._lives.values():
            life.close()
        for descriptor in (self._read, self._write, *self._pipes.values()):
            os.close(descriptor)
        self._lives, self._pipes = {}, {}

    def forked(self) -> None:
        """Nothing in a forked child hides the end of its parent, and the child's own objects change nothing."""

    def _added(self, thing: SharedObject, page: Page, number: int) -> "SharedPage":
        shared = self._pages[thing] = SharedPage(self, thing, page, number)
        self._open[page.inode] += 1
        page.join(self.member)
        self._meet(page)
        self.ring(page)
        return shared

    def _meet(self, page: Page) -> None:
        """Watch the lives of the processes that have a page open."""
        for process in {member.process for member in page.members()} - self._lives.keys() - self._ended:
            try:
                life = self._lives[process] = ProcessLife(process, lambda process=process: self._gone(process))
            except OSError:
                self._ended.add(process)
            else:
                self._machine.helpers.reader.watch(life, life.look)

    def _gone(self, process: int) -> None:
        """A process has ended."""
        life = self._lives.pop(process)
        self._machine.helpers.reader.drop(life)
        life.close()
        self._ended.add(process)
        for member in [member for member in self._pipes if member.process == process]:
            os.close(self._pipes.pop(member))
        self._machine.scheduler.happened()

    def _rung(self) -> None:
        """Another process has changed words, or has opened a page."""
        with suppress(BlockingIOError):
            os.read(self._read, BYTES)
        for thing, shared in [*self._pages.items()]:
            self._meet(shared.page)
            thing.rung()
        self._machine.scheduler.happened()

    def _pipe(self, member: Member) -> int:
        """The pipe that wakes a process. It is opened for reading too, so that no write raises a signal."""
        if member not in self._pipes:
            path = f"/proc/{member.process}/fd/{member.descriptor}"
            if os.readlink(path) != f"pipe:[{member.inode}]":
                raise ProcessLookupError(path)
            self._pipes[member] = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        return self._pipes[member]

    def forget(self, number: int, page: Page) -> None:
        """An object is gone."""
        if os.getpid() != self.member.process:  # a forked child
            return
        if number:
            self._machine.exports.end(number)
        self._open[page.inode] -= 1
        if not self._open[page.inode]:
            page.leave(self.member)
            self.ring(page)
        page.close()


class SharedPage:
    """The page of one object, which ends with the object."""

    def __init__(self, sharing: Sharing, thing: SharedObject, page: Page, number: int) -> None:
        self.page = page
        self.number = number
        """the number of the export; 0 for an object of another process"""
        self.sharing = sharing
        self.met = False
        """True if another process has had it open"""
        self.close = finalize(thing, sharing.forget, number, page)
        self.close.atexit = False

    def ring(self) -> None:
        """Wake the other processes."""
        self.sharing.ring(self.page)

    def end(self) -> None:
        """Close the page before its object is gone."""
        self.close()
        self.sharing.drop(self)

    def others(self) -> bool:
        """True if another process that lives has the page open."""
        others = self.close.alive and self.sharing.others(self.page)
        self.met = self.met or others
        return others

    def grace(self) -> float:
        """Real seconds for which another process may still do something: without a limit while it lives."""
        if self.others():
            return float("inf")
        return self.sharing.seconds if self.number and not self.met else 0.0


class _Pipe:
    """A descriptor that the reader watches."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor
