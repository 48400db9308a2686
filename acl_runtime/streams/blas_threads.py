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
        self._turn = threading.Condition()
        self._tasks = self._waiting = self._before = 0
        self._alone = False

    @property
    def number(self) -> int:
        """The threads of a task."""
        blas = library()
        return 1 if blas is None else self._asked or max(self._before if self._tasks else blas.get(), self._least)

    @contextmanager
    def used(self) -> Generator[None]:
        """A task computes. The first one sets the number, and the last one restores that of the program."""
        blas = library()
        if blas is None:
            yield
            return
        with self._turn:
            self._turn.wait_for(lambda: not self._alone)
            if not self._tasks:
                self._before = blas.get()
            self._tasks += 1
            _set(blas, self.number)
        try:
            yield
        finally:
            with self._turn:
                self._tasks -= 1
                if not self._tasks:
                    _set(blas, self._before)
                self._turn.notify_all()

    @contextmanager
    def single(self) -> Generator[None]:
        """In a task whose jobs compute side by side: each product has one thread. Other tasks wait meanwhile, because
        the bits of a product depend on the number of threads."""
        blas = library()
        if blas is None:
            yield
            return
        with self._turn:
            self._waiting += 1
            self._turn.notify_all()
            try:  # the other tasks have ended, or wait here
                self._turn.wait_for(lambda: not self._alone and self._waiting >= self._tasks)
            finally:
                self._waiting -= 1
            self._alone, before = True, blas.get()
            _set(blas, 1)
        try:
            yield
        finally:
            with self._turn:
                self._alone = False
                _set(blas, before)
                self._turn.notify_all()


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
