"""Reductions over ranks: by each build of the evaluator as by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclnn.engine.fast.native import reductions
from tests.aclnn.engine.fast.native.evaluating import build, every_build

COUNTS = (1, 15, 16, 100, 2048, 2049, 100_003)
each_type = pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=["float16", "bfloat16"])


def numbers(count: int, dtype: Any, seed: int) -> Any:
    """Finite elements with all exponents, whose sums and products of three may be infinite in FLOAT16."""
    chance = np.random.default_rng(seed)
    return (chance.standard_normal(count) * 2.0 ** chance.integers(-20, 14, count)).astype(dtype)


def expected(reduction: np.ufunc, inputs: Any) -> Any:
    first, second, third = (array.astype(np.float32) for array in inputs)
    return reduction(reduction(first, second), third)


@every_build
@each_type
@pytest.mark.parametrize("reduction", [np.add, np.multiply, np.maximum, np.minimum])
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_the_bits_are_those_of_numpy(
    name: str, dtype: Any, reduction: np.ufunc, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On any number of threads; in the memory of an input, too; past the caches, too."""
    library = build(name)
    monkeypatch.setattr(reductions, "evaluator", lambda: library)
    monkeypatch.setattr(reductions, "MIN_ELEMENTS_FOR_THREADS", 1)
    for count in COUNTS:
        inputs = [numbers(count, dtype, seed) for seed in range(3)]
        inputs[0][::7], inputs[1][::7], inputs[2][::7] = 0.0, -0.0, -0.0
        right = expected(reduction, inputs).astype(dtype)
        for threads, bytes_to_stream in ((1, 0), (3, 1 << 24)):
            monkeypatch.setattr(reductions, "MIN_BYTES_TO_STREAM", bytes_to_stream)
            own, room = inputs[1].copy(), np.full(count + 9, 7, dtype)
            place = room[1 : count + 1]  # it does not begin at a cache line
            assert reductions.reduced(reduction.__name__, [inputs[0], own, inputs[2]], [place, own], threads) == []
            assert place.tobytes() == own.tobytes() == right.tobytes()
            assert (room[0], *room[count + 1 :]) == (7,) * 9, "only the results are written"


@every_build
@each_type
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_blocks_with_results_that_are_no_finite_numbers_are_left(
    name: str, dtype: Any, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = build(name)
    monkeypatch.setattr(reductions, "evaluator", lambda: library)
    inputs = [numbers(10_000, dtype, seed) for seed in range(3)]
    inputs[1][5000], inputs[2][-1] = value, value
    right, result = expected(np.add, inputs).astype(dtype), np.full(10_000, 7, dtype)
    left = reductions.reduced("add", inputs, [result], 2)
    assert left == [slice(4096, 6144), slice(8192, 10240)]
    right[4096:6144] = right[8192:] = 7
    assert result.tobytes() == right.tobytes()


def test_elements_that_are_not_aligned_are_left_to_numpy() -> None:
    halves = np.zeros(9, np.uint8)[1:].view(np.float16)
    assert reductions.reduced("add", [halves], [halves], 1) is None


def test_without_the_evaluator_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reductions, "evaluator", lambda: None)
    halves = np.zeros(8, np.float16)
    assert reductions.reduced("add", [halves], [halves], 1) is None
