"""Sets of integers kept as sorted, disjoint half-open intervals: which bytes of an allocation were written."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator


class Intervals:
    """`add` and `gaps` cost a search plus the intervals they meet, so a few large writes stay cheap."""

    __slots__ = ("_ends", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, low: int, high: int) -> None:
        """Put [low, high) in, merging with what it meets or touches."""
        if low >= high:
            return
        first = bisect_left(self._ends, low)
        last = bisect_right(self._starts, high)
        if first < last:
            low = min(low, self._starts[first])
            high = max(high, self._ends[last - 1])
        self._starts[first:last] = [low]
        self._ends[first:last] = [high]

    def gaps(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """The parts of [low, high) that are not in the set, in order."""
        for i in range(bisect_right(self._ends, low), len(self._starts)):
            start = self._starts[i]
            if start >= high:
                break
            if low < start:
                yield low, start
            low = max(low, self._ends[i])
        if low < high:
            yield low, high

    def covers(self, low: int, high: int) -> bool:
        """Is all of [low, high) in the set?"""
        return next(self.gaps(low, high), None) is None

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(zip(self._starts, self._ends, strict=True))
