"""Small numbers that come back when their owner is gone, as those of streams and events do."""

import itertools
from heapq import heappop, heappush


class Ids:
    """Small numbers: the lowest one that is free."""

    def __init__(self) -> None:
        self._next = itertools.count()
        self._free: list[int] = []
        self.used = 0

    def take(self) -> int:
        """A number that nobody has."""
        self.used += 1
        return heappop(self._free) if self._free else next(self._next)

    def give(self, number: int) -> None:
        """The number is free again."""
        self.used -= 1
        heappush(self._free, number)
