"""The memory of one device: allocating addresses of a window, and finding the allocation at an address.

An allocation of n bytes takes `roundup(n, 32) + 32` bytes of the device. It starts at a multiple of 512. A gap of
addresses follows it, so an access a little past its end hits no other allocation. The docstring of the package explains
windows and the fill value.
"""

import mmap
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.allocation import EXPORTED, NORMAL_PAGE, Allocation, Mapping
from acl_runtime.memory.freed import Freed
from acl_runtime.memory.host_budget import HostBudget
from acl_runtime.memory.managed import Managed
from acl_runtime.memory.physical import PhysicalBlock, PhysicalStore
from acl_runtime.memory.pieces import Pieces
from acl_runtime.memory.sizes import HUGE_PAGE, MIB, TIB, round_up
from acl_runtime.objects.address_range import (
    DEVICE_START,
    EXPECTED_START,
    MAP_NORESERVE,
    VIRTUAL_END,
    VIRTUAL_START,
    Window,
    hints,
)
from acl_runtime.text import Text

AnyAllocation = TypeVar("AnyAllocation", bound=Allocation)
ALIGN: Final = 512
GAP: Final = 512
TAIL: Final = 32
HUGE_SHARE: Final = 15, 16
"""our choice: the part of a device's memory that aclrtGetMemInfo counts as huge pages"""
HISTORY: Final = 10_000
FIRST: Final = 0x1000_0000
"""the lower half of the first address: it is not 0, so that an address cut to 32 bits is no null pointer"""
FOREIGN: Final = Text("device memory of another machine, or of one that is gone")
MAPPED: Final = MIB
"""an allocation of at least this size has a separate mapping, which takes no memory until it is accessed"""


def looks_like_device_address(address: int) -> bool:
    """True for an address in the ranges that the machines of this process use for device memory and virtual memory."""
    return EXPECTED_START <= address < VIRTUAL_END


class DeviceMemory:
    """The memory of one device."""

    def __init__(self, device: int, capacity: int, fill: int | None, *, window: bool, turn: int = 0) -> None:
        self.device = device
        self._turn = turn
        self.capacity = capacity
        self.used = 0
        self.peak = 0
        """the greatest value that `used` has had"""
        self._used_huge = 0
        self.changed: Callable[[], None] | None = None
        """called after each change of `used`"""
        self.fill = fill
        self._reserve = window
        self._window: Window | None = None
        self._next = 0
        self._live: Pieces[Allocation] = Pieces()
        self._physical: Pieces[PhysicalBlock] = Pieces()
        """physical memory; its addresses are internal, so no call uses them"""
        self.holding = self._live.holding
        """the live allocation that contains an address; a bound method, as every launch calls it"""
        self.budget: HostBudget | None = None
        """the limit of the host memory that all devices may take"""
        self._free = Freed()
        self._dead: deque[Allocation] = deque(maxlen=HISTORY)

    @property
    def left(self) -> int:
        """Free bytes of the device."""
        return max(self.capacity - self.used, 0)

    @property
    def resident(self) -> int:
        """Bytes of host memory that the allocations take."""
        return sum(piece.size if piece.complete else sum(high - low for low, high in piece.filled) for piece in self)

    def __contains__(self, address: int) -> bool:
        return self._window is not None and address in self._window

    def __iter__(self) -> Iterator[Allocation]:
        """The allocations that take memory of the device, without mapped host memory and reservations."""
        yield from (allocation for allocation in self._live if not allocation.mapped and not allocation.virtual)
        yield from self._physical

    def name(self, address: int) -> str:
        """A name such as `device 0 + 0x600` or `virtual memory 1 + 0x0`, which is the same in every run, unlike the
        address."""
        if (piece := self.holding(address) or self._physical.holding(address)) is not None and piece.label:
            return f"{piece.label} + {address - piece.address:#x}"
        start = self._window.start if self._window is not None else 0
        return f"device {self.device} + {address - start:#x}"

    def allocate(self, size: int, real: int, page: int = NORMAL_PAGE) -> Allocation | None:
        """Allocate `size` bytes, which take `real` bytes of the device in pages of `page` bytes; None if too few are
        free."""
        if self.used + real > self.capacity:
            return None
        if self.budget is not None:
            self.budget.allocating(size)
        address = self._address(_extent(real))
        if address is None:
            return None
        buffer = _bytes(size, zero=self.fill is None)
        allocation = Allocation(self, address, size, buffer, real=real, page=page, fresh=True)
        self._live.add(allocation)
        self._occupy(allocation, real)
        self.peak = max(self.peak, self.used)
        return allocation

    def allocate_physical(self, size: int, real: int, page: int, store: PhysicalStore) -> PhysicalBlock | None:
        """Allocate physical memory, whose address programs never get; None if the device has too little left."""
        if self.used + real > self.capacity or (address := self._address(_extent(real))) is None:
            return None
        if self.budget is not None:
            self.budget.allocating(size)
        offset = store.take(real)
        block = PhysicalBlock(self, address, size, store.array(offset, size), offset=offset, real=real, page=page)
        self._physical.add(block)
        self._occupy(block, real)
        self.peak = max(self.peak, self.used)
        return block

    def import_physical(self, size: int, page: int, store: PhysicalStore, offset: int) -> PhysicalBlock | None:
        """A block for physical memory of another process, which takes none of this device's; None if all addresses are
        used. Its bytes count as written."""
        address = self._address(_extent(size))
        if address is None:
            return None
        block = PhysicalBlock(self, address, size, store.array(offset, size), offset=offset, real=0, page=page)
        block.wrote(0, size)
        block.notes[EXPORTED] = None
        self._physical.add(block)
        return block

    def adopt(self, reservation: Allocation) -> None:
        """Add a reservation of virtual memory to this device."""
        self._live.add(reservation)

    def disown(self, reservation: Allocation) -> None:
        """Remove a reservation of virtual memory from this device; store it for error texts if it was released."""
        self._live.remove(reservation)
        if reservation.gone:
            self._dead.append(reservation)

    def map(self, start: int, size: int, *, kept_alive: bool, readonly: bool = False) -> Mapping | None:
        """Give host memory an address of the device, without taking memory of the device. None if all addresses are
        used. `kept_alive`: see `Mapping`."""
        make = partial(Mapping, self, size=size, start=start, kept_alive=kept_alive, readonly=readonly)
        return self.place(size, make)

    def place(self, size: int, make: Callable[[int], AnyAllocation]) -> AnyAllocation | None:
        """Give bytes from elsewhere an address of the device, without taking memory of the device. None if all
        addresses are used. `make` makes the allocation at an address."""
        address = self._address(_extent(size))
        if address is None:
            return None
        piece = make(address)
        self._live.add(piece)
        return piece

    def manage(self, size: int) -> Managed | None:
        """Allocate memory that the host uses by the same address, without taking memory of the device; None if all
        addresses are used, or if the system has not reserved them. MemoryError if it refuses."""
        if not self.window().reserved:
            return None
        address = self._address(_extent(size + HUGE_PAGE))
        if address is None:
            return None
        managed = Managed(self, round_up(address, HUGE_PAGE), size)
        self._live.add(managed)
        return managed

    def free(self, allocation: Allocation) -> None:
        """Free an allocation, or end a mapping. The address is used again only when all other addresses are used up."""
        if isinstance(allocation, PhysicalBlock):
            self._physical.remove(allocation)
        else:
            self._live.remove(allocation)
        self._occupy(allocation, -allocation.real)
        if isinstance(allocation, Managed):
            allocation.give_back()
        elif type(allocation) is Allocation:
            _return_pages(allocation.buffer)
        allocation.mark_freed()
        address, extent = allocation.address, _extent(max(allocation.real, allocation.size))
        self._free.add(address, extent)
        self._dead.append(allocation)

    def reserve(self, size: int) -> int:
        """Take bytes that have no address for programs, as far as there are any left; a negative size returns them.
        Returns the bytes."""
        taken = min(size, self.left)
        self.used += taken
        self.peak = max(self.peak, self.used)
        if taken and self.changed is not None:
            self.changed()
        return taken

    def _occupy(self, allocation: Allocation, real: int) -> None:
        self.used += real
        if allocation.page > NORMAL_PAGE:
            self._used_huge += real
        if real and self.changed is not None:
            self.changed()

    def pages(self, *, huge: bool) -> tuple[int, int]:
        """Free and total bytes in huge pages, or in normal pages. If all pages of one size are used, an allocation
        takes pages of the other size; it fails only if the whole device is full."""
        part, whole = HUGE_SHARE
        total = self.capacity * part // whole // HUGE_PAGE * HUGE_PAGE
        rest = self.capacity - total
        used, used_rest = self._used_huge, self.used - self._used_huge
        if not huge:
            total, rest, used, used_rest = rest, total, used_rest, used
        return max(total - used - max(used_rest - rest, 0), 0), total

    def at(self, address: int) -> Allocation | None:
        """The live allocation that starts at this address."""
        return self._live.at(address)

    def touching(self, low: int, high: int) -> list[Allocation]:
        """The live allocations that share a byte with [low, high)."""
        return self._live.touching(low, high)

    def freed_at(self, address: int) -> Allocation | None:
        """The last freed allocation that contained this address; only the last 10,000 are stored."""
        return next((dead for dead in reversed(self._dead) if dead.address <= address < dead.end), None)

    def describe(self, address: int) -> tuple[str, Allocation | None]:
        """A description of an address that is not the start of a live allocation: a text for a finding, and the
        allocation that the text names."""
        name = self.name(address)
        if (inside := self.holding(address)) is not None:
            count = address - inside.address
            return Text("{place} lies {count} bytes inside {memory}", place=name, count=count, memory=inside), inside
        if (dead := self.freed_at(address)) is not None:
            count, ended = address - dead.address, dead.words[1]
            if not count:
                return Text("{memory} were {ended}", memory=dead, ended=ended), dead
            return Text(
                "{place} lies {count} bytes inside {memory}, which were {ended}", place=name, count=count, memory=dead,
                ended=ended,
            ), dead  # fmt: skip
        if any(start <= address < start + size for start, size in self._free):
            return Text("{place} belongs to memory that was freed long ago", place=name), None
        if (near := self._live.before(address)) is not None:
            count = address - near.end
            text = Text("{place} lies {count} bytes past the end of {memory}", place=name, count=count, memory=near)
            return text, near
        return Text("{place} was never allocated", place=name), None

    def whereabouts(self, address: int) -> str:
        """The description of an address for an error text, with the history of the allocation."""
        text, piece = self.describe(address)
        return f"{text}: {piece.history()}" if piece is not None else text

    def close(self) -> None:
        """Return the reserved addresses."""
        if self._window is not None:
            self._window.close()

    def window(self) -> Window:
        """The addresses of the device."""
        if self._window is None:
            size = TIB
            while size < 4 * self.capacity:
                size *= 2
            count = max((VIRTUAL_START - DEVICE_START - FIRST) // size, 1)
            places = hints(DEVICE_START + FIRST, size, count, self._turn, self.device)
            self._window = Window(size, places, reserve=self._reserve)
            self._next = round_up(self._window.start, ALIGN)
        return self._window

    def _address(self, extent: int) -> int | None:
        window = self.window()
        if self._next + extent <= window.start + window.size:
            address, self._next = self._next, self._next + extent
            return address
        return self._free.take(extent)  # no unused address is left: "the longest-freed addresses come back"


def _extent(size: int) -> int:
    """The number of addresses that an allocation takes, including the gap."""
    return round_up(size + GAP, ALIGN)


def _bytes(size: int, *, zero: bool) -> Array:
    """A buffer of `size` bytes, aligned to 64; MemoryError if the host has too little memory."""
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


def _return_pages(buffer: Array) -> None:
    """Return the memory of a buffer to the host at once, although cached launches have arrays over the buffer."""
    base: Any = buffer.base
    mapping = base.obj if isinstance(base, memoryview) else None
    if isinstance(mapping, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)


class DeviceMemories:
    """The memory of all devices of a machine."""

    def __init__(self, memories: Sequence[DeviceMemory]) -> None:
        self._memories = memories
        self.elsewhere: Callable[[int], DeviceMemory | None] | None = None
        """finds the device of an address that lies in no window; set at the first reservation of virtual memory"""
        self.used: tuple[int, ...] = ()
        """bytes in use, by device"""
        self._measure()
        for memory in memories:
            memory.changed = self._measure

    def at(self, address: int) -> DeviceMemory | None:
        """The device memory whose window contains this address; None for an address of the host."""
        for memory in self._memories:
            if address in memory:
                return memory
        return self.elsewhere(address) if self.elsewhere is not None else None

    def allocations(self) -> Iterator[Allocation]:
        """The live allocations of all devices."""
        return (allocation for memory in self._memories for allocation in memory)

    def _measure(self) -> None:
        self.used = tuple([memory.used for memory in self._memories])
