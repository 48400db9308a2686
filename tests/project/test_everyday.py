"""Tests of the everyday calls: they compute what torch computes, and their figures are medians."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.everyday import medians, read_by, shown, summary
from tests.benchmarks.ours import board, prepare

torch_side = pytest.importorskip("tests.benchmarks.torch_side")
cases = pytest.importorskip("tests.benchmarks.everyday_cases", reason="the other side needs torch")


@pytest.mark.parametrize("case", cases.EVERYDAY, ids=lambda case: case.name)
def test_both_sides_compute_the_same(case: Any) -> None:
    """One in place has no output of its own; torch has not all of our outputs."""
    problem = case.problem()
    with board():
        prepared = prepare(problem)
        prepared.call()
        ours = [prepared.result(at) for at in problem.outputs or (0,)]
    theirs = partial(case.theirs, *read_by(problem))()
    theirs = [torch_side.to_numpy(each) for each in (theirs if isinstance(theirs, tuple) else (theirs,))]
    for one, other in zip(ours, theirs, strict=False):
        assert one.shape == other.shape
        limit = 2e-3 if one.dtype in (np.float32, np.int64, np.int32) else 2e-2
        np.testing.assert_allclose(one.astype(np.float64), other.astype(np.float64), limit, limit)


def test_names_are_different() -> None:
    assert len({case.name for case in cases.EVERYDAY}) == len(cases.EVERYDAY) == 68


def test_what_follows_from_the_times() -> None:
    runs = [{"ours": ours, "torch1": 3e-3, "torch2": 2e-3, "quiet": 1e-3, "loaded": 4e-3} for ours in (9.0, 3e-3, 1e-3)]
    one = {**medians(runs), "call": 1e-3}
    numbers = {"one": {"goal": 1.0, **one}, "other": {"goal": 7.0, **one, "ratio": 6.0}}
    first, other = shown(numbers)[1]
    assert first[4:] == ["1.50", "1", "no", "4.00", "–", "0.50", "but by a kernel faster than torch's"]
    assert other[4:] == ["6.00", "7", "yes", "4.00", "–", "–", "–"]
    assert summary(numbers) == (
        "1 of 2 goals were met. The geometric mean of the ratios is 3.00, the largest 6.0. "
        "A loaded machine takes up to 4.0 times as long."
    )
