"""Products of matrices in jobs of the evaluator: against float64, with the same bits for each build and any threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import Machine
from aclnn.engine.fast import panels, products
from aclnn.engine.fast.native.library import BUILDS, load
from aclnn.engine.fast.products import Combination
from tests.aclnn.engine.fast.native.evaluating import build, every_build, laid_out

Shape = tuple[int, ...]
FLOATS = (np.float32, np.float16, bfloat16)
SHAPES: list[tuple[Shape, Shape]] = [
    ((1, 1), (1, 1)), ((7, 5), (5, 3)), ((1, 300), (300, 70)), ((70, 300), (300, 1)), ((3, 130, 64), (3, 64, 70)),
    ((5, 33, 17), (17, 65)), ((2, 1, 40, 70), (3, 70, 9)), ((530, 90), (90, 520)), ((40, 2500), (2500, 30)),
    ((300, 4, 4), (300, 4, 4)), ((2, 1, 1, 1, 1, 2, 3, 4), (3, 1, 1, 2, 1, 4, 2)),
]  # fmt: skip
WHOLE = [((5, 3000), (3000, 70)), ((600, 1024), (1024, 90)), ((3, 30, 2049), (2049, 40))]
"""of INT8"""
NARROW = {np.float32: 0.0, np.float16: 2.0**-11, bfloat16: 2.0**-8}
"""half a unit in the last place, of 1"""


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "MIN_MULTIPLICATIONS", 1)
    blas = products.blas()
    if blas is None or blas.products is None:
        pytest.skip("numpy's BLAS is no OpenBLAS with integers of 64 bits")


def numbers(rng: np.random.Generator, shape: Shape, dtype: Any) -> np.ndarray:
    if dtype is np.int8:
        return rng.integers(-128, 128, shape).astype(dtype)
    return rng.standard_normal(shape).astype(np.float32).astype(dtype)


def by_evaluator(name: str, monkeypatch: pytest.MonkeyPatch, one: np.ndarray, other: np.ndarray, out: np.ndarray,
                 **others: Any) -> None:  # fmt: skip
    """Into `out`; the same bits for one, two and three threads, and without gaps the same as any other build."""
    monkeypatch.setattr(products, "evaluator", lambda: build(name))
    bits: set[bytes] = set()
    for threads in (1, 2, 3):
        with Machine(threads=threads) as machine:
            panels.multiply_in_panels(one, other, out, **others)
            assert set(machine.compute_threads.counts) == {"native"}
        bits.add(out.tobytes())
    assert len(bits) == 1


def close(found: np.ndarray, wanted: np.ndarray, sizes: np.ndarray, dtype: Any) -> None:
    """Within some units of the sum of the magnitudes, and half a unit in the last place."""
    assert (np.abs(found.astype(float) - wanted) <= 2.0**-20 * sizes + NARROW[dtype] * np.abs(wanted) + 1e-7).all()


@every_build
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("one", SHAPES, ids=str)
def test_a_product_is_that_of_float64(name: str, one: tuple[Shape, Shape], dtype: Any, monkeypatch: Any) -> None:
    """Dense and transposed; and with gaps and backwards, into an output with gaps."""
    rng = np.random.default_rng(len(one[0]))
    a, b = (numbers(rng, shape, dtype) for shape in one)
    wanted, sizes = a.astype(float) @ b.astype(float), np.abs(a.astype(float)) @ np.abs(b.astype(float))
    turned = [np.ascontiguousarray(each.swapaxes(-1, -2)).swapaxes(-1, -2) for each in (a, b)]
    out = np.full(wanted.shape, np.nan, dtype)
    for left, right, to in (
        (a, b, out), (*turned, out.copy()), (turned[0], b, out.copy()),
        (laid_out(rng, a), laid_out(rng, b), laid_out(rng, out)),
    ):  # fmt: skip
        by_evaluator(name, monkeypatch, left, right, to)
        close(to, wanted, sizes, dtype)


@every_build
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_combination_is_that_of_the_formula(name: str, dtype: Any, monkeypatch: Any) -> None:
    """The product rounded, times alpha, plus beta * a row for all, rounded: bit for bit as `Combination` does it."""
    rng = np.random.default_rng(3)
    a, b = numbers(rng, (2, 300, 40), dtype), numbers(rng, (2, 40, 50), dtype)
    plus = np.broadcast_to(numbers(rng, (50,), bfloat16), (2, 300, 50))
    plain = np.empty((2, 300, 50), np.float32)
    by_evaluator(name, monkeypatch, a.astype(np.float32), b.astype(np.float32), plain)
    for then in (
        Combination(plus, 0.5, np.float32(2.0)), Combination(None, 3, 1, np.dtype(np.float16), np.dtype(np.float16)),
        Combination(plus, 1, 1, np.dtype(bfloat16), np.dtype(bfloat16)),
    ):  # fmt: skip
        out, wanted = np.empty(plain.shape, dtype), then(plain, (slice(None),) * 3).astype(dtype)
        by_evaluator(name, monkeypatch, a, b, out, epilogue=then)
        assert (out.astype(float) == wanted.astype(float)).mean() > 0.99  # (sums of other parts of a factor)
        by_evaluator(name, monkeypatch, a.astype(np.float32), b.astype(np.float32), out, epilogue=then)
        assert out.tobytes() == wanted.tobytes()


@every_build
@pytest.mark.parametrize("shape", WHOLE, ids=str)
def test_sums_of_int8_are_exact(name: str, shape: tuple[Shape, Shape], monkeypatch: Any) -> None:
    """Also where all products are the largest one: 3000 * 2**14 is not exact in float32."""
    rng = np.random.default_rng(1)
    for a, b in (
        [numbers(rng, each, np.int8) for each in shape], [np.full(each, -128, np.int8) for each in shape],
    ):  # fmt: skip
        wanted = a.astype(np.int64) @ b.astype(np.int64)
        out = np.empty(wanted.shape, np.int64)
        finish = lambda values, _: values.astype(np.int64)  # noqa: E731
        by_evaluator(name, monkeypatch, a, laid_out(rng, b), out, exact=True, epilogue=finish)
        assert (out == wanted).all()


@every_build
def test_values_that_are_no_numbers(name: str, monkeypatch: Any) -> None:
    """Infinity and NaN are summed up, and a product of nothing but zeros overwrites NaN."""
    a, b = np.zeros((40, 30), np.float32), np.zeros((30, 50), np.float32)
    a[3, 4], a[5, 6], b[6, 7], b[9, 9] = np.inf, np.nan, -np.inf, np.inf
    a[7, 9] = 1
    with np.errstate(all="ignore"):
        wanted = np.array(a.astype(float) @ b.astype(float))
    out = np.full((40, 50), np.nan, np.float32)
    by_evaluator(name, monkeypatch, a, b, out)
    np.testing.assert_array_equal(out, wanted)
    assert out[7, 9] == np.inf
    assert np.isnan(out[3]).all()
    assert not out[0, :7].any()


@every_build
def test_an_output_may_be_a_factor_or_the_addend(name: str, monkeypatch: Any) -> None:
    rng = np.random.default_rng(2)
    a, b, c = (numbers(rng, (90, 90), np.float32) for _ in range(3))
    wanted = a.astype(float) @ b.astype(float)
    monkeypatch.setattr(products, "evaluator", lambda: build(name))
    with Machine(threads=2):
        left, right, sums = a.copy(), b.copy(), c.copy()
        panels.multiply_in_panels(left, b, left)
        panels.multiply_in_panels(a, right, right)
        panels.multiply_in_panels(a, b, sums, epilogue=Combination(sums))
        for found in (left, right, sums - c):
            assert np.abs(found - wanted).max() < 1e-4
        shifted = np.concatenate([c, c])
        wanted = wanted + shifted[45:135]
        panels.multiply_in_panels(a, b, shifted[:90], epilogue=Combination(shifted[45:135]))
        assert np.abs(shifted[:90] - wanted).max() < 1e-4


@every_build
def test_what_the_evaluator_does_not_know_is_left_to_numpy(name: str, monkeypatch: Any) -> None:
    """Results that overlap themselves, misaligned elements, other types: with a reason."""
    monkeypatch.setattr(products, "evaluator", lambda: build(name))
    ones = np.ones((4, 4), np.float32)
    memory = np.zeros(65, np.uint8)[1:].view(np.float32).reshape(4, 4)
    twice = np.lib.stride_tricks.as_strided(np.zeros(8, np.float32), (4, 4), (4, 4))
    whole = ones.astype(np.int32)
    for one, out, why in (
        (ones, twice, "results with overlapping elements"), (memory, ones.copy(), "misaligned elements"),
        (whole, whole.copy(), "products of int32"),
    ):  # fmt: skip
        with Machine() as machine:
            panels.multiply_in_panels(one, whole if one is whole else ones, out)
            assert f"as it is written: {why}" in machine.compute_threads.counts
    assert (whole @ whole == 4).all()


@pytest.mark.fidelity("non-deterministic results")
@pytest.mark.parametrize("dtype", FLOATS)
def test_all_builds_give_the_same_bits(dtype: Any, monkeypatch: Any) -> None:
    rng, bits = np.random.default_rng(5), set[bytes]()
    a, b, plus = numbers(rng, (70, 1100), dtype), numbers(rng, (1100, 80), dtype), numbers(rng, (80,), dtype)
    names = list(filter(load, BUILDS))
    for name in names:
        out = np.empty((70, 80), dtype)
        by_evaluator(name, monkeypatch, a, b, out, epilogue=Combination(np.broadcast_to(plus, out.shape), 0.3))
        bits.add(out.tobytes())
    assert len(bits) == bool(names)
