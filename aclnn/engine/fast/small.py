"""Small results, which numpy computes at once: without tiles, from sums that are known."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

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


def at_once(node: Node) -> Array:
    """The elements of a small node without sums, computed by numpy without tiles."""
    values: dict[Node, Array] = {}
    for each in walk([node]):
        values[each] = _made(each, values)
    return values[node]


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
        self._dims = space.dims
        self._roots = roots
        self._late = late
        self._order = list(walk(roots, lambda node: node.sources if node in late else above_sums(node)))
        known = [node for node in self._order if isinstance(node, Sum) and node not in late]
        self._places: dict[Node, _Place] = {node: self._place(node) for node in known}

    def values(self, known: dict[Sum, Array]) -> list[Array]:
        """The elements of the roots."""
        values: dict[Node, Array] = {}
        for node in self._order:
            place = self._places.get(node)
            values[node] = _made(node, values) if place is None else self._restored(known[place.sum], place)
        return [values[node] for node in self._roots]

    def _place(self, node: Sum) -> "_Place":
        along = node.along()
        order = [axis for dim in self._dims for axis in dim.axes if axis in along]
        axes = [order.index(axis.found()) for axis in node.axes if axis is not None]
        return _Place(node, [axis.size for axis in order], axes)

    def _restored(self, total: Array, place: "_Place") -> Array:
        """The values of a sum, with the axes in the order that the formula has."""
        if self._dims and self._dims[-1].fold > 1 and total.shape[-1] > 1:
            total = total[..., : total.shape[-1] // self._dims[-1].fold]
        apart: Array = np.transpose(total.reshape(place.sizes), place.axes)
        return apart.reshape(place.sum.shape).astype(place.sum.dtype)


class _Place(NamedTuple):
    """Where the values of a known sum are: with the dimensions of the space, but for those that are gone."""

    sum: Sum
    sizes: list[int]
    """of its axes, in the order of the space"""
    axes: list[int]
    """where each of its axes is in that order"""


def _summed(node: Sum, value: Array) -> Array:
    """A sum of few elements."""
    over = {axis.found() for axis in node.over}
    dims = tuple(dim for dim, axis in enumerate(node.value.axes) if axis is not None and axis.found() in over)
    return np.asarray(node.ufunc.reduce(value, dims, node.dtype)).reshape(node.shape)


def _made(node: Node, values: dict[Node, Array]) -> Array:
    """The elements of a small node, from those of its sources."""

    def argument(value: Any) -> Any:
        return values[value] if isinstance(value, Node) else value

    if isinstance(node, Leaf):
        return node.array.astype(node.dtype)
    if isinstance(node, UfuncCall):
        return np.asarray(node.ufunc(*map(argument, node.arguments)))
    if isinstance(node, Where):
        a, b = map(argument, node.choices)
        return np.asarray(np.where(values[node.condition], a, b))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(node, Cast):
        return values[node.value].astype(node.to).astype(node.dtype)
    if isinstance(node, Reshaped):
        return values[node.value].reshape(node.shape)
    if isinstance(node, Sum):
        return _summed(node, values[node.value])
    raise Unwritable(f"a small {type(node).__name__}")
