"""A sweep, one pass of the evaluator over tensors: its dimensions, memory, sums and programs."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import prod
from typing import Any, Final, NamedTuple, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import ExpressionNode, IndexedUpdate, Leaf, Sum, walk
from aclnn.engine.fast.native import library as c
from aclnn.engine.fast.native.library import Library
from aclnn.engine.fast.native.translation import (
    Code,
    MemoryTarget,
    NotInEvaluator,
    ProgramResults,
    Translation,
    constant,
    memory_type,
)
from aclnn.engine.fast.space import Space, StoredNode

MIN_ELEMENTS_FOR_THREADS: Final = 1 << 15
"""elements from which several threads are faster than one"""
MAX_PARTIAL_SUMS: Final = 32
"""the most partial sums of one sum, and the number of units that keeps all threads busy"""
MIN_ELEMENTS_OF_PARTIAL_SUM: Final = 1 << 15
SHORT_ROW: Final = 64
"""elements of a row below which the call of an operation takes longer than its arithmetic"""
STRIP_ELEMENTS: Final = 1 << 15
"""elements of a contiguous strip from which memory is read at full speed"""
MAX_STRIDE: Final = 64
"""the most bytes between neighbours in a row; with more, each element needs its own cache line"""
CACHED_BYTES: Final = 1 << 16
"""bytes of a tensor that fits into the cache with any strides"""
MIN_BYTES_TO_STREAM: Final = 1 << 24
"""results of at least so many bytes bypass the caches, which could not keep them until they are read"""
MIN_BYTES_TO_PREFETCH: Final = 1 << 24
"""bytes of all tensors from which blocks are prefetched, as tensors exceed the last-level cache"""
MIN_INSTRUCTIONS_TO_PREFETCH: Final = 5
"""instructions on a block from which there is time to prefetch the next block"""


class SweepProgram(NamedTuple):
    """A program of a sweep."""

    code: Code
    registers: int
    first_sum: int
    sums: int
    """number of sums of the program"""


class NativeSweep:
    """One call of the evaluator: blocks of a tensor, cut into units that threads compute.

    There are two kinds of sums. A `local` sum is used together with its own terms, as in a softmax backward. So a unit
    has all terms of a local sum. A first program computes the sums of a unit. The next program uses the sums, and finds
    most elements in the cache. A `whole` sum is not used in its own sweep, so one program is enough. The order of the
    additions depends on the shape only, so results do not depend on the number of threads."""

    def __init__(
        self, library: Library, space: Space, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum],
        targets: Sequence[StoredNode], known: set[Sum],
    ) -> None:  # fmt: skip
        """`known` are the whole sums of earlier sweeps. If there are local and whole sums, all whole sums are local,
        too. Raises `NotInEvaluator` if the evaluator does not support a node or a layout."""
        self._library, self._space, self._whole = library, space, whole
        self._sizes = [dim.size for dim in space.dims]
        self._padding = max(0, 2 - len(self._sizes))
        """number of outer dimensions of size 1 that are added, as a sweep has at least two dimensions"""
        self._sizes[:0] = [1] * self._padding
        self._reduced = self._reductions(list(dict.fromkeys([*local, *whole])))
        *_, rows, columns = self._sizes
        self._rows = max(1, min(rows, c.BLOCK // columns))
        """rows that share a block"""
        self._strip_dim, self._strips = self._strips_of_unit(has_local_sums=bool(local))
        self._memory: list[c.Memory] = []
        self._updates: list[c.UpdateArguments] = []
        self._alive: list[Any] = []
        """objects to whose memory the sweep points, stored to keep them alive"""
        self._memory_numbers: dict[int, int] = {}
        self._bytes = 0
        """bytes of all tensors"""
        self._known = {node: np.zeros(self._shape(node)) for node in known}
        """memory for the values of known sums"""
        self._known_in_use: list[Sum] = []
        self._copies: list[tuple[Array, Array]] = []
        """copies of positions and values of updates, and their sources; each run refreshes the copies"""
        programs = self._programs(views, whole, local, [self._memory_target(target) for target in targets])
        self._sweep = self._build(programs)
        self._results = [(node, self._total(node)) for node in whole]

    # what the evaluator can do

    def _presence(self, node: ExpressionNode) -> tuple[bool, ...]:
        return (False,) * self._padding + self._space.presence(node)

    def _shape(self, node: ExpressionNode) -> tuple[int, ...]:
        return tuple(size if present else 1 for size, present in zip(self._sizes, self._presence(node), strict=True))

    def _reductions(self, sums: Sequence[Sum]) -> list[bool]:
        """A flag for each dimension, true if it is reduced. All sums of a sweep reduce the same dimensions."""
        if len(self._sizes) > c.DIMS:
            raise NotInEvaluator("too many dimensions")
        if len(sums) > c.SUMS:
            raise NotInEvaluator("too many sums")
        reduced = {self._space.reduced_dims(node) for node in sums}
        if len(reduced) > 1:
            raise NotInEvaluator("sums over different dimensions")
        if not all(all(self._space.presence(node.value)) for node in sums):
            raise NotInEvaluator("the sum of a broadcast value")
        dims = {dim + self._padding for dim in next(iter(reduced), ())}
        return [dim in dims for dim in range(len(self._sizes))]

    def _strips_of_unit(self, *, has_local_sums: bool) -> tuple[int, int]:
        """The dimension along which a unit has several strips (-1: none), and the number of strips. With strips memory
        is read in long pieces, although the terms of a sum have large strides."""
        last = len(self._sizes) - 1
        if not any(self._reduced):
            return -1, 1
        if not self._reduced[last]:
            return last, min(c.STRIPS, self._blocks(last))
        strip_dim = max((dim for dim, reduced in enumerate(self._reduced) if not reduced), default=-1)
        if has_local_sums or self._rows > 1 or prod(self._reduced_sizes(range(strip_dim))) == 1:
            return -1, 1
        inner = prod(self._sizes[strip_dim + 1 :])
        return strip_dim, max(1, min(STRIP_ELEMENTS // inner, self._sizes[strip_dim] // MAX_PARTIAL_SUMS, c.BLOCK))

    def _reduced_sizes(self, dims: Iterable[int]) -> Iterator[int]:
        return (self._sizes[dim] for dim in dims if self._reduced[dim])

    def _extent(self, node: ExpressionNode) -> c.Extent:
        """The extent of the node in a register, for each block."""
        *_, has_rows, has_columns = self._presence(node)
        if has_columns or (has_rows and self._sizes[-1] == 1):
            return c.Extent.MANY
        return c.Extent.ROWS if has_rows and self._rows > 1 else c.Extent.ONE

    def _is_centre(self, node: ExpressionNode) -> bool:
        """True if the node has one value for all terms of a sum. Sums of columns have such a value for each column."""
        *_, has_rows, has_columns = self._presence(node)
        if self._reduced[-1]:
            return self._extent(node) is not c.Extent.MANY and not (has_rows and self._reduced[-2])
        return has_columns and not (has_rows and self._reduced[-2])

    def _memory_number(self, array: Array, *, streaming: bool = False) -> int:
        """The number of an array in the memory of the sweep. The array has the dimensions of the space."""
        number = self._memory_numbers.get(id(array))
        if number is not None:
            return number
        strides = [stride if size > 1 else 0 for size, stride in zip(array.shape, array.strides, strict=True)]
        strides[:0] = [0] * (len(self._sizes) - len(strides))
        name = memory_type(array.dtype)
        if any(distance % array.itemsize for distance in (array.ctypes.data, *strides)):
            raise NotInEvaluator("misaligned elements")
        if abs(strides[-1]) > MAX_STRIDE and array.nbytes > CACHED_BYTES:
            raise NotInEvaluator("rows with a large stride")
        self._alive.append(array)
        self._bytes += array.nbytes
        self._memory.append(c.Memory(array.ctypes.data, _c_dims(strides), self._library.types[name], streaming))
        self._memory_numbers[id(array)] = len(self._memory) - 1
        return len(self._memory) - 1

    def _memory_target(self, target: StoredNode) -> MemoryTarget:
        presence, view = self._presence(target.node), target.view
        long = [number for number, size in enumerate(self._sizes) if size > 1]
        missing = [number for number in long if not presence[number]]
        reduced = [number for number in long if self._reduced[number]]
        of_units = missing == reduced and self._reduced[-1]  # one number for each unit
        if missing and not of_units:
            raise NotInEvaluator("a result that is smaller than its operands")
        *_, row_stride, column_stride = [*[0] * self._padding, *view.strides]
        dense = column_stride == view.itemsize and not target.shared
        streaming = dense and view.nbytes >= MIN_BYTES_TO_STREAM
        dense_rows = self._rows == 1 or row_stride == self._sizes[-1] * view.itemsize
        number = self._memory_number(view, streaming=streaming)
        return MemoryTarget(target.node, number, view.dtype, dense and not streaming and dense_rows)

    def _known_memory(self, node: Sum) -> int | None:
        """The number of the memory of a known sum; None if the sum is not known."""
        values = self._known.get(node)
        if values is None:
            return None
        if node not in self._known_in_use:
            self._known_in_use.append(node)
        return self._memory_number(values)

    def _update(self, node: IndexedUpdate) -> int:
        """The number of an update in the sweep."""
        dims = enumerate(self._space.dims, self._padding)
        numbers = {axis: number for number, dim in dims for axis in dim.axes}
        row_dim, column_dim = (-1 if axis is None else numbers.get(axis.root(), -1) for axis in node.axes)
        if column_dim != len(self._sizes) - 1:
            raise NotInEvaluator("updates of single elements in columns")
        sources = (node.rows, node.columns, node.deltas)
        copies = [
            np.array(source, dtype) for source, dtype in zip(sources, (np.int64, np.int64, np.float32), strict=True)
        ]
        self._copies += zip(copies, sources, strict=True)
        pointers = [copy.ctypes.data for copy in copies]
        self._updates.append(
            c.UpdateArguments(*pointers, len(node.rows), row_dim, column_dim, node.ufunc is np.subtract)
        )
        return len(self._updates) - 1

    # building

    def _programs(
        self, views: dict[Leaf, Array], whole: Sequence[Sum], local: Sequence[Sum], targets: Sequence[MemoryTarget]
    ) -> list[SweepProgram]:
        """The programs of the sweep: one for the local sums of each level, and one for the last results."""
        depths = sorted({node.sum_depth for node in local})
        levels = [[node for node in local if node.sum_depth == depth] for depth in depths]
        last = [node for node in whole if node not in local]
        results = [*(ProgramResults(level, ()) for level in levels), ProgramResults(last, targets)]
        self._sums = [node for program in results for node in program.sums]
        self._identities = [identity_of(node.ufunc) for node in self._sums]
        if self._registers_survive(results):
            with suppress(NotInEvaluator):  # one program for all may need too many registers
                return self._translated([results], views)
        return self._translated([[program] for program in results], views)

    def _registers_survive(self, results: Sequence[ProgramResults]) -> bool:
        """True if each unit is one block, so that a program can use the registers of the previous program."""
        single_block = prod(self._reduced_blocks()) == self._strips == 1
        nodes = walk(root for program in results for root in program.roots)
        return single_block and len(results) > 1 and not any(isinstance(node, IndexedUpdate) for node in nodes)

    def _translated(self, groups: Sequence[Sequence[ProgramResults]], views: dict[Leaf, Array]) -> list[SweepProgram]:
        """The programs for these results. The programs of a group share their registers."""
        programs: list[SweepProgram] = []
        earlier_sums: dict[Sum, int] = {}
        for group in groups:
            translation = Translation(
                self._library, self._space, extent=self._extent, memory=self._memory_number, update=self._update,
                earlier_sums=earlier_sums, known_memory=self._known_memory, is_centre=self._is_centre,
                short_rows=self._sizes[-1] < SHORT_ROW,
            )  # fmt: skip
            codes, registers = translation.translate(group, views)
            for results, code in zip(group, codes, strict=True):
                first_sum = len(earlier_sums)
                programs.append(SweepProgram(code, registers, first_sum, len(results.sums)))
                earlier_sums |= {node: number for number, node in enumerate(results.sums, first_sum)}
        return programs

    def _build(self, programs: list[SweepProgram]) -> c.SweepArguments:
        code = [
            (c.Instruction * max(1, len(each)))(*each) for each in [program.code.instructions for program in programs]
        ]
        c_programs = (c.Program * len(programs))(
            *[
                c.Program(ctypes.addressof(c_code), len(program.code.instructions), program.first_sum, program.sums)
                for c_code, program in zip(code, programs, strict=True)
            ]
        )
        memory = (c.Memory * max(1, len(self._memory)))(*self._memory)
        updates = (c.UpdateArguments * max(1, len(self._updates)))(*self._updates)
        self._groups = 1 if len(programs) > 1 or not self._whole else self._partial_sums()
        sizes = [1 if reduced else size for size, reduced in zip(self._sizes, self._reduced, strict=True)]
        self._totals = np.zeros((self._groups, len(self._sums), *sizes))
        self._alive.append((code, c_programs, memory, updates))
        self._cells = [
            (c_code[number], cell, type_)
            for c_code, program in zip(code, programs, strict=True)
            for number, cell, type_ in program.code.cells
        ]
        on_blocks = sum(each.extent == c.Extent.MANY for program in programs for each in program.code.instructions)
        prefetch = self._bytes >= MIN_BYTES_TO_PREFETCH and on_blocks >= MIN_INSTRUCTIONS_TO_PREFETCH
        return c.SweepArguments(
            dims=len(self._sizes), size=_c_dims(self._sizes), reduced=_c_dims(self._reduced), rows=self._rows,
            groups=self._groups, threads=1, programs=len(programs),
            registers=max(program.registers for program in programs) + 1, sums=len(self._sums),
            min_parallel=MIN_ELEMENTS_FOR_THREADS, prefetch=prefetch, strip_dim=self._strip_dim, strips=self._strips,
            program=ctypes.addressof(c_programs), memory=ctypes.addressof(memory), updates=ctypes.addressof(updates),
            totals=self._totals.ctypes.data if self._whole else None,
            identity=(ctypes.c_double * c.SUMS)(*self._identities),
        )  # fmt: skip

    @property
    def units(self) -> int:
        """The number of independent units of work."""
        blocks = {dim: self._blocks(dim) for dim, reduced in enumerate(self._reduced) if not reduced}
        if self._strip_dim >= 0:
            blocks[self._strip_dim] = -(-blocks[self._strip_dim] // self._strips)
        return prod(blocks.values())

    def _blocks(self, dim: int) -> int:
        """The number of blocks along a dimension."""
        size_of_block = {len(self._sizes) - 1: c.BLOCK, len(self._sizes) - 2: self._rows}.get(dim, 1)
        return -(-self._sizes[dim] // size_of_block)

    def _reduced_blocks(self) -> Iterator[int]:
        """The number of blocks along each reduced dimension."""
        return (self._blocks(dim) for dim, reduced in enumerate(self._reduced) if reduced)

    def _partial_sums(self) -> int:
        """The number of partial sums of a sum, which depends on the shape only."""
        blocks = prod(self._reduced_blocks())
        enough = -(-MAX_PARTIAL_SUMS // self.units)
        return max(1, min(enough, blocks, prod(self._sizes) // self.units // MIN_ELEMENTS_OF_PARTIAL_SUM))

    # running

    def run(self, workers: Workers, known: dict[Sum, Array]) -> dict[Sum, Array]:
        """Write the targets, with the values of the known sums. Returns the whole sums, as float64 arrays with the
        dimensions of the space."""
        for node in self._known_in_use:
            values = self._known[node]
            np.copyto(values, known[node].reshape(values.shape))
        for copy, source in self._copies:
            np.copyto(copy, source)
        for instruction, cell, type_ in self._cells:
            for field, value in constant(cell.value, type_).items():
                setattr(instruction, field, value)
        self._sweep.threads = workers.threads
        self._library.run(self._sweep)
        return dict(self._results)

    def _total(self, node: Sum) -> Array:
        """The array in which the evaluator leaves a whole sum."""
        total = self._totals[0, self._sums.index(node)]
        return cast("Array", total.reshape(total.shape[self._padding :]))


def identity_of(ufunc: np.ufunc) -> float:
    """The sum or extreme of an empty set."""
    return -np.inf if ufunc is np.maximum else np.inf if ufunc is np.minimum else 0.0


def _c_dims(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * c.DIMS)(*values)
