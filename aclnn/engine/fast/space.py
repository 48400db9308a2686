"""The directions of an expression in an order that suits the memory, with those made one that can count as one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import Axes, Axis, Leaf, Node, Sum, Unwritable, Updated

LONG = 4096
"""elements from which a row is long enough for a ufunc to run at full speed"""
SHORT = 1024
"""elements below which it pays to count several rows as one"""


@dataclass(frozen=True)
class Dim:
    """A dimension of the space that tiles are cut from."""

    size: int
    axes: tuple[Axis, ...]
    """outer to inner"""
    every: int = 1
    """it counts in steps of so many along its axis"""
    fold: int = 1
    """so many elements of its first axis, which is summed over, count as one row with the others"""


class Placed(NamedTuple):
    """An array of the expression and its directions; `large` if it is worth the order that suits it."""

    array: Array
    axes: Axes
    large: bool

    def steps(self) -> dict[Axis, int]:
        """Bytes from one element to the next, for each direction."""
        pairs = zip(self.axes, self.array.strides, strict=True)
        return {axis.found(): stride for axis, stride in pairs if axis is not None}


class Space:
    """The dimensions that the nodes of an expression are computed in, and what each has to do with them."""

    def __init__(self, dims: Sequence[Dim]) -> None:
        self.dims = tuple(dims)
        self._parts: dict[Node, tuple[bool, ...]] = {}

    def part(self, node: Node) -> tuple[bool, ...]:
        """Which of the dimensions its elements are counted in."""
        found = self._parts.get(node)
        if found is None:
            along = node.along()
            found = tuple([not along.isdisjoint(dim.axes) for dim in self.dims])
            self._parts[node] = found
        return found

    def gone(self, node: Sum) -> tuple[int, ...]:
        """Which of the dimensions a sum makes go away, not counting what is folded later."""
        over = {axis.found() for axis in node.over}
        return tuple([place for place, dim in enumerate(self.dims) if dim.axes[-1] in over])

    def spread(self, array: Array, axes: Axes) -> Array:
        """A view of the array with the dimensions of the space: one element along those that it has no part in."""
        steps = Placed(array, axes, large=False).steps()
        shape = [1] * len(self.dims)
        strides = [0] * len(self.dims)
        repeats = [1] * len(self.dims)
        for place, dim in enumerate(self.dims):
            present = [axis for axis in dim.axes if axis in steps]
            if not present:
                continue
            shape[place], strides[place] = dim.size, steps[present[-1]] * dim.every
            if dim.fold > 1 and len(present) < len(dim.axes):
                shape[place] //= dim.fold
                repeats[place] = dim.fold
        view = as_strided(array, shape, strides)
        return np.tile(view, repeats) if prod(repeats) > 1 else view

    def folded(self, total: Array) -> Array:
        """A sum in which several rows counted as one: theirs, for each of them."""
        fold = self.dims[-1].fold
        if fold == 1 or total.shape[-1] == 1:
            return total
        rows = total.reshape(*total.shape[:-1], fold, -1).sum(-2)
        return np.tile(rows, fold)


def space_of(nodes: Sequence[Node], targets: Iterable[tuple[Node, Array]], small: int) -> Space:
    """The space of these nodes, the outermost dimension first; arrays of up to `small` elements have no say in it."""
    for node in nodes:
        if len(node.along()) != sum(axis is not None for axis in node.axes):
            raise Unwritable("an array met itself in another order")
    placed = [Placed(node.array, node.axes, node.array.size > small) for node in nodes if isinstance(node, Leaf)]
    placed += [Placed(array, node.axes, large=True) for node, array in targets]
    sums = [node for node in nodes if isinstance(node, Sum)]
    known = dict.fromkeys(axis.found() for node in nodes for axis in node.axes if axis is not None)
    reach = {axis: sum(abs(each.steps().get(axis, 0)) for each in placed if each.large) for axis in known}
    updates = [node for node in nodes if isinstance(node, Updated)]
    dims: list[Dim] = []
    for axis in sorted(known, key=lambda axis: -reach[axis]):
        if dims and not updates and _count_as_one(dims[-1].axes[-1], axis, placed, sums):
            dims[-1] = Dim(dims[-1].size * axis.size, (*dims[-1].axes, axis))
        else:
            dims.append(Dim(axis.size, (axis,)))
    return Space(dims if updates else _folded(dims, placed, sums))


def _count_as_one(outer: Axis, inner: Axis, placed: Sequence[Placed], sums: Sequence[Sum]) -> bool:
    """Do all arrays go on along `outer` where they end along `inner`, and all sums go over both or neither?"""
    for each in placed:
        steps = each.steps()
        if (outer in steps) != (inner in steps):
            return False
        if outer in steps and steps[outer] != steps[inner] * inner.size:
            return False
    return all(_summed(each, outer) == _summed(each, inner) for each in sums)


def _summed(node: Sum, axis: Axis) -> bool | None:
    """Is this a direction that goes away, stays (False), or is none of its value's?"""
    if axis not in node.value.along():
        return None
    return any(axis is each.found() for each in node.over)


def _folded(dims: list[Dim], placed: Sequence[Placed], sums: Sequence[Sum]) -> list[Dim]:
    """Short rows that are summed up go together into long ones, whose sum is folded at the end."""
    if len(dims) < 2 or dims[-1].size >= SHORT or not sums or len(dims[-2].axes) > 1:
        return dims
    *front, outer, inner = dims
    (summed,) = outer.axes
    if any(_summed(each, summed) is not True or _summed(each, inner.axes[-1]) is not False for each in sums):
        return dims
    for each in placed:
        steps = each.steps()
        kept = [axis in steps for axis in inner.axes]
        if each.large and not (summed in steps and steps[summed] == steps.get(inner.axes[-1], 0) * inner.size):
            return dims
        if any(kept) != all(kept) or (not each.large and summed in steps):
            return dims
    many = max(n for n in range(1, LONG // inner.size + 1) if outer.size % n == 0)
    if many == 1:
        return dims
    rows = Dim(outer.size // many, outer.axes, every=many)
    return [*front, rows, Dim(many * inner.size, (summed, *inner.axes), fold=many)]
