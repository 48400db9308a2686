"""Threads inside calls with an executor, or with the communicator of an operation: each "belongs to one thread at a
time"."""

import threading
from typing import NamedTuple

from acl_runtime.checks.consequences import Release
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.errors import Past
from acl_runtime.objects.executor_life import Executor
from acl_runtime.objects.handle_table import Handles
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Trail
from acl_runtime.text import Text


class ExecutorCall(NamedTuple):
    """One call with an executor."""

    number: int
    thread: threading.Thread
    call: str
    trail: Trail


class ExecutorCalls:
    """The running calls with executors. A call is listed before it waits for the machine's lock."""

    def __init__(self, machine: CheckedMachine, handles: Handles) -> None:
        self._machine = machine
        self._handles = handles
        self.running: list[tuple[int, threading.Thread, str, Trail]] = []
        """the calls, in the order in which they began; no lock is needed, as one operation on a list is atomic"""

    def inside(self, number: int) -> int:
        """The number of calls with this executor that are running or wait for the machine's lock."""
        return sum(this[0] == number for this in tuple(self.running))

    def met(self, this: tuple[int, threading.Thread, str, Trail]) -> ExecutorCall | None:
        """A running call of another thread with the same executor that began before the call `this`."""
        number, thread, *_ = this
        running = tuple(self.running)
        earlier = running[: next(i for i, call in enumerate(running) if call is this)]
        return next((ExecutorCall(*call) for call in earlier if call[0] == number and call[1] is not thread), None)

    def judge(self, number: int, call: str, other: ExecutorCall, status: int) -> None:
        """Report that two threads use one executor, or communicator, at the same time; the second one makes the
        finding. A machine that only reports does so once for each object, and the call returns `status`."""
        handles = self._handles
        executor = handles.get(number) or handles.dead(number)
        if executor is None or not (id := executor.cross_thread):
            return
        me, them = threading.current_thread().name, other.thread.name
        what = Text(
            "thread {me} calls {call} with {executor} while thread {them} is inside {other} with it.",
            me=me,
            call=call,
            executor=executor,
            them=them,
            other=other.call,
        )
        consequences = self._machine.consequences
        reported = consequences.of(executor, id) and not self._machine.findings.raises
        consequences.taint(executor, id)
        if isinstance(executor, Executor):
            consequences.taint(Release(number))  # the second call does nothing, so its executor is left behind
        first = Past(Text("thread {thread} called {call}", thread=them, call=other.call), site_of(other.trail))
        self._machine.crash(id, what, *executor.past(), first, status=status, already_reported=reported)
