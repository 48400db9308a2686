"""Streams, what is queued in them, and the one place that decides when it runs."""

import random
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.machine.objects import Thing

if TYPE_CHECKING:
    from acl_runtime.machine.device import Context

LISTED: Final = 10
SCHEDULES: Final = ("late", "eager", "threads", "random")


@dataclass(frozen=True, slots=True)
class Range:
    """Device memory that a task uses: addresses [low, high), and as what."""

    low: int
    high: int
    role: str
    """`workspace`, `input gradOutput`, `output out`"""

    def meets(self, low: int, high: int) -> bool:
        """Does it share a byte with [low, high)?"""
        return self.low < high and low < self.high


@dataclass(slots=True)
class Task:
    """Work in a stream. `run` does it, and raises DeviceFault if the device would fail."""

    name: str
    run: Callable[[], None]
    ranges: tuple[Range, ...]
    launched: str
    """file and line of the launch"""
    stream: "Stream" = field(init=False)

    def __str__(self) -> str:
        return f"{self.name} in {self.stream}, launched at {self.launched}"


class Stream(Thing):
    """A FIFO of tasks in one context."""

    kind = "stream"
    destroyer = "aclrtDestroyStream"

    def __init__(self, context: "Context") -> None:
        super().__init__()
        self.context = context
        self.queue: deque[Task] = deque()
        self.submitted = self.finished = 0
        """tasks so far"""
        self.fault: DeviceFault | None = None
        """what a task of it failed with on the device"""
        self.raised: Exception | None = None
        """what a task of it raised in its worker"""

    def __str__(self) -> str:
        return super().__str__() if self.ordinal else f"the default stream of {self.context}"

    def pending(self) -> str:
        """The tasks that wait in it, the first of them with their launches."""
        return "; ".join(str(task) for task in list(self.queue)[:LISTED])


class Scheduler:
    """Runs queued tasks.

    `late`: when something needs them (a synchronise, a destroyed stream, a device reset), so that a copy that does
    not wait sees old data. `eager`: at launch. `threads`: a worker for each stream, from the launch on. `random`: in
    any order that streams without a dependency between them allow; the same seed repeats it.
    """

    def __init__(
        self,
        schedule: str,
        seed: int | None,
        lock: threading.RLock,
        attach: Callable[[], None],
        running: Callable[[Task], AbstractContextManager[None]],
    ) -> None:
        """`attach` tells a worker thread whose it is; `running` surrounds every task."""
        if schedule not in SCHEDULES:
            raise ValueError(f"schedule={schedule!r}: one of {', '.join(SCHEDULES)}")
        self.schedule = schedule
        self._random = random.Random(seed)
        self.changed = threading.Condition(lock)
        self._attach = attach
        self._running = running
        self._workers: dict[Stream, threading.Thread] = {}

    def submit(self, stream: Stream, task: Task, streams: Iterable[Stream]) -> None:
        """Queue a task, and run what the schedule runs at a launch."""
        task.stream = stream
        stream.queue.append(task)
        stream.submitted += 1
        if self.schedule == "eager":
            self._run(stream, len(stream.queue))
        elif self.schedule == "random":
            self._stir(streams)
        elif self.schedule == "threads":
            if stream not in self._workers:
                self._workers[stream] = threading.Thread(
                    target=self._work, args=(stream,), name=str(stream), daemon=True
                )
                self._workers[stream].start()
            self.changed.notify_all()

    def finish(self, stream: Stream, streams: Iterable[Stream] = ()) -> None:
        """Run everything that is queued in the stream, or wait until its worker has."""
        if self.schedule == "threads":
            last = stream.submitted
            self.changed.wait_for(lambda: stream.finished >= last or not stream.queue)
            raised, stream.raised = stream.raised, None
            if raised is not None:
                raise raised
            return
        if self.schedule == "random":
            self._stir(streams)
        self._run(stream, len(stream.queue))

    def drop(self, stream: Stream) -> None:
        """The stream goes away; what has not begun is never run."""
        stream.queue.clear()
        stream.ended = stream.ended or "dropped"
        self.changed.notify_all()

    def close(self) -> None:
        """Let the workers end what they are at. Not under the lock, which they need for that."""
        for worker in list(self._workers.values()):
            worker.join()

    def _stir(self, streams: Iterable[Stream]) -> None:
        busy = [stream for stream in streams if stream.queue]
        for stream in self._random.sample(busy, len(busy)):
            self._run(stream, self._random.randint(0, len(stream.queue)))

    def _run(self, stream: Stream, count: int) -> None:
        for _ in range(count):
            task = stream.queue.popleft()
            with self._running(task):
                _do(stream, task)

    def _work(self, stream: Stream) -> None:
        """The worker of a stream. A task stays at the head of the queue until it is done."""
        self._attach()
        while True:
            with self.changed:
                self.changed.wait_for(lambda: stream.queue or stream.ended)
                if not stream.queue:
                    del self._workers[stream]
                    return
                task = stream.queue[0]
            try:
                with self._running(task):
                    _do(stream, task)
            except Exception as error:  # "under `threads` by the next call that waits for that stream"
                stream.raised = stream.raised or error
            with self.changed:
                if stream.queue and stream.queue[0] is task:
                    stream.queue.popleft()
                stream.finished += 1
                self.changed.notify_all()


def _do(stream: Stream, task: Task) -> None:
    try:
        task.run()
    except DeviceFault as fault:
        stream.fault = stream.fault or fault


def surface(stream: Stream) -> None:
    """An asynchronous failure is returned by the next call that waits for the stream."""
    fault, stream.fault = stream.fault, None
    if fault is not None:
        raise AclError(fault.status, *fault.items)
