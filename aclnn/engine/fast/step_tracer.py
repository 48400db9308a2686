"""Tracing of steps: kernels of a launch are called with `Lazy` arrays, and so return an expression for each output."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import prod
from typing import Any, Final, TypeAlias, cast

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers
from aclnn.engine.device_view import Bound, DeviceView
from aclnn.engine.fast.eager_inputs import EagerCall, eager_calls
from aclnn.engine.fast.evaluate import Evaluation
from aclnn.engine.fast.expressions import Cast, ExpressionNode, Lazy, Leaf, NotInFastEngine, ProcedureCall, Reshaped
from aclnn.engine.fast.launch_cache import TraceAction, layout
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.overlap import reads_memory
from aclnn.engine.fast.small_results import small_function
from aclnn.engine.numbers.rounding import store, widen
from aclnn.engine.steps.parts import run_in_parts

MIN_ELEMENTS_TO_TRACE: Final = 1 << 12
"""elements from which an array is traced; smaller arrays are computed while the launch is traced"""
MAX_SMALL_INTERMEDIATE: Final = 1 << 14
"""the most elements of an intermediate without sums that numpy computes as a whole for a kernel that reads values"""
KERNEL_ERRORS: Final = (TypeError, ValueError, IndexError, AttributeError)
"""exceptions of a kernel that gets a `Lazy` where it needs an array"""
Kernel: TypeAlias = Callable[..., Any]
Open: TypeAlias = "Callable[[DeviceView], Array | None]"


class MissingMemory(NotInFastEngine):
    """Some device memory of this run is not live."""


class StepTracer:
    """The trace of a launch while it is made, step by step."""

    def __init__(
        self, open_memory: Open, workers: Workers, first_forms: dict[int, int], *, repeats: bool = False
    ) -> None:
        """`first_forms` has the number of the input form to try first for each step, see `_trace_kernel`. `repeats`: an
        earlier trace of these steps used these forms, and no other one is tried."""
        self._open_memory, self._workers, self._first_forms = open_memory, workers, first_forms
        self._repeats = repeats
        self._contents: dict[int, ExpressionNode | Array] = {}
        """contents of memory after the steps so far, by address"""
        self._views: dict[int, DeviceView] = {}
        """view of this memory, by address"""
        self._leaves: dict[tuple[object, ...], Leaf] = {}
        self._eager_calls: set[EagerCall] = set()
        self.targets: list[tuple[ExpressionNode, Array]] = []
        self.small: list[tuple[Array, Array]] = []
        """outputs that are computed already, and their memory"""
        self.opened: list[tuple[DeviceView, Array]] = []
        """memory that was opened, in order"""
        self.before: list[TraceAction] = []
        """actions of the trace in order, which each run repeats"""
        self.gave_values = False
        """true if a kernel got tensor values, so that the trace may depend on values"""
        self.ran: set[int] = set()
        """numbers of the steps that ran already"""
        self.fault: DeviceFault | None = None

    @property
    def depends_on_values(self) -> bool:
        """True if the trace may depend on tensor values."""
        return self.gave_values or bool(self.small)

    @property
    def needs_planning(self) -> bool:
        """True unless procedures of the evaluator write all targets."""
        return evaluator() is None or not all(isinstance(node, ProcedureCall) for node, _ in self.targets)

    @property
    def cost(self) -> int:
        """Cost of the largest array in memory, see `_cost`."""
        return max((_cost(view) for view, _ in self.opened), default=0)

    def trace(self, number: int, step: Bound) -> None:
        """Add a step to the trace."""
        tiled_kernel: Kernel | None = getattr(step.kernel, "tiled", None)
        if not step.outputs:
            self._run_check(number, step)
            return
        if tiled_kernel is not None:
            for view in step.inputs:
                self._unwidened_array(view)  # may write other inputs to memory: `_call_tiled_kernel` reads them again
            returned = self._call_tiled_kernel(tiled_kernel, step)
        else:
            returned = self._trace_kernel(number, step)
            if returned is None:
                self._run_in_parts(step)
                return
        results: tuple[Any, ...] = cast("Any", returned if isinstance(returned, tuple) else (returned,))
        for result, view in zip(results, step.outputs, strict=True):
            self._assign(result, view, placeholder=tiled_kernel is not None)

    def _run_check(self, number: int, step: Bound) -> None:
        """Run a step without outputs, which only checks its inputs."""
        check = partial(_call_check, step, [self._array(view) for view in step.inputs])
        self.before.append(lambda _: check())
        self.ran.add(number)
        try:
            check()
        except DeviceFault as fault:
            self.fault = self.fault or fault

    def _call_tiled_kernel(self, kernel: Kernel, step: Bound) -> Any:
        """The results of the second form of a kernel, see `tiled`."""
        arrays = [self._unwidened_array(view) for view in step.inputs]
        returned = kernel(*arrays, **step.attributes)
        results: tuple[Any, ...] = cast("Any", returned if isinstance(returned, tuple) else (returned,))
        if not all(type(result) is np.ndarray and result.size <= MAX_SMALL_INTERMEDIATE for result in results):
            self.gave_values = True
            return results
        call = EagerCall(kernel, arrays, step.attributes, results)
        self.before.append(lambda _: call.recompute())
        return (*call.results,)

    def _trace_kernel(self, number: int, step: Bound) -> Any:
        """The results of the kernel on lazy inputs; None if the kernel needs large arrays, and can run in parts.

        A kernel is tried with several forms of its inputs, which differ in the inputs that are arrays instead of
        `Lazy`: none; small ones, for kernels that read values; also integers, for kernels that read positions; all
        except the largest ones."""
        largest = max((prod(view.shape) for view in step.inputs), default=0)
        forms = (
            ("biuf", 0),
            ("biuf", MIN_ELEMENTS_TO_TRACE),
            ("f", MIN_ELEMENTS_TO_TRACE),
            ("f", max(largest, MIN_ELEMENTS_TO_TRACE)),
        )
        if step.cut is not None:
            forms = forms[:2]
        first = self._first_forms.get(number, 0)
        for form in range(first, first + 1 if self._repeats else len(forms)):
            lazy_kinds, min_elements = forms[form]
            with suppress(NotInFastEngine) if form else suppress(NotInFastEngine, *KERNEL_ERRORS):
                inputs = [self._kernel_input(view, lazy_kinds, min_elements) for view in step.inputs]
                if step.cut is not None and not any(isinstance(value, Lazy) for value in inputs):
                    return None
                returned = step.kernel(*inputs, **step.attributes)
                self._first_forms[number] = form
                return returned
        if step.cut is not None and not self._repeats:
            return None
        raise NotInFastEngine("a kernel that reads all elements")

    def contents(self, view: DeviceView) -> ExpressionNode | Array | None:
        """The contents of a view after the steps so far."""
        return self._contents.get(view.address)

    def _run_in_parts(self, step: Bound) -> None:
        """Run a step part by part."""
        assert step.cut is not None
        inputs = [self._array(view) for view in step.inputs]
        opened_before = [array for _, array in self.opened]
        outputs = [self._open(view) for view in step.outputs]
        for output, view in zip(outputs, step.outputs, strict=True):
            if view.slot:
                self._write_readers_of(output, writer=view.address)
            elif any(np.may_share_memory(output, array) for array in opened_before):
                raise NotInFastEngine("a step in parts that overwrites an operand of other steps")
        kernel = partial(step.kernel, **step.attributes)
        self._do(partial(run_in_parts, kernel, step.cut, inputs, outputs, narrow=step.narrow))
        for output, view in zip(outputs, step.outputs, strict=True):
            self._views[view.address], self._contents[view.address] = view, output

    def _kernel_input(self, view: DeviceView, lazy_kinds: str, min_elements: int) -> Any:
        """An input as a `Lazy`; or as an array if its kind is not in `lazy_kinds`, or if it has too few elements."""
        contents = self._contents.get(view.address)
        needs_values = (
            view.dtype.kind not in lazy_kinds + "V" or MIN_ELEMENTS_TO_TRACE <= prod(view.shape) < min_elements
        )
        if isinstance(contents, ExpressionNode) and not needs_values:
            _check_dense(view)
            with suppress(NotInFastEngine):  # if the view has other dimensions, the node is written to memory below
                return Lazy(contents if contents.shape == view.shape else Reshaped(contents, view.shape))
        array = self._array(view)
        if array.size < min_elements and (array.size < MIN_ELEMENTS_TO_TRACE or array.dtype.kind in "fV"):
            self.gave_values = True
            return widen(np.array(array))
        if array.dtype.kind not in lazy_kinds + "V":
            self.gave_values = True
            return array
        return Lazy(self._leaves.setdefault(layout(array), Leaf(array)))

    def _array(self, view: DeviceView) -> Array:
        """The elements of a view in memory. If they are a node of the graph, the node is computed and stored."""
        contents = self._contents.get(view.address)
        if contents is None:
            return self._open(view)
        _check_dense(view)
        if isinstance(contents, Leaf) and contents.array.dtype == view.dtype and contents.shape == view.shape:
            return contents.array
        if isinstance(contents, ExpressionNode):
            memory = self._open(view)
            self._write_readers_of(memory, writer=view.address)
            if not contents.sum_depth and memory.size <= MAX_SMALL_INTERMEDIATE:
                self._do(partial(_store_small, small_function(contents), memory.reshape(contents.shape)))
            else:
                evaluation = Evaluation([(contents, memory.reshape(contents.shape))])
                evaluation.run(self._workers)
                self.before.append(evaluation.run)
            contents = self._contents[view.address] = memory
            written = memory.ctypes.data
            self.targets = [target for target in self.targets if target[1].ctypes.data != written]
        return contents.reshape(view.shape)

    def _unwidened_array(self, view: DeviceView) -> Array:
        """Same as `_array`, for a kernel that widens its inputs itself."""
        contents = self._contents.get(view.address)
        if isinstance(contents, Leaf) and contents.dtype == view.dtype and contents.shape == view.shape:
            return contents.array
        return self._array(view)

    def _add_eager_calls(self, node: ExpressionNode) -> None:
        """Let each run repeat the eager calls of an expression."""
        for call in eager_calls([node]):
            if call not in self._eager_calls:
                self._eager_calls.add(call)
                self.before.append(lambda _, call=call: call.recompute())

    def _do(self, action: Callable[[], object]) -> None:
        """Do an action in this run, and in each later run of the trace."""
        action()
        self.before.append(lambda _: action())

    def _write_readers_of(self, memory: Array, writer: int) -> None:
        """Write the intermediates that read this memory before it is overwritten: intermediates share the workspace.
        `writer` is the address of the intermediate that will be written there."""
        for address, contents in list(self._contents.items()):
            if isinstance(contents, ExpressionNode) and address != writer and reads_memory(contents, memory):
                self._array(self._views[address])
        if any(reads_memory(node, memory) for node, _ in self.targets):
            raise NotInFastEngine("an output reads workspace memory that is overwritten")

    def _open(self, view: DeviceView) -> Array:
        array = self._open_memory(view)
        if array is None:
            raise MissingMemory("some device memory is not live")
        self.opened.append((view, array))
        return array

    def _assign(self, result: Any, view: DeviceView, *, placeholder: bool) -> None:
        """Record the result of a step. Later steps read the result rounded to the data type of the view; an output is
        rounded when it is stored. With `placeholder`, later tiled kernels get the array `result` in place of the
        values."""
        if not placeholder and result.shape != view.shape:
            raise NotInFastEngine("a result of another shape")
        self._views[view.address] = view
        if isinstance(result, Lazy):
            self._add_eager_calls(result.node)
            self._contents[view.address] = _rounded(result.node, view.dtype)
            if not view.slot:
                self.targets.append((result.node, self._open(view).reshape(result.shape)))
            return
        values = cast("Array", result)
        if placeholder:
            self._contents[view.address] = values
            return
        if view.slot and values.size >= MIN_ELEMENTS_TO_TRACE:
            self.gave_values = True
            stored = self._open(view)
            if np.may_share_memory(stored, values):
                raise NotInFastEngine("a step that overwrites its own input")
            self._write_readers_of(stored, writer=view.address)
        else:
            stored = np.empty(view.shape, view.dtype)
        store(values, stored)
        self._contents[view.address] = stored
        if not view.slot:
            self.small.append((stored, self._open(view)))


def _call_check(step: Bound, inputs: Sequence[Array]) -> None:
    step.kernel(*map(widen, inputs), **step.attributes)


def _store_small(compute: Callable[[], Array], memory: Array) -> None:
    store(compute(), memory)


def _check_dense(view: DeviceView) -> None:
    """Raise `NotInFastEngine` if the view is not dense, as contents are recorded by address alone."""
    stride_if_dense = view.dtype.itemsize
    for size, stride in zip(reversed(view.shape), reversed(view.strides), strict=True):
        if size > 1 and stride != stride_if_dense:
            raise NotInFastEngine("a strided view of an intermediate")
        stride_if_dense *= size


def _rounded(node: ExpressionNode, dtype: np.dtype[Any]) -> ExpressionNode:
    """The node rounded to a data type, as after a store to memory."""
    own = node.array.dtype if isinstance(node, Leaf) else node.to if isinstance(node, Cast) else node.dtype
    return node if dtype in (own, node.dtype) else Cast(node, dtype)


def _cost(view: DeviceView) -> int:
    """Number of elements. Elements of two bytes count four times, as numpy converts them slowly."""
    return prod(view.shape) * (4 if view.dtype.itemsize == 2 and view.dtype.kind in "fV" else 1)
