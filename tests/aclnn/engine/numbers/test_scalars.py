"""The value that an operator reads from an aclScalar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime.headers.enums import aclDataType as T
from acl_runtime.objects.handle_table import Scalar
from aclnn.engine.numbers.casting import array_dtype
from aclnn.engine.numbers.scalars import scalar_as

INF, NAN = np.inf, np.nan


def stored(value: Any, data_type: T) -> Scalar:
    dtype = np.dtype(np.int8) if data_type is T.ACL_BOOL else array_dtype(data_type)
    with np.errstate(all="ignore"):
        return Scalar(np.array([value]).astype(dtype).tobytes(), data_type)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("value", "given", "read_as", "expected"),
    [
        (1e300, T.ACL_DOUBLE, T.ACL_FLOAT, INF), (0.1, T.ACL_DOUBLE, T.ACL_FLOAT, float(np.float32(0.1))),
        (-2.9, T.ACL_FLOAT, T.ACL_INT64, -2), (2.5, T.ACL_BF16, T.ACL_INT8, 2), (2.5, T.ACL_FLOAT16, T.ACL_DOUBLE, 2.5),
        (1e-8, T.ACL_FLOAT, T.ACL_BOOL, False), (2.0**-23, T.ACL_FLOAT, T.ACL_BOOL, True),
        (-(2.0**-23), T.ACL_BF16, T.ACL_BOOL, True), (2.0**-24, T.ACL_FLOAT16, T.ACL_BOOL, False),
        (1e-8, T.ACL_DOUBLE, T.ACL_BOOL, True), (2.0**-53, T.ACL_DOUBLE, T.ACL_BOOL, False),
        (NAN, T.ACL_FLOAT, T.ACL_BOOL, False), (NAN, T.ACL_DOUBLE, T.ACL_BOOL, False),
        (-1, T.ACL_INT8, T.ACL_BOOL, True),
        (0, T.ACL_UINT64, T.ACL_BOOL, False), (300, T.ACL_INT32, T.ACL_INT8, 44),
        (-1, T.ACL_INT64, T.ACL_UINT32, 2**32 - 1),
        (2, T.ACL_BOOL, T.ACL_INT32, 2), (-1, T.ACL_BOOL, T.ACL_FLOAT, -1), (1, T.ACL_BOOL, T.ACL_COMPLEX64, 1),
        (65520, T.ACL_INT32, T.ACL_FLOAT16, INF), (-(2**40), T.ACL_INT64, T.ACL_FLOAT16, -INF),
        (2**32, T.ACL_UINT64, T.ACL_FLOAT16, INF), (2049, T.ACL_UINT16, T.ACL_FLOAT16, 2048),
        # double rounding: the float is halfway between two bfloat16
        (1 + 2.0**-8 + 2.0**-40, T.ACL_DOUBLE, T.ACL_BF16, 1),
        (1 + 2.0**-8 + 2.0**-20, T.ACL_DOUBLE, T.ACL_BF16, 1 + 2.0**-7),
        # one rounding
        (1 + 2.0**-11 + 2.0**-40, T.ACL_DOUBLE, T.ACL_FLOAT16, 1 + 2.0**-10),
        (40000.0, T.ACL_FLOAT, T.ACL_UINT16, 40000), (-1, T.ACL_INT32, T.ACL_UINT16, 65535),
        (3 - 4j, T.ACL_COMPLEX64, T.ACL_COMPLEX128, 3 - 4j), (3 - 4j, T.ACL_COMPLEX128, T.ACL_FLOAT, 0),
        (3 - 4j, T.ACL_COMPLEX64, T.ACL_INT32, 0), (3 - 4j, T.ACL_COMPLEX64, T.ACL_BOOL, False),
        (1.5, T.ACL_FLOAT8_E5M2, T.ACL_INT32, 1), (1.5, T.ACL_FLOAT8_E4M3FN, T.ACL_BOOL, True),
        (1.5, T.ACL_DOUBLE, T.ACL_COMPLEX64, 1.5),
    ],
)  # fmt: skip
def test_a_scalar_read_as_another_type(value: Any, given: T, read_as: T, expected: Any) -> None:
    found = scalar_as(stored(value, given), read_as)
    assert found == expected
    assert found.dtype == array_dtype(read_as)


def test_nan_as_bfloat16_is_the_quiet_one() -> None:
    assert scalar_as(stored(NAN, T.ACL_DOUBLE), T.ACL_BF16).tobytes() == b"\xc0\x7f"


@pytest.mark.parametrize(("given", "read_as"), [(T.ACL_FLOAT, T.ACL_COMPLEX32), (T.ACL_FLOAT, T.ACL_STRING)])
def test_a_type_without_conversion_is_an_error(given: T, read_as: T) -> None:
    with pytest.raises(TypeError, match="DT_"):
        scalar_as(stored(1, given), read_as)
