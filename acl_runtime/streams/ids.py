"""Small numbers, such as the ids of streams and events. A number is reused when its owner is gone."""

import itertools
from heapq import heappop, heappush


class Ids:
    """Small numbers, of which the lowest free number is taken first."""

    def __init__(self) -> None:
        self._next = itertools.count()
        self._free: list[int] = []
        self.used = 0

    def take(self) -> int:
        """Take the lowest free number."""
        self.used += 1
        return heappop(self._free) if self._free else next(self._next)

    def give(self, number: int) -> None:
        """Mark a number as free."""
        self.used -= 1
        heappush(self._free, number)
