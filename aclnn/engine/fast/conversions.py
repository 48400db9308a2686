"""Whole arrays from floats of 16 bits to float32 and back, as `aclnn.engine.numbers.rounding` does it. FLOAT16 is
converted by the compiled evaluator where that is there: three to ten times as fast."""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import chosen
from aclnn.engine.numbers.rounding import narrowed, store, widen

LEAST: Final = 1 << 10
"""elements from which the call into the evaluator pays"""
_HALF: Final = np.dtype(np.float16)
_SINGLE: Final = np.dtype(np.float32)


def widened(array: Array) -> Array:
    """float16, bfloat16 and the 8-bit floats as float32, exactly; every other type as it is."""
    library = chosen() if array.dtype == _HALF and array.size >= LEAST else None
    if library is None:
        return widen(array)
    dense: Array = np.ascontiguousarray(array)
    wide: Array = np.empty(dense.shape, _SINGLE)
    library.widen_halves(dense.ctypes.data, wide.ctypes.data, dense.size)
    return wide


def put(values: Array, out: Array) -> None:
    """Put `values` into `out`, rounding half to even once."""
    to_half = out.dtype == _HALF and values.dtype == _SINGLE and out.flags.c_contiguous and values.shape == out.shape
    library = chosen() if to_half and out.size >= LEAST else None
    if library is None:
        store(values, out)
        return
    dense: Array = np.ascontiguousarray(values)
    library.narrow_halves(dense.ctypes.data, out.ctypes.data, out.size)


def rounded(values: Array, dtype: np.dtype[Any] | None) -> Array:
    """float32 as memory of this data type would hold it. None: as it is."""
    if dtype is None:
        return values
    if dtype != _HALF or values.dtype != _SINGLE:
        return widen(narrowed(values, dtype))
    half = np.empty(values.shape, _HALF)
    put(values, half)
    return widened(half)
