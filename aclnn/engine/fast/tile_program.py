"""From the nodes of an expression to a list of numpy calls over registers, which runs once for each tile."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Scratch
from aclnn.engine.fast.expressions import (
    FLOAT,
    Axis,
    Cast,
    Extreme,
    Leaf,
    Node,
    Reshaped,
    Sum,
    UfuncCall,
    Updated,
    Where,
    walk,
)
from aclnn.engine.fast.moves import in_place, load, round_to, store
from aclnn.engine.fast.registers import Register, assign
from aclnn.engine.fast.space import Space
from aclnn.engine.fast.sums import column_dot, columns, dot, row_sums

Tile: TypeAlias = tuple[slice, ...]
INTEGER: Final = np.dtype(np.int32)
ONE: Final = slice(0, 1)


class Frame:
    """A tile while its program runs: the registers, and the memory that they have."""

    __slots__ = ("_arrays", "_shapes", "known", "scratch", "sums", "tile", "values", "within")

    def __init__(self, scratch: Scratch, known: dict[Sum, Array]) -> None:
        self.scratch = scratch
        self.known = known
        """sums that are done, over the unit"""
        self.tile: Tile = ()
        self.within: Tile = ()
        """the tile's place in the unit"""
        self.values: dict[Node, Array] = {}
        """the registers"""
        self.sums: dict[Sum, Array] = {}
        """what this tile adds to sums"""
        self._shapes: tuple[int, ...] = ()
        self._arrays: dict[Node, Array] = {}

    def move(self, tile: Tile, within: Tile) -> None:
        """The next tile: most are of the same shape."""
        shape = tuple([each.stop - each.start for each in tile])
        if shape != self._shapes:
            self._shapes, self._arrays = shape, {}
        self.tile, self.within = tile, within
        self.sums.clear()

    def register(self, node: Node, name: Register, part: tuple[bool, ...]) -> Array:
        """Where the elements of a node go."""
        found = self._arrays.get(node)
        if found is None:
            shape = tuple([size if has else 1 for has, size in zip(part, self._shapes, strict=True)])
            found = self._arrays[node] = self.scratch(name, shape, node.dtype)
        return found


Step: TypeAlias = Callable[[Frame], None]


@dataclass
class StoredNode:
    """A node that goes to memory: `view` has the dimensions of the space."""

    node: Node
    view: Array
    shared: bool
    """does the memory hold what is still to be read?"""


class Mask(Node):
    """A condition as int32: all bits set where it holds, or where it does not."""

    __slots__ = ("condition", "holds")

    def __init__(self, condition: Node, *, holds: bool) -> None:
        super().__init__(condition.shape, condition.axes, INTEGER, sums=condition.sums)
        self.condition, self.holds = condition, holds

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.condition,)


class TileProgram:
    """The steps that compute sums and goals of a tile. `done` are sums that are known by then; other sums below are
    computed from the tile alone, which then holds all that they go over."""

    def __init__(
        self, space: Space, views: dict[Leaf, Array], sums: Sequence[Sum], goals: Sequence[StoredNode], done: set[Sum]
    ) -> None:
        self._space, self._views, self._done = space, views, done
        self.sums = frozenset(sums)
        self._masks: dict[tuple[Node, bool], Mask] = {}
        roots: list[Node] = [*sums, *(goal.node for goal in goals)]
        self._readers = Counter([*roots, *(source for node in walk(roots) for source in node.sources)])
        order = list(walk(roots, self._sources))
        self._uses = Counter([*roots, *(source for node in order for source in self._sources(node))])
        self.loops = tuple(map(any, zip(*(space.part(node) for node in order), strict=True)))
        """the dimensions that it goes over"""
        self._directly: dict[Node, Array] = {}
        for goal in goals:
            self._aim(goal)
        self._homes = assign(order, [goal.node for goal in goals], space, self._sources, self._holder)
        self.width = sum(size for size, _ in {home for node, home in self._homes.items() if all(space.part(node))})
        """bytes of all registers for an element of a tile"""
        self.steps: list[Step] = [step for node in order if (step := self._step(node)) is not None]
        stored = Counter(self._holder(goal.node) for goal in goals)
        for goal in goals:
            if self._directly.get(goal.node) is not goal.view:
                holder = self._holder(goal.node)
                self.steps.append(_storing(goal, spare=holder is not None and stored[holder] == 1))

    def run(self, frame: Frame, tile: Tile, within: Tile) -> None:
        """Compute one tile, which lies there in the unit."""
        frame.move(tile, within)
        for step in self.steps:
            step(frame)

    def _sources(self, node: Node) -> tuple[Node, ...]:
        if isinstance(node, Sum):
            if node in self._done:
                return ()
            return self._factors(node) or (node.value,)
        if isinstance(node, Where) and _by_bits(node):
            return (self._mask(node), *node.sources[1:])
        return node.sources

    def _mask(self, node: Where) -> Mask:
        """The bits that its choice is made by: those that leave zero where zero is to be chosen."""
        key = node.condition, not isinstance(node.choices[1], Node) and not node.choices[1]
        if key not in self._masks:
            self._masks[key] = Mask(node.condition, holds=key[1])
        return self._masks[key]

    def _factors(self, node: Sum) -> tuple[Node, Node] | None:
        """a and b if it is the sum of a * b, which is computed without the product."""
        value, last = node.value, len(self._space.dims) - 1
        product = isinstance(value, UfuncCall) and value.ufunc is np.multiply and len(value.sources) == 2
        if isinstance(node, Extreme) or not product:
            return None
        a, b = value.sources
        rows = last in self._space.gone(node)
        parts = [self._space.part(each) for each in (a, b)]
        alike = parts[0][last] and parts[1][last] if rows else parts[0] == parts[1]
        return (a, b) if alike and a.dtype == b.dtype == FLOAT and self._readers[value] == 1 else None

    def _aim(self, goal: StoredNode) -> None:
        """Let the last operation of a goal write to the memory itself, where that is right and not slower."""
        node: Node = goal.node
        contiguous = goal.view.shape[-1] == 1 or goal.view.strides[-1] == goal.view.itemsize
        if goal.node in self._directly or goal.shared or not contiguous or goal.view.dtype != node.dtype:
            return
        path = [node]
        while isinstance(node, Updated | Reshaped) and self._uses[node.value] == 1:
            node = node.value
            path.append(node)
        part = self._space.part(goal.node)
        while isinstance(node, UfuncCall | Where) and self._space.part(node) == part:
            self._directly.update(dict.fromkeys(path, goal.view))
            if isinstance(node, Where):
                break
            # what it is computed from, element by element, may be in its place until then: the cache holds it anyway
            path = [each for each in node.sources if self._uses[each] == 1 and each.dtype == goal.view.dtype]
            path = [each for each in path if isinstance(each, UfuncCall) and self._space.part(each) == part][:1]
            if not path:
                break
            node = path[0]

    def _holder(self, node: Node) -> Node | None:
        """Whose scratch memory a node is in: its own, that of a source, or None for none."""
        if node in self._directly or isinstance(node, Sum):
            return None
        if isinstance(node, Reshaped) or (isinstance(node, Updated) and self._may_change(node.value)):
            return self._holder(node.value)
        if isinstance(node, Leaf) and in_place(self._views[node]):
            return None
        return node

    def _may_change(self, value: Node) -> bool:
        return self._uses[value] == 1 and isinstance(value, UfuncCall | Where | Cast | Updated)

    # one step for each node

    def _step(self, node: Node) -> Step | None:
        part = self._space.part(node)
        if isinstance(node, Leaf):
            return self._loading(node, part)
        if isinstance(node, Sum):
            return self._summing(node, part)
        if isinstance(node, Reshaped):
            return _same(node, node.value)
        if isinstance(node, Updated):
            return self._updating(node, part)
        target = self._target(node, part)
        if isinstance(node, UfuncCall):
            return _calling(node, target)
        if isinstance(node, Mask):
            return _masking(node, target)
        if isinstance(node, Where):
            if _by_bits(node):
                return _choosing_bits(node, self._mask(node), target, self._space.part)
            return _choosing(node, target)
        assert isinstance(node, Cast)
        value, to = node.value, node.to

        def cast(frame: Frame) -> None:
            frame.values[node] = out = target(frame)
            round_to(frame.values[value], to, out, frame.scratch)

        return cast

    def _target(self, node: Node, part: tuple[bool, ...]) -> Callable[[Frame], Array]:
        """Where the elements of a node go."""
        view = self._directly.get(node)
        if view is not None:
            return lambda frame: view[_within(part, frame.tile)]
        name = self._homes[node]
        return lambda frame: frame.register(node, name, part)

    def _loading(self, node: Leaf, part: tuple[bool, ...]) -> Step:
        view = self._views[node]
        if node not in self._homes:

            def refer(frame: Frame) -> None:
                frame.values[node] = view[_within(part, frame.tile)]

            return refer
        target = self._target(node, part)

        def fetch(frame: Frame) -> None:
            frame.values[node] = out = target(frame)
            load(view[_within(part, frame.tile)], out, frame.scratch)

        return fetch

    def _summing(self, node: Sum, part: tuple[bool, ...]) -> Step:
        if node in self._done:

            def recall(frame: Frame) -> None:
                frame.values[node] = frame.known[node][_within(part, frame.within)]

            return recall
        over = self._space.gone(node)
        factors = self._factors(node)
        absent = [place for place, has in enumerate(self._space.part(node.value)) if not has]
        wanted, rows = node in self.sums, len(self._space.dims) - 1 in over

        def add(frame: Frame) -> None:
            if isinstance(node, Extreme):
                total = node.ufunc.reduce(frame.values[node.value], axis=over, keepdims=True)
            elif factors is not None:
                total = (dot if rows else column_dot)(frame.values[factors[0]], frame.values[factors[1]], over)
            elif rows:
                total = row_sums(frame.values[node.value], over)
            else:
                total = columns(frame.values[node.value], over)
            if not wanted:
                frame.values[node] = self._space.folded(total)
            elif not any(frame.within[place].start for place in absent):  # else another tile counted it
                frame.sums[node] = total

        return add

    def _updating(self, node: Updated, part: tuple[bool, ...]) -> Step:
        places = [_place(axis, self._space) for axis in node.axes]
        order = range(len(self._space.dims)) if places[0] <= places[1] else range(len(self._space.dims) - 1, -1, -1)
        target = None if self._may_change(node.value) else self._target(node, part)

        def update(frame: Frame) -> None:
            values = frame.values[node.value]
            if target is not None:
                copy = target(frame)
                np.copyto(copy, values)
                values = copy
            frame.values[node] = values
            rows, columns = (frame.tile[place] if place >= 0 else slice(0, 1) for place in places)
            low, high = np.searchsorted(node.rows, [rows.start, rows.stop])
            found = node.columns[low:high]
            inside = np.flatnonzero((found >= columns.start) & (found < columns.stop))
            if inside.size:
                matrix = np.transpose(values, order).reshape(rows.stop - rows.start, columns.stop - columns.start)
                at = node.rows[low:high][inside] - rows.start, found[inside] - columns.start
                matrix[at] = node.ufunc(matrix[at], node.by[low:high][inside])

        return update


def _within(part: tuple[bool, ...], tile: Tile) -> Tile:
    """Where a tile lies in an array that has one element along the dimensions that it has no part in."""
    return tile if False not in part else tuple([each if has else ONE for has, each in zip(part, tile, strict=True)])


def _place(axis: Axis | None, space: Space) -> int:
    """The dimension of an axis; -1 for one of a single element."""
    if axis is None:
        return -1
    return next(place for place, dim in enumerate(space.dims) if axis.found() in dim.axes)


def _by_bits(node: Where) -> bool:
    """Can the choice be made by the bits of 32-bit values, without a branch that would be guessed wrong?"""
    return node.dtype == FLOAT and all(each.dtype == FLOAT for each in node.choices if isinstance(each, Node))


def _storing(goal: StoredNode, *, spare: bool) -> Step:
    def put(frame: Frame) -> None:
        tile = [each if size > 1 else ONE for size, each in zip(goal.view.shape, frame.tile, strict=True)]
        store(frame.values[goal.node], goal.view[tuple(tile)], frame.scratch, spare=spare)

    return put


def _same(node: Node, value: Node) -> Step:
    def rename(frame: Frame) -> None:
        frame.values[node] = frame.values[value]

    return rename


def _calling(node: UfuncCall, target: Callable[[Frame], Array]) -> Step:
    ufunc, arguments = node.ufunc, node.arguments

    def call(frame: Frame) -> None:
        values = frame.values
        given = [values[each] if isinstance(each, Node) else each for each in arguments]
        values[node] = ufunc(*given, out=target(frame))

    return call


def _masking(node: Mask, target: Callable[[Frame], Array]) -> Step:
    def mask(frame: Frame) -> None:
        frame.values[node] = out = target(frame)
        condition = frame.values[node.condition]
        narrow = frame.scratch("mask", condition.shape, np.int8)  # a quarter of the bytes until the sign is extended
        if node.holds:
            np.negative(condition.view(np.int8), out=narrow)
        else:
            np.subtract(condition.view(np.int8), 1, out=narrow)
        np.copyto(out, narrow)

    return mask


def _choosing_bits(
    node: Where, mask: Mask, target: Callable[[Frame], Array], part: Callable[[Node], tuple[bool, ...]]
) -> Step:  # fmt: skip
    """`((a ^ b) & mask) ^ b`, as a choice by the condition costs ten times as much where that is random."""
    a, b = (each if isinstance(each, Node) else np.float32(each).view(np.int32) for each in node.choices)
    kept, other = (a, b) if mask.holds else (b, a)
    zero = not isinstance(other, Node) and not other
    small = not any(isinstance(each, Node) and False not in part(each) for each in (a, b))

    def bits(frame: Frame, of: Any) -> Any:
        return frame.values[of].view(np.int32) if isinstance(of, Node) else of

    def choose(frame: Frame) -> None:
        frame.values[node] = out = target(frame)
        chosen, where = out.view(np.int32), frame.values[mask]
        if zero:
            np.bitwise_and(bits(frame, kept), where, out=chosen)
        elif small:
            np.bitwise_and(bits(frame, kept) ^ bits(frame, other), where, out=chosen)
            np.bitwise_xor(chosen, bits(frame, other), out=chosen)
        else:
            np.bitwise_xor(bits(frame, kept), bits(frame, other), out=chosen)
            np.bitwise_and(chosen, where, out=chosen)
            np.bitwise_xor(chosen, bits(frame, other), out=chosen)

    return choose


def _choosing(node: Where, target: Callable[[Frame], Array]) -> Step:
    condition, (a, b) = node.condition, node.choices

    def choose(frame: Frame) -> None:
        frame.values[node] = out = target(frame)
        np.copyto(out, frame.values[b] if isinstance(b, Node) else b)
        np.copyto(out, frame.values[a] if isinstance(a, Node) else a, where=frame.values[condition])

    return choose
