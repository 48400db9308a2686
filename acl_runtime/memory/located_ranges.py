"""Finds the allocation behind a range of addresses.

Registered host memory has two addresses: that of the host and one of the device. A range is located by the
host address. So two accesses to the same bytes are recognised, even if one uses the host address and the other the
device address.
"""

from typing import Any, NamedTuple

from acl_runtime.memory.allocation import Allocation, Mapping
from acl_runtime.memory.layout import Layout
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ports import Memories
from acl_runtime.memory.ranges import Range


class LocatedRange(NamedTuple):
    """An allocation, and the addresses [low, high) of it that a range covers."""

    piece: Allocation | Pinned
    low: int
    high: int
    layout: Layout | None

    def meets(self, other: "LocatedRange") -> bool:
        """Do the two overlap, if all bytes from `low` to `high` count?"""
        return self.piece is other.piece and self.low < other.high and other.low < self.high


class CachedRanges:
    """A cache for launches that are alike: their located ranges, and the accesses of the last such launch."""

    __slots__ = ("accesses", "pieces", "places")

    def __init__(self, places: tuple[LocatedRange, ...]) -> None:
        self.places = places
        self.pieces = [place.piece for place in places]
        self.accesses: list[Any] = []
        """what the race detector keeps: one for each piece, or empty"""


def find(memories: Memories, used: Range) -> LocatedRange | None:
    """The allocation behind a range; None for plain host memory, and for memory that is freed."""
    memory = memories.memory_at(used.low)
    piece = memory.holding(used.low) if memory is not None else memories.pinned.holding(used.low)
    if piece is None:
        return None
    low, high, layout = used.low, min(used.high, piece.end), used.layout
    if isinstance(piece, Mapping):  # the same bytes at the host's address
        shift = piece.base - piece.address
        piece = memories.pinned.holding(piece.base)
        if piece is None:
            return None
        low, high = low + shift, high + shift
        layout = layout and Layout(layout.address + shift, layout.shape, layout.strides, layout.itemsize)
    return LocatedRange(piece, low, high, layout)
