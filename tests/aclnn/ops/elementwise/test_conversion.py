"""Cast, InplaceCopy, InplaceZero, InplaceFillScalar: values element by element in Python, bits that stay, refusals."""

from __future__ import annotations

from math import copysign, inf, isnan, nan, trunc
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import data_type_of
from aclnn import *
from aclnn.testing import run
from tests.helpers.builders import on_device
from tests.helpers.builders import run as launch
from tests.helpers.refusals import Mistake, Number, Of, pairs, planned_with, rules

INVALID, NULL, NO_STEP = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_NULLPTR
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8)
FLOATS = (np.float32, np.float16, bfloat16, np.float64)
VALUES = (
    0.0, -0.0, 0.5, -0.9, 1.5, 2.5, -3.99, 100.25, 126.7, 1e-30, 65504.0, 70000.0, 300.0, -129.0, 2.0**31, -(2.0**40),
)  # fmt: skip


def cast(x: np.ndarray, dtype: Any) -> np.ndarray:
    return run(aclnnCast, x, data_type_of(np.dtype(dtype)), np.empty(x.shape, dtype))


def wrapped(value: int, dtype: Any) -> int:
    ends = np.iinfo(dtype)
    return (value - ends.min) % (ends.max - ends.min + 1) + ends.min


def as_integer(value: float, dtype: Any) -> int:
    """Truncated, saturated in 32 bits (64 for UINT8 and INT64), and cut to the low bits; NaN is 0."""
    if isnan(value):
        return 0
    bits = 63 if dtype in (np.int64, np.uint8) else 31
    whole = value if abs(value) == inf else trunc(value)
    return wrapped(int(max(-(2**bits), min(whole, 2**bits - 1))), dtype)


@pytest.mark.parametrize("source", FLOATS, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("target", INTEGERS, ids=lambda each: each.__name__)
def test_floats_are_truncated_saturate_and_nan_is_0(machine: Machine, source: Any, target: Any) -> None:
    with np.errstate(all="ignore"):
        x = np.array([*VALUES, nan, inf, -inf]).astype(np.float32).astype(source)
    expected = [as_integer(float(each), target) for each in x]
    np.testing.assert_array_equal(cast(x, target), np.array(expected, target))


@pytest.mark.parametrize("source", INTEGERS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("target", INTEGERS, ids=lambda each: each.__name__)
def test_integers_keep_their_low_bits(machine: Machine, source: Any, target: Any) -> None:
    """INT32 becomes INT8 by way of FLOAT16, "exact only in (-2048, 1920)"."""
    ends = np.iinfo(source)
    x = np.random.default_rng(1).integers(max(ends.min, -2047), min(ends.max, 1919), 200).astype(source)
    np.testing.assert_array_equal(cast(x, target), np.array([wrapped(int(each), target) for each in x], target))


def test_int32_to_int8_goes_through_float16(machine: Machine) -> None:
    assert cast(np.array([2051], np.int32), np.int8) == wrapped(2052, np.int8)
    assert cast(np.array([2051], np.int32), np.uint8) == wrapped(2051, np.uint8)


@pytest.mark.parametrize("source", FLOATS, ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("target", FLOATS, ids=lambda each: np.dtype(each).name)
def test_floats_become_the_nearest_float_with_one_rounding(machine: Machine, source: Any, target: Any) -> None:
    x = (np.random.default_rng(2).standard_normal(3000) * 40).astype(source)
    found = cast(x, target)
    narrow = np.array([*np.float64(found)])
    for towards in (-np.inf, np.inf):
        neighbour = np.nextafter(found, target(towards))
        assert (np.abs(narrow - np.float64(x)) <= np.abs(np.float64(neighbour) - np.float64(x))).all()
    half = 1 + 2.0**-11 + 2.0**-40  # two roundings would give 1
    assert cast(np.array([half]), np.float16) == np.float16(1 + 2.0**-10)


def test_int64_becomes_a_16_bit_float_by_way_of_float32(machine: Machine) -> None:
    x = np.array([(1 << 8) + 1 + (1 << 40)], np.int64)
    between = (1 << 33) + (1 << 25) + 1  # above the middle of two BFLOAT16, but FLOAT is the middle itself
    assert float(cast(np.array([between]), bfloat16)[0]) == 2.0**33
    assert cast(x, np.float32) == np.float32(x[0])


@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, np.complex64], ids=lambda each: np.dtype(each).name)
def test_bool_is_whether_it_is_not_0(machine: Machine, source: Any) -> None:
    x = np.array([0, 1, 5, 0]).astype(source)
    np.testing.assert_array_equal(cast(x, np.bool_), [False, True, True, False])
    np.testing.assert_array_equal(cast(np.array([True, False]), source), np.array([1, 0]).astype(source))


def test_complex_to_real_keeps_the_real_part_and_back_the_imaginary_part_is_0(machine: Machine) -> None:
    x = np.array([1.75 - 3j, -2 + 1j], np.complex64)
    np.testing.assert_array_equal(cast(x, np.float32), [1.75, -2])
    np.testing.assert_array_equal(cast(x, np.int32), [1, -2])
    np.testing.assert_array_equal(cast(np.array([2.5], np.float32), np.complex128), [2.5])


PAYLOADS = np.array([0x7C01, 0xFE37, 0x3C00, 0x8000], np.uint16)


@pytest.mark.parametrize("dtype", [np.float16, bfloat16], ids=lambda each: np.dtype(each).name)
@pytest.mark.parametrize("size", [1, 1 << 17], ids=["small", "large"])
def test_every_bit_stays_where_nothing_is_cast(machine: Machine, dtype: Any, size: int) -> None:
    """NaN payloads too, of dense and of transposed tensors."""
    bits = np.tile(PAYLOADS if dtype == np.float16 else PAYLOADS | 0x7F81, (2, size))
    for x in (bits, np.asfortranarray(bits)):
        given = x.view(dtype) if x.flags.c_contiguous else x.T.view(dtype).T
        np.testing.assert_array_equal(cast(given, dtype).view(np.uint16), bits)
        target = np.empty_like(given)
        copied = np.ascontiguousarray(run(aclnnInplaceCopy, target, given))
        np.testing.assert_array_equal(copied.view(np.uint16), bits)


@pytest.mark.parametrize("target", [np.float16, np.int32, np.int8, np.bool_, np.float32])
@pytest.mark.parametrize("source", [np.float32, np.int32, np.float64, bfloat16], ids=lambda each: np.dtype(each).name)
def test_large_tensors_are_cast_as_small_ones(machine: Machine, source: Any, target: Any) -> None:
    x = np.random.default_rng(3).integers(-3000, 3000, (700, 500)).astype(source)
    whole = cast(x, target)
    for row in range(0, 700, 140):
        np.testing.assert_array_equal(whole[row], cast(x[row].copy(), target))


def test_a_view_is_cast_in_its_own_place(machine: Machine) -> None:
    x = on_device(np.array([1.9, -1.9, nan], np.float32))
    handle = aclCreateTensor([3], 1, ACL_INT32, None, 0, ACL_FORMAT_ND, [3], 1, x.address)
    launch(aclnnCastGetWorkspaceSize, aclnnCast, x.handle, ACL_INT32, handle)
    np.testing.assert_array_equal(x.read().view(np.int32), [1, -1, 0])


def test_copy_broadcasts_casts_and_leaves_the_rest_alone(machine: Machine) -> None:
    target = on_device(np.zeros((2, 3), np.int32), strides=(8, 2), offset=1, tail=4, background=-5)
    source = on_device(np.array([1.5, -2.5, nan], np.float32))
    launch(aclnnInplaceCopyGetWorkspaceSize, aclnnInplaceCopy, target, source)
    np.testing.assert_array_equal(target.read(), [[1, -2, 0]] * 2)
    assert (target.read_storage() == -5).sum() == target.storage.size - 6
    np.testing.assert_array_equal(run(aclnnInplaceCopy, np.zeros((2, 2)), np.array(3.0)), 3)


@pytest.mark.parametrize("fill", ["zero", "scalar", "copy"])
def test_what_was_there_before_is_not_read(machine: Machine, fill: str) -> None:
    """Memory that nobody has written is no finding."""
    assert machine.options.on_undefined == "raise"
    target = np.empty((3, 2), np.float32)
    if fill == "zero":
        assert not run(aclnnInplaceZero, target).any()
    elif fill == "scalar":
        assert (run(aclnnInplaceFillScalar, target, 2.5) == 2.5).all()
    else:
        assert (run(aclnnInplaceCopy, target, np.ones(2, np.float32)) == 1).all()
    assert not machine.findings


TYPES = (*FLOATS, *INTEGERS, np.uint16, np.bool_, np.complex64, np.complex128)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda each: np.dtype(each).name)
def test_zero_and_fill_write_all_elements(machine: Machine, dtype: Any) -> None:
    x = np.asfortranarray(np.ones((3, 4)).astype(dtype))
    zeros = run(aclnnInplaceZero, x)
    assert zeros.dtype == x.dtype
    assert (zeros.astype(complex) == 0).all()
    value = np.uint16(3) if dtype == np.uint16 else np.float32(3.75)
    filled = run(aclnnInplaceFillScalar, x, value)
    expected = 1 if dtype == np.bool_ else int(value) if np.dtype(dtype).kind in "iu" else float(value)
    assert (filled.astype(complex) == expected).all()


@pytest.mark.parametrize(
    ("value", "dtype", "read"),
    [
        (np.float32(-1.9), np.int32, -1), (np.int64(300), np.uint8, 44), (np.float32(1e-8), np.bool_, False),
        (np.complex64(3 + 4j), np.float32, 0), (np.complex64(3 + 4j), np.complex128, 3 + 4j),
        (np.float64(1e300), np.float16, inf), (np.float64(-0.0), np.float32, -0.0),
    ],
    ids=str,
)  # fmt: skip
def test_a_value_is_read_in_the_type_of_the_tensor(machine: Machine, value: Any, dtype: Any, read: Any) -> None:
    filled = run(aclnnInplaceFillScalar, np.ones(2, dtype), value)
    assert (filled == read).all()
    if isinstance(read, float):
        assert copysign(1, filled[0]) == copysign(1, read)


@pytest.mark.parametrize("shape", [(0,), (2, 0)], ids=str)
def test_an_empty_tensor_needs_no_work(machine: Machine, shape: tuple[int, ...]) -> None:
    one = Of(shape)
    calls = [
        (aclnnCastGetWorkspaceSize, {"self": one, "dtype": ACL_INT32, "out": one}),  # (the types may differ then)
        (aclnnInplaceCopyGetWorkspaceSize, {"selfRef": one, "src": Of((1,))}),
        (aclnnInplaceZeroGetWorkspaceSize, {"selfRef": one}),
        (aclnnInplaceFillScalarGetWorkspaceSize, {"selfRef": one, "value": Number(1)}),
    ]
    for first, values in calls:
        planned = planned_with(first, values)
        assert (planned.status, planned.workspace_size) == (ACL_SUCCESS, 0), planned.text


NINE = (1,) * 9
TABLES: dict[str, tuple[Any, dict[str, Any], list[Mistake]]] = {
    "Cast": (
        aclnnCastGetWorkspaceSize,
        {"self": Of((2, 3)), "dtype": ACL_INT32, "out": Of((2, 3), ACL_INT32)},
        [
            Mistake("self is null", NULL, "self", self=None),
            Mistake("out is null", NULL, "out", out=None),
            Mistake("self has a type of the list", INVALID, "self", self=Of((2, 3), ACL_STRING)),
            Mistake("dtype is in the list", INVALID, "dtype", dtype=ACL_DT_UNDEFINED),
            Mistake("self has at most 8 dimensions", INVALID, "self", self=Of(NINE)),
            Mistake("out has the shape of self", INVALID, "out", out=Of((3, 2), ACL_INT32)),
        ],
    ),
    "InplaceCopy": (
        aclnnInplaceCopyGetWorkspaceSize,
        {"selfRef": Of((2, 3)), "src": Of((3,), ACL_INT32)},
        [
            Mistake("selfRef is null", NULL, "selfRef", selfRef=None),
            Mistake("src is null", NULL, "src", src=None),
            Mistake("selfRef has a type of the list", INVALID, "selfRef", selfRef=Of((2, 3), ACL_STRING)),
            Mistake("src has a type of the list", INVALID, "src", src=Of((3,), ACL_STRING)),
            Mistake("selfRef has at most 8 dimensions", INVALID, "selfRef", selfRef=Of(NINE)),
            Mistake("src has at most 8 dimensions", INVALID, "src", src=Of(NINE)),
            Mistake("src broadcasts to selfRef", INVALID, "src", src=Of((2,))),
            Mistake("src does not stretch selfRef", INVALID, "src", src=Of((4, 2, 3))),
        ],
    ),
    "InplaceZero": (
        aclnnInplaceZeroGetWorkspaceSize,
        {"selfRef": Of(NINE)},
        [
            Mistake("selfRef is null", NULL, "selfRef", selfRef=None),
            Mistake("selfRef has a type of the list", INVALID, "selfRef", selfRef=Of((2, 3), ACL_UINT32)),
        ],
    ),
    "InplaceFillScalar": (
        aclnnInplaceFillScalarGetWorkspaceSize,
        {"selfRef": Of((2, 3)), "value": Number(1)},
        [
            Mistake("selfRef is null", NULL, "selfRef", selfRef=None),
            Mistake("value is null", NULL, "value", value=None),
            Mistake("selfRef has a type of the list", INVALID, "selfRef", selfRef=Of((2, 3), ACL_STRING)),
            Mistake("UINT16 takes values of UINT16 only", INVALID, "value", selfRef=Of((2, 3), ACL_UINT16)),
            Mistake("FLOAT takes no value of UINT32", INVALID, "value", value=Number(1, np.uint32)),
            Mistake("selfRef has at most 8 dimensions", INVALID, "selfRef", selfRef=Of(NINE)),
        ],
    ),
}  # fmt: skip
ROWS = [pytest.param(name, each, id=f"{name}, {each.rule}") for name, table in TABLES.items() for each in table[2]]
PAIRS = [
    pytest.param(name, *pair.values, id=f"{name}, {pair.id}")
    for name, table in TABLES.items()
    for pair in pairs(table[2])
]


@pytest.mark.parametrize(("name", "mistake"), ROWS)
def test_refusals(machine: Machine, name: str, mistake: Mistake) -> None:
    first, good, _ = TABLES[name]
    assert planned_with(first, good).status == ACL_SUCCESS
    mistake.found(first, good)


@pytest.mark.parametrize(("name", "one", "other"), PAIRS, ids=rules)
def test_refusals_come_in_order(machine: Machine, name: str, one: Mistake, other: Mistake) -> None:
    first, good, _ = TABLES[name]
    one.found(first, good, other)


@pytest.mark.parametrize(
    ("first", "values"),
    [
        (aclnnCastGetWorkspaceSize, {"self": Of((2,)), "dtype": ACL_INT32, "out": Of((2,), ACL_INT64)}),
        (aclnnInplaceCopyGetWorkspaceSize, {"selfRef": Of((2,)), "src": Of((2,), ACL_FLOAT8_E5M2)}),
        (aclnnInplaceCopyGetWorkspaceSize, {"selfRef": Of((2,), ACL_FLOAT8_E4M3FN), "src": Of((2,))}),
    ],
    ids=["out of Cast has another type than dtype", "no cast from FLOAT8", "no cast to FLOAT8"],
)
def test_a_cast_that_does_not_exist_is_561103(machine: Machine, first: Any, values: Any) -> None:
    assert planned_with(first, values).status == NO_STEP


@pytest.mark.parametrize("soc", ["Ascend310P3", "Ascend910A"])
def test_types_before_a2(soc: str) -> None:
    with Machine(soc=soc):
        aclrtSetDevice(0)
        Mistake("", INVALID, "self", self=Of((2, 3), ACL_BF16)).found(*TABLES["Cast"][:2])
        Mistake("", INVALID, "dtype", dtype=ACL_BF16).found(*TABLES["Cast"][:2])
        changes = {"selfRef": Of((2, 3), ACL_UINT16), "value": Number(1, np.uint16)}
        Mistake("", INVALID, "selfRef", **changes).found(*TABLES["InplaceFillScalar"][:2])
        Mistake("", INVALID, "selfRef", selfRef=Of((2, 3), ACL_BF16)).found(*TABLES["InplaceZero"][:2])
