"""The scheduler, which decides when queued work runs, and how a host thread waits for queued work.

**What it is for.** A launch puts a task into a stream and returns; a device runs the task at a later moment, which
depends on load. A test needs the opposite: the same order in each run, and mistakes that show in each run. So the
scheduler picks a task, runs it on the calling thread, and picks the next task.

**The schedules.** A task may run when it is the first task of its stream and its wait is over: a wait for the record of
an event, for a value in memory, or for a callback (`runnable`). Of such tasks the schedule chooses:

late     A task runs when something needs it: a synchronise, the destruction of its stream, a device reset. A query
         lets one task run, so that polling ends.
eager A task runs as soon as it may run. random A task runs at a random moment between these two; the same seed repeats
the run. threads Each stream has a worker thread (`stream_workers`), which runs its tasks from the launch on.

**Why late is the default.** The latest moment that the API allows shows the most mistakes: a copy that does not wait
for its stream reads old data in every run. No threads are needed, and unneeded work takes no time. The price is memory
for queued tasks; with more than `MOST_QUEUED`, each launch runs one.

**What random means.** Before each call, and after each launch, chance decides: the devices rest, or run the first task
of a random stream and decide again. Each seed chooses the probability of rest once (`LAZINESS`): some seeds are nearly
eager, some nearly late. Inside a wait, about half of the steps (`UNNEEDED`) run any task that may run; the other steps
run a task that the wait needs. The API allows all these orders; they are not equally probable.

**How a wait works.** `wait` has a goal (`goals`) and repeats three steps. If the goal is reached, return. If a task can
run that the goal needs, run the task: `runnable.needed` follows the waits from stream to stream to find it. Otherwise
sleep until another thread changes something.

**Deadlocks.** A wait is a deadlock when no task can run and no other host thread can help. A thread can help if it is
not inside a wait, and has called this machine or was started after the machine was made.

- The wait needs a task that this thread is running, as in a callback that synchronises its stream: a deadlock.
- No other thread can help: a deadlock, reported at once; after a millisecond if several threads have called the
  machine, or other processes can help. If several threads wait, one thread reports the deadlock, after all threads have
  checked the latest state (`Waiters.must_report`).
- Another thread could help: wait for this thread, and report a deadlock if nothing changes for `patience` real seconds.

Timeouts come first. If no task can run, the task whose timeout ends first fails (`_expire`). A wait of the host with a
timeout returns the status of a timeout, without a finding. If a wait cannot end because work was dropped, and a finding
reported the dropped work, the deadlock is a consequence (`dropped_sources`).

**Simulated time.** A task begins at the latest of three times: its launch, the end of the task before it, and the end
of its wait. The number of bytes determines the duration. So timeouts and event times do not depend on this computer, or
on the order in which the scheduler runs independent streams.

**Rejected.** A worker thread for each stream as the only schedule: chance would decide which mistakes show. Running
each task at its launch, as a simple mock does: no asynchronous mistake could show. A simulation that always runs the
task with the smallest simulated time: the order would depend on invented durations, and programs would rely on it.
Trying all orders: there are too many, and races are found under any order (`checks.races.happens_before`).

**Known limits.** `patience` is real time: a thread that computes for longer before its next call counts as unable to
help. Tasks run one at a time except under `threads`. Host code in a stream (callbacks and host functions) runs only
while a host thread waits, also under `eager` and `random`.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from operator import attrgetter
from threading import Thread, current_thread, get_ident
from typing import Final

from acl_runtime.errors import DeviceFault, Past, UndefinedBehaviour
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_TIMEOUT
from acl_runtime.objects.clock import duration
from acl_runtime.streams.goals import Drained, Goal
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.ports import Deadlock, Outside, Runner
from acl_runtime.streams.ran import Ran
from acl_runtime.streams.runnable import dropped_sources, finish, needed, start, turn, waits_for_itself, waits_text
from acl_runtime.streams.stream import Execution, Stream, Task, launches
from acl_runtime.streams.stream_workers import StreamWorkers
from acl_runtime.streams.surfacing import check_accepts_work, reraise
from acl_runtime.streams.waiters import POLL, EmulatorThread, Waiter, Waiters
from acl_runtime.text import Text

STRAIGHT: Final = ("late", "eager")
"""schedules under which a wait for one stream first runs the tasks of this stream"""
MOST_QUEUED: Final = 20_000
"""the most queued tasks under `late`; with more, each launch runs one task"""
POLL_PAUSE: Final = 0.0005
"""real seconds for which a query releases the machine's lock, so that workers can run tasks"""
POLLED: Final = 1000.0
"""simulated microseconds that each query takes while a task waits with a timeout, so that polling ends"""
AT_ONCE: Final = 0.001
"""real seconds in which another thread or process mostly answers"""
UNNEEDED: Final = 0.5
"""random: the probability that a step of a wait runs any task, even if the wait does not need the task"""
FAST_ENOUGH: Final = 1_000_000.0
"""the most simulated microseconds for work that runs before its memory is freed"""
LAZINESS: Final = (0.1, 0.5, 0.9, 0.99)
"""random: the probability that the devices rest at a call; each seed chooses one of these"""


def nowhere() -> float:
    """No second is left in which another process can reach a goal."""
    return 0.0


_driven: Callable[[Stream], bool] = attrgetter("driven")


class Scheduler:
    """Runs queued tasks. The calling thread holds the machine's lock, except while a worker does the work of a task."""

    def __init__(self, machine: Runner, schedule: str, seed: int | None, patience: float) -> None:
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
        self._workers = StreamWorkers(machine, self.changed, self._do, self._ended)
        self._ids = count(1)
        """the numbers of tasks"""
        self._queued = 0
        self.busy: dict[Stream, None] = {}
        """streams with queued tasks, in the order in which they got their first task"""
        self.outside: Outside | None = None
        """other processes that may end a wait; None without any"""
        self.runs_between_calls = schedule in ("eager", "random")
        """True if tasks may run between two calls of the API"""

    # queues

    def submit(self, stream: Stream, task: Task) -> None:
        """Queue a task of the calling thread, if the stream takes more work."""
        check_accepts_work(stream)
        self.accept(stream, task)
        self.queue(stream, task, self._machine.thread())

    def accept(self, stream: Stream, task: Task) -> None:
        """The first half of `submit` for a stream that takes work. The task is certain to be queued after it, unless a
        check raises a finding. During a capture of the stream the task is stored instead."""
        if stream.stores is not None:
            stream.stores.store(stream, task)
            return
        undo = task.entering() if task.enters else None
        try:
            self._machine.announce.queueing(stream, task)
        except UndefinedBehaviour:
            if undo is not None:
                undo()
            raise

    def queue(self, stream: Stream, task: Task, thread: ThreadState) -> None:
        """The second half of `submit`: queue a task that `thread` launches, then run the tasks that the schedule runs
        at a launch."""
        if stream.stores is not None:
            return
        if self._machine.faults.injectors:
            task.fails = self._machine.faults.of_task(thread.call)
        task.stream = stream
        self._append(task, thread)
        thread.launched = (*thread.launched, task.id)
        self._work_came((stream,))

    def queue_all(self, tasks: Sequence[Task], thread: ThreadState) -> None:
        """Queue the tasks of an execution, each in its stream, after `queueing` was announced for all of them."""
        for task in tasks:
            self._append(task, thread)
        if tasks:
            thread.launched = range(tasks[0].id, tasks[-1].id + 1)
        self._work_came(dict.fromkeys(task.stream for task in tasks))

    def _append(self, task: Task, thread: ThreadState) -> None:
        machine, stream = self._machine, task.stream
        machine.launches += task.operator
        task.id, task.thread, task.submitted = next(self._ids), thread.native_id, machine.clock.now
        thread.stored = None
        stream.submitted += 1
        task.number = thread.last_task = stream.submitted
        stream.queue.append(task)
        if task.enters:
            task.entered()
        self.busy[stream] = None
        self._queued += 1

    def _work_came(self, streams: Iterable[Stream]) -> None:
        """Tasks were queued in these streams: run what the schedule runs at a launch."""
        self._waiters.version += 1
        if self.changed.sleepers or self._workers.conditions:
            self.happened()
        if self.schedule == "late":
            while self._queued > MOST_QUEUED and (ready := needed([*streams, *self.busy], [])) is not None:
                self._run(ready)
        elif self.schedule == "threads":
            for stream in streams:
                self._workers.start(stream)
        else:
            self.run_idle()

    def run_idle(self) -> None:
        """Run tasks between two calls: under `eager` all tasks that may run, under `random` some of them."""
        if self.schedule == "eager":
            while ready := self._idle():
                for stream in ready:
                    self._run(stream)
        elif self.schedule == "random":
            while (ready := self._idle()) and self._random.random() >= self._laziness:
                self._run(self._random.choice(ready))

    def advance(self, sources: Callable[[], Iterable[Stream]]) -> None:
        """Run the tasks that these streams need to go on, as far as they can run, without a wait."""
        path: list[Stream] = []
        while self.schedule != "threads" and (ready := needed(sources(), path)) is not None:
            self._run(ready)

    def polled(self, streams: Iterable[Stream]) -> None:
        """Run one task of these streams, as a call queries whether the streams are done, so that polling ends."""
        if self.schedule == "threads":
            if self._moving():
                self.changed.wait(POLL_PAUSE)  # releases the lock, so that workers can run tasks
            return
        self.run_idle()
        candidate = needed(streams, [])
        if candidate is not None:
            self._run(candidate)
        elif not self.others() and (timed := self._timed()) is not None:
            self._machine.clock.advance(POLLED)
            if self._machine.clock.now >= timed[0]:
                self._expire()

    def drop(self, stream: Stream) -> None:
        """The queued tasks of the stream are never run. A task that is running is completed. The tasks of a model that
        is executed in the stream are dropped in the streams of the model too."""
        executions = dict.fromkeys(task.execution for task in stream.queue)
        self._queued -= len(stream.queue)
        stream.queue.clear()
        self._machine.announce.dropped(stream)
        self.busy.pop(stream, None)
        for execution in executions:
            for lane in execution.lanes if execution is not None else ():
                self._drop_of(execution, lane)
        self.happened()

    def _drop_of(self, execution: Execution | None, lane: Stream) -> None:
        """Drop the tasks of an execution in a stream of its model, which other executions use too."""
        dropped = [task for task in lane.queue if task.execution is execution]
        if dropped:
            lane.queue = deque(task for task in lane.queue if task.execution is not execution)
            self._queued -= len(dropped)
            self._machine.announce.withdrawn(dropped)
            if not lane.queue:
                del self.busy[lane]

    def end(self, stream: Stream) -> None:
        """Drop the tasks of a stream that is destroyed, and end its worker."""
        stream.ended = stream.ended or "dropped"
        self.drop(stream)
        self._workers.wake(stream)

    def happened(self) -> None:
        """Wake the threads and workers, since something changed that a wait may depend on."""
        self._waiters.version += 1
        if self.changed.sleepers:
            self.changed.notify_all()
        if self._workers.conditions:
            for stream in self.busy:
                if stream.movable():
                    self._workers.wake(stream)

    def wrote(self, low: int, high: int) -> None:
        """Check the waits for values, as bytes [low, high) of device memory were written. Bytes that a task writes are
        checked after the task."""
        if self._machine.thread().task is None:
            self._machine.cells.wrote(low, high, self._machine.clock.now)
        self.happened()

    def add_host_thread(self, thread: Thread) -> None:
        """Add a thread that calls the machine for the first time."""
        if not isinstance(thread, EmulatorThread):
            self._waiters.join(thread)

    def waits(self, thread: int) -> bool:
        """True if this host thread is inside a wait."""
        return self._waiters.waits(thread)

    @property
    def awaited(self) -> bool:
        """True if a host thread is inside a wait."""
        return self._waiters.any

    def others(self) -> list[Thread]:
        """The other live host threads that have called this machine, or may call it."""
        return self._waiters.others()

    def close(self) -> None:
        """Wait for the workers to end. The caller must not hold the lock, which they need for that."""
        self._workers.join(self._patience)

    # waiting

    def finish(self, *streams: Stream, timeout: float | None = None) -> bool:
        """Wait until the tasks in these streams are done. False if the wait takes more than `timeout` simulated
        microseconds, or cannot end."""
        driven = streams if len(streams) == 1 and streams[0].driven else tuple(filter(_driven, streams))
        try:
            if timeout is None and len(driven) == 1:
                ended = self.drain(driven[0])
            else:
                ended = self.wait(Drained(driven), timeout)
            for stream in streams:
                if stream.raised is not None:
                    reraise(stream)
        except UndefinedBehaviour:  # the program did wait: its clean-up may free memory that the work used
            self._machine.announce.host_wait_interrupted(driven)
            raise
        if ended:
            self._machine.announce.host_waited(driven)
        return ended

    def drain(self, stream: Stream) -> bool:
        """Wait until the tasks in a stream have run. A fast path of `wait`: run the tasks of the stream in order, as
        long as none of them waits."""
        last = stream.submitted
        if self._straight:
            while stream.finished < last and stream.movable():
                self._run(stream)
        if stream.finished < last and (stream.queue or not self._straight):
            return self.wait(Drained((stream,), last))
        self._machine.clock.reach(stream.time)
        return True

    def run_first(self, streams: Iterable[Stream]) -> None:
        """Run the tasks in these streams that may run, although the host does not wait. So a program for which a
        finding is allowed, such as an early free, continues as on a fast device."""
        me = get_ident()
        self.wait(Drained([stream for stream in streams if stream.driven and stream.runner != me]), FAST_ENOUGH)

    def wait(
        self,
        goal: Goal,
        timeout: float | None = None,
        *,
        patience: float | None = None,
        grace: float = 0.0,
        elsewhere: Callable[[], float] = nowhere,
    ) -> bool:
        """Return True when the goal is reached, or False when the goal cannot be reached within `timeout` microseconds
        of simulated time (real time under `threads`). Without a timeout, a goal that cannot be reached is the finding
        `deadlock`, then False in report mode. `patience`: real seconds to wait for other host threads, if fewer than
        the patience of the machine. `grace`: real seconds beyond it. `elsewhere`: real seconds for which another
        process may reach the goal, although no thread of this one can."""
        patience = min(self._patience, patience or self._patience) + grace
        deadline = None if timeout is None else self._machine.clock.now + timeout
        real = time.monotonic() + timeout / 1e6 if timeout is not None and self.schedule == "threads" else None
        if goal.reached() and (deadline is None or goal.time() <= deadline):
            self._machine.clock.reach(goal.time())
            return True
        path: list[Stream] = []
        waiter = Waiter(goal, self._machine.thread().call, current_thread().name, deadline)
        patient, version = time.monotonic() + patience, self._waiters.version
        first = real is None and (self.outside is not None or self._waiters.several)
        while not goal.reached():
            if self.schedule != "threads":
                candidate = self._choose(goal, deadline, path)
                if candidate is not None and deadline is not None and finish(candidate) > deadline:
                    break
                if candidate is not None:
                    self._run(candidate)
                    self._tell(None)
                    patient, version = time.monotonic() + patience, self._waiters.version
                    continue
            if waits_for_itself(goal.streams()):
                return self._stuck(waiter)
            if first:  # most answers of others come before the search for a deadlock would be over
                first = False
                self._sleep(waiter, AT_ONCE)
                continue
            if self._moving() or version != self._waiters.version:
                patient, version = time.monotonic() + patience, self._waiters.version
                self._tell(None)
            elif self._hopeless(waiter, patient - patience + elsewhere()) or self._impatient(patient):
                if not self._catch_up(deadline) and not self._expire(deadline):
                    return self._stuck(waiter)
                patient, version = time.monotonic() + patience, self._waiters.version
                continue
            elif self.outside is not None and time.monotonic() > patient - patience + self._quiet(waiter, patience):
                self._tell(waiter)
            if real is not None and time.monotonic() >= real:
                break
            self._sleep(waiter, min(POLL, real - time.monotonic()) if real is not None else POLL)
        self._over()
        return self._in_time(goal, None if real is not None else deadline, deadline)

    def _in_time(self, goal: Goal, latest: float | None, deadline: float | None) -> bool:
        """True if the goal was reached before `latest`. The clock shows that time, else `deadline`."""
        if not goal.reached() or (latest is not None and goal.time() > latest):
            self._machine.clock.reach(deadline or 0.0)
            return False
        self._machine.clock.reach(goal.time())
        return True

    def _sleep(self, waiter: Waiter, seconds: float) -> None:
        """Sleep until a change here, or in another process."""
        if self.outside is None:
            self._waiters.sleep(waiter, seconds)
        else:
            self._waiters.sleep(waiter, seconds, self.outside.listen)
        self._machine.check_open()

    def _impatient(self, patient: float) -> bool:
        """True if this real time is over, and the time that late ranks have beyond it."""
        now = time.monotonic()
        return now > patient and now > patient + self._grace()

    def _quiet(self, waiter: Waiter, patience: float) -> float:
        """Real seconds without a change after which other processes learn that nothing moves here. They are few if no
        other thread can help, but not none: else each operation would send these messages."""
        return min(POLL, patience) if self._waiters.must_report(waiter) else patience

    def _tell(self, waiter: Waiter | None) -> None:
        """Tell other processes that nothing moves here while a host thread waits; None: that something moves."""
        if self.outside is not None and waiter is None:
            self.outside.moves()
        elif self.outside is not None and waiter is not None:
            self.outside.stands(lambda: self._waits(waiter))

    def _over(self) -> None:
        """A wait of the calling thread is over."""
        if self.outside is not None:
            self.outside.moves()
            self.outside.served()

    def _waits(self, waiter: Waiter) -> tuple[str, tuple[Past, ...]]:
        """The text of all waits, and the lines of their tasks."""
        sides = waits_text([waiter, *self._waiters.others_waiting(waiter)], self.busy)
        return sides, launches([stream.queue[0] for stream in self.busy])

    def _hopeless(self, waiter: Waiter, until: float) -> bool:
        """True if nobody can help, and this thread must report it. `until`: the time up to which other processes can
        help."""
        return self._waiters.must_report(waiter) and not self._grace() and time.monotonic() >= until

    def _grace(self) -> float:
        """Real seconds beyond `patience`, as a rank of another thread may come late to a collective operation."""
        return max((stream.queue[0].grace for stream in self.busy), default=0.0)

    def _moving(self) -> bool:
        """True if a task runs, or a worker can run a task. This wakes the worker, as the host may have written or freed
        the awaited value without a call."""
        moving = False
        for stream in self.busy:
            if stream.runner:
                moving |= not self._waiters.waits(stream.runner) and stream.runner != get_ident()
            elif self._workers.conditions and stream.movable() and self._workers.wake(stream):
                moving = True
        return moving

    def _catch_up(self, deadline: float | None) -> bool:
        """Run a task that nobody needs, if a task waits for other ranks: on a device their streams go on by themselves,
        so a rank is absent only if they have nothing left that can run. False if no task can run."""
        if self.schedule == "threads" or not any(stream.queue[0].meets for stream in self.busy):
            return False
        for stream in self._movable():
            if deadline is None or finish(stream) <= deadline:
                self._run(stream)
                return True
        return False

    def _timed(self) -> tuple[float, Stream] | None:
        """The earliest end of a timeout among the waiting tasks, and the stream of this task; None without a
        timeout."""
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

    def _expire(self, deadline: float | None = None) -> bool:
        """Fail the task whose timeout ends first, as no task can run. False if no task waits with a timeout that ends
        before `deadline`."""
        timed = self._timed()
        if timed is None or (deadline is not None and timed[0] > deadline):
            return False
        end, stream = timed
        task = stream.queue[0]
        assert task.wait is not None
        fault = task.wait.expired()
        stream.runner = get_ident()
        self._ended(stream, task, end, task.duration, fault)
        return True

    def _stuck(self, waiter: Waiter) -> bool:
        if waiter.deadline is not None:
            self._machine.clock.reach(waiter.deadline)
            return False
        first = frozenset(stream.queue[0] for stream in self.busy)
        stuck = Deadlock(first, dropped_sources(waiter.goal, self.busy))
        if not self._machine.consequences.of(stuck):
            self._machine.consequences.taint(stuck)
            waits = [self._waits(waiter), *(self.outside.others() if self.outside is not None else ())]
            sides = Text.chain("{side}; {sides}", [sides for sides, _ in waits])
            what = Text("a wait that nobody can satisfy: {sides}.", sides=sides)
            self._machine.undefined("deadlock", what, *(past for _, history in waits for past in history))
        return False

    # running

    def _choose(self, goal: Goal, deadline: float | None, path: list[Stream]) -> Stream | None:
        if self.outside is not None:
            self.outside.serve()
        if self.schedule == "random" and self._random.random() < UNNEEDED:
            ready = self._movable()
            if deadline is not None:
                ready = [stream for stream in ready if finish(stream) <= deadline]
            if ready:
                return self._random.choice(ready)
        return needed(goal.streams(), path)

    def _movable(self) -> list[Stream]:
        return [stream for stream in self.busy if stream.movable()]

    def _idle(self) -> list[Stream]:
        """Streams whose first task may run between two calls. Host code in a stream runs only inside a wait."""
        return [stream for stream in self._movable() if not stream.queue[0].calls_host]

    def _run(self, stream: Stream) -> None:
        """Run the first task of the stream, which leaves the queue when it is done."""
        task, fault = stream.queue[0], None
        took = duration(task.nbytes or 0) if task.operator else task.duration  # the same, and faster
        stream.runner = get_ident()
        if task.wait is None:
            begin = task.submitted if task.submitted > stream.time else stream.time
        else:
            begin, fault = start(task)
        try:
            if fault is None and task.fails is None:  # a task with an injected failure does no work
                fault = self._do(task, took)
        finally:
            self._ended(stream, task, begin, took, fault)

    def _do(self, task: Task, took: float) -> DeviceFault | None:
        """Do the work of a task on this thread. `thread.task` lets findings name the launch of the task."""
        limit = self._machine.timeouts.op_execute_us if task.operator else None
        if limit is not None and took > limit:
            text = f"{task} takes {took:.0f} us, which is over the limit of {limit:.0f} us"
            return DeviceFault(ACL_ERROR_RT_AICORE_TIMEOUT, Item("EZ2001", (text,)))
        thread = self._machine.thread()
        outer, thread.task = thread.task, task
        watched = task.action is not None and task.action.writes
        if watched:
            self._machine.announce.work_begins(task)
        try:
            if task.operator and (numpy_context := task.stream.numpy_context) is not None:
                numpy_context.run(task.run)
            else:
                task.run()
        except DeviceFault as fault:
            return fault
        finally:
            thread.task = outer
            if watched:
                self._machine.announce.work_ends(task)
        return None

    def _ended(self, stream: Stream, task: Task, start: float, took: float, fault: DeviceFault | None) -> None:
        """Announce that a task has run or failed, then remove the task from the queue."""
        machine, end = self._machine, start + took
        if task.fails is not None:
            fault = task.fails(task)
        status, device = 0 if fault is None else fault.status, stream.context.device.number
        try:
            text = stream.text or stream.named()
            shared = task.shared if task.meets else ()
            ran = task.name, text, task.trail, end - took, end, status, task.id, device, task.submitted, shared
            machine.tasks.append(tuple.__new__(Ran, ran))  # (faster than a call of `Ran`)
            if machine.cells.awaited:
                machine.cells.ran(task, end)
            if task.opaque or task.wait is not None:
                machine.announce.task_over(task)
            if fault is not None:
                self._failed(task, fault)
        finally:
            stream.runner, queue = 0, stream.queue
            if queue and queue[0] is task:
                queue.popleft()
                self._queued -= 1
                if not queue:
                    del self.busy[stream]
            stream.finished, stream.time = task.number, end
            if task.done is not None:
                task.done(end)
            self._waiters.version += 1
            if self.changed.sleepers or self._workers.conditions:
                self.happened()

    def _failed(self, task: Task, fault: DeviceFault) -> None:
        """A task has failed: its stream keeps the failure. In stop mode the context keeps it too, and the work of all
        its streams is dropped."""
        stream = task.stream if task.execution is None else task.execution.stream
        context = stream.context
        fault.origin = str(task)
        if stream.fault is None:
            stream.fault, stream.failed = fault, task.action
        if context.stops:
            context.fault = context.fault or fault
            for other_stream in context.all_streams():
                self.drop(other_stream)
        self._machine.exceptions.call_all(task, fault)
