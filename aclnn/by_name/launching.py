"""The task of a call by name: its tensors, its plan, the memory that it uses, its run.

The plan is made during the call. A plan that depends on values in device memory, such as the axes of a reduction, is
made when the task runs, as earlier tasks may write these values. Intermediate tensors are in host memory during the
run, as the program passes no workspace.
"""

from contextlib import nullcontext
from functools import partial

import numpy as np

from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.handle_table import Tensor, row_major
from acl_runtime.objects.named_operators import NamedOperator
from acl_runtime.source.frames import trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Device, OperatorTask, Stream
from aclnn.by_name.arguments import NamedArguments, arguments_of, refused
from aclnn.by_name.call import Named, ValueOnDevice
from aclnn.by_name.row import OperatorRow
from aclnn.engine.arguments import members
from aclnn.engine.device_view import DeviceView, bind_steps
from aclnn.engine.fast import LaunchCache
from aclnn.engine.late_outputs import Late, late_shapes
from aclnn.engine.launch_memory import user_ranges
from aclnn.engine.memo import named_plan, with_evaluations
from aclnn.engine.plan import Plan, PlannedExecutor
from aclnn.engine.run import no_memory, perform
from aclnn.engine.second_phase import context_of_tasks, work_without_values
from aclnn.engine.steps.private_formats import is_nz, stored_as


class CompiledOperator:
    """An operator that can be launched."""

    def __init__(self, machine: Machine, row: OperatorRow, operator: NamedOperator) -> None:
        self.machine, self.row, self.operator = machine, row, operator
        self.arguments = arguments_of(row, operator)
        try:
            self.plan, self.waits = named_plan(machine, operator, Named(self.arguments, machine.soc, None).plan), False
        except ValueOnDevice:
            self.plan, self.waits = _unplanned(self.arguments, machine), True
        self.late: Late = {}

    @property
    def sized(self) -> bool:
        """True if the shapes of the outputs depend on values."""
        return bool(self.plan.sized)

    def shapes(self) -> list[tuple[int, ...] | None]:
        """The shapes of the outputs. Shapes that depend on values are known after the run. A missing output has
        None."""
        late = {each.tensor: each.shape for each in self.late.values()}
        values = [self.arguments.tensors[slot.name] for slot in self.row.outputs]
        tensors: list[Tensor | None] = [
            each for value in values for each in ([None] if value is None else members(value))
        ]
        pairs = zip(tensors, self.operator.outputs, strict=False)  # the last outputs may be missing
        return [tensor and (late.get(tensor) or output.desc.shape) for tensor, output in pairs]

    def launch(self, stream: Stream, thread: ThreadState) -> None:
        machine, plan, device = self.machine, self.plan, stream.context.device
        executor = PlannedExecutor(
            plan, self.arguments.operands, plan.held(self.arguments.operands), thread.name, trail(thread.caller)
        )
        try:
            ranges, taint = user_ranges(executor, device, 0, workspace_right=True)
        except AclError as error:  # the error of a machine that only reports
            raise AclError(ACL_ERROR_RT_PARAM_INVALID, *error.items, taint=error.taint) from None
        late = late_shapes(executor) if plan.sized else None
        stream.numpy_context = stream.numpy_context or context_of_tasks()
        work = partial(self._run, executor, device, late)
        task = OperatorTask(self.row.type, work, ranges, trail(thread.caller), plan.traffic, taint, None)
        machine.submit(stream, task)
        self.late = late or {}

    def _run(self, executor: PlannedExecutor, device: Device, late: Late | None) -> None:
        machine = self.machine
        lock = machine.lock if machine.options.schedule == "threads" else None
        with lock or nullcontext():
            plan = self._planned(device) if self.waits else self.plan
            addresses = [tensor.address for tensor in plan.held(executor.things)]
            scratch = _scratch(plan)
            steps = bind_steps(plan, addresses, scratch, device, executor.things, in_parts=machine.options.fast)
        launch_cache = None
        if plan.suits_fast_engine and machine.options.fast:
            with lock or nullcontext():
                launch_cache = with_evaluations(machine, (plan.operator, device, *addresses), LaunchCache())
        workers = machine.compute_threads if plan.has_large_tensor else None
        work = partial(perform, plan.operator, steps, launch_cache, device, lock, workers, late)
        work_without_values(work, plan)()

    def _planned(self, device: Device) -> Plan:
        """The plan for the values that are in memory when the task runs."""

        def read(tensor: Tensor) -> Array:
            dtype = numpy_dtype(tensor.dtype)
            if dtype is None:
                raise refused(self.row.type, f"{dtype_name(tensor.dtype)} has no values that can be read")
            strides = tuple(each * dtype.itemsize for each in row_major(tensor.shape))
            return DeviceView(tensor.address, tensor.shape, dtype, strides, write=False).open(device)

        try:
            return Named(self.arguments, self.machine.soc, read).plan()
        except AclError as error:
            raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (error.items[0].reason(),))) from None


def _scratch(plan: Plan) -> Array:
    """The workspace of a plan, which is memory of the host."""
    try:
        return np.empty(plan.workspace_size, np.uint8)
    except MemoryError as error:
        raise no_memory(plan.operator, error) from None


def _unplanned(arguments: NamedArguments, machine: Machine) -> Plan:
    """A plan without steps that uses all tensors of the call."""
    builder = Named(arguments, machine.soc, None).builder
    tensors: list[Tensor] = [member for value in arguments.operands for member in members(value)]
    for tensor in filter(is_nz, tensors):
        for write in (False, True):
            builder.blocks(tensor, stored_as(tensor), tensor.dtype, write=write)
    plan = builder.finish(0)
    plan.used = tuple(range(len(plan.roles)))
    plan.traffic = sum(tensor.storage_bytes for tensor in plan.held(arguments.operands))
    return plan
