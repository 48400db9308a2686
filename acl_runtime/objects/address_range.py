"""Address ranges that are reserved but inaccessible: what the host gets as device addresses and handles.

A device address is a real number in a range of its own, so `pointer + offset` works, a range tells which side a
pointer is on, and a host program that dereferences it faults instead of reading something. The bytes lie elsewhere.
"""

import ctypes
import mmap
import sys
from functools import cache
from typing import Final

from acl_runtime.process import process

PROT_NONE: Final = 0
MAP_NORESERVE: Final = 0x4000
FAILED: Final = ctypes.c_void_p(-1).value
SMALLEST: Final = 1 << 30
PLAIN: Final = 0x12C0_0000_0000
"""first address where nothing is reserved (window=False): the numbers look like a device's"""


class Window:
    """[start, start + size), inaccessible; `close` returns it."""

    __slots__ = ("_reserved", "size", "start")

    def __init__(self, size: int, hint: int, *, reserve: bool) -> None:
        self.start, self.size, self._reserved = hint, size, False
        if reserve and sys.platform == "linux":
            self._reserve(hint)

    def _reserve(self, hint: int) -> None:
        libc_ = libc()
        size = self.size
        while self.size >= min(SMALLEST, size):  # "halved on failure": a limit on address space, valgrind, ...
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
            start = libc_.mmap(hint, self.size, PROT_NONE, flags, -1, 0)  # the address is only a hint
            if start != FAILED:
                self.start, self._reserved = start, True
                if start != hint and process.range_moved is not None:
                    process.range_moved(start, self.size)
                return
            self.size //= 2
        self.size = size  # not even that: plain numbers serve

    def __contains__(self, address: int) -> bool:
        return self.start <= address < self.start + self.size

    def close(self) -> None:
        """Return the range to the system."""
        if self._reserved:
            libc().munmap(self.start, self.size)
            self._reserved = False


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process, with errno kept for us."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    if hasattr(library, "madvise"):
        library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library
