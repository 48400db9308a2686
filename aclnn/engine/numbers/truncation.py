"""Floats to integers by the rule of the library's cast, with a defined result for every float.

numpy leaves the conversion of a float out of range to the processor. Here NaN becomes 0. Other floats are truncated
toward zero and saturate in the range of INT32, or of INT64 for the targets UINT8 and INT64. A narrower target keeps the
low bits of the result. The rule is that of Ascend 950, and is used for all products. It does not cover UINT16, UINT32
and UINT64. UINT16 and UINT32 keep the low bits of an INT64. UINT64 saturates at its largest number.
"""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array

_BY_INT32: Final = (np.dtype(np.int8), np.dtype(np.int16), np.dtype(np.int32))
_UINT64: Final = np.dtype(np.uint64)
_INT64_END: Final = 2.0**63


def truncated(values: Array, dtype: np.dtype[Any]) -> Array:
    """float32 or float64 truncated to integers of this type."""
    wide, end = (np.int32, 2.0**31) if dtype in _BY_INT32 else (np.int64, _INT64_END)
    if values.size and values.min() >= -end and values.max() < end:  # the usual case; NaN fails both comparisons
        return values.astype(wide).astype(dtype, copy=False)
    if dtype in _BY_INT32:
        return _int32(values).astype(dtype, copy=False)
    if dtype == _UINT64:
        return _uint64(values)
    return _int64(values).astype(dtype, copy=False)


def _int32(values: Array) -> Array:
    """Integers that saturate in the range of INT32. float64 represents the ends of this range, float32 does not."""
    wide = np.clip(values.astype(np.float64), -(2.0**31), 2.0**31 - 1)
    return np.where(np.isnan(wide), 0, wide).astype(np.int32)


def _int64(values: Array) -> Array:
    """Integers that saturate in the range of INT64. No float represents the upper end of this range."""
    fits = (values < _INT64_END) & (values >= -_INT64_END)
    integers = np.where(fits, values, 0).astype(np.int64)
    integers = np.where(values >= _INT64_END, np.iinfo(np.int64).max, integers)
    return np.where(values < -_INT64_END, np.iinfo(np.int64).min, integers)


def _uint64(values: Array) -> Array:
    """Integers that saturate at the upper end of UINT64. A negative number keeps the bits of an INT64."""
    large = values >= _INT64_END
    fits = large & (values < 2 * _INT64_END)
    integers = np.where(fits, values, 0).astype(np.uint64)
    integers = np.where(large & ~fits, np.iinfo(np.uint64).max, integers)
    return np.where(large, integers, _int64(np.where(large, 0, values)).view(np.uint64))
