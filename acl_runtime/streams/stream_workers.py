"""The schedule `threads`: each stream has a worker, a thread of this process that runs its tasks in order.

A worker starts with the first task of its stream and ends with the stream. The worker has the machine's lock except
while a task does its work. While no task of its stream can run, the worker sleeps on a condition.
"""

import threading
from collections.abc import Callable
from typing import TypeAlias

from acl_runtime.errors import DeviceFault
from acl_runtime.streams.ports import Runner
from acl_runtime.streams.runnable import start
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.waiters import Change, EmulatorThread

Do: TypeAlias = Callable[[Task, float], DeviceFault | None]
Ended: TypeAlias = Callable[[Stream, Task, float, float, DeviceFault | None], None]


class StreamWorkers:
    """The workers of a machine's streams; none unless the schedule starts them."""

    def __init__(self, machine: Runner, changed: Change, do: Do, ended: Ended) -> None:
        """`do` does the work of a task; `ended` removes the task from its stream."""
        self._machine = machine
        self._changed = changed
        self._do = do
        self._ended = ended
        self._threads: dict[Stream, threading.Thread] = {}
        self.conditions: dict[Stream, threading.Condition] = {}
        """the conditions that wake the workers, by stream"""

    def start(self, stream: Stream) -> None:
        """Start a worker for the stream, if it has none."""
        if stream in self._threads:
            return
        worker = EmulatorThread(target=self._work, args=(stream,), name=str(stream), daemon=True)
        self._threads[stream] = worker
        self.conditions[stream] = threading.Condition(self._machine.lock)
        worker.start()

    def wake(self, stream: Stream) -> bool:
        """Let the worker of this stream check whether a task may run; False if there is no worker."""
        condition = self.conditions.get(stream)
        if condition is None:
            return False
        condition.notify_all()
        return True

    def join(self, seconds: float) -> None:
        """Wait at most this many real seconds for each worker to end. The caller must not hold the machine's lock: a
        worker needs the lock to end."""
        for worker in list(self._threads.values()):
            if worker is not threading.current_thread():
                worker.join(seconds)

    def _work(self, stream: Stream) -> None:
        """The body of a worker thread: run the tasks of one stream until the stream has ended."""
        self._machine.attach()
        with self._changed:
            self._machine.thread()  # under the lock, as this lists the thread
            while True:
                self.conditions[stream].wait_for(lambda: stream.movable() or stream.ended)
                if not stream.movable():
                    del self._threads[stream], self.conditions[stream]
                    return
                task = stream.queue[0]
                stream.runner = threading.get_ident()
                took = task.duration
                begin, fault = start(task)
                self._changed.release()
                try:
                    if fault is None and task.fails is None:
                        fault = self._do(task, took)
                except BaseException as error:  # "under `threads` by the next call that waits for that stream"
                    stream.raised = stream.raised or error
                finally:
                    self._changed.acquire()
                try:
                    self._ended(stream, task, begin, took, fault)
                except BaseException as error:
                    stream.raised = stream.raised or error
