"""Sums, products and extremes up to each element: by each build of the evaluator as by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import accumulation
from aclnn.engine.fast.native import running as native
from aclnn.engine.numbers.rounding import store
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out, same

TYPES = (np.float32, np.float64, np.int32, np.int64)
SHAPES = [(1,), (3000,), (40, 70), (1, 900), (900, 1), (17, 300, 3), (5, 20, 600)]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Many equal ones, and NaN between them; sums of these do not depend on their order."""
    found = rng.integers(-3, 4, shape).astype(dtype)
    if np.dtype(dtype).kind == "f":
        found[rng.random(shape) < 0.02] = np.nan
        found[rng.random(shape) < 0.05] = -0.0
    return found


def both(name: str, monkeypatch: pytest.MonkeyPatch, work: Any) -> None:
    """The evaluator gives the results of numpy, on any number of threads, and does it itself."""
    library = build(name)
    monkeypatch.setattr(accumulation, "MIN_ELEMENTS_FOR_EVALUATOR", 1)
    monkeypatch.setattr(native, "MIN_ELEMENTS_FOR_THREADS", 1)
    monkeypatch.setattr(accumulation, "evaluator", lambda: None)
    with Machine() as machine, np.errstate(all="ignore"):
        wanted = work()
        assert set(machine.compute_threads.counts) == {"as it is written"}
    monkeypatch.setattr(accumulation, "evaluator", lambda: library)
    for threads in (1, 2, 7):
        with Machine(threads=threads) as machine:
            found = work()
            assert set(machine.compute_threads.counts) == {"native"}
        for one, other in zip(found, wanted, strict=True):
            same(one, other)


@every_build
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_running_results_are_those_of_numpy(
    name: str, shape: tuple[int, ...], dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Along each dimension, also of a tensor with gaps. Of equal extremes the last one counts, and the last NaN."""
    rng = np.random.default_rng(len(shape))
    x = numbers(rng, shape, dtype)
    for axis in range(len(shape)):
        for given in (x, laid_out(rng, x)):
            both(name, monkeypatch, lambda x=given, axis=axis: results(x, axis))


def results(x: np.ndarray, axis: int) -> list[np.ndarray]:
    """All four with their places. Of two zeros numpy takes any as the larger one, so these lose their sign."""
    (most, first), (least, second) = (accumulation.running_extreme(each, x, axis) for each in (np.maximum, np.minimum))
    sums = [accumulation.running(each, x, axis) for each in (np.add, np.multiply)]
    return [*sums, most + x.dtype.type(0), least + x.dtype.type(0), first, second]


@every_build
@pytest.mark.parametrize("dtype", [np.float32, np.float16, bfloat16], ids=["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_in_memory_are_rounded_once(
    name: str, shape: tuple[int, ...], dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Into the memory of the terms too. A layout with gaps gets a copy."""
    library, rng = build(name), np.random.default_rng(len(shape))
    monkeypatch.setattr(accumulation, "MIN_ELEMENTS_FOR_EVALUATOR", 1)
    monkeypatch.setattr(native, "MIN_ELEMENTS_FOR_THREADS", 1)
    monkeypatch.setattr(accumulation, "evaluator", lambda: library)
    terms = rng.standard_normal(shape).astype(np.float32) * 2.0 ** rng.integers(-30, 10, shape).astype(np.float32)
    terms[rng.random(shape) < 0.1] = -0.0
    terms.reshape(-1)[-1] = np.inf
    for axis in range(len(shape)):
        expected = np.empty(shape, dtype)
        store(np.add.accumulate(terms, axis, np.float64), expected)
        own = terms.astype(dtype)
        x = own if dtype is np.float32 else terms
        for threads, given, out in ((1, terms, np.empty(shape, dtype)), (7, terms, laid_out(rng, own)), (2, x, own)):
            with Machine(threads=threads):
                found = accumulation.running(np.add, given, axis, out)
            same(found, expected)
            assert found.dtype == dtype
            assert (found is out) == out.flags.c_contiguous


@every_build
@pytest.mark.parametrize("dtype", [np.int8, np.bool_, np.complex64])
def test_other_types_are_left_to_numpy(name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    library = build(name)
    monkeypatch.setattr(accumulation, "MIN_ELEMENTS_FOR_EVALUATOR", 1)
    monkeypatch.setattr(accumulation, "evaluator", lambda: library)
    x = np.random.default_rng(0).integers(0, 2, (30, 40)).astype(dtype)
    with Machine() as machine:
        found = accumulation.running(np.add, x, 1)
        assert list(machine.compute_threads.counts) == [f"as it is written: running results of {x.dtype.name}"]
    same(found, np.cumsum(x, 1, np.complex128 if dtype is np.complex64 else x.dtype))


def test_sums_of_float32_have_64_bits() -> None:
    """Ten thousand times 0.1 in float32 is 1000.0000149; sums in float32 would be off by more than 0.05."""
    x = np.full(10_000, 0.1, np.float32)
    with Machine():
        assert abs(accumulation.running(np.add, x, 0)[-1] - 1000.0000149) < 1e-6
