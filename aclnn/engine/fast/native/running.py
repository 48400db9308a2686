"""Calls of the evaluator for cumulative sums, products and extremes along a dimension."""

from math import prod
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Library, Running
from aclnn.engine.fast.native.sweep import MIN_ELEMENTS_FOR_THREADS
from aclnn.engine.fast.native.translation import NotInEvaluator, memory_type

OPERATION_NUMBERS: Final[dict[Any, int]] = {np.add: 0, np.multiply: 1, np.maximum: 2, np.minimum: 3}
EXTREMES: Final = (np.maximum, np.minimum)
EVALUATOR_TYPES: Final = {"float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64"}
"""the evaluator's names of the types that it accumulates"""
ROUNDED_TYPES: Final = ("float32", "float16", "bfloat16")
"""types that sums of float32 are rounded to"""


def accumulate(
    library: Library, ufunc: np.ufunc, x: Array, axis: int, threads: int, out: Array | None = None
) -> tuple[Array, Array | None]:  # fmt: skip
    """The results of `ufunc.accumulate(x, axis)`, where sums of float32 are float64; and the positions of extremes.

    Of equal elements, or of several NaN, the last position counts. `out` is memory for the results, if it is dense and
    has their type. Sums of float32 are rounded to the type of `out`. Raises `NotInEvaluator` before it begins."""
    type_ = EVALUATOR_TYPES.get(cast("str", x.dtype.name))
    if type_ is None:
        raise NotInEvaluator(f"running results of {x.dtype.name}")
    x = np.ascontiguousarray(x)
    is_float_sum = ufunc is np.add and x.dtype == np.float32
    dtype = np.dtype(np.float64) if is_float_sum else x.dtype
    if out is not None and is_float_sum and out.dtype.name in ROUNDED_TYPES:
        dtype = out.dtype
    fits = out is not None and out.dtype == dtype and out.flags.c_contiguous
    results = out if out is not None and fits else np.empty(x.shape, dtype)
    positions = np.empty(x.shape, np.int64) if ufunc in EXTREMES else None
    library.accumulate(Running(
        source=x.ctypes.data, to=results.ctypes.data, positions=None if positions is None else positions.ctypes.data,
        op=OPERATION_NUMBERS[ufunc], type=library.types[type_], to_type=library.types[memory_type(dtype)],
        outer=prod(x.shape[:axis]), count=x.shape[axis], inner=prod(x.shape[axis + 1 :]), threads=threads,
        min_parallel=MIN_ELEMENTS_FOR_THREADS,
    ))  # fmt: skip
    return results, positions
