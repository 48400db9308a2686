"""Calls of the evaluator for attention: each of its threads computes panels of scores, and calls BLAS."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import Attention, Blas, Library, Rows
from aclnn.engine.fast.native.products import FLOATS, threads_for, type_of
from aclnn.engine.fast.native.translation import NotInEvaluator

SQUARES: Final = ("shift", "mask", "sink")
"""optional inputs that the evaluator reads: for each score, or for each row"""
ONE_BYTE: Final = (np.dtype(np.bool_), np.dtype(np.uint8), np.dtype(np.int8))


class Scoring(NamedTuple):
    """The computation of scores, as in evaluator.h."""

    scale: float
    keep: float = 1
    first_row: int = 0
    low: int | None = None
    high: int | None = None
    prefix: int = 0
    shift_first: bool = False
    corrects: bool = False


class Pages(NamedTuple):
    """Keys and values in blocks of a cache: the numbers of the blocks, and the number of keys."""

    table: Array
    columns: int


def attend(
    library: Library, blas: tuple[int, int], operands: Sequence[Array], results: Sequence[Array],
    squares: Mapping[str, Array], scoring: Scoring, pages: Pages | None, threads: int,
) -> None:  # fmt: skip
    """Write attention of q, k and v, its largest scores and its sums of exponentials, all dense float32. With `pages`
    the first dimension of k and v is that of the blocks. Raises `NotInEvaluator` before anything is written."""
    q, k, v = operands
    if not set(squares) <= set(SQUARES):
        raise NotInEvaluator(f"attention with {', '.join(sorted(set(squares) - set(SQUARES)))}")
    columns, table = k.shape[2], None
    if pages is not None:
        columns, table = pages.columns, np.ascontiguousarray(pages.table.reshape(-1), np.int64)
        if not table.size * k.shape[2] >= columns or table.min() < 0 or table.max() >= len(k):
            raise NotInEvaluator("a table with positions out of range")
    if not (q.size and k.size and v.size and columns):
        raise NotInEvaluator("attention without elements")
    out, tops, sums = results
    shapes = [_dense(library, operand) for operand in (*operands, out)]
    optional = {name: _optional(library, name, squares.get(name)) for name in SQUARES}
    library.attend(Attention(
        blas=Blas(*blas), q=shapes[0], k=shapes[1], v=shapes[2], out=shapes[3], **optional,
        table=None if table is None else table.ctypes.data, tops=tops.ctypes.data, sums=sums.ctypes.data,
        batches=len(q), heads=k.shape[1], group=q.shape[1] // k.shape[1], rows=q.shape[2], columns=columns,
        size=q.shape[3], width=v.shape[3], together=k.shape[2], first_row=scoring.first_row,
        has_low=scoring.low is not None, has_high=scoring.high is not None, low=scoring.low or 0,
        high=scoring.high or 0, prefix=scoring.prefix, shift_first=scoring.shift_first, corrects=scoring.corrects,
        threads=threads_for(q.size * columns, threads), scale=scoring.scale, keep=scoring.keep,
    ))  # fmt: skip


def _dense(library: Library, array: Array) -> Rows:
    """Queries, keys, values or results."""
    if array.strides[3] != array.itemsize and array.shape[3] > 1:
        raise NotInEvaluator("attention of rows with gaps")
    return _rows(type_of(library, array, FLOATS), array)


def _optional(library: Library, name: str, array: Array | None) -> Rows:
    """A shift, a mask or a sink."""
    if array is None:
        return Rows()
    if name != "mask":
        return _rows(type_of(library, array, FLOATS), array)
    if array.dtype not in ONE_BYTE:
        raise NotInEvaluator(f"masks of {array.dtype.name}")
    return _rows(library.types["U8"], array)


def _rows(type_: int, array: Array) -> Rows:
    batch, head, row, column = array.strides
    return Rows(base=array.ctypes.data, type=type_, batch=batch, head=head, row=row, column=column)
