"""`Freed` against a model that is a plain list (ours: "the longest-freed addresses come back")."""

from __future__ import annotations

import random

import pytest

import acl_runtime.memory.freed as module
from acl_runtime.memory.freed import Freed


class Plain:
    """The model: a list that is searched from its start."""

    def __init__(self) -> None:
        self.ranges: list[tuple[int, int]] = []

    def add(self, address: int, size: int) -> None:
        if self.ranges and sum(self.ranges[-1]) == address:
            address, size = self.ranges[-1][0], size + self.ranges.pop()[1]
        self.ranges.append((address, size))

    def take(self, extent: int) -> int | None:
        for i, (address, size) in enumerate(self.ranges):
            if size >= extent:
                del self.ranges[i]
                if size > extent:
                    self.ranges.append((address + extent, size - extent))
                return address
        return None


@pytest.mark.parametrize("seed", range(30))
def test_the_longest_freed_that_is_large_enough_comes_back(seed: int) -> None:
    """No two ranges are neighbours here, so that none are merged."""
    rng, freed, plain = random.Random(seed), Freed(), Plain()
    next_ = 0
    for _ in range(300):
        if rng.random() < 0.6:
            size = rng.choice((1, 2, 5, 50))
            freed.add(next_, size)
            plain.add(next_, size)
            next_ += size + 1
        else:
            extent = rng.choice((1, 2, 3, 20))
            if any(size >= extent for _, size in plain.ranges):
                assert freed.take(extent) == plain.take(extent)
    assert [each for each in freed if each[1]] == plain.ranges


def test_a_merged_range_is_as_young_as_its_last_part() -> None:
    """[0, 20) was freed in two parts, before and after [40, 60), so [40, 60) is the longest-freed of the two."""
    freed = Freed()
    for address, size in ((0, 10), (40, 20), (10, 10)):
        freed.add(address, size)
    freed.merge()
    assert freed.take(20) == 40
    assert freed.take(20) == 0


def test_neighbours_are_merged_when_no_range_is_large_enough() -> None:
    """The order in which they were freed does not matter. If no range is large enough after that, None is returned."""
    freed = Freed()
    for address in (20, 0, 10):
        freed.add(address, 10)
    assert freed.take(31) is None
    assert freed.take(25) == 0
    assert freed.take(5) == 25
    assert freed.take(1) is None


def test_neighbours_are_merged_when_there_are_many_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the list stays short."""
    monkeypatch.setattr(module, "MOST_UNMERGED", 8)
    freed = Freed()
    for address in range(0, 1000, 20):
        freed.add(address + 10, 10)
        freed.add(address, 10)
    assert len(list(freed)) < 30
    freed.merge()
    assert list(freed) == [(0, 1000)]


class Counting(list[int]):
    """A list that counts how often an element is read."""

    reads = 0

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        self.reads += 1
        return super().__getitem__(at)


def test_a_large_range_behind_many_small_ones_is_found_in_few_steps() -> None:
    """Their number grows with the logarithm of the number of ranges."""
    freed = Freed()
    for i in range(4096):
        freed.add(10 * i, 5)
    freed.add(100_000, 50)
    assert freed.take(40) == 100_000
    freed.add(200_000, 50)
    counting = freed._tree = Counting(freed._tree)
    assert freed.take(40) == 200_000
    assert 0 < counting.reads < 100
