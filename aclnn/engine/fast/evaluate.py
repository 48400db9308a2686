"""Evaluates expressions and writes the results to memory.

Three kinds of work are separated. Sums whose results are small ("of the whole") are computed first, level by level.
Small results that need these sums are then computed at once with numpy. Large results are written in tiles.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import (
    Axis,
    Cast,
    Leaf,
    Node,
    NotInFastEngine,
    ProcedureCall,
    Sum,
    sources_above_sums,
    walk,
)
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native.sweep import NativeSweep
from aclnn.engine.fast.native_sweeps import NATIVE, StagedSweep, native_sweep
from aclnn.engine.fast.row_blocks import RowBlocks
from aclnn.engine.fast.small_results import SmallResults, late_sums
from aclnn.engine.fast.space import StoredNode, space_of
from aclnn.engine.numbers.rounding import store

FEW: Final = 1 << 20
"""the most elements of a result that numpy computes at once when its sums are known: the evaluator writes no result
that is smaller than what it is computed from"""
MUCH: Final = 1 << 20
APART: Final = 4
"""so many elements, and times the largest array, are too many for the dimensions of all arrays together"""
SMALL: Final = 1 << 16
"""the most elements of an array that does not decide the order of dimensions, if others are eight times as large"""
Target = tuple[Node, Array]
"""a node and the memory it goes to, of the same shape"""


class Evaluation:
    """The evaluation of some targets, planned. It may run many times, and finds new values in the same memory."""

    def __init__(self, targets: Sequence[Target]) -> None:
        targets = [(_stored(node, memory.dtype), memory) for node, memory in targets]
        written = [target for target in targets if not isinstance(target[0], ProcedureCall)]
        self._groups = [_planned(group) for group in _groups(written)]
        self._made = [(node, memory) for node, memory in targets if isinstance(node, ProcedureCall)]

    def run(self, workers: Workers) -> None:
        """Write every node to its memory."""
        for group in self._groups:
            group.run(workers)
        for node, memory in self._made:
            node.write(memory, workers)


def _stored(node: Node, dtype: np.dtype[Any]) -> Node:
    """The node without its outer casts, where the memory that it goes to rounds the same way."""
    while isinstance(node, Cast) and node.to == dtype and node.value.dtype == node.dtype:
        node = node.value
    return node


def _groups(targets: list[Target]) -> list[list[Target]]:
    """The targets in groups. Targets that have an axis in common are in the same group."""
    groups: list[tuple[set[Axis], list[Target]]] = []
    for target in targets:
        along = {axis for node in walk([target[0]]) for axis in node.axis_set()}
        members = [target]
        for group in [each for each in groups if each[0] & along]:
            groups.remove(group)
            along |= group[0]
            members = group[1] + members
        groups.append((along, members))
    return [members for _, members in groups]


def _planned(targets: list[Target]) -> "_Group | RowBlocks":
    """The group, by the compiled evaluator if that is there and knows all of it, else by numpy in row blocks."""
    try:
        return _Group(targets)
    except NotInFastEngine as why:
        return RowBlocks(targets, str(why))


class _Group:
    """A group of targets.

    First come the sums of the whole, level by level. Targets that are written in tiles join the first level, if they
    need no sums. Last come the small results that are computed from the sums, and the other targets in tiles. These use
    the same sums, or local ones if the small results do not need all of them. The evaluator makes both sums at
    once where it can: the small results follow the others, unless they read memory that is written by then."""

    def __init__(self, targets: list[Target]) -> None:
        """Raises `NotInFastEngine` if the evaluator is not there, or does not know all of it."""
        library = evaluator()
        if library is None:
            raise NotInFastEngine("the compiled evaluator is not there")
        nodes = list(walk(node for node, _ in targets))
        small = min(SMALL, max((node.array.size for node in nodes if isinstance(node, Leaf)), default=0) // 8)
        finished: list[Target] = []
        tiled: list[Target] = []
        for target in targets:
            (finished if target[0].sum_depth and _few(target[0], FEW) else tiled).append(target)
        late = late_sums([node for node, _ in finished], small)
        whole = [node for node in walk(node for node, _ in finished) if isinstance(node, Sum) and node not in late]
        if any(isinstance(node, ProcedureCall) for node in nodes):
            raise NotInFastEngine("arithmetic with what a procedure writes")
        space = space_of(nodes, tiled, small)
        if prod(dim.size for dim in space.dims) > max(MUCH, *(APART * prod(node.shape) for node in nodes)):
            raise NotInFastEngine("parts that have no dimension in common")
        views = {node: space.view(node.array, node.axes) for node in nodes if isinstance(node, Leaf)}
        leaves = [node.array for node in nodes if isinstance(node, Leaf)]
        goals = [
            StoredNode(node, space.view(memory, node.axes), any(np.may_share_memory(memory, each) for each in leaves))
            for node, memory in tiled
        ]
        needed = [node for node in walk((node for node, _ in tiled), sources_above_sums) if isinstance(node, Sum)]
        below = list(_sums_below(tiled))
        self._levels: list[NativeSweep | StagedSweep] = []
        done: set[Sum] = set()
        together = set(whole) <= set(below) and not any(goal.shared for goal in goals)
        local = below if together or not set(whole).issuperset(needed) else []
        apart = [] if together else whole
        for level in sorted({each.sum_depth for each in apart}):
            along = [] if needed or level > 1 else goals
            sums = [each for each in apart if each.sum_depth == level]
            self._levels.append(native_sweep(library, space, views, sums, (), along, done))
            done = done.union(sums)
        self._finish = SmallResults(space, [node for node, _ in finished], late)
        self._finished = finished
        self._goals = None
        if tiled and (needed or not whole):
            along = whole if together else ()
            self._goals = native_sweep(library, space, views, along, local, goals, set[Sum]() if local else done)
        self._goals_first = together and bool(whole)

    def run(self, workers: Workers) -> None:
        """Write the targets."""
        workers.counts[NATIVE] += 1
        known: dict[Sum, Array] = {}
        for level in self._levels:
            known.update(level.run(workers, known))
        if self._goals is not None and self._goals_first:
            known.update(self._goals.run(workers, {}))
        results = self._finish.values(known)
        if self._goals is not None and not self._goals_first:
            self._goals.run(workers, known)
        for (_, memory), values in zip(self._finished, results, strict=True):
            store(values, memory)


def _sums_below(targets: Sequence[Target]) -> Iterator[Sum]:
    return (node for node in walk(node for node, _ in targets) if isinstance(node, Sum))


def _few(root: Node, few: int) -> bool:
    """Is every node above the sums small, also beside what the sums add up?"""
    above = list(walk([root], sources_above_sums))
    most = max(prod(node.value.shape) for node in above if isinstance(node, Sum))
    limit = min(few, most // 2)
    return all(prod(node.shape) <= limit and not (isinstance(node, Leaf) and node.array.size > few) for node in above)
