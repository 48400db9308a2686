"""Sets of integers kept as sorted, disjoint half-open intervals: which bytes of an allocation were written."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain


class Intervals:
    """Each operation costs a search plus the intervals it meets, so a few large writes stay cheap. (Putting one between
    100,000 others also moves half of them up, which is one copy of 800 KB: 8 us.)"""

    __slots__ = ("_bounds",)

    def __init__(self) -> None:
        self._bounds: list[int] = []
        """start and end of each in turn, ascending: from an even place to the next lies what is in the set"""

    def add(self, low: int, high: int) -> None:
        """Put [low, high) in, merging with what it meets or touches."""
        if low >= high:
            return
        bounds = self._bounds
        first, last = bisect_left(bounds, low), bisect_right(bounds, high)
        # an odd place lies inside of an interval, which then is where the new one begins, or ends
        bounds[first:last] = [low] * (first % 2 == 0) + [high] * (last % 2 == 0)

    def add_all(self, intervals: Sequence[tuple[int, int]]) -> None:
        """Put many in that are ascending and apart."""
        bounds = self._bounds
        first = bisect_left(bounds, intervals[0][0])
        if first % 2 == 0 and first == bisect_right(bounds, intervals[-1][1]):  # nothing is there yet
            bounds[first:first] = chain.from_iterable(intervals)
        else:
            for low, high in intervals:
                self.add(low, high)

    def gaps(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """The parts of [low, high) that are not in the set, in order."""
        bounds = self._bounds
        place = bisect_right(bounds, low)
        if place % 2:
            low, place = bounds[place], place + 1
        while low < high:
            start = bounds[place] if place < len(bounds) else high
            yield low, min(start, high)
            if start >= high:
                return
            low, place = bounds[place + 1], place + 2

    def covers(self, low: int, high: int) -> bool:
        """Is all of [low, high) in the set?"""
        place = bisect_right(self._bounds, low)
        return low >= high or (place % 2 == 1 and self._bounds[place] >= high)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(zip(self._bounds[::2], self._bounds[1::2], strict=True))
