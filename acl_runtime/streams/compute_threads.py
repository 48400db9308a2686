"""The cores of the host that do the arithmetic of large tensors: the calling thread, and helpers that live as long as
the machine, each with scratch memory of its own that is used again and again."""

import itertools
import os
import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final, TypeAlias
from weakref import WeakSet

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.waiters import Staff

ALIGNED: Final = 64
"""bytes: a row of scratch that starts at a cache line is written in 0.045 ns an element, elsewhere in 0.07"""
BUFFER: Final = 512
"""elements. A ufunc copies broadcast operands through its cast buffer if their rows are shorter than it, and takes two
to three times as long (numpy 2.3 and later)"""
MOST_THREADS: Final = 2
"""that is what was measured to pay: each operation of numpy's takes the interpreter's lock"""


class Scratch:
    """Memory of one thread, by name: never cleared, returned when somebody asks for it."""

    def __init__(self) -> None:
        self._rooms: dict[Hashable, Array] = {}

    def __call__(self, name: Hashable, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array over the memory of this name, which grows as needed."""
        kind = np.dtype(dtype)
        count = 1
        for size in shape:
            count *= size
        needed = count * kind.itemsize
        room = self._rooms.get(name)
        if room is None or room.size < needed:
            raw = np.empty(needed + ALIGNED, np.uint8)
            start = -raw.ctypes.data % ALIGNED
            room = self._rooms[name] = raw[start : start + needed]
        return np.ndarray(shape, kind, room)  # a third of the time of slicing, viewing and reshaping

    def forget(self) -> None:
        """Return it."""
        self._rooms.clear()


Job: TypeAlias = "Callable[[int, Scratch], None]"


class Workers:
    """Runs jobs 0 to n - 1 on several cores; which core gets which makes no difference to anything."""

    def __init__(self, threads: int | None) -> None:
        self.threads = threads or min(MOST_THREADS, _cores())
        self._own = threading.local()
        self._scratches: WeakSet[Scratch] = WeakSet()
        self._busy = threading.Lock()
        self._shifts: list[SimpleQueue[_Shift | None]] = []

    def each(self, count: int, job: Job) -> None:
        """Do all the jobs. Only one caller has the helpers at a time; the others do theirs alone."""
        if count < 2 or self.threads < 2 or not self._busy.acquire(blocking=False):
            shift = _Shift(count, job)
            shift.work(self._scratch())
        else:
            try:
                self._hire()
                shift = _Shift(count, job)
                helpers = list(self._shifts)
                for queue in helpers:
                    queue.put(shift)
                shift.work(self._scratch())
                for _ in helpers:
                    shift.over.get()
            finally:
                self._busy.release()
        if shift.error is not None:
            raise shift.error

    def _scratch(self) -> Scratch:
        """The calling thread's."""
        if not hasattr(self._own, "scratch"):
            self._own.scratch = self._new_scratch()
        return self._own.scratch

    def _new_scratch(self) -> Scratch:
        scratch = Scratch()
        self._scratches.add(scratch)
        return scratch

    def forget(self) -> None:
        """Return the scratch memory: what comes next needs as much for other things."""
        if self._busy.acquire(blocking=False):  # else somebody uses it
            for scratch in list(self._scratches):
                scratch.forget()
            self._busy.release()

    def _hire(self) -> None:
        with suppress(RuntimeError):  # a process may not have as many threads as it likes
            while len(self._shifts) < self.threads - 1:
                queue: SimpleQueue[_Shift | None] = SimpleQueue()
                Staff(target=_help, args=(queue, self._new_scratch()), name="arithmetic", daemon=True).start()
                self._shifts.append(queue)

    def close(self) -> None:
        """The helpers go home."""
        for queue in self._shifts:
            queue.put(None)
        self._shifts = []


class _Shift:
    """Jobs that are handed out one by one to who asks."""

    def __init__(self, count: int, job: Job) -> None:
        self._next = itertools.count()  # next() of it is atomic
        self._count, self._job = count, job
        self.error: BaseException | None = None
        self.over: SimpleQueue[None] = SimpleQueue()

    def work(self, scratch: Scratch) -> None:
        """Do jobs until there are none left, or one failed."""
        with np.errstate(all="ignore"):  # a device does not warn
            before = np.setbufsize(BUFFER)
            try:
                while self.error is None and (number := next(self._next)) < self._count:
                    self._job(number, scratch)
            except BaseException as error:
                self.error = error
            finally:
                np.setbufsize(before)


def _help(queue: "SimpleQueue[_Shift | None]", scratch: Scratch) -> None:
    """What a helper does all day."""
    while (shift := queue.get()) is not None:
        shift.work(scratch)
        shift.over.put(None)
        del shift


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
