"""The threads of numpy's BLAS while a task computes.

BLAS has one number of threads for the whole process. A Python program has a thread for each core, unless it asked for
another number. A program in C++ has one: the bridge loads numpy so, because threads that nobody needs would keep the
process alive. A task of large tensors sets the number of its machine's option `threads`, and restores the number of the
program afterwards. BLAS makes threads when they are first used.

Without the option a task has at least the threads of the tile engine, and no fewer than the program has. The library is
found among the files that the process has loaded; where that fails, for example with a numpy that has another BLAS,
BLAS keeps its number.
"""

import ctypes
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

NAMES: Final = ("scipy_openblas_{}64_", "openblas_{}64_", "scipy_openblas_{}", "openblas_{}")
"""the functions of OpenBLAS, by the ways to build it"""


class Blas(NamedTuple):
    """The functions of the BLAS that numpy uses."""

    get: Any
    set: Any


class BlasThreads:
    """The number of threads that the tasks of a machine let BLAS have."""

    def __init__(self, asked: int | None, least: int) -> None:
        """`asked` threads; None: `least`, or more if the program has more."""
        self._asked, self._least = asked, least
        self._lock = threading.Lock()
        self._tasks = self._singles = self._before = 0

    @property
    def number(self) -> int:
        """The threads of a task."""
        blas = library()
        return 1 if blas is None else self._asked or max(self._before if self._tasks else blas.get(), self._least)

    @contextmanager
    def used(self) -> Generator[None]:
        """A task computes. The first one sets the number, and the last one restores that of the program."""
        with self._changed(tasks=1):
            yield

    @contextmanager
    def single(self) -> Generator[None]:
        """Jobs compute side by side: each product has one thread."""
        with self._changed(tasks=1, singles=1):
            yield

    @contextmanager
    def _changed(self, tasks: int, singles: int = 0) -> Generator[None]:
        blas = library()
        if blas is None:
            yield
            return
        with self._lock:
            if not self._tasks:
                self._before = blas.get()
            self._count(blas, tasks, singles)
        try:
            yield
        finally:
            with self._lock:
                self._count(blas, -tasks, -singles)

    def _count(self, blas: Blas, tasks: int, singles: int) -> None:
        self._tasks += tasks
        self._singles += singles
        of_tasks = 1 if self._singles else self._asked or max(self._before, self._least)
        _set(blas, of_tasks if self._tasks else self._before)


def _set(blas: Blas, count: int) -> None:
    if blas.get() != count:
        blas.set(count)


@cache
def library() -> Blas | None:
    """The BLAS of numpy, if it is an OpenBLAS."""
    for path in _loaded():
        try:
            loaded = ctypes.CDLL(path)
        except OSError:
            continue
        for name in NAMES:
            get, set_ = (getattr(loaded, name.format(f"{each}_num_threads"), None) for each in ("get", "set"))
            if get is not None and set_ is not None:
                get.restype, set_.argtypes = ctypes.c_int, [ctypes.c_int]
                return Blas(get, set_)
    return None


def _loaded() -> list[str]:
    """The files of this process whose name says BLAS."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            rows = [line.split(maxsplit=5) for line in maps]
    except OSError:
        return []
    return sorted({row[5].strip() for row in rows if len(row) == 6 and "blas" in row[5].rpartition("/")[2].lower()})
