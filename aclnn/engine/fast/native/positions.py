"""Calls of the evaluator for elements at positions, and for sums of rows by index."""

import ctypes
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Library, Positions, Segments
from aclnn.engine.fast.native.sweep import MIN_ELEMENTS_FOR_THREADS
from aclnn.engine.fast.native.translation import NotInEvaluator, memory_type

GATHER: Final = 0
PUT: Final = 1
ADD: Final = 2
ADDABLE_TYPES: Final = ("float32", "float64", "int32", "int64")
"""types of elements that ADD supports"""
INDEX_TYPES: Final = ("int32", "int64")
_ADDABLE: Final = frozenset(map(np.dtype, ADDABLE_TYPES))
_INDICES: Final = frozenset(map(np.dtype, INDEX_TYPES))
_STRIDES: Final = ctypes.c_int64 * 3
MAX_ROWS: Final = 1 << 31
"""rows and indices are fewer, as their numbers are int32"""


def move(
    library: Library, op: int, target: Array, source: Array, index: Array, *, negative: bool, threads: int
) -> None:  # fmt: skip
    """Move elements at positions along the second of three dimensions. `evaluator.h` explains the operations.

    The first and the last dimension of index have the size of the other arrays, or size 1. Raises `NotInEvaluator`
    before anything moves."""
    if op == ADD and target.dtype not in _ADDABLE:
        raise NotInEvaluator(f"{target.dtype.name} added at positions")
    if target.dtype != source.dtype or target.dtype.hasobject:
        raise NotInEvaluator("elements of two types at positions")
    if target.itemsize > 8 and index.shape[2] > 1:
        raise NotInEvaluator(f"{target.dtype.name} at a position for each element")
    index = index if index.dtype in _INDICES else index.astype(np.int64)
    if not (target.flags.aligned and source.flags.aligned and index.flags.aligned):
        raise NotInEvaluator("misaligned elements")
    moved, indexed = (target, source) if op == GATHER else (source, target)
    outer, count, inner = moved.shape
    index_strides = [stride if size > 1 else 0 for size, stride in zip(index.shape, index.strides, strict=True)]
    library.move(Positions(
        to=target.ctypes.data, source=source.ctypes.data, index=index.ctypes.data, op=op, size=target.itemsize,
        type=library.types[memory_type(target.dtype)] if op == ADD else 0,
        index_type=library.types[memory_type(index.dtype)], negative=negative, outer=outer, count=count, inner=inner,
        length=indexed.shape[1], to_stride=_STRIDES(*target.strides), from_stride=_STRIDES(*source.strides),
        index_stride=_STRIDES(*index_strides), threads=threads, min_parallel=MIN_ELEMENTS_FOR_THREADS,
    ))  # fmt: skip


def knows_sums(grad: Array, rows: Array, count: int) -> bool:
    """True if `sum_segments` can sum such rows into `count` rows of floats."""
    fits_int32 = max(rows.size, count) < MAX_ROWS and rows.dtype.name in INDEX_TYPES
    return fits_int32 and grad.dtype.name in ("float32", "float16", "bfloat16")


def has_dense_rows(matrix: Array) -> bool:
    """True if the elements of each row are contiguous and aligned."""
    return matrix.flags.aligned and (matrix.shape[1] <= 1 or matrix.strides[1] == matrix.itemsize)


def sum_segments(
    library: Library, grad: Array, rows: Array, target: Array, *, padding: int | None, scale: bool, threads: int
) -> None:  # fmt: skip
    """Write the sum of the rows of each index to a row of the target. Both matrices have dense rows."""
    rows = np.ascontiguousarray(rows if rows.flags.aligned else np.array(rows))
    positions, first = np.empty(max(1, rows.size), np.int32), np.empty(len(target) + 1, np.int32)
    types = library.types
    library.sum_segments(Segments(
        source=grad.ctypes.data, index=rows.ctypes.data, to=target.ctypes.data, positions=positions.ctypes.data,
        first=first.ctypes.data, from_type=types[memory_type(grad.dtype)], from_stride=grad.strides[0],
        index_type=types[memory_type(rows.dtype)], to_type=types[memory_type(target.dtype)],
        to_stride=target.strides[0], count=rows.size, width=grad.shape[1], length=len(target),
        padding=-1 if padding is None else padding, scale=scale, threads=threads, min_parallel=MIN_ELEMENTS_FOR_THREADS,
    ))  # fmt: skip
