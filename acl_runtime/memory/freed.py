"""Freed addresses. They are used again after all other addresses are used up, the longest-freed first."""

from collections.abc import Iterator
from typing import Final

MOST_UNMERGED: Final = 10_000
"""neighbours are merged when there are more ranges than this"""


class Freed:
    """Free ranges (address, size), in the order in which they were freed.

    A tournament tree of their sizes finds the first range that is large enough in a logarithmic number of steps."""

    __slots__ = ("_merge_above", "_ranges", "_tree")

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        """a range that was taken stays in the list with size 0 until the next merge"""
        self._merge_above = MOST_UNMERGED
        self._tree: list[int] = []
        """the tree, empty until it is needed, as few programs use up all addresses: node i is the larger of nodes 2 i
        and 2 i + 1; the second half has the sizes of the ranges"""

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._ranges)

    def add(self, address: int, size: int) -> None:
        """Add a range that is freed."""
        if self._ranges and sum(self._ranges[-1]) == address:  # a loop that allocates and frees adds no range
            last, last_size = self._ranges[-1]
            self._put(len(self._ranges) - 1, last, last_size + size)
            return
        self._ranges.append((address, size))
        if len(self._ranges) > self._merge_above:  # so that the list stays short in a long run
            self.merge()
        elif len(self._ranges) > len(self._tree) // 2:
            self._tree = []  # rebuild it later, twice as large
        else:
            self._put(len(self._ranges) - 1, address, size)

    def take(self, extent: int) -> int | None:
        """Take `extent` addresses from the longest-freed range that is large enough, and return its start. The rest of
        the range counts as freed at this time. None if no range is large enough."""
        index = self._first(extent)
        if index is None:
            self.merge()
            index = self._first(extent)
        if index is None:
            return None
        address, size = self._ranges[index]
        self._put(index, address, 0)
        if size > extent:
            self.add(address + extent, size - extent)
        return address

    def merge(self) -> None:
        """Merge neighbouring ranges. The time of a merged range is the time at which its last part was freed."""
        merged: list[tuple[int, int, int]] = []
        for address, size, freed in sorted((*range_, freed) for freed, range_ in enumerate(self._ranges) if range_[1]):
            if merged and merged[-1][1] + merged[-1][2] == address:
                previous, start, length = merged[-1]
                merged[-1] = max(previous, freed), start, length + size
            else:
                merged.append((freed, address, size))
        self._ranges = [(address, size) for _, address, size in sorted(merged)]
        self._merge_above = 2 * len(self._ranges) + MOST_UNMERGED
        self._tree = []

    def _put(self, index: int, address: int, size: int) -> None:
        self._ranges[index] = address, size
        if tree := self._tree:
            index += len(tree) // 2
            tree[index] = size
            while index > 1:
                index //= 2
                tree[index] = max(tree[2 * index], tree[2 * index + 1])

    def _first(self, extent: int) -> int | None:
        """The index of the first range of at least this size; None if there is none."""
        if not self._tree:
            half = 1 << len(self._ranges).bit_length()
            sizes = [size for _, size in self._ranges]
            self._tree = [0] * half + sizes + [0] * (half - len(sizes))
            for node in range(half - 1, 0, -1):
                self._tree[node] = max(self._tree[2 * node], self._tree[2 * node + 1])
        if self._tree[1] < extent:
            return None
        node, half = 1, len(self._tree) // 2
        while node < half:
            node = 2 * node + (self._tree[2 * node] < extent)
        return node - half
