"""Rows of a matrix summed up by index, for large matrices.

The result is cut into ranges of rows. For each range: pick the indices that fall into it, sort them together with their
positions, set the rows without an index to zero, and add up. Rows of the result with the same number of terms are added
up together. Where the compiled evaluator is installed, it does all of this (`native.positions`).
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Scratch, Workers
from aclnn.engine.fast.engines import NATIVE, NUMPY
from aclnn.engine.fast.expressions import FLOAT, Lazy, Made
from aclnn.engine.fast.moves import load, store
from aclnn.engine.fast.native import positions as native
from aclnn.engine.fast.native.library import chosen
from aclnn.engine.fast.native.translation import Unknown

PICKED: Final = 3 << 17
"""indices of a range"""
GIVEN: Final = 1 << 17
"""rows of the result that a range may have indices for: what is made of them stays small, whatever there is"""
AT_ONCE: Final = 2
"""ranges that are sorted side by side"""
LOOKED: Final = 1 << 16
"""indices that are looked through at once"""
TERMS: Final = 64
"""terms that are added up in float32; those sums in float64"""
RUN: Final = 12
"""so many of them one after the other: with at most six such runs no sum is off by more than 8 * 2**-24 of its terms"""
COLUMNS: Final = 4096
TILE: Final = 3 << 18
"""elements of the matrix that are gathered at once"""
PARTS: Final = 16
"""jobs for an index that fills more than a range"""


class Sums(NamedTuple):
    """The arguments of the sum: grad (M, D), rows (M), and the others of the formula."""

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


class SortedSegments(NamedTuple):
    """The indices of a range, sorted: those of one row of the result are a segment. Short segments come first."""

    positions: Array
    """in the matrix, segment after segment"""
    starts: Array
    """of the segments in `positions`"""
    given: Array
    """their rows"""
    counts: Array
    """their lengths"""


def _write(sums: Sums, target: Array, workers: Workers) -> None:
    workers.forget()
    if _by_evaluator(sums, target, workers):
        return
    ranges = list(_ranges(sums))
    usual = [each for each in ranges if each[-1] <= PICKED]
    for at in range(0, len(usual), AT_ONCE):
        _together(sums, target, usual[at : at + AT_ONCE], workers)
    for low, _, many in ranges:
        if many > PICKED:
            _crowd(sums, target, low, workers)


def _by_evaluator(sums: Sums, target: Array, workers: Workers) -> bool:
    """Let the evaluator do it, if it is there and knows the types and layouts."""
    library, why = chosen(), ""
    if library is not None:
        try:
            native.sum_rows(library, sums.grad, sums.rows, target, padding=sums.padding, scale=sums.scale,
                            threads=workers.threads)  # fmt: skip
        except Unknown as unknown:
            why = f": {unknown}"
        else:
            workers.counts[NATIVE] += 1
            return True
    workers.counts[f"{NUMPY}{why}"] += 1
    return False


def _together(sums: Sums, target: Array, ranges: list[tuple[int, int, int]], workers: Workers) -> None:
    """Sort the indices of some ranges, then add up their segments, many of them at a time."""
    found: list[SortedSegments | None] = [None] * len(ranges)

    def sort(number: int, _: Scratch) -> None:
        low, high, many = ranges[number]
        found[number] = segments = _segments(sums, low, high, many)
        _zero(target, low, high, np.sort(segments.given))

    workers.each(len(ranges), sort)
    pieces = [(each, piece) for each in found if each is not None for piece in _pieces(each, sums.grad.shape[1])]

    def add(number: int, scratch: Scratch) -> None:
        segments, piece = pieces[number]
        _add(sums, target, segments, piece, scratch)

    workers.each(len(pieces), add)


def _pieces(segments: SortedSegments, width: int) -> Iterator[slice]:
    """The segments that are gathered at once: as many as a tile holds, of one length while they are short."""
    counts, most = segments.counts, max(1, TILE // min(width, COLUMNS))
    bounds = [0, *(np.flatnonzero(np.diff(counts)) + 1).tolist(), counts.size] if counts.size else []
    short = int(np.searchsorted(counts, TERMS, side="right"))
    for first, last in pairwise(each for each in bounds if each <= short):
        step = max(1, most // int(counts[first]))
        yield from (slice(at, min(at + step, last)) for at in range(first, last, step))
    first, rows = short, 0
    for place in range(short, counts.size):
        if first < place and rows + int(counts[place]) > most:
            yield slice(first, place)
            first, rows = place, 0
        rows += int(counts[place])
    if first < counts.size:
        yield slice(first, counts.size)


def _ranges(sums: Sums) -> Iterator[tuple[int, int, int]]:
    """Ranges of rows of the result, and how many indices fall into each: no more than PICKED, nor for more than GIVEN
    rows, if it is not a single row."""
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
            if start < bin_ and (many + more > PICKED or min(many + more, bin_ + 1 - start << shift) > GIVEN):
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


def _segments(sums: Sums, low: int, high: int, many: int) -> SortedSegments:
    """Of the rows [low, high) of the result, for which there are so many indices."""
    rows, positions = _picked(sums, low, high, many)
    starts = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]) if rows.size else rows)
    given = rows[starts]
    counts = np.diff(starts, append=rows.size)
    del rows
    if sums.padding is not None and low <= sums.padding < high:
        kept = given != sums.padding
        starts, given, counts = starts[kept], given[kept], counts[kept]
    by_count = np.argsort(counts.astype(np.uint32), kind="stable")
    starts, given, counts = starts[by_count], given[by_count], counts[by_count]
    ends = np.cumsum(counts)
    ordered = np.empty(int(counts.sum()), positions.dtype)
    for first, last in _even(ends):
        at, end = int(ends[first] - counts[first]), int(ends[last - 1])
        moved = np.repeat(starts[first:last] - ends[first:last] + counts[first:last], counts[first:last])
        ordered[at:end] = positions[moved + np.arange(at, end)]
    return SortedSegments(ordered, ends - counts, given, counts)


def _even(ends: Array) -> Iterator[tuple[int, int]]:
    """Segments in groups of about LOOKED indices."""
    first = 0
    while first < ends.size:
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + LOOKED, side="right")))
        yield first, last
        first = last


def _picked(sums: Sums, low: int, high: int, many: int) -> tuple[Array, Array]:
    """The indices in [low, high), of which there are so many, in ascending order, and their positions; equal ones in
    the order of these."""
    size = sums.rows.size
    shift = max(1, (size - 1).bit_length())
    key, filled = np.empty(many, np.int64), 0
    for at in range(0, size, LOOKED):
        part = sums.rows[at : at + LOOKED]
        found = np.flatnonzero((part >= low) & (part < high))
        place = key[filled : filled + found.size]
        place[...] = part[found]
        place <<= shift
        found += at
        place |= found
        filled += found.size
    key.sort()  # of numbers, which is ten times as fast as argsort
    positions = np.empty(many, np.min_scalar_type(-size))  # mostly half the bytes
    for at in range(0, many, LOOKED):
        positions[at : at + LOOKED] = key[at : at + LOOKED] & ((1 << shift) - 1)
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


def _add(sums: Sums, target: Array, segments: SortedSegments, piece: slice, scratch: Scratch) -> None:
    """Rows of the result from their segments: short ones of one length, or long ones."""
    starts, given, counts = segments.starts[piece], segments.given[piece], segments.counts[piece]
    which = segments.positions[int(starts[0]) : int(starts[-1] + counts[-1])]
    width, terms = sums.grad.shape[1], int(counts[0])
    for left in range(0, width, COLUMNS):
        right = min(left + COLUMNS, width)
        if terms <= TERMS:
            wide = _gathered(sums.grad, which, left, right, scratch).reshape(starts.size, terms, right - left)
            total = wide[:, 0] if terms == 1 else _runs(wide, scratch("total", (starts.size, right - left), FLOAT))
        elif starts.size == 1:
            total = _long(sums.grad, which, left, right, scratch).astype(np.float32)[None]
        else:
            total = _several(sums.grad, which, counts, left, right, scratch)
        _put(sums, total, counts, target, given, left, right, scratch)


def _several(grad: Array, positions: Array, counts: Array, left: int, right: int, scratch: Scratch) -> Array:
    """The sums of several long segments: float32 over TERMS of their rows, those, and what is left over, in float64."""
    whole = counts // TERMS
    over = counts - whole * TERMS
    lengths = np.stack([whole * TERMS, over], 1).reshape(-1)  # of what goes in groups, and what does not, in turn
    grouped = np.repeat(np.arange(lengths.size) % 2 == 0, lengths)
    wide = _gathered(grad, positions[grouped], left, right, scratch).reshape(-1, TERMS, right - left)
    parts = _runs(wide, np.empty((len(wide), right - left), FLOAT))
    total = np.add.reduceat(parts, np.cumsum(whole) - whole, axis=0, dtype=np.float64)
    some = np.flatnonzero(over)
    if some.size:
        rest = _gathered(grad, positions[~grouped], left, right, scratch)
        total[some] += np.add.reduceat(rest, np.cumsum(over[some]) - over[some], axis=0, dtype=np.float64)
    return total.astype(np.float32)


def _put(
    sums: Sums, total: Array, counts: Array, target: Array, given: Array, left: int, right: int, scratch: Scratch
) -> None:  # fmt: skip
    if sums.scale:
        np.multiply(total, np.reciprocal(counts.astype(np.float32))[:, None], out=total)
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
    if not np.isfinite(np.add.reduce(total, axis=None)):  # perhaps only on the way
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
        _put(sums, total, np.array([sum(counts)]), target, np.array([row]), left, right, Scratch())
