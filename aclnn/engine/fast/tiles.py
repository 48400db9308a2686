"""Cuts tensors into tiles and gives these to threads.

There are two kinds of sums. A `local` sum is used again together with the elements that it adds up, as in a softmax
backward. It must be complete before its result is used. So tiles are grouped into units, and a unit holds all elements
that a local sum adds up. A first sweep over the tiles of a unit computes the sums. A second sweep uses them, and finds
most elements in the cache. A sum of the whole is not used by the tiles that compute it: it has one sweep.

The order of the additions follows from the shape, so the number of threads makes no difference to the result.
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Final, TypeAlias

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Scratch, Workers
from aclnn.engine.fast.expressions import Leaf, Sum
from aclnn.engine.fast.space import Dim, Space
from aclnn.engine.fast.sums import combined, start_of
from aclnn.engine.fast.tile_program import Frame, StoredNode, Tile, TileProgram

TILE: Final = 1 << 20
"""The most elements of a tile. The cache that all cores share holds the data of a few tiles. Smaller tiles would fit
into the cache of one core. But whenever two threads meet at the interpreter's lock, one of them sleeps and has to be
woken."""
REGISTERS: Final = 10 << 20
"""the most bytes of a tile's registers"""
WIDE: Final = 2048
"""the least elements in a piece of a row, as with shorter pieces columns cost twice as much"""
UNIT: Final = 1 << 20
"""the most elements of a unit that are still in the shared cache in the second sweep"""
UNITS: Final = 4
"""with this number of units or more, threads work on different units; with fewer, on the tiles of one unit"""
GROUPS: Final = 32
"""the most partial sums that are added up to one sum"""
PARTIALS: Final = 1 << 19
"""the most elements of all partial sums together"""

Each: TypeAlias = Callable[[int, Callable[[int, Scratch], None]], None]
"""runs a job for each number from 0 to count - 1, as `Workers.each` does"""


class Sweeps:
    """The programs of an expression, and the tiles they run over."""

    def __init__(
        self, space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum],
        goals: Sequence[StoredNode], known: set[Sum],
    ) -> None:  # fmt: skip
        """`known` are the sums of the whole that are computed before. `local` or `whole` is empty."""
        dims = space.dims
        self._space, self._dims = space, dims
        reduced = {place for each in local for place in space.gone(each)}
        at_once = TileProgram(space, views, whole, goals, known)
        self.blocks = _blocks(dims, reduced, min(TILE, REGISTERS // max(1, at_once.width)))
        self._unit_dims = tuple(place not in reduced for place in range(len(dims)))
        self.programs: list[TileProgram] = [at_once]
        if any(self.blocks[place] < dims[place].size for place in reduced):
            self.programs, done = [], known
            for level in sorted({each.sums for each in local}):
                sums = [each for each in local if each.sums == level]
                self.programs.append(TileProgram(space, views, sums, (), done))
                done = done.union(sums)
            self.programs.append(TileProgram(space, views, whole, goals, done))

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """Write the goals, with the values of the known sums. Returns the sums of the whole, float64, with the
        dimensions of the space."""
        everything = tuple(slice(0, dim.size) for dim in self._dims)
        if len(self.programs) == 1:
            return self._sweep(self.programs[0], everything, known, workers.each)
        units = list(_tiles(self._dims, self.blocks, self._unit_dims))
        if len(units) < UNITS:
            for unit in units:
                self._unit(unit, workers.each)
        else:
            workers.each(len(units), lambda number, scratch: self._unit(units[number], _alone(scratch)))
        return {}

    def _unit(self, unit: Tile, each: Each) -> None:
        known: dict[Sum, Array] = {}
        for turn, program in enumerate(self.programs):
            known.update(self._sweep(program, unit, known, each, backwards=bool(turn % 2)))

    def _sweep(
        self, program: TileProgram, unit: Tile, known: dict[Sum, Array], each: Each, *, backwards: bool = False
    ) -> dict[Sum, Array]:
        """Run one program over the tiles of a unit. Returns its sums over the unit. The tiles are divided into groups.
        Each group has partial sums of its own, and these are added up in order."""
        tiles = list(_tiles(self._dims, self.blocks, program.loops, unit))
        if backwards:
            tiles.reverse()
        extents = {sum_: self._extent(sum_, unit) for sum_ in program.sums}
        groups = min(GROUPS, max(2, PARTIALS // max([1, *map(prod, extents.values())]))) if extents else len(tiles)
        size = -(-len(tiles) // groups)
        starts = range(0, len(tiles), size)
        parts = [{sum_: np.full(extent, start_of(sum_.ufunc)) for sum_, extent in extents.items()} for _ in starts]

        origin = not any(each.start for each in unit)

        def job(number: int, scratch: Scratch) -> None:
            frame = Frame(scratch, known)
            for tile in tiles[starts[number] : starts[number] + size]:
                within = tile if origin else tuple(
                    [slice(a.start - b.start, a.stop - b.start) for a, b in zip(tile, unit, strict=True)]
                )  # fmt: skip
                program.run(frame, tile, within)
                for sum_, total in frame.sums.items():
                    into = parts[number][sum_]
                    place = within_part(extents[sum_], within)
                    into[place] = sum_.ufunc(into[place], total)

        each(len(starts), job)
        totals = {each: combined(each.ufunc, np.stack([part[each] for part in parts])) for each in extents}
        return {each: self._space.folded(total).astype(each.dtype, copy=False) for each, total in totals.items()}

    def _extent(self, sum_: Sum, unit: Tile) -> tuple[int, ...]:
        over = self._space.gone(sum_)
        part = self._space.part(sum_)
        return tuple(
            each.stop - each.start if part[place] and place not in over else 1 for place, each in enumerate(unit)
        )


def within_part(extent: tuple[int, ...], within: Tile) -> Tile:
    """The place of a tile in an array of sums of this extent."""
    return tuple([at if size > 1 else slice(0, 1) for size, at in zip(extent, within, strict=True)])


def _alone(scratch: Scratch) -> Each:
    """An `Each` that runs all jobs in the calling thread."""

    def each(count: int, job: Callable[[int, Scratch], None]) -> None:
        for number in range(count):
            job(number, scratch)

    return each


def _blocks(dims: Sequence[Dim], reduced: set[int], tile: int) -> list[int]:
    """The size of a tile in each dimension. A tile has as many whole rows as fit, and 1 in the dimensions outside of
    these."""
    sizes = [dim.size for dim in dims]
    blocks = [1] * len(sizes)
    left = tile
    last = len(sizes) - 1
    for place in reversed(range(len(sizes))):
        size = sizes[place]
        most = max(1, min(size, left))
        if place == last and _in_pieces(dims, reduced, tile):
            # rows go in pieces, so that what a sum goes over is still in the cache when its result is used
            most = max(min(size, WIDE), min(most, UNIT // prod(sizes[place] for place in reduced)))
        blocks[place] = -(-size // -(-size // most))
        left //= blocks[place]
        if blocks[place] < size and not (place == last and left > 1):
            break
    return blocks


def _in_pieces(dims: Sequence[Dim], reduced: set[int], tile: int) -> bool:
    """Must rows be cut into pieces? That is so if a local sum adds up more rows than fit into a tile. Folded rows stay
    whole."""
    last = len(dims) - 1
    if not reduced or last in reduced or dims[last].fold > 1:
        return False
    return prod(dims[place].size for place in reduced) * dims[last].size > tile


def _tiles(
    dims: Sequence[Dim], blocks: Sequence[int], over: Sequence[bool], unit: Tile | None = None
) -> Iterator[Tile]:
    """The tiles of a unit, or of the whole space if `unit` is None. The dimensions that `over` marks are cut into
    blocks. In the others a tile has the full range if `unit` is None, and else only the first element."""
    ranges: list[list[slice]] = []
    for place, dim in enumerate(dims):
        low, high = (0, dim.size) if unit is None else (unit[place].start, unit[place].stop)
        if over[place]:
            ranges.append([slice(at, min(at + blocks[place], high)) for at in range(low, high, blocks[place])])
        else:
            ranges.append([slice(low, high if unit is None else low + 1)])
    tiles: list[Tile] = [()]
    for choices in ranges:
        tiles = [(*tile, choice) for tile in tiles for choice in choices]
    return iter(tiles)
