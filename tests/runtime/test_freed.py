"""Freed addresses against a plain list of them (decisions, 1: "the longest-freed addresses come back")."""

from __future__ import annotations

import random

import pytest

import acl_runtime.memory.freed as module
from acl_runtime.memory.freed import Freed


class Plain:
    """The same, looked through from its start."""

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []

    def add(self, address: int, room: int) -> None:
        if self.ranges and sum(self.ranges[-1]) == address:
            address, room = self.ranges[-1][0], room + self.ranges.pop()[1]
        self.ranges.append((address, room))

    def take(self, extent: int) -> int | None:
        for i, (address, room) in enumerate(self.ranges):
            if room >= extent:
                del self.ranges[i]
                if room > extent:
                    self.ranges.append((address + extent, room - extent))
                return address
        return None


@pytest.mark.parametrize("seed", range(30))
def test_the_longest_freed_that_is_large_enough_comes_back(seed: int) -> None:
    """Ranges that never touch, so that none become one."""
    rng, freed, plain = random.Random(seed), Freed(), Plain()
    next_ = 0
    for _ in range(300):
        if rng.random() < 0.6:
            room = rng.choice((1, 2, 5, 50))
            freed.add(next_, room)
            plain.add(next_, room)
            next_ += room + 1
        else:
            extent = rng.choice((1, 2, 3, 20))
            if any(room >= extent for _, room in plain.ranges):
                assert freed.take(extent) == plain.take(extent)
    assert [each for each in freed if each[1]] == plain.ranges


def test_neighbours_become_one_when_nothing_else_is_large_enough() -> None:
    """In whichever order they were freed; what is asked for and not there is None."""
    freed = Freed()
    for address in (20, 0, 10):
        freed.add(address, 10)
    assert freed.take(31) is None
    assert freed.take(25) == 0
    assert freed.take(5) == 25
    assert freed.take(1) is None


def test_many_are_made_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours do not add up."""
    monkeypatch.setattr(module, "FEW", 8)
    freed = Freed()
    for address in range(0, 1000, 20):
        freed.add(address + 10, 10)
        freed.add(address, 10)
    assert len(list(freed)) < 30
    freed.merge()
    assert list(freed) == [(0, 1000)]


class Counting(list[int]):
    """Counts what is read."""

    reads = 0

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        self.reads += 1
        return super().__getitem__(at)


def test_the_way_to_a_large_one_behind_many_small_ones_is_short() -> None:
    """It grows with the logarithm of their number."""
    freed = Freed()
    for i in range(4096):
        freed.add(10 * i, 5)
    freed.add(100_000, 50)
    assert freed.take(40) == 100_000
    freed.add(200_000, 50)
    counting = freed._rounds = Counting(freed._rounds)
    assert freed.take(40) == 200_000
    assert 0 < counting.reads < 100
