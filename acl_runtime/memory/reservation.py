"""A reservation of virtual memory, and its mappings: the bytes that exist, and the access rights of the device."""

import ctypes
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, cast

import numpy as np

from acl_runtime.errors import Past
from acl_runtime.memory.allocation import Allocation, Owner, pasts
from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.physical import PhysicalHandle
from acl_runtime.memory.pinned import Pinned
from acl_runtime.source.frames import site_of, trail
from acl_runtime.text import Text

READ_WRITE: Final = 3
"""the access of a mapping that the device may read and write"""


class VirtualMapping:
    """A range of a reservation to which a physical handle is mapped."""

    __slots__ = ("access", "address", "ended", "handle", "pinned", "reservation", "size", "trail")

    def __init__(self, reservation: "Reservation", address: int, handle: PhysicalHandle, access: int) -> None:
        self.reservation = reservation
        self.address = address
        self.size = handle.size
        self.handle = handle
        self.access = access
        """the rights of the device: 0, 1 (read), 3 (read and write)"""
        self.ended = False
        self.pinned: Pinned | None = None
        """the mapped range as pinned memory, if the physical memory is of the host"""
        self.trail = trail()

    @property
    def end(self) -> int:
        """The address behind the last byte."""
        return self.address + self.size

    def __str__(self) -> str:
        return Text("the {size} bytes at {place}", size=self.size, place=self.reservation.name(self.address))

    def past(self) -> tuple[Past, ...]:
        """The history for a finding."""
        name = Text("{place} ({size} bytes)", place=self.reservation.name(self.address), size=self.size)
        verb = Text("mapped to {handle}", handle=self.handle)
        return (Past(Text("{thing} was {how}", thing=name, how=verb), site_of(self.trail)),)


class Reservation(Allocation):
    """Reserved addresses: an allocation whose bytes exist only where physical memory is mapped."""

    __slots__ = ("_mappings", "_starts", "extent", "label", "owner", "shadow")
    virtual = True
    words = Text("reserved"), Text("released")

    def __init__(
        self, owner: DeviceMemory | None, address: int, size: int, extent: int, shadow: int, ordinal: int
    ) -> None:
        self.label = Text("virtual memory {number}", number=ordinal)
        self.owner = owner
        """the device whose memory is mapped here, before the first mapping any device; None for memory of the host"""
        self.extent = extent
        self.shadow = shadow
        """the address of the bytes in this process"""
        self._mappings: list[VirtualMapping] = []
        self._starts: list[int] = []
        buffer = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(shadow))
        super().__init__(cast("Owner", owner), address, size, buffer)
        self.plain = False

    @property
    def mappings(self) -> Sequence[VirtualMapping]:
        """The mappings, in the order of their addresses."""
        return self._mappings

    def name(self, address: int) -> str:
        """`virtual memory 1 + 0x200000`."""
        return f"{self.label} + {address - self.address:#x}"

    def __str__(self) -> str:
        return Text("the {size} bytes of {memory}", size=self.size, memory=self.label)

    def past(self) -> tuple[Past, ...]:
        return pasts(Text("{place} ({size} bytes)", place=self.label, size=self.size), self, self.label)

    def add(self, mapping: VirtualMapping) -> None:
        """Add a mapping, which overlaps no other mapping."""
        index = bisect_right(self._starts, mapping.address)
        self._starts.insert(index, mapping.address)
        self._mappings.insert(index, mapping)

    def remove(self, mapping: VirtualMapping) -> None:
        """Remove a mapping."""
        index = bisect_right(self._starts, mapping.address) - 1
        del self._starts[index], self._mappings[index]

    def touching(self, low: int, high: int) -> Iterator[VirtualMapping]:
        """The mappings that share a byte with the addresses [low, high), in order."""
        index = max(bisect_right(self._starts, low) - 1, 0)
        while index < len(self._mappings) and self._mappings[index].address < high:
            if self._mappings[index].end > low:
                yield self._mappings[index]
            index += 1

    def mapping_at(self, address: int) -> VirtualMapping | None:
        """The mapping that contains this address."""
        return next(self.touching(address, address + 1), None)

    def hole(self, low: int, high: int, *, write: bool) -> tuple[int, str] | None:
        """The first address in [low, high) that the device cannot access, and the reason; None if it can access all."""
        for mapping in self.touching(low, high):
            if mapping.address > low:
                break
            if mapping.handle.block is not None and mapping.handle.block.gone:
                return low, Text("its physical memory went with the reset of its device")
            if mapping.access < (READ_WRITE if write else 1):
                reads = Text("the device may only read it (aclrtMemSetAccess)")
                return low, reads if mapping.access else Text("the device may not access it (aclrtMemSetAccess)")
            low = mapping.end
        return (low, Text("nothing is mapped there")) if low < high else None

    def admit(self, low: int, high: int) -> None:
        for mapping in self.touching(self.address + low, self.address + high):
            if (block := mapping.handle.block) is not None and not block.complete and not block.gone:
                start = mapping.address - self.address
                block.admit(max(low - start, 0), min(high - start, block.size))

    def why_not(self, address: int) -> str:
        """A sentence with the reason why host code cannot access an address of the reservation."""
        place = self.name(address)
        if self.gone:
            return Text("{place} was released.", place=place)
        mapping = self.mapping_at(address)
        if mapping is None:
            return Text("Nothing is mapped to {place}.", place=place)
        if mapping.pinned is None:
            return Text("{place} is memory of a device: the host can access it only with aclrtMemcpy.", place=place)
        return Text("{place} may not be accessed so (aclrtMemSetAccess).", place=place)

    def touch(self, low: int, high: int) -> None:
        for mapping in self.touching(self.address + low, self.address + high):
            if (block := mapping.handle.block) is not None and not block.complete and not block.gone:
                start = mapping.address - self.address
                block.touch(max(low - start, 0), min(high - start, block.size))

    def wrote(self, low: int, high: int) -> None:
        for mapping in self.touching(self.address + low, self.address + high):
            if (block := mapping.handle.block) is not None and not block.complete and not block.gone:
                start = mapping.address - self.address
                block.wrote(max(low - start, 0), min(high - start, block.size))
