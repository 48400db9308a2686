"""Row blocks: expressions computed by numpy, operation by operation, one block of rows after the other.

Row blocks replace the compiled evaluator where it is missing, or does not support an expression. One axis is cut, so
that temporaries are as small as a block. A sum over this axis is the sum of the blocks' sums.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import (
    Axis,
    ExpressionNode,
    IndexedUpdate,
    Leaf,
    NotInFastEngine,
    ProcedureCall,
    Reshaped,
    Sum,
    walk,
)
from aclnn.engine.fast.native_sweeps import AS_WRITTEN
from aclnn.engine.fast.small_results import NodeFunction, node_function, node_numbers, reduced
from aclnn.engine.numbers.rounding import store

BLOCK_ELEMENTS: Final = 1 << 18
"""elements of a block: 1 MiB of FLOAT, which fits into the cache of a core"""


class RowBlocks:
    """Targets, and the functions that compute their nodes.

    Nodes without the cut axis are computed once, before the blocks. Nodes with this axis are computed block by block.
    Nodes that use a sum over this axis are computed after the blocks."""

    def __init__(self, targets: Sequence[tuple[ExpressionNode, Array]], reason: str) -> None:
        """Raises `NotInFastEngine` if no axis can be cut. `reason`: why the evaluator is not used."""
        self._targets, self._reason = targets, reason
        nodes = list(walk(node for node, _ in targets))
        if any(isinstance(node, ProcedureCall) for node in nodes):
            raise NotInFastEngine("arithmetic with the result of a procedure")
        if any(len(node.axis_set()) != sum(axis is not None for axis in node.axes) for node in nodes):
            raise NotInFastEngine("an array and its transpose in one expression")
        self._axis = _axis_to_cut(nodes)
        self._rows = max(1, BLOCK_ELEMENTS * self._axis.size // max(prod(node.shape) for node in nodes))
        self._numbers = numbers = node_numbers(nodes)
        above = _nodes_above_sums(nodes, self._axis)
        last_use = {source: number for number, node in enumerate(nodes) for source in node.sources}
        last_use |= dict.fromkeys((node for node, _ in targets), len(nodes))
        self._before: list[tuple[int, NodeFunction]] = []
        self._of_block: list[tuple[int, Callable[[slice], NodeFunction], list[int]]] = []
        """number and function of a node, and the numbers of nodes that no later node needs"""
        self._sums = [node for node in above if isinstance(node, Sum) and self._axis in node.value.axis_set()]
        self._after = [(numbers[node], node_function(node, numbers)) for node in above if node not in self._sums]
        summed = {numbers[node.value] for node in self._sums}
        for number, node in enumerate(nodes):
            if self._axis in node.axis_set():
                unneeded = {numbers[source] for source in node.sources if last_use[source] == number} - summed
                self._of_block.append((number, self._block_function(node), [*unneeded]))
            elif node not in above:
                self._before.append((number, node_function(node, numbers)))

    def run(self, workers: Workers) -> None:
        """Write the targets."""
        workers.counts[f"{AS_WRITTEN}: {self._reason}"] += 1
        fixed: list[Any] = [None] * len(self._numbers)
        for number, function in self._before:
            fixed[number] = function(fixed)
        totals: dict[Sum, Array] = {}
        for low in range(0, self._axis.size, self._rows):
            rows, values = slice(low, min(low + self._rows, self._axis.size)), list(fixed)
            for number, block_function, unneeded in self._of_block:
                values[number] = block_function(rows)(values)
                for source in unneeded:
                    values[source] = fixed[source]
            for node in self._sums:
                partial_sum = reduced(node, values[self._numbers[node.value]])
                totals[node] = node.ufunc(totals[node], partial_sum) if node in totals else partial_sum
            for node, memory in self._targets:
                if self._axis in node.axis_set():
                    outer = (slice(None),) * _dimension_of(node, self._axis)
                    store(values[self._numbers[node]], memory[(*outer, rows)])
        for node, total in totals.items():
            fixed[self._numbers[node]] = total.reshape(node.shape)
        for number, function in self._after:
            fixed[number] = function(fixed)
        for node, memory in self._targets:
            if self._axis not in node.axis_set():
                store(fixed[self._numbers[node]], memory)

    def _block_function(self, node: ExpressionNode) -> Callable[[slice], NodeFunction]:
        """A function from the rows of a block to the function that computes these rows."""
        dim = _dimension_of(node, self._axis)
        outer_sizes, inner_sizes = node.shape[:dim], node.shape[dim + 1 :]
        if isinstance(node, Leaf):
            array, dtype, outer = node.array, node.dtype, (slice(None),) * dim
            return lambda rows: lambda _: array[(*outer, rows)].astype(dtype, copy=False)
        if isinstance(node, Reshaped | Sum):
            source = self._numbers[node.value]
            function = partial(reduced, node) if isinstance(node, Sum) else np.asarray
            return lambda rows: (
                lambda values: function(values[source]).reshape(*outer_sizes, rows.stop - rows.start, *inner_sizes)
            )
        if isinstance(node, IndexedUpdate):
            source = self._numbers[node.value]
            return lambda rows: lambda values: _updated(node, rows, values[source])
        function_of_node = node_function(node, self._numbers)
        return lambda _: function_of_node


def _axis_to_cut(nodes: Sequence[ExpressionNode]) -> Axis:
    """The first axis of the largest node that has enough rows for blocks, else its longest axis."""
    largest = max(nodes, key=lambda node: prod(node.shape))
    columns = {axis.root() for node in nodes if isinstance(node, IndexedUpdate) and (axis := node.axes[1]) is not None}
    axes = [axis.root() for axis in largest.axes if axis is not None and axis.root() not in columns]
    axes = [axis for axis in axes if not any(axis in node.axis_set() for node in _nodes_above_sums(nodes, axis))]
    if not axes:
        raise NotInFastEngine("a sum over every axis is an operand")
    blocks = -(-prod(largest.shape) // BLOCK_ELEMENTS)
    return next((axis for axis in axes if axis.size >= blocks), max(axes, key=lambda axis: axis.size))


def _nodes_above_sums(nodes: Sequence[ExpressionNode], axis: Axis) -> dict[ExpressionNode, None]:
    """The sums over an axis and the nodes that need one of them, in their order."""
    above: dict[ExpressionNode, None] = {}
    for node in nodes:
        reduces = isinstance(node, Sum) and any(dim.root() is axis for dim in node.reduced_axes)
        if reduces or any(source in above for source in node.sources):
            above[node] = None
    return above


def _updated(node: IndexedUpdate, rows: slice, block: Array) -> Array:
    """A block of a matrix after its indexed update."""
    matrix = np.array(block)
    low, high = np.searchsorted(node.rows, [rows.start, rows.stop])
    index = node.rows[low:high] - rows.start, node.columns[low:high]
    matrix[index] = node.ufunc(matrix[index], node.deltas[low:high])
    return matrix


def _dimension_of(node: ExpressionNode, axis: Axis) -> int:
    return next(dim for dim, own in enumerate(node.axes) if own is not None and own.root() is axis)
