"""Orders the dimensions of an expression by memory, and merges neighbours that are contiguous in every array."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import Axes, Axis, Extreme, Leaf, Node, Sum, Unwritable, Updated

LONG = 4096
"""a row of so many elements is long enough for a ufunc to run at full speed"""
SHORT = 1024
"""rows with fewer elements are worth merging into longer ones"""


@dataclass(frozen=True)
class Dim:
    """A dimension of the space that tiles are cut from."""

    size: int
    axes: tuple[Axis, ...]
    """outer to inner"""
    every: int = 1
    """one step of the dimension is so many steps along its axis"""
    fold: int = 1
    """number of short rows along its first axis, which is summed over, that are merged into one row"""


class PlacedArray(NamedTuple):
    """An array of the expression and its axes. Only `large` arrays decide the order of the dimensions."""

    array: Array
    axes: Axes
    large: bool

    def steps(self) -> dict[Axis, int]:
        """Bytes from one element to the next, along each axis."""
        pairs = zip(self.axes, self.array.strides, strict=True)
        return {axis.found(): stride for axis, stride in pairs if axis is not None}


class Space:
    """The dimensions in which the nodes of an expression are computed, and which of them each node has."""

    def __init__(self, dims: Sequence[Dim]) -> None:
        self.dims = tuple(dims) or (Dim(1, (Axis(1),)),)  # one element has a dimension too
        self._parts: dict[Node, tuple[bool, ...]] = {}
        self._repeated: list[tuple[Array, Array, list[int]]] = []

    def part(self, node: Node) -> tuple[bool, ...]:
        """For each dimension: does the node have it?"""
        found = self._parts.get(node)
        if found is None:
            along = node.along()
            found = tuple([not along.isdisjoint(dim.axes) for dim in self.dims])
            self._parts[node] = found
        return found

    def gone(self, node: Sum) -> tuple[int, ...]:
        """The positions of the dimensions that a sum removes, except those that are folded later."""
        over = {axis.found() for axis in node.over}
        return tuple([place for place, dim in enumerate(self.dims) if dim.axes[-1] in over])

    def spread(self, array: Array, axes: Axes) -> Array:
        """A view of the array with the dimensions of the space, of size 1 along those that it does not have."""
        steps = PlacedArray(array, axes, large=False).steps()
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
        if prod(repeats) == 1:
            return view
        copy = np.tile(view, repeats)
        self._repeated.append((copy, view, repeats))
        return copy

    def refresh(self) -> None:
        """Let what `spread` had to copy have the values of now."""
        for copy, view, repeats in self._repeated:
            copy[...] = np.tile(view, repeats)

    def folded(self, total: Array) -> Array:
        """Completes a sum over merged rows: adds up the merged rows, and repeats the result for each of them."""
        fold = self.dims[-1].fold
        if fold == 1 or total.shape[-1] == 1:
            return total
        rows = total.reshape(*total.shape[:-1], fold, -1).sum(-2)
        return np.tile(rows, fold)


def space_of(
    nodes: Sequence[Node], targets: Iterable[tuple[Node, Array]], small: int, *, merge_short: bool = True
) -> Space:  # fmt: skip
    """The space of these nodes, outermost dimension first. Arrays of up to `small` elements do not decide the order.
    `merge_short`: may short rows that are summed up be merged into long ones? Else they may be put beside
    each other."""
    for node in nodes:
        if len(node.along()) != sum(axis is not None for axis in node.axes):
            raise Unwritable("an array meets itself with its axes in another order")
    placed = [PlacedArray(node.array, node.axes, node.array.size > small) for node in nodes if isinstance(node, Leaf)]
    placed += [PlacedArray(array, node.axes, large=True) for node, array in targets]
    sums = [node for node in nodes if isinstance(node, Sum)]
    known = dict.fromkeys(axis.found() for node in nodes for axis in node.axes if axis is not None)
    reach = {axis: sum(abs(each.steps().get(axis, 0)) for each in placed if each.large) for axis in known}
    updates = [node for node in nodes if isinstance(node, Updated)]
    dims: list[Dim] = []
    for axis in sorted(known, key=lambda axis: -reach[axis]):
        if dims and not updates and _mergeable(dims[-1].axes[-1], axis, placed, sums):
            dims[-1] = Dim(dims[-1].size * axis.size, (*dims[-1].axes, axis))
        else:
            dims.append(Dim(axis.size, (axis,)))
    if updates:
        return Space(dims)
    return Space(_folded(dims, placed, sums) if merge_short else _neighbours(dims, sums))


def _mergeable(outer: Axis, inner: Axis, placed: Sequence[PlacedArray], sums: Sequence[Sum]) -> bool:
    """Can the axes be merged? Each array must be contiguous across both, and each sum must go over both or neither."""
    for each in placed:
        steps = each.steps()
        if (outer in steps) != (inner in steps):
            return False
        if outer in steps and steps[outer] != steps[inner] * inner.size:
            return False
    return all(_summed(each, outer) == _summed(each, inner) for each in sums)


def _summed(node: Sum, axis: Axis) -> bool | None:
    """True if the sum goes over this axis, False if the axis stays, None if the summed value does not have it."""
    if axis not in node.value.along():
        return None
    return any(axis is each.found() for each in node.over)


def _neighbours(dims: list[Dim], sums: Sequence[Sum]) -> list[Dim]:
    """Puts the rows of a sum beside each other, if they are short and rows of another sum lie between them in memory.
    A block then adds several of them up at once."""
    if len(dims) < 3 or dims[-1].size >= SHORT:
        return dims
    gone = [all(_summed(each, dim.axes[-1]) is True for each in sums) for dim in dims]
    stays = all(_summed(each, dims[-2].axes[-1]) is False for each in sums)
    before = [place for place, summed in enumerate(gone[:-2]) if summed and dims[place].size > 1]
    if not sums or not gone[-1] or not stays or not before:
        return dims
    return [*dims[: before[-1]], *dims[before[-1] + 1 : -1], dims[before[-1]], dims[-1]]


def _folded(dims: list[Dim], placed: Sequence[PlacedArray], sums: Sequence[Sum]) -> list[Dim]:
    """Merges short rows that are summed up into long ones; `Space.folded` completes their sum."""
    if any(isinstance(each, Extreme) for each in sums):
        return dims
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
