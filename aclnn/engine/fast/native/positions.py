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
    for each in (to, source, at):
        _check_aligned(each)
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


def sum_rows(
    library: Library, grad: Array, rows: Array, to: Array, *, padding: int | None, scale: bool, threads: int
) -> None:  # fmt: skip
    """Rows of grad summed up by index, as `sum_rows` of aclnn.engine.fast.index_sums does. Raises `Unknown` before
    anything is written."""
    if max(rows.size, len(to)) >= MOST or rows.dtype.name not in INDICES:
        raise Unknown("so many rows")
    if kind(grad.dtype) not in ("F32", "F16", "BF16") or kind(to.dtype) not in ("F32", "F64", "F16", "BF16"):
        raise Unknown(f"sums of rows of {grad.dtype.name}")
    for each in (grad, to):
        _check_aligned(each)
        if each.shape[1] > 1 and each.strides[1] != each.itemsize:
            raise Unknown("rows with gaps")
    _check_aligned(rows := np.ascontiguousarray(rows))
    positions, first = np.empty(max(1, rows.size), np.int32), np.empty(len(to) + 1, np.int32)
    types = library.types
    library.sum_segments(Segments(
        source=grad.ctypes.data, index=rows.ctypes.data, to=to.ctypes.data, positions=positions.ctypes.data,
        first=first.ctypes.data, from_type=types[kind(grad.dtype)], from_stride=grad.strides[0],
        index_type=types[kind(rows.dtype)], to_type=types[kind(to.dtype)], to_stride=to.strides[0], count=rows.size,
        width=grad.shape[1], length=len(to), padding=-1 if padding is None else padding, scale=scale, threads=threads,
        large=LARGE,
    ))  # fmt: skip


def _check_aligned(array: Array) -> None:
    if any(step % array.dtype.alignment for step in (array.ctypes.data, *array.strides)):
        raise Unknown("misaligned elements")


def _three(steps: Sequence[int]) -> Any:
    return (ctypes.c_int64 * 3)(*steps)
