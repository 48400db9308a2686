"""Pinned host memory: allocated by aclrtMallocHost, or memory of the program registered by aclrtHostRegister.

Allocations are cut from a few large anonymous mappings (`chunk`), as the kernel limits the number of mappings of a
process. Each allocation has separate pages. When it is freed, the pages are returned to the system, but its addresses
stay reserved. So a stale pointer reads zeros, and neither crashes the process nor accesses newer data. The addresses of
a freed chunk are used again after all chunks took 1 TiB.
"""

import os
import sys
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from acl_runtime.errors import Past
from acl_runtime.memory.allocation import ALLOCATED, REGISTERED, Mapping, pasts
from acl_runtime.memory.chunk import CHUNK, PAGE, Chunk
from acl_runtime.memory.pieces import Pieces
from acl_runtime.memory.sizes import TIB, round_up
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Site, Trail
from acl_runtime.text import Text

CHUNK_LIMIT: Final = TIB
"""bytes of addresses that chunks may take before the longest-freed chunks are used again"""
UNIT: Final = 32
HISTORY: Final = 10_000
MAPPED: Final = Text("mapped"), Text("unmapped")
"""the verbs in texts for mapped physical memory of the host"""


class Pinned:
    """The host memory of one aclrtMallocHost, or of one aclrtHostRegister."""

    __slots__ = ("_freed", "_made", "address", "chunk", "gone", "mapping", "notes", "ordinal", "owner", "registered",
                 "shows", "size", "words")  # fmt: skip

    def __init__(
        self, address: int, size: int, ordinal: int, *, chunk: Chunk | None = None, owner: object = None
    ) -> None:
        self.address = address
        self.size = size
        self.ordinal = ordinal
        self.registered = chunk is None
        """True for registered memory of the host program"""
        self.owner = owner
        """the Python object that owns registered memory"""
        self.mapping: Mapping | None = None
        """the mapping that gives the memory a device address"""
        self.shows: Pinned | None = None
        """the physical memory of a mapping, to which the facts about the bytes belong; None if this is no mapping"""
        self.words: tuple[str, str] = REGISTERED if chunk is None else ALLOCATED
        """the verbs in texts for the begin and the end of the memory"""
        self._made = trail()
        self._freed: Trail | None = None
        self.gone = False
        """True if the memory was freed or unregistered"""
        self.chunk = chunk
        """the chunk that contains the memory"""
        self.notes: dict[object, Any] = {}
        """facts of other modules about the memory while it lives, by a key of the module"""

    @property
    def end(self) -> int:
        """The address behind the last byte."""
        return self.address + self.size

    @property
    def shift(self) -> int:
        """The distance from the host's address of a byte to the address that streams use (`Chunk.shift`)."""
        return self.chunk.shift if self.chunk is not None else 0

    @property
    def made(self) -> Site:
        """The line of the program that allocated or registered the memory."""
        return site_of(self._made)

    @property
    def freed(self) -> str:
        """The line of the program that freed or unregistered the memory; empty before that."""
        return "" if self._freed is None else site_of(self._freed)

    def mark_freed(self) -> None:
        """Record the line that frees or unregisters the memory."""
        self._freed, self.gone = trail(), True
        self.owner = None
        self.notes.clear()

    @property
    def name(self) -> str:
        """A name such as `pinned host memory 1` or `registered host memory 1`."""
        if not self.registered:
            return Text("pinned host memory {number}", number=self.ordinal)
        if self.words is MAPPED:
            return Text("mapped host memory {number}", number=self.ordinal)
        return Text("registered host memory {number}", number=self.ordinal)

    def __str__(self) -> str:
        return Text("{place} ({size} bytes)", place=self.name, size=self.size)

    def past(self) -> tuple[Past, ...]:
        """The history for a finding: the lines at which the memory began and ended."""
        return pasts(str(self), self)

    def history(self) -> str:
        """`allocated at FILE:LINE, freed at FILE:LINE`."""
        creation, freed = self.words
        return f"{creation} at {self.made}" + (f", {freed} at {self.freed}" if self.gone else "")


class PinnedMemory:
    """The pinned memory of one machine."""

    def __init__(self, *, two_addresses: bool = False) -> None:
        self._two_addresses = two_addresses
        """True if each chunk is mapped at a second address, for streams"""
        self.used = 0
        self._allocated: Pieces[Pinned] = Pieces()
        self._registered: Pieces[Pinned] = Pieces()
        self._counts = [0, 0]  # of allocations, of registrations
        self.in_use = False
        """True after memory was first allocated or registered"""
        self._dead: deque[Pinned] = deque(maxlen=HISTORY)
        self._chunks: Pieces[Chunk] = Pieces()
        self._chunk_bytes = 0
        self._current: Chunk | None = None
        self._idle: deque[Chunk] = deque()  # chunks whose allocations are all freed, the longest-freed first

    def __iter__(self) -> Iterator[Pinned]:
        """The live allocations and registrations."""
        return chain(self._allocated, self._registered)

    def allocate(self, size: int) -> Pinned:
        """Allocate `size` bytes at the start of a page; MemoryError if the host has too little left."""
        extent = round_up(round_up(size, UNIT), PAGE)
        self.check(extent)
        chunk = self._chunk_for(extent)
        pinned = Pinned(chunk.take(extent), size, self._ordinal(0), chunk=chunk)
        self._allocated.add(pinned)
        self.used += extent
        return pinned

    def check(self, extent: int) -> None:
        """MemoryError if the host has less than `extent` bytes left to pin. `used` counts the pinned bytes."""
        if self.used + extent > (most := _host_bytes()):
            raise MemoryError(f"{self.used} of its {most} bytes are pinned, {extent} more do not fit")

    def free(self, pinned: Pinned) -> None:
        """Free the bytes of an allocation; its addresses stay reserved."""
        chunk, extent = pinned.chunk, round_up(pinned.size, PAGE)
        assert chunk is not None, "registered memory is unregistered"
        self._allocated.remove(pinned)
        self.used -= extent
        chunk.give_back(pinned.address, extent)
        if not chunk.live and chunk is not self._current:
            self._idle.append(chunk)
        pinned.mark_freed()
        self._dead.append(pinned)

    def register(self, address: int, size: int, owner: object) -> Pinned:
        """Pin memory of the host program. `owner` is the Python object that owns the memory, if there is one."""
        pinned = Pinned(address, size, self._ordinal(1), owner=owner)
        self._registered.add(pinned)
        return pinned

    def map(self, address: int, memory: Pinned) -> Pinned:
        """Add a mapping of physical memory of the host to this address. `unregister` ends it."""
        pinned = self.register(address, memory.size, memory)
        pinned.words, pinned.shows = MAPPED, memory
        return pinned

    def unregister(self, pinned: Pinned) -> None:
        """End a registration."""
        self._registered.remove(pinned)
        pinned.mark_freed()
        self._dead.append(pinned)

    def at(self, address: int) -> Pinned | None:
        """The live allocation that starts at this address."""
        return self._allocated.at(address)

    def owns(self, address: int) -> bool:
        """True for an address in a chunk."""
        return any(chunk.address <= address < chunk.end for chunk in tuple(self._chunks))

    def registered_at(self, address: int) -> Pinned | None:
        """The live registration that starts at this address. Mappings of physical memory do not count."""
        pinned = self._registered.at(address)
        return pinned if pinned is not None and pinned.shows is None else None

    def registered_in(self, low: int, high: int) -> Pinned | None:
        """A live registration that overlaps [low, high)."""
        return next(iter(self._registered.touching(low, high)), None)

    def holding(self, address: int) -> Pinned | None:
        """The live allocation or registration that contains this address."""
        return self._allocated.holding(address) or self._registered.holding(address)

    def freed_at(self, address: int) -> Pinned | None:
        """The last freed allocation that contained this address."""
        if self._chunks.holding(address) is None or self.holding(address) is not None:
            return None
        return self._dead_at(address, registered=False)

    def label(self, address: int) -> str:
        """The name of an address in a trace, such as `pinned host memory 1 + 0x0`, even after the memory was freed; ""
        for an address outside of pinned memory."""
        pinned = self.holding(address)
        if pinned is None and self._dead and self._dead[-1].address <= address < self._dead[-1].end:
            pinned = self._dead[-1]
        pinned = pinned or self.freed_at(address)
        return f"{pinned.name} + {address - pinned.address:#x}" if pinned is not None else ""

    def whereabouts(self, address: int) -> str:
        """A description of a host address that is not the start of the expected memory, for an error text."""
        if (inside := self.holding(address)) is not None:
            offset = address - inside.address
            position = f"lies {offset} bytes inside" if offset else "is the start of"
            return f"the address {position} {inside}, {inside.history()}"
        if (dead := self.freed_at(address) or self._dead_at(address, registered=True)) is not None:
            return f"{dead} is gone: {dead.history()}"
        if self._chunks.holding(address) is not None:
            return "the address belongs to pinned host memory that was freed long ago"
        return f"{address:#x} is no device address and no pinned host memory"

    def close(self) -> None:
        """Return the chunks to the system, except chunks with a live allocation, which an array may view."""
        for chunk in self._chunks:
            chunk.close()
        self._allocated, self._registered, self._chunks = Pieces(), Pieces(), Pieces()
        self._idle.clear()
        self._current = None

    def _dead_at(self, address: int, *, registered: bool) -> Pinned | None:
        kind = (dead for dead in reversed(self._dead) if dead.registered == registered)
        return next((dead for dead in kind if dead.address <= address < dead.end), None)

    def _ordinal(self, kind: int) -> int:
        self._counts[kind] += 1
        self.in_use = True
        return self._counts[kind]

    def _chunk_for(self, extent: int) -> Chunk:
        """A chunk with space: the current chunk, a new chunk, or, past the limit, the longest-freed chunk."""
        if self._current is not None and self._current.available >= extent:
            return self._current
        size = max(CHUNK, extent)
        chunk = self._recycled(extent) if self._chunk_bytes + size > CHUNK_LIMIT else None
        if chunk is None:
            chunk = Chunk(size, two_addresses=self._two_addresses)
            self._chunks.add(chunk)
            self._chunk_bytes += size
        if extent < CHUNK:
            if self._current is not None and not self._current.live:
                self._idle.append(self._current)
            self._current = chunk
        return chunk

    def _recycled(self, extent: int) -> Chunk | None:
        for i, chunk in enumerate(self._idle):
            if chunk.size >= extent:
                del self._idle[i]
                chunk.used = 0
                return chunk
        return None


def _host_bytes() -> int:
    """Bytes of memory of the host, which are the most that can be pinned."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize
