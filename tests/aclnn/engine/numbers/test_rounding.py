"""Sums by their type, `widen`, and `store` into every kind of output."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16, float8_e4m3fn

from aclnn.engine.numbers.rounding import MIN_ELEMENTS, store, total, widen


@pytest.mark.parametrize("dtype", [np.float16, bfloat16, np.float32, float8_e4m3fn], ids=lambda each: each.__name__)
def test_sums_of_up_to_32_bits_have_float64_partials_and_give_float32(dtype: Any) -> None:
    values = np.random.default_rng(4).normal(size=(7, 500)).astype(dtype)
    found = total(values, 1)
    assert found.dtype == np.float32
    assert found.tobytes() == values.astype(np.float32).sum(1, dtype=np.float64).astype(np.float32).tobytes()


def test_float32_has_no_overflow_on_the_way() -> None:
    assert total(np.array([3e38, 3e38, -3e38], np.float32), 0) == np.float32(3e38)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_sums_of_integers_wrap_in_their_own_width(dtype: Any) -> None:
    values = np.random.default_rng(5).integers(0, 2**64, (3, 50), np.uint64).astype(dtype)
    found = total(values, -1, keepdims=True)
    assert (found.dtype, found.shape) == (dtype, (3, 1))
    mask = 2 ** (8 * values.itemsize) - 1
    assert [int(each) & mask for each in found[:, 0]] == [sum(map(int, row)) & mask for row in values]


def test_sums_of_int64_beyond_2_to_the_53_are_exact() -> None:
    assert total(np.array([2**60, 1, 1]), 0) == 2**60 + 2


def test_sums_of_float64_and_complex_keep_their_type() -> None:
    values = np.random.default_rng(6).normal(size=(4, 1000))
    assert total(values, 1).dtype == np.float64
    np.testing.assert_allclose(total(values, 1), [math.fsum(row) for row in values], rtol=1e-12)
    whole = values + 1j
    assert total(whole, (0, 1)).dtype == np.complex128
    single = np.array([2.0**24, 1, 1, -(2.0**24)]).astype(np.complex64) * (1 + 1j)
    assert (total(single, 0).dtype, complex(total(single, 0))) == (np.complex64, 2 + 2j)


@pytest.mark.fidelity("a cast to INT4, a sum of bool")
def test_bool_counts() -> None:
    values = np.array([[True, True, False], [False] * 3])
    assert (total(values, 1).dtype, total(values, 1).tolist()) == (np.int64, [2, 0])
    assert total(values, 1, dtype=np.dtype(bool)).tolist() == [True, False]
    assert total(np.ones(300, bool), None, dtype=np.dtype(np.uint8)) == 44


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        (np.array([1.5, 1.25], np.float32), np.int32, 2), (np.array([100, 100], np.int8), np.int32, 200),
        (np.array([100, 100], np.int8), np.float32, 200),
        (np.array([60000, 60000], np.float16), np.float16, np.inf), (np.array([1, 2], np.float32), np.complex64, 3),
        (np.array([1, 2.0**-40], np.float32), np.float64, 1 + 2.0**-40),
        (np.array([1 + 2j, 1], np.complex64), np.float32, 2),
    ],
)  # fmt: skip
def test_a_sum_in_an_asked_type(values: np.ndarray, dtype: Any, expected: Any) -> None:
    with np.errstate(over="ignore"):
        found = total(values, 0, dtype=np.dtype(dtype))
    assert (found.dtype, found) == (dtype, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128, np.int8, np.uint64, bool])
def test_widen_leaves_other_types_as_they_are(dtype: Any) -> None:
    values = np.ones(MIN_ELEMENTS, dtype)
    assert widen(values) is values


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [1, MIN_ELEMENTS], ids=["few", "many"])
@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (np.float64(1 + 2.0**-11 + 2.0**-40), np.float16, 1 + 2.0**-10), (np.float64(1 + 2.0**-11), np.float16, 1),
        (np.float64(1 + 2.0**-8 + 2.0**-40), bfloat16, 1 + 2.0**-7), (np.float64(1 + 2.0**-8), bfloat16, 1),
        (np.complex128(1 + 2.0**-11 + 2.0**-40), np.float16, 1 + 2.0**-10), (np.float32(np.nan), np.int64, 0),
        (np.float32(1e30), np.int32, 2**31 - 1), (np.float32(300), np.int8, 44), (np.float64(-1), np.uint8, 255),
        (np.complex64(2.5 + 1j), np.int32, 2), (np.complex64(1j), bool, True), (np.float32(0.25), bool, True),
        (bfloat16(2.5), np.int16, 2), (np.int64(2**32 + 5), np.int32, 5), (bfloat16(2), bool, True),
        (np.float64(1e300), bfloat16, np.inf), (np.float64(-1e300), np.float16, -np.inf),
        (np.float64(1e-300), bfloat16, 0),
    ],
)  # fmt: skip
def test_store_rounds_once_and_casts_as_the_library(value: Any, dtype: Any, expected: Any, count: int) -> None:
    out = np.zeros(count, dtype)
    with np.errstate(over="ignore", under="ignore"):
        store(np.full(count, value), out)
    assert (out == expected).all()


def test_store_of_float64_nan_is_nan() -> None:
    for dtype in (np.float16, bfloat16, np.float32):
        out = np.zeros(MIN_ELEMENTS, dtype)
        store(np.full(MIN_ELEMENTS, np.nan), out)
        assert np.isnan(out.astype(np.float32)).all()
