"""Whole arrays from floats of 16 bits to float32 and back, as `aclnn.engine.numbers.rounding` does it. The compiled
evaluator does it where that is there."""

from typing import Any, Final

import numpy as np
from ml_dtypes import bfloat16

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import chosen
from aclnn.engine.numbers.rounding import narrowed, store, widen

LEAST: Final = 1 << 10
"""elements from which the call into the evaluator pays"""
NAMES: Final = {np.dtype(np.float16): "F16", np.dtype(bfloat16): "BF16"}
"""the evaluator's names of the types that it converts"""
_SINGLE: Final = np.dtype(np.float32)


def widened(array: Array) -> Array:
    """float16, bfloat16 and the 8-bit floats as float32, exactly; every other type as it is."""
    name = NAMES.get(array.dtype)
    library = chosen() if name is not None and array.size >= LEAST else None
    if library is None or name is None:
        return widen(array)
    dense: Array = np.ascontiguousarray(array)
    wide: Array = np.empty(dense.shape, _SINGLE)
    library.widen(library.types[name], dense.ctypes.data, wide.ctypes.data, dense.size)
    return wide


def put(values: Array, out: Array) -> None:
    """Put `values` into `out`, rounding half to even once."""
    name = NAMES.get(out.dtype)
    alike = values.dtype == _SINGLE and out.flags.c_contiguous and values.shape == out.shape
    library = chosen() if name is not None and alike and out.size >= LEAST else None
    if library is None or name is None:
        store(values, out)
        return
    dense: Array = np.ascontiguousarray(values)
    library.narrow(library.types[name], dense.ctypes.data, out.ctypes.data, out.size)


def rounded(values: Array, dtype: np.dtype[Any] | None) -> Array:
    """float32 as memory of this data type would hold it. None: as it is."""
    if dtype is None:
        return values
    if dtype not in NAMES or values.dtype != _SINGLE:
        return widen(narrowed(values, dtype))
    narrow = np.empty(values.shape, dtype)
    put(values, narrow)
    return widened(narrow)
