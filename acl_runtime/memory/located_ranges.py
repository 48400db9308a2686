"""Finding the allocation behind a range of addresses.

Registered host memory has two addresses: the host's address and a device address. A range is located by the host
address. So two accesses to the same bytes are recognised, even if only one of them uses the host address.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from acl_runtime.memory.allocation import Allocation, Mapping
from acl_runtime.memory.layout import Layout
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ports import Memories
from acl_runtime.memory.ranges import Range
from acl_runtime.memory.reservation import Reservation


class LocatedRange(NamedTuple):
    """An allocation, and the addresses [low, high) in it that a range covers."""

    piece: Allocation | Pinned
    low: int
    high: int
    layout: Layout | None

    def meets(self, other: "LocatedRange") -> bool:
        """True if the two ranges overlap, counting all bytes from `low` to `high`."""
        return self.piece is other.piece and self.low < other.high and other.low < self.high


class CachedRanges:
    """A cache for equal launches: their located ranges, all in allocations of device memory, and the accesses of the
    last such launch. The cache saves two fifths of a tiny call (`python -m tests.benchmarks.caches`)."""

    __slots__ = ("accesses", "pieces", "places")

    def __init__(self, places: tuple[LocatedRange, ...]) -> None:
        self.places = places
        self.pieces = [cast("Allocation", place.piece) for place in places]
        self.accesses: Sequence[tuple[Allocation | Pinned, Any, Any]] = ()
        """facts of the race detector, or empty: for each range the piece of memory, all stored accesses to it, and the
        access of the last launch"""


def cached(places: Sequence[LocatedRange | None]) -> CachedRanges | None:
    """A cache for these ranges; None if one of them is not in device memory."""
    located = [place for place in places if place is not None and isinstance(place.piece, Allocation)]
    return CachedRanges(tuple(located)) if len(located) == len(places) else None


def split(memories: Memories, ranges: Sequence[Range]) -> Sequence[Range]:
    """The ranges, divided at the boundaries of mappings of virtual memory."""
    if not memories.virtual.in_use:
        return ranges
    return [piece for used in ranges for piece in _cut(memories, used)]


def _cut(memories: Memories, access: Range) -> Iterator[Range]:
    reservation = memories.virtual.holding(access.low)
    if reservation is None:
        yield access
        return
    for mapping in reservation.touching(access.low, access.high):
        yield access._replace(low=max(access.low, mapping.address), high=min(access.high, mapping.end))


def find(memories: Memories, access: Range) -> LocatedRange | None:
    """The allocation behind a range; None for plain host memory and for freed memory. Of a range of virtual memory,
    only the part in the mapping of its first byte; `split` divides a range into such parts."""
    memory = memories.memory_at(access.low)
    piece = memory.holding(access.low) if memory is not None else memories.pinned.holding(access.low)
    if piece is None:
        return None
    low, high, layout = access.low, min(access.high, piece.end), access.layout
    if isinstance(piece, Pinned) and piece.shows is not None:  # the same bytes in physical memory of the host
        shift = piece.shows.address - piece.address
        piece = piece.shows
    elif isinstance(piece, Mapping) and (there := memories.pinned.holding(piece.base)) is not None:
        shift = piece.base - piece.address  # the same bytes at the host's address
        piece = there
    elif isinstance(piece, Reservation):  # the same bytes in the physical block
        mapping = piece.mapping_at(access.low)
        piece = mapping.handle.block if mapping is not None else None
        if mapping is None or piece is None:
            return None
        high, shift = min(high, mapping.end), piece.address - mapping.address
    else:
        return LocatedRange(piece, low, high, layout)
    low, high = low + shift, high + shift
    layout = layout and Layout(layout.address + shift, layout.shape, layout.strides, layout.itemsize)
    return LocatedRange(piece, low, high, layout)
