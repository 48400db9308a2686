"""Physical memory: bytes of aclrtMallocPhysical, which a program can access only through mappings.

The bytes of all physical memory of a machine are in one file in memory (`PhysicalStore`). The emulator has mapped the
whole file at one address. Each mapping of the program is another view of the same pages. So two mappings of one handle
share their bytes, and a mapping takes no memory until its pages are accessed.

`PhysicalBlock` has the facts about memory of a device that all its mappings share: the filled bytes, and the notes of
the checks. `HostBlock` has the notes about memory of the host.
"""

import ctypes
import mmap
import os
from typing import Any, Final

import numpy as np

from acl_runtime.errors import Past
from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.allocation import ALLOCATED, Allocation, Owner, pasts
from acl_runtime.memory.freed import Freed
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.sizes import MIB, TIB, round_up
from acl_runtime.objects.address_range import FAILED, MAP_NORESERVE, libc
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

MAP_FIXED: Final = 0x10
REMOVE: Final = 9
RIGHTS: Final = mmap.PROT_READ | mmap.PROT_WRITE
ROOM: Final = 4 * TIB
"""bytes of addresses for the physical memory of a machine; after that, the longest-freed addresses are used again"""
STEP: Final = 64 * MIB


class PhysicalStore:
    """The file in memory that holds the bytes of all physical memory of a machine. The first use makes it."""

    def __init__(self) -> None:
        self._file = -1
        self._start = 0
        self._room = ROOM
        self._length = 0
        self._next = 0
        self._free = Freed()
        self._foreign: dict[int, tuple[int, int]] = {}
        """the bytes that belong to another process, by offset: its file, and the offset there"""

    @property
    def file(self) -> int:
        """The descriptor of the file."""
        return self._file

    def take(self, extent: int) -> int:
        """Allocate `extent` bytes and return their offset; MemoryError if the host has too little memory."""
        if self._file < 0:
            self._open()
        if self._next + extent <= self._room:
            offset, self._next = self._next, self._next + extent
        elif (free_offset := self._free.take(extent)) is not None:
            offset = free_offset
        else:
            raise MemoryError(f"{extent} bytes of addresses are not left")
        if offset + extent > self._length:
            self._length = round_up(offset + extent, STEP)
            try:
                os.ftruncate(self._file, self._length)
            except OSError as error:
                raise MemoryError(str(error)) from error
        return offset

    def give_back(self, offset: int, extent: int) -> None:
        """Free bytes and return their pages to the system. Those of another process stay as they are."""
        if offset in self._foreign:
            file, _ = self._foreign.pop(offset)
            os.close(file)
            self.show(self._start + offset, offset, extent)
        libc().madvise(self._start + offset, extent, REMOVE)
        self._free.add(offset, extent)

    def address(self, offset: int) -> int:
        """The address of these bytes in the emulator's own mapping."""
        return self._start + offset

    def array(self, offset: int, size: int) -> Array:
        """The bytes as an array."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(self._start + offset))

    def show(self, address: int, offset: int, size: int, rights: int = RIGHTS) -> None:
        """Map the bytes at another address of this process as well; MemoryError if the system refuses."""
        flags = mmap.MAP_SHARED | MAP_NORESERVE | MAP_FIXED
        file, at = self._foreign.get(offset, (self._file, offset))
        if libc().mmap(address, size, rights, flags, file, at) == FAILED:
            raise MemoryError(os.strerror(ctypes.get_errno()))

    def take_foreign(self, extent: int, file: int, at: int) -> int:
        """Attach bytes of another process and return their offset here. The file is closed with them."""
        offset = self.take(extent)
        self._foreign[offset] = file, at
        self.show(self._start + offset, offset, extent)
        return offset

    def close(self) -> None:
        """Return the memory to the system. Mappings that still exist keep their pages."""
        if self._file >= 0:
            libc().munmap(self._start, self._room)
            for file in (self._file, *(file for file, _ in self._foreign.values())):
                os.close(file)
            self._file = -1

    def _open(self) -> None:
        try:
            self._file = os.memfd_create("physical memory", os.MFD_CLOEXEC)
        except OSError as error:
            raise MemoryError(str(error)) from error
        while True:
            start: Any = libc().mmap(None, self._room, RIGHTS, mmap.MAP_SHARED | MAP_NORESERVE, self._file, 0)
            if start != FAILED:
                self._start = start
                return
            if self._room <= STEP:
                os.close(self._file)
                self._file = -1
                raise MemoryError(os.strerror(ctypes.get_errno()))
            self._room //= 2


class PhysicalBlock(Allocation):
    """The memory of a device behind one handle. Programs never get its address."""

    __slots__ = ("label", "offset")

    def __init__(
        self, device: Owner, address: int, size: int, buffer: Array, *, offset: int, real: int, page: int
    ) -> None:
        self.offset = offset
        """the offset of the bytes in the store"""
        self.label = "physical memory"
        super().__init__(device, address, size, buffer, real=real, page=page, fresh=True)

    def __str__(self) -> str:
        return Text("the {size} bytes of {memory}", size=self.size, memory=self.label)

    def past(self) -> tuple[Past, ...]:
        return pasts(Text("{place} ({size} bytes)", place=self.label, size=self.size), self, self.label)


class HostBlock(Pinned):
    """The memory of the host behind one handle. Its address is in the emulator's own mapping."""

    __slots__ = ("label",)

    def __init__(self, address: int, size: int, ordinal: int) -> None:
        super().__init__(address, size, ordinal)
        self.label = f"physical memory {ordinal}"
        self.words = ALLOCATED
        self.owner = self  # the store keeps the bytes alive

    @property
    def name(self) -> str:
        return self.label


class PhysicalHandle(Thing):
    """aclrtDrvMemHandle: physical memory of a device, or of the host."""

    kind = Text("physical memory handle")
    destroyer = "aclrtFreePhysical"

    def __init__(self, device: int, kind: int, attribute: int, size: int, extent: int, page: int) -> None:
        super().__init__()
        self.location = device, kind
        """the id and the type of its aclrtMemLocation"""
        self.attribute = attribute
        self.size = size
        self.extent = extent
        """bytes that the memory takes: `size`, rounded up to whole pages"""
        self.page = page
        """the granularity"""
        self.offset = 0
        """the offset of the bytes in the store"""
        self.block: PhysicalBlock | None = None
        """None for memory of the host"""
        self.host: HostBlock | None = None
        """None for memory of a device"""
        self.shares = 1
        """the number of aclrtFreePhysical calls that free it"""
        self.mapped = 0
        """the number of mappings"""
        self.shared: int | None = None
        """the number under which the memory was exported"""

    def again(self) -> "PhysicalHandle":
        """A second handle of the same memory, after the first handle was freed."""
        device, kind = self.location
        handle = PhysicalHandle(device, kind, self.attribute, self.size, self.extent, self.page)
        handle.offset, handle.block, handle.host = self.offset, self.block, self.host
        handle.mapped, handle.shared = self.mapped, self.shared
        return handle
