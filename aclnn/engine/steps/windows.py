"""Windows that slide over the dimensions of a tensor: what convolution and pooling share.

A step goes through the places of a window, not through the windows: one place of all windows at a time is a slice. So
nothing is padded, and the largest temporary is as large as a panel.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array

PANEL: Final = 1 << 20
"""elements of a panel: 4 MiB of FLOAT"""
Shape = tuple[int, ...]
Index = slice | Array
Tap = tuple[Index, Index]
"""the windows that have a place, and where it is"""


Table = Callable[[Array], tuple[Array, Array]]
"""from the numbers of windows to their first places and their ends"""


@dataclass(frozen=True, eq=False)
class Windows:
    """The windows along one dimension. Window i has the places starts[i] + k * step, as far as they lie in [0,
    ends[i]). Its tables are made when a formula asks for them: a plan has none, as sizes without memory cost nothing.
    """

    numbers: range
    taps: int
    """places in the longest window"""
    table: Table
    step: int = 1

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        return self.table(np.arange(self.numbers.start, self.numbers.stop))

    @property
    def starts(self) -> Array:
        return self._places[0]

    @property
    def ends(self) -> Array:
        return self._places[1]

    def tap(self, k: int) -> Tap:
        """Place k of all windows that have it."""
        places = self.starts + k * self.step
        have = np.flatnonzero((places >= 0) & (places < self.ends))
        return _compact(have), _compact(places[have])

    def every(self) -> list[Tap]:
        """The places, one after the other."""
        return [self.tap(k) for k in range(self.taps)]

    def part(self, of: slice) -> "Windows":
        """Some of the windows."""
        return replace(self, numbers=self.numbers[of])

    def sizes(self) -> Array:
        """The number of places of each window."""
        ends = np.minimum(self.ends, self.starts + self.taps * self.step)
        return np.maximum(-((self._inside() - ends) // self.step), 0)

    def first(self) -> Array:
        """The first place of each window, or the last of the tensor where a window begins behind that."""
        return np.minimum(self._inside(), np.maximum(self.ends - 1, 0))

    def _inside(self) -> Array:
        """The first place of each window that does not lie before the tensor."""
        return self.starts + np.maximum(-(self.starts // self.step), 0) * self.step


def grid_of(windows: Sequence[Windows]) -> Shape:
    """How many windows each dimension has."""
    return tuple(len(each.numbers) for each in windows)


def regular(size: int, kernel: int, stride: int, before: int, dilation: int, count: int) -> Windows:
    """The windows of a convolution: `count` windows of `kernel` places, on a dimension with `before` zeros in front."""

    def table(numbers: Array) -> tuple[Array, Array]:
        return numbers * stride - before, np.full(len(numbers), size)

    return Windows(range(count), kernel, table, dilation)


def adaptive(size: int, count: int) -> Windows:
    """The windows that cover a dimension, as equal as can be; neighbours may share places."""

    def table(numbers: Array) -> tuple[Array, Array]:
        return numbers * size // count, -(-(numbers + 1) * size // count)

    over = size % count if count else 0  # a window may begin and end within a place that it shares
    shared = 0 if over == 0 else 1 if count % over == 0 else 2
    return Windows(range(count), size // count + shared if count else 0, table)


def count_of(size: int, kernel: int, stride: int, around: int, dilation: int = 1) -> int:
    """How many windows fit into a dimension with so many zeros around it; below 1 if none does."""
    return (size + around - dilation * (kernel - 1) - 1) // stride + 1


def places(taps: Sequence[Tap]) -> tuple[tuple[Index, ...], tuple[Index, ...]]:
    """One place of windows in several dimensions: the index of the windows, and that of the place."""
    return _together([each[0] for each in taps]), _together([each[1] for each in taps])


def boxes(grid: Shape, room: int) -> Iterator[tuple[slice, ...]]:
    """Cut a grid into boxes of at most `room` positions, or of one; the first dimensions are cut first."""
    sides = list(grid)
    for at, size in enumerate(grid):
        sides[at] = max(1, min(size, room // max(prod(grid[at + 1 :]), 1)))
        if sides[at] > 1:
            break
    cuts = [range(0, size, side) for size, side in zip(grid, sides, strict=True)]
    for corner in product(*cuts):
        yield tuple(slice(low, low + side) for low, side in zip(corner, sides, strict=True))


def _compact(found: Array) -> Index:
    """Positions as a slice, where they are one."""
    if len(found) < 2:
        return slice(int(found[0]), int(found[0]) + 1) if len(found) else slice(0, 0)
    step = int(found[1] - found[0])
    if step > 0 and (np.diff(found) == step).all():
        return slice(int(found[0]), int(found[-1]) + 1, step)
    return found


def _together(found: Sequence[Index]) -> tuple[Index, ...]:
    """Slices as they are; with lists of positions among them, what picks the same in all dimensions."""
    if all(isinstance(each, slice) for each in found):
        return tuple(found)
    return tuple(np.ix_(*map(_listed, found)))


def _listed(found: Index) -> Array:
    if isinstance(found, slice):
        return np.array(range(found.start, found.stop, found.step or 1), np.int64)
    return found
