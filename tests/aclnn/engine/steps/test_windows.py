"""Windows along a dimension: their places, counted one by one; a plan has no table of them."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pytest

from aclnn.engine.steps.windows import Windows, adaptive, regular

REGULAR = [
    regular(size, kernel, stride, before, dilation, count)
    for size, kernel, stride, before, dilation, count in product((1, 2, 5), (1, 3), (1, 2), (0, 2), (1, 2), (0, 1, 4))
]
ADAPTIVE = [adaptive(size, count) for size, count in product(range(9), range(1, 12))]


def places(windows: Windows, number: int) -> list[int]:
    start, end = int(windows.starts[number]), int(windows.ends[number])
    return [at for k in range(windows.taps) if 0 <= (at := start + k * windows.step) < end]


def test_sizes_and_first_places_are_those_of_the_places() -> None:
    for windows in (*REGULAR, *ADAPTIVE):
        members = [places(windows, number) for number in windows.numbers]
        np.testing.assert_array_equal(windows.sizes(), [len(each) for each in members])
        for first, each in zip(windows.first(), members, strict=True):
            assert not each or first == each[0]


def test_adaptive_windows_have_as_many_taps_as_the_longest_has_places() -> None:
    for windows in ADAPTIVE:
        assert windows.taps == max(windows.ends - windows.starts)


@pytest.mark.parametrize("windows", [regular(2**40, 3, 1, 1, 1, 2**40), adaptive(2**62, 2**62), adaptive(7, 2**31)])
def test_windows_of_any_number_take_no_memory_before_a_formula_asks(windows: Windows) -> None:
    tracemalloc.start()
    try:
        few = windows.part(slice(2**30, 2**30 + 2))
        assert len(few.starts) == len(few.sizes()) == 2
        assert tracemalloc.get_traced_memory()[1] < 1 << 16
    finally:
        tracemalloc.stop()
