"""Which threads are inside a call with an executor: "one executor belongs to one thread at a time"."""

import threading
from types import TracebackType
from typing import TYPE_CHECKING

from acl_runtime.errors import Past
from acl_runtime.machine.executor import Executor
from acl_runtime.machine.site import here

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


class Visits:
    """The calls that are going on, by the number of their executor, from before they wait for the machine's lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside: dict[int, list[Visit]] = {}

    def inside(self, number: int) -> int:
        """How many calls with this executor are going on, or wait for the machine."""
        return len(self._inside.get(number, ()))

    def add(self, visit: "Visit") -> "Visit | None":
        """A call begins; a call of another thread that is going on."""
        with self._lock:
            others = self._inside.setdefault(visit.number, [])
            others.append(visit)
            return next((other for other in others if other.ident != visit.ident), None)

    def remove(self, visit: "Visit") -> None:
        """The call is over."""
        with self._lock:
            others = self._inside[visit.number]
            others.remove(visit)
            if not others:
                del self._inside[visit.number]


class Visit:
    """One call with an executor. Its block holds the machine's lock."""

    __slots__ = ("_machine", "call", "ident", "number", "other", "site", "thread")

    def __init__(self, machine: "Machine", number: int, call: str) -> None:
        self._machine = machine
        self.number = number
        self.call = call
        self.ident = threading.get_ident()
        self.thread = threading.current_thread().name
        self.site = here()
        self.other: Visit | None = None
        """the call of another thread that it met"""

    def __enter__(self) -> "Visit":
        self.other = self._machine.visits.add(self)
        try:
            self._machine.lock.acquire()
        except BaseException:  # an interrupt of the user's while it waits
            self._machine.visits.remove(self)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._machine.visits.remove(self)
        self._machine.lock.release()

    def judge(self) -> None:
        """Two threads with one executor at the same time are a finding of the second."""
        other, handles = self.other, self._machine.handles
        executor = handles.get(self.number) or handles.dead(self.number)
        if other is None or not isinstance(executor, Executor):
            return
        what = (
            f"thread {self.thread} calls {self.call} with {executor} "
            f"while thread {other.thread} is inside {other.call} with it."
        )
        first = Past(f"thread {other.thread} called {other.call}", other.site)
        self._machine.crash("exec-cross-thread", what, *executor.past(), first)
