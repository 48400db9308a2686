"""Scores of attention in panels.

A panel is the scores of a few heads and rows of queries, in float32. It fits into the processor's cache; the scores of
a whole tensor never exist at once. Queries are (batches, heads, rows, sizes). Keys and values may have fewer heads: a
group of neighbouring query heads then shares a head of the keys.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from aclnn.op import Array, Scoring, Scratch, widen, widened


SCORES: Final = 1 << 18
"""most elements of a panel: a megabyte"""
WIDENED_ELEMENTS: Final = 1 << 21
"""most elements of keys, or of values, that are converted to float32 together"""
READ_ONCE: Final = 1 << 17
"""most elements of keys, or of values, that are converted together if one panel reads them: half a megabyte, which fits
into the cache of a core"""
LOWEST: Final = -3.4028234663852886e38
"""the score of a hidden position"""
LARGEST: Final = 3.4028234663852886e38


def numbers(part: slice) -> Array:
    return cast("Array", np.arange(part.start, part.stop))


@dataclass(frozen=True)
class Band:
    """The keys that a row sees. Row i sees keys i + low to i + high, and always the keys below `prefix`."""

    low: int | None = None
    high: int | None = None
    prefix: int = 0

    def columns(self, rows: slice, count: int) -> slice:
        """The range of columns that one or more of the rows see; at least one column."""
        first = 0 if self.low is None or self.prefix else min(max(rows.start + self.low, 0), count - 1)
        last = count if self.high is None else min(max(rows.stop + self.high, self.prefix), count)
        return slice(first, max(last, first + 1))

    def hides(self, rows: slice, columns: slice) -> Array | None:
        """The positions that are hidden; None if there is no band."""
        if self.low is None and self.high is None:
            return None
        own_rows = numbers(rows).reshape(-1, 1)
        others = numbers(columns)
        hidden = np.zeros((rows.stop - rows.start, others.size), np.bool_)
        if self.high is not None:
            hidden |= others > own_rows + self.high
        if self.low is not None:
            hidden |= others < own_rows + self.low
        return hidden & (others >= self.prefix) if self.prefix else hidden


@dataclass(frozen=True)
class ScoreRules:
    """Scale, hidden positions and dropout of the scores of a step."""

    scale: float
    band: Band = Band()
    first_row: int = 0
    """the first row of the step among all rows, for the band"""
    columns: int | None = None
    """the number of keys. None: the rows of k, which are not blocks of a cache"""
    shift_first: bool = False
    """True if the shift is added before the scale is applied"""
    corrects: bool = False
    """True if the result of a row without visible keys is 0, False if it is the mean of all values"""
    keep: float = 1.0
    """the probability that dropout keeps an element"""
    bits: tuple[int, int, int] = (0, 0, 0)
    """the dropout mask: index of its first bit, number of bits of a batch, number of bits of a head"""

    @property
    def scoring(self) -> Scoring:
        """The rules without dropout, for the evaluator."""
        band = self.band
        return Scoring(
            self.scale, self.keep, self.first_row, band.low, band.high, band.prefix, self.shift_first, self.corrects
        )  # fmt: skip


def floats(x: Array, out: Array | None = None) -> Array:
    """The values in float32. `out` is dense memory for values that are converted."""
    if x.dtype != np.int8:
        return widened(x, out)
    if out is None:
        return x.astype(np.float32)
    out[...] = x
    return out


def product(rows: Array, others: Array, out: Array) -> None:
    """out = rows @ others^T for each head."""
    np.matmul(rows, np.swapaxes(others, 1, 2), out=out)


def blocks(count: int, size: int) -> Iterator[slice]:
    """Slices of at most `size` numbers that cover the numbers below `count`."""
    size = max(size, 1)
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


class Matrices:
    """Keys or values of a few heads, in float32. If several panels read them, they are converted once. Large ones, and
    those that are read once, are converted in blocks of rows at each reading."""

    def __init__(self, stacked: Array, scratch: Scratch, *, panels: int) -> None:
        self.stacked, self.scratch = stacked, scratch
        self.at_once = WIDENED_ELEMENTS if panels > 1 else READ_ONCE
        whole = stacked.dtype == np.float32 or stacked.size <= self.at_once
        self.whole = floats(stacked) if whole else None

    def parts(self, columns: slice) -> Iterator[tuple[slice, Array]]:
        """Blocks of the rows `columns`, each with its position among these rows. A block that is converted is in
        scratch memory until the next one."""
        if self.whole is not None:
            yield slice(0, columns.stop - columns.start), self.whole[:, columns]
            return
        for place in blocks(columns.stop - columns.start, self.at_once * len(self.stacked[0]) // self.stacked.size):
            part = self.stacked[:, columns.start + place.start : columns.start + place.stop]
            yield place, floats(part, self.scratch("widened rows", part.shape, np.float32))


@dataclass
class Panel:
    """Some rows of some heads, and the columns that they see."""

    heads: slice
    """heads of the keys"""
    members: slice
    """query heads of a group"""
    rows: slice
    columns: slice

    def of(self, grouped: Array) -> Array:
        """The panel's part of an array (heads of keys, members, rows, ..), in the shape (heads of keys, members * rows,
        ..)."""
        part = grouped[self.heads, self.members, self.rows]
        return part.reshape(part.shape[0], -1, *part.shape[3:])

    def square(self, grouped: Array) -> Array:
        """The panel's part of a shift or mask for each score."""
        part = grouped[self.heads, self.members, self.rows, self.columns]
        return part.reshape(part.shape[0], -1, part.shape[3])


class ScoredBatch:
    """One batch: its tensors, and its panels of scores."""

    def __init__(self, rules: ScoreRules, number: int, q: Array, k: Array, others: dict[str, Array]) -> None:
        self.rules, self.number = rules, number
        self.heads, self.columns = k.shape[1:3]
        self.group = q.shape[1] // self.heads
        self.rows = q.shape[2]
        self.q = self.grouped(q)
        self.k, self.others = k[number], others
        self.shift, self.mask, self.sink = (
            self.grouped(others[name]) if name in others else None for name in ("shift", "mask", "sink")
        )
        self.scale = np.float32(rules.scale)

    def grouped(self, rows: Array) -> Array:
        """(heads, rows, ..) of this batch as (heads of keys, members, rows, ..)."""
        own_rows = rows[self.number]
        return own_rows.reshape(self.heads, self.group, *own_rows.shape[1:])

    def chunks(self, *sizes: int) -> Iterator[slice]:
        """Slices of heads of keys, as many heads as fit into a panel. `sizes`: elements of a key and of a value."""
        fit = SCORES // max(self.group * self.rows * self.columns, 1)
        return blocks(self.heads, min(max(fit, 1), max(WIDENED_ELEMENTS // max(self.columns * max(sizes), 1), 1)))

    def panels(self, heads: slice) -> Iterator[Panel]:
        rows = max(min(SCORES // self.columns, self.rows), 1)
        members = max(SCORES // (self.columns * rows), 1)
        for heads_of_block in blocks(self.group, members):
            for part in blocks(self.rows, rows):
                shifted = slice(part.start + self.rules.first_row, part.stop + self.rules.first_row)
                yield Panel(heads, heads_of_block, part, self.rules.band.columns(shifted, self.columns))

    def scores(self, panel: Panel, keys: Matrices, scratch: Scratch) -> Array:
        """scale * q @ k^T + shift, or the lowest number where a position is hidden, in scratch memory."""
        rules, columns = self.rules, panel.columns
        q = floats(panel.of(self.q)) * self.scale
        shape = (*q.shape[:2], columns.stop - columns.start)
        scores = scratch("scores", shape, np.float32)
        for place, part in keys.parts(columns):
            product(q, part, scores[..., place])
        if self.shift is not None:
            shift = widen(panel.square(self.shift))
            scores += shift * np.float32(rules.scale) if rules.shift_first else shift
        if self.mask is not None:
            np.copyto(scores, LOWEST, where=panel.square(self.mask).astype(np.bool_, copy=False))
        shifted = slice(panel.rows.start + rules.first_row, panel.rows.stop + rules.first_row)
        hidden = rules.band.hides(shifted, columns)
        if hidden is not None:
            rows = scores.reshape(shape[0], -1, *hidden.shape)
            np.copyto(rows, LOWEST, where=hidden)
        return scores

    def dropout(self, panel: Panel) -> Array | None:
        """The dropout mask of a panel: 1 for an element that is kept, else 0; None if nothing is dropped."""
        drop = self.others.get("drop")
        if drop is None:
            return None
        first, of_batch, of_head = self.rules.bits
        rows: list[Array] = []
        length = (panel.rows.stop - panel.rows.start) * self.columns
        for head in range(panel.heads.start, panel.heads.stop):
            for member in range(panel.members.start, panel.members.stop):
                number = self.number * of_batch + (head * self.group + member) * of_head
                start = first + number + panel.rows.start * self.columns
                bits = np.unpackbits(drop[start >> 3 : (start + length + 7) >> 3], bitorder="little")
                rows.append(bits[start & 7 :][:length].reshape(-1, self.columns)[:, panel.columns])
        return np.stack(rows).reshape(panel.heads.stop - panel.heads.start, -1, rows[0].shape[1])
