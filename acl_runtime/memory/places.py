"""Which piece of memory a range lies in, whichever of its addresses the range names."""

from typing import Any, NamedTuple

from acl_runtime.memory.allocation import Allocation, Mapping
from acl_runtime.memory.layout import Layout
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ports import Memories
from acl_runtime.memory.ranges import Range


class Place(NamedTuple):
    """The memory behind a range, and the bytes of it by that memory's own addresses."""

    piece: Allocation | Pinned
    low: int
    high: int
    layout: Layout | None

    def meets(self, other: "Place") -> bool:
        """Do they share a byte, at least from the first to the last?"""
        return self.piece is other.piece and self.low < other.high and other.low < self.high


class Known:
    """Where the ranges of launches that are alike are, and what the search for races keeps of the last of them."""

    __slots__ = ("accesses", "pieces", "places")

    def __init__(self, places: tuple[Place, ...]) -> None:
        self.places = places
        self.pieces = [place.piece for place in places]
        self.accesses: list[Any] = []
        """as many as there are pieces, or none"""


def find(memories: Memories, used: Range) -> Place | None:
    """None for memory that nobody but the calling thread can know, or that is gone."""
    memory = memories.memory_at(used.low)
    piece = memory.holding(used.low) if memory is not None else memories.pinned.holding(used.low)
    if piece is None:
        return None
    low, high, layout = used.low, min(used.high, piece.end), used.layout
    if isinstance(piece, Mapping):  # the same bytes as the host knows them
        shift = piece.base - piece.address
        piece = memories.pinned.holding(piece.base)
        if piece is None:
            return None
        low, high = low + shift, high + shift
        layout = layout and Layout(layout.address + shift, layout.shape, layout.strides, layout.itemsize)
    return Place(piece, low, high, layout)
