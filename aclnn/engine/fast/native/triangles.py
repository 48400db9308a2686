"""Calls of the evaluator for triangles of matrices."""

import ctypes

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Library, Triangle
from aclnn.engine.fast.native.sweep import MIN_ELEMENTS_FOR_THREADS
from aclnn.engine.fast.native.translation import NotInEvaluator


def copy_triangles(library: Library, x: Array, left: Array, out: Array, *, upper: bool, threads: int) -> None:
    """Copy the first left[r] elements of each row r of x, and set the others to 0; with `upper` the others are copied,
    and the first are 0. The arrays have three dimensions. Raises `NotInEvaluator` before anything is written."""
    if any(array.strides[2] != array.itemsize for array in (x, out)):
        raise NotInEvaluator("triangles of rows with gaps")
    left = np.ascontiguousarray(left, np.int64)
    pair = ctypes.c_int64 * 2
    library.copy_triangles(Triangle(
        source=x.ctypes.data, to=out.ctypes.data, left=left.ctypes.data, size=x.itemsize, matrices=len(x),
        rows=x.shape[1], count=x.shape[2], from_stride=pair(*x.strides[:2]), to_stride=pair(*out.strides[:2]),
        upper=upper, threads=threads, min_parallel=MIN_ELEMENTS_FOR_THREADS,
    ))  # fmt: skip
