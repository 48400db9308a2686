"""A large anonymous mapping of this process, of which pinned host memory is given out.

The host may be kept from pages of it for a while (`guard`), and streams may not: they use the same memory at other
addresses.
"""

import ctypes
import mmap
import os
import sys
from typing import Final

from acl_runtime.memory.device_memory import MIB, round_up
from acl_runtime.objects.address_range import FAILED, MAP_NORESERVE, libc

CHUNK: Final = 64 * MIB
PAGE: Final = mmap.PAGESIZE
DONT_NEED: Final = 4
REMOVE: Final = 9
NO_HUGE_PAGE: Final = 15
RIGHTS: Final = mmap.PROT_READ | mmap.PROT_WRITE


class Chunk:
    """Anonymous memory of this process, given out from its start on; what nobody touched costs nothing."""

    __slots__ = ("_kept", "address", "live", "shift", "size", "used")

    def __init__(self, size: int, *, twice: bool = False) -> None:
        self.size = size
        self.shift = 0
        """how far behind an address the same byte is for streams; 0: they use that address themselves"""
        self.used = 0
        """bytes given out since the start, or since the chunk came back"""
        self.live = 0
        """bytes given out and not given back"""
        self._kept: object = None
        if sys.platform == "linux":
            self.address = (twice and self._map_twice()) or self._map()
        else:
            buffer = ctypes.create_string_buffer(size + PAGE)
            self._kept, self.address = buffer, round_up(ctypes.addressof(buffer), PAGE)

    def _map_twice(self) -> int:
        """0 where the system has no memory that can be mapped so."""
        try:
            file = os.memfd_create("pinned host memory", os.MFD_CLOEXEC)
        except OSError:
            return 0
        try:
            os.ftruncate(file, self.size)
            flags = mmap.MAP_SHARED | MAP_NORESERVE
            start, behind = (libc().mmap(None, self.size, RIGHTS, flags, file, 0) for _ in range(2))
        except OSError:
            return 0
        finally:
            os.close(file)
        if FAILED in (start, behind):
            for each in {start, behind} - {FAILED}:
                libc().munmap(each, self.size)
            return 0
        self.shift = behind - start
        return start

    def _map(self) -> int:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        start = libc().mmap(None, self.size, RIGHTS, flags, -1, 0)
        if start == FAILED:
            raise MemoryError(os.strerror(ctypes.get_errno()))
        if self.size == CHUNK:  # a page of 2 MiB would stay whole as long as one small allocation in it lives
            libc().madvise(start, self.size, NO_HUGE_PAGE)
        return start

    @property
    def end(self) -> int:
        return self.address + self.size

    @property
    def room(self) -> int:
        """Bytes that were not given out yet."""
        return self.size - self.used

    def take(self, extent: int) -> int:
        """The address of the next `extent` bytes."""
        at = self.address + self.used
        self.used += extent
        self.live += extent
        return at

    def give_back(self, address: int, extent: int) -> None:
        """The pages go back to the system; the addresses stay readable, as zeros."""
        self.live -= extent
        if sys.platform == "linux":
            libc().madvise(address, extent, REMOVE if self.shift else DONT_NEED)

    def close(self) -> None:
        """Return the memory, unless something in it is live: that is never returned."""
        if self.live and self._kept is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._kept))
        elif not self.live and self._kept is None:
            for start in {self.address, self.address + self.shift}:
                libc().munmap(start, self.size)
        self._kept = None
