"""Sums along dimensions by each build of the evaluator: the bits of the formulas as they are written, on any number of
threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import blending
from aclnn.engine.fast.native import blending as native
from aclnn.engine.numbers.rounding import store, widen
from aclnn.engine.steps.windows import Windows, adaptive, count_of, grid_of, regular
from aclnn.ops.pooling import sums
from aclnn.ops.resize import taps
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out, same

TYPES = (np.float32, np.float16, bfloat16)
SHAPES = [
    ((3,), (40,), ()), ((2, 5), (7, 9), ()), ((1, 1), (6, 2500), ()), ((1,), (300, 110), ()), ((2, 2), (5, 6, 7), ()),
    ((2,), (9, 8), (3,)), ((1,), (40, 50), (70,)), ((99,), (2, 3), ()), ((2,), (60, 5, 130), ()), ((3,), (1, 1, 1), ()),
    ((1,), (90,), (40,)),
]  # fmt: skip
"""the batch, the dimensions of the sums, and those behind"""
PLANES = np.ones((4, 30, 40), np.float32)
METHODS: dict[str, Callable[..., taps.Taps]] = {
    "linear": taps.linear, "cubic": taps.cubic, "nearest": taps.of_nearest,
    "antialiased": partial(taps.antialiased, scale=0.0, align=False, half=1.0, filter=taps.triangle),
}  # fmt: skip


def values(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Normal numbers; some are NaN, infinite, zero or minus zero."""
    found = rng.standard_normal(shape, np.float32)
    for special in (np.nan, np.inf, -np.inf, 0.0, -0.0):
        found[rng.random(shape) < 0.01] = special
    return found.astype(dtype)


def check(name: str, monkeypatch: pytest.MonkeyPatch, work: Callable[[np.ndarray], None], expected: np.ndarray) -> None:
    """The evaluator does the work, and its bits are the expected ones."""
    monkeypatch.setattr(blending, "MIN_ELEMENTS_FOR_EVALUATOR", 1)
    monkeypatch.setattr(native, "MIN_ELEMENTS_FOR_THREADS", 1)
    monkeypatch.setattr(blending, "evaluator", lambda: build(name))
    for threads in (1, 3):
        out = np.full(expected.shape, 7, expected.dtype)
        with Machine(threads=threads) as machine, np.errstate(all="ignore"):
            work(out)
            assert set(machine.compute_threads.counts) == {"native"}
        same(widen(out), widen(expected))


def as_written(formula: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """The result of a formula in float32, rounded to the type of x."""
    with np.errstate(all="ignore"):
        result = formula(widen(x))
        out = np.empty(result.shape, x.dtype)
        store(result, out)
    return out


@every_build
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_weighted_sums(name: str, shape: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By any method; and the gradient of each, whose results have different numbers of terms."""
    lead, sizes, behind = shape
    rng = np.random.default_rng(len(str(shape)))
    axes = tuple(range(len(lead), len(lead) + len(sizes)))
    for method in METHODS.values():
        out_sizes = [int(rng.integers(1, 2 * size + 2)) for size in sizes]
        forward = [method(size, to) for size, to in zip(sizes, out_sizes, strict=True)]
        backward = [each.transposed(size) for each, size in zip(forward, sizes, strict=True)]
        for given, table in ((sizes, forward), (out_sizes, backward)):
            x = values(rng, (*lead, *given, *behind), dtype)
            expected = as_written(partial(taps.resampled_as_written, axes=axes, taps=table), x)
            check(name, monkeypatch, lambda out, x=x, t=table: taps.resampled(x, out=out, axes=axes, taps=t), expected)


@every_build
@pytest.mark.parametrize("dtype", [*TYPES, np.int8, np.int64, np.float64, np.complex64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_picks(name: str, shape: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elements of any type, bit for bit."""
    lead, sizes, behind = shape
    rng = np.random.default_rng(len(str(shape)))
    axes = tuple(range(len(lead), len(lead) + len(sizes)))
    x = rng.integers(0, 256, (*lead, *sizes, *behind, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0]
    x = np.ascontiguousarray(x)
    picks = [rng.integers(0, size, int(rng.integers(1, 2 * size + 2))) for size in sizes]
    picks[0].sort()
    bits = f"V{x.itemsize}"
    expected = taps.picked_as_written(x.view(bits), axes=axes, picks=picks).view(f"({x.itemsize},)u1")

    def work(out: np.ndarray) -> None:
        taps.picked(x, out=out.view(dtype)[..., 0], axes=axes, picks=picks)

    check(name, monkeypatch, work, expected)


def windows(rng: np.random.Generator, size: int) -> list[Windows]:
    """Windows of a pool: regular ones, with padding; adaptive ones; one of all."""
    kernel, stride = (int(each) for each in rng.integers(1, 4, 2))
    kernel, before = min(kernel, size), min(kernel, size) // 2
    count = count_of(size, kernel, stride, 2 * before)
    some = adaptive(size, int(rng.integers(1, size + 1)))
    return [regular(size, kernel, stride, before, 1, count), some, adaptive(size, 1)]


@every_build
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [each for each in SHAPES if not each[2]], ids=str)
def test_means_of_windows(name: str, shape: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numpy adds long rows pairwise, so sums of float64 may differ in their last bits: these numbers have few bits."""
    lead, sizes, _ = shape
    rng = np.random.default_rng(len(str(shape)))
    special = values(rng, (*lead, *sizes), np.float32)
    x = np.where(np.isfinite(special), np.round(special * 64) / 64, special).astype(dtype)
    for pool in zip(*(windows(rng, size) for size in sizes), strict=True):
        whole = sums.outer([own.sizes() for own in pool])
        for shares in (whole, 9.0, rng.uniform(0.5, 2, grid_of(pool))):
            expected = as_written(partial(sums.average_as_written, windows=pool, shares=shares), x)
            check(
                name, monkeypatch,
                lambda out, pool=pool, shares=shares: sums.average(x, out=out, windows=pool, divisor=lambda _: shares),
                expected,
            )  # fmt: skip


def test_a_mean_is_rounded_once() -> None:
    """The sum is 2**24 + 3, which float32 lacks: rounded first, it would give 4194305, not 4194304.75."""
    x = np.array([2**24, 1, 1, 1] * 600, np.float32).reshape(600, 1, 4)
    out = np.empty((600, 1, 1), np.float32)
    with Machine():
        sums.average(x, out=out, windows=[adaptive(1, 1), adaptive(4, 1)], divisor=lambda _: 4.0)
    assert set(out.ravel()) == {np.float32(4194304.75)}


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (np.zeros((4, 30, 40)), "sums of float64"),
        (laid_out(np.random.default_rng(0), PLANES), "sums of tensors that are not dense"),
        (PLANES, "sums of rows that are too long"),
    ],
)  # fmt: skip
def test_other_sums_are_left_to_numpy(x: np.ndarray, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row between two dimensions is as long as the memory of a job allows."""
    monkeypatch.setattr(blending, "evaluator", lambda: build("plain"))
    monkeypatch.setattr(native, "ROOM", 39)
    both = [taps.linear(30, 60), taps.linear(40, 80)]
    out = np.empty((4, 60, 80), x.dtype)
    with Machine() as machine:
        taps.resampled(x, out=out, axes=(1, 2), taps=both)
        assert list(machine.compute_threads.counts) == [f"as it is written: {reason}"]
    same(out, taps.resampled_as_written(x, axes=(1, 2), taps=both))
