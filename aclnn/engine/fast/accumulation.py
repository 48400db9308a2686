"""Sums, products and extremes up to each element of a dimension, by the compiled evaluator or by numpy."""

from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from aclnn.engine.fast.engines import AS_WRITTEN, NATIVE
from aclnn.engine.fast.native.library import chosen
from aclnn.engine.fast.native.running import accumulate
from aclnn.engine.fast.native.translation import Unknown

LARGE: Final = 1 << 11
"""elements from which a call of the evaluator pays"""
PARTIAL: Final = {"f": np.float64, "c": np.complex128}


def running(ufunc: np.ufunc, x: Array, axis: int) -> Array:
    """`ufunc.accumulate` for add and multiply. Sums of floats are of 64 bits; all else stays in its own type."""
    done = _by_evaluator(ufunc, x, axis)
    if done is not None:
        return done[0]
    dtype = PARTIAL.get(x.dtype.kind, x.dtype) if ufunc is np.add else x.dtype
    return ufunc.accumulate(x, axis, dtype)


def running_extreme(ufunc: np.ufunc, x: Array, axis: int) -> tuple[Array, Array]:
    """The same for maximum and minimum, and where the extreme is: of equal ones the last one, and the last NaN."""
    done = _by_evaluator(ufunc, x, axis)
    if done is not None and done[1] is not None:
        return done[0], done[1]
    values = ufunc.accumulate(x, axis)
    numbers: Array = np.expand_dims(np.arange(x.shape[axis], dtype=np.int64), tuple(range(1, x.ndim - axis)))
    return values, np.maximum.accumulate(np.where((x == values) | np.isnan(x), numbers, 0), axis)


def _by_evaluator(ufunc: np.ufunc, x: Array, axis: int) -> tuple[Array, Array | None] | None:
    """By the evaluator, if it is there, knows the type, and it pays."""
    if x.size < LARGE:
        return None
    library, workers = chosen(), cast("Any", current()).compute_threads
    if library is None:
        workers.counts[AS_WRITTEN] += 1
        return None
    try:
        found = accumulate(library, ufunc, x, axis, workers.threads)
    except Unknown as unknown:
        workers.counts[f"{AS_WRITTEN}: {unknown}"] += 1
        return None
    workers.counts[NATIVE] += 1
    return found
