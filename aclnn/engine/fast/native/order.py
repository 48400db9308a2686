"""Calls of the evaluator for the order of elements along a dimension."""

from math import prod
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Library, Order
from aclnn.engine.fast.native.sweep import MIN_ELEMENTS_FOR_THREADS
from aclnn.engine.fast.native.translation import NotInEvaluator, memory_type

MAX_COUNT: Final = 1 << 31
"""the evaluator orders fewer elements along a dimension: positions have 32 bits"""


def order(library: Library, x: Array, out: Array, axis: int, *, descending: bool, threads: int) -> None:
    """Write the first positions of the stable order along a dimension. `out` is dense, and its size is the number of
    positions. Raises `NotInEvaluator` before anything is written."""
    type_ = library.types[memory_type(x.dtype)]
    if x.shape[axis] >= MAX_COUNT:
        raise NotInEvaluator("too many elements in one order")
    x = np.ascontiguousarray(x)
    library.order(Order(
        source=x.ctypes.data, places=out.ctypes.data, type=type_, outer=prod(x.shape[:axis]), count=x.shape[axis],
        inner=prod(x.shape[axis + 1 :]), first=out.shape[axis], descending=descending, threads=threads,
        min_parallel=MIN_ELEMENTS_FOR_THREADS,
    ))  # fmt: skip
