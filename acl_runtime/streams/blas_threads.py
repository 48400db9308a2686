"""The single thread of numpy's BLAS while a task computes.

BLAS has one number of threads for the whole process. A product that is shared among threads ends when the last thread
ends; a thread without a core delays the product by a time slice: 10 ms instead of 0.1. The bits of the product also
depend on the number of threads. So BLAS has one thread while a task of any machine computes, and the compiled evaluator
shares large products among the emulator's threads. The number of threads is restored when the last task ends.

The library is found among the files that the process has loaded. If that fails, for example with a numpy that has
another BLAS, BLAS keeps its number of threads, and numpy multiplies matrices.
"""

import ctypes
import threading
from functools import cache
from typing import Any, Final, NamedTuple, cast

NAMES: Final = (
    ("scipy_openblas_{}_num_threads64_", "scipy_cblas_{}64_"), ("openblas_{}_num_threads64_", "cblas_{}64_"),
    ("scipy_openblas_{}_num_threads", ""), ("openblas_{}_num_threads", ""),
)  # fmt: skip
"""the names of the functions in builds of OpenBLAS: with integers of 64 bits, then of 32 bits"""


class BlasLibrary(NamedTuple):
    """The functions of the BLAS that numpy uses."""

    get: Any
    set: Any
    products: tuple[int, int] | None
    """the addresses of cblas_sgemm and cblas_sgemv with integers of 64 bits"""


class BlasThreads:
    """One thread of BLAS while a task computes: `with process.own(BlasThreads):`"""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks = self._before = 0

    def __enter__(self) -> None:
        """Set the number of threads to 1, if this is the first task."""
        if (blas := library()) is not None:
            with self._lock:
                if not self._tasks:
                    self._before = blas.get()
                    _set(blas, 1)
                self._tasks += 1

    def __exit__(self, *_: object) -> None:
        """Restore the number of threads after the last task."""
        if (blas := library()) is not None:
            with self._lock:
                self._tasks -= 1
                if not self._tasks:
                    _set(blas, self._before)


def _set(blas: BlasLibrary, count: int) -> None:
    if blas.get() != count:
        blas.set(count)


@cache
def library() -> BlasLibrary | None:
    """The BLAS of numpy; None unless it is an OpenBLAS."""
    for path in _loaded():
        try:
            loaded = ctypes.CDLL(path)
        except OSError:
            continue
        for name, products in NAMES:
            get, set_ = (getattr(loaded, name.format(verb), None) for verb in ("get", "set"))
            if get is not None and set_ is not None:
                get.restype, set_.argtypes = ctypes.c_int, [ctypes.c_int]
                return BlasLibrary(get, set_, _products(loaded, products))
    return None


def _products(loaded: ctypes.CDLL, name: str) -> tuple[int, int] | None:
    matrices, vectors = (getattr(loaded, name.format(kind), None) for kind in ("sgemm", "sgemv"))
    if not name or matrices is None or vectors is None:
        return None
    address = ctypes.c_void_p.from_buffer
    return cast("int", address(matrices).value), cast("int", address(vectors).value)


def _loaded() -> list[str]:
    """The loaded files of this process with "blas" in the name."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            rows = [line.split(maxsplit=5) for line in maps]
    except OSError:
        return []
    return sorted({row[5].strip() for row in rows if len(row) == 6 and "blas" in row[5].rpartition("/")[2].lower()})
