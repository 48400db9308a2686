"""The bytes that a strided view covers, computed from addresses without a read of memory.

`Layout` is a view, `Pattern` the same set of bytes in a normal form. `overlaps` and `self_overlaps` return exactly
whether two views, or two elements of one view, share a byte; numpy's solver (`shares_memory`) decides the hard cases.
Known limit: for unusual strides the solver gives up, and the result is then "no overlap".
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

WORK: Final = 100_000
"""steps after which numpy's solver gives up; usual strides take a few dozen"""
FAR: Final = 1 << 62
"""distances of at least this size overflow in the solver"""
RANK: Final = 31
"""the most dimensions of a pattern: the solver needs one more for the bytes of a run, and every numpy allows 32"""


@dataclass(slots=True)
class Layout:
    """A strided view: the address of element 0, sizes, strides in bytes (of any sign, or 0), bytes of an element."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int
    low: int = field(init=False, compare=False)
    """the address of the first byte"""
    high: int = field(init=False, compare=False)
    """the address after the last byte; `low` if the view has no elements"""

    def __post_init__(self) -> None:
        low = high = self.address
        for size, stride in zip(self.shape, self.strides, strict=True):
            if size <= 0:
                low = high = self.address
                break
            if stride < 0:
                low += (size - 1) * stride
            else:
                high += (size - 1) * stride
        else:
            high += self.itemsize
        self.low, self.high = low, high

    @property
    def dense(self) -> bool:
        """True if every byte from `low` to `high` belongs to an element."""
        return self.pattern().run == self.high - self.low

    def pattern(self) -> "Pattern":
        """The bytes of the elements, without their order: equal patterns are equal sets of bytes."""
        if self.low == self.high:
            return Pattern(self.low, 0, ())
        steps = sorted((abs(stride), size) for size, stride in zip(self.shape, self.strides, strict=True))
        run, merged = self.itemsize, list[tuple[int, int]]()
        for step, count in steps:
            if count == 1 or step == 0:
                continue
            if not merged and step <= run:
                run += step * (count - 1)
            elif merged and step % merged[-1][0] == 0 and step <= merged[-1][0] * merged[-1][1]:
                inner, inside = merged[-1]
                merged[-1] = inner, inside + (count - 1) * (step // inner)
            else:
                merged.append((step, count))
        return Pattern(self.low, run, tuple(merged))


class Pattern(NamedTuple):
    """A set of bytes: runs of `run` bytes, the first at `low`, repeated along `steps`."""

    low: int
    run: int
    steps: tuple[tuple[int, int], ...]
    """pairs of a distance in bytes and a count, in ascending order of the distances"""


def overlaps(a: Layout, b: Layout) -> bool:
    """True if the two views share a byte. The result is exact, except that it is False if the solver gives up."""
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low >= high:
        return False
    first, second = a.pattern(), b.pattern()
    if a.low == b.low or (first.run == a.high - a.low and second.run == b.high - b.low):
        return True
    return _share(first, second, max(a.high, b.high))


def _share(a: Pattern, b: Pattern, end: int) -> bool:
    start = min(a.low, b.low)
    if end - start >= FAR or max(len(a.steps), len(b.steps)) > RANK:
        return False
    if max(prod(count for _, count in layout.steps) * layout.run for layout in (a, b)) >= FAR:
        return False
    work: Any = WORK  # numpy's stub allows only two special values
    try:
        return np.shares_memory(np.asarray(_Fake(a, start)), np.asarray(_Fake(b, start)), max_work=work)
    except np.exceptions.TooHardError:
        return False


class _Fake:
    """An array for numpy's solver, which uses only addresses and strides and reads no memory."""

    def __init__(self, pattern: Pattern, start: int) -> None:
        distances, counts = zip(*pattern.steps, (1, pattern.run), strict=True)
        self.__array_interface__: dict[str, Any] = {
            "version": 3,
            "typestr": "|u1",
            "shape": counts,
            "strides": distances,
            "data": (pattern.low - start + 4096, True),
        }


def runs(layout: Layout, most: int = 4096) -> list[tuple[int, int]] | None:
    """The contiguous runs [low, high) of a view, ascending and disjoint; None if there are more than `most`."""
    if layout.low == layout.high:
        return []
    pattern = layout.pattern()
    if not pattern.steps:
        return [(layout.low, layout.high)]
    if prod(count for _, count in pattern.steps) > most:
        return None
    starts, reached, disjoint = [pattern.low], pattern.run, True
    for step, count in pattern.steps:
        disjoint = disjoint and step > reached  # the step is larger than the extent of all smaller steps
        reached += step * (count - 1)
    for step, count in reversed(pattern.steps):
        starts = [start + i * step for start in starts for i in range(count)]
    if disjoint:
        return [(start, start + pattern.run) for start in starts]
    starts.sort()
    pieces = [(starts[0], starts[0] + pattern.run)]
    for start in starts[1:]:
        if start <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], start + pattern.run
        else:
            pieces.append((start, start + pattern.run))
    return pieces


def self_overlaps(layout: Layout) -> tuple[int, ...]:
    """The dimensions along which elements of one view share bytes; empty if no two elements do."""
    if layout.low == layout.high:
        return ()
    dimensions = [
        (abs(stride), size, dim) for dim, (size, stride) in enumerate(zip(layout.shape, layout.strides, strict=True))
    ]
    dimensions = sorted(dimension for dimension in dimensions if dimension[1] > 1)
    reached = layout.itemsize
    for step, size, _ in dimensions:
        if step < reached:
            break
        reached += step * (size - 1)
    else:
        return ()  # each step is larger than the extent of all smaller steps
    if alone := [dim for step, _, dim in dimensions if step < layout.itemsize]:
        return tuple(sorted(alone))
    for some in (*combinations(dimensions, 2), tuple(dimensions)):
        if any(_meets_itself(differences, layout.itemsize) for differences in _differences(some)):
            return tuple(sorted(dim for _, _, dim in some))
    return ()


def _differences(dimensions: tuple[tuple[int, int, int], ...]) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """All pairs of elements, grouped by the first dimension k in which their indices differ. Each group lists, for the
    dimensions from k on, (step, least, greatest difference of the indices); in k the difference is positive."""
    for k, (step, size, _) in enumerate(dimensions):
        yield (step, 1, size - 1), *((other, 1 - count, count - 1) for other, count, _ in dimensions[k + 1 :])


def _meets_itself(differences: tuple[tuple[int, int, int], ...], itemsize: int) -> bool:
    """True if a pair with these differences has a distance of less than an element."""
    nearest = sum(step * low for step, low, _ in differences)
    shape = tuple(high - low + 1 for _, low, high in differences)
    strides = tuple(step for step, _, _ in differences)
    return overlaps(Layout(nearest, shape, strides, itemsize), Layout(0, (), (), itemsize))
