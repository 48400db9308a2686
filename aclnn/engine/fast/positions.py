"""Elements that are read or written at positions along a dimension, by the compiled evaluator or by numpy.

Positions may be anything, as a machine that only reports lets the task run: one that is out of range reads 0, and
writes nothing. Several positions may name one place: then values are written, or added, in their order.
"""

from collections.abc import Callable
from math import prod
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from aclnn.engine.fast.engines import AS_WRITTEN, NATIVE
from aclnn.engine.fast.native.library import chosen
from aclnn.engine.fast.native.positions import ADD, GATHER, PUT, move
from aclnn.engine.fast.native.translation import Unknown

LARGE: Final = 1 << 11
"""elements from which a call of the evaluator pays"""
ROW: Final = 64
"""bytes of a row from which it pays to read rows; numpy is as quick with short ones"""


def take(x: Array, index: Array, axis: int, *, negative: bool = False) -> Array:
    """The slices of x at these positions along a dimension. `negative`: those below zero count from the end."""
    row = index.reshape(1, -1, 1)
    out = np.empty((*x.shape[:axis], row.size, *x.shape[axis + 1 :]), x.dtype)
    to, source = _three(out, axis), _three(x, axis)
    if to.shape[2] * to.itemsize < ROW or not _moved(GATHER, to, source, row, negative=negative):
        good = legal(row, x.shape[axis], negative=negative)
        if x.shape[axis]:  # numpy takes nothing from a dimension without elements
            np.take(x, (row if good is None else np.where(good, row, 0)).reshape(-1), axis, out=out)
        if good is not None:
            out[(slice(None),) * axis + (~good.reshape(-1),)] = 0
    return out.reshape((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]))


def take_along(x: Array, index: Array, axis: int, *, negative: bool = False) -> Array:
    """For each place of index the element of x there, with the value of index as its position along a dimension. Off
    this dimension index is no longer than x."""
    part = x[tuple(map(slice, (*index.shape[:axis], x.shape[axis], *index.shape[axis + 1 :])))]
    out = np.empty(index.shape, x.dtype)
    if _moved(GATHER, _three(out, axis), _three(part, axis), _three(index, axis), negative=negative):
        return out
    good = legal(index, x.shape[axis], negative=negative)
    if good is None:
        return np.take_along_axis(part, index, axis)
    found = np.take_along_axis(part, np.where(good, index, 0), axis)
    return np.where(good, found, np.zeros((), x.dtype))


def write(
    x: Array, index: Array, values: Array, axis: int = 0, *, adds: bool = False, negative: bool = False
) -> Array:  # fmt: skip
    """A copy of x with slices at these positions along a dimension replaced by those of `values`, or with those added.
    `values` has the dimensions of index in place of this one."""
    out: Array = np.array(x, order="C")
    write_into(out, index, values, axis, adds=adds, negative=negative)
    return out


def write_into(
    out: Array, index: Array, values: Array, axis: int = 0, *, adds: bool = False, negative: bool = False
) -> None:  # fmt: skip
    """As `write`, in place. `out` is dense."""
    row = index.reshape(-1)
    terms = values.reshape(*out.shape[:axis], row.size, *out.shape[axis + 1 :])
    to, source = _three(out, axis), _three(terms, axis)
    if not _moved(ADD if adds else PUT, to, source, row.reshape(1, -1, 1), negative=negative):
        good = legal(row, out.shape[axis], negative=negative)
        places, kept = (row, source) if good is None else (row[good], source[:, good])
        if adds:
            np.add.at(np.swapaxes(to, 0, 1), places, np.swapaxes(kept, 0, 1))
        else:
            to[:, places] = kept


def write_along(
    x: Array, index: Array, values: Array, axis: int, *, adds: bool, negative: bool, other: Callable[[], Array]
) -> Array:  # fmt: skip
    """A copy of x in which each element of `values` replaces one, or is added to one: that of its own place, with the
    value of index as its position along a dimension. The three have the same sizes off this dimension; `other` computes
    the same by numpy."""
    out = np.array(x, order="C")
    op = ADD if adds else PUT
    done = _moved(op, _three(out, axis), _three(values, axis), _three(index, axis), negative=negative)
    return out if done else other()


def legal(indices: Array, count: int, *, negative: bool = False) -> Array | None:
    """Which positions are in range; None if all are."""
    low = -count if negative else 0
    if not indices.size or (indices.min() >= low and indices.max() < count):
        return None
    return (indices >= low) & (indices < count)


def _three(array: Array, axis: int) -> Array:
    """With three dimensions, of which the second is that of the positions."""
    shape = array.shape
    return array.reshape(prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :]))


def _moved(op: int, to: Array, source: Array, index: Array, *, negative: bool) -> bool:
    """Let the evaluator do it, if it is there, knows the types, and it pays."""
    library = chosen()
    if max(to.size, source.size) < LARGE:
        return False
    workers = cast("Any", current()).compute_threads
    if library is None:
        workers.counts[AS_WRITTEN] += 1
        return False
    try:
        move(library, op, to, source, index, negative=negative, threads=workers.threads)
    except Unknown as unknown:
        workers.counts[f"{AS_WRITTEN}: {unknown}"] += 1
        return False
    workers.counts[NATIVE] += 1
    return True
