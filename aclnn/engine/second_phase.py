"""The second phase, `aclnnXxx`: judge the call, bind the plan to addresses, enqueue a task.

    judge     the executor is one of this operator, the workspace argument is there if the plan needs one, the stream
              may be launched on, the product has the operator's kernel
    bind      the addresses of the tensors and the workspace are judged, and every step gets the addresses of this
              moment
    enqueue   races with queued work are checked, the executor is used up, the stream gets the task

Nothing is computed here: the stream runs the task when the schedule says so (`aclnn.engine.run`). A binding follows
from the plan and the addresses, so `aclnn.engine.memo` wraps `bind`.

A failed launch also uses up its executor, except for errors found before the stream is judged. If a finding ends the
launch, the executor stays usable and its outputs count as written: unwritten bytes there are a consequence.
"""

import contextvars
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn, TypeAlias

import numpy as np

from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.located_ranges import CachedRanges
from acl_runtime.memory.ranges import Range
from acl_runtime.objects.executor_life import LAUNCH, Executor, Family
from acl_runtime.source.frames import trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Device, OperatorTask, Stream
from acl_runtime.streams.surfacing import accept
from aclnn.engine.declaration import Op, When
from aclnn.engine.device_view import Bound, bind_steps
from aclnn.engine.fast import Kept
from aclnn.engine.late_outputs import Late, late_shapes
from aclnn.engine.launch_memory import check_tensors, check_workspace, reject, user_ranges
from aclnn.engine.op_errors import null_pointer, refuse, unsupported, without_kernel
from aclnn.engine.plan import Plan, PlannedExecutor
from aclnn.engine.run import perform

USED_UP: Final = "consumed by its launch"
IN_PLACE: Final = "aclnnInplace"
"""how the names of operators in place begin"""
COMPOSITE: Final = Family.COMPOSITE  # a member costs ten times as much to look up in its class


@dataclass(slots=True)
class Binding:
    """A plan at the addresses of a launch."""

    ranges: tuple[Range, ...]
    """the memory that the launch uses"""
    steps: tuple[Bound, ...]
    taint: frozenset[str]
    """roles of the tensors whose memory is wrong: what the task finds there is only a consequence"""
    right: bool
    """is nothing wrong with the memory?"""
    kept: Kept | None
    """what the tile engine keeps for the next launch with this binding; None: the plan is not for it"""


Bind: TypeAlias = Callable[[Machine, PlannedExecutor, int, int, Device], tuple[Binding, CachedRanges | None]]
"""`bind`, or what stands around it"""


def second_phase(op: type[Op], bind: Bind) -> Callable[[Machine, ThreadState, tuple[Any, ...]], None]:
    """The body of an operator's second phase, `aclnnXxx(workspace, workspaceSize, executor, stream)`."""
    name = op.c_name()
    refusing = tuple(series for series, refusal in op.refusals.items() if refusal.when is When.LAUNCH)

    def second(machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
        address, size, number, handle = values
        workspace: int = address.value
        # judge the call
        executor = machine.handles.get(number)
        if not isinstance(executor, PlannedExecutor) or executor.operator != name:
            executor = _executor(machine, op, number)
        if size or executor.workspace_size:
            _check_arguments(machine, executor, workspace, size)
        stream, context = machine.handles.get(handle), thread.explicit or thread.primary
        if (  # as in `_stream`, which finds out what is wrong
            context is None
            or not isinstance(stream, Stream)
            or stream.context is not context
            or not context.alive
            or context.fault is not None
            or stream.aborted
        ):
            stream = _stream(machine, thread, executor, handle)
            context = stream.context
        if machine.soc.series in refusing and executor.plan.steps:
            _consume(machine, executor)
            raise unsupported(op, machine.soc)
        if executor.plan.lacking:
            reject(executor.outputs)
            _consume(machine, executor)  # the executor then forgets its tensors
            raise without_kernel(machine, name, executor.plan.lacking)
        # bind the plan to addresses
        try:
            binding, known = bind(machine, executor, workspace, size, context.device)
        except (AclError, UndefinedBehaviour):
            machine.consequences.taint(executor, LAUNCH)
            reject(executor.outputs)
            raise
        # enqueue a task
        where, plan = trail(thread.caller), executor.plan
        late = late_shapes(executor) if plan.sized else None
        work = _work(machine, plan, binding, stream, late)
        task = OperatorTask(name, work, binding.ranges, where, plan.traffic, binding.taint, known)
        try:
            machine.announce.queueing(stream, task)  # what is found here leaves the executor as it is
        except (AclError, UndefinedBehaviour):
            machine.consequences.taint(executor, LAUNCH)
            raise
        if executor.taint:
            machine.consequences.launched(executor)
        if not executor.repeatable:
            machine.handles.remove(executor, USED_UP, where)
        for each in late.values() if late else ():
            machine.late_shapes.expect(task, each)
        machine.scheduler.queue(stream, task, thread)

    return second


def bind(
    machine: Machine, executor: PlannedExecutor, workspace: int, size: int, device: Device
) -> tuple[Binding, CachedRanges | None]:
    """Judge the memory of a launch, and give each step its addresses. The second half of the answer is what a launch at
    the same addresses left behind: nothing."""
    plan = executor.plan
    check_tensors(executor)
    right = check_workspace(executor, workspace, size, device)
    ranges: tuple[Range, ...] = ()
    taint: frozenset[str] = frozenset()
    if plan.steps:
        ranges, taint = user_ranges(executor, device, workspace, judged=right)
    addresses = [tensor.address for tensor in executor.held]
    steps = bind_steps(plan, addresses, workspace, device, executor.things, in_parts=machine.options.fast)
    return Binding(ranges, steps, taint, right and not taint, Kept() if plan.large else None), None


def abandon(op: type[Op], error: AclError, machine: Machine, number: int) -> None:
    """Use up the executor of a launch that an injected failure ended, as a launch that fails with this status does."""
    found = machine.handles.find(number, PlannedExecutor)
    kept = op.family is Family.GENERATED and error.status in (ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID)
    if found is not None and not kept:
        _consume(machine, found)


# judge


def _executor(machine: Machine, op: type[Op], number: int) -> PlannedExecutor:
    """The executor of a handle: of this operator, and not used up."""
    if not number:
        refused = machine.thread().refused
        why = f" The last first phase on this thread failed: {refused.past}." if refused is not None else ""
        if op.family is Family.GENERATED:
            raise null_pointer(op.c_name(), "executor", why.strip())
        facts = f"parameter: executor, found: null, allowed: what {op.c_name()}GetWorkspaceSize made"
        raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"executor is nullptr. ({facts}).{why}")
    found = machine.handles.find(number, Executor)
    if found is None:
        _gone(machine, op, number)
    if isinstance(found, PlannedExecutor) and twins(found.operator, op.c_name()):
        if machine.consequences.first("exec-twin"):
            what = f"{op.c_name()} launches {found}, which {found.operator}GetWorkspaceSize planned."
            machine.undefined("exec-twin", what, *found.past())
    elif found.operator != op.c_name() or not isinstance(found, PlannedExecutor):
        machine.consequences.taint(found, LAUNCH)
        reject(found.outputs)
        _reject_meant(machine, op)
        machine.crash(
            "exec-wrong-op",
            f"{op.c_name()} got {found}, which {found.operator}GetWorkspaceSize planned.",
            *found.past(),
        )
    return found


def twins(one: str, other: str) -> bool:
    """Is one of these operators the form in place of the other?"""
    return one != other and one.replace(IN_PLACE, "aclnn", 1) == other.replace(IN_PLACE, "aclnn", 1)


def _gone(machine: Machine, op: type[Op], number: int) -> NoReturn:
    """The handle is that of an executor that is used up, or of none."""
    where, history = machine.handles.describe(number)
    refused = machine.thread().refused
    if refused is not None and (number == refused.executor or number not in machine.handles):
        error = AclError(ACLNN_ERR_RUNTIME_ERROR, *refused.items, taint=refused.taint)
        if machine.consequences.of(error):
            raise error
        reject(refused.outputs)
        what = f"{op.c_name()} got the value that its executor variable held before the first phase failed: {where}."
        machine.crash("exec-failed-phase1", what, refused.past, *history)
    if isinstance(machine.handles.dead(number), Executor):
        _reject_meant(machine, op)
        machine.crash("exec-reused", f"{op.c_name()} cannot launch its executor: {where}.", *history)
    what = f"{op.c_name()} got no executor: {where}."
    machine.crash("dead-handle", what, *history, hint="Pass the executor that the first phase wrote.")


def _reject_meant(machine: Machine, op: type[Op]) -> None:
    """A call with a wrong executor was perhaps meant for the last executor of this operator that waits for its launch.
    If that one is never launched, its leak and its unwritten outputs are only consequences."""
    of, found = machine.consequences.of, machine.handles.all(PlannedExecutor)
    waiting = [each for each in found if each.operator == op.c_name() and not of(each, LAUNCH)]
    if waiting:
        machine.consequences.taint(waiting[-1], LAUNCH)
        reject(waiting[-1].outputs)


def _check_arguments(machine: Machine, executor: PlannedExecutor, workspace: int, size: int) -> None:
    needed, name = executor.workspace_size, executor.operator
    if executor.family is COMPOSITE:
        if size and not workspace:
            null = _null(size, needed)
            _consume(machine, executor, "destroyed by its launch with a null workspace")
            again = f"The executor is destroyed: call {name}GetWorkspaceSize again."
            raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"{null} {again}")
        return
    if size < executor.plan.copies or (workspace and size < needed) or (not size and needed):
        values = (size, "workspaceSize", f"{name} requires {needed} bytes")
        raise AclError(ACLNN_ERR_PARAM_INVALID, Item("EZ1010", values))
    if size and not workspace:
        raise null_pointer(name, "workspace", f"({_null(size, needed)} The executor is kept.)")


def _null(size: int, needed: int) -> str:
    return f"workspace is nullptr, but workspaceSize is {size}; the first phase asked for {needed} bytes."


def _stream(machine: Machine, thread: ThreadState, executor: PlannedExecutor, handle: int) -> Stream:
    """The stream of a launch, which takes work; 361001 and the runtime's status otherwise."""
    try:
        stream = machine.own_stream(handle, f"Launch of {executor.operator}", thread)
        if stream.refuses():
            accept(stream)
    except AclError as error:
        _consume(machine, executor)
        text = f"{executor.operator} could not be launched: runtime status {error.status}. The executor is used up."
        raise AclError(ACLNN_ERR_RUNTIME_ERROR, *error.items, Item("EZ9903", (text,)), runtime=error.status) from None
    return stream


def _consume(machine: Machine, executor: PlannedExecutor, how: str = USED_UP) -> None:
    """ "The executor is consumed (unless it was made repeatable)", also by a launch that fails."""
    if not executor.repeatable:
        machine.handles.remove(executor, how, trail(machine.thread().caller))


# enqueue


def _work(machine: Machine, plan: Plan, binding: Binding, stream: Stream, late: Late | None) -> Callable[[], None]:
    """Runs the bound plan, where numpy does not warn."""
    workers = machine.compute_threads if plan.threaded else None
    kept = binding.kept if plan.large and machine.options.fast else None  # else nothing is computed in tiles
    quiet = stream.numpy_context = stream.numpy_context or without_warnings()
    device = stream.context.device
    lock = machine.lock if machine.options.schedule == "threads" else None
    run = (perform, plan.operator, binding.steps, kept, device, lock, workers, late)
    return partial(quiet.run, *run)  # pyright: ignore[reportReturnType]


def without_warnings() -> contextvars.Context:
    """Where the tasks of a stream run: numpy keeps its `errstate` in such a context, and a device does not warn.
    (Entered once, as `np.errstate` for each run takes a tenth of a tiny one.)"""
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return context
