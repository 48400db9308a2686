"""Sums, products and extremes up to each element of a dimension, by the evaluator."""

from math import prod
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Library, Running
from aclnn.engine.fast.native.sweep import LARGE
from aclnn.engine.fast.native.translation import Unknown

RUNS: Final[dict[Any, int]] = {np.add: 0, np.multiply: 1, np.maximum: 2, np.minimum: 3}
EXTREMES: Final = (np.maximum, np.minimum)
TYPES: Final = {"float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64"}


def accumulate(library: Library, ufunc: np.ufunc, x: Array, axis: int, threads: int) -> tuple[Array, Array | None]:
    """As `ufunc.accumulate(x, axis)`, where sums of float32 are float64. With an extreme: where it is, of equal ones
    the last one, and the last NaN. Raises `Unknown` before it begins."""
    type_ = TYPES.get(cast("str", x.dtype.name))
    if type_ is None:
        raise Unknown(f"running results of {x.dtype.name}")
    x = np.ascontiguousarray(x)
    double = ufunc is np.add and x.dtype == np.float32
    to = np.empty(x.shape, np.float64 if double else x.dtype)
    places = np.empty(x.shape, np.int64) if ufunc in EXTREMES else None
    library.accumulate(Running(
        source=x.ctypes.data, to=to.ctypes.data, places=None if places is None else places.ctypes.data, op=RUNS[ufunc],
        type=library.types[type_], outer=prod(x.shape[:axis]), count=x.shape[axis], inner=prod(x.shape[axis + 1 :]),
        threads=threads, large=LARGE,
    ))  # fmt: skip
    return to, places
