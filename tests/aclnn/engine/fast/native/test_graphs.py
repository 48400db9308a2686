"""Random expressions, by the evaluator and by numpy as they are written; sums; threads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from aclnn.engine.fast import native_sweeps
from aclnn.engine.fast.expressions import Lazy, NotInFastEngine
from aclnn.engine.fast.native import sweep as sweeps
from aclnn.engine.fast.native.library import BUILDS
from aclnn.engine.numbers.rounding import store, widen
from tests.aclnn.engine.fast.native.evaluating import build, computed, every_build, laid_out, same
from tests.helpers.patience import PATIENCE

SIZES = (1, 2, 3, 7, 16, 33, 130, 600, 1500)
MOST = 60_000
DTYPES = (np.float32, np.float32, np.float16, bfloat16)
SEEDS = 60


def random_shape(rng: np.random.Generator) -> tuple[int, ...]:
    shape = [int(size) for size in rng.choice(SIZES, int(rng.integers(1, 5)))]
    while np.prod(shape) > MOST:
        shape[int(np.argmax(shape))] //= 2
    return tuple(shape)


def narrowed(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[int, ...]:
    """One element in some dimensions."""
    return tuple(1 if rng.integers(3) == 0 else size for size in shape)


class Random:
    """A random formula: the same operations on arrays and on Lazy arrays, whenever it is called."""

    def __init__(self, seed: int, *, sums: bool) -> None:
        self._seed, self._sums = seed, sums

    def __call__(self, *arrays: Any) -> Any:
        rng = np.random.default_rng(self._seed)
        ndim = arrays[0].ndim
        over = tuple(int(axis) for axis in np.flatnonzero(rng.integers(2, size=ndim))) or (int(rng.integers(ndim)),)
        values = list(arrays)
        for _ in range(int(rng.integers(3, 9))):
            a, b = (values[int(rng.integers(len(values)))] for _ in range(2))
            match int(rng.integers(9 if self._sums else 8)):
                case 0:
                    new = a + b
                case 1:
                    new = a - b * np.float32(0.5)
                case 2:
                    new = a * b
                case 3:
                    new = np.maximum(a, -b)
                case 4:
                    new = np.where((a > b) | (b > np.float32(0.7)), a, np.float32(0.25) * b)
                case 5:
                    new = np.exp(-np.abs(a))
                case 6:
                    new = np.sqrt(np.abs(a)) / (np.square(b) + 1)
                case 7:
                    new = np.minimum(a, np.float32(1.5)) + 1
                case _:
                    full = a * arrays[0]
                    total = full.sum(over, dtype=np.float64, keepdims=True)
                    new = full - total.astype(np.float32) / np.float32(full.size)
            values.append(np.clip(new, -8, 8) if not isinstance(new, Lazy) else np.minimum(np.maximum(new, -8), 8))
        return values[-1] + values[0]


@every_build
@pytest.mark.parametrize("sums", [False, True], ids=["elementwise", "sums"])
@pytest.mark.parametrize("part", range(4))
def test_random_expressions(name: str, part: int, *, sums: bool) -> None:
    """Without sums the evaluator gives numpy's bits, except those of exp. Sums are within the bound."""
    library, unknown = build(name), 0
    for seed in range(part, SEEDS, 4):
        rng = np.random.default_rng([seed, 17])
        shape = random_shape(rng)
        arrays = [rng.standard_normal(shape).astype(rng.choice(DTYPES))]
        arrays += [rng.standard_normal(narrowed(rng, shape)).astype(np.float32) for _ in range(2)]
        arrays = [laid_out(rng, each) if rng.integers(2) else each for each in arrays]
        formula = Random(seed, sums=sums)
        outs = [laid_out(np.random.default_rng(seed), np.zeros(shape, arrays[0].dtype)) for _ in range(2)]
        store(formula(*map(widen, arrays)), outs[1])
        try:
            unknown += computed(library, formula, arrays, outs[:1]) != "native"
        except NotInFastEngine:  # there are no row blocks
            unknown += 1
            continue
        found, expected = (np.asarray(each, np.float32) for each in outs)
        least = 2.0**-22 if arrays[0].dtype == np.float32 else 2.0**-7
        np.testing.assert_allclose(found, expected, rtol=least, atol=2.0**-18, err_msg=f"seed {seed}, shape {shape}")
    assert unknown < SEEDS // 4 * 0.4


def softmax(y: Any, g: Any) -> Any:
    return (g - (y * g).sum(-1, dtype=np.float64, keepdims=True).astype(np.float32)) * y


def across(y: Any, g: Any) -> Any:
    return (g - (y * g).sum(0, dtype=np.float64, keepdims=True).astype(np.float32)) * y


def of_all(y: Any, g: Any) -> Any:
    return y - (y * g).sum(dtype=np.float64).astype(np.float32)


def layer_norm(x: Any, g: Any) -> Any:
    centred = x - x.sum(-1, dtype=np.float64, keepdims=True).astype(np.float32) / np.float32(x.shape[-1])
    variance = (centred * centred).sum(-1, dtype=np.float64, keepdims=True).astype(np.float32)
    return centred / np.sqrt(variance / np.float32(x.shape[-1]) + np.float32(1e-5)) * g


def rows(y: Any, g: Any) -> Any:
    return (y * g).sum(-1, dtype=np.float64)


def columns(y: Any, g: Any) -> Any:
    return (y * g).sum(0, dtype=np.float64)


def middle(y: Any, g: Any) -> Any:
    return y.sum(-2, dtype=np.float64).astype(np.float32)


MAGNITUDES: dict[Callable[..., Any], Callable[..., Any]] = {
    softmax: lambda y, g: (g + (y * g).sum(-1, keepdims=True)) * y,
    across: lambda y, g: (g + (y * g).sum(0, keepdims=True)) * y,
    of_all: lambda y, g: y + (y * g).sum(),
    rows: rows, columns: columns, middle: lambda y, g: y.sum(-2),
}  # fmt: skip
"""of absolute values: the sum of the magnitudes of all terms"""
FORMULAS: list[Callable[..., Any]] = [softmax, across, of_all, layer_norm, rows, columns, middle]
SHAPES = [
    (3, 5),
    (200, 3),
    (3, 200),
    (70, 1024),
    (1025, 70),
    (5, 5000),
    (5000, 5),
    (40, 3, 50),
    (1, 9000),
    (17, 1, 300),
]


@every_build
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.__name__)
def test_sums_have_the_bound_and_the_same_bits_on_any_number_of_threads(
    name: str, formula: Callable[..., Any], shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = build(name)
    monkeypatch.setattr(sweeps, "MIN_ELEMENTS_FOR_THREADS", 1)  # so that small tensors have several jobs
    monkeypatch.setattr(sweeps, "MIN_BYTES_TO_PREFETCH", 0)
    monkeypatch.setattr(sweeps, "MIN_ELEMENTS_OF_PARTIAL_SUM", 16)
    monkeypatch.setattr(native_sweeps, "MIN_ELEMENTS_TO_STAGE", 1)
    rng = np.random.default_rng([len(shape), *shape])
    arrays = [rng.standard_normal(shape).astype(np.float32) for _ in range(2)]
    exact = np.asarray(formula(*(each.astype(np.float64) for each in arrays)))
    results = []
    for threads in (1, 2, 3, 7):
        found = np.zeros(exact.shape, np.float32)
        assert computed(library, formula, arrays, [found], threads) == "native"
        results.append(found.tobytes())
    assert len(set(results)) == 1
    if formula is layer_norm:
        np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-5)
    else:
        most = 8 * 2.0**-24 * MAGNITUDES[formula](*(np.abs(each).astype(np.float64) for each in arrays))
        assert (np.abs(found - exact) <= most + np.spacing(np.abs(found)) / 2).all()


@every_build
@pytest.mark.parametrize("shape", [(5, 70, 300), (3, 100, 2500), (2, 3, 64, 257)], ids=str)
def test_sums_from_one_end_of_memory_to_the_other(name: str, shape: tuple[int, ...]) -> None:
    """For each channel, over all images: a unit has several channels."""
    y, g = (np.random.default_rng(5).standard_normal(shape).astype(np.float32) for _ in range(2))
    over = (*range(len(shape) - 2), len(shape) - 1)
    found = [np.zeros(shape[-2], np.float32) for _ in range(2)]
    formulas = [lambda y, g: (y * g).sum(over, dtype=np.float64), lambda y, g: y.sum(over, dtype=np.float64)]
    results = set()
    for threads in (1, 3):
        assert computed(build(name), formulas, [y, g], found, threads) == "native"
        for out, formula in zip(found, formulas, strict=True):
            most = 8 * 2.0**-24 * formula(np.abs(y), np.abs(g))
            exact = formula(y.astype(np.float64), g.astype(np.float64))
            assert (np.abs(out - exact) <= most + np.spacing(np.abs(out)) / 2).all()
        results.add(tuple(out.tobytes() for out in found))
    assert len(results) == 1


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.__name__)
def test_all_builds_give_the_same_bits(formula: Callable[..., Any]) -> None:
    rng = np.random.default_rng(3)
    arrays = [rng.standard_normal((130, 1100)).astype(np.float32) for _ in range(2)]
    results = set()
    for name in BUILDS:
        found = np.zeros(np.asarray(formula(*arrays)).shape, np.float32)
        assert computed(build(name), formula, arrays, [found]) == "native"
        results.add(found.tobytes())
    assert len(results) == 1


def softmax_forward(x: Any, g: Any) -> Any:
    e = np.exp(x - np.max(x, -1, keepdims=True))
    return e / e.sum(-1, dtype=np.float64, keepdims=True).astype(np.float32)


EXTREMES: dict[str, Callable[..., Any]] = {
    "rows": lambda x, g: np.max(x, -1),
    "columns": lambda x, g: np.min(x, axis=0),
    "all": lambda x, g: np.max(x),
    "distance": lambda x, g: np.max(x, 0, keepdims=True) - np.min(x, 0, keepdims=True) + x,
    "differences": lambda x, g: x - np.min(x * g, -1, keepdims=True),
    "largest and sum": lambda x, g: np.maximum.reduce(x, axis=-1) + x.sum(-1, dtype=np.float64).astype(np.float32),
}


@every_build
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("formula", EXTREMES.values(), ids=EXTREMES)
def test_largest_and_smallest_elements(
    name: str, formula: Callable[..., Any], shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """As numpy has them: NaN if one is NaN."""
    monkeypatch.setattr(sweeps, "MIN_ELEMENTS_FOR_THREADS", 1)
    monkeypatch.setattr(sweeps, "MIN_BYTES_TO_PREFETCH", 0)
    monkeypatch.setattr(native_sweeps, "MIN_ELEMENTS_TO_STAGE", 1)
    monkeypatch.setattr(sweeps, "MIN_ELEMENTS_OF_PARTIAL_SUM", 16)
    library = build(name)
    rng = np.random.default_rng([len(shape), *shape])
    x, g = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    x.flat[::1001], x.flat[7::2003] = np.inf, -np.inf
    for nan in (False, True):
        if nan:
            x.flat[x.size // 2] = np.nan
        with np.errstate(invalid="ignore"):
            wanted = np.asarray(formula(x, g))
        for threads in (1, 3):
            found = np.zeros_like(wanted)
            assert computed(library, formula, [x, g], [found], threads) == "native"
            if formula is EXTREMES["largest and sum"]:
                np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
            else:
                np.testing.assert_array_equal(found, wanted)


@every_build
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_softmax(name: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(0, 9, shape).astype(np.float32)
    wanted, found = softmax_forward(x.astype(np.float64), None), np.zeros_like(x)
    assert computed(build(name), softmax_forward, [x, x], [found], 3) == "native"
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@every_build
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("product", [False, True], ids=["sum", "dot"])
def test_sums_beyond_float32_on_the_way(name: str, axis: int, *, product: bool) -> None:
    """2e38 + 2e38 - 3e38 is a float32. Infinities and NaN stay what they are."""
    x = np.tile(np.array([2e38, 2e38, -3e38, 0], np.float32), (40, 30))
    x[5, 7], x[6, 9], x[9, 100] = np.inf, np.nan, -np.inf
    x = x if axis else np.ascontiguousarray(x.T)
    ones = np.ones_like(x)

    def formula(x: Any, y: Any) -> Any:
        return (x * y if product else x).sum(axis, dtype=np.float64)

    with np.errstate(all="ignore"):
        wanted = formula(x, ones).astype(np.float32)
    found = np.zeros_like(wanted)
    assert computed(build(name), formula, [x, ones], [found]) == "native"
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@every_build
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, bfloat16])
def test_a_large_result_is_written_past_the_caches(
    name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """Lines of the cache that it has only a part of keep their other bytes."""
    monkeypatch.setattr(sweeps, "MIN_BYTES_TO_STREAM", 1)
    rng = np.random.default_rng(1)
    y, g = (rng.standard_normal((7, 2500)).astype(np.float32) for _ in range(2))
    wanted = np.zeros((9, 2600), np.float32)
    wanted[1:-1, 3:2503] = y * g
    found = np.zeros(wanted.shape, dtype)
    assert computed(build(name), lambda y, g: y * g, [y, g], [found[1:-1, 3:2503]]) == "native"
    same(found.astype(np.float32), wanted.astype(dtype).astype(np.float32))


@every_build
def test_a_result_in_place_equals_the_result_elsewhere(name: str) -> None:
    rng = np.random.default_rng(1)
    for formula in (softmax, across, lambda y, g: y * g + y):
        y, g = (rng.standard_normal((60, 500)).astype(np.float32) for _ in range(2))
        apart = np.zeros_like(y)
        assert computed(build(name), formula, [y, g], [apart], 3) == "native"
        assert computed(build(name), formula, [y, g], [y], 3) == "native"
        same(y, apart)


def test_several_results_of_one_sweep() -> None:
    rng = np.random.default_rng(1)
    y, g = (rng.standard_normal((60, 500)).astype(np.float32) for _ in range(2))
    outs = [np.zeros_like(y) for _ in range(3)]
    formulas = [lambda y, g: y * g, lambda y, g: y + g, lambda y, g: y * g]
    assert computed(build("plain"), formulas, [y, g], outs) == "native"
    for out, formula in zip(outs, formulas, strict=True):
        same(out, formula(y, g))


def mean(x: Any, g: Any) -> Any:
    return x.sum(-1, dtype=np.float64, keepdims=True).astype(np.float32) / np.float32(x.shape[-1])


def deviation(x: Any, g: Any) -> Any:
    centred = x - mean(x, g)
    return np.sqrt((centred * centred).sum(-1, dtype=np.float64, keepdims=True).astype(np.float32))


def normalised(x: Any, g: Any) -> Any:
    return (x - mean(x, g)) / deviation(x, g)


def all_three(x: Any, g: Any) -> tuple[Any, ...]:
    m = mean(x, g)
    centred = x - m
    d = np.sqrt((centred * centred).sum(-1, dtype=np.float64, keepdims=True).astype(np.float32))
    return centred / d, m, d


def of_the_same_nodes(formula: Callable[..., Any], count: int) -> list[Callable[..., Any]]:
    """A formula for each result of one that has several."""
    made: list[Any] = []

    def one(at: int, *arrays: Any) -> Any:
        if not made:
            made.extend(formula(*arrays))
        return made[at]

    return [partial(one, at) for at in range(count)]


@every_build
@pytest.mark.parametrize("shape", [(300, 5), (90, 1024), (30, 5000)], ids=str)
@pytest.mark.parametrize("threads", [1, 3])
def test_small_results_take_the_sums_of_a_large_one(
    name: str, shape: tuple[int, ...], threads: int, swept: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sweep computes all of them, with the bits that each has alone."""
    monkeypatch.setattr(sweeps, "MIN_ELEMENTS_FOR_THREADS", 1)
    monkeypatch.setattr(sweeps, "MIN_BYTES_TO_PREFETCH", 0)
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    outs = [np.zeros((shape[0], size), np.float32) for size in (shape[1], 1, 1)]
    assert computed(build(name), of_the_same_nodes(all_three, 3), [x, x], outs, threads) == "native"
    assert len(swept) == 1
    for out, formula in zip(outs, (normalised, mean, deviation), strict=True):
        alone = np.zeros_like(out)
        assert computed(build(name), formula, [x, x], [alone]) == "native"
        same(out, alone)


@every_build
@pytest.mark.parametrize("threads", [1, 3])
def test_small_results_take_the_sums_of_a_large_one_with_few_rows(
    name: str, threads: int, swept: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All threads make the sums of each level, and then the large result: too few rows are independent."""
    monkeypatch.setattr(native_sweeps, "MIN_ELEMENTS_TO_STAGE", 1)
    x = np.random.default_rng(1).standard_normal((3, 5000)).astype(np.float32)
    outs = [np.zeros((3, size), np.float32) for size in (5000, 1, 1)]
    assert computed(build(name), of_the_same_nodes(all_three, 3), [x, x], outs, threads) == "native"
    assert len(swept) == 3
    for out, formula in zip(outs, (normalised, mean, deviation), strict=True):
        np.testing.assert_allclose(out, np.asarray(formula(x, x)), rtol=1e-5, atol=1e-6)


@every_build
def test_small_results_read_what_a_result_in_place_overwrites(name: str) -> None:
    x = np.random.default_rng(1).standard_normal((40, 300)).astype(np.float32)
    first = x[:, :1].copy()
    outs = [x, np.zeros((40, 1), np.float32)]
    expected = mean(x, x) + first
    formulas = of_the_same_nodes(lambda x, g: (x - (m := mean(x, g)), m + g), 2)
    assert computed(build(name), formulas, [x, x[:, :1]], outs) == "native"
    np.testing.assert_allclose(outs[1], expected, rtol=1e-5, atol=1e-6)


@every_build
@pytest.mark.parametrize(("width", "times"), [(7, 1), (1024, 1), (2048, 1), (2049, 2), (5000, 2)])
def test_what_is_in_one_block_is_computed_once(
    name: str, width: int, times: int, swept: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bits are those of computing it again."""
    x = np.random.default_rng(1).normal(0, 9, (50, width)).astype(np.float32)
    found = [np.zeros_like(x) for _ in range(2)]
    assert computed(build(name), softmax_forward, [x, x], found[:1], 3) == "native"
    assert [each.count("exp") for each in swept] == [times]
    monkeypatch.setattr(sweeps.NativeSweep, "_registers_survive", lambda *_: False)
    assert computed(build(name), softmax_forward, [x, x], found[1:], 3) == "native"
    assert swept[1].count("exp") == 2
    same(*found)


UNKNOWN: dict[str, Callable[[Any, Any], Any]] = {
    "arctan of float32": lambda x, y: np.arctan(x),
    "rows with a large stride": lambda x, y: x + y,
}


@pytest.mark.parametrize("why", UNKNOWN)
def test_what_the_evaluator_does_not_know_is_computed_as_it_is_written(why: str) -> None:
    x = np.random.default_rng(0).standard_normal((300, 400)).astype(np.float32)
    y = np.random.default_rng(1).standard_normal((400, 300)).astype(np.float32).T
    found = np.zeros_like(x)
    assert computed(build("plain"), UNKNOWN[why], [x, y], [found]) == f"as it is written: {why}"
    same(found, UNKNOWN[why](x, y))


FORKED = """
import os, numpy as np
from tests.aclnn.engine.fast.native.evaluating import build, computed
x, out = np.ones((600, 700), np.float32), np.zeros((600, 700), np.float32)
assert computed(build("plain"), lambda x: x + 1, [x], [out], 3) == "native"
child = os.fork()
out[...] = 0
computed(build("plain"), lambda x: x + 1, [x], [out], 3)
if not child:
    os._exit(0 if (out == 2).all() else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_child_of_fork_has_helpers_of_its_own() -> None:
    build("plain")  # else the test is skipped
    root = Path(__file__).parents[5]
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], cwd=root, timeout=PATIENCE, check=False)
    assert done.returncode == 0
