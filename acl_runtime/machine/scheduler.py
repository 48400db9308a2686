"""The one place that decides when queued work runs, and how a host thread waits for it.

A task runs after those before it in its stream, and after what it waits for (an event, a value, a callback). Within
that, the schedule decides:

late     when something needs it (a synchronise, a destroyed stream, a device reset), so that a copy that does not
         wait sees old data; a query lets one task run, so that polling ends
eager    as soon as the API allows
random   in any order that the API allows; the same seed repeats it
threads  a worker for each stream, from the launch on

A thread that waits runs the tasks it needs itself, or leaves them to the workers. Where no task can run it waits for
other host threads; where they cannot help either, the wait times out, or is a deadlock.
"""

import random
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet

from acl_runtime.errors import DeviceFault
from acl_runtime.machine.clock import duration
from acl_runtime.machine.stream import Stream, Task
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_AICORE_TIMEOUT

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine

SCHEDULES: Final = ("late", "eager", "threads", "random")
POLL: Final = 0.05
"""real seconds after which a waiting thread looks whether the others still live"""
ROOM: Final = 20_000
"""ours: so many tasks a late machine keeps; then each launch makes room by running one that can run"""
EVEN: Final = 0.5
"""random: how often a wait runs a task that it does not need"""
LAZINESS: Final = (0.1, 0.5, 0.9, 0.99)
"""random: how likely the devices rest at a call; each seed chooses one: some are nearly eager, some nearly late"""


class Goal(Protocol):
    """What a host thread waits for; its text completes "waits for ..."."""

    def reached(self) -> bool:
        """Is it there?"""
        ...

    def time(self) -> float:
        """When it was there, in simulated microseconds."""
        ...

    def streams(self) -> Iterable[Stream]:
        """The streams whose work brings it about."""
        ...


@dataclass
class Drained:
    """Everything that is in these streams now has run, or was dropped."""

    wanted: tuple[Stream, ...]
    upto: dict[Stream, int] = field(init=False)

    def __post_init__(self) -> None:
        self.upto = {stream: stream.submitted for stream in self.wanted}

    def __str__(self) -> str:
        return "the work of " + ", ".join(str(stream) for stream in self.streams())

    def reached(self) -> bool:
        return not any(True for _ in self.streams())

    def time(self) -> float:
        return max((stream.time for stream in self.wanted), default=0.0)

    def streams(self) -> Iterable[Stream]:
        return [stream for stream, last in self.upto.items() if stream.finished < last and stream.queue]


@dataclass
class Waiter:
    """A host thread that waits."""

    goal: Goal
    call: str
    thread: str
    deadline: float | None
    seen: int = -1
    """the version it looked at last, and found nothing to do"""


class Scheduler:
    """Runs queued tasks, under the machine's lock but for workers."""

    def __init__(self, machine: "Machine", schedule: str, seed: int | None, patience: float) -> None:
        if schedule not in SCHEDULES:
            raise ValueError(f"schedule={schedule!r}: one of {', '.join(SCHEDULES)}")
        self.schedule = schedule
        self._machine = machine
        self._random = random.Random(seed)
        self._laziness = self._random.choice(LAZINESS)
        self._patience = patience
        self.changed = threading.Condition(machine.lock)
        self._version = 0
        """counts what happens: a wait that saw the latest version has nothing new to look at"""
        self._workers: dict[Stream, threading.Thread] = {}
        self._waiting: dict[int, Waiter] = {}
        self._callers: WeakSet[threading.Thread] = WeakSet()
        """host threads that ever called this machine"""
        self._queued = 0
        self.busy: dict[Stream, None] = {}
        """streams with something queued, in the order in which they came to it"""
        self.restless = schedule in ("eager", "random")
        """does work go on by itself between two calls?"""

    # what happens to streams

    def submit(self, stream: Stream, task: Task) -> None:
        """Queue a task, and run what the schedule runs at a launch."""
        task.stream, task.submitted, task.thread = stream, self._machine.clock.now, threading.get_native_id()
        stream.submitted += 1
        task.number = stream.submitted
        stream.queue.append(task)
        self.busy[stream] = None
        self._queued += 1
        self.happened()
        if self.schedule == "threads":
            if stream not in self._workers:
                worker = threading.Thread(target=self._work, args=(stream,), name=str(stream), daemon=True)
                self._workers[stream] = worker
                worker.start()
        elif self.restless:
            self.stir()
        elif self._queued > ROOM and (found := self._needed([stream, *self.busy], [])) is not None:
            self._run(found)

    def stir(self) -> None:
        """Time passes on the devices: an eager machine runs all that can run, a random one some of it."""
        if self.schedule == "eager":
            while ready := self._movable():
                for stream in ready:
                    while stream.movable:
                        self._run(stream)
        elif self.schedule == "random":
            while (ready := self._movable()) and self._random.random() >= self._laziness:
                self._run(self._random.choice(ready))

    def glance(self, streams: Iterable[Stream]) -> None:
        """Somebody asks whether these streams are done: one task of theirs runs, so that polling ends."""
        if self.schedule == "late":
            found = self._needed(streams, [])
            if found is not None:
                self._run(found)
            elif not self.others():
                self._expire()
        else:
            self.stir()

    def drop(self, stream: Stream) -> None:
        """What is queued is never run; what runs already, ends."""
        self._queued -= len(stream.queue)
        stream.queue.clear()
        self.busy.pop(stream, None)
        self.happened()

    def end(self, stream: Stream) -> None:
        """The stream goes away."""
        stream.ended = stream.ended or "dropped"
        self.drop(stream)

    def joined(self, thread: threading.Thread) -> None:
        """A thread called the machine for the first time."""
        if thread not in self._workers.values():
            self._callers.add(thread)

    def happened(self) -> None:
        """Something changed that a wait may depend on."""
        self._version += 1
        self.changed.notify_all()

    def close(self) -> None:
        """Let the workers end what they are at. Not under the lock, which they need for that."""
        for worker in list(self._workers.values()):
            if worker is not threading.current_thread():
                worker.join(self._patience)

    # waiting

    def wait(self, goal: Goal, timeout: float | None = None) -> bool:
        """Return True when the goal is reached, False when it cannot be within `timeout` simulated microseconds
        (real ones with workers). Without a timeout what cannot be reached is the finding `deadlock`, and False comes
        back in a machine that only reports."""
        deadline = None if timeout is None else self._machine.clock.now + timeout
        real = time.monotonic() + timeout / 1e6 if timeout is not None and self.schedule == "threads" else None
        path: list[Stream] = []
        waiter = Waiter(goal, self._machine.thread().call, threading.current_thread().name, deadline)
        patient, version = time.monotonic() + self._patience, self._version
        while not goal.reached():
            if self.schedule != "threads":
                found = self._choose(goal, deadline, path)
                if found is not None and deadline is not None and _finish(found) > deadline:
                    break
                if found is not None:
                    self._run(found)
                    patient, version = time.monotonic() + self._patience, self._version
                    continue
            if self._moving() or version != self._version:
                patient, version = time.monotonic() + self._patience, self._version
            elif self._hopeless(waiter) or time.monotonic() > patient:
                if self._expire():
                    continue
                return self._stuck(waiter)
            if real is not None and time.monotonic() >= real:
                break
            self._sleep(waiter, min(POLL, real - time.monotonic()) if real is not None else POLL)
        late = deadline is not None and (not goal.reached() or goal.time() > deadline) and real is None
        if not goal.reached() or late:
            self._machine.clock.reach(deadline or 0.0)
            return False
        self._machine.clock.reach(goal.time())
        return True

    def waits(self) -> list[Waiter]:
        """The host threads that wait."""
        return list(self._waiting.values())

    def _sleep(self, waiter: Waiter, seconds: float) -> None:
        me = threading.get_ident()
        outer = self._waiting.get(me)
        if waiter.seen != self._version:
            waiter.seen = self._version
            self.changed.notify_all()  # whoever waits as well may now be the one to act
        self._waiting[me] = waiter
        try:
            self.changed.wait(max(seconds, 0.0))
        finally:
            if outer is None:
                del self._waiting[me]
            else:
                self._waiting[me] = outer

    def _moving(self) -> bool:
        """Does a task run, or a worker have one to run?"""
        for stream in self.busy:
            if stream.runner and stream.runner not in self._waiting and stream.runner != threading.get_ident():
                return True
            if self.schedule == "threads" and stream.movable:
                return True
        return False

    def _hopeless(self, waiter: Waiter) -> bool:
        """Can no other host thread help, and is it this one's turn to say so? "Reported at once when one thread alive
        has ever called this machine; else when every such thread is inside a wait of the machine"; of several, one
        whose timeout ends first."""
        waits = [self._waiting.get(thread.ident or 0) for thread in self.others()]
        if any(wait is None or wait.seen != self._version for wait in waits):
            return False
        deadlines = [wait.deadline for wait in waits if wait is not None and wait.deadline is not None]
        if not deadlines:
            return True
        return waiter.deadline is not None and waiter.deadline <= min(deadlines)

    def others(self) -> list[threading.Thread]:
        """The other host threads that ever called this machine and still live."""
        me = threading.current_thread()
        return [thread for thread in self._callers if thread is not me and thread.is_alive()]

    def _expire(self) -> bool:
        """No work can go on: of the tasks that wait with a timeout, the one whose timeout ends first fails."""
        timed = [
            (_begin(stream.queue[0]) + wait.timeout, stream.id, stream)
            for stream in self.busy
            if not stream.runner and stream.driven
            if (wait := stream.queue[0].wait) is not None and wait.timeout is not None and not wait.ready()
        ]
        if not timed:
            return False
        end, _, stream = min(timed, key=lambda each: each[:2])
        task = stream.queue[0]
        assert task.wait is not None
        self._ended(stream, task, end, task.wait.expired())
        return True

    def _stuck(self, waiter: Waiter) -> bool:
        if waiter.deadline is not None:
            self._machine.clock.reach(waiter.deadline)
            return False
        self._machine.undefined("deadlock", self._both_sides(waiter))
        return False

    def _both_sides(self, waiter: Waiter) -> str:
        sides = [f"thread {waiter.thread} waits in {waiter.call} for {waiter.goal}"]
        for other in self.waits():
            if other is not waiter:
                sides.append(f"thread {other.thread} waits in {other.call} for {other.goal}")
        for stream in self.busy:
            if stream.runner:
                sides.append(f"{stream.queue[0] if stream.queue else stream} is being run and does not end")
            elif stream.queue and not stream.driven:
                sides.append(f"{stream.queue[0]} belongs to a persistent stream, which only a model runs")
            elif stream.queue and stream.queue[0].wait is not None:
                sides.append(f"{stream.queue[0]}, waits for {stream.queue[0].wait}")
        return "a wait that nobody can satisfy: " + "; ".join(sides) + ". Break the circle, or add what is waited for."

    # running

    def _choose(self, goal: Goal, deadline: float | None, path: list[Stream]) -> Stream | None:
        if self.schedule == "random" and self._random.random() < EVEN:
            ready = self._movable()
            if deadline is not None:
                ready = [stream for stream in ready if _finish(stream) <= deadline]
            if ready:
                return self._random.choice(ready)
        return self._needed(goal.streams(), path)

    def _movable(self) -> list[Stream]:
        return [stream for stream in self.busy if stream.movable]

    def _needed(self, streams: Iterable[Stream], path: list[Stream]) -> Stream | None:
        """A stream whose first task can run, and has to before `streams` can get on. `path` keeps how it was found,
        from stream to awaited stream, and is where the next search begins: a long chain costs no more than its work."""
        while len(path) > 1 and path[-1] not in _sources(path[-2]):
            path.pop()
        seen: set[Stream] = set()
        for start in (path[-1:] if len(path) > 1 else [], streams):
            above = path[:-1] if start is not streams else []
            stack = [(stream, len(above)) for stream in list(start)[::-1]]
            while stack:
                stream, depth = stack.pop()
                if stream in seen:
                    continue
                seen.add(stream)
                above[depth:] = [stream]
                if stream.movable:
                    path[:] = above
                    return stream
                stack.extend((source, depth + 1) for source in _sources(stream)[::-1])
        return None

    def _run(self, stream: Stream) -> None:
        """Run the first task of the stream. It stays in the queue until it is done."""
        task = stream.queue[0]
        stream.runner = threading.get_ident()
        begin, fault = task.start(), None
        try:
            if _too_late(task, begin):
                assert task.wait is not None
                begin, fault = _begin(task) + (task.wait.timeout or 0), task.wait.expired()
            else:
                fault = self._do(task)
        finally:
            stream.runner = 0
            self._ended(stream, task, begin + duration(task.size), fault)

    def _do(self, task: Task) -> DeviceFault | None:
        limit = self._machine.timeouts.op_execute_us if task.operator else None
        if limit is not None and duration(task.size) > limit:
            text = f"{task} takes {duration(task.size):.0f} us, which is over the limit of {limit:.0f} us"
            return DeviceFault(ACL_ERROR_RT_AICORE_TIMEOUT, Item("EZ2001", (text,)))
        try:
            with self._machine.running(task):
                task.run()
        except DeviceFault as fault:
            return fault
        return None

    def _ended(self, stream: Stream, task: Task, at: float, fault: DeviceFault | None) -> None:
        if stream.queue and stream.queue[0] is task:
            stream.queue.popleft()
            self._queued -= 1
            if not stream.queue:
                del self.busy[stream]
        stream.finished, stream.time = task.number, at
        if task.done is not None:
            task.done(at)
        self.happened()
        self._machine.ran(task, at, fault)

    def _work(self, stream: Stream) -> None:
        """The worker of a stream."""
        self._machine.attach()
        with self.changed:
            self._machine.thread()  # under the lock, as it is listed
            while True:
                self.changed.wait_for(lambda: stream.movable or stream.ended)
                if not stream.movable:
                    del self._workers[stream]
                    return
                task = stream.queue[0]
                stream.runner = threading.get_ident()
                begin, fault = task.start(), None
                self.changed.release()
                try:
                    fault = self._do(task)
                except Exception as error:  # "under `threads` by the next call that waits for that stream"
                    stream.raised = stream.raised or error
                finally:
                    self.changed.acquire()
                    stream.runner = 0
                try:
                    self._ended(stream, task, begin + duration(task.size), fault)
                except Exception as error:
                    stream.raised = stream.raised or error


def _sources(stream: Stream) -> list[Stream]:
    """The streams whose work may let the first task of this one go on."""
    if not stream.queue or stream.runner or not stream.driven or stream.queue[0].ready:
        return []
    wait = stream.queue[0].wait
    return list(wait.sources()) if wait is not None else []


def _begin(task: Task) -> float:
    return max(task.submitted, task.stream.time)


def _too_late(task: Task, start: float) -> bool:
    """Did what the task waits for come after its timeout?"""
    wait = task.wait
    return wait is not None and wait.timeout is not None and start > _begin(task) + wait.timeout


def _finish(stream: Stream) -> float:
    task = stream.queue[0]
    return task.start() + duration(task.size)


__all__ = ["SCHEDULES", "Drained", "Goal", "Scheduler"]
