"""Which threads are inside a call with an executor: "one executor belongs to one thread at a time"."""

import threading
from collections.abc import Callable
from typing import NamedTuple

from acl_runtime.checks.ports import Scene
from acl_runtime.errors import Past
from acl_runtime.objects.executor_life import Executor
from acl_runtime.objects.handle_table import Handles
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Trail


class Visit(NamedTuple):
    """One call with an executor."""

    number: int
    thread: threading.Thread
    call: str
    trail: Trail


class Visits:
    """The calls with executors that are going on, from before they wait for the machine's lock."""

    def __init__(self, scene: Scene, handles: Handles, spare: Callable[[int], None]) -> None:
        """`spare`: what the second thread would have released is left behind for that reason."""
        self._scene = scene
        self._handles = handles
        self._spare = spare
        self.going: list[tuple[int, threading.Thread, str, Trail]] = []
        """visits, the one that began first first; no lock is needed, as nothing interrupts one operation on a list"""
        self._told: set[int] = set()
        """the executors of which it was told"""

    def inside(self, number: int) -> int:
        """How many calls with this executor are going on, or wait for the machine."""
        return sum(visit[0] == number for visit in tuple(self.going))

    def met(self, visit: tuple[int, threading.Thread, str, Trail]) -> Visit | None:
        """A call of another thread with the executor of this one, that began before and is going on."""
        number, thread, *_ = visit
        going = tuple(self.going)
        before = going[: next(at for at, each in enumerate(going) if each is visit)]
        return next((Visit(*each) for each in before if each[0] == number and each[1] is not thread), None)

    def judge(self, number: int, call: str, other: Visit) -> None:
        """Two threads with one executor at the same time are a finding of the second. A machine that only reports tells
        it once for each executor, however often they meet."""
        handles = self._handles
        executor = handles.get(number) or handles.dead(number)
        if not isinstance(executor, Executor):
            return
        me, them = threading.current_thread().name, other.thread.name
        what = f"thread {me} calls {call} with {executor} while thread {them} is inside {other.call} with it."
        known = number in self._told and not self._scene.findings.raises
        self._told.add(number)
        self._spare(number)
        first = Past(f"thread {them} called {other.call}", site_of(other.trail))
        self._scene.crash("exec-cross-thread", what, *executor.past(), first, known=known)
