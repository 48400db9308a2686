"""The evaluation of expressions into memory.

There are three kinds of work. Whole sums, which add up large tensors to small arrays, are computed first. numpy then
computes the small results that need these sums. Large results are written in blocks.
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
    ExpressionNode,
    Leaf,
    NotInFastEngine,
    ProcedureCall,
    Sum,
    sources_above_sums,
    walk,
)
from aclnn.engine.fast.native.library import Library, evaluator
from aclnn.engine.fast.native.sweep import NativeSweep
from aclnn.engine.fast.native.translation import NotInEvaluator
from aclnn.engine.fast.native_sweeps import NATIVE, StagedSweep, native_sweep
from aclnn.engine.fast.row_blocks import RowBlocks
from aclnn.engine.fast.small_results import SmallResults, late_sums
from aclnn.engine.fast.space import Space, StoredNode, space_of
from aclnn.engine.numbers.rounding import store

MAX_SMALL_RESULT: Final = 1 << 20
"""the most elements of a result that numpy computes from sums: the evaluator writes no result smaller than its
operands"""
MAX_SPACE: Final = 1 << 20
MAX_SPACE_PER_ARRAY: Final = 4
"""an iteration space above MAX_SPACE elements, and above MAX_SPACE_PER_ARRAY times the largest array, is refused"""
MAX_SMALL_ARRAY: Final = 1 << 16
"""smaller arrays do not affect the order of dimensions, nor do arrays below an eighth of the largest array"""
Target = tuple[ExpressionNode, Array]
"""a node and its memory, with the same shape"""


class Evaluation:
    """The planned evaluation of some targets. Each run uses the current values in memory."""

    def __init__(self, targets: Sequence[Target]) -> None:
        targets = [(_without_casts(node, memory.dtype), memory) for node, memory in targets]
        expressions = [target for target in targets if not isinstance(target[0], ProcedureCall)]
        self._groups = [_planned(group) for group in _groups(expressions)]
        self._procedures = [(node, memory) for node, memory in targets if isinstance(node, ProcedureCall)]

    def run(self, workers: Workers) -> None:
        """Write every node to its memory."""
        for group in self._groups:
            group.run(workers)
        for node, memory in self._procedures:
            node.write(memory, workers)


def _without_casts(node: ExpressionNode, dtype: np.dtype[Any]) -> ExpressionNode:
    """The node without outer casts to the type of its memory, as a store rounds in the same way."""
    while isinstance(node, Cast) and node.to == dtype and node.value.dtype == node.dtype:
        node = node.value
    return node


def _groups(targets: list[Target]) -> list[list[Target]]:
    """The targets in groups. Targets with a common axis are in the same group."""
    groups: list[tuple[set[Axis], list[Target]]] = []
    for target in targets:
        axes = {axis for node in walk([target[0]]) for axis in node.axis_set()}
        members = [target]
        for group in [group for group in groups if group[0] & axes]:
            groups.remove(group)
            axes |= group[0]
            members = group[1] + members
        groups.append((axes, members))
    return [members for _, members in groups]


def _planned(targets: list[Target]) -> "_Group | RowBlocks":
    """The plan of a group: for the compiled evaluator if it supports all of it, else for numpy in row blocks."""
    try:
        return _Group(targets)
    except NotInFastEngine as reason:
        return RowBlocks(targets, str(reason))


class _Group:
    """A group of targets, which the compiled evaluator computes.

    A sweep is one pass of the evaluator over the elements. The whole sums come first, with one sweep for each level of
    nested sums. Large targets without sums join the first sweep. The small results, and the other large targets, come
    last. The large targets use the whole sums, or compute local sums (`NativeSweep`) if the small results do not need
    all sums. If all whole sums are also local sums of the large targets, one sweep computes both, and the small results
    follow. This needs targets that overwrite no operand.

    A small target with one number for each unit of the large targets, such as the mean of each row, is computed in the
    units anyway. So the sweep of the large targets writes it, too."""

    def __init__(self, targets: list[Target]) -> None:
        """Raises `NotInFastEngine` if the evaluator is missing, or does not support a node of the group."""
        library = evaluator()
        if library is None:
            raise NotInFastEngine("the compiled evaluator is missing")
        nodes = list(walk(node for node, _ in targets))
        leaves = [node for node in nodes if isinstance(node, Leaf)]
        small = min(MAX_SMALL_ARRAY, max((leaf.array.size for leaf in leaves), default=0) // 8)
        small_targets: list[Target] = []
        large_targets: list[Target] = []
        for target in targets:
            (small_targets if target[0].sum_depth and _is_small_above_sums(target[0]) else large_targets).append(target)
        if any(isinstance(node, ProcedureCall) for node in nodes):
            raise NotInFastEngine("arithmetic with the result of a procedure")
        space = space_of(nodes, large_targets, small)
        max_space = max(MAX_SPACE, *(MAX_SPACE_PER_ARRAY * prod(node.shape) for node in nodes))
        if prod(dim.size for dim in space.dims) > max_space:
            raise NotInFastEngine("parts without a common dimension")
        views = {leaf: space.view(leaf.array, leaf.axes) for leaf in leaves}
        stored = [
            StoredNode(
                node,
                space.view(memory, node.axes),
                any(np.may_share_memory(memory, leaf.array) for leaf in leaves),
            )
            for node, memory in large_targets
        ]
        large_sums = set(_sums_below(large_targets))
        of_units = [
            target for target in small_targets
            if large_sums.issuperset(sums := [*_sums_below([target])]) and space.has_units(*target, sums)
            and not any(np.may_share_memory(target[1], leaf.array) for leaf in leaves)
        ]  # fmt: skip
        try:
            self._plan(library, space, views, large_targets, stored, small_targets, of_units, small)
        except NotInEvaluator:
            if not of_units:
                raise
            self._plan(library, space, views, large_targets, stored, small_targets, [], small)

    def _plan(
        self, library: Library, space: Space, views: dict[Leaf, Array], large_targets: Sequence[Target],
        stored: Sequence[StoredNode], small_targets: Sequence[Target], of_units: Sequence[Target], small: int,
    ) -> None:  # fmt: skip
        """Plan the sweeps. `of_units` are the small targets that the sweep of the large ones writes."""
        written = {id(memory) for _, memory in of_units}
        small_targets = [target for target in small_targets if id(target[1]) not in written]
        late = late_sums([node for node, _ in small_targets], small)
        whole = [node for node in walk(node for node, _ in small_targets) if isinstance(node, Sum) and node not in late]
        top_sums = [
            node for node in walk((node for node, _ in large_targets), sources_above_sums) if isinstance(node, Sum)
        ]
        all_sums = list(_sums_below(large_targets))
        self._levels: list[NativeSweep | StagedSweep] = []
        computed: set[Sum] = set()
        one_sweep = set(whole) <= set(all_sums) and not any(target.shared for target in stored)
        local = all_sums if one_sweep or not set(whole).issuperset(top_sums) else []
        first_sums = [] if one_sweep else whole
        for depth in sorted({node.sum_depth for node in first_sums}):
            joined: Sequence[StoredNode] = [] if top_sums or depth > 1 else stored
            sums = [node for node in first_sums if node.sum_depth == depth]
            self._levels.append(native_sweep(library, space, views, sums, (), joined, computed))
            computed = computed.union(sums)
        self._small_results = SmallResults(space, [node for node, _ in small_targets], late)
        self._small_targets = small_targets
        self._large_sweep = None
        if large_targets and (top_sums or not whole):
            stored = [*stored, *(StoredNode(node, space.view(memory, node.axes), False) for node, memory in of_units)]
            whole_sums = whole if one_sweep else ()
            computed = set[Sum]() if local else computed
            self._large_sweep = native_sweep(library, space, views, whole_sums, local, stored, computed)
        self._large_first = one_sweep and bool(whole)

    def run(self, workers: Workers) -> None:
        """Write the targets."""
        workers.counts[NATIVE] += 1
        sum_values: dict[Sum, Array] = {}
        for level in self._levels:
            sum_values.update(level.run(workers, sum_values))
        if self._large_sweep is not None and self._large_first:
            sum_values.update(self._large_sweep.run(workers, {}))
        results = self._small_results.values(sum_values)
        if self._large_sweep is not None and not self._large_first:
            self._large_sweep.run(workers, sum_values)
        for (_, memory), values in zip(self._small_targets, results, strict=True):
            store(values, memory)


def _sums_below(targets: Sequence[Target]) -> Iterator[Sum]:
    return (node for node in walk(node for node, _ in targets) if isinstance(node, Sum))


def _is_small_above_sums(root: ExpressionNode) -> bool:
    """True if every node that uses the sums is small, and smaller than the terms of the sums."""
    above = list(walk([root], sources_above_sums))
    largest = max(prod(node.value.shape) for node in above if isinstance(node, Sum))
    limit = min(MAX_SMALL_RESULT, largest // 2)
    large_leaf = any(isinstance(node, Leaf) and node.array.size > MAX_SMALL_RESULT for node in above)
    return not large_leaf and all(prod(node.shape) <= limit for node in above)
