"""The second phase, `aclnnXxx`: it checks the call, binds the plan to addresses, and enqueues a task.

    check     the executor belongs to this operator, the workspace is not null if the plan needs one, the stream
              accepts a launch, the product has the operator's kernel
    bind      the addresses of the tensors and the workspace are checked, and every step gets its current addresses
    enqueue   races with queued work are checked, the executor is used up, the stream gets the task

Nothing is computed here: the stream runs the task according to the schedule (`aclnn.engine.run`). A binding depends on
the plan and the addresses only, so `aclnn.engine.memo` wraps `bind` and caches its results.

A failed launch also uses up its executor, unless the error is found before the check of the stream. If a finding ends
the launch, the executor stays usable. Whatever ends the launch, findings about unwritten bytes of its outputs are
consequences.
"""

import contextvars
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any, Final, NoReturn, TypeAlias

import numpy as np

from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.located_ranges import CachedRanges
from acl_runtime.memory.ranges import Range
from acl_runtime.objects.executor_life import LAUNCH, Executor, Family
from acl_runtime.objects.soc import Series
from acl_runtime.source.frames import trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.late_shapes import ShapingTask
from acl_runtime.streams.stream import Device, OperatorTask, Stream, Task
from acl_runtime.streams.surfacing import check_accepts_work
from acl_runtime.text import Text
from aclnn.engine.declaration import Op, When
from aclnn.engine.device_view import Bound, bind_steps
from aclnn.engine.fast import LaunchCache, keep_blocks_apart, leaving_no_values
from aclnn.engine.late_outputs import Late, late_shapes
from aclnn.engine.launch_memory import check_tensors, check_workspace, reject, user_ranges
from aclnn.engine.op_errors import null_pointer, refuse, unsupported, without_kernel
from aclnn.engine.plan import Plan, PlannedExecutor
from aclnn.engine.run import perform
from aclnn.engine.steps.element_copies import with_copying

USED_UP: Final = Text("consumed by its launch")
IN_PLACE: Final = "aclnnInplace"
"""prefix of the names of operators in place"""
COMPOSITE: Final = Family.COMPOSITE  # a lookup in the class is slower


@dataclass(slots=True)
class Binding:
    """A plan at the addresses of a launch."""

    ranges: tuple[Range, ...]
    """memory of the launch"""
    steps: tuple[Bound, ...]
    taint: frozenset[str]
    """roles of the tensors whose memory is wrong; findings of the task about these tensors are consequences"""
    right: bool
    """true if the checks find all memory right"""
    launch_cache: LaunchCache | None
    """cache of the fast engine for launches with this binding; None if the fast engine does not run the plan"""
    work: Callable[[], None] | None = None
    """cache of the work of the last task; the cache saves 3 to 4% of a tiny call"""


Bind: TypeAlias = Callable[[Machine, PlannedExecutor, int, int, Device], tuple[Binding, CachedRanges | None]]
"""signature of `bind` and of the caching `memo.bind`"""


def second_phase(op: type[Op], bind: Bind) -> Callable[[Machine, ThreadState, tuple[Any, ...]], None]:
    """The body of an operator's second phase, `aclnnXxx(workspace, workspaceSize, executor, stream)`."""
    name = op.c_name()
    refusing = tuple(series for series, refusal in op.refusals.items() if refusal.when is When.LAUNCH)

    def second(machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
        address, size, executor_handle, stream_handle = values
        workspace: int = address.value
        # check the call
        executor = machine.handles.get(executor_handle)
        if not isinstance(executor, PlannedExecutor) or executor.operator != name:
            executor = _executor(machine, op, executor_handle)
        if size or executor.workspace_size:
            _check_arguments(machine, executor, workspace, size)
        stream, context = machine.handles.made(stream_handle), thread.explicit or thread.primary
        if (  # the same checks as in `_stream`, which also reports the error
            context is None
            or not isinstance(stream, Stream)
            or stream.context is not context
            or not context.alive
            or context.fault is not None
            or stream.aborted
        ):
            stream = _stream(machine, thread, executor, stream_handle)
            context = stream.context
        if executor.plan.lacking or machine.soc.series in refusing:
            _check_kernel(machine, op, executor, refusing)
        # bind the plan to addresses
        try:
            binding, cached_ranges = bind(machine, executor, workspace, size, context.device)
        except (AclError, UndefinedBehaviour):
            machine.consequences.taint(executor, LAUNCH)
            reject(executor.outputs)
            raise
        # enqueue a task
        where, plan = thread.caller, executor.plan
        where = where if isinstance(where, tuple) else trail(where)
        late = late_shapes(executor) if plan.sized else None
        stream.numpy_context = stream.numpy_context or context_of_tasks()
        if plan.meets is not None:
            task = _meeting(machine, executor, binding, stream, where)
        else:
            work = binding.work
            if work is None or late is not None:
                work = _work(machine, plan, binding, context.device, late)
            task = OperatorTask(name, work, binding.ranges, where, plan.traffic, binding.taint, cached_ranges)
            task = task if late is None else ShapingTask(task, machine.late_shapes, late.values())
        try:
            machine.scheduler.accept(stream, task)  # a finding here leaves the executor unchanged
        except (AclError, UndefinedBehaviour):
            machine.consequences.taint(executor, LAUNCH)
            raise
        if executor.taint:
            machine.consequences.launched(executor)
        if not executor.repeatable:
            machine.handles.remove(executor, USED_UP, where)
        machine.scheduler.queue(stream, task, thread)
        if plan.meets is not None:
            from aclnn.engine.ranks.meeting import check_order  # late: few programs have ranks

            check_order(machine, task)

    return second


def bind(
    machine: Machine, executor: PlannedExecutor, workspace: int, size: int, device: Device
) -> tuple[Binding, CachedRanges | None]:
    """Check the memory of a launch, and give each step its addresses. Returns the binding and None; only `memo.bind`
    returns cached ranges."""
    plan = executor.plan
    check_tensors(executor)
    right = check_workspace(executor, workspace, size, device)
    ranges: tuple[Range, ...] = ()
    taint: frozenset[str] = frozenset()
    if plan.steps:
        ranges, taint = user_ranges(executor, device, workspace, workspace_right=right)
    addresses = [tensor.address for tensor in executor.held]
    steps = bind_steps(plan, addresses, workspace, device, executor.things, in_parts=machine.options.fast)
    launch_cache = LaunchCache() if plan.suits_fast_engine else None
    if plan.copies_elements and not taint:
        ranges = with_copying(ranges, steps)
    return Binding(ranges, steps, taint, right and not taint, launch_cache), None


def abandon(op: type[Op], error: AclError, machine: Machine, handle: int) -> None:
    """Use up the executor of a launch that an injected failure ended, if a real failure with this status uses it up."""
    executor = machine.handles.find(handle, PlannedExecutor)
    survives = op.family is Family.GENERATED and error.status in (ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID)
    if executor is not None and not survives:
        _consume(machine, executor)


# check


def _executor(machine: Machine, op: type[Op], handle: int) -> PlannedExecutor:
    """The executor of a handle. An error or a finding ends the call if it is not a live executor of this operator."""
    if not handle:
        refused = machine.thread().refused
        reason = ""
        if refused is not None:
            reason = f" The last first phase on this thread failed: {refused.past}."
            reject(refused.outputs)
        _reject_last_executor(machine, op)
        if op.family is Family.GENERATED:
            raise null_pointer(op.c_name(), "executor", reason.strip())
        facts = f"parameter: executor, found: null, allowed: what {op.c_name()}GetWorkspaceSize made"
        raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"executor is nullptr. ({facts}).{reason}")
    executor = machine.handles.find(handle, Executor)
    if executor is None:
        _report_gone(machine, op, handle)
    if isinstance(executor, PlannedExecutor) and twins(executor.operator, op.c_name()):
        if machine.consequences.first("exec-twin"):
            what = Text(
                "{call} launches {executor}, which {planner} planned.",
                call=op.c_name(),
                executor=executor,
                planner=f"{executor.operator}GetWorkspaceSize",
            )
            machine.undefined("exec-twin", what, *executor.past())
    elif executor.operator != op.c_name() or not isinstance(executor, PlannedExecutor):
        machine.consequences.taint(executor, LAUNCH)
        reject(executor.outputs)
        _reject_last_executor(machine, op)
        machine.crash(
            "exec-wrong-op",
            Text(
                "{call} got {executor}, which {planner} planned.",
                call=op.c_name(),
                executor=executor,
                planner=f"{executor.operator}GetWorkspaceSize",
            ),
            *executor.past(),
        )
    return executor


def twins(one: str, other: str) -> bool:
    """True if one of these operators is the in-place form of the other one."""
    return one != other and one.replace(IN_PLACE, "aclnn", 1) == other.replace(IN_PLACE, "aclnn", 1)


def _report_gone(machine: Machine, op: type[Op], handle: int) -> NoReturn:
    """Report the handle of an executor that is used up, or of no executor."""
    where, history = machine.handles.describe(handle)
    refused = machine.thread().refused
    if refused is not None and (handle == refused.executor or handle not in machine.handles):
        error = AclError(ACLNN_ERR_RUNTIME_ERROR, *refused.items, taint=refused.taint)
        if machine.consequences.of(error):
            raise error
        reject(refused.outputs)
        what = Text(
            "{call} got the value that its executor variable held before the first phase failed: {where}.",
            call=op.c_name(),
            where=where,
        )
        machine.crash("exec-failed-phase1", what, refused.past, *history)
    if isinstance(machine.handles.dead(handle), Executor):
        _reject_last_executor(machine, op)
        what = Text("{call} cannot launch its executor: {where}.", call=op.c_name(), where=where)
        machine.crash("exec-reused", what, *history)
    what = Text("{call} got no executor: {where}.", call=op.c_name(), where=where)
    machine.crash("dead-handle", what, *history, hint=Text("Pass the executor that the first phase wrote."))


def _reject_last_executor(machine: Machine, op: type[Op]) -> None:
    """Taint the last executor of this operator that waits for its launch. A call with a wrong executor probably should
    have launched this one, so its leak and its unwritten outputs are consequences."""
    is_tainted, executors = machine.consequences.of, machine.handles.all(PlannedExecutor)
    waiting = [
        executor for executor in executors if executor.operator == op.c_name() and not is_tainted(executor, LAUNCH)
    ]
    if waiting:
        machine.consequences.taint(waiting[-1], LAUNCH)
        reject(waiting[-1].outputs)


def _check_arguments(machine: Machine, executor: PlannedExecutor, workspace: int, size: int) -> None:
    needed, name = executor.workspace_size, executor.operator
    if executor.family is COMPOSITE:
        if size and not workspace:
            sentence = _null_workspace(size, needed)
            _consume(machine, executor, Text("destroyed by its launch with a null workspace"))
            advice = f"The executor is destroyed: call {name}GetWorkspaceSize again."
            raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"{sentence} {advice}")
        return
    short = size < executor.plan.copies or (workspace and size < needed) or (not size and needed)
    if short or (size and not workspace):
        reject(executor.outputs)
    if short:
        values = (size, "workspaceSize", f"{name} requires {needed} bytes")
        raise AclError(ACLNN_ERR_PARAM_INVALID, Item("EZ1010", values))
    if size and not workspace:
        raise null_pointer(name, "workspace", f"({_null_workspace(size, needed)} The executor is kept.)")


def _null_workspace(size: int, needed: int) -> str:
    return f"workspace is nullptr, but workspaceSize is {size}; the first phase asked for {needed} bytes."


def _stream(machine: Machine, thread: ThreadState, executor: PlannedExecutor, handle: int) -> Stream:
    """The stream of a launch. Raises 361001 with the runtime's status if the stream accepts no work."""
    try:
        stream = machine.own_stream(handle, f"Launch of {executor.operator}", thread)
        if stream.refuses():
            check_accepts_work(stream)
    except AclError as error:
        _consume(machine, executor)
        text = f"{executor.operator} could not be launched: runtime status {error.status}. The executor is used up."
        raise AclError(ACLNN_ERR_RUNTIME_ERROR, *error.items, Item("EZ9903", (text,)), runtime=error.status) from None
    return stream


def _consume(machine: Machine, executor: PlannedExecutor, reason: str = USED_UP) -> None:
    """Use up an executor: "The executor is consumed (unless it was made repeatable)", also by a launch that fails. A
    read of the outputs is a consequence of that."""
    reject(executor.outputs)  # before the executor drops its tensors
    if not executor.repeatable:
        machine.handles.remove(executor, reason, trail(machine.thread().caller))


def _check_kernel(machine: Machine, op: type[Op], executor: PlannedExecutor, refusing: Sequence[Series]) -> None:
    """Refuse a launch on a product that refuses it here, or without a kernel."""
    plan = executor.plan
    if machine.soc.series in refusing and plan.steps:
        _consume(machine, executor)
        raise unsupported(op, machine.soc)
    if plan.lacking:
        _consume(machine, executor)
        raise without_kernel(machine, op.c_name(), plan.lacking)


# enqueue


def _work(machine: Machine, plan: Plan, binding: Binding, device: Device, late: Late | None) -> Callable[[], None]:
    """The function that runs the bound plan."""
    workers = machine.compute_threads if plan.has_large_tensor else None
    uses_fast_engine = plan.suits_fast_engine and machine.options.fast
    launch_cache = binding.launch_cache if uses_fast_engine else None
    lock = machine.lock if machine.options.schedule == "threads" else None
    work: Callable[[], None] = partial(perform, plan.operator, binding.steps, launch_cache, device, lock, workers, late)
    work = work_without_values(work, plan)
    if late is None:
        binding.work = work
    return work


def _meeting(machine: Machine, executor: PlannedExecutor, binding: Binding, stream: Stream, where: Trail) -> Task:
    """The task of an operator that meets other ranks. If the stream is wrong, the launch fails and uses up the
    executor."""
    from aclnn.engine.ranks.meeting import MeetingLaunch, OperatorMeeting, check_stream  # late: few programs have ranks

    plan, device = executor.plan, stream.context.device

    def run(steps: Sequence[Bound]) -> None:
        _work(machine, plan, replace(binding, steps=tuple(steps)), device, None)()

    launch = MeetingLaunch(machine, plan, binding.steps, binding.ranges, binding.taint, where, run)
    try:
        check_stream(launch, stream)
    except AclError:
        _consume(machine, executor)
        raise
    task = OperatorMeeting(launch)
    task.stream = stream  # the report of a destroyed communicator names it
    return task


def work_without_values(work: Callable[[], None], plan: Plan) -> Callable[[], None]:
    """The work of a task that leaves no values of the plan in blocks of numpy."""
    if leaving_no_values is None:
        return work
    return leaving_no_values(work, (prod(part.shape) for step in plan.steps for part in step.outputs))


def context_of_tasks() -> contextvars.Context:
    """A context for the tasks of a stream. In it numpy does not warn, and takes memory from the blocks for tasks
    (`keep_blocks_apart`). The context is made once, as `np.errstate` for each run would cost a tenth of a tiny run."""
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    context.run(keep_blocks_apart)
    return context
