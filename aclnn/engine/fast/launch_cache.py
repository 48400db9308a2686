"""The cache of a launch: traces and evaluations for the next launch at the same addresses.

Tracing the kernels of a launch and planning their evaluation takes several hundred microseconds, which is more than the
arithmetic of a medium tensor. A launch in a loop needs both only once:

- A trace that depends on no tensor value depends on the addresses only. It is cached with its evaluation. Checks of
  positions, and eager inputs (`eager_inputs`), run again each time.
- Some kernels read tensor values, such as positions, and compute with them while they are traced. These kernels are
  traced each time, and the arrays that they make are values of this run. If a trace has the same structure as an
  earlier one, the new values are copied into the arrays of the earlier one, and its evaluation runs.

One run at a time uses the cache. Another thread that launches at the same addresses meanwhile traces for itself.
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

TraceAction: TypeAlias = Callable[[Workers], object]
MAX_EVALUATIONS: Final = 4
"""the most cached evaluations of traces that depend on values"""
MAX_COPIED_ELEMENTS: Final = 1 << 20
"""the most elements of the values of a cached evaluation; copying more takes longer than computing them"""


class Trace(NamedTuple):
    """A trace that depends on no tensor value."""

    before: list[TraceAction]
    """actions before the evaluation, in order: checks, eager calls, and writes of intermediates to memory"""
    evaluation: Evaluation
    opened: list[tuple[DeviceView, Array]]
    """memory that the trace uses"""

    def is_valid(self, open_memory: Callable[[DeviceView], Array | None]) -> bool:
        """True if the memory is still the same. A run opens its memory in any case."""
        for view, array in self.opened:
            piece = view.piece  # like `DeviceView.find`, without its call
            current = piece.views.get(view) if piece is not None and piece.plain else None
            if current is not array and open_memory(view) is not array:
                return False
        return True

    def run(self, workers: Workers) -> DeviceFault | None:
        """Compute the trace again. Returns the first fault of a check."""
        first_fault: DeviceFault | None = None
        for act in self.before:
            try:
                act(workers)
            except DeviceFault as fault:
                first_fault = first_fault or fault
        self.evaluation.run(workers)
        return first_fault


class LaunchCache:
    """The cache of a launch at some addresses."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.runs_as_written = False
        """true if the steps run without the fast engine"""
        self.trace: Trace | None = None
        """cached trace; saves three quarters of a call on a million elements (`python -m tests.benchmarks.caches`)"""
        self.first_ways: dict[int, int] = {}
        """number of the way that is tried first, by step, see `StepTracer`"""
        self._evaluations: dict[Hashable, tuple[Evaluation, list[Array]]] = {}

    def evaluation(self, targets: Sequence[Target], memory: Sequence[Array]) -> Evaluation:
        """The evaluation of a trace that depends on values. `memory` are the arrays over device memory.

        The cache saves a third of an optimiser step on a million elements (`python -m tests.benchmarks.caches`)."""
        structure = _Structure(targets, memory)
        if structure.key is None:
            return Evaluation(targets)
        cached = self._evaluations.get(structure.key)
        if cached is not None:
            evaluation, values = cached
            for value, new in zip(values, structure.values, strict=True):
                np.copyto(value, new)
            return evaluation
        if len(self._evaluations) >= MAX_EVALUATIONS:
            self._evaluations.clear()
        values = structure.copy_values()
        evaluation = Evaluation(targets)
        self._evaluations[structure.key] = evaluation, values
        return evaluation


class _Structure:
    """The structure of a graph. Two graphs with the same key differ only in their values."""

    def __init__(self, targets: Sequence[Target], memory: Sequence[Array]) -> None:
        self._memory = {id(array) for array in memory}
        self._numbers: dict[Node, int] = {}
        self._axes: dict[Axis, int] = {}
        self._attributes: list[tuple[Any, str]] = []
        """node and attribute of each value"""
        self.values: list[Array] = []
        """arrays that the kernels made in this run"""
        rows: list[Hashable] = []
        for node in walk(node for node, _ in targets):
            rows.append((type(node), node.shape, *self._axis_numbers(node.axes), *self._details(node)))
            self._numbers[node] = len(self._numbers)
        rows += [(self._numbers[node], *_layout(array)) for node, array in targets]
        small = sum(value.size for value in self.values) <= MAX_COPIED_ELEMENTS
        has_procedure = any(isinstance(node, ProcedureCall) for node in self._numbers)
        self.key = tuple(rows) if small and not has_procedure else None
        """key of the graph; None if its evaluation is not cached"""

    def copy_values(self) -> list[Array]:
        """Give the graph copies of the values. Returns the copies, which later runs overwrite."""
        copies = [np.array(array) for array in self.values]
        for (node, attribute), copy in zip(self._attributes, copies, strict=True):
            setattr(node, attribute, copy)
        return copies

    def _axis_numbers(self, axes: tuple[Axis | None, ...]) -> Iterator[int]:
        for axis in axes:
            yield -1 if axis is None else self._axes.setdefault(axis.root(), len(self._axes))

    def _details(self, node: Node) -> Iterator[Hashable]:
        """The parts of the key for a node, besides its class, shape and axes."""
        if isinstance(node, Leaf):
            if id(node.array) in self._memory:
                yield from _layout(node.array)
            else:
                yield self._value(node, "array")
        elif isinstance(node, UfuncCall):
            yield node.ufunc
            yield from map(self._operand, node.arguments)
        elif isinstance(node, Where):
            yield from map(self._operand, (node.condition, *node.choices))
        elif isinstance(node, Cast):
            yield from (self._numbers[node.value], node.to)
        elif isinstance(node, Sum):
            yield from (node.ufunc, self._numbers[node.value])
            yield from self._axis_numbers(node.reduced_axes)
        elif isinstance(node, Reshaped):
            yield self._numbers[node.value]
        elif isinstance(node, IndexedUpdate):
            yield from (node.ufunc, self._numbers[node.value])
            yield from [self._value(node, attribute) for attribute in ("rows", "columns", "deltas")]

    def _value(self, node: Node, attribute: str) -> Hashable:
        """Record a value. Its part of the key has only its shape and data type."""
        array: Array = getattr(node, attribute)
        self._attributes.append((node, attribute))
        self.values.append(array)
        return array.shape, array.dtype

    def _operand(self, operand: Any) -> Hashable:
        if isinstance(operand, Node):
            return self._numbers[operand]
        number = cast("np.generic | float", operand)
        return str(type(number)), number.tobytes() if isinstance(number, np.generic) else repr(number)


def _layout(array: Array) -> tuple[Hashable, ...]:
    return array.ctypes.data, array.shape, array.strides, array.dtype
