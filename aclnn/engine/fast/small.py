"""Small results, which numpy computes at once: without tiles, from sums that are known."""

from collections.abc import Callable, Sequence
from math import prod
from operator import itemgetter
from typing import Any, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import (
    Cast,
    Leaf,
    Node,
    Reshaped,
    Sum,
    UfuncCall,
    Unwritable,
    Where,
    above_sums,
    walk,
)
from aclnn.engine.fast.space import Space

Step = Callable[[list[Array]], Array]
"""makes the elements of a node from those of the nodes before it"""


def at_once(node: Node) -> Array:
    """The elements of a small node without sums, computed by numpy without tiles."""
    order: list[Node] = list(walk([node]))
    number, values = numbered(order), list[Array]()
    for each in order:
        values.append(step_of(each, number)(values))
    return values[-1]


def late_sums(roots: Sequence[Node], small: int) -> set[Sum]:
    """The sums of up to `small` elements, such as the sum of the losses of all rows. They are computed with the
    results, unless a larger sum needs them."""
    found: set[Sum] = set()
    larger: list[Node] = []
    for node in walk(roots):
        if isinstance(node, Sum):
            terms = walk([node.value], lambda each: each.sources if each in found else above_sums(each))
            if all(prod(each.shape) <= small for each in terms):
                found.add(node)
            else:
                larger.append(node)
    return found.difference(walk(larger))


class Finish:
    """Computes the part of formulas above their sums, once these are known. The arrays are small, and numpy computes
    them directly."""

    def __init__(self, space: Space, roots: Sequence[Node], late: set[Sum]) -> None:
        """`late` are the sums that are computed here too."""
        order = list(walk(roots, lambda node: node.sources if node in late else above_sums(node)))
        number = numbered(order)
        self._roots = [number[node] for node in roots]
        self._steps: list[tuple[Sum | None, Callable[[Any], Array]]] = [
            (node, _restored(node, space))
            if isinstance(node, Sum) and node not in late
            else (None, step_of(node, number))
            for node in order
        ]
        """a known sum and the function that restores its axes, or None and a step"""

    def values(self, known: dict[Sum, Array]) -> list[Array]:
        """The elements of the roots."""
        values: list[Array] = []
        for node, make in self._steps:
            values.append(make(values) if node is None else make(known[node]))
        return [values[at] for at in self._roots]


def _restored(node: Sum, space: Space) -> Callable[[Array], Array]:
    """A function that gives the elements of a known sum the axes of the formula. A known sum has the dimensions of the
    space, but for those that are gone."""
    along = node.along()
    order = [axis for dim in space.dims for axis in dim.axes if axis in along]
    sizes, axes = [axis.size for axis in order], [order.index(axis.found()) for axis in node.axes if axis is not None]
    shape, dtype, moved = node.shape, node.dtype, axes != sorted(axes)

    def restored(total: Array) -> Array:
        if moved:
            total = np.transpose(total.reshape(sizes), axes)
        return total.reshape(shape).astype(dtype)

    return restored


def numbered(order: Sequence[Node]) -> dict[Node, int]:
    """The place of each node in the order."""
    return {node: at for at, node in enumerate(order)}


def step_of(node: Node, number: dict[Node, int]) -> Step:
    """The step that makes a node. The operation is chosen once, here, not in each run."""

    def value(given: Any) -> Callable[[list[Array]], Any]:
        return itemgetter(number[given]) if isinstance(given, Node) else lambda _: given

    if isinstance(node, Leaf):
        array, dtype = node.array, node.dtype
        return lambda _: array.astype(dtype, copy=False)
    if isinstance(node, UfuncCall):
        ufunc, given = node.ufunc, [*map(value, node.arguments)]
        return lambda values: np.asarray(cast("Array", ufunc(*[each(values) for each in given])))
    if isinstance(node, Where):
        condition, a, b = map(value, (node.condition, *node.choices))
        return lambda values: np.asarray(cast("Array", np.where(condition(values), a(values), b(values))))
    if isinstance(node, Cast):
        below, to, dtype = value(node.value), node.to, node.dtype
        if to == dtype == node.value.dtype:
            return below
        return lambda values: below(values).astype(to).astype(dtype)
    if isinstance(node, Reshaped):
        below, shape = value(node.value), node.shape
        return lambda values: below(values).reshape(shape)
    if isinstance(node, Sum):
        below, sum_, shape = value(node.value), node, node.shape
        return lambda values: summed(sum_, below(values)).reshape(shape)
    raise Unwritable(f"a small {type(node).__name__}")


def summed(node: Sum, value: Array) -> Array:
    """A sum by numpy, without the dimensions that it goes over."""
    over = {axis.found() for axis in node.over}
    dims = tuple(dim for dim, axis in enumerate(node.value.axes) if axis is not None and axis.found() in over)
    return np.asarray(node.ufunc.reduce(value, dims, node.dtype))
