"""Small numbers, such as the ids of streams and events. A number is reused when its owner is gone."""

import itertools
from heapq import heappop, heappush


class Ids:
    """Gives out small numbers, the lowest free one first."""

    def __init__(self) -> None:
        self._next = itertools.count()
        self._free: list[int] = []
        self.used = 0

    def take(self) -> int:
        """The lowest free number."""
        self.used += 1
        return heappop(self._free) if self._free else next(self._next)

    def give(self, number: int) -> None:
        """Take a number back: it is free again."""
        self.used -= 1
        heappush(self._free, number)
