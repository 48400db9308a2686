"""The iteration space of an expression: its dimensions in the order of memory. Neighbours that are contiguous in every
array are merged into one dimension."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from numpy.lib.stride_tricks import as_strided

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import Axes, Axis, ExpressionNode, IndexedUpdate, Leaf, NotInFastEngine, Sum

SHORT_ROW: Final = 1024
"""elements of a row; a block contains several shorter rows of a sum"""


@dataclass(frozen=True)
class Dim:
    """A dimension of the space."""

    size: int
    axes: tuple[Axis, ...]
    """merged axes, from outer to inner"""


@dataclass
class StoredNode:
    """A node that is stored. `view` is its memory, with the dimensions of the space."""

    node: ExpressionNode
    view: Array
    shared: bool
    """true if the expression also reads this memory"""


class PlacedArray(NamedTuple):
    """An array and its axes in the expression. Only the strides of `large` arrays affect the order of dimensions."""

    array: Array
    axes: Axes
    large: bool

    def strides(self) -> dict[Axis, int]:
        """The stride of each axis in bytes."""
        pairs = zip(self.axes, self.array.strides, strict=True)
        return {axis.root(): stride for axis, stride in pairs if axis is not None}


class Space:
    """The dimensions in which the nodes of an expression are computed, and their presence in each node."""

    def __init__(self, dims: Sequence[Dim]) -> None:
        self.dims = tuple(dims) or (Dim(1, (Axis(1),)),)  # a single element also has a dimension
        self._presence: dict[ExpressionNode, tuple[bool, ...]] = {}

    def presence(self, node: ExpressionNode) -> tuple[bool, ...]:
        """A flag for each dimension, true if the node has the dimension."""
        flags = self._presence.get(node)
        if flags is None:
            axes = node.axis_set()
            flags = self._presence[node] = tuple([not axes.isdisjoint(dim.axes) for dim in self.dims])
        return flags

    def reduced_dims(self, node: Sum) -> tuple[int, ...]:
        """The numbers of the dimensions that a sum removes."""
        reduced = {axis.root() for axis in node.reduced_axes}
        return tuple([number for number, dim in enumerate(self.dims) if dim.axes[-1] in reduced])

    def has_units(self, node: ExpressionNode, array: Array, sums: Sequence[Sum]) -> bool:
        """True if the sums reduce the last dimension, and the node has exactly the dimensions that they keep. The array
        is its memory, which must be contiguous across merged axes."""
        reduced = {self.reduced_dims(each) for each in sums}
        if len(reduced) != 1 or self.dims[-1].size == 1:
            return False
        kept_dims = tuple(number not in next(iter(reduced)) for number in range(len(self.dims)))
        strides = PlacedArray(array, node.axes, large=False).strides()
        merged = [pair for dim in self.dims for pair in pairwise(axis for axis in dim.axes if axis in strides)]
        contiguous = all(strides[outer] == strides[inner] * inner.size for outer, inner in merged)
        return not kept_dims[-1] and kept_dims == self.presence(node) and contiguous

    def view(self, array: Array, axes: Axes) -> Array:
        """A view of the array with the dimensions of the space. Dimensions that the array does not have get size 1."""
        strides_by_axis = PlacedArray(array, axes, large=False).strides()
        shape, strides = [1] * len(self.dims), [0] * len(self.dims)
        for number, dim in enumerate(self.dims):
            present = [axis for axis in dim.axes if axis in strides_by_axis]
            if present:
                shape[number], strides[number] = dim.size, strides_by_axis[present[-1]]
        return as_strided(array, shape, strides)


def space_of(nodes: Sequence[ExpressionNode], targets: Iterable[tuple[ExpressionNode, Array]], small: int) -> Space:
    """The iteration space of the nodes, outermost dimension first. Arrays of up to `small` elements do not affect the
    order."""
    for node in nodes:
        if len(node.axis_set()) != sum(axis is not None for axis in node.axes):
            raise NotInFastEngine("an array and its transpose in one expression")
    placed = [PlacedArray(node.array, node.axes, node.array.size > small) for node in nodes if isinstance(node, Leaf)]
    placed += [PlacedArray(array, node.axes, large=True) for node, array in targets]
    sums = [node for node in nodes if isinstance(node, Sum)]
    axes = dict.fromkeys(axis.root() for node in nodes for axis in node.axes if axis is not None)
    distance = {axis: sum(abs(array.strides().get(axis, 0)) for array in placed if array.large) for axis in axes}
    updates = [node for node in nodes if isinstance(node, IndexedUpdate)]
    dims: list[Dim] = []
    for axis in sorted(axes, key=lambda axis: -distance[axis]):
        if dims and not updates and _mergeable(dims[-1].axes[-1], axis, placed, sums):
            dims[-1] = Dim(dims[-1].size * axis.size, (*dims[-1].axes, axis))
        else:
            dims.append(Dim(axis.size, (axis,)))
    return Space(dims if updates else _with_adjacent_rows(dims, sums))


def _mergeable(outer: Axis, inner: Axis, placed: Sequence[PlacedArray], sums: Sequence[Sum]) -> bool:
    """True if the axes can be merged: each array is contiguous across both, and no sum reduces only one of them."""
    for array in placed:
        strides = array.strides()
        if (outer in strides) != (inner in strides):
            return False
        if outer in strides and strides[outer] != strides[inner] * inner.size:
            return False
    return all(_is_reduced(node, outer) == _is_reduced(node, inner) for node in sums)


def _is_reduced(node: Sum, axis: Axis) -> bool | None:
    """True if the sum reduces the axis, False if it keeps the axis, None if the summed value lacks the axis."""
    if axis not in node.value.axis_set():
        return None
    return any(axis is dim.root() for dim in node.reduced_axes)


def _with_adjacent_rows(dims: list[Dim], sums: Sequence[Sum]) -> list[Dim]:
    """The dimensions in an order in which rows of one sum are adjacent, so that a block adds up several rows at once.

    This is faster if the rows are short and rows of another sum lie between them in memory."""
    if len(dims) < 3 or dims[-1].size >= SHORT_ROW:
        return dims
    reduced = [all(_is_reduced(node, dim.axes[-1]) is True for node in sums) for dim in dims]
    separated = all(_is_reduced(node, dims[-2].axes[-1]) is False for node in sums)
    outer = [number for number, is_reduced in enumerate(reduced[:-2]) if is_reduced and dims[number].size > 1]
    if not sums or not reduced[-1] or not separated or not outer:
        return dims
    return [*dims[: outer[-1]], *dims[outer[-1] + 1 : -1], dims[outer[-1]], dims[-1]]
