"""Device memory: addresses from a window, bytes elsewhere, a fill for what was never written.

An allocation of n bytes occupies `roundup(n, 32) + 32` bytes at a multiple of 512 with a guard gap behind it. Fresh
memory reads as `fill`, but no page is touched before somebody needs it: written ranges are kept as intervals, and
the fill is put into the gaps when a read or a view first meets them.
"""

import mmap
from bisect import bisect_right, insort
from collections import deque
from collections.abc import Iterator
from typing import Final

import numpy as np

from acl_runtime.dtypes import Array
from acl_runtime.machine.intervals import Intervals
from acl_runtime.machine.site import here
from acl_runtime.machine.window import MAP_NORESERVE, PLAIN, Window

ALIGN: Final = 512
GAP: Final = 512
TAIL: Final = 32
MIB: Final = 1 << 20
TIB: Final = 1 << 40
HISTORY: Final = 10_000
PLACES: Final = 64
"""machines of one process take their addresses from so many ranges in turn"""
MAPPED: Final = MIB
"""from this size on, bytes come from a mapping of their own, which costs nothing until touched"""


def round_up(n: int, unit: int) -> int:
    """The least multiple of `unit` that is not below `n`."""
    return -(-n // unit) * unit


class Allocation:
    """Device memory from one aclrtMalloc."""

    __slots__ = ("_complete", "_fill", "address", "base", "buffer", "device", "filled", "freed", "made", "real", "size",
                 "written")  # fmt: skip

    def __init__(self, device: "DeviceMemory", address: int, size: int, real: int, fill: int | None) -> None:
        self.device = device
        self.address = address
        self.size = size
        self.real = real
        self.buffer = _bytes(size, zero=fill is None)
        self.base: int = self.buffer.__array_interface__["data"][0]
        self.made = here()
        self.freed = ""
        self.written = Intervals()
        """bytes that the host or a task wrote"""
        self.filled = Intervals()
        """bytes of `buffer` that hold what a read must see: written ones, and those the fill reached"""
        self._fill = fill
        self._complete = fill is None

    @property
    def end(self) -> int:
        """The address behind the last byte."""
        return self.address + self.size

    def touch(self, low: int, high: int) -> None:
        """Somebody is about to see bytes [low, high): put the fill where nothing was written."""
        if not self._complete:
            for start, end in self.filled.gaps(low, high):
                self.buffer[start:end] = self._fill
            self._now_filled(low, high)

    def wrote(self, low: int, high: int) -> None:
        """Bytes [low, high) are (about to be) overwritten as a whole."""
        self.written.add(low, high)
        if not self._complete:
            self._now_filled(low, high)

    def _now_filled(self, low: int, high: int) -> None:
        self.filled.add(low, high)
        self._complete = self.filled.covers(0, self.size)

    def __str__(self) -> str:
        return f"the {self.size} bytes at {self.device.name(self.address)}"

    def history(self) -> str:
        """`allocated at FILE:LINE, freed at FILE:LINE`."""
        return f"allocated at {self.made}" + (f", freed at {self.freed}" if self.freed else "")


class DeviceMemory:
    """The memory of one device."""

    def __init__(self, device: int, capacity: int, fill: int | None, *, window: bool, turn: int = 0) -> None:
        self.device = device
        self._turn = turn % PLACES
        self.capacity = capacity
        self.used = 0
        self.fill = fill
        self._reserve = window
        self._window: Window | None = None
        self._next = 0
        self._starts: list[int] = []
        self._live: dict[int, Allocation] = {}
        self._free: deque[tuple[int, int]] = deque()  # (address, extent), the longest freed first
        self._dead: deque[Allocation] = deque(maxlen=HISTORY)

    def __contains__(self, address: int) -> bool:
        return self._window is not None and address in self._window

    def __iter__(self) -> Iterator[Allocation]:
        return iter(self._live.values())

    def name(self, address: int) -> str:
        """`device 0 + 0x600`: the same in every run, unlike the number."""
        start = self._window.start if self._window is not None else 0
        return f"device {self.device} + {address - start:#x}"

    def allocate(self, size: int, real: int) -> Allocation | None:
        """`size` bytes that occupy `real`; None if the device has not that much left."""
        if self.used + real > self.capacity:
            return None
        address = self._address(round_up(real + GAP, ALIGN))
        if address is None:
            return None
        allocation = Allocation(self, address, size, real, self.fill)
        self._live[address] = allocation
        insort(self._starts, address)
        self.used += real
        return allocation

    def free(self, allocation: Allocation) -> None:
        """Give an allocation back; its address is not used again while others are left."""
        del self._live[allocation.address]
        self._starts.pop(bisect_right(self._starts, allocation.address) - 1)
        self.used -= allocation.real
        allocation.freed = here()
        allocation.buffer = _NOTHING
        allocation.written = allocation.filled = _NONE_WRITTEN
        self._free.append((allocation.address, round_up(allocation.real + GAP, ALIGN)))
        self._dead.append(allocation)

    def at(self, address: int) -> Allocation | None:
        """The live allocation that starts at this address."""
        return self._live.get(address)

    def holding(self, address: int) -> Allocation | None:
        """The live allocation that this address lies in."""
        found = self._live.get(address)
        if found is None:
            i = bisect_right(self._starts, address) - 1
            if i >= 0:
                found = self._live[self._starts[i]]
                if address >= found.end:
                    return None
        return found

    def touching(self, low: int, high: int) -> list[Allocation]:
        """The live allocations that share a byte with [low, high)."""
        i = max(bisect_right(self._starts, low) - 1, 0)
        found: list[Allocation] = []
        for start in self._starts[i : bisect_right(self._starts, high)]:
            allocation = self._live[start]
            if start < high and allocation.end > low:
                found.append(allocation)
        return found

    def once(self, address: int) -> Allocation | None:
        """The last dead allocation that this address lay in."""
        return next((dead for dead in reversed(self._dead) if dead.address <= address < dead.end), None)

    def whereabouts(self, address: int) -> str:
        """What an error text tells about an address of this device that is no start of a live allocation."""
        name = self.name(address)
        if (inside := self.holding(address)) is not None:
            return f"{name} lies {address - inside.address} bytes inside {inside}, {inside.history()}"
        if (dead := self.once(address)) is not None:
            return f"{name} belongs to no live memory: {dead} were {dead.history()}"
        if any(start <= address < start + room for start, room in self._free):
            return f"{name} belongs to memory that was freed long ago"
        before = bisect_right(self._starts, address) - 1
        if before >= 0:
            near = self._live[self._starts[before]]
            return f"{name} lies {address - near.end} bytes past the end of {near}, {near.history()}"
        return f"{name} was never allocated"

    def close(self) -> None:
        """Return the reserved addresses."""
        if self._window is not None:
            self._window.close()

    def _address(self, extent: int) -> int | None:
        if self._window is None:
            size = TIB
            while size < 4 * self.capacity:
                size *= 2
            hint = PLAIN + (self._turn + self.device) * size
            self._window = Window(size, hint, reserve=self._reserve)
            self._next = round_up(self._window.start, ALIGN)
        if self._next + extent <= self._window.start + self._window.size:
            address, self._next = self._next, self._next + extent
            return address
        return self._recycled(extent)

    def _recycled(self, extent: int) -> int | None:
        """The window is used up: the longest-freed addresses come back."""
        for attempt in ("as freed", "merged"):
            for i, (address, room) in enumerate(self._free):
                if room >= extent:
                    del self._free[i]
                    if room > extent:
                        self._free.append((address + extent, room - extent))
                    return address
            if attempt == "as freed":
                self._merge()
        return None

    def _merge(self) -> None:
        merged: list[tuple[int, int]] = []
        for address, room in sorted(self._free):
            if merged and sum(merged[-1]) == address:
                merged[-1] = (merged[-1][0], merged[-1][1] + room)
            else:
                merged.append((address, room))
        self._free = deque(merged)


def _bytes(size: int, *, zero: bool) -> Array:
    """`size` bytes of the host, 64-byte aligned; MemoryError if it has not that many."""
    if size < MAPPED or not hasattr(mmap, "MAP_ANONYMOUS"):
        raw = np.zeros(size + 64, np.uint8) if zero else np.empty(size + 64, np.uint8)
        skip = -raw.__array_interface__["data"][0] % 64
        return raw[skip : skip + size]
    try:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        mapping = mmap.mmap(-1, size, flags=flags)
    except OSError as error:
        raise MemoryError(str(error)) from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        mapping.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(mapping, np.uint8)


_NOTHING: Final = np.empty(0, np.uint8)
_NONE_WRITTEN: Final = Intervals()
