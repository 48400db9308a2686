"""Which outputs of a launch may share memory with what it reads."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import Cast, Leaf, Made, Node, Reshaped, Sum, Unwritable, Updated, walk


def check_apart(goals: Sequence[tuple[Node, Array]], small: Sequence[tuple[Array, Array]]) -> None:
    """An output may share bytes with an input only if each element of both lies at the same place. `goals` are
    expressions and the memory that they go to, `small` arrays that are computed already, and where they go."""
    nodes = list(walk(node for node, _ in goals))
    leaves = [node for node in nodes if isinstance(node, Leaf)]
    taken = [array for node in nodes if isinstance(node, Made) for array in node.reads]
    written = [memory for _, memory in (*goals, *small)]
    for place, memory in enumerate(written):
        if any(np.may_share_memory(memory, other) for other in (*written[:place], *taken)):
            raise Unwritable("outputs overlap each other, or what a procedure reads")
    readers = Counter(node for goal, _ in goals for node in walk([goal]) if isinstance(node, Leaf))
    for node, memory in goals:
        for leaf in leaves:
            if np.may_share_memory(memory, leaf.array) and not (
                _same_elements(memory, node, leaf) and (readers[leaf] == 1 or _element_by_element(goals))
            ):
                raise Unwritable("outputs overlap inputs")


def reads(node: Node, memory: Array) -> bool:
    """Does an expression rest on elements in this memory?"""
    return any(isinstance(each, Leaf) and np.may_share_memory(each.array, memory) for each in walk([node]))


def _element_by_element(goals: Sequence[tuple[Node, Array]]) -> bool:
    """Are all outputs computed together, each element from those at its place? Then a block of them is stored when
    all of it is computed. (An output that is an input as it is would be read too late.)"""
    nodes = list(walk(node for node, _ in goals))
    if any(isinstance(each, Sum | Updated | Made) for each in nodes):
        return False
    along = [{axis.found() for axis in node.axes if axis is not None} for node, _ in goals]
    return all(each == along[0] for each in along) and not any(isinstance(_base(node), Leaf) for node, _ in goals)


def _base(node: Node) -> Node:
    """The node whose elements these are."""
    while isinstance(node, Reshaped | Cast):
        node = node.value
    return node


def _same_elements(memory: Array, node: Node, leaf: Leaf) -> bool:
    """Does each element of the node go where that of the leaf is read?"""
    array = leaf.array
    if memory.shape != array.shape or memory.strides != array.strides or memory.ctypes.data != array.ctypes.data:
        return False
    return [axis and axis.found() for axis in node.axes] == [axis and axis.found() for axis in leaf.axes]
