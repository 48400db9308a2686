"""Host threads that wait in a machine: who they are, and whether anybody is left who could end their waits."""

import threading
from dataclasses import dataclass
from typing import Final
from weakref import WeakSet

from acl_runtime.streams.goals import Goal

POLL: Final = 0.05
"""real seconds after which a waiting thread looks whether the others still live"""


class Staff(threading.Thread):
    """A thread of the machine's own: it is no thread of the program."""


@dataclass(eq=False)
class Waiter:
    """A host thread that waits."""

    goal: Goal
    call: str
    thread: str
    deadline: float | None
    seen: int = -1
    """the version it looked at last, and found nothing to do"""


class Change(threading.Condition):
    """Something changed. To tell costs next to nothing while nobody waits for it."""

    def __init__(self, lock: threading.RLock) -> None:
        super().__init__(lock)
        self.sleepers = 0

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until it is told."""
        self.sleepers += 1
        try:
            return super().wait(timeout)
        finally:
            self.sleepers -= 1

    def notify_all(self) -> None:
        """Wake all that wait."""
        if self.sleepers:
            super().notify_all()


class Waiters:
    """The host threads of a machine, and what they wait for. Everything here happens under the machine's lock."""

    def __init__(self, lock: threading.RLock) -> None:
        self.changed = Change(lock)
        self.version = 0
        """counts what happens: a wait that saw the latest version has nothing new to look at"""
        self._waiting: dict[int, Waiter] = {}
        self._callers: WeakSet[threading.Thread] = WeakSet()
        """host threads that ever called this machine"""
        self._earlier: WeakSet[threading.Thread] = WeakSet(threading.enumerate())
        """those that are older than the machine: they count from their first call on"""

    def join(self, thread: threading.Thread) -> None:
        """A host thread called the machine for the first time."""
        self._callers.add(thread)

    def others(self) -> list[threading.Thread]:
        """The other host threads that live, and ever called this machine or were started since it is there: those may
        be about to make their first call."""
        me = threading.current_thread()
        callers = [thread for thread in self._callers if thread is not me and thread.is_alive()]
        known = {me, *callers, *self._earlier}
        return callers + [each for each in threading.enumerate() if each not in known and not isinstance(each, Staff)]

    def besides(self, waiter: Waiter) -> list[Waiter]:
        """Who else waits."""
        return [other for other in self._waiting.values() if other is not waiter]

    def waits(self, thread: int) -> bool:
        """Is this thread inside a wait?"""
        return thread in self._waiting

    @property
    def any(self) -> bool:
        """Is anybody?"""
        return bool(self._waiting)

    def happened(self) -> None:
        """Something changed that a wait may depend on."""
        self.version += 1
        self.changed.notify_all()

    def sleep(self, waiter: Waiter, seconds: float) -> None:
        """Wait for something to happen, or so many real seconds."""
        me = threading.get_ident()
        outer = self._waiting.get(me)
        if waiter.seen != self.version:
            waiter.seen = self.version
            self.changed.notify_all()  # whoever waits as well may now be the one to act
        self._waiting[me] = waiter
        try:
            self.changed.wait(max(seconds, 0.0))
        finally:
            if outer is None:
                del self._waiting[me]
            else:
                self._waiting[me] = outer

    def hopeless(self, waiter: Waiter) -> bool:
        """Can no other host thread help, and is it this one's turn to say so? "Reported at once when one thread alive
        has ever called this machine", or may yet call it; "else when every such thread is inside a wait of the
        machine"; of several, one whose timeout ends first."""
        if not all(self.waits(thread.ident or 0) for thread in self.others()):
            return False
        others = self.besides(waiter)
        if any(other.seen != self.version for other in others):
            return False  # they have not looked at the latest yet
        if not any(waiter.goal.streams()) and any(any(other.goal.streams()) for other in others):
            return False  # who only waits for somebody to do something is not the one that is stuck
        deadlines = [other.deadline for other in others if other.deadline is not None]
        return not deadlines or (waiter.deadline is not None and waiter.deadline <= min(deadlines))
