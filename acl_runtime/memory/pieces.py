"""Allocations sorted by address, for finding the allocation that contains an address."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Final, Generic, Protocol, TypeVar

BLOCK: Final = 1000
"""the most numbers of a block; a larger block is split, as an insertion would take longer than the search for its
position"""


class Piece(Protocol):
    """Something that occupies [address, end)."""

    @property
    def address(self) -> int: ...

    @property
    def end(self) -> int: ...


P = TypeVar("P", bound=Piece)


class Numbers:
    """A sorted set of numbers from 0 on. The numbers are stored in blocks, so that an insertion moves few numbers."""

    __slots__ = ("_blocks", "_lows")

    def __init__(self) -> None:
        self._blocks: list[list[int]] = [[]]
        self._lows: list[int] = [0]
        """the lower bound of each block; a block has the numbers from its bound to the bound of the next block"""

    def add(self, number: int) -> None:
        """Add a number that is not in the set."""
        index = bisect_right(self._lows, number) - 1
        block = self._blocks[index]
        insort(block, number)
        if len(block) > BLOCK:
            self._blocks.insert(index + 1, block[BLOCK // 2 :])
            self._lows.insert(index + 1, block[BLOCK // 2])
            del block[BLOCK // 2 :]

    def remove(self, number: int) -> None:
        """Remove a number of the set."""
        index = bisect_right(self._lows, number) - 1
        block = self._blocks[index]
        del block[bisect_left(block, number)]
        if not block and index:
            del self._blocks[index], self._lows[index]

    def before(self, number: int) -> int | None:
        """The greatest number of the set that is not above `number`."""
        index = max(bisect_right(self._lows, number) - 1, 0)
        block = self._blocks[index]
        if (i := bisect_right(block, number)) > 0:
            return block[i - 1]
        return self._blocks[index - 1][-1] if index and self._blocks[index - 1] else None

    def between(self, low: int, high: int) -> Iterator[int]:
        """The numbers in [low, high), ascending."""
        index = max(bisect_right(self._lows, low) - 1, 0)
        for block in self._blocks[index : bisect_left(self._lows, high)]:
            yield from block[bisect_left(block, low) : bisect_left(block, high)]


class Pieces(Generic[P]):
    """Disjoint pieces. Finding a piece by its start is a dict lookup, by any other address a binary search."""

    __slots__ = ("_by_start", "_starts")

    def __init__(self) -> None:
        self._starts = Numbers()
        self._by_start: dict[int, P] = {}

    def __iter__(self) -> Iterator[P]:
        return iter(self._by_start.values())

    def add(self, piece: P) -> None:
        """Add a piece."""
        self._by_start[piece.address] = piece
        self._starts.add(piece.address)

    def remove(self, piece: P) -> None:
        """Remove a piece."""
        del self._by_start[piece.address]
        self._starts.remove(piece.address)

    def at(self, address: int) -> P | None:
        """The piece that starts at this address."""
        return self._by_start.get(address)

    def before(self, address: int) -> P | None:
        """The last piece that starts at this address or before it."""
        start = self._starts.before(address)
        return self._by_start[start] if start is not None else None

    def holding(self, address: int) -> P | None:
        """The piece that contains this address."""
        piece = self._by_start.get(address)
        if piece is None:
            piece = self.before(address)
            if piece is not None and address >= piece.end:
                return None
        return piece

    def touching(self, low: int, high: int) -> list[P]:
        """The pieces that share a byte with [low, high)."""
        first = self.before(low)
        start = low if first is None else first.address
        near = (self._by_start[number] for number in self._starts.between(start, high))
        return [piece for piece in near if piece.end > low]
