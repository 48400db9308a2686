"""Small results, which numpy computes as whole arrays after the sums."""

from collections.abc import Callable, Sequence
from math import prod
from operator import itemgetter
from typing import Any, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import (
    Cast,
    Cell,
    ExpressionNode,
    Leaf,
    NotInFastEngine,
    Reshaped,
    Sum,
    UfuncCall,
    Where,
    sources_above_sums,
    walk,
)
from aclnn.engine.fast.space import Space

NodeFunction = Callable[[list[Array]], Array]
"""function from the values of earlier nodes, by number, to the values of a node"""


def small_function(node: ExpressionNode) -> Callable[[], Array]:
    """The function that computes a small node without sums. It uses the present arrays and numbers of the
    graph, although a cached evaluation replaces them later (`launch_cache`)."""
    nodes: list[ExpressionNode] = list(walk([node]))
    numbers = node_numbers(nodes)
    functions = [node_function(source, numbers) for source in nodes]

    def compute() -> Array:
        values = list[Array]()
        for function in functions:
            values.append(function(values))
        return values[-1]

    return compute


def late_sums(roots: Sequence[ExpressionNode], small: int) -> set[Sum]:
    """The sums that are computed together with the small results.

    These late sums have at most `small` terms, such as the losses of all rows, and are not operands of larger sums."""
    late: set[Sum] = set()
    larger: list[ExpressionNode] = []
    for node in walk(roots):
        if isinstance(node, Sum):
            terms = walk([node.value], lambda term: term.sources if term in late else sources_above_sums(term))
            if all(prod(term.shape) <= small for term in terms):
                late.add(node)
            else:
                larger.append(node)
    return late.difference(walk(larger))


class SmallResults:
    """The part of formulas that uses sums. numpy computes this part after the sums."""

    def __init__(self, space: Space, roots: Sequence[ExpressionNode], late: set[Sum]) -> None:
        """`late` are the late sums, which are computed here, too."""
        nodes = list(walk(roots, lambda node: node.sources if node in late else sources_above_sums(node)))
        numbers = node_numbers(nodes)
        self._roots = [numbers[node] for node in roots]
        self._functions: list[tuple[Sum | None, Callable[[Any], Array]]] = [
            (node, _layout_function(node, space))
            if isinstance(node, Sum) and node not in late
            else (None, node_function(node, numbers))
            for node in nodes
        ]
        """a known sum and the function that restores its axes; or None and the function of a node"""

    def values(self, known: dict[Sum, Array]) -> list[Array]:
        """The values of the nodes `roots`."""
        values: list[Array] = []
        for node, function in self._functions:
            values.append(function(values) if node is None else function(known[node]))
        return [values[number] for number in self._roots]


def _layout_function(node: Sum, space: Space) -> Callable[[Array], Array]:
    """A function from the values of a known sum to the same values with the axes of the formula. The known sum has the
    remaining dimensions of the space."""
    own_axes = node.axis_set()
    order = [axis for dim in space.dims for axis in dim.axes if axis in own_axes]
    sizes, axes = [axis.size for axis in order], [order.index(axis.root()) for axis in node.axes if axis is not None]
    shape, dtype, moved = node.shape, node.dtype, axes != sorted(axes)

    def restore(total: Array) -> Array:
        if moved:
            total = np.transpose(total.reshape(sizes), axes)
        return total.reshape(shape).astype(dtype)

    return restore


def node_numbers(nodes: Sequence[ExpressionNode]) -> dict[ExpressionNode, int]:
    """The position of each node in the sequence."""
    return {node: number for number, node in enumerate(nodes)}


def node_function(node: ExpressionNode, numbers: dict[ExpressionNode, int]) -> NodeFunction:
    """The function that computes a node. The operation is chosen here, once for all runs."""

    def getter(operand: Any) -> Callable[[list[Array]], Any]:
        if isinstance(operand, Cell):
            return lambda _: operand.value
        return itemgetter(numbers[operand]) if isinstance(operand, ExpressionNode) else lambda _: operand

    if isinstance(node, Leaf):
        array, dtype = node.array, node.dtype
        return lambda _: array.astype(dtype, copy=False)
    if isinstance(node, UfuncCall):
        ufunc, getters = node.ufunc, [*map(getter, node.arguments)]
        return lambda values: np.asarray(cast("Array", ufunc(*[get(values) for get in getters])))
    if isinstance(node, Where):
        condition, a, b = map(getter, (node.condition, *node.choices))
        return lambda values: np.asarray(cast("Array", np.where(condition(values), a(values), b(values))))
    if isinstance(node, Cast):
        source, to, dtype = getter(node.value), node.to, node.dtype
        if to == dtype == node.value.dtype:
            return source
        return lambda values: source(values).astype(to).astype(dtype)
    if isinstance(node, Reshaped):
        source, shape = getter(node.value), node.shape
        return lambda values: source(values).reshape(shape)
    if isinstance(node, Sum):
        source, sum_, shape = getter(node.value), node, node.shape
        return lambda values: reduced(sum_, source(values)).reshape(shape)
    raise NotInFastEngine(f"a small {type(node).__name__}")


def reduced(node: Sum, value: Array) -> Array:
    """A sum or extreme by numpy, without its reduced dimensions."""
    axes = {axis.root() for axis in node.reduced_axes}
    dims = tuple(dim for dim, axis in enumerate(node.value.axes) if axis is not None and axis.root() in axes)
    return np.asarray(node.ufunc.reduce(value, dims, node.dtype))
