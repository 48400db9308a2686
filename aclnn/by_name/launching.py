"""From a call of an operator by name to a task: its tensors, its plan, the memory that it uses, its run.

The plan is made during the call. If it depends on values in the memory of the device, such as the axes of a reduction,
it is made when the task runs, as earlier tasks may write them. Intermediate tensors lie in memory of the host for the
time of the run: the program gives no workspace.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.headers.dtypes import Array, bits, dtype_name, format_name, numpy_dtype
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.private_formats import ROW_BITS
from acl_runtime.objects.handle_table import Tensor, row_major
from acl_runtime.objects.named_operators import NamedOperator, NamedTensor
from acl_runtime.source.frames import trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import OperatorTask, Stream
from aclnn.by_name import layouts
from aclnn.by_name.call import Given, Named, Note, OnDevice, refused
from aclnn.by_name.layouts import LAID_OUT, RANK
from aclnn.by_name.row import Row, Slot
from aclnn.engine.arguments import Shape, members
from aclnn.engine.constraints import PRIVATE
from aclnn.engine.device_view import DeviceView, bind_steps
from aclnn.engine.fast import Kept
from aclnn.engine.late_outputs import Late, late_shapes
from aclnn.engine.launch_memory import user_ranges
from aclnn.engine.plan import Plan, PlannedExecutor
from aclnn.engine.run import no_memory, perform
from aclnn.engine.second_phase import without_warnings
from aclnn.engine.steps.private_formats import C0, is_nz, stored_as

NCHW: Final = (aclFormat.ACL_FORMAT_NCHW, aclFormat.ACL_FORMAT_ND)


class Compiled:
    """An operator that can be launched."""

    def __init__(self, machine: Machine, row: Row, operator: NamedOperator) -> None:
        self.machine, self.row, self.operator = machine, row, operator
        self.given = _given(machine, row, operator)
        named = Named(self.given, machine.soc, None)
        try:
            self.plan, self.waits = named.plan(), False
        except OnDevice:
            self.plan, self.waits = _unplanned(self.given, machine), True
        self.late: Late = {}

    @property
    def sized(self) -> bool:
        """Do the shapes of its outputs depend on values?"""
        return bool(self.plan.sized)

    def shapes(self) -> list[tuple[int, ...] | None]:
        """The shapes of the outputs: after the run those that it found out. None for a missing output."""
        late = {each.tensor: each.shape for each in self.late.values()}
        shapes: list[tuple[int, ...] | None] = []
        for slot in self.row.outputs:
            value = self.given.tensors[slot.name]
            shapes += [None] if value is None else [late.get(each) or each.shape for each in members(value)]
        return shapes

    def launch(self, stream: Stream, thread: ThreadState) -> None:
        """Queue the task."""
        machine, plan, device = self.machine, self.plan, stream.context.device
        executor = PlannedExecutor(
            plan, self.given.things, plan.held(self.given.things), thread.name, trail(thread.caller)
        )
        ranges, taint = user_ranges(executor, device, 0, judged=True)
        late = late_shapes(executor) if plan.sized else None
        stream.numpy_context = stream.numpy_context or without_warnings()
        run = (self._run, executor, stream, late)
        work: Callable[[], None] = partial(stream.numpy_context.run, *run)  # pyright: ignore[reportAssignmentType]
        task = OperatorTask(self.row.type, work, ranges, trail(thread.caller), plan.traffic, taint, None)
        machine.submit(stream, task)
        self.late = late or {}

    def _run(self, executor: PlannedExecutor, stream: Stream, late: Late | None) -> None:
        machine, device = self.machine, stream.context.device
        lock = machine.lock if machine.options.schedule == "threads" else None
        with lock or nullcontext():
            plan = self._planned(stream) if self.waits else self.plan
            addresses = [tensor.address for tensor in plan.held(executor.things)]
            scratch = _scratch(plan)
            steps = bind_steps(plan, addresses, scratch, device, executor.things, in_parts=machine.options.fast)
        kept = Kept() if plan.large and machine.options.fast else None
        workers = machine.compute_threads if plan.threaded else None
        perform(plan.operator, steps, kept, device, lock, workers, late)

    def _planned(self, stream: Stream) -> Plan:
        """The plan, of the values that the memory has by now."""
        device = stream.context.device

        def read(tensor: Tensor) -> Array:
            dtype = numpy_dtype(tensor.dtype)
            if dtype is None:
                raise refused(self.row.type, f"{dtype_name(tensor.dtype)} has no values that can be read")
            strides = tuple(each * dtype.itemsize for each in row_major(tensor.shape))
            return DeviceView(tensor.address, tensor.shape, dtype, strides, write=False).open(device)

        try:
            return Named(self.given, self.machine.soc, read).plan()
        except AclError as error:
            raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (error.items[0].reason(),))) from None


def _scratch(plan: Plan) -> Array:
    """The workspace of a plan, which is memory of the host."""
    try:
        return np.empty(plan.workspace_size, np.uint8)
    except MemoryError as error:
        raise no_memory(plan.operator, error) from None


def _unplanned(given: Given, machine: Machine) -> Plan:
    """A plan without steps that uses all tensors of the call."""
    builder = Named(given, machine.soc, None).builder
    tensors: list[Tensor] = [each for value in given.things for each in members(value)]
    for tensor in filter(is_nz, tensors):
        for write in (False, True):
            builder.blocks(tensor, stored_as(tensor), tensor.dtype, write=write)
    plan = builder.finish(0)
    plan.used = tuple(range(len(plan.roles)))
    plan.traffic = sum(tensor.storage_bytes for tensor in plan.held(given.things))
    return plan


def _given(machine: Machine, row: Row, operator: NamedOperator) -> Given:
    """The tensors of a call by the names of the row."""
    values: dict[Tensor, Array] = {}
    notes: dict[Tensor, Note] = {}
    inputs = _by_name(row, row.inputs, operator.inputs, values, notes)
    outputs = _by_name(row, row.outputs, operator.outputs, values, notes)
    return Given(row, {**inputs, **outputs}, values, notes, operator.attributes)


def _by_name(
    row: Row, slots: tuple[Slot, ...], tensors: tuple[NamedTensor, ...], values: dict[Tensor, Array],
    notes: dict[Tensor, Note],
) -> dict[str, Any]:  # fmt: skip
    """Tensors are matched by position. A list takes all that the others leave."""
    found: dict[str, Any] = {}
    at, spare = 0, len(tensors) - sum(not slot.listed for slot in slots)
    for slot in slots:
        if slot.listed:
            count = max(spare, 0)
            found[slot.name] = tuple(_tensor(row, slot, each, values, notes) for each in tensors[at : at + count])
            at += count
            continue
        given = tensors[at] if at < len(tensors) else None
        missing = given is None or _missing(slot, given)
        if missing and not slot.optional:
            raise refused(row.type, f"{slot.name} is missing")
        found[slot.name] = None if given is None or missing else _tensor(row, slot, given, values, notes)
        at += 1
    if at < len(tensors) and any(each.desc.dtype != aclDataType.ACL_DT_UNDEFINED for each in tensors[at:]):
        raise refused(row.type, f"{len(tensors)} tensors were given, and it has {at}")
    return found


def _missing(slot: Slot, given: NamedTensor) -> bool:
    """Is it no tensor? Callers leave the data type of a missing one as it is."""
    nowhere = slot.optional and not (given.address or given.value)
    return nowhere or given.desc.dtype == aclDataType.ACL_DT_UNDEFINED


def _tensor(
    row: Row, slot: Slot, given: NamedTensor, values: dict[Tensor, Array], notes: dict[Tensor, Note]
) -> Tensor:  # fmt: skip
    """The tensor of a descriptor. A format that says nothing of the memory is only noted."""
    desc = given.desc
    shape, form = desc.shape, desc.storage_format
    if any(size < 0 for size in shape):  # the run finds out its shape: all of the buffer is room for it
        shape = _room(shape, given.size * 8 // bits(desc.dtype))
    note = Note(desc.format, shape)
    if form in LAID_OUT:
        if len(shape) != RANK or desc.format not in NCHW:
            raise refused(row.type, f"{slot.name} in {format_name(form)} has to be a tensor of N, C, H, W")
        note = Note(desc.format, shape, form)
        shape = layouts.storage(form, shape, ROW_BITS // bits(desc.dtype))
    elif form in PRIVATE and form not in C0:
        raise refused(row.type, f"{slot.name} is in {format_name(form)}, which this emulator does not lay out")
    tensor = Tensor(shape, desc.dtype, row_major(shape), 0, aclFormat.ACL_FORMAT_ND, shape, given.address)
    if form in C0:
        tensor.stored_as(form, desc.storage_shape)
    notes[tensor] = note
    if given.value is not None:
        values[tensor] = _value(row, slot, given, shape)
    return tensor


def _room(shape: Shape, elements: int) -> Shape:
    """The largest tensor of so many elements, of which the first dimension is not known, or none is."""
    rest = shape[1:]
    return (elements // max(prod(rest), 1), *rest) if min(rest, default=0) >= 0 else (elements,)


def _value(row: Row, slot: Slot, given: NamedTensor, shape: Shape) -> Array:
    dtype, raw = numpy_dtype(given.desc.dtype), given.value or b""
    if dtype is None or len(raw) < prod(shape) * dtype.itemsize:
        raise refused(row.type, f"the value of {slot.name} on the host has too few bytes")
    return np.frombuffer(raw, dtype)[: prod(shape)].reshape(shape)
