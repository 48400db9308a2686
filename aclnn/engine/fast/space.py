"""Orders the dimensions of an expression by memory, and merges neighbours that are contiguous in every array."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from numpy.lib.stride_tricks import as_strided

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import Axes, Axis, Leaf, Node, Sum, Unwritable, Updated

SHORT = 1024
"""elements: several shorter rows of a sum are worth to be put beside each other"""


@dataclass(frozen=True)
class Dim:
    """A dimension of the space."""

    size: int
    axes: tuple[Axis, ...]
    """outer to inner"""


@dataclass
class StoredNode:
    """A node that goes to memory: `view` has the dimensions of the space."""

    node: Node
    view: Array
    shared: bool
    """whether the memory has elements that are still to be read"""


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

    def part(self, node: Node) -> tuple[bool, ...]:
        """For each dimension: does the node have it?"""
        found = self._parts.get(node)
        if found is None:
            along = node.along()
            found = tuple([not along.isdisjoint(dim.axes) for dim in self.dims])
            self._parts[node] = found
        return found

    def gone(self, node: Sum) -> tuple[int, ...]:
        """The positions of the dimensions that a sum removes."""
        over = {axis.found() for axis in node.over}
        return tuple([place for place, dim in enumerate(self.dims) if dim.axes[-1] in over])

    def spread(self, array: Array, axes: Axes) -> Array:
        """A view of the array with the dimensions of the space, of size 1 along those that it does not have."""
        steps = PlacedArray(array, axes, large=False).steps()
        shape, strides = [1] * len(self.dims), [0] * len(self.dims)
        for place, dim in enumerate(self.dims):
            present = [axis for axis in dim.axes if axis in steps]
            if present:
                shape[place], strides[place] = dim.size, steps[present[-1]]
        return as_strided(array, shape, strides)


def space_of(nodes: Sequence[Node], targets: Iterable[tuple[Node, Array]], small: int) -> Space:
    """The space of these nodes, outermost dimension first. Arrays of up to `small` elements do not decide the order."""
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
    return Space(dims if updates else _neighbours(dims, sums))


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
