"""Which tiles there are, in which order they run, and who runs them.

Sums that the same elements are used with again (`local`, as in softmax) are finished within a unit: all that they go
over, of some of the elements that they leave. One sweep over the unit's tiles computes them, the next uses them, mostly
from the cache. Other sums (as of batch normalisation) are of the whole and are added up in a fixed order, so that the
number of threads makes no difference.
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Final, TypeAlias

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Scratch, Workers
from aclnn.engine.fast.expressions import Leaf, Sum
from aclnn.engine.fast.program import Frame, Goal, Program, Tile
from aclnn.engine.fast.space import Dim, Space

TILE: Final = 1 << 20
"""elements at most: the cache that all cores share holds what a few tiles read and write. Smaller ones would fit into
that of a core, but whenever two threads meet at the interpreter's lock one of them sleeps, and has to be woken"""
REGISTERS: Final = 10 << 20
"""bytes that the registers of a tile may take"""
WIDE: Final = 2048
"""elements of a row below which columns cost twice as much"""
UNIT: Final = 1 << 20
"""elements of a unit that the cache all cores share keeps for the second sweep"""
UNITS: Final = 4
"""so many units keep all cores busy; of fewer, the tiles are done in parallel"""
GROUPS: Final = 32
"""how many partial sums of the whole there are at most"""
PARTIALS: Final = 1 << 19
"""elements of all of them"""

Each: TypeAlias = Callable[[int, Callable[[int, Scratch], None]], None]


class Sweeps:
    """The programs of an expression, and the tiles they run over."""

    def __init__(
        self, space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum],
        goals: Sequence[Goal], known: dict[Sum, Array],
    ) -> None:  # fmt: skip
        """`known`: sums of the whole that are done. There are local sums or sums of the whole, not both."""
        dims = space.dims
        self._space, self._dims, self._known = space, dims, known
        reduced = {place for each in local for place in space.gone(each)}
        at_once = Program(space, views, whole, goals, set(known))
        self.blocks = _blocks(dims, reduced, min(TILE, REGISTERS // max(1, at_once.width)))
        self._unit_dims = tuple(place not in reduced for place in range(len(dims)))
        self.programs: list[Program] = [at_once]
        if any(self.blocks[place] < dims[place].size for place in reduced):
            self.programs, done = [], set(known)
            for level in sorted({each.sums for each in local}):
                sums = [each for each in local if each.sums == level]
                self.programs.append(Program(space, views, sums, (), done))
                done = done.union(sums)
            self.programs.append(Program(space, views, whole, goals, done))

    def run(self, workers: Workers) -> dict[Sum, Array]:
        """Write the goals; returns the sums of the whole, float64, with the dimensions of the space."""
        everything = tuple(slice(0, dim.size) for dim in self._dims)
        if len(self.programs) == 1:
            return self._sweep(self.programs[0], everything, self._known, workers.each)
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
        self, program: Program, unit: Tile, known: dict[Sum, Array], each: Each, *, backwards: bool = False
    ) -> dict[Sum, Array]:
        """One program over the tiles of a unit; its sums over the unit. Tiles go in groups, each with partial sums of
        its own, which are added up in order."""
        tiles = list(_tiles(self._dims, self.blocks, program.loops, unit))
        if backwards:
            tiles.reverse()
        extents = {sum_: self._extent(sum_, unit) for sum_ in program.sums}
        groups = min(GROUPS, max(2, PARTIALS // max([1, *map(prod, extents.values())]))) if extents else len(tiles)
        size = -(-len(tiles) // groups)
        starts = range(0, len(tiles), size)
        parts = [{sum_: np.zeros(extent) for sum_, extent in extents.items()} for _ in starts] if extents else []

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
                    into[within_part(extents[sum_], within)] += total

        each(len(starts), job)
        return {each: self._space.folded(sum((part[each] for part in parts[1:]), parts[0][each])) for each in extents}

    def _extent(self, sum_: Sum, unit: Tile) -> tuple[int, ...]:
        over = self._space.gone(sum_)
        part = self._space.part(sum_)
        return tuple(
            each.stop - each.start if part[place] and place not in over else 1 for place, each in enumerate(unit)
        )


def within_part(extent: tuple[int, ...], within: Tile) -> Tile:
    """Where a tile lies in sums of this extent."""
    return tuple([at if size > 1 else slice(0, 1) for size, at in zip(extent, within, strict=True)])


def _alone(scratch: Scratch) -> Each:
    """One core does it all."""

    def each(count: int, job: Callable[[int, Scratch], None]) -> None:
        for number in range(count):
            job(number, scratch)

    return each


def _blocks(dims: Sequence[Dim], reduced: set[int], tile: int) -> list[int]:
    """How long tiles are: whole rows, as many as fit; outer dimensions one by one."""
    sizes = [dim.size for dim in dims]
    blocks = [1] * len(sizes)
    room = tile
    last = len(sizes) - 1
    for place in reversed(range(len(sizes))):
        size = sizes[place]
        most = max(1, min(size, room))
        if place == last and _in_pieces(dims, reduced, tile):
            # rows go in pieces, so that what a sum goes over is still in the cache when its result is used
            most = max(min(size, WIDE), min(most, UNIT // prod(sizes[place] for place in reduced)))
        blocks[place] = -(-size // -(-size // most))
        room //= blocks[place]
        if blocks[place] < size and not (place == last and room > 1):
            break
    return blocks


def _in_pieces(dims: Sequence[Dim], reduced: set[int], tile: int) -> bool:
    """Is there a sum over rows, too large for a tile? Rows that are folded stay whole."""
    last = len(dims) - 1
    if not reduced or last in reduced or dims[last].fold > 1:
        return False
    return prod(dims[place].size for place in reduced) * dims[last].size > tile


def _tiles(
    dims: Sequence[Dim], blocks: Sequence[int], over: Sequence[bool], unit: Tile | None = None
) -> Iterator[Tile]:
    """The tiles of a unit, or of everything, that differ in the dimensions `over`; along the others they take the
    whole of it, or one element where nothing is counted."""
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
