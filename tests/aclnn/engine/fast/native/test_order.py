"""The order of elements along a dimension: by each build of the evaluator as by numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import Machine
from aclnn.engine.fast import ordering
from aclnn.engine.fast.native import order as native
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out

FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
INTEGERS = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64)
SHAPES = [(1,), (33, 5), (5, 33), (3, 700), (2, 90, 40), (1, 1500, 1), (1030, 2)]
FIRST = (None, 1, 7, 65, 200)
"""nothing to select, one, few that are kept in order, and many that are sorted when their room is full"""


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """All bit patterns of the type, and many equal ones; of floats also NaN, infinities and zeros of both signs."""
    if dtype is np.bool_:
        return rng.random(shape) < 0.4
    bits = rng.integers(0, 256, (*shape, np.dtype(dtype).itemsize), dtype=np.uint8)
    drawn = bits.view(dtype)[..., 0].copy()
    special = [0, 1, 3] if dtype in INTEGERS else [0.0, -0.0, 1.0, np.nan, -np.nan, np.inf, -np.inf]
    return np.where(rng.random(shape) < 0.4, rng.choice(np.array(special).astype(dtype), shape), drawn)


@every_build
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, np.bool_], ids=lambda each: np.dtype(each).name)
def test_the_order_is_that_of_numpy(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Along each dimension, of any layout, on any number of threads. NaN is the largest, and equal ones keep their
    order, also if it descends."""
    library, rng = build(name), np.random.default_rng(np.dtype(dtype).num)
    monkeypatch.setattr(ordering, "MIN_ELEMENTS_FOR_EVALUATOR", 1)
    monkeypatch.setattr(native, "MIN_ELEMENTS_FOR_THREADS", 1)
    for shape in SHAPES:
        x = laid_out(rng, numbers(rng, shape, dtype))
        for axis in range(len(shape)):
            for descending in (False, True):
                monkeypatch.setattr(ordering, "evaluator", lambda: None)
                with Machine():
                    whole = ordering.order(x, axis, descending=descending)
                monkeypatch.setattr(ordering, "evaluator", lambda: library)
                for first, threads in zip(FIRST, (1, 2, 7, 2, 1), strict=True):
                    with Machine(threads=threads) as machine:
                        found = ordering.order(x, axis, descending=descending, first=first)
                        assert set(machine.compute_threads.counts) == {"native"}
                    np.testing.assert_array_equal(found, np.take(whole, np.arange(found.shape[axis]), axis))


@every_build
@pytest.mark.parametrize("kind", ["rising", "falling", "equal", "NaN at the end"])
def test_the_first_ones_of_sorted_rows(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each element, or none, is better than all before it."""
    library, row = build(name), np.arange(5000, dtype=np.float32)
    row = {"rising": row, "falling": -row, "equal": row * 0, "NaN at the end": np.where(row < 60, row, np.nan)}[kind]
    monkeypatch.setattr(ordering, "evaluator", lambda: library)
    with Machine():
        for first in (64, 65, 1249, 1251):
            for descending in (False, True):
                expected = np.argsort(-row if descending and kind != "NaN at the end" else row, kind="stable")
                if descending and kind == "NaN at the end":
                    expected = np.concatenate([np.arange(60, 5000), np.arange(60)[::-1]])
                found = ordering.order(row, 0, descending=descending, first=first)
                np.testing.assert_array_equal(found, expected[:first])


def test_types_that_the_evaluator_does_not_know_are_left_to_numpy() -> None:
    x = np.random.default_rng(0).integers(0, 2**64, 5000, dtype=np.uint64)
    build("plain")
    with Machine() as machine:
        found = ordering.order(x, 0)
        assert list(machine.compute_threads.counts) == ["as it is written: elements of type uint64"]
    np.testing.assert_array_equal(found, np.argsort(x, kind="stable"))
