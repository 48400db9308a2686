"""Windows: reserved, inaccessible ranges of addresses, from which device addresses and handles are given out.

Such a number behaves like a pointer: `pointer + offset` works, its range shows whether it belongs to a device, and a
host program that dereferences it gets a segmentation fault instead of wrong data. The bytes of device memory have other
addresses.
"""

import ctypes
import mmap
import sys
from collections.abc import Sequence
from functools import cache
from typing import Final

from acl_runtime.process import process

PROT_NONE: Final = 0
MAP_NORESERVE: Final = 0x4000
FAILED: Final = ctypes.c_void_p(-1).value or -1
SMALLEST: Final = 1 << 30
EXPECTED_START: Final = 0x1000_0000_0000
"""Programs may request virtual memory at addresses from here (16 TiB) to `DEVICE_START` (24 TiB). The emulator uses
these addresses for nothing else."""
DEVICE_START: Final = 0x1800_0000_0000
"""the first device address: windows start from here on, even if they are not reserved (window=False)"""
VIRTUAL_START: Final = 0x5000_0000_0000
"""virtual memory without an expected address lies from here (80 TiB) to `VIRTUAL_END`"""
VIRTUAL_END: Final = 0x5400_0000_0000
HALF: Final = 1 << 32
SIGNED: Final = (1 << 64) - (HALF >> 1)
"""the least number of 64 bits that is a negative number of 32 bits"""
TRIES: Final = 7
"""the least number of ranges that a machine tries, if there are so many"""


def hints(start: int, size: int, count: int, turn: int, device: int = 0) -> list[int]:
    """Addresses for a window of a device of the machine with the number `turn`. The machines take `count` ranges from
    `start` on in turn. If a living machine has the first address, the others are used."""
    first, step = turn % count + device, max(1, count // TRIES)
    return [start + first * size, *(start + (first + far) % count * size for far in range(step, count, step))]


def whole(number: int, like: int) -> int:
    """The number with the lower half of `number` and the upper half of `like`: ctypes cuts an int to 32 bits where a
    function has no argtypes. 0 if `number` was not cut."""
    return like & -HALF | number & (HALF - 1) if number < HALF or number >= SIGNED else 0


class Window:
    """An inaccessible range of addresses, [start, start + size), at the first address of `places` that is free; where
    the system chooses if none is. `close` returns it to the system."""

    __slots__ = ("reserved", "size", "start")

    def __init__(self, size: int, places: Sequence[int], *, reserve: bool) -> None:
        self.start, self.size, self.reserved = places[0], size, False
        if reserve and sys.platform == "linux":
            self._reserve(places)

    def _reserve(self, places: Sequence[int]) -> None:
        size = self.size
        while self.size >= min(SMALLEST, size):  # "halved on failure": a limit on address space, valgrind, ...
            start = _mapped(self.size, places)
            if start != FAILED:
                self.start, self.reserved = start, True
                if start not in places and process.range_moved is not None:
                    process.range_moved(start, self.size)
                return
            self.size //= 2
        self.size = size  # nothing could be reserved, so the addresses are plain numbers

    def __contains__(self, address: int) -> bool:
        return self.start <= address < self.start + self.size

    def close(self) -> None:
        """Return the range to the system."""
        if self.reserved:
            libc().munmap(self.start, self.size)
            self.reserved = False


def _mapped(size: int, places: Sequence[int]) -> int:
    """The start of a new range; FAILED if the system grants none of this size. A sanitizer may grant no hint."""
    flags, libc_, start = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE, libc(), FAILED
    for place in places:
        start = libc_.mmap(place, size, PROT_NONE, flags, -1, 0)  # another address if this one is taken
        if start in (place, FAILED):
            break
        if place != places[-1]:
            libc_.munmap(start, size)
    return start


@cache
def libc() -> ctypes.CDLL:
    """The C library of this process, with errno saved for `ctypes.get_errno`."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    library.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    if hasattr(library, "madvise"):
        library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return library
