"""Types of a computation: the table of two tensors, the rules for scalars, "can be cast"."""

from __future__ import annotations

from itertools import product

import pytest

from acl_runtime.headers.enums import aclDataType as T
from aclnn.engine.numbers.promotion import (
    can_cast,
    is_complex,
    is_float,
    is_integer,
    lifted,
    mixed,
    mixed_tensors,
    promote,
    with_scalar,
    with_scalar_950,
)

SHORT: dict[str, T | None] = {
    "bool": T.ACL_BOOL, "u8": T.ACL_UINT8, "s8": T.ACL_INT8, "s16": T.ACL_INT16, "s32": T.ACL_INT32,
    "s64": T.ACL_INT64, "f16": T.ACL_FLOAT16, "bf16": T.ACL_BF16, "f32": T.ACL_FLOAT, "f64": T.ACL_DOUBLE,
    "c32": T.ACL_COMPLEX32, "c64": T.ACL_COMPLEX64, "c128": T.ACL_COMPLEX128, "u16": T.ACL_UINT16,
    "u32": T.ACL_UINT32, "u64": T.ACL_UINT64, "-": None,
}  # fmt: skip
UNSIGNED = [T.ACL_UINT16, T.ACL_UINT32, T.ACL_UINT64]
PLAIN = [each for each in SHORT.values() if each is not None and each not in UNSIGNED]
SIGNED = [T.ACL_INT8, T.ACL_INT16, T.ACL_INT32, T.ACL_INT64]
PARTS = {"c32": "f16", "c64": "f32", "c128": "f64"}


def by_rule(a: T, b: T) -> T | None:
    """The table in words: the higher category, then the wider type; FLOAT16 with BFLOAT16 is FLOAT."""
    if is_complex(a) or is_complex(b):
        parts = {SHORT[name]: SHORT[part] for name, part in PARTS.items()}
        part = by_rule(*(parts.get(each, each if is_float(each) else T.ACL_FLOAT16) for each in (a, b)))  # type: ignore[arg-type]
        return next(whole for whole, each in parts.items() if each == part)
    floats = [each for each in (a, b) if is_float(each)]
    if floats:
        order = [T.ACL_FLOAT, T.ACL_DOUBLE]
        if len(set(floats)) == 1:
            return floats[0]
        return max((each if each in order else T.ACL_FLOAT for each in floats), key=order.index)
    if T.ACL_BOOL in (a, b):
        return b if a == T.ACL_BOOL else a
    if a != b and T.ACL_UINT8 in (a, b):
        return max((each if each in SIGNED[1:] else T.ACL_INT16 for each in (a, b)), key=SIGNED.index)
    return a if a == b else max(a, b, key=SIGNED.index)


def test_the_table_is_that_of_categories_and_widths() -> None:
    """By another route than the table: the category of the wider one, the least type that holds both."""
    assert {(a, b): promote(a, b) for a, b in product(PLAIN, PLAIN)} == {
        (a, b): by_rule(a, b) for a, b in product(PLAIN, PLAIN)
    }


def test_wide_unsigned_types_promote_with_themselves_only_except_six_cells() -> None:
    found = {(a, b): promote(a, b) for a, b in product(PLAIN + UNSIGNED, repeat=2) if a in UNSIGNED or b in UNSIGNED}
    expected = {(each, each): each for each in UNSIGNED}
    expected |= {(each, T.ACL_COMPLEX128): T.ACL_COMPLEX128 for each in UNSIGNED}
    expected |= {(each, T.ACL_COMPLEX64): T.ACL_COMPLEX64 for each in UNSIGNED[:2]}
    expected[T.ACL_UINT64, T.ACL_COMPLEX64] = T.ACL_COMPLEX128
    assert {pair: each for pair, each in found.items() if each is not None} == expected


@pytest.mark.parametrize("odd", [each for each in T if each > T.ACL_COMPLEX32], ids=lambda each: each.name)
def test_a_type_beyond_the_table_gives_float_with_any_other(odd: T) -> None:
    others = [each for each in T if each not in (odd, T.ACL_DT_UNDEFINED)]
    assert {promote(odd, each) for each in others} | {promote(each, odd) for each in others} == {T.ACL_FLOAT}
    assert promote(odd, odd) is odd


@pytest.mark.parametrize("odd", [T.ACL_INT4, T.ACL_UINT1, T.ACL_STRING, T.ACL_DT_UNDEFINED], ids=lambda each: each.name)
def test_types_without_arithmetic_cannot_be_promoted(odd: T) -> None:
    assert promote(odd, T.ACL_FLOAT) is None
    assert promote(T.ACL_BOOL, odd) is None
    assert promote(odd, odd) is (None if odd is T.ACL_DT_UNDEFINED else odd)


def test_a_number_that_is_no_type_cannot_be_promoted() -> None:
    assert promote(999, 999) is None


def test_each_type_has_at_most_one_category() -> None:
    assert {each for each in T if is_float(each) + is_complex(each) + is_integer(each) == 0} == {
        T.ACL_DT_UNDEFINED, T.ACL_BOOL, T.ACL_STRING, T.ACL_INT4, T.ACL_UINT1,
    }  # fmt: skip
    assert max(is_float(each) + is_complex(each) + is_integer(each) for each in T) == 1


@pytest.mark.parametrize(
    ("given", "to", "may"),
    [
        ("c64", "f64", False), ("c32", "s64", False), ("c64", "bool", False), ("c128", "c32", True),
        ("f32", "s64", False), ("bf16", "u16", False), ("f64", "f16", True), ("f16", "bool", False),
        ("f64", "c32", True), ("s64", "s8", True), ("s64", "u64", True), ("u64", "f16", True), ("s8", "bool", False),
        ("bool", "bool", True), ("bool", "s8", True), ("bool", "f16", True), ("s32", "c64", True),
    ],
)  # fmt: skip
def test_can_cast(given: str, to: str, may: bool) -> None:
    assert can_cast(SHORT[given] or 0, SHORT[to] or 0) is may


def test_8_bit_floats_cannot_become_integers() -> None:
    assert not can_cast(T.ACL_FLOAT8_E5M2, T.ACL_INT32)
    assert can_cast(T.ACL_FLOAT8_E5M2, T.ACL_FLOAT4_E2M1)


@pytest.mark.parametrize(
    ("tensor", "scalar", "out", "expected"),
    [
        ("f16", "c64", "c64", "c64"), ("c64", "f64", "c64", "c128"), ("f16", "f64", "f16", "f16"),
        ("bf16", "s64", "f32", "bf16"), ("s64", "f64", "f32", "f32"), ("s64", "f64", "f64", "f64"),
        ("s32", "f16", "f16", "f16"), ("bool", "s64", "s64", "s64"), ("bool", "f16", "f16", "f16"),
        ("s8", "s64", "s8", "s8"), ("u8", "bool", "u8", "u8"), ("bool", "u16", "bool", "-"),
    ],
)  # fmt: skip
def test_s1_a_scalar_before_950(tensor: str, scalar: str, out: str, expected: str) -> None:
    assert with_scalar(SHORT[tensor] or 0, SHORT[scalar] or 0, SHORT[out] or 0) == SHORT[expected]


@pytest.mark.parametrize(
    ("tensor", "scalar", "exact", "expected"),
    [
        ("s64", "f64", (), "f32"), ("bool", "f16", (), "f32"), ("f16", "c128", (), "c64"), ("f64", "c64", (), "c128"),
        ("c32", "f32", (), "c64"), ("s32", "s64", (), "s32"), ("bool", "s64", (), "s64"), ("f64", "f32", (), "f64"),
        ("f16", "f32", (0.5, 1.0), "f16"), ("f16", "f32", (0.1,), "f32"), ("bf16", "f32", (1.0, 257.0), "f32"),
        ("bf16", "s32", (256.0,), "bf16"), ("f16", "f32", (2.0**-25,), "f16"), ("f16", "f32", (1e9,), "f32"),
        ("f16", "f32", (float("nan"),), "f32"), ("f16", "f32", (float("inf"),), "f32"), ("f32", "f32", (0.1,), "f32"),
    ],
)  # fmt: skip
def test_s2_a_scalar_on_950(tensor: str, scalar: str, exact: tuple[float, ...], expected: str) -> None:
    assert with_scalar_950(SHORT[tensor] or 0, SHORT[scalar] or 0, exact) == SHORT[expected]


@pytest.mark.parametrize(
    ("high", "low", "expected"),
    [
        ("c32", "c128", "c32"), ("bf16", "c128", "c64"), ("f16", "c128", "c32"), ("f32", "c128", "c64"),
        ("f64", "c32", "c128"), ("s8", "c128", "c128"), ("bool", "c64", "c64"), ("f16", "f64", "f16"),
        ("s8", "f16", "f16"), ("bool", "s32", "s32"), ("s8", "s64", "s8"), ("u16", "s64", "u16"), ("u16", "f32", "-"),
    ],
)  # fmt: skip
def test_s4_mixed_categories(high: str, low: str, expected: str) -> None:
    assert mixed(SHORT[high] or 0, SHORT[low] or 0) == SHORT[expected]


@pytest.mark.fidelity("complex scalar on a float of 8 or fewer bits")
def test_a_complex_scalar_on_an_8_bit_float_gives_complex64() -> None:
    assert mixed(T.ACL_FLOAT8_E5M2, T.ACL_COMPLEX128) is T.ACL_COMPLEX64
    assert lifted(T.ACL_FLOAT8_E5M2, T.ACL_COMPLEX128) is T.ACL_COMPLEX64


@pytest.mark.parametrize(
    ("first_rank", "second_rank", "expected"),
    [(1, 0, T.ACL_FLOAT16), (0, 1, T.ACL_FLOAT), (0, 0, T.ACL_FLOAT), (2, 1, T.ACL_FLOAT)],
)
def test_s4_of_tensors_where_one_has_no_dimensions(first_rank: int, second_rank: int, expected: T) -> None:
    assert mixed_tensors(T.ACL_FLOAT16, first_rank, T.ACL_FLOAT, second_rank) is expected


@pytest.mark.parametrize(
    ("tensor", "scalar", "expected"),
    [
        ("f16", "f64", "f16"), ("s64", "f64", "f32"), ("bool", "s64", "s64"), ("bool", "f16", "f32"),
        ("s8", "s64", "s8"), ("s8", "bool", "s8"), ("c32", "f64", "c32"), ("c64", "c128", "c64"),
        ("f16", "c128", "c32"), ("f64", "c64", "c128"), ("bf16", "c64", "c64"), ("s32", "c128", "c64"),
        ("bool", "c32", "c64"),
        ("u16", "f32", "-"), ("u64", "f64", "-"), ("bool", "u32", "-"), ("u32", "s64", "u32"), ("u8", "f32", "f32"),
    ],
)  # fmt: skip
def test_s5_as_in_pytorch(tensor: str, scalar: str, expected: str) -> None:
    assert lifted(SHORT[tensor] or 0, SHORT[scalar] or 0) == SHORT[expected]
