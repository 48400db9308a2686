"""Conversions of whole arrays between floats of 16 bits and float32.

The compiled evaluator converts them if it is installed, with the same results as `aclnn.engine.numbers.rounding`."""

from typing import Any, Final

import numpy as np
from ml_dtypes import bfloat16

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.copying import copied
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native.recording import incomplete
from aclnn.engine.numbers.rounding import narrowed, store, widen

MIN_ELEMENTS_FOR_EVALUATOR: Final = 1 << 10
"""elements from which a call of the evaluator is faster than numpy"""
EVALUATOR_TYPES: Final = {np.dtype(np.float16): "F16", np.dtype(bfloat16): "BF16"}
"""the evaluator's names of the types that it converts"""
_SINGLE: Final = np.dtype(np.float32)


def widened(array: Array, out: Array | None = None) -> Array:
    """Exact float32 of float16, bfloat16 and the 8-bit floats. Arrays of other types are returned unchanged. `out` is
    dense memory for the result of a type that is converted."""
    name = EVALUATOR_TYPES.get(array.dtype)
    library = evaluator() if name is not None and array.size >= MIN_ELEMENTS_FOR_EVALUATOR else None
    if library is None or name is None:
        wide = widen(array)
        if out is None or wide is array:
            return wide
        out[...] = wide
        return out
    wide = np.empty(array.shape, _SINGLE) if out is None else out
    number, missing = library.types[name], 4 - array.ndim
    if missing < 0 or array.flags.c_contiguous or array.strides[-1] != array.itemsize:
        dense: Array = np.ascontiguousarray(array)
        library.widen(number, dense.ctypes.data, wide.ctypes.data, dense.size)
    else:
        sizes, strides = (1,) * missing + array.shape, (0,) * missing + array.strides[:-1]
        library.widen_rows(number, array.ctypes.data, wide.ctypes.data, sizes, strides)
    return wide


def put(values: Array, out: Array) -> None:
    """Put `values` into `out`, rounding half to even once."""
    if values.dtype == out.dtype:
        copied(values, out)
        return
    incomplete()
    name = EVALUATOR_TYPES.get(out.dtype)
    convertible = values.dtype == _SINGLE and out.flags.c_contiguous and values.shape == out.shape
    library = evaluator() if name is not None and convertible and out.size >= MIN_ELEMENTS_FOR_EVALUATOR else None
    if library is None or name is None:
        store(values, out)
        return
    dense: Array = np.ascontiguousarray(values)
    library.narrow(library.types[name], dense.ctypes.data, out.ctypes.data, out.size)


def rounded(values: Array, dtype: np.dtype[Any] | None) -> Array:
    """float32 values rounded to a data type and widened again; for None the values themselves."""
    if dtype is None:
        return values
    if dtype not in EVALUATOR_TYPES or values.dtype != _SINGLE:
        return widen(narrowed(values, dtype))
    narrow = np.empty(values.shape, dtype)
    put(values, narrow)
    return widened(narrow)
