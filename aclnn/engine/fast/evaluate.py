"""Evaluates expressions and writes the results to memory.

Three kinds of work are separated. Sums whose results are small ("of the whole") are computed first, level by level.
Small results that need these sums are then computed at once with numpy. Large results are written in tiles.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.fast.expressions import (
    Axis,
    Cast,
    Leaf,
    Made,
    Node,
    Reshaped,
    Sum,
    UfuncCall,
    Unwritable,
    Where,
    above_sums,
    walk,
)
from aclnn.engine.fast.space import Space, space_of
from aclnn.engine.fast.tile_program import StoredNode
from aclnn.engine.fast.tiles import Sweeps
from aclnn.engine.numbers.rounding import store

FEW: Final = 1 << 16
"""the most elements of a result that is computed at once, without tiles, when its sums are known"""
Target = tuple[Node, Array]
"""a node and the memory it goes to, of the same shape"""


def evaluate(targets: Sequence[Target], workers: Workers) -> None:
    """Write every node to its memory."""
    targets = [(_stored(node, memory.dtype), memory) for node, memory in targets]
    for group in _groups([target for target in targets if not isinstance(target[0], Made)]):
        _together(group, workers)
    for node, memory in targets:
        if isinstance(node, Made):
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
        along = {axis for node in walk([target[0]]) for axis in node.along()}
        members = [target]
        for group in [each for each in groups if each[0] & along]:
            groups.remove(group)
            along |= group[0]
            members = group[1] + members
        groups.append((along, members))
    return [members for _, members in groups]


def _together(targets: list[Target], workers: Workers) -> None:
    """Evaluate a group of targets.

    First come the sums of the whole, level by level. Targets that are written in tiles join the first level, if they
    need no sums of their own. Last come the small results that are computed from the sums."""
    finished: list[Target] = []
    tiled: list[Target] = []
    for target in targets:
        (finished if target[0].sums and _few(target[0]) else tiled).append(target)
    whole = [node for node in walk(node for node, _ in finished) if isinstance(node, Sum)]
    nodes = list(walk(node for node, _ in targets))
    if any(isinstance(node, Made) for node in nodes):
        raise Unwritable("arithmetic with what a procedure writes")
    space = space_of(nodes, tiled, FEW)
    views = {node: space.spread(node.array, node.axes) for node in nodes if isinstance(node, Leaf)}
    leaves = [node.array for node in nodes if isinstance(node, Leaf)]
    goals = [
        StoredNode(node, space.spread(memory, node.axes), any(np.may_share_memory(memory, each) for each in leaves))
        for node, memory in tiled
    ]
    local = [node for node in walk(node for node, _ in tiled) if isinstance(node, Sum)]
    known: dict[Sum, Array] = {}
    for level in sorted({each.sums for each in whole}):
        along = [] if local or level > 1 else goals
        sums = [each for each in whole if each.sums == level]
        known.update(Sweeps(space, views, sums, (), along, known).run(workers))
    results = [(memory, _Finish(space, known).of(node)) for node, memory in finished]
    if tiled and (local or not whole):
        Sweeps(space, views, (), local, goals, {}).run(workers)
    for memory, values in results:
        store(values, memory)


def _few(root: Node) -> bool:
    """Is every node above the sums small, and the results of these sums too?"""
    return all(
        prod(node.shape) <= FEW and not (isinstance(node, Leaf) and node.array.size > FEW)
        for node in walk([root], above_sums)
    )


class _Finish:
    """Computes the part of a formula above its sums, once these are known. The arrays are small, and numpy computes
    them directly."""

    def __init__(self, space: Space, known: dict[Sum, Array]) -> None:
        self._dims, self._known = space.dims, known
        self._values: dict[Node, Array] = {}

    def of(self, node: Node) -> Array:
        """The elements of a node."""
        for each in walk([node], above_sums):
            if each not in self._values:
                self._values[each] = self._made(each)
        return self._values[node]

    def _made(self, node: Node) -> Array:
        if isinstance(node, Sum):
            return self._restored(node)
        if isinstance(node, Leaf):
            return node.array.astype(node.dtype)
        if isinstance(node, UfuncCall):
            return np.asarray(node.ufunc(*map(self._argument, node.arguments)))
        if isinstance(node, Where):
            a, b = map(self._argument, node.choices)
            return np.asarray(np.where(self._values[node.condition], a, b))  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(node, Cast):
            return self._values[node.value].astype(node.to).astype(node.dtype)
        if isinstance(node, Reshaped):
            return self._values[node.value].reshape(node.shape)
        raise Unwritable(f"a small {type(node).__name__}")

    def _argument(self, value: Any) -> Any:
        return self._values[value] if isinstance(value, Node) else value

    def _restored(self, node: Sum) -> Array:
        """The values of a sum, with the axes in the order that the formula has."""
        total = self._known[node]
        if self._dims and self._dims[-1].fold > 1 and total.shape[-1] > 1:
            total = total[..., : total.shape[-1] // self._dims[-1].fold]
        along = node.along()
        order = [axis for dim in self._dims for axis in dim.axes if axis in along]
        apart = total.reshape([axis.size for axis in order])
        wanted = [axis.found() for axis in node.axes if axis is not None]
        return np.transpose(apart, [order.index(axis) for axis in wanted]).reshape(node.shape)
