"""Windows that slide over the dimensions of a tensor. Convolution and pooling share them.

A tap is a position in a window. A step loops over the taps, not over the windows: one tap of all windows is a slice. So
nothing is padded, and no temporary is larger than a panel.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array, Shape

PANEL: Final = 1 << 20
"""elements of a panel: 4 MiB of FLOAT"""
Index = slice | Array
Tap = tuple[Index, Index]
"""the windows that have this tap, and its positions in the tensor"""


Table = Callable[[Array], tuple[Array, Array]]
"""function from the numbers of windows to their first positions and their ends"""


@dataclass(frozen=True, eq=False)
class Windows:
    """The windows along one dimension. Window i has the positions starts[i] + k * step that lie in [0, ends[i]).

    Starts and ends are computed at their first use. So a plan with many windows takes little memory."""

    numbers: range
    taps: int
    """number of positions in the longest window"""
    table: Table
    step: int = 1

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        return self.table(np.arange(self.numbers.start, self.numbers.stop))

    @property
    def starts(self) -> Array:
        return self._bounds[0]

    @property
    def ends(self) -> Array:
        return self._bounds[1]

    def tap(self, k: int) -> Tap:
        """Tap k of the windows. Windows whose tap k is outside of the tensor are left out."""
        positions = self.starts + k * self.step
        windows = np.flatnonzero((positions >= 0) & (positions < self.ends))
        return _as_slice(windows), _as_slice(positions[windows])

    def every(self) -> list[Tap]:
        """All taps, one after the other."""
        return [self.tap(k) for k in range(self.taps)]

    def part(self, part: slice) -> "Windows":
        """Some of the windows."""
        return replace(self, numbers=self.numbers[part])

    def sizes(self) -> Array:
        """The number of positions of each window."""
        return self._sizes

    @cached_property
    def _sizes(self) -> Array:
        ends = np.minimum(self.ends, self.starts + self.taps * self.step)
        return np.maximum(-((self._first_inside() - ends) // self.step), 0)

    def terms(self) -> tuple[Array, Array]:
        """The positions of the windows, and their number in each window. Row k has tap k of each window; a window with
        fewer taps repeats its last position."""
        counts, first = self.sizes(), self.first()
        rows = np.arange(int(counts.max(initial=0))).reshape(-1, 1)
        return first + np.minimum(rows, np.maximum(counts - 1, 0)) * self.step, counts

    def first(self) -> Array:
        """The first position of each window, or the last position of the tensor if a window begins behind it."""
        return np.minimum(self._first_inside(), np.maximum(self.ends - 1, 0))

    def _first_inside(self) -> Array:
        """For each window its first position inside of the tensor, or behind it."""
        return self.starts + np.maximum(-(self.starts // self.step), 0) * self.step


def grid_of(windows: Sequence[Windows]) -> Shape:
    """The number of windows in each dimension."""
    return tuple(len(window.numbers) for window in windows)


def regular(size: int, kernel: int, stride: int, before: int, dilation: int, count: int) -> Windows:
    """The windows of a convolution: `count` windows of `kernel` positions, on a dimension padded with `before` zeros in
    front."""

    def table(numbers: Array) -> tuple[Array, Array]:
        return numbers * stride - before, np.full(len(numbers), size)

    return Windows(range(count), kernel, table, dilation)


def adaptive(size: int, count: int) -> Windows:
    """Windows of nearly equal sizes that cover a dimension. Neighbours may share positions."""

    def table(numbers: Array) -> tuple[Array, Array]:
        return numbers * size // count, -(-(numbers + 1) * size // count)

    rest = size % count if count else 0  # windows that share positions are longer
    shared = 0 if rest == 0 else 1 if count % rest == 0 else 2
    return Windows(range(count), size // count + shared if count else 0, table)


def count_of(size: int, kernel: int, stride: int, around: int, dilation: int = 1) -> int:
    """The number of windows that fit into a dimension with `around` zeros around it; below 1 if none does."""
    return (size + around - dilation * (kernel - 1) - 1) // stride + 1


def places(taps: Sequence[Tap]) -> tuple[tuple[Index, ...], tuple[Index, ...]]:
    """A tap in several dimensions: the index of its windows, and the index of its positions."""
    return _open_mesh([windows for windows, _ in taps]), _open_mesh([positions for _, positions in taps])


def boxes(grid: Shape, room: int) -> Iterator[tuple[slice, ...]]:
    """Cut a grid into boxes of at most `room` positions, or of one position. The first dimensions are cut first."""
    sides = list(grid)
    for dim, size in enumerate(grid):
        sides[dim] = max(1, min(size, room // max(prod(grid[dim + 1 :]), 1)))
        if sides[dim] > 1:
            break
    cuts = [range(0, size, side) for size, side in zip(grid, sides, strict=True)]
    for corner in product(*cuts):
        yield tuple(slice(low, low + side) for low, side in zip(corner, sides, strict=True))


def _as_slice(positions: Array) -> Index:
    """The positions as a slice if they are evenly spaced."""
    if len(positions) < 2:
        return slice(int(positions[0]), int(positions[0]) + 1) if len(positions) else slice(0, 0)
    step = int(positions[1] - positions[0])
    if step > 0 and (np.diff(positions) == step).all():
        return slice(int(positions[0]), int(positions[-1]) + 1, step)
    return positions


def _open_mesh(indices: Sequence[Index]) -> tuple[Index, ...]:
    """An index of several dimensions. If one of them is an array, all are combined by `np.ix_`."""
    if all(isinstance(index, slice) for index in indices):
        return tuple(indices)
    return tuple(np.ix_(*map(_as_array, indices)))


def _as_array(index: Index) -> Array:
    if isinstance(index, slice):
        return np.array(range(index.start, index.stop, index.step or 1), np.int64)
    return index
