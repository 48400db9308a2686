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

import threading
import time
from collections.abc import Iterable
from typing import Final

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_TIMEOUT
from acl_runtime.objects.clock import duration
from acl_runtime.streams.goals import Drained, Goal
from acl_runtime.streams.ports import Runner
from acl_runtime.streams.runnable import both_sides, finish, needed, start, turn, waits_for_itself
from acl_runtime.streams.stream import Stream, Task, launches
from acl_runtime.streams.waiters import POLL, Staff, Waiter, Waiters

SCHEDULES: Final = ("late", "eager", "threads", "random")
STRAIGHT: Final = ("late", "eager")
"""those under which a thread that waits for one stream runs the work of that first"""
ROOM: Final = 20_000
"""ours: so many tasks a late machine keeps; then each launch makes room by running one that can run"""
BREATH: Final = 0.0005
"""real seconds"""
POLLED: Final = 1000.0
"""ours: simulated microseconds that pass with each query of one that polls a wait with a timeout, so that it ends"""
EVEN: Final = 0.5
"""random: how often a wait runs a task that it does not need"""
LAZINESS: Final = (0.1, 0.5, 0.9, 0.99)
"""random: how likely the devices rest at a call; each seed chooses one: some are nearly eager, some nearly late"""


class Scheduler:
    """Runs queued tasks, under the machine's lock but for workers."""

    def __init__(self, machine: Runner, schedule: str, seed: int | None, patience: float) -> None:
        if schedule not in SCHEDULES:
            raise ValueError(f"schedule={schedule!r}: one of {', '.join(SCHEDULES)}")
        self.schedule = schedule
        self._straight = schedule in STRAIGHT
        self._machine = machine
        if schedule == "random":
            import random  # late: the other schedules do not need it

            self._random = random.Random(seed)
            self._laziness = self._random.choice(LAZINESS)
        self._patience = patience
        self._waiters = Waiters(machine.lock)
        self.changed = self._waiters.changed
        self._workers: dict[Stream, threading.Thread] = {}
        self._calls: dict[Stream, threading.Condition] = {}
        """each wakes the worker of a stream"""
        self._queued = 0
        self._told: set[Task] = set()
        """the stuck tasks of the last deadlock: one "that only follows from an earlier one is not reported again" """
        self.busy: dict[Stream, None] = {}
        """streams with something queued, in the order in which they came to it"""
        self.restless = schedule in ("eager", "random")
        """does work go on by itself between two calls?"""

    # what happens to streams

    def submit(self, stream: Stream, task: Task) -> None:
        """Queue a task, and run what the schedule runs at a launch."""
        task.stream, task.submitted = stream, self._machine.clock.now
        stream.submitted += 1
        task.number = stream.submitted
        stream.queue.append(task)
        self.busy[stream] = None
        self._queued += 1
        self._waiters.version += 1
        if self.changed.sleepers or self._calls:
            self.happened()
        if self.schedule == "threads":
            if stream not in self._workers:
                worker = Staff(target=self._work, args=(stream,), name=str(stream), daemon=True)
                self._workers[stream] = worker
                self._calls[stream] = threading.Condition(self._machine.lock)
                worker.start()
        elif self.restless:
            self.stir()
        elif self._queued > ROOM and (found := needed([stream, *self.busy], [])) is not None:
            self._run(found)

    def stir(self) -> None:
        """Time passes on the devices: an eager machine runs all that can run, a random one some of it."""
        if self.schedule == "eager":
            while ready := self._idle():
                for stream in ready:
                    self._run(stream)
        elif self.schedule == "random":
            while (ready := self._idle()) and self._random.random() >= self._laziness:
                self._run(self._random.choice(ready))

    def glance(self, streams: Iterable[Stream]) -> None:
        """Somebody asks whether these streams are done: one task of theirs runs, so that polling ends."""
        if self.schedule == "threads":
            if self._moving():
                self.changed.wait(BREATH)  # who polls leaves the machine to the workers meanwhile
            return
        self.stir()
        found = needed(streams, [])
        if found is not None:
            self._run(found)
        elif not self.others() and (timed := self._timed()) is not None:
            self._machine.clock.advance(POLLED)
            if self._machine.clock.now >= timed[0]:
                self._expire()

    def drop(self, stream: Stream) -> None:
        """What is queued is never run; what runs already, ends."""
        self._queued -= len(stream.queue)
        stream.queue.clear()
        self._machine.events.dropped(stream)
        self.busy.pop(stream, None)
        self.happened()

    def end(self, stream: Stream) -> None:
        """The stream goes away."""
        stream.ended = stream.ended or "dropped"
        self.drop(stream)
        if stream in self._calls:
            self._calls[stream].notify_all()

    def happened(self) -> None:
        """Something changed that a wait may depend on: those are woken that can go on."""
        self._waiters.version += 1
        if self.changed.sleepers:
            self.changed.notify_all()
        if self._calls:
            for stream in self.busy:
                if stream.movable and stream in self._calls:
                    self._calls[stream].notify_all()

    def joined(self, thread: threading.Thread) -> None:
        """A thread called the machine for the first time."""
        if not isinstance(thread, Staff):
            self._waiters.join(thread)

    @property
    def awaited(self) -> bool:
        """Is a host thread inside a wait?"""
        return self._waiters.any

    def others(self) -> list[threading.Thread]:
        """The other host threads that live, and called this machine or may yet call it."""
        return self._waiters.others()

    def close(self) -> None:
        """Let the workers end what they are at. Not under the lock, which they need for that."""
        for worker in list(self._workers.values()):
            if worker is not threading.current_thread():
                worker.join(self._patience)

    # waiting

    def drain(self, stream: Stream) -> bool:
        """Wait for all that is in a stream now, by running it, one after the other: what most waits come to. Where
        something else is needed for that, as `wait`."""
        last = stream.submitted
        if self._straight:
            while stream.finished < last and stream.movable:
                self._run(stream)
        if stream.finished < last and (stream.queue or not self._straight):
            return self.wait(Drained((stream,), last))
        self._machine.clock.reach(stream.time)
        return True

    def wait(self, goal: Goal, timeout: float | None = None, *, patience: float | None = None) -> bool:
        """Return True when the goal is reached, False when it cannot be within `timeout` simulated microseconds
        (real ones with workers). Without a timeout what cannot be reached is the finding `deadlock`, and False comes
        back in a machine that only reports. `patience`: real seconds to wait for other host threads, if fewer than the
        machine's."""
        patience = min(self._patience, patience or self._patience)
        deadline = None if timeout is None else self._machine.clock.now + timeout
        real = time.monotonic() + timeout / 1e6 if timeout is not None and self.schedule == "threads" else None
        if goal.reached() and (deadline is None or goal.time() <= deadline):
            self._machine.clock.reach(goal.time())
            return True
        path: list[Stream] = []
        waiter = Waiter(goal, self._machine.thread().call, threading.current_thread().name, deadline)
        patient, version = time.monotonic() + patience, self._waiters.version
        while not goal.reached():
            if self.schedule != "threads":
                found = self._choose(goal, deadline, path)
                if found is not None and deadline is not None and finish(found) > deadline:
                    break
                if found is not None:
                    self._run(found)
                    patient, version = time.monotonic() + patience, self._waiters.version
                    continue
            if waits_for_itself(goal.streams()):
                return self._stuck(waiter)
            if self._moving() or version != self._waiters.version:
                patient, version = time.monotonic() + patience, self._waiters.version
            elif self._waiters.hopeless(waiter) or time.monotonic() > patient:
                if not self._expire():
                    return self._stuck(waiter)
                patient, version = time.monotonic() + patience, self._waiters.version
                continue
            if real is not None and time.monotonic() >= real:
                break
            self._waiters.sleep(waiter, min(POLL, real - time.monotonic()) if real is not None else POLL)
            self._machine.check_open()
        late = deadline is not None and (not goal.reached() or goal.time() > deadline) and real is None
        if not goal.reached() or late:
            self._machine.clock.reach(deadline or 0.0)
            return False
        self._machine.clock.reach(goal.time())
        return True

    def _moving(self) -> bool:
        """Does a task run, or a worker have one to run? Such a worker is woken: the host may have written, or freed,
        the value that it waits for, and nobody told it."""
        moving = False
        for stream in self.busy:
            if stream.runner:
                moving |= not self._waiters.waits(stream.runner) and stream.runner != threading.get_ident()
            elif stream in self._calls and stream.movable:
                self._calls[stream].notify_all()
                moving = True
        return moving

    def _timed(self) -> tuple[float, Stream] | None:
        """Of the tasks that wait with a timeout, the one whose timeout ends first: when, and its stream."""
        timed = [
            (turn(stream.queue[0]) + wait.timeout, stream.id, stream)
            for stream in self.busy
            if not stream.runner and stream.driven
            if (wait := stream.queue[0].wait) is not None and wait.timeout is not None and not wait.ready()
        ]
        if not timed:
            return None
        end, _, stream = min(timed, key=lambda each: each[:2])
        return end, stream

    def _expire(self) -> bool:
        """No work can go on: a task fails that waits with a timeout, if there is one."""
        timed = self._timed()
        if timed is None:
            return False
        end, stream = timed
        task = stream.queue[0]
        assert task.wait is not None
        stream.runner = threading.get_ident()
        self._ended(stream, task, end, duration(task.size), task.wait.expired())
        return True

    def _stuck(self, waiter: Waiter) -> bool:
        if waiter.deadline is not None:
            self._machine.clock.reach(waiter.deadline)
            return False
        stuck = {stream.queue[0] for stream in self.busy}
        if self._machine.findings.raises or not stuck or not stuck <= self._told:
            self._told = stuck
            sides = both_sides([waiter, *self._waiters.besides(waiter)], self.busy)
            self._machine.undefined("deadlock", sides, *launches([stream.queue[0] for stream in self.busy]))
        return False

    # running

    def _choose(self, goal: Goal, deadline: float | None, path: list[Stream]) -> Stream | None:
        if self.schedule == "random" and self._random.random() < EVEN:
            ready = self._movable()
            if deadline is not None:
                ready = [stream for stream in ready if finish(stream) <= deadline]
            if ready:
                return self._random.choice(ready)
        return needed(goal.streams(), path)

    def _movable(self) -> list[Stream]:
        return [stream for stream in self.busy if stream.movable]

    def _idle(self) -> list[Stream]:
        """Those whose first task may run while the host goes on: code of the host's own waits for a wait."""
        return [stream for stream in self._movable() if not stream.queue[0].calls_host]

    def _run(self, stream: Stream) -> None:
        """Run the first task of the stream. It stays in the queue until it is done."""
        task, fault = stream.queue[0], None
        took = duration(task.size if task.nbytes is None else task.nbytes)
        stream.runner = threading.get_ident()
        if task.wait is None:
            begin = task.submitted if task.submitted > stream.time else stream.time
        else:
            begin, fault = start(task)
        try:
            if fault is None and task.fails is None:  # (else told when it ends)
                fault = self._do(task, took)
        finally:
            self._ended(stream, task, begin, took, fault)

    def _do(self, task: Task, took: float) -> DeviceFault | None:
        """This thread runs a task: what is found meanwhile tells of its launch."""
        limit = self._machine.timeouts.op_execute_us if task.operator else None
        if limit is not None and took > limit:
            text = f"{task} takes {took:.0f} us, which is over the limit of {limit:.0f} us"
            return DeviceFault(ACL_ERROR_RT_AICORE_TIMEOUT, Item("EZ2001", (text,)))
        thread = self._machine.thread()
        outer, thread.task = thread.task, task
        self._machine.events.starts(task)
        try:
            task.run()
        except DeviceFault as fault:
            return fault
        finally:
            thread.task = outer
            self._machine.events.stops(task)
        return None

    def _ended(self, stream: Stream, task: Task, start: float, took: float, fault: DeviceFault | None) -> None:
        """A task has run, or failed; it leaves the queue when that was told."""
        at = start + took
        if task.fails is not None:
            fault = task.fails(task)
        try:
            self._machine.ran(task, at - took, at, fault)
        finally:
            stream.runner, queue = 0, stream.queue
            if queue and queue[0] is task:
                queue.popleft()
                self._queued -= 1
                if not queue:
                    del self.busy[stream]
            stream.finished, stream.time = task.number, at
            if task.done is not None:
                task.done(at)
            self._waiters.version += 1
            if self.changed.sleepers or self._calls:
                self.happened()

    def _work(self, stream: Stream) -> None:
        """The worker of a stream."""
        self._machine.attach()
        with self.changed:
            self._machine.thread()  # under the lock, as it is listed
            while True:
                self._calls[stream].wait_for(lambda: stream.movable or stream.ended)
                if not stream.movable:
                    del self._workers[stream], self._calls[stream]
                    return
                task = stream.queue[0]
                stream.runner = threading.get_ident()
                took = duration(task.size)
                begin, fault = start(task)
                self.changed.release()
                try:
                    if fault is None and task.fails is None:
                        fault = self._do(task, took)
                except BaseException as error:  # "under `threads` by the next call that waits for that stream"
                    stream.raised = stream.raised or error
                finally:
                    self.changed.acquire()
                try:
                    self._ended(stream, task, begin, took, fault)
                except BaseException as error:
                    stream.raised = stream.raised or error
