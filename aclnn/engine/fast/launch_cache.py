"""The cache of a launch: traces and evaluations for the next launch at the same addresses.

Tracing the kernels of a launch and planning their evaluation takes several hundred microseconds, longer than the
arithmetic of a medium tensor. In a loop both are done only once:

- A trace that depends on no tensor value depends on the addresses only. It is cached with its evaluation. Each run
  repeats the checks of positions and the eager inputs (`eager_inputs`).
- Some kernels read tensor values, such as positions, and compute arrays and numbers from them while they are traced.
  These kernels are traced in each run. If an earlier trace has the same structure, its evaluation runs again, after the
  new arrays and numbers are copied into it.
- Launches that differ only in scalars, such as the steps of an optimiser, share a trace. Its scalars are arrays of one
  element, which each run fills (`ScalarInput`). If a formula looks at a scalar, each launch is traced, and reuses an
  evaluation.

One run at a time uses the cache. A run in another thread at the same time makes its own trace.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from threading import Lock
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.device_view import Bound, DeviceView
from aclnn.engine.fast.evaluate import Evaluation, Target
from aclnn.engine.fast.expressions import (
    Axis,
    Cast,
    Cell,
    ExpressionNode,
    IndexedUpdate,
    Leaf,
    ProcedureCall,
    Reshaped,
    Sum,
    UfuncCall,
    Where,
    loop_dtypes,
    walk,
)
from aclnn.engine.numbers.rounding import store

TraceAction: TypeAlias = Callable[[Workers], object]
MAX_EVALUATIONS: Final = 4
"""the most cached evaluations of traces that depend on values"""
MAX_COPIED_ELEMENTS: Final = 1 << 20
"""the most elements that a cached evaluation copies; copying more would take longer than the cache saves"""


class ScalarInput(NamedTuple):
    """A scalar of the call that a trace reads from an array of one element."""

    array: Array
    step: int
    """number of the step"""
    attribute: str | None
    """name of the step's attribute. None: the array has the result of the step, which reads no tensor"""

    def fill(self, steps: Sequence[Bound]) -> None:
        """Put in the value of a launch with these steps."""
        step = steps[self.step]
        value = step.kernel(**step.attributes) if self.attribute is None else step.attributes[self.attribute]
        store(np.asarray(value), self.array)


class Trace(NamedTuple):
    """A trace that depends on no tensor value."""

    before: list[TraceAction]
    """actions before the evaluation, in order: checks, eager calls, and writes of intermediates to memory"""
    evaluation: "Evaluation | FilledEvaluation"
    opened: list[tuple[DeviceView, Array]]
    """memory that the trace uses"""
    scalars: Sequence[ScalarInput] = ()
    """the scalars of the call; empty: the trace is for launches with the same scalars only"""

    def is_valid(self, open_memory: Callable[[DeviceView], Array | None]) -> bool:
        """True if each view has the array that the trace uses."""
        for view, array in self.opened:
            piece = view.piece  # as in `DeviceView.find`, without a call
            current = piece.views.get(view) if piece is not None and piece.plain else None
            if current is not array and open_memory(view) is not array:
                return False
        return True

    def run(self, workers: Workers, steps: Sequence[Bound]) -> DeviceFault | None:
        """Compute the trace again, with the scalars of these steps. Returns the first fault of a check."""
        first_fault: DeviceFault | None = None
        for scalar in self.scalars:
            scalar.fill(steps)
        for act in self.before:
            try:
                act(workers)
            except DeviceFault as fault:
                first_fault = first_fault or fault
        self.evaluation.run(workers)
        return first_fault


class FilledEvaluation(NamedTuple):
    """An evaluation with the values of one trace. Traces of equal structure share the evaluation."""

    evaluation: Evaluation
    memory: Sequence[Array | Cell]
    values: Sequence[Any]
    """arrays and numbers of the trace"""

    def run(self, workers: Workers) -> None:
        """Fill in the values, and write every node."""
        for own, value in zip(self.memory, self.values, strict=True):
            if isinstance(own, Cell):
                own.value = value
            else:
                np.copyto(own, value)
        self.evaluation.run(workers)


class LaunchCache:
    """The cache of a launch at some addresses."""

    def __init__(self, earlier: "LaunchCache | None" = None) -> None:
        """`earlier`: the cache of launches with other scalars at the same addresses."""
        self.lock = Lock() if earlier is None else earlier.lock
        self.scalars_change = earlier is not None
        self.runs_as_written = False
        """true if the steps run without the fast engine"""
        self.trace: Trace | None = None
        """trace; saves three quarters of a call on a million elements (`python -m tests.benchmarks.caches`)"""
        self.shares = False
        """true if a trace is worth sharing with launches with other scalars, as these use the same memory"""
        self.fixes_scalars = earlier is not None and earlier.fixes_scalars
        """true if a formula looks at a scalar, so that a trace is for launches with the same scalars only"""
        self.first_forms: dict[int, int] = {} if earlier is None else earlier.first_forms
        """number of the input form that is tried first, by step, see `StepTracer`"""
        self._evaluations: dict[Hashable, tuple[Evaluation, list[Array | Cell]]] = (
            {} if earlier is None else earlier._evaluations
        )

    @property
    def is_shared(self) -> bool:
        """True if launches with different scalars may use the cache. Then it never gets a trace of one of them."""
        return self.trace is not None and bool(self.trace.scalars)

    def for_other_scalars(self) -> "LaunchCache":
        """The cache of launches with other scalars in the same memory."""
        if self.is_shared:
            return self
        other = LaunchCache(self)
        other.shares = not self.fixes_scalars
        return other

    def evaluation(self, targets: Sequence[Target], memory: Sequence[Array]) -> Evaluation | FilledEvaluation:
        """The evaluation of a trace whose values change from run to run. `memory` are the arrays over device memory.

        The cache saves a third of an optimiser step on a million elements (`python -m tests.benchmarks.caches`)."""
        structure = _Structure(targets, memory)
        if structure.key is None:
            return Evaluation(targets)
        if structure.key not in self._evaluations:
            if len(self._evaluations) >= MAX_EVALUATIONS:
                self._evaluations.clear()
            own = structure.own_memory()
            self._evaluations[structure.key] = Evaluation(targets), own
        return FilledEvaluation(*self._evaluations[structure.key], structure.values)


class _Structure:
    """The structure of a graph. Two graphs with the same key differ only in their values."""

    def __init__(self, targets: Sequence[Target], memory: Sequence[Array]) -> None:
        self._memory = {id(array) for array in memory}
        self._numbers: dict[ExpressionNode, int] = {}
        self._axes: dict[Axis, int] = {}
        self._attributes: list[tuple[Any, str, int | None]] = []
        """node and attribute of each value, and the index of the value if the attribute is a tuple"""
        self.values: list[Any] = []
        """arrays and numbers that the kernels made in this run"""
        rows: list[Hashable] = []
        for node in walk(node for node, _ in targets):
            rows.append((type(node), node.shape, *self._axis_numbers(node.axes), *self._details(node)))
            self._numbers[node] = len(self._numbers)
        rows += [(self._numbers[node], *layout(array)) for node, array in targets]
        small = sum(np.size(value) for value in self.values) <= MAX_COPIED_ELEMENTS
        has_procedure = any(isinstance(node, ProcedureCall) for node in self._numbers)
        self.key = tuple(rows) if small and not has_procedure else None
        """key of the graph; None if its evaluation is not cached"""

    def own_memory(self) -> list[Array | Cell]:
        """Replace the graph's arrays by copies, and its numbers by cells. Returns both, which later runs fill."""
        own: list[Array | Cell] = []
        for (node, attribute, number), value in zip(self._attributes, self.values, strict=True):
            if number is None:
                own.append(np.array(value))
                setattr(node, attribute, own[-1])
            else:
                own.append(Cell(value))
                operands = list(getattr(node, attribute))
                operands[number] = own[-1]
                setattr(node, attribute, tuple(operands))
        return own

    def _axis_numbers(self, axes: tuple[Axis | None, ...]) -> Iterator[int]:
        for axis in axes:
            yield -1 if axis is None else self._axes.setdefault(axis.root(), len(self._axes))

    def _details(self, node: ExpressionNode) -> Iterator[Hashable]:
        """The parts of the key for a node, besides its class, shape and axes."""
        if isinstance(node, Leaf):
            if id(node.array) in self._memory:
                yield from layout(node.array)
            else:
                yield self._value(node, "array")
        elif isinstance(node, UfuncCall):
            yield node.ufunc
            yield from self._operands(node, "arguments", loop_dtypes(node.ufunc, node.arguments))
        elif isinstance(node, Where):
            yield self._numbers[node.condition]
            yield from self._operands(node, "choices", (node.dtype,) * 2)
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

    def _value(self, node: ExpressionNode, attribute: str) -> Hashable:
        """Record an array, and return its part of the key: shape and data type."""
        array: Array = getattr(node, attribute)
        self._attributes.append((node, attribute, None))
        self.values.append(array)
        return array.shape, array.dtype

    def _operands(self, node: ExpressionNode, attribute: str, dtypes: Sequence[np.dtype[Any]]) -> Iterator[Hashable]:
        """The parts of the key for operands. Record the numbers among them, in the data types of the arithmetic."""
        operands: tuple[Any, ...] = getattr(node, attribute)
        for number, (operand, dtype) in enumerate(zip(operands, dtypes, strict=False)):
            if isinstance(operand, ExpressionNode):
                yield self._numbers[operand]
            else:
                self._attributes.append((node, attribute, number))
                self.values.append(np.asarray(operand).astype(dtype)[()])
                yield str(dtype)


def layout(array: Array) -> tuple[Hashable, ...]:
    """The place and the type of an array's elements, as a key."""
    return array.ctypes.data, array.shape, array.strides, array.dtype
