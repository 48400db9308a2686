"""A piece of device memory: its addresses are the device's, its bytes lie in the host."""

import ctypes
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from acl_runtime.errors import Past
from acl_runtime.headers.dtypes import Array
from acl_runtime.memory import host
from acl_runtime.memory.intervals import Intervals
from acl_runtime.memory.layout import Pattern
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Site, Trail

NORMAL_PAGE: Final = 4096
KEEP: Final = (
    "Keep registered host memory until aclrtHostUnregister; register it without ACL_HOST_REG_READONLY if the device is "
    "to write it."
)
"""what to do where a device cannot use it"""


class Home(Protocol):
    """The memory of a device, as a piece of it knows it."""

    device: int
    """the number of the device"""
    fill: int | None
    """what fresh memory reads as"""

    def name(self, address: int) -> str:
        """The same in every run, unlike the number: `device 0 + 0x600`."""
        ...

    def __contains__(self, address: int) -> bool: ...


class Brought(NamedTuple):
    """Where a copy went to whose source was a numpy array, by addresses [low, high)."""

    low: int
    high: int
    dtype: str
    """numpy's name"""
    trail: Trail | str
    """where the copy was asked for"""


class Allocation:
    """Device memory from one aclrtMalloc."""

    __slots__ = ("_fill", "_freed", "accesses", "address", "all_written", "base", "brought", "buffer", "complete",
                 "device", "filled", "gone", "hollow", "page", "patterns", "plain", "real", "size", "trail", "views",
                 "wanted", "written")  # fmt: skip
    mapped = False
    """is it host memory that was registered, at an address of the device?"""
    known = True
    """are its bytes certain to be there?"""
    words = "allocated", "freed"
    """how it begins and ends"""

    def __init__(
        self,
        device: Home,
        address: int,
        size: int,
        buffer: Array,
        *,
        real: int = 0,
        page: int = NORMAL_PAGE,
        fill: int | None = None,
    ) -> None:
        self.device = device
        self.address = address
        self.size = size
        self.real = real
        """bytes of the device that it occupies"""
        self.page = page
        """bytes of each of its pages"""
        self.buffer = buffer
        self.base: int = buffer.__array_interface__["data"][0]
        self.trail = trail()
        """where it was allocated"""
        self._freed: Trail | None = None
        self.gone = False
        """was it freed?"""
        self.written = Intervals()
        """bytes that the host, or a task that was launched, writes"""
        self.all_written = False
        """does `written` hold all of them? (quick to ask)"""
        self.patterns: tuple[Pattern, ...] = ()
        """some that are known to be in `written`: a strided view has thousands of runs"""
        self.hollow: tuple[tuple[int, int, Past], ...] = ()
        """addresses [low, high) that a copy went to whose source was not written throughout, and that copy"""
        self.brought: tuple[Brought, ...] = ()
        """what no tensor has used yet of the data that `host_dtype` looks at"""
        self.wanted = 0
        """the address up to which it was told to be used, past its end: who goes as far is no news"""
        self.accesses: Any = None
        """who used them, as the search for races keeps it; None: nobody did"""
        self.filled = Intervals()
        """bytes of `buffer` that hold what a read must see: written ones, and those the fill reached"""
        self._fill = fill
        self.complete = fill is None
        """need nobody `touch` it any more?"""
        self.plain = self.complete and not self.mapped
        """may an access simply use it?"""
        self.views: dict[object, Array] = {}
        """arrays over its bytes, by who made them to use them again; they go with it"""

    @property
    def end(self) -> int:
        """The address behind the last byte."""
        return self.address + self.size

    @property
    def made(self) -> Site:
        """Where it was allocated."""
        return site_of(self.trail)

    @property
    def freed(self) -> str:
        """Where it was freed; empty while it lives."""
        return "" if self._freed is None else site_of(self._freed)

    def go(self) -> None:
        """It is freed, and its bytes with it."""
        self._freed, self.gone = trail(), True
        self.buffer = _NOTHING
        self.views = {}
        self.written = self.filled = _NONE_WRITTEN

    def touch(self, low: int, high: int) -> None:
        """Somebody is about to see bytes [low, high): put the fill where nothing was written."""
        if not self.complete:
            for start, end in self.filled.gaps(low, high):
                self.buffer[start:end] = self._fill
            self._now_filled(low, high)

    def wrote(self, low: int, high: int) -> None:
        """Bytes [low, high) are (about to be) overwritten as a whole."""
        if not self.complete:
            self._now_filled(low, high)

    def _now_filled(self, low: int, high: int) -> None:
        self.filled.add(low, high)
        self.plain = self.complete = self.filled.covers(0, self.size)

    def __str__(self) -> str:
        return f"the {self.size} bytes at {self.device.name(self.address)}"

    def past(self) -> tuple[Past, ...]:
        """For a finding: where it was allocated, and freed if it was."""
        name = f"{self.device.name(self.address)} ({self.size} bytes)"
        made, freed = self.words
        first = Past(f"{name} was {made}", self.made)
        return (first, Past(f"{name} was {freed}", self.freed)) if self.gone else (first,)

    def history(self) -> str:
        """`allocated at FILE:LINE, freed at FILE:LINE`."""
        made, freed = self.words
        return f"{made} at {self.made}" + (f", {freed} at {self.freed}" if self.gone else "")


class Mapping(Allocation):
    """Host memory at an address of the device: the host and the device see the same bytes."""

    __slots__ = ("known", "readonly")
    mapped = True
    words = "registered", "unregistered"

    def __init__(self, device: Home, address: int, size: int, start: int, *, known: bool, readonly: bool) -> None:
        buffer = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(start))
        super().__init__(device, address, size, buffer)
        self.known = known
        """False for memory given by a number: nobody keeps it, so every access asks `trouble` first"""
        self.readonly = readonly
        """may the device only read it?"""
        self.written.add(0, size)

    def trouble(self, low: int, high: int, *, write: bool) -> str:
        """Why the device could not use bytes [low, high) now; "" if it can."""
        if write and self.readonly:
            return f"{self} may only be read by the device"
        if not self.known and not host.readable(self.base + low, high - low):
            return f"{self} are gone: that host memory was freed without aclrtHostUnregister"
        return ""

    def __str__(self) -> str:
        return f"{super().__str__()} (host memory)"


_NOTHING: Final[Array] = np.empty(0, np.uint8)
_NONE_WRITTEN: Final = Intervals()
