"""Rows of a matrix summed up by index: the one formula that no expression of elements is.

The result is cut into ranges of rows, each a job: pick the indices that fall into it, sort them together with their
positions, zero the rows nobody gave, and add up: as many rows of the result at once as have equally many terms.
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from acl_runtime.dtypes import Array
from acl_runtime.machine.workers import Scratch, Workers
from aclnn.fast.expressions import FLOAT, Lazy, Made
from aclnn.fast.moves import load, store

PICKED: Final = 5 << 15
"""indices of a range: what is made of them stays small, whatever the size of the matrix"""
LOOKED: Final = 1 << 18
"""indices that are looked through at once"""
TERMS: Final = 64
"""terms that are added up in float32; those sums in float64"""
RUN: Final = 12
"""so many of them one after the other: with at most six such runs no sum is off by more than 8 * 2**-24 of its terms"""
COLUMNS: Final = 4096
TILE: Final = 1 << 18
"""elements of the matrix that are gathered at once"""
PARTS: Final = 16
"""jobs for an index that fills more than a range"""


class Sums(NamedTuple):
    """What is to be done: grad (M, D), rows (M), and the formula's other arguments."""

    grad: Array
    rows: Array
    length: int
    """rows of the result"""
    padding: int | None
    scale: bool


def sum_rows(
    grad: Array, rows: Array, _: Array | None = None, *, count: int, padding: int | None, scale: bool
) -> Lazy:  # fmt: skip
    """The rows of each index summed up, as `embedding_grad` does; it sorts for itself."""
    sums = Sums(grad, rows, count, padding, scale)
    return Lazy(Made((count, grad.shape[1]), (grad, rows), partial(_write, sums)))


def unsorted(rows: Array) -> tuple[Array, Array]:
    """In place of a sort that `sum_rows` does not need."""
    return rows, rows


def _write(sums: Sums, target: Array, workers: Workers) -> None:
    ranges = list(_ranges(sums))

    def job(number: int, scratch: Scratch) -> None:
        low, high, many = ranges[number]
        if many <= PICKED:
            _range(sums, target, low, high, scratch)

    workers.each(len(ranges), job)
    for low, _, many in ranges:
        if many > PICKED:
            _crowd(sums, target, low, workers)


def _ranges(sums: Sums) -> Iterator[tuple[int, int, int]]:
    """Ranges of rows of the result, and how many indices fall into each: no more than PICKED, if it is not a single
    row."""
    pending = [(0, sums.length)]
    while pending:
        low, high = pending.pop()
        shift = max(0, (high - low - 1).bit_length() - 12)
        counts = np.zeros(((high - low - 1) >> shift) + 1, np.int64)
        for at in range(0, sums.rows.size, LOOKED):
            part = sums.rows[at : at + LOOKED]
            inside = (
                part[(part >= low) & (part < high)] if (low, high) != (0, sums.length) or _wild(part, high) else part
            )
            counts += np.bincount((inside - low) >> shift, minlength=counts.size)
        start, many = 0, 0
        for bin_, more in enumerate(counts.tolist()):
            if start < bin_ and many + more > PICKED:
                yield low + (start << shift), low + (bin_ << shift), many
                start, many = bin_, 0
            if more <= PICKED:
                many += more
                continue
            edges = low + (bin_ << shift), min(high, low + (bin_ + 1 << shift))
            if shift:
                pending.append(edges)
            else:
                yield *edges, more
            start, many = bin_ + 1, 0
        if low + (start << shift) < high:
            yield low + (start << shift), high, many


def _wild(rows: Array, count: int) -> bool:
    return bool(rows.size) and (int(rows.min()) < 0 or int(rows.max()) >= count)


def _range(sums: Sums, target: Array, low: int, high: int, scratch: Scratch) -> None:
    """The rows [low, high) of the result."""
    rows, positions = _picked(sums, low, high)
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    given = rows[starts]
    counts = np.diff(starts, append=rows.size)
    if sums.padding is not None and low <= sums.padding < high:
        kept = given != sums.padding
        starts, given, counts = starts[kept], given[kept], counts[kept]
    _zero(target, low, high, given)
    by_count = np.argsort(counts.astype(np.uint32), kind="stable")
    starts, given, counts = starts[by_count], given[by_count], counts[by_count]
    bounds = [0, *(np.flatnonzero(np.diff(counts)) + 1).tolist(), counts.size] if counts.size else []
    for first, last in pairwise(bounds):
        terms = int(counts[first])
        at_once = max(1, TILE // (min(sums.grad.shape[1], COLUMNS) * terms))
        for begin in range(first, last, at_once):
            end = min(begin + at_once, last)
            _equal(sums, target, positions, starts[begin:end], given[begin:end], terms, scratch)


def _picked(sums: Sums, low: int, high: int) -> tuple[Array, Array]:
    """The indices in [low, high) in ascending order, and their positions; equal ones in the order of these."""
    size = sums.rows.size
    shift = max(1, (size - 1).bit_length())
    keys: list[Array] = []
    for at in range(0, size, LOOKED):
        part = sums.rows[at : at + LOOKED]
        found = np.flatnonzero((part >= low) & (part < high))
        key = part[found].astype(np.int64)
        key <<= shift
        found += at
        key |= found
        keys.append(key)
    key = np.concatenate(keys) if len(keys) > 1 else keys[0]
    del keys
    key.sort()  # of numbers, which is ten times as fast as argsort
    positions = key & ((1 << shift) - 1)
    key >>= shift
    return key, positions


def _zero(target: Array, low: int, high: int, given: Array) -> None:
    """Rows that nobody gave."""
    step = LOOKED
    for at in range(low, high, step):
        end = min(at + step, high)
        first, last = np.searchsorted(given, [at, end])
        empty = np.ones(end - at, np.bool_)
        empty[given[first:last] - at] = False
        if last - first < end - at:
            block = target[at:end]
            for row in range(0, end - at, max(1, TILE // target.shape[1])):
                piece = slice(row, row + max(1, TILE // target.shape[1]))
                block[piece][empty[piece]] = 0


def _equal(
    sums: Sums, target: Array, positions: Array, starts: Array, given: Array, terms: int, scratch: Scratch
) -> None:  # fmt: skip
    """Rows of the result with equally many terms."""
    width = sums.grad.shape[1]
    for left in range(0, width, COLUMNS):
        right = min(left + COLUMNS, width)
        if terms <= TERMS:
            which = positions[(starts[:, None] + np.arange(terms)).reshape(-1)]
            wide = _gathered(sums.grad, which, left, right, scratch).reshape(starts.size, terms, right - left)
            total = _runs(wide, scratch("total", (starts.size, right - left), FLOAT))
        else:
            sums_ = [
                _long(sums.grad, positions[start : start + terms], left, right, scratch) for start in starts.tolist()
            ]
            total = np.array(sums_).astype(np.float32)
        _put(sums, total, terms, target, given, left, right, scratch)


def _put(
    sums: Sums, total: Array, terms: int, target: Array, given: Array, left: int, right: int, scratch: Scratch
) -> None:  # fmt: skip
    if sums.scale:
        np.multiply(total, np.reciprocal(np.float32(terms)), out=total)
    if target.dtype != FLOAT:
        narrow = scratch("result", total.shape, target.dtype)
        store(total, narrow, scratch)
        total = narrow
    target[given, left:right] = total


def _long(grad: Array, positions: Array, left: int, right: int, scratch: Scratch) -> Array:
    """The sum of many rows: float32 over TERMS of them, those in float64."""
    total = np.zeros(right - left)
    step = max(1, TILE // (right - left) // TERMS) * TERMS
    for at in range(0, positions.size, step):
        wide = _gathered(grad, positions[at : at + step], left, right, scratch)
        whole = len(wide) // TERMS * TERMS
        if whole:
            terms = wide[:whole].reshape(-1, TERMS, right - left)
            total += _runs(terms, np.empty((len(terms), right - left), FLOAT)).sum(0, dtype=np.float64)
        if whole < len(wide):
            total += np.add.reduce(wide[whole:], axis=0, dtype=np.float64)
    return total


def _runs(wide: Array, total: Array) -> Array:
    """The sums over the middle dimension."""
    np.add.reduce(wide[:, :RUN], axis=1, out=total)
    for start in range(RUN, wide.shape[1], RUN):
        total += np.add.reduce(wide[:, start : start + RUN], axis=1)
    if not np.isfinite(total).all():  # perhaps only on the way
        total[...] = np.add.reduce(wide, axis=1, dtype=np.float64)
    return total


def _gathered(grad: Array, which: Array, left: int, right: int, scratch: Scratch) -> Array:
    """Rows of grad, widened."""
    shape = which.size, right - left
    rows = scratch("rows", shape, grad.dtype)
    if right - left == grad.shape[1] and grad.flags.c_contiguous:
        np.take(grad, which, axis=0, out=rows, mode="clip")  # clip: without a copy of `out` in case of an error
    else:
        rows[...] = grad[which, left:right]
    if grad.dtype == FLOAT:
        return rows
    wide = scratch("wide", shape, FLOAT)
    load(rows, wide, scratch)
    return wide


def _crowd(sums: Sums, target: Array, row: int, workers: Workers) -> None:
    """A row of the result with more terms than a range holds: in parts, which are added up in order."""
    if row == sums.padding:
        target[row] = 0
        return
    width = sums.grad.shape[1]
    size = sums.rows.size
    step = -(-size // PARTS)
    counts = [0] * PARTS
    for left in range(0, width, COLUMNS):
        right = min(left + COLUMNS, width)
        parts = np.zeros((PARTS, right - left))

        def job(number: int, scratch: Scratch, left: int = left, right: int = right, parts: Array = parts) -> None:
            counts[number] = 0
            end = min(size, (number + 1) * step)
            for at in range(number * step, end, LOOKED):
                found = np.flatnonzero(sums.rows[at : min(at + LOOKED, end)] == row) + at
                counts[number] += found.size
                parts[number] += _long(sums.grad, found, left, right, scratch)

        workers.each(PARTS, job)
        total = parts.sum(0).astype(np.float32)[None]
        _put(sums, total, sum(counts), target, np.array([row]), left, right, Scratch())
