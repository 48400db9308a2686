"""Cumulative sums, products and extremes along a dimension, by the compiled evaluator or by numpy."""

from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Library, evaluator
from aclnn.engine.fast.native.recording import incomplete
from aclnn.engine.fast.native.running import accumulate
from aclnn.engine.fast.native_calls import by_evaluator

MIN_ELEMENTS_FOR_EVALUATOR: Final = 1 << 11
"""elements from which a call of the evaluator is faster than numpy"""
SUM_TYPES: Final = {"f": np.float64, "c": np.complex128}
"""types of cumulative sums, by the kind of the elements"""


def running(ufunc: np.ufunc, x: Array, axis: int, out: Array | None = None) -> Array:
    """`ufunc.accumulate` for add and multiply. Sums of floats are float64. Other results have the type of x. `out` is
    memory that the result may use, even that of x. A sum in `out` is rounded to its type."""
    results = _by_evaluator(ufunc, x, axis, out)
    if results is not None:
        return results[0]
    dtype = SUM_TYPES.get(x.dtype.kind, x.dtype) if ufunc is np.add else x.dtype
    return ufunc.accumulate(x, axis, dtype)


def running_extreme(ufunc: np.ufunc, x: Array, axis: int) -> tuple[Array, Array]:
    """`ufunc.accumulate` for maximum and minimum, and the positions of the extremes. Of equal elements, or of several
    NaN, the last position is returned."""
    results = _by_evaluator(ufunc, x, axis)
    if results is not None and results[1] is not None:
        return results[0], results[1]
    values = ufunc.accumulate(x, axis)
    numbers: Array = np.expand_dims(np.arange(x.shape[axis], dtype=np.int64), tuple(range(1, x.ndim - axis)))
    return values, np.maximum.accumulate(np.where((x == values) | np.isnan(x), numbers, 0), axis)


def _by_evaluator(ufunc: np.ufunc, x: Array, axis: int, out: Array | None = None) -> tuple[Array, Array | None] | None:
    """The results of the evaluator. None if it is missing, does not support the type, or would be slower than numpy."""
    if x.size < MIN_ELEMENTS_FOR_EVALUATOR:
        incomplete()
        return None
    results: list[tuple[Array, Array | None]] = []

    def work(library: Library, threads: int) -> None:
        results.append(accumulate(library, ufunc, x, axis, threads, out))

    return results[0] if by_evaluator(evaluator(), work) else None
