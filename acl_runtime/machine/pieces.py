"""Pieces of memory by address: which one an address lies in."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar


class Piece(Protocol):
    """Something that occupies [address, end)."""

    @property
    def address(self) -> int: ...

    @property
    def end(self) -> int: ...


P = TypeVar("P", bound=Piece)


class Pieces(Generic[P]):
    """Pieces that do not overlap. Finding the one that holds an address is a search, or less at its start."""

    __slots__ = ("_by_start", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._by_start: dict[int, P] = {}

    def __iter__(self) -> Iterator[P]:
        return iter(self._by_start.values())

    def add(self, piece: P) -> None:
        """Put a piece in."""
        self._by_start[piece.address] = piece
        insort(self._starts, piece.address)

    def remove(self, piece: P) -> None:
        """Take a piece out."""
        del self._by_start[piece.address]
        del self._starts[bisect_left(self._starts, piece.address)]

    def at(self, address: int) -> P | None:
        """The piece that starts at this address."""
        return self._by_start.get(address)

    def before(self, address: int) -> P | None:
        """The last piece that starts at this address or before it."""
        i = bisect_right(self._starts, address) - 1
        return self._by_start[self._starts[i]] if i >= 0 else None

    def holding(self, address: int) -> P | None:
        """The piece that this address lies in."""
        found = self._by_start.get(address)
        if found is None:
            found = self.before(address)
            if found is not None and address >= found.end:
                return None
        return found

    def touching(self, low: int, high: int) -> list[P]:
        """The pieces that share a byte with [low, high)."""
        first = max(bisect_right(self._starts, low) - 1, 0)
        near = (self._by_start[start] for start in self._starts[first : bisect_left(self._starts, high)])
        return [piece for piece in near if piece.end > low]
