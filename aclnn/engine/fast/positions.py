"""Gather and scatter: elements read or written at positions along a dimension, by the compiled evaluator or by numpy.

In a machine that only reports findings, a position out of range reads 0 and writes nothing. Several positions may be
equal. Their values are written, or added, in their order.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from aclnn.engine.fast.copying import copied
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native.positions import ADD, GATHER, INDEX_TYPES, PUT, move
from aclnn.engine.fast.native.recording import incomplete
from aclnn.engine.fast.native.translation import memory_type
from aclnn.engine.fast.native_calls import by_evaluator

MIN_ELEMENTS_FOR_EVALUATOR: Final = 1 << 11
"""elements from which a call of the evaluator is faster than numpy"""
MIN_INDICES_FOR_THREADS: Final = 1 << 17
"""indices from which several threads check them faster than one"""
_CHECKED: Final = frozenset(map(np.dtype, INDEX_TYPES))
MIN_ROW_BYTES: Final = 64
"""bytes of a row from which the evaluator is faster than numpy"""


def take(x: Array, index: Array, axis: int, *, negative: bool = False, out: Array | None = None) -> Array:
    """The slices of x at these positions along a dimension. With `negative`, positions below zero count from the end.
    `out` is memory for the result, if it has the type of x."""
    result = _memory((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]), x.dtype, out)
    row, source = index.reshape(1, -1, 1), _as_3d(x, axis)
    target = result.reshape(source.shape[0], row.size, source.shape[2])
    short = target.shape[2] * target.itemsize < MIN_ROW_BYTES
    if short or not _moved_by_evaluator(GATHER, target, source, row, negative=negative):
        incomplete()
        in_range = legal(row, x.shape[axis], negative=negative)
        if x.shape[axis]:  # np.take refuses a dimension without elements
            positions = (row if in_range is None else np.where(in_range, row, 0)).reshape(-1)
            np.take(source, positions, 1, out=target, mode="wrap")  # this mode needs no copy of the output
        if in_range is not None:
            target[:, ~in_range.reshape(-1)] = 0
    return result if out is None else _in_its_memory(target, result)


def take_along(x: Array, index: Array, axis: int, *, negative: bool = False, out: Array | None = None) -> Array:
    """Same as `np.take_along_axis`: each element of index is a position along the dimension. In the other dimensions
    index may be shorter than x. `out` is memory for the result, if it has the type of x."""
    part = x[tuple(map(slice, (*index.shape[:axis], x.shape[axis], *index.shape[axis + 1 :])))]
    result = _memory(index.shape, x.dtype, out)
    target = _as_3d(result, axis)
    if _moved_by_evaluator(GATHER, target, _as_3d(part, axis), _as_3d(index, axis), negative=negative):
        return result if out is None else _in_its_memory(target, result)
    in_range = legal(index, x.shape[axis], negative=negative)
    elements = np.take_along_axis(part, index if in_range is None else np.where(in_range, index, 0), axis)
    if in_range is not None:
        elements = np.where(in_range, elements, np.zeros((), x.dtype))
    if out is None:
        return elements
    result[...] = elements
    return result


def _memory(shape: Sequence[int], dtype: np.dtype[Any], out: Array | None) -> Array:
    """Memory for a result: `out` if it has the data type, or new memory."""
    return out if out is not None and out.dtype == dtype else np.empty(shape, dtype)


def _in_its_memory(values: Array, result: Array) -> Array:
    """Return the result. `values` is a view of the result in another shape. If no such view exists, `values` is a copy,
    and is copied back."""
    if not np.may_share_memory(values, result):
        result[...] = values.reshape(result.shape)
    return result


def write(
    x: Array, index: Array, values: Array, axis: int = 0, *, adds: bool = False, negative: bool = False
) -> Array:  # fmt: skip
    """A copy of x. The slices of `values` replace the slices at these positions along a dimension; with `adds` they are
    added. `values` has the dimensions of index in place of the dimension `axis`."""
    out: Array = np.array(x, order="C")
    write_into(out, index, values, axis, adds=adds, negative=negative)
    return out


def write_into(
    out: Array, index: Array, values: Array, axis: int = 0, *, adds: bool = False, negative: bool = False
) -> None:  # fmt: skip
    """Same as `write`, but in place: changes `out`, which is dense."""
    row = index.reshape(-1)
    slices = values.reshape(*out.shape[:axis], row.size, *out.shape[axis + 1 :])
    target, source = _as_3d(out, axis), _as_3d(slices, axis)
    if not _moved_by_evaluator(ADD if adds else PUT, target, source, row.reshape(1, -1, 1), negative=negative):
        in_range = legal(row, out.shape[axis], negative=negative)
        positions, terms = (row, source) if in_range is None else (row[in_range], source[:, in_range])
        if adds:
            np.add.at(np.swapaxes(target, 0, 1), positions, np.swapaxes(terms, 0, 1))
        else:
            target[:, positions] = terms


def write_along(
    x: Array, index: Array, values: Array, axis: int, *, adds: bool, negative: bool, by_numpy: Callable[[], Array],
    out: Array | None = None,
) -> Array:  # fmt: skip
    """A copy of x with `np.put_along_axis` applied: each element of index is a position along the dimension. With
    `adds`, values are added. The three arrays have the same sizes in the other dimensions. `by_numpy` computes the
    result if the evaluator cannot. `out` is memory for the result, perhaps the memory of x."""
    if out is None or out.dtype != x.dtype:
        out = np.array(x, order="C")
    elif x.ctypes.data != out.ctypes.data:
        copied(x, out)
    target, op = _as_3d(out, axis), ADD if adds else PUT
    moved = _moved_by_evaluator(op, target, _as_3d(values, axis), _as_3d(index, axis), negative=negative)
    return _in_its_memory(target, out) if moved else by_numpy()


def legal(indices: Array, count: int, *, negative: bool = False) -> Array | None:
    """A mask of the positions that are in range; None if all are in range."""
    low = -count if negative else 0
    if all_within(indices, low, count):
        return None
    return (indices >= low) & (indices < count)


def all_within(indices: Array, low: int, high: int) -> bool:
    """True if all positions are at least `low` and less than `high`. False for numbers that are no integers."""
    library = evaluator() if indices.dtype in _CHECKED and indices.flags.c_contiguous else None
    if library is not None:
        threads = cast("Any", current()).compute_threads.threads if indices.size >= MIN_INDICES_FOR_THREADS else 1
        type_ = library.types[memory_type(indices.dtype)]
        return library.in_range(type_, indices.ctypes.data, indices.size, low, high, threads)
    whole = indices.dtype.kind in "iu"
    return not indices.size or (whole and bool(indices.min() >= low and indices.max() < high))


def _as_3d(array: Array, axis: int) -> Array:
    """A view with three dimensions. The second one is the dimension `axis`."""
    shape = array.shape
    return array.reshape(prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))


def _moved_by_evaluator(op: int, target: Array, source: Array, index: Array, *, negative: bool) -> bool:
    """Move the elements by the evaluator. False if it is missing, does not support the types, or would be slower."""
    if max(target.size, source.size) < MIN_ELEMENTS_FOR_EVALUATOR:
        incomplete()
        return False
    return by_evaluator(evaluator(), lambda library, threads: move(
        library, op, target, source, index, negative=negative, threads=threads))  # fmt: skip
