"""A chunk: a large anonymous mapping of this process, from which pinned host memory is allocated.

A chunk may be mapped at two addresses. The host uses the first, whose pages the module `guard` of the checks sometimes
protects (mprotect). Streams use the second.
"""

import ctypes
import mmap
import os
import sys
from typing import Final

from acl_runtime.memory.sizes import MIB, round_up
from acl_runtime.objects.address_range import FAILED, MAP_NORESERVE, libc

CHUNK: Final = 64 * MIB
PAGE: Final = mmap.PAGESIZE
DONT_NEED: Final = 4
REMOVE: Final = 9
NO_HUGE_PAGE: Final = 15
RIGHTS: Final = mmap.PROT_READ | mmap.PROT_WRITE


class Chunk:
    """Anonymous memory of this process, allocated from its start on. A page takes memory after its first access."""

    __slots__ = ("_kept", "address", "live", "shift", "size", "used")

    def __init__(self, size: int, *, two_addresses: bool = False) -> None:
        self.size = size
        self.shift = 0
        """the distance from the host's address of a byte to the address that streams use; 0 if both are the same"""
        self.used = 0
        """bytes that were allocated since the chunk was made or recycled"""
        self.live = 0
        """bytes that are allocated and not freed"""
        self._kept: object = None
        if sys.platform == "linux":
            self.address = (two_addresses and self._map_twice()) or self._map()
        else:
            buffer = ctypes.create_string_buffer(size + PAGE)
            self._kept, self.address = buffer, round_up(ctypes.addressof(buffer), PAGE)

    def _map_twice(self) -> int:
        """Map the memory at two addresses, and return the first; 0 if the system cannot do that."""
        try:
            file = os.memfd_create("pinned host memory", os.MFD_CLOEXEC)
        except OSError:
            return 0
        try:
            os.ftruncate(file, self.size)
            flags = mmap.MAP_SHARED | MAP_NORESERVE
            first, second = (libc().mmap(None, self.size, RIGHTS, flags, file, 0) for _ in range(2))
        except OSError:
            return 0
        finally:
            os.close(file)
        if FAILED in (first, second):
            for start in {first, second} - {FAILED}:
                libc().munmap(start, self.size)
            return 0
        self.shift = second - first
        return first

    def _map(self) -> int:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        start = libc().mmap(None, self.size, RIGHTS, flags, -1, 0)
        if start == FAILED:
            raise MemoryError(os.strerror(ctypes.get_errno()))
        if self.size == CHUNK:  # one small allocation would keep a whole 2 MiB page
            libc().madvise(start, self.size, NO_HUGE_PAGE)
        return start

    @property
    def end(self) -> int:
        return self.address + self.size

    @property
    def available(self) -> int:
        """Bytes that are not yet allocated."""
        return self.size - self.used

    def take(self, extent: int) -> int:
        """Allocate the next `extent` bytes, and return their address."""
        address = self.address + self.used
        self.used += extent
        self.live += extent
        return address

    def give_back(self, address: int, extent: int) -> None:
        """Free bytes and return their pages to the system. The addresses stay readable, and the bytes are zero."""
        self.live -= extent
        if sys.platform == "linux":
            libc().madvise(address, extent, REMOVE if self.shift else DONT_NEED)

    def close(self) -> None:
        """Return the memory to the system. If an allocation in it is live, keep all of it until the process ends."""
        if self.live and self._kept is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._kept))
        elif not self.live and self._kept is None:
            for start in {self.address, self.address + self.shift}:
                libc().munmap(start, self.size)
        self._kept = None
