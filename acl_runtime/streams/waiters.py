"""The host threads that wait in a machine, and the other threads that could end their waits."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar
from weakref import WeakSet

from acl_runtime.streams.goals import Goal

Result = TypeVar("Result")
POLL: Final = 0.05
"""real seconds after which a waiting thread checks whether the other threads are still alive"""


class EmulatorThread(threading.Thread):
    """A thread of the emulator, which cannot end a wait of the program."""


@dataclass(eq=False)
class Waiter:
    """The wait of a host thread."""

    goal: Goal
    call: str
    thread: str
    deadline: float | None
    seen: int = -1
    """the version of `Waiters` at which the thread last had nothing to do"""


class Change(threading.Condition):
    """A condition for changes. `notify_all` is fast while no thread sleeps."""

    def __init__(self, lock: threading.RLock) -> None:
        super().__init__(lock)
        self.sleepers = 0
        """threads that sleep, and were not woken yet"""
        self._wakes = 0
        self._rouse: Callable[[], None] | None = None
        """ends the sleep of a thread that does not sleep in this condition"""

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until notified."""
        self.sleepers += 1
        wakes = self._wakes
        try:
            return super().wait(timeout)
        except BaseException:
            # Ctrl-C came behind the release of the lock, before the sleep: nobody gets it back
            if not self._is_owned():  # type: ignore[attr-defined]
                self.acquire()
            raise
        finally:
            self.sleepers -= wakes == self._wakes

    def wait_in(self, sleep: Callable[[], Result], rouse: Callable[[], None]) -> Result:
        """Sleep in another way, such as until a socket can be read; `rouse` ends it. One thread may do so."""
        self.sleepers += 1
        wakes, outer = self._wakes, self._rouse
        self._rouse = rouse
        count = None
        try:
            try:
                count = self._release_save()  # type: ignore[attr-defined]
                return sleep()
            finally:
                if count is not None:
                    self._acquire_restore(count)  # type: ignore[attr-defined]
                elif not self._is_owned():  # type: ignore[attr-defined]
                    self.acquire()  # Ctrl-C came behind the release of the lock
        finally:
            self._rouse = outer
            self.sleepers -= wakes == self._wakes

    def notify_all(self) -> None:
        """Wake the threads that sleep."""
        if self.sleepers:
            super().notify_all()
            self.sleepers = 0
            self._wakes += 1
            if self._rouse is not None:
                self._rouse()


class Waiters:
    """The host threads of a machine, and their waits. The caller must hold the machine's lock."""

    def __init__(self, lock: threading.RLock) -> None:
        self.changed = Change(lock)
        self.version = 0
        """the number of changes; a wait with the latest version in `seen` has nothing new to check"""
        self._waiting: dict[int, Waiter] = {}
        self._callers: WeakSet[threading.Thread] = WeakSet()
        """host threads that have called this machine"""
        self.several = False
        """True if more than one thread has called it"""
        self._earlier: WeakSet[threading.Thread] = WeakSet(threading.enumerate())
        """threads that are older than the machine; they are host threads after their first call"""

    def join(self, thread: threading.Thread) -> None:
        """Add a host thread that calls the machine for the first time."""
        self._callers.add(thread)
        self.several = self.several or len(self._callers) > 1

    def others(self) -> list[threading.Thread]:
        """The other live host threads that could end a wait.

        They are the threads that have called this machine, and threads that were started after the machine was made, as
        these may call it."""
        return list(self._others())

    def _others(self) -> Iterator[threading.Thread]:
        """The same, found one by one, as the first one often decides."""
        me = threading.current_thread()
        known_threads = {me}
        for thread in self._callers:
            if thread is not me and thread.is_alive():
                known_threads.add(thread)
                yield thread
        known_threads.update(self._earlier)
        for live in threading.enumerate():
            if live not in known_threads and not isinstance(live, EmulatorThread):
                yield live

    def others_waiting(self, waiter: Waiter) -> list[Waiter]:
        """The waits of the other threads."""
        return [other for other in self._waiting.values() if other is not waiter]

    def waits(self, thread: int) -> bool:
        """True if this thread is inside a wait."""
        return thread in self._waiting

    @property
    def any(self) -> bool:
        """True if any thread is inside a wait."""
        return bool(self._waiting)

    def happened(self) -> None:
        """Note a change on which a wait may depend."""
        self.version += 1
        self.changed.notify_all()

    def sleep(self, waiter: Waiter, seconds: float, sleep: Callable[[float], object] | None = None) -> None:
        """Sleep until a change, for at most this many real seconds. `sleep`: another way to sleep."""
        me = threading.get_ident()
        outer = self._waiting.get(me)
        if waiter.seen != self.version:
            waiter.seen = self.version
            self.changed.notify_all()  # another thread that waits may have to report or to run a task
        self._waiting[me] = waiter
        try:
            (sleep or self.changed.wait)(max(seconds, 0.0))
        finally:
            if outer is None:
                del self._waiting[me]
            else:
                self._waiting[me] = outer

    def must_report(self, waiter: Waiter) -> bool:
        """True if all other host threads wait too, and this thread must report the deadlock. "Reported at once when one
        thread alive has ever called this machine", or may still call it; "else when every such thread is inside a wait
        of the machine". Of several threads, one whose timeout ends first reports."""
        if threading.current_thread().daemon and not threading.main_thread().is_alive():
            return False  # the process ends, and this wait with it
        if not all(self.waits(thread.ident or 0) for thread in self._others()):
            return False
        others = self.others_waiting(waiter)
        if any(other.seen != self.version for other in others):
            return False  # another thread has not checked the latest change yet
        if not any(waiter.goal.streams()) and any(any(other.goal.streams()) for other in others):
            return False  # another thread, which waits for the stuck streams, reports
        deadlines = [other.deadline for other in others if other.deadline is not None]
        return not deadlines or (waiter.deadline is not None and waiter.deadline <= min(deadlines))
