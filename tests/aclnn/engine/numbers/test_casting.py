"""The internal cast: truncation, saturation, wrap, roundings, bool, complex, packed types."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime.headers.enums import aclDataType as T
from acl_runtime.objects.soc import Series
from aclnn.engine.numbers.casting import (
    array_dtype,
    cast_to,
    pack_complex32,
    pack_int4,
    unpack_complex32,
    unpack_int4,
)

A2, OTHER = Series.A2, Series.A200I_500_A2
INTEGERS = {
    T.ACL_INT8: 8, T.ACL_INT16: 16, T.ACL_INT32: 32, T.ACL_INT64: 64, T.ACL_UINT8: 8, T.ACL_UINT16: 16,
    T.ACL_UINT32: 32, T.ACL_UINT64: 64,
}  # fmt: skip


def by_rule(value: float, target: T) -> int:
    """The cast of one float, in Python's integers."""
    if np.isnan(value):
        return 0
    low, high = (-(2**31), 2**31 - 1) if target in (T.ACL_INT8, T.ACL_INT16, T.ACL_INT32) else (-(2**63), 2**63 - 1)
    high = 2**64 - 1 if target is T.ACL_UINT64 else high
    whole = (low if value < 0 else high) if np.isinf(value) else min(max(int(value), low), high)
    bits = INTEGERS[target]
    whole %= 2**bits
    return whole - 2**bits if whole >= 2 ** (bits - 1) and target.name.startswith("ACL_INT") else whole


@pytest.mark.fidelity("float to integer beyond its range")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("target", list(INTEGERS), ids=lambda each: each.name)
@pytest.mark.parametrize(
    "dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64], ids=lambda each: each.__name__
)
def test_floats_are_truncated_then_saturate_then_wrap(dtype: Any, target: T) -> None:
    rng = np.random.default_rng(1)
    edges = [0.5, 0.99, 1.5, 127, 128, 255.9, 256, 300, 32768, 65535, 2.0**31, 2.0**32, 2.0**63, 2.0**64, 1e30, np.inf]
    values = np.array([*edges, *(2.0 ** rng.uniform(-3, 70, 400))])
    with np.errstate(all="ignore"):
        given = np.concatenate((values, -values, [np.nan, 2.0**31 - 1, -(2.0**31) - 1, -0.0])).astype(dtype)
    found = cast_to(given, target, A2)
    assert found.dtype == array_dtype(target)
    assert found.tolist() == [by_rule(float(each), target) for each in given]
    alone = [cast_to(given[number : number + 1], target, A2)[0] for number in range(len(given))]
    assert found.tolist() == alone  # whether others of the array are in range or not
    assert cast_to(given[:0], target, A2).tolist() == []


def test_300_as_int8_keeps_the_low_bits() -> None:
    assert cast_to(np.array([300.0, -300.0, -1.9], np.float32), T.ACL_INT8, A2).tolist() == [44, -44, -1]


@pytest.mark.parametrize("target", list(INTEGERS), ids=lambda each: each.name)
@pytest.mark.parametrize("source", list(INTEGERS), ids=lambda each: each.name)
def test_integers_keep_their_low_bits(source: T, target: T) -> None:
    given = np.random.default_rng(2).integers(0, 2**64, 200, np.uint64).astype(array_dtype(source))
    series = OTHER if (source, target) == (T.ACL_INT32, T.ACL_INT8) else A2
    mask = 2 ** INTEGERS[target] - 1
    found = cast_to(given, target, series)
    assert [int(each) & mask for each in found] == [int(each) & mask for each in given]


@pytest.mark.fidelity("INT32 to INT8 by way of FLOAT16")
def test_int32_becomes_int8_by_way_of_float16() -> None:
    """Exact up to 2048; beyond, the float16 is rounded or infinite."""
    exact = np.arange(-2048, 1921, dtype=np.int32)
    np.testing.assert_array_equal(cast_to(exact, T.ACL_INT8, A2), exact.astype(np.int8))
    beyond = np.array([2049, 2051, 100_000, -100_000], np.int32)
    assert cast_to(beyond, T.ACL_INT8, A2).tolist() == [0, 4, -1, 0]
    assert cast_to(beyond, T.ACL_INT8, OTHER).tolist() == [1, 3, -96, 96]


@pytest.mark.parametrize(
    ("given", "target", "expected"),
    [
        (np.array([2**24 + 1, 257, 259], np.int32), T.ACL_BF16, [2.0**24, 256, 260]),
        # the float32 of the first is halfway, and goes to even; one rounding would go up
        (np.array([(257 << 18) + 1], np.int32), T.ACL_BF16, [256 << 18]),
        (np.array([(257 << 18) + 1], np.int64), T.ACL_BF16, [256 << 18]),
        (np.array([(257 << 18) + 1], np.uint32), T.ACL_BF16, [256 << 18]),
        (np.array([2049, 65520], np.int64), T.ACL_FLOAT16, [2048, np.inf]),
        (np.array([2**53 + 1], np.int64), T.ACL_DOUBLE, [2.0**53]),
        (np.array([2**24 + 1], np.int32), T.ACL_FLOAT, [2.0**24]),
    ],
    ids=["s32-bf16", "s32-bf16-twice", "s64-bf16-twice", "u32-bf16-twice", "s64-f16", "s64-f64", "s32-f32"],
)  # fmt: skip
def test_integers_become_floats(given: np.ndarray, target: T, expected: list[float]) -> None:
    assert cast_to(given, target, A2).astype(np.float64).tolist() == expected


@pytest.mark.parametrize("target", [T.ACL_FLOAT16, T.ACL_BF16, T.ACL_FLOAT8_E5M2], ids=lambda each: each.name)
def test_float64_is_rounded_once(target: T) -> None:
    """Just above the middle of two neighbours, by less than a float32 shows."""
    dtype = array_dtype(target)
    low = np.array([1.0, 1.5, 2.0**-14, -3.0], dtype)
    bits = low.view(np.uint16 if dtype.itemsize == 2 else np.uint8)
    high = (bits + 1).astype(bits.dtype).view(dtype)
    middle = (low.astype(np.float64) + high.astype(np.float64)) / 2
    assert cast_to(middle * (1 + 2.0**-40), target, A2).tobytes() == high.tobytes()
    assert cast_to(middle * (1 - 2.0**-40), target, A2).tobytes() == low.tobytes()


@pytest.mark.parametrize("target", [T.ACL_FLOAT16, T.ACL_BF16], ids=lambda each: each.name)
def test_float64_goes_to_the_nearest(target: T) -> None:
    """The distance in exact fractions to the result is at most that to its neighbours."""
    rng = np.random.default_rng(3)
    given = rng.choice([-1, 1], 300) * 2.0 ** rng.uniform(-26, 15, 300)
    found = cast_to(given, target, A2)
    bits = found.view(np.uint16).astype(np.int64)
    for step in (1, -1):
        beside = (bits + step).astype(np.uint16).view(found.dtype)
        for value, ours, other in zip(given, found, beside, strict=True):
            if np.isfinite(float(other)):
                away = abs(Fraction(float(other)) - Fraction(value))
                assert abs(Fraction(float(ours)) - Fraction(value)) <= away


def test_any_number_but_0_is_true() -> None:
    for given in (
        [0, 2, 256],
        np.array([0, 1e-45, np.nan], np.float32),
        np.array([0, 1j, 1]),
        np.array([0, 1, 2], ml_dtypes.bfloat16),
    ):
        assert cast_to(np.asarray(given), T.ACL_BOOL, A2).tolist() == [False, True, True]


def test_bool_is_0_or_1_in_every_type() -> None:
    for target in (T.ACL_INT8, T.ACL_UINT64, T.ACL_FLOAT16, T.ACL_BF16, T.ACL_DOUBLE, T.ACL_COMPLEX64, T.ACL_INT4):
        assert cast_to(np.array([True, False]), target, A2).astype(complex).tolist() == [1, 0]


def test_complex_keeps_its_real_part_and_real_gets_0() -> None:
    given = np.array([1.75 + 3j, -2.5 - 1j])
    assert cast_to(given, T.ACL_INT32, A2).tolist() == [1, -2]
    assert cast_to(given, T.ACL_BF16, A2).astype(float).tolist() == [1.75, -2.5]
    assert cast_to(np.array([2**24 + 1], np.int64), T.ACL_COMPLEX64, A2).tolist() == [2.0**24]
    found = cast_to(np.array([0.1], np.float64), T.ACL_COMPLEX128, A2)
    assert (found.dtype, found.tolist()) == (np.complex128, [0.1])


def test_complex32_is_complex64_with_parts_of_float16() -> None:
    given = np.array([0.1 + 70000j, 1 - 2j])
    found = cast_to(given, T.ACL_COMPLEX32, A2)
    assert found.dtype == np.complex64
    np.testing.assert_array_equal(np.real(found), np.array([0.1, 1], np.float16))
    np.testing.assert_array_equal(np.imag(found), np.array([np.inf, -2], np.float32))
    pairs = pack_complex32(found)
    assert (pairs.dtype, pairs.shape) == (np.float16, (2, 2))
    np.testing.assert_array_equal(unpack_complex32(pairs), found)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 16])
def test_int4_is_packed_even_first(count: int) -> None:
    values = np.arange(-8, 8, dtype=np.int8)[:count]
    packed = pack_int4(values)
    assert (packed.dtype, packed.size) == (np.uint8, -(-count // 2))
    np.testing.assert_array_equal(unpack_int4(packed, count), values)
    assert pack_int4(np.array([1, -2, 7], np.int8)).tolist() == [0xE1, 0x07]


@pytest.mark.fidelity("a cast to INT4, a sum of bool")
def test_int4_keeps_the_low_four_bits() -> None:
    assert cast_to(np.array([7, 8, 15, 16, -9], np.int32), T.ACL_INT4, A2).tolist() == [7, -8, -1, 0, 7]


@pytest.mark.parametrize(
    "target", [T.ACL_FLOAT8_E5M2, T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT4_E2M1, T.ACL_FLOAT6_E3M2], ids=lambda each: each.name
)
def test_small_floats_hold_their_own_numbers(target: T) -> None:
    given = np.array([0, 0.5, 1, 1.5, -2, 3], np.float32)
    np.testing.assert_array_equal(cast_to(given, target, A2).astype(np.float32), given)


@pytest.mark.parametrize("target", [T.ACL_HIFLOAT8, T.ACL_STRING, T.ACL_FLOAT4_E1M2], ids=lambda each: each.name)
def test_a_type_without_arithmetic_is_an_error(target: T) -> None:
    with pytest.raises(TypeError, match="there is no arithmetic for DT_"):
        cast_to(np.zeros(1), target, A2)
