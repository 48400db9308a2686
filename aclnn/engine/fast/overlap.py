"""Checks for outputs of a launch that share memory with its inputs."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import (
    Cast,
    ExpressionNode,
    IndexedUpdate,
    Leaf,
    NotInFastEngine,
    ProcedureCall,
    Reshaped,
    Sum,
    walk,
)


def check_overlap(targets: Sequence[tuple[ExpressionNode, Array]], small: Sequence[tuple[Array, Array]]) -> None:
    """Raise `NotInFastEngine` if an output overwrites memory before it is read.

    An output may share bytes with an input only if each element of both lies at the same address. `targets` are
    expressions and their output memory. `small` are arrays that are computed already, and their output memory."""
    nodes = list(walk(node for node, _ in targets))
    leaves = [node for node in nodes if isinstance(node, Leaf)]
    procedure_inputs = [array for node in nodes if isinstance(node, ProcedureCall) for array in node.reads]
    outputs = [memory for _, memory in (*targets, *small)]
    for number, memory in enumerate(outputs):
        if any(np.may_share_memory(memory, other) for other in (*outputs[:number], *procedure_inputs)):
            raise NotInFastEngine("outputs overlap each other, or operands of a procedure")
    readers = Counter(node for root, _ in targets for node in walk([root]) if isinstance(node, Leaf))
    for node, memory in targets:
        for leaf in leaves:
            if np.may_share_memory(memory, leaf.array) and not (
                _same_elements(memory, node, leaf) and (readers[leaf] == 1 or _element_by_element(targets))
            ):
                raise NotInFastEngine("outputs overlap inputs")


def reads_memory(root: ExpressionNode, memory: Array) -> bool:
    """True if an expression reads elements in this memory."""
    return any(isinstance(node, Leaf) and np.may_share_memory(node.array, memory) for node in walk([root]))


def _element_by_element(targets: Sequence[tuple[ExpressionNode, Array]]) -> bool:
    """True if all outputs are computed together, each element from the elements at its own position. Then a whole block
    is computed before it is stored. False if an output is an unchanged input, which would be read too late."""
    nodes = list(walk(node for node, _ in targets))
    if any(isinstance(node, Sum | IndexedUpdate | ProcedureCall) for node in nodes):
        return False
    axes = [node.axis_set() for node, _ in targets]
    return all(own == axes[0] for own in axes) and not any(isinstance(_base(node), Leaf) for node, _ in targets)


def _base(node: ExpressionNode) -> ExpressionNode:
    """The node without its reshapes and casts."""
    while isinstance(node, Reshaped | Cast):
        node = node.value
    return node


def _same_elements(memory: Array, node: ExpressionNode, leaf: Leaf) -> bool:
    """True if each element of the node is stored at the address of the same element of the leaf."""
    array = leaf.array
    if memory.shape != array.shape or memory.strides != array.strides or memory.ctypes.data != array.ctypes.data:
        return False
    return [axis and axis.root() for axis in node.axes] == [axis and axis.root() for axis in leaf.axes]
