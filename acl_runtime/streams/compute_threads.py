"""Threads that share the arithmetic of large tensors: the calling thread, and helpers that live as long as the machine.

Each thread reuses its scratch memory. The workers of the schedule `threads` are other threads (`stream_workers`).
"""

import itertools
import os
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final, TypeAlias
from weakref import WeakSet

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.waiters import EmulatorThread

ALIGNED: Final = 64
"""bytes of a cache line; a row of scratch memory at the start of a line is written faster"""
BUFFER: Final = 512
"""the elements of a ufunc's cast buffer; numpy 2.3 and later copy broadcast operands with shorter rows through the
buffer"""
MOST_THREADS: Final = 2
"""more threads are no faster, as each operation of numpy takes the interpreter's lock"""


class Scratch:
    """Scratch memory of one thread, by name, kept until `forget`. The contents are undefined."""

    def __init__(self) -> None:
        self._blocks: dict[Hashable, Array] = {}

    def __call__(self, name: Hashable, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array over the memory of this name; the memory grows as needed."""
        kind = np.dtype(dtype)
        count = 1
        for size in shape:
            count *= size
        nbytes = count * kind.itemsize
        block = self._blocks.get(name)
        if block is None or block.size < nbytes:
            raw = np.empty(nbytes + ALIGNED, np.uint8)
            start = -raw.ctypes.data % ALIGNED
            block = self._blocks[name] = raw[start : start + nbytes]
        return np.ndarray(shape, kind, block)

    def forget(self) -> None:
        """Free the memory."""
        self._blocks.clear()


Job: TypeAlias = "Callable[[int, Scratch], None]"


class Workers:
    """Runs jobs 0 to n - 1 on several cores. The result is the same on any core."""

    def __init__(self, threads: int | None) -> None:
        self.threads = threads or min(MOST_THREADS, _cores())
        self.counts: Counter[str] = Counter()
        """the number of computations of each engine, and of each reason not to use the compiled engine"""
        self._own = threading.local()
        self._scratches: WeakSet[Scratch] = WeakSet()
        self._busy = threading.Lock()
        self._batches: list[SimpleQueue[_Batch | None]] = []

    def each(self, count: int, job: Job) -> None:
        """Run the jobs. One caller at a time gets the helper threads; other callers run their jobs alone."""
        if count < 2 or self.threads < 2 or not self._busy.acquire(blocking=False):
            batch = _Batch(count, job)
            batch.work(self._scratch())
        else:
            try:
                self._start_helpers()
                batch = _Batch(count, job)
                helpers = list(self._batches)
                for queue in helpers:
                    queue.put(batch)
                batch.work(self._scratch())
                for _ in helpers:
                    batch.over.get()
            finally:
                self._busy.release()
        if batch.error is not None:
            raise batch.error

    def _scratch(self) -> Scratch:
        """The scratch memory of the calling thread."""
        if not hasattr(self._own, "scratch"):
            self._own.scratch = self._new_scratch()
        return self._own.scratch

    def _new_scratch(self) -> Scratch:
        scratch = Scratch()
        self._scratches.add(scratch)
        return scratch

    def forget(self) -> None:
        """Free the scratch memory of all threads, as the next step needs much memory for other data."""
        if self._busy.acquire(blocking=False):  # else it is in use
            for scratch in list(self._scratches):
                scratch.forget()
            self._busy.release()

    def _start_helpers(self) -> None:
        with suppress(RuntimeError):  # the number of threads of a process is limited
            while len(self._batches) < self.threads - 1:
                queue: SimpleQueue[_Batch | None] = SimpleQueue()
                EmulatorThread(target=_help, args=(queue, self._new_scratch()), name="arithmetic", daemon=True).start()
                self._batches.append(queue)

    def close(self) -> None:
        """End the helper threads."""
        for queue in self._batches:
            queue.put(None)
        self._batches = []


class _Batch:
    """A batch of jobs, which the threads take one by one."""

    def __init__(self, count: int, job: Job) -> None:
        self._next = itertools.count()  # next() of it is atomic
        self._count, self._job = count, job
        self.error: BaseException | None = None
        self.over: SimpleQueue[None] = SimpleQueue()

    def work(self, scratch: Scratch) -> None:
        """Take and run jobs until no job is left, or a job failed."""
        with np.errstate(all="ignore"):  # a device does not warn
            buffer_size = np.setbufsize(BUFFER)
            try:
                while self.error is None and (number := next(self._next)) < self._count:
                    self._job(number, scratch)
            except BaseException as error:
                self.error = error
            finally:
                np.setbufsize(buffer_size)


def _help(queue: "SimpleQueue[_Batch | None]", scratch: Scratch) -> None:
    """The body of a helper thread: run jobs of each batch."""
    while (batch := queue.get()) is not None:
        batch.work(scratch)
        batch.over.put(None)
        del batch


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
