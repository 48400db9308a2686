"""Expressions computed by numpy as they are written, operation by operation, in row blocks.

That serves where the compiled evaluator is not there, or does not know all of an expression. One axis is cut, so what
is made in between is as large as a block. A sum over this axis adds up those of the blocks.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.engines import AS_WRITTEN
from aclnn.engine.fast.expressions import Axis, Leaf, Made, Node, Reshaped, Sum, Unwritable, Updated, walk
from aclnn.engine.fast.small import Step, numbered, step_of, summed
from aclnn.engine.numbers.rounding import store

BLOCK: Final = 1 << 18
"""elements of a block: 1 MiB of FLOAT, which the cache of a core holds"""


class RowBlocks:
    """Some targets, and the steps of a block: of nodes without the axis before, of those with it, of those above a sum
    over it at the end."""

    def __init__(self, targets: Sequence[tuple[Node, Array]], why: str) -> None:
        """`why` the evaluator does not compute them. Raises `Unwritable` if no axis can be cut."""
        self._targets, self._why = targets, why
        order = list(walk(node for node, _ in targets))
        if any(isinstance(node, Made) for node in order):
            raise Unwritable("arithmetic with what a procedure writes")
        if any(len(node.along()) != sum(axis is not None for axis in node.axes) for node in order):
            raise Unwritable("an array meets itself with its axes in another order")
        self._axis = _axis_of(order)
        self._rows = max(1, BLOCK * self._axis.size // max(prod(node.shape) for node in order))
        self._number = numbered(order)
        above = _above_sums(order, self._axis)
        last = {source: at for at, node in enumerate(order) for source in node.sources}
        last |= dict.fromkeys((node for node, _ in targets), len(order))
        self._before: list[tuple[int, Step]] = []
        self._of_block: list[tuple[int, Callable[[slice], Step], list[int]]] = []
        """with the nodes that nothing needs after the step"""
        self._sums = [node for node in above if isinstance(node, Sum) and self._axis in node.value.along()]
        self._after = [(self._number[node], step_of(node, self._number)) for node in above if node not in self._sums]
        for at, node in enumerate(order):
            if self._axis in node.along():
                done = [self._number[source] for source in node.sources if last[source] == at]
                kept = {self._number[node.value] for node in self._sums}
                self._of_block.append((at, self._step(node), [source for source in done if source not in kept]))
            elif node not in above:
                self._before.append((at, step_of(node, self._number)))

    def run(self, workers: Workers) -> None:
        """Write the targets."""
        workers.counts[f"{AS_WRITTEN}: {self._why}"] += 1
        fixed: list[Any] = [None] * len(self._number)
        for at, step in self._before:
            fixed[at] = step(fixed)
        totals: dict[Sum, Array] = {}
        for low in range(0, self._axis.size, self._rows):
            rows, values = slice(low, min(low + self._rows, self._axis.size)), list(fixed)
            for at, step_in, done in self._of_block:
                values[at] = step_in(rows)(values)
                for source in done:
                    values[source] = fixed[source]
            for node in self._sums:
                part = summed(node, values[self._number[node.value]])
                totals[node] = node.ufunc(totals[node], part) if node in totals else part
            for node, memory in self._targets:
                if self._axis in node.along():
                    before = (slice(None),) * _place(node, self._axis)
                    store(values[self._number[node]], memory[(*before, rows)])
        for node, total in totals.items():
            fixed[self._number[node]] = total.reshape(node.shape)
        for at, step in self._after:
            fixed[at] = step(fixed)
        for node, memory in self._targets:
            if self._axis not in node.along():
                store(fixed[self._number[node]], memory)

    def _step(self, node: Node) -> Callable[[slice], Step]:
        """The step that makes a block of a node."""
        place = _place(node, self._axis)
        front, behind = node.shape[:place], node.shape[place + 1 :]
        if isinstance(node, Leaf):
            array, dtype, before = node.array, node.dtype, (slice(None),) * place
            return lambda rows: lambda _: array[(*before, rows)].astype(dtype, copy=False)
        if isinstance(node, Reshaped | Sum):
            source = self._number[node.value]
            make = partial(summed, node) if isinstance(node, Sum) else np.asarray
            return lambda rows: lambda values: make(values[source]).reshape(*front, rows.stop - rows.start, *behind)
        if isinstance(node, Updated):
            source = self._number[node.value]
            return lambda rows: lambda values: _updated(node, rows, values[source])
        step = step_of(node, self._number)
        return lambda _: step


def _axis_of(nodes: Sequence[Node]) -> Axis:
    """The axis to cut: the first one of the largest node that has enough rows for blocks, else its longest one."""
    largest = max(nodes, key=lambda node: prod(node.shape))
    columns = {axis.found() for node in nodes if isinstance(node, Updated) and (axis := node.axes[1]) is not None}
    axes = [axis.found() for axis in largest.axes if axis is not None and axis.found() not in columns]
    axes = [axis for axis in axes if not any(axis in node.along() for node in _above_sums(nodes, axis))]
    if not axes:
        raise Unwritable("sums that all axes need as a whole")
    blocks = -(-prod(largest.shape) // BLOCK)
    return next((axis for axis in axes if axis.size >= blocks), max(axes, key=lambda axis: axis.size))


def _above_sums(nodes: Sequence[Node], axis: Axis) -> dict[Node, None]:
    """The sums over an axis and the nodes that need one of them, in their order."""
    above: dict[Node, None] = {}
    for node in nodes:
        over = isinstance(node, Sum) and any(each.found() is axis for each in node.over)
        if over or any(source in above for source in node.sources):
            above[node] = None
    return above


def _updated(node: Updated, rows: slice, block: Array) -> Array:
    """A block of a matrix of which single elements are changed."""
    matrix = np.array(block)
    low, high = np.searchsorted(node.rows, [rows.start, rows.stop])
    places = node.rows[low:high] - rows.start, node.columns[low:high]
    matrix[places] = node.ufunc(matrix[places], node.by[low:high])
    return matrix


def _place(node: Node, axis: Axis) -> int:
    """The dimension of this axis."""
    return next(place for place, own in enumerate(node.axes) if own is not None and own.found() is axis)
