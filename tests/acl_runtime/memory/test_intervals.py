"""`Intervals` against a set of integers, in random histories with fixed seeds (ours)."""

import itertools
import random

import pytest

from acl_runtime.memory.intervals import Intervals

SIZE = 60


def filled(rng: random.Random, steps: int) -> tuple[Intervals, set[int]]:
    """Intervals and a set with the same random additions and removals."""
    intervals, model = Intervals(), set[int]()
    for _ in range(steps):
        low = rng.randint(0, SIZE)
        high = rng.randint(0, SIZE) if rng.random() < 0.2 else min(SIZE, low + rng.randint(0, 6))
        if rng.random() < 0.8:
            intervals.add(low, high)
            model |= set(range(low, high))
        else:
            intervals.remove(low, high)
            model -= set(range(low, high))
    return intervals, model


@pytest.mark.parametrize("seed", range(40))
def test_intervals_are_a_set(seed: int) -> None:
    """`add`, iteration, `gaps`, `covers` and `meets` give the same as with a set; an empty range changes nothing."""
    rng = random.Random(seed)
    intervals, model = filled(rng, steps=rng.randint(0, 25))
    assert {i for low, high in intervals for i in range(low, high)} == model
    for _ in range(50):
        low, high = rng.randint(0, SIZE), rng.randint(0, SIZE)
        missing = set(range(low, high)) - model
        gaps = list(intervals.gaps(low, high))
        assert {i for start, end in gaps for i in range(start, end)} == missing
        assert all(start < end for start, end in gaps)
        assert intervals.covers(low, high) == (not missing)
        assert intervals.meets(low, high) == (not model.isdisjoint(range(low, high)))


@pytest.mark.parametrize("seed", range(40))
def test_intervals_are_sorted_disjoint_and_merged(seed: int) -> None:
    """Intervals that touch are merged."""
    listed = list(filled(random.Random(seed), steps=25)[0])
    assert all(low < high for low, high in listed)
    for (_, end), (start, _) in itertools.pairwise(listed):
        assert end < start


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_additions_does_not_matter(seed: int) -> None:
    """The same ranges in another order, or twice, give the same intervals."""
    rng = random.Random(seed)
    ranges = [(low := rng.randint(0, SIZE), low + rng.randint(0, 5)) for _ in range(15)]
    first, second = Intervals(), Intervals()
    for low, high in ranges:
        first.add(low, high)
    for low, high in rng.sample(ranges * 2, 30):
        second.add(low, high)
    assert list(first) == list(second)


@pytest.mark.parametrize("seed", range(40))
def test_many_ascending_ranges_are_added_at_once(seed: int) -> None:
    """Ascending, disjoint ranges, as of a strided view, give the same intervals as if added one by one."""
    rng = random.Random(seed)
    intervals, model = filled(rng, steps=rng.randint(0, 3))
    low, step, count = rng.randint(0, SIZE), rng.randint(2, 7), rng.randint(1, 8)
    ranges = [(low + i * step, low + i * step + rng.randint(1, step - 1)) for i in range(count)]
    intervals.add_all(ranges)
    model.update(i for start, end in ranges for i in range(start, end))
    listed = list(intervals)
    assert {i for start, end in listed for i in range(start, end)} == model
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(listed))


def test_large_numbers_cost_nothing() -> None:
    """Whole allocations of many GiB are one interval."""
    intervals = Intervals()
    intervals.add(0, 1 << 36)
    intervals.add(1 << 36, 1 << 40)
    assert list(intervals) == [(0, 1 << 40)]
    assert list(intervals.gaps(5, (1 << 40) + 1)) == [(1 << 40, (1 << 40) + 1)]
