"""Which threads are inside a call with an executor: "one executor belongs to one thread at a time"."""

import threading
from typing import TYPE_CHECKING

from acl_runtime.errors import Past
from acl_runtime.machine.executor import Executor
from acl_runtime.machine.site import site_of
from acl_runtime.sites import Trail

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


class Visit:
    """One call with an executor."""

    __slots__ = ("call", "number", "other", "thread", "trail")

    def __init__(self, number: int, call: str, trail: Trail) -> None:
        self.number = number
        self.call = call
        self.trail = trail
        self.thread = threading.current_thread()
        self.other: Visit | None = None
        """the call of another thread that it met"""


class Visits:
    """The calls with executors that are going on, from before they wait for the machine's lock."""

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._going: list[Visit] = []
        """the one that began first comes first; no lock is needed, as nothing interrupts one operation on a list"""

    def inside(self, number: int) -> int:
        """How many calls with this executor are going on, or wait for the machine."""
        return sum(visit.number == number for visit in tuple(self._going))

    def begin(self, number: int, call: str, trail: Trail) -> Visit:
        """A call begins; it has met one of another thread that began before it and is going on."""
        visit = Visit(number, call, trail)
        self._going.append(visit)
        if len(self._going) > 1:
            going = tuple(self._going)
            before = going[: going.index(visit)]
            others = (each for each in before if each.number == number and each.thread is not visit.thread)
            visit.other = next(others, None)
        return visit

    def end(self, visit: Visit) -> None:
        """The call is over."""
        self._going.remove(visit)

    def judge(self, visit: Visit) -> None:
        """Two threads with one executor at the same time are a finding of the second."""
        other, handles = visit.other, self._machine.handles
        executor = handles.get(visit.number) or handles.dead(visit.number)
        if other is None or not isinstance(executor, Executor):
            return
        what = (
            f"thread {visit.thread.name} calls {visit.call} with {executor} "
            f"while thread {other.thread.name} is inside {other.call} with it."
        )
        first = Past(f"thread {other.thread.name} called {other.call}", site_of(other.trail))
        self._machine.crash("exec-cross-thread", what, *executor.past(), first)
