"""Threads that share the arithmetic of large tensors: the calling thread, and helpers that live as long as the machine.

They have nothing to do with the schedule `threads`, whose worker threads are in `stream_workers`. Each thread has
scratch memory of its own, which it reuses.
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
"""bytes of a cache line: a row of scratch that starts at one is written faster"""
BUFFER: Final = 512
"""elements. A ufunc copies broadcast operands through its cast buffer if their rows are shorter than it (numpy 2.3 and
later)"""
MOST_THREADS: Final = 2
"""more were measured to be no faster: each operation of numpy takes the interpreter's lock"""


class Scratch:
    """Scratch memory of one thread, by name. It is never cleared, and kept until `forget`."""

    def __init__(self) -> None:
        self._blocks: dict[Hashable, Array] = {}

    def __call__(self, name: Hashable, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array over the memory of this name, which grows as needed."""
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
        """Give the memory back."""
        self._blocks.clear()


Job: TypeAlias = "Callable[[int, Scratch], None]"


class Workers:
    """Runs jobs 0 to n - 1 on several cores. Results do not depend on which core gets which job."""

    def __init__(self, threads: int | None) -> None:
        self.threads = threads or min(MOST_THREADS, _cores())
        self.counts: Counter[str] = Counter()
        """counts: how often each engine computed, and why it was not the compiled one"""
        self._own = threading.local()
        self._scratches: WeakSet[Scratch] = WeakSet()
        self._busy = threading.Lock()
        self._batches: list[SimpleQueue[_Batch | None]] = []

    def each(self, count: int, job: Job) -> None:
        """Do all the jobs. Only one caller has the helpers at a time; the others do theirs alone."""
        if count < 2 or self.threads < 2 or not self._busy.acquire(blocking=False):
            batch = _Batch(count, job)
            batch.work(self._scratch())
        else:
            try:
                self._hire()
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
        """Give the scratch memory of all threads back: the next step needs as much memory for other things."""
        if self._busy.acquire(blocking=False):  # else it is in use
            for scratch in list(self._scratches):
                scratch.forget()
            self._busy.release()

    def _hire(self) -> None:
        with suppress(RuntimeError):  # the number of threads of a process is limited
            while len(self._batches) < self.threads - 1:
                queue: SimpleQueue[_Batch | None] = SimpleQueue()
                EmulatorThread(target=_help, args=(queue, self._new_scratch()), name="arithmetic", daemon=True).start()
                self._batches.append(queue)

    def close(self) -> None:
        """Let the helper threads end."""
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
        """Take and do jobs until none is left, or one failed."""
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
    """The body of a helper thread: do its share of each batch."""
    while (batch := queue.get()) is not None:
        batch.work(scratch)
        batch.over.put(None)
        del batch


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
