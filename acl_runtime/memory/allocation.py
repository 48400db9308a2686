"""An allocation of device memory: an address of the device, with bytes in this process."""

import ctypes
from typing import Any, Final, Protocol

import numpy as np

from acl_runtime.errors import Past
from acl_runtime.headers.dtypes import Array
from acl_runtime.memory import host
from acl_runtime.memory.host_budget import HostBudget
from acl_runtime.memory.intervals import Intervals
from acl_runtime.memory.sizes import HUGE_PAGE
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Site, Trail
from acl_runtime.text import Text

NORMAL_PAGE: Final = 4096
OWNED: Final = "owned"
"""key of `Allocation.notes`: the memory belongs to an object, such as a loaded model, which frees it at its end"""
EXPORTED: Final = "exported"
"""key of `Allocation.notes`: other processes may have the memory (memory of aclrtMalloc: its `ExportedMemory`)"""
ALLOCATED: Final = Text("allocated"), Text("freed")
REGISTERED: Final = Text("registered"), Text("unregistered")
OPENED: Final = Text("imported"), Text("closed")
KEEP: Final = Text(
    "Keep registered host memory until aclrtHostUnregister; register it without ACL_HOST_REG_READONLY if the device is "
    "to write it."
)
"""the hint of findings about registered memory that a device cannot use"""


class MemoryPiece(Protocol):
    """A piece of memory with a begin and an end."""

    @property
    def words(self) -> tuple[str, str]:
        """The verbs in texts for the begin and the end of the memory."""
        ...

    @property
    def made(self) -> Site:
        """The line of the program at which the memory began."""
        ...

    @property
    def gone(self) -> bool:
        """True if the memory has ended."""
        ...

    @property
    def freed(self) -> str:
        """The line of the program at which the memory ended."""
        ...


def pasts(name: str, memory: MemoryPiece, after: str = "") -> tuple[Past, ...]:
    """The history of memory for a finding: the line at which it began, and the line at which it ended, if it has.
    `after`: the name of the memory in the second line, if it differs from `name`."""
    creation, freed = memory.words
    first = Past(Text("{thing} was {how}", thing=name, how=creation), memory.made)
    if not memory.gone:
        return (first,)
    return first, Past(Text("{thing} was {how}", thing=after or name, how=freed), memory.freed)


class Owner(Protocol):
    """The attributes of the memory of a device that allocations use."""

    device: int
    """the number of the device"""
    fill: int | None
    """the fill value of fresh memory; None means zeros"""

    budget: HostBudget | None
    """the limit of the host memory that fresh memory may take; None means no limit"""

    def name(self, address: int) -> str:
        """A name such as `device 0 + 0x600`, which is the same in every run, unlike the address."""
        ...

    def __contains__(self, address: int) -> bool: ...


class Allocation:
    """Device memory from one aclrtMalloc."""

    __slots__ = ("_fill", "_freed", "address", "base", "buffer", "complete", "device", "filled", "gone", "notes",
                 "page", "plain", "real", "size", "trail", "views")  # fmt: skip
    mapped = False
    """True for registered host memory that has a device address (a `Mapping`)"""
    shared: bool = False
    """True if the bytes may be written without a call: mapped and managed memory, memory of several processes"""
    virtual = False
    """True for reserved virtual memory, of which only the mapped parts have bytes (a `Reservation`)"""
    imported = False
    """True for memory of another process (`shared.interprocess.Imported`)"""
    label = ""
    """the name of memory whose name does not contain its address"""
    kept_alive = True
    """True if the program cannot free the bytes, so that they can be accessed without a check"""
    words: tuple[Text, Text] = ALLOCATED
    """the verbs in texts for the begin and the end of the memory"""

    def __init__(
        self,
        device: Owner,
        address: int,
        size: int,
        buffer: Array,
        *,
        real: int = 0,
        page: int = NORMAL_PAGE,
        fresh: bool = False,
    ) -> None:
        """`fresh`: True if the bytes take no host memory until the first access, which writes the fill value."""
        self.device = device
        self.address = address
        self.size = size
        self.real = real
        """bytes of the device that the allocation takes"""
        self.page = page
        """bytes of a page"""
        self.buffer = buffer
        self.base: int = buffer.__array_interface__["data"][0]
        self.trail = trail()
        """the call that made the allocation"""
        self._freed: Trail | None = None
        self.gone = False
        """True once it was freed"""
        self.notes: dict[object, Any] = {}
        """entries of the checks' tables about the memory, by table, until the memory is freed"""
        self.filled = Intervals()
        """bytes of `buffer` with valid values: they were written, or filled with the fill value"""
        self._fill = device.fill if fresh else None
        self.complete = not fresh
        """True if all bytes are in `filled`, so that `touch` does nothing"""
        self.plain = self.complete and not self.mapped
        """True if an access may use `buffer` without any further step"""
        self.views: dict[object, Array] = {}
        """Cache of arrays over `buffer`, by a key of the code that made them; freed with the allocation. A cached trace
        is valid while the array is the same object. The cache saves three quarters of a call on a million elements
        (`python -m tests.benchmarks.caches`)."""

    @property
    def end(self) -> int:
        """The address after the last byte."""
        return self.address + self.size

    @property
    def written_by_others(self) -> bool:
        """True if other processes may write the bytes."""
        return self.imported or EXPORTED in self.notes

    @property
    def allocated(self) -> bool:
        """True if it is from aclrtMalloc or a pool."""
        return not (self.mapped or self.virtual or self.imported)

    @property
    def made(self) -> Site:
        """The line of the program that made the allocation."""
        return site_of(self.trail)

    @property
    def freed(self) -> str:
        """The line of the program that freed the allocation; empty before that."""
        return "" if self._freed is None else site_of(self._freed)

    def mark_freed(self) -> None:
        """Drop the bytes, and record the line that frees the allocation."""
        self._freed, self.gone = trail(), True
        self.buffer = _NOTHING
        self.views = {}
        self.notes.clear()
        self.filled = _NONE_FILLED

    def move(self, buffer: Array) -> None:
        """Continue with the same bytes in another place."""
        self.buffer, self.base, self.views = buffer, buffer.__array_interface__["data"][0], {}

    def admit(self, low: int, high: int) -> None:
        """Prepare bytes [low, high) for a write. NoHostMemory if the host has too little memory."""
        if not self.complete and self.device.budget is not None:
            fresh = sum(end - start for start, end in self.filled.gaps(low, high))
            if fresh:
                self.device.budget.touching(fresh, HUGE_PAGE if self.size >= HUGE_PAGE else 0)

    def touch(self, low: int, high: int) -> None:
        """Prepare bytes [low, high) for a read: write the fill value to those bytes that were never written."""
        if not (self.complete or self.filled.covers(low, high)):
            self.admit(low, high)
            if self._fill is not None:
                for start, end in self.filled.gaps(low, high):
                    self.buffer[start:end] = self._fill
            self._now_filled(low, high)

    def wrote(self, low: int, high: int) -> None:
        """Record that all bytes of [low, high) are written, and need no fill value. Call `admit` first."""
        if not (self.complete or self.filled.covers(low, high)):
            self._now_filled(low, high)

    def _now_filled(self, low: int, high: int) -> None:
        self.filled.add(low, high)
        self.plain = self.complete = self.filled.covers(0, self.size)

    def __str__(self) -> str:
        return Text("the {size} bytes at {place}", size=self.size, place=self.device.name(self.address))

    def past(self) -> tuple[Past, ...]:
        """The history for a finding: the lines that allocated and freed the memory."""
        return pasts(Text("{place} ({size} bytes)", place=self.device.name(self.address), size=self.size), self)

    def history(self) -> str:
        """`allocated at FILE:LINE, freed at FILE:LINE`."""
        creation, freed = self.words
        return f"{creation} at {self.made}" + (f", {freed} at {self.freed}" if self.gone else "")


class Mapping(Allocation):
    """Registered host memory at a device address: host and device see the same bytes."""

    __slots__ = ("kept_alive", "readonly")
    mapped = shared = True
    words = REGISTERED

    def __init__(self, device: Owner, address: int, size: int, start: int, *, kept_alive: bool, readonly: bool) -> None:
        buffer = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(start))
        super().__init__(device, address, size, buffer)
        self.kept_alive = kept_alive
        """False if the program passed only a number: then every access first calls `trouble`"""
        self.readonly = readonly
        """True if the device may not write the memory"""

    def trouble(self, low: int, high: int, *, write: bool) -> str:
        """The reason why the device cannot access bytes [low, high); "" if it can."""
        if write and self.readonly:
            return Text("{mapped} may only be read by the device", mapped=self)
        if not self.kept_alive and not host.readable(self.base + low, high - low):
            return Text("{mapped} are gone: that host memory was freed without aclrtHostUnregister", mapped=self)
        return ""

    def __str__(self) -> str:
        place = self.device.name(self.address)
        return Text("the {size} bytes at {place} (host memory)", size=self.size, place=place)


_NOTHING: Final[Array] = np.empty(0, np.uint8)
_NONE_FILLED: Final = Intervals()
