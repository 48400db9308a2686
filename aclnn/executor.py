"""The executor of an operator: a list of steps over tensors in user memory or in the workspace.

A plan collects steps; nothing is computed. The launch binds them to the addresses of that moment, the run reads and
writes device memory when the stream gets there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np

from acl_runtime.dtypes import Array, dtype_name, nbytes, numpy_dtype
from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.machine.device import Device
from acl_runtime.machine.executor import Executor as PlainExecutor
from acl_runtime.machine.executor import Family
from acl_runtime.machine.installation import current
from acl_runtime.machine.objects import Tensor, is_contiguous, reach, row_major
from acl_runtime.machine.soc import Soc
from acl_runtime.machine.stream import Range
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_MEMORY_ALLOCATION, ACLNN_ERR_INNER_NULLPTR
from aclnn.access import Access
from aclnn.numerics import store, widen
from aclnn.places import user_ranges
from aclnn.spec import Op, TensorOut
from aclnn.workspace import Slot, lay_out, share

CASTABLE = frozenset({0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 16, 17, 27})
"""data types that the Cast step can produce"""
Kernel = Callable[..., Any]


@dataclass(eq=False, slots=True)
class Operand:
    """A tensor as a step sees it: a view (in elements) of a user tensor's or a slot's memory."""

    shape: tuple[int, ...]
    dtype: int
    strides: tuple[int, ...]
    offset: int
    memory: "Tensor | Slot"


class Step(NamedTuple):
    """One kernel: it gets its inputs widened to float32 and returns what its outputs are rounded from."""

    name: str
    kernel: Kernel
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    attributes: dict[str, Any]


class Executor(PlainExecutor):
    """Collects the steps of one call, then runs them."""

    def __init__(self, call: Op, soc: Soc) -> None:
        super().__init__(call.c_name(), call.family, call.inputs(), call.outputs())
        self.soc = soc
        self.steps: list[Step] = []
        self.scratch = 0
        """bytes of workspace that the kernel of a generated operator asks for itself"""
        self.copies = 0
        """bytes of workspace behind them for copies of non-contiguous inputs"""
        self._slots: list[Slot] = []
        self._homes: dict[Slot, Operand] = {}
        self._made_contiguous: dict[Tensor, Operand] = {}
        self.roles: list[tuple[str, bool, Tensor]] = []
        """`output out`, whether it is an output, the tensor"""
        for param in call.tensors:
            if param.in_use(call):
                output = isinstance(param, TensorOut)
                self.roles.append((f"{'output' if output else 'input'} {param}", output, call.__dict__[param.name]))

    # what a plan is made of

    def contiguous(self, tensor: Tensor) -> Operand:
        """The tensor itself if it is row-major without gaps, else a dense copy in the workspace."""
        if tensor in self._made_contiguous:
            return self._made_contiguous[tensor]
        operand = Operand(tensor.shape, tensor.dtype, tensor.strides, tensor.offset, tensor)
        if any(size < 0 for size in tensor.shape):
            raise self.failed(f"Invalid input tensor: a dimension of {list(tensor.shape)} is negative.")
        if tensor.contiguous:
            operand.strides = row_major(tensor.shape)
        else:
            low, high = reach(tensor.shape, tensor.strides)
            room = prod(tensor.storage_shape)
            if tensor.offset + low < 0 or tensor.offset + high >= room:
                raise self.failed(
                    f"Invalid input tensor: ViewShape overlap. {self._role(tensor)} with shape {list(tensor.shape)}, "
                    f"strides {list(tensor.strides)} and offset {tensor.offset} reaches elements "
                    f"{tensor.offset + low} to {tensor.offset + high}; "
                    f"its storage {list(tensor.storage_shape)} has {room}."
                )
            if numpy_dtype(tensor.dtype) is None:
                raise self.failed(f"Contiguous of {dtype_name(tensor.dtype)} is not supported.")
            operand = self._step("Contiguous", _same, operand, tensor.dtype)
        self._made_contiguous[tensor] = operand
        return operand

    def alloc(self, shape: Sequence[int], dtype: int) -> Operand:
        """A new intermediate in the workspace."""
        slot = Slot(nbytes(prod(shape), dtype))
        self._slots.append(slot)
        return Operand(tuple(shape), dtype, row_major(tuple(shape)), 0, slot)

    def launch(self, kernel: Kernel, inputs: Sequence[Operand], outputs: Sequence[Operand], **attributes: Any) -> None:
        """Queue a kernel. It gets `inputs` as arrays, 16-bit floats widened to float32, and `attributes`; it returns
        an array, or one for each of `outputs`, and these are rounded once to the outputs' data types."""
        self._add(Step(kernel.__name__, kernel, tuple(inputs), tuple(outputs), attributes))

    def cast(self, x: Operand, dtype: int) -> Operand:
        """`x` in another data type: `x` itself if it has that."""
        if x.dtype == dtype:
            return x
        if dtype not in CASTABLE or numpy_dtype(x.dtype) is None:
            raise self.failed(f"Cast from {dtype_name(x.dtype)} to {dtype_name(dtype)} is not supported.")
        return self._step("Cast", _same, x, dtype)

    def reshape(self, x: Operand, shape: Sequence[int]) -> Operand:
        """A dense operand under another shape of as many elements."""
        if not is_contiguous(x.shape, x.strides) or prod(shape) != prod(x.shape):
            raise self.failed(f"Reshape from {list(x.shape)} to {list(shape)} failed.")
        return Operand(tuple(shape), x.dtype, row_major(tuple(shape)), x.offset, x.memory)

    def view_copy(self, x: Operand, out: Tensor) -> None:
        """Bring `x` into an output tensor, through its strides. A dense output takes the place of `x` in the
        workspace ("x's storage is redirected into y"); otherwise a step copies."""
        if x.shape != out.shape and not prod(x.shape) == out.numel == 1:
            raise self.failed(f"ViewCopy from {list(x.shape)} to {list(out.shape)} failed: the shapes differ.")
        if x.dtype != out.dtype:
            raise self.failed(f"ViewCopy from {dtype_name(x.dtype)} to {dtype_name(out.dtype)} failed.")
        target = Operand(out.shape, out.dtype, out.strides, out.offset, out)
        if isinstance(x.memory, Slot) and x.memory not in self._homes and out.contiguous:
            target.strides = row_major(out.shape)
            self._homes[x.memory] = target
        else:
            if x.shape != out.shape:
                x = self.reshape(x, out.shape)
            self._add(Step("ViewCopy", _same, (x,), (target,), {}))

    def failed(self, why: str) -> AclError:
        """A step cannot be planned: 561103."""
        return AclError(ACLNN_ERR_INNER_NULLPTR, Item("EZ9999", (f"{why} (SoC: {self.soc.label})",)))

    def _step(self, name: str, kernel: Kernel, x: Operand, dtype: int) -> Operand:
        result = self.alloc(x.shape, dtype)
        self._add(Step(name, kernel, (x,), (result,), {}))
        return result

    def _add(self, step: Step) -> None:
        at = len(self.steps)
        self.steps.append(step)
        for operand in step.inputs:
            if isinstance(operand.memory, Slot):
                operand.memory.last = at
        for operand in step.outputs:
            if isinstance(operand.memory, Slot):
                operand.memory.first = operand.memory.first if operand.memory.first >= 0 else at
                operand.memory.last = at

    def _role(self, tensor: Tensor) -> str:
        return next((role for role, _, used in self.roles if used is tensor), str(tensor))

    # from plan to launch to run

    def finish_plan(self, least: int) -> None:
        """Lay out the workspace; a plan with steps asks for `least` bytes or more."""
        kept = [slot for slot in self._slots if slot not in self._homes]
        if self.family is Family.GENERATED:
            end = lay_out(kept, self.scratch)
            self.copies = end - self.scratch
            self.workspace_size = end
        else:
            self.workspace_size = share(kept)
        if self.steps:
            self.workspace_size = max(self.workspace_size, least)

    def capture(self) -> None:
        """Keep the tensors' addresses of now, as generated operators do; they may be destroyed afterwards."""
        copies = {tensor: tensor.snapshot() for *_, tensor in self.roles}
        self.inputs = [tensor and copies.get(tensor, tensor) for tensor in self.inputs]
        self.outputs = [tensor and copies.get(tensor, tensor) for tensor in self.outputs]
        self.roles = [(role, output, copies[tensor]) for role, output, tensor in self.roles]
        operands = {operand for step in self.steps for operand in (*step.inputs, *step.outputs)}
        for operand in operands.union(self._homes.values()):
            if isinstance(operand.memory, Tensor):
                operand.memory = copies[operand.memory]

    @property
    def traffic(self) -> int:
        """Bytes of the tensors that a run reads and writes."""
        return sum(nbytes(tensor.numel, tensor.dtype) for *_, tensor in self.roles) if self.steps else 0

    def ranges(self, device: Device, workspace: int, *, judged: bool) -> tuple[Range, ...]:
        """The device memory that a launch now would use; what lies wrong is a finding. `judged`: the workspace is
        right."""
        if not self.steps:
            return ()
        used = {operand.memory for step in self.steps for operand in (*step.inputs, *step.outputs)}
        used |= {home.memory for home in self._homes.values()}
        tensors = [each for each in self.roles if each[-1] in used]
        return user_ranges(self, tensors, device, workspace, judged=judged)

    def work(self, device: Device, workspace: int) -> Callable[[], None]:
        """The steps with the addresses of now."""
        bound = [
            (
                step.kernel,
                [self._access(operand, workspace, write=False) for operand in step.inputs],
                [self._access(operand, workspace, write=True) for operand in step.outputs],
                step.attributes,
            )
            for step in self.steps
        ]

        lock = current().lock

        def run() -> None:
            faults: list[DeviceFault] = []
            with np.errstate(all="ignore"):  # a device does not warn
                for kernel, inputs, outputs, attributes in bound:
                    with lock:
                        views = [access.open(device) for access in inputs]
                    arrays = [widen(view) for view in views]
                    try:
                        returned = kernel(*arrays, **attributes)
                    except DeviceFault as fault:  # of a step without outputs, which the others survive
                        faults.append(fault)
                        continue
                    results: tuple[Array, ...] = cast("Any", returned if isinstance(returned, tuple) else (returned,))
                    for result, access in zip(results, outputs, strict=True):
                        with lock:
                            view = access.open(device)
                        store(result, view)
                        with lock:
                            access.close()
            if faults:
                raise faults[0]

        return self._within_host(run)

    def _within_host(self, run: Callable[[], None]) -> Callable[[], None]:
        """ "A MemoryError of the host is 207001 with a text that says it was the host"."""

        def limited() -> None:
            try:
                run()
            except MemoryError as error:
                text = f"({self.operator} needs memory that the host that runs the emulator has not: {error})"
                raise DeviceFault(ACL_ERROR_RT_MEMORY_ALLOCATION, Item("EL0004", ("host",), text)) from None

        return limited

    def _access(self, operand: Operand, workspace: int, *, write: bool) -> Access:
        memory = operand.memory
        dtype = numpy_dtype(operand.dtype)
        if dtype is None:
            raise self.failed(f"numpy has no arithmetic for {dtype_name(operand.dtype)}.")
        offset = operand.offset
        if isinstance(memory, Slot):
            home = self._homes.get(memory)
            if home is None:
                address = workspace + memory.offset
            else:
                assert isinstance(home.memory, Tensor)
                address, offset = home.memory.address, offset + home.offset
        else:
            address = memory.address
        # "size-1 dims ignored": their strides may be such that nobody can count in them
        steps = zip(operand.shape, operand.strides, strict=True)
        strides = tuple((stride if size > 1 else 1) * dtype.itemsize for size, stride in steps)
        return Access(address + offset * dtype.itemsize, operand.shape, dtype, strides, write=write)


def _same(x: Array) -> Array:
    """Contiguous, Cast and ViewCopy only move values."""
    return x
