"""A sweep over tensors in the evaluator: dimensions, memory, sums, programs."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import prod
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import Leaf, Node, Sum, Updated, walk
from aclnn.engine.fast.native import library as c
from aclnn.engine.fast.native.library import Library
from aclnn.engine.fast.native.translation import Goal, Part, Translation, Unknown, kind
from aclnn.engine.fast.space import Space, StoredNode

LARGE: Final = 1 << 15
"""elements from which helper threads pay"""
GROUPS: Final = 32
"""the most partial sums that are added up to one sum, or units that are enough for all threads"""
PART: Final = 1 << 15
"""the least elements of a partial sum"""
SHORT_ROW: Final = 64
"""elements: an operation on a shorter row takes less time than its call"""
PIECE: Final = 1 << 15
"""elements of a piece of memory that is read at full speed"""
FAR: Final = 64
"""bytes between neighbours in a row. With more, each element would cost a cache line"""
NEAR: Final = 1 << 16
"""bytes of a tensor that the cache holds wherever its elements lie"""
PAST: Final = 1 << 24
"""bytes of a result that is written past the caches, which would not hold it until it is read"""
UNCACHED: Final = 1 << 24
"""bytes of all tensors that the last cache does not hold, so that a block is asked for before it is needed"""
STEPS: Final = 5
"""instructions on a block that leave time to ask for the next one"""


class NativeSweep:
    """One call of the evaluator: blocks of a tensor, cut into units that threads compute.

    There are two kinds of sums. A `local` sum is used again together with the elements that it adds up, as in a softmax
    backward. It must be complete before its result is used. So a unit holds all elements that a local sum adds up. A
    first program computes the sums of a unit. The next one uses them, and finds most elements in the cache. A sum of
    the `whole` is not used by the blocks that compute it: it has one program. The order of the additions follows from
    the shape, so the number of threads makes no difference to the result."""

    def __init__(
        self, library: Library, space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum],
        goals: Sequence[StoredNode], known: set[Sum],
    ) -> None:  # fmt: skip
        """`known` are the sums of the whole that are computed before. `local` or `whole` is empty, or `whole` are sums
        among the local ones. Raises `Unknown` if the evaluator does not know a node, or a layout."""
        self._library, self._space, self._whole = library, space, whole
        self._sizes = [dim.size for dim in space.dims]
        self._padding = max(0, 2 - len(self._sizes))
        """dimensions of one element in front: a sweep has two at least"""
        self._sizes[:0] = [1] * self._padding
        self._reduced = self._reductions(list(dict.fromkeys([*local, *whole])))
        *_, down, across = self._sizes
        self._rows = max(1, min(down, c.BLOCK // across))
        """rows that share a block"""
        self._lane, self._strips = self._lane_and_strips(several=bool(local))
        self._memory: list[c.Memory] = []
        self._updates: list[c.Update] = []
        self._kept: list[Any] = []
        self._places: dict[int, int] = {}
        self._bytes = 0
        """of all tensors"""
        self._sums_before = {node: np.zeros(self._shape(node)) for node in known}
        self._used_before: list[Sum] = []
        self._refreshed: list[tuple[Array, Array]] = []
        """copies of places and values, and what each run copies into them"""
        programs = self._programs(views, whole, local, [self._goal(each) for each in goals])
        self._sweep = self._build(programs)
        self._results = [(node, self._total(node)) for node in whole]

    # what the evaluator can do

    def _part(self, node: Node) -> tuple[bool, ...]:
        return (False,) * self._padding + self._space.part(node)

    def _shape(self, node: Node) -> tuple[int, ...]:
        return tuple(size if has else 1 for size, has in zip(self._sizes, self._part(node), strict=True))

    def _reductions(self, sums: Sequence[Sum]) -> list[bool]:
        """Which dimensions are summed up: all sums of a sweep go over the same ones."""
        if len(self._sizes) > c.DIMS:
            raise Unknown("so many dimensions")
        if len(sums) > c.SUMS:
            raise Unknown("so many sums")
        gone = {self._space.gone(each) for each in sums}
        if len(gone) > 1:
            raise Unknown("sums over different dimensions")
        if not all(all(self._space.part(each.value)) for each in sums):
            raise Unknown("the sum of a broadcast value")
        over = {place + self._padding for place in next(iter(gone), ())}
        return [place in over for place in range(len(self._sizes))]

    def _lane_and_strips(self, *, several: bool) -> tuple[int, int]:
        """The dimension that a unit has strips along, and how many. Memory is read in long pieces then, although a sum
        goes from one end of it to the other. `several`: does a unit run more than one program?"""
        last = len(self._sizes) - 1
        if not any(self._reduced):
            return -1, 1
        if not self._reduced[last]:
            return last, min(c.STRIPS, self._blocks(last))
        lane = max((place for place, gone in enumerate(self._reduced) if not gone), default=-1)
        if several or self._rows > 1 or prod(self._reached(range(lane))) == 1:
            return -1, 1
        inner = prod(self._sizes[lane + 1 :])
        return lane, max(1, min(PIECE // inner, self._sizes[lane] // GROUPS, c.BLOCK))

    def _reached(self, places: Iterable[int]) -> Iterator[int]:
        return (self._sizes[place] for place in places if self._reduced[place])

    def _extent(self, node: Node) -> c.Extent:
        """How many numbers a register of it has for a block."""
        *_, down, across = self._part(node)
        if across or (down and self._sizes[-1] == 1):
            return c.Extent.MANY
        return c.Extent.ROWS if down and self._rows > 1 else c.Extent.ONE

    def _one_for_a_sum(self, node: Node) -> bool:
        """Is it the same for all elements of a sum? Of sums of columns, each has its own."""
        *_, down, across = self._part(node)
        if self._reduced[-1]:
            return self._extent(node) is not c.Extent.MANY and not (down and self._reduced[-2])
        return across and not (down and self._reduced[-2])

    def _place(self, array: Array, *, past: bool = False) -> int:
        """The place of an array, which has the dimensions of the space, in the memory of the sweep."""
        found = self._places.get(id(array))
        if found is not None:
            return found
        strides = [step if n > 1 else 0 for n, step in zip(array.shape, array.strides, strict=True)]
        strides[:0] = [0] * (len(self._sizes) - len(strides))
        name = kind(array.dtype)
        if any(step % array.itemsize for step in (array.ctypes.data, *strides)):
            raise Unknown("misaligned elements")
        if abs(strides[-1]) > FAR and array.nbytes > NEAR:
            raise Unknown("rows that are columns of memory")
        self._kept.append(array)
        self._bytes += array.nbytes
        self._memory.append(c.Memory(array.ctypes.data, _filled(strides), self._library.types[name], past))
        self._places[id(array)] = len(self._memory) - 1
        return len(self._memory) - 1

    def _goal(self, goal: StoredNode) -> Goal:
        if any(has != (n > 1) for has, n in zip(self._part(goal.node), self._sizes, strict=True) if n > 1):
            raise Unknown("a result that is smaller than what it is computed from")
        *_, down, across = [*[0] * self._padding, *goal.view.strides]
        dense = across == goal.view.itemsize and not goal.shared
        past = dense and goal.view.nbytes >= PAST
        whole_rows = self._rows == 1 or down == self._sizes[-1] * goal.view.itemsize
        return Goal(goal.node, self._place(goal.view, past=past), goal.view.dtype, dense and not past and whole_rows)

    def _known(self, node: Sum) -> int | None:
        values = self._sums_before.get(node)
        if values is None:
            return None
        if node not in self._used_before:
            self._used_before.append(node)
        return self._place(values)

    def _update(self, node: Updated) -> int:
        places = [
            next((at for at, dim in enumerate(self._space.dims) if axis is not None and axis.found() in dim.axes), -1)
            for axis in node.axes
        ]
        row, column = (at + self._padding if at >= 0 else -1 for at in places)
        if column != len(self._sizes) - 1:
            raise Unknown("single elements of columns")
        given = (node.rows, np.int64), (node.columns, np.int64), (node.by, np.float32)
        arrays = [np.array(each, dtype) for each, dtype in given]
        self._refreshed += zip(arrays, (node.rows, node.columns, node.by), strict=True)
        pointers = [each.ctypes.data for each in arrays]
        self._updates.append(c.Update(*pointers, len(node.rows), row, column, node.ufunc is np.subtract))
        return len(self._updates) - 1

    # building

    def _programs(
        self, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum], goals: Sequence[Goal]
    ) -> list[tuple[list[c.Instruction], int, int, int]]:
        """Of each program: instructions, registers, its first sum, its sums. The local sums of each level have one."""
        levels = [[each for each in local if each.sums == level] for level in sorted({each.sums for each in local})]
        last = [each for each in whole if each not in local]
        parts = [*(Part(level, ()) for level in levels), Part(last, goals)]
        self._sums = [each for part in parts for each in part.sums]
        self._starts = [start_of(node.ufunc) for node in self._sums]
        if self._stays(parts):
            with suppress(Unknown):  # together they may need too many registers
                return self._translated([parts], views)
        return self._translated([[part] for part in parts], views)

    def _stays(self, parts: Sequence[Part]) -> bool:
        """Has a unit one block only? Then a program finds what the one before it loaded and computed."""
        one = prod(self._reached_blocks()) == self._strips == 1
        nodes = walk(root for part in parts for root in part.roots)
        return one and len(parts) > 1 and not any(isinstance(each, Updated) for each in nodes)

    def _translated(
        self, groups: Sequence[Sequence[Part]], views: dict[Leaf, Array]
    ) -> list[tuple[list[c.Instruction], int, int, int]]:
        """The programs of parts. Those of a group are translated together."""
        found: list[tuple[list[c.Instruction], int, int, int]] = []
        done: dict[Sum, int] = {}
        for group in groups:
            translation = Translation(
                self._library, self._space, extent=self._extent, memory=self._place, update=self._update, done=done,
                known=self._known, centre=self._one_for_a_sum, short_rows=self._sizes[-1] < SHORT_ROW,
            )  # fmt: skip
            codes, registers = translation.translate(group, views)
            for part, code in zip(group, codes, strict=True):
                found.append((code, registers, len(done), len(part.sums)))
                done |= {node: len(done) + at for at, node in enumerate(part.sums)}
        return found

    def _build(self, programs: list[tuple[list[c.Instruction], int, int, int]]) -> c.Sweep:
        code = [(c.Instruction * max(1, len(each)))(*each) for each, *_ in programs]
        rows = [c.Program(ctypes.addressof(raw), len(each), first, sums)
                for raw, (each, _, first, sums) in zip(code, programs, strict=True)]  # fmt: skip
        raw_programs = (c.Program * len(rows))(*rows)
        memory = (c.Memory * max(1, len(self._memory)))(*self._memory)
        updates = (c.Update * max(1, len(self._updates)))(*self._updates)
        self._groups = 1 if len(programs) > 1 or not self._whole else self._parts()
        kept = [1 if gone else n for n, gone in zip(self._sizes, self._reduced, strict=True)]
        self._totals = np.zeros((self._groups, len(self._sums), *kept))
        self._kept.append((code, raw_programs, memory, updates))
        steps = sum(each.extent == c.Extent.MANY for one, *_ in programs for each in one)
        return c.Sweep(
            dims=len(self._sizes), size=_filled(self._sizes), reduced=_filled(self._reduced), rows=self._rows,
            groups=self._groups, threads=1, programs=len(rows), registers=max(made for _, made, *_ in programs) + 1,
            sums=len(self._sums), large=LARGE, ask=self._bytes >= UNCACHED and steps >= STEPS, lane=self._lane,
            strips=self._strips, program=ctypes.addressof(raw_programs), memory=ctypes.addressof(memory),
            updates=ctypes.addressof(updates), totals=self._totals.ctypes.data if self._whole else None,
            start=(ctypes.c_double * c.SUMS)(*self._starts),
        )  # fmt: skip

    @property
    def units(self) -> int:
        """How many parts of the work are independent of each other."""
        found = {place: self._blocks(place) for place, gone in enumerate(self._reduced) if not gone}
        if self._lane >= 0:
            found[self._lane] = -(-found[self._lane] // self._strips)
        return prod(found.values())

    def _blocks(self, place: int) -> int:
        """The blocks of a dimension."""
        step = {len(self._sizes) - 1: c.BLOCK, len(self._sizes) - 2: self._rows}.get(place, 1)
        return -(-self._sizes[place] // step)

    def _reached_blocks(self) -> Iterator[int]:
        """The blocks of each dimension that is summed up."""
        return (self._blocks(place) for place, gone in enumerate(self._reduced) if gone)

    def _parts(self) -> int:
        """The number of partial sums, which follows from the shape alone."""
        blocks = prod(self._reached_blocks())
        wanted = -(-GROUPS // self.units)
        return max(1, min(wanted, blocks, prod(self._sizes) // self.units // PART))

    # running

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """Write the goals, with the values of the known sums. Returns the sums of the whole, float64, with the
        dimensions of the space."""
        for node in self._used_before:
            values = self._sums_before[node]
            np.copyto(values, known[node].reshape(values.shape))
        for mine, given in self._refreshed:
            np.copyto(mine, given)
        self._sweep.threads = workers.threads
        self._library.run(self._sweep)
        return dict(self._results)

    def _total(self, node: Sum) -> Array:
        """Where the evaluator leaves a sum of the whole."""
        total = self._totals[0, self._sums.index(node)]
        return cast("Array", total.reshape(total.shape[self._padding :]))


def start_of(ufunc: np.ufunc) -> float:
    """The sum or extreme of nothing."""
    return -np.inf if ufunc is np.maximum else np.inf if ufunc is np.minimum else 0.0


def _filled(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * c.DIMS)(*values)
