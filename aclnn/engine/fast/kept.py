"""The traces and plans that a launch keeps for the next one at the same addresses.

Tracing the kernels of a launch and planning their evaluation takes several hundred microseconds, which is more than the
arithmetic of a medium tensor. A launch in a loop needs both only once:

- A trace that does not follow from elements follows from the addresses alone. It is kept as it is, with its evaluation.
  Checks of positions and looks at elements (`looks`) run again each time.
- Some kernels read elements, such as positions, and compute with them at once. These are traced each time, and the
  arrays that they made are values of this run. If the trace has the same structure as an earlier one, the new values
  are copied into the arrays of that one, and its evaluation runs.

One run at a time uses what is kept. Another thread that launches at the same addresses meanwhile traces for itself.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias, cast

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.device_view import DeviceView
from aclnn.engine.fast.evaluate import Evaluation, Target
from aclnn.engine.fast.expressions import (
    Axis,
    Cast,
    IndexedUpdate,
    Leaf,
    Node,
    ProcedureCall,
    Reshaped,
    Sum,
    UfuncCall,
    Where,
    walk,
)

Action: TypeAlias = Callable[[Workers], object]
MOST: Final = 4
"""evaluations of traces that read elements"""
LARGEST: Final = 1 << 20
"""elements of the values that such an evaluation keeps; more are not worth a copy"""


class Trace(NamedTuple):
    """A trace that does not follow from elements."""

    before: list[Action]
    """what is done before the evaluation, in order: steps that only look at elements, looks of formulas, intermediates
    that have to be in memory"""
    evaluation: Evaluation
    opened: list[tuple[DeviceView, Array]]
    """the memory that it is about"""

    def holds(self, open_: Callable[[DeviceView], Array | None]) -> bool:
        """Is the memory still the same? Opening it is what a run does in any case."""
        for access, array in self.opened:
            piece = access.piece  # as in `DeviceView.find`, without its call
            found = piece.views.get(access) if piece is not None and piece.plain else None
            if found is not array and open_(access) is not array:
                return False
        return True

    def run(self, workers: Workers) -> DeviceFault | None:
        """Compute it again; returns the first fault of a step that only looks at elements."""
        fault: DeviceFault | None = None
        for act in self.before:
            try:
                act(workers)
            except DeviceFault as found:
                fault = fault or found
        self.evaluation.run(workers)
        return fault


class Kept:
    """The memory of a launch at some addresses."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.plain = False
        """whether the steps have to run as they are written"""
        self.trace: Trace | None = None
        """It saves three quarters of a call on a million elements (`python -m tests.benchmarks.caches`)."""
        self.ways: dict[int, int] = {}
        """of each step, the first way to call its kernel that may succeed"""
        self._evaluations: dict[Hashable, tuple[Evaluation, list[Array]]] = {}

    def evaluation(self, targets: Sequence[Target], memory: Sequence[Array]) -> Evaluation:
        """The evaluation of targets whose trace read elements. `memory` are the arrays of the device. That it is kept
        saves a third of a step of an optimiser on a million elements (`python -m tests.benchmarks.caches`)."""
        structure = _Structure(targets, memory)
        if structure.key is None:
            return Evaluation(targets)
        found = self._evaluations.get(structure.key)
        if found is None:
            if len(self._evaluations) >= MOST:
                self._evaluations.clear()
            values = structure.own()
            found = self._evaluations[structure.key] = Evaluation(targets), values
        else:
            for mine, new in zip(found[1], structure.values, strict=True):
                np.copyto(mine, new)
        return found[0]


class _Structure:
    """The structure of a graph: two graphs with the same key differ only in their values."""

    def __init__(self, targets: Sequence[Target], memory: Sequence[Array]) -> None:
        self._memory = {id(array) for array in memory}
        self._numbers: dict[Node, int] = {}
        self._axes: dict[Axis, int] = {}
        self._holders: list[tuple[Any, str]] = []
        self.values: list[Array] = []
        """the arrays that the kernels made in this run"""
        rows: list[Hashable] = []
        for node in walk(node for node, _ in targets):
            rows.append((type(node), node.shape, *self._along(node.axes), *self._about(node)))
            self._numbers[node] = len(self._numbers)
        rows += [(self._numbers[node], *_place(array)) for node, array in targets]
        few = sum(each.size for each in self.values) <= LARGEST
        self.key = tuple(rows) if few and not any(isinstance(node, ProcedureCall) for node in self._numbers) else None

    def own(self) -> list[Array]:
        """Let the graph have arrays of its own for the values: these are returned, and may be changed."""
        copies = [np.array(array) for array in self.values]
        for (node, name), copy in zip(self._holders, copies, strict=True):
            setattr(node, name, copy)
        return copies

    def _along(self, axes: tuple[Axis | None, ...]) -> Iterator[int]:
        for axis in axes:
            yield -1 if axis is None else self._axes.setdefault(axis.root(), len(self._axes))

    def _about(self, node: Node) -> Iterator[Hashable]:
        """All that the key needs to know of the node, besides its class and shape."""
        if isinstance(node, Leaf):
            if id(node.array) in self._memory:
                yield from _place(node.array)
            else:
                yield self._value(node, "array")
        elif isinstance(node, UfuncCall):
            yield node.ufunc
            yield from map(self._argument, node.arguments)
        elif isinstance(node, Where):
            yield from map(self._argument, (node.condition, *node.choices))
        elif isinstance(node, Cast):
            yield from (self._numbers[node.value], node.to)
        elif isinstance(node, Sum):
            yield from (node.ufunc, self._numbers[node.value])
            yield from self._along(node.reduced_axes)
        elif isinstance(node, Reshaped):
            yield self._numbers[node.value]
        elif isinstance(node, IndexedUpdate):
            yield from (node.ufunc, self._numbers[node.value])
            yield from [self._value(node, name) for name in ("rows", "columns", "deltas")]

    def _value(self, node: Node, name: str) -> Hashable:
        array: Array = getattr(node, name)
        self._holders.append((node, name))
        self.values.append(array)
        return array.shape, array.dtype

    def _argument(self, value: Any) -> Hashable:
        if isinstance(value, Node):
            return self._numbers[value]
        number = cast("np.generic | float", value)
        return str(type(number)), number.tobytes() if isinstance(number, np.generic) else repr(number)


def _place(array: Array) -> tuple[Hashable, ...]:
    return array.ctypes.data, array.shape, array.strides, array.dtype
