"""Elements at positions, and rows summed up by index, by the evaluator."""

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Library, Positions, Segments
from aclnn.engine.fast.native.sweep import LARGE
from aclnn.engine.fast.native.translation import Unknown, kind

GATHER: Final = 0
PUT: Final = 1
ADD: Final = 2
ADDED: Final = ("float32", "float64", "int32", "int64")
"""the types that are added"""
INDICES: Final = ("int32", "int64")
MOST: Final = 1 << 31
"""rows and indices of sums are numbered by int32"""


def move(
    library: Library, op: int, to: Array, source: Array, index: Array, *, negative: bool, threads: int
) -> None:  # fmt: skip
    """Elements at positions along the second of three dimensions; `evaluator.h` explains the operations. The first and
    the last dimension of index have the sizes of the others, or one element. Raises `Unknown` before anything moves."""
    if op == ADD and to.dtype.name not in ADDED:
        raise Unknown(f"{to.dtype.name} added at positions")
    if to.dtype != source.dtype or to.dtype.hasobject:
        raise Unknown("elements of two types at positions")
    if to.itemsize > 8 and index.shape[2] > 1:
        raise Unknown(f"{to.dtype.name} at positions of their own")
    at = index if index.dtype.name in INDICES else index.astype(np.int64)
    if not all(map(_is_aligned, (to, source, at))):
        raise Unknown("misaligned elements")
    given, found = (to, source) if op == GATHER else (source, to)
    outer, count, inner = given.shape
    steps = [step if size > 1 else 0 for size, step in zip(at.shape, at.strides, strict=True)]
    library.move(Positions(
        to=to.ctypes.data, source=source.ctypes.data, index=at.ctypes.data, op=op, size=to.itemsize,
        type=library.types[kind(to.dtype)] if op == ADD else 0, index_type=library.types[kind(at.dtype)],
        negative=negative, outer=outer, count=count, inner=inner, places=found.shape[1],
        to_stride=_three(to.strides), from_stride=_three(source.strides), index_stride=_three(steps),
        threads=threads, large=LARGE,
    ))  # fmt: skip


def knows_sums(grad: Array, rows: Array, count: int) -> bool:
    """Whether `sum_segments` sums up such rows, into `count` rows of floats."""
    numbered = max(rows.size, count) < MOST and rows.dtype.name in INDICES
    return numbered and grad.dtype.name in ("float32", "float16", "bfloat16")


def has_dense_rows(matrix: Array) -> bool:
    """Whether the elements of a row are neighbours, and aligned."""
    return _is_aligned(matrix) and (matrix.shape[1] <= 1 or matrix.strides[1] == matrix.itemsize)


def sum_segments(
    library: Library, grad: Array, rows: Array, to: Array, *, padding: int | None, scale: bool, threads: int
) -> None:  # fmt: skip
    """The rows of each index summed up, of a matrix with dense rows into another one."""
    rows = np.ascontiguousarray(rows if _is_aligned(rows) else np.array(rows))
    positions, first = np.empty(max(1, rows.size), np.int32), np.empty(len(to) + 1, np.int32)
    types = library.types
    library.sum_segments(Segments(
        source=grad.ctypes.data, index=rows.ctypes.data, to=to.ctypes.data, positions=positions.ctypes.data,
        first=first.ctypes.data, from_type=types[kind(grad.dtype)], from_stride=grad.strides[0],
        index_type=types[kind(rows.dtype)], to_type=types[kind(to.dtype)], to_stride=to.strides[0], count=rows.size,
        width=grad.shape[1], length=len(to), padding=-1 if padding is None else padding, scale=scale, threads=threads,
        large=LARGE,
    ))  # fmt: skip


def _is_aligned(array: Array) -> bool:
    return not any(step % array.dtype.alignment for step in (array.ctypes.data, *array.strides))


def _three(steps: Sequence[int]) -> Any:
    return (ctypes.c_int64 * 3)(*steps)
