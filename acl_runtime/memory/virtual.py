"""Virtual memory: reserved addresses of a device, to which physical memory is mapped piece by piece.

A reservation has two ranges of addresses in this process. The program gets the address of the first range, which is
inaccessible like all device memory. The second range has the bytes: the pages of each mapped handle, and zeros where
nothing is mapped. So a tensor that lies in several mappings is one array for a kernel, and a reservation of a terabyte
takes no memory.

Physical memory of the host is mapped at the program's own address, because host code reads and writes it there. The
facts of the checks about bytes belong to the physical blocks (`physical`). `located_ranges` finds the blocks behind a
range of addresses.
"""

import ctypes
import mmap
import os
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, cast

from acl_runtime.memory.allocation import EXPORTED
from acl_runtime.memory.device_memory import DeviceMemories, DeviceMemory
from acl_runtime.memory.physical import MAP_FIXED, RIGHTS, PhysicalHandle, PhysicalStore
from acl_runtime.memory.pieces import Pieces
from acl_runtime.memory.pinned import PinnedMemory
from acl_runtime.memory.reservation import READ_WRITE, Reservation, VirtualMapping
from acl_runtime.memory.shared.exports import PHYSICAL, Export, Exports
from acl_runtime.memory.sizes import HUGE_PAGE, round_up
from acl_runtime.objects.address_range import FAILED, MAP_NORESERVE, PROT_NONE, VIRTUAL_END, VIRTUAL_START, libc
from acl_runtime.process import process

ANONYMOUS: Final = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
MAP_FIXED_NOREPLACE: Final = 0x100000
RELEASED: Final = 16
"""the number of released reservations that are stored; their bytes stay readable, as work may use arrays over
them"""
PROT: Final = {0: PROT_NONE, 1: mmap.PROT_READ, READ_WRITE: RIGHTS}
"""the rights of pages of the host, by access"""


class VirtualMemory:
    """The virtual and physical memory of one machine."""

    def __init__(self, memories: Sequence[DeviceMemory], pinned: PinnedMemory, of_address: DeviceMemories) -> None:
        self._memories = memories
        self._of_address = of_address
        self._pinned = pinned
        self.store = PhysicalStore()
        self.in_use = False
        """True after memory was first reserved"""
        self._count = 0
        self._next = VIRTUAL_START
        """the address of the next reservation without an expected address"""
        self._live: Pieces[Reservation] = Pieces()
        self._released: deque[Reservation] = deque()
        self.shared: dict[int, PhysicalHandle] = {}
        """the memory that this process has exported, by shareable handle"""
        self.exports = Exports()

    def __iter__(self) -> Iterator[Reservation]:
        """The live reservations."""
        return iter(self._live)

    def holding(self, address: int) -> Reservation | None:
        """The live reservation that contains this address."""
        return self._live.holding(address) if self.in_use else None

    def at(self, address: int) -> Reservation | None:
        """The live reservation that starts at this address."""
        return self._live.at(address)

    def known_at(self, address: int) -> Reservation | None:
        """The reservation that contains an address, or contained it before its release."""
        reservation = self._live.holding(address)
        if reservation is None:
            reservation = next((old for old in reversed(self._released) if old.address <= address < old.end), None)
        return reservation

    def memory_at(self, address: int) -> DeviceMemory | None:
        """The device of the reservation that contains an address, or contained it before its release."""
        reservation = self.known_at(address)
        return reservation.owner if reservation is not None else None

    def reserve(self, size: int, expected: int | None, alignment: int) -> Reservation | None:
        """Reserve addresses. None if the expected addresses are in use; MemoryError if none are left."""
        extent = round_up(size, HUGE_PAGE)
        address = _reserve_at(expected, extent) if expected else _reserve_near(self._next, extent, alignment)
        if address is None:
            return None
        if not expected:
            behind = address + extent
            self._next = behind if VIRTUAL_START < behind < VIRTUAL_END else VIRTUAL_START
        shadow = libc().mmap(None, extent, RIGHTS, ANONYMOUS, -1, 0)
        if shadow == FAILED:
            error = os.strerror(ctypes.get_errno())
            libc().munmap(address, extent)
            raise MemoryError(error)
        self._count += 1
        self.in_use, self._of_address.elsewhere = True, self.memory_at
        owner = self._memories[0] if self._memories else None
        reservation = Reservation(owner, address, size, extent, shadow, self._count)
        self._live.add(reservation)
        self._own(reservation, owner)
        return reservation

    def release(self, reservation: Reservation) -> None:
        """Release the addresses of a reservation without mappings."""
        self._live.remove(reservation)
        reservation.mark_freed()
        if reservation.owner is not None:
            reservation.owner.disown(reservation)
        libc().munmap(reservation.address, reservation.extent)
        self._released.append(reservation)
        if len(self._released) > RELEASED:
            oldest = self._released.popleft()
            libc().munmap(oldest.shadow, oldest.extent)

    def map(self, reservation: Reservation, address: int, handle: PhysicalHandle, access: int) -> VirtualMapping:
        """Map a handle to a free range of a reservation; MemoryError if the system refuses."""
        mapping = VirtualMapping(reservation, address, handle, access)
        shadow = reservation.shadow + address - reservation.address
        if handle.block is None:
            assert handle.host is not None, "without a block, the memory is of the host"
            self.store.show(address, handle.offset, handle.extent, PROT[access])
            mapping.pinned = self._pinned.map(address, handle.host)
            self._own(reservation, None)
        else:
            self.store.show(shadow, handle.offset, handle.extent)
            self._own(reservation, cast("DeviceMemory", handle.block.device))
        reservation.add(mapping)
        handle.mapped += 1
        return mapping

    def allow(self, mapping: VirtualMapping, access: int) -> None:
        """Set the access to a mapping. Host code gets the same access to memory of the host."""
        if mapping.pinned is not None:
            self.store.show(mapping.address, mapping.handle.offset, mapping.handle.extent, PROT[access])
        mapping.access = access

    def unmap(self, mapping: VirtualMapping) -> None:
        """End a mapping. Physical memory whose handle was freed before is freed with its last mapping."""
        reservation, handle = mapping.reservation, mapping.handle
        reservation.remove(mapping)
        mapping.ended = True
        if mapping.pinned is not None:
            libc().mmap(mapping.address, handle.extent, PROT_NONE, ANONYMOUS | MAP_FIXED, -1, 0)
            self._pinned.unregister(mapping.pinned)
            if not reservation.mappings and self._memories:
                self._own(reservation, self._memories[0])
        else:
            shadow = reservation.shadow + mapping.address - reservation.address
            libc().mmap(shadow, handle.extent, RIGHTS, ANONYMOUS | MAP_FIXED, -1, 0)
        handle.mapped -= 1
        if not handle.shares:
            self.free(handle)

    def free(self, handle: PhysicalHandle) -> None:
        """Free the memory of a handle, unless it is mapped."""
        if handle.mapped:
            return
        if handle.host is not None:
            handle.host.mark_freed()
            self._pinned.used -= handle.extent
        elif handle.block is not None and not handle.block.gone:  # a reset of its device has freed the block
            cast("DeviceMemory", handle.block.device).free(handle.block)
        if handle.shared is not None:
            self.shared.pop(handle.shared, None)
        if handle.shared is None:  # else other processes may still use the bytes
            self.store.give_back(handle.offset, handle.extent)

    def replace(self, old: PhysicalHandle) -> PhysicalHandle:
        """A new handle for the memory of a handle that was freed while it was mapped."""
        new = old.again()
        for reservation in self._live:
            for mapping in reservation.mappings:
                if mapping.handle is old:
                    mapping.handle = new
        if new.shared is not None:
            self.shared[new.shared] = new
        return new

    def allocate_host(self, handle: PhysicalHandle) -> None:
        """Allocate pinned memory of the host for a handle; MemoryError if the host has too little left."""
        self._pinned.check(handle.extent)
        handle.offset = self.store.take(handle.extent)
        self._pinned.used += handle.extent

    def share(self, handle: PhysicalHandle, *, anybody: bool) -> int:
        """Export the memory of a handle: a number for other processes. From then on its bytes count as written, as the
        others may write them."""
        handle.shared = number = self.exports.number()
        self.shared[number] = handle
        if handle.block is not None:
            handle.block.wrote(0, handle.size)
            handle.block.notes[EXPORTED] = None
            self.exports.add(
                number,
                Export(
                    PHYSICAL, self.store.file, handle.offset, handle.size, handle.extent, handle.page, handle.location,
                    handle.attribute, anybody, (),
                ),
            )  # fmt: skip
        return number

    def attach(self, handle: PhysicalHandle, memory: DeviceMemory, file: int, at: int) -> None:
        """Give a new handle the bytes of another process, which lie in a file; MemoryError if the system refuses."""
        handle.offset = self.store.take_foreign(handle.extent, file, at)
        handle.block = memory.import_physical(handle.size, handle.page, self.store, handle.offset)
        if handle.block is None:
            raise MemoryError("all addresses of the device are used")

    def close(self) -> None:
        """Release the addresses. Mapped memory of the host stays for ever, as the program may access it."""
        for reservation in self._live:
            pinned = any(mapping.pinned is not None for mapping in reservation.mappings)
            if not pinned:
                libc().munmap(reservation.address, reservation.extent)
        for reservation in (*self._live, *self._released):
            reservation.mark_freed()
            libc().munmap(reservation.shadow, reservation.extent)
        self._live, self._released = Pieces(), deque()
        self.exports.close()
        self.store.close()

    def _own(self, reservation: Reservation, owner: DeviceMemory | None) -> None:
        """Give the addresses of a reservation to this device; None means the host."""
        previous = reservation.owner
        if previous is not None and previous.at(reservation.address) is reservation:
            if previous is owner:
                return
            previous.disown(reservation)
        reservation.owner = owner
        if owner is not None:
            reservation.device = owner
            owner.adopt(reservation)


def possible() -> bool:
    """True if this system can map the same pages twice."""
    return sys.platform == "linux" and hasattr(os, "memfd_create")


def _reserve_at(address: int, extent: int) -> int | None:
    start = libc().mmap(address, extent, PROT_NONE, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)
    if start == address:
        return address
    if start != FAILED:
        libc().munmap(start, extent)
    return None


def _reserve_near(hint: int, extent: int, alignment: int) -> int:
    """Reserve addresses outside of the range of `expectPtr`: at `hint`, or where the kernel chooses."""
    reserved = libc().mmap(hint, extent + alignment, PROT_NONE, ANONYMOUS, -1, 0)
    if reserved == FAILED:
        raise MemoryError(os.strerror(ctypes.get_errno()))
    start = round_up(reserved, alignment)
    if start > reserved:
        libc().munmap(reserved, start - reserved)
    if (tail := reserved + alignment - start) > 0:
        libc().munmap(start + extent, tail)
    if process.range_moved is not None and not VIRTUAL_START <= start < start + extent <= VIRTUAL_END:
        process.range_moved(start, extent)
    return start
