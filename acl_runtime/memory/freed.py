"""Addresses that were freed, and come back when all others are used up: the longest-freed first."""

from collections.abc import Iterator
from typing import Final

FEW: Final = 10_000
"""ours: with more ranges than this, neighbours are made one"""


class Freed:
    """Ranges (address, room), the longest freed first. A tournament of their rooms finds the first that is large enough
    in as many steps as it has rounds."""

    __slots__ = ("_most", "_ranges", "_rounds")

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        """those that were taken stay, with no room, until the next merge"""
        self._most = FEW
        self._rounds: list[int] = []
        """the larger room of 2 i and 2 i + 1 stands at i, those of the ranges in the second half; empty until somebody
        asks, as few programs use all addresses up"""

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._ranges)

    def add(self, address: int, room: int) -> None:
        """A range is free from now on."""
        if self._ranges and sum(self._ranges[-1]) == address:  # so that a loop of pairs keeps one
            last, before = self._ranges[-1]
            self._put(len(self._ranges) - 1, last, before + room)
            return
        self._ranges.append((address, room))
        if len(self._ranges) > self._most:  # so that a program of any length keeps few of them
            self.merge()
        elif len(self._ranges) > len(self._rounds) // 2:
            self._rounds = []  # to be made anew, twice as large
        else:
            self._put(len(self._ranges) - 1, address, room)

    def take(self, extent: int) -> int | None:
        """The start of the longest-freed range that has so much room; what is left of it counts as freed now."""
        at = self._first(extent)
        if at is None:
            self.merge()
            at = self._first(extent)
        if at is None:
            return None
        address, room = self._ranges[at]
        self._put(at, address, 0)
        if room > extent:
            self.add(address + extent, room - extent)
        return address

    def merge(self) -> None:
        """Make one of neighbours, which counts as freed when the last of them was."""
        merged: list[tuple[int, int, int]] = []
        for address, room, freed in sorted((*each, freed) for freed, each in enumerate(self._ranges) if each[1]):
            if merged and merged[-1][1] + merged[-1][2] == address:
                before, start, size = merged[-1]
                merged[-1] = max(before, freed), start, size + room
            else:
                merged.append((freed, address, room))
        self._ranges = [(address, room) for _, address, room in sorted(merged)]
        self._most = 2 * len(self._ranges) + FEW
        self._rounds = []

    def _put(self, at: int, address: int, room: int) -> None:
        self._ranges[at] = address, room
        if rounds := self._rounds:
            at += len(rounds) // 2
            rounds[at] = room
            while at > 1:
                at //= 2
                rounds[at] = max(rounds[2 * at], rounds[2 * at + 1])

    def _first(self, extent: int) -> int | None:
        """Where the first range with so much room stands."""
        if not self._rounds:
            half = 1 << len(self._ranges).bit_length()
            rooms = [room for _, room in self._ranges]
            self._rounds = [0] * half + rooms + [0] * (half - len(rooms))
            for at in range(half - 1, 0, -1):
                self._rounds[at] = max(self._rounds[2 * at], self._rounds[2 * at + 1])
        if self._rounds[1] < extent:
            return None
        at, half = 1, len(self._rounds) // 2
        while at < half:
            at = 2 * at + (self._rounds[2 * at] < extent)
        return at - half
