"""Sizes of data types, half precision (public)."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtype_names import bits, numpy_name
from acl_runtime.headers.dtypes import numpy_dtype

SIZES = {
    "ACL_DT_UNDEFINED": 0, "ACL_FLOAT": 4, "ACL_FLOAT16": 2, "ACL_INT8": 1, "ACL_INT32": 4, "ACL_UINT8": 1,
    "ACL_INT16": 2, "ACL_UINT16": 2, "ACL_UINT32": 4, "ACL_INT64": 8, "ACL_UINT64": 8, "ACL_DOUBLE": 8, "ACL_BOOL": 1,
    "ACL_STRING": 0, "ACL_COMPLEX64": 8, "ACL_COMPLEX128": 16, "ACL_BF16": 2, "ACL_INT4": 1, "ACL_UINT1": 1,
    "ACL_COMPLEX32": 4, "ACL_HIFLOAT8": 1, "ACL_FLOAT8_E5M2": 1, "ACL_FLOAT8_E4M3FN": 1, "ACL_FLOAT8_E8M0": 1,
    "ACL_FLOAT6_E3M2": 8, "ACL_FLOAT6_E2M3": 8, "ACL_FLOAT4_E2M1": 8, "ACL_FLOAT4_E1M2": 8,
}  # fmt: skip


@pytest.fixture(autouse=True)
def some_machine() -> Iterator[None]:
    """The functions need no device."""
    with Machine():
        yield


@pytest.mark.parametrize(("name", "size"), SIZES.items(), ids=SIZES)
def test_size_of_a_data_type(name: str, size: int) -> None:
    """ "UINT1 and INT4 report 1 (not packed); STRING, UNDEFINED 0; [...] the 6-bit/4-bit float types report 8"."""
    assert aclDataTypeSize(aclDataType[name]) == size


def test_every_data_type_is_in_the_table() -> None:
    assert set(SIZES) == {member.name for member in aclDataType}


@pytest.mark.parametrize("number", [5, 14, 99, -2, 1 << 31])
def test_unknown_data_type_reports_8(number: int) -> None:
    """ "Everything unknown [...] report 8"."""
    assert aclDataTypeSize(number) == 8


PATTERNS = np.arange(1 << 16, dtype=np.uint16)
FINITE = PATTERNS[(PATTERNS & 0x7C00) != 0x7C00]


def test_every_finite_half_to_float_and_back() -> None:
    """Subnormals supported, signed zero kept."""
    expected = FINITE.view(np.float16).astype(np.float64)
    for pattern, value in zip(FINITE.tolist(), expected.tolist(), strict=True):
        assert math.copysign(1, aclFloat16ToFloat(pattern)) == math.copysign(1, value)
        assert aclFloat16ToFloat(pattern) == value
        assert aclFloatToFloat16(value) == pattern


@pytest.mark.parametrize(
    ("pattern", "value"), [(0x7C00, 65536.0), (0xFC00, -65536.0), (0x7E00, 98304.0), (0xFFFF, -131008.0)]
)
def test_half_infinity_and_nan_are_not_kept(pattern: int, value: float) -> None:
    """ "Infinity is not preserved [...] (exponent field treated as an ordinary one)"."""
    assert aclFloat16ToFloat(pattern) == value


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        (65504.0, 0x7BFF), (65505.0, 0x7BFF), (65520.0, 0x7BFF), (1e30, 0x7BFF), (1e300, 0x7BFF),
        (-65536.0, 0xFBFF), (math.inf, 0x7BFF), (-math.inf, 0xFBFF), (math.nan, 0x7BFF),
        (math.copysign(math.nan, -1), 0xFBFF),
    ],
)  # fmt: skip
def test_float_to_half_saturates(value: float, pattern: int) -> None:
    """ "Anything above 65504, infinity and NaN become 0x7BFF / 0xFBFF by sign"."""
    assert aclFloatToFloat16(value) == pattern


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        (1 + 2**-11, 0x3C00), (1 + 3 * 2**-11, 0x3C02), (1 + 2**-11 + 2**-23, 0x3C01), (2**-25, 0), (2**-25 * 1.5, 1),
        (3 * 2**-25, 2), (-(2**-26), 0x8000), (-0.0, 0x8000), (1 + 2**-11 + 2**-40, 0x3C00),
    ],
)  # fmt: skip
def test_float_to_half_rounds_to_nearest_even(value: float, pattern: int) -> None:
    """ "Round to nearest even, subnormals supported"; the argument is a float, to which the last value is rounded
    first."""
    assert aclFloatToFloat16(value) == pattern


def test_patterns_are_cut_to_16_bits() -> None:
    """aclFloat16 is an unsigned 16-bit pattern."""
    assert aclFloat16ToFloat(0x13C00) == 1.0


def test_the_sizes_of_types_are_those_of_numpy() -> None:
    for member in aclDataType:
        dtype = numpy_dtype(member)
        assert (None if dtype is None else dtype.name) == numpy_name(member)
        assert dtype is None or bits(member) == 8 * dtype.itemsize
