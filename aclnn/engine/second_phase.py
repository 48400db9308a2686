"""The second phase, `aclnnXxx`: judge the call, bind the plan to addresses, enqueue a task.

    judge     the executor is one of this operator, the workspace argument is there if the plan needs one, the stream
              may be launched on, the product has the operator's kernel
    bind      where the tensors and the workspace lie is judged, and every step gets the addresses of this moment
    enqueue   the order of accesses takes the task in, the executor is used up, the stream gets the task

Nothing is computed here: the stream runs the task when the schedule says so (`aclnn.engine.run`). What a launch is
bound to follows from the plan and the addresses, so `aclnn.engine.memo` can put itself around `bind`.

A launch that fails uses its executor up as one that succeeds, but for what the library finds before it looks at the
stream. A launch that a finding ends leaves the executor as it is, and what it would have written is excused: that
nobody wrote it only follows from the finding.
"""

import contextvars
from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

import numpy as np

from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.places import Known
from acl_runtime.memory.ranges import Range
from acl_runtime.objects.executor_life import Executor, Family
from acl_runtime.source.frames import trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Device, Stream, Task
from acl_runtime.streams.surfacing import accept
from aclnn.engine.access import Bound, bind_steps
from aclnn.engine.declaration import Op, Products
from aclnn.engine.launch_memory import check_tensors, check_workspace, excuse, user_ranges
from aclnn.engine.op_errors import null_pointer, refuse, unsupported
from aclnn.engine.plan import Plan, Planned
from aclnn.engine.run import perform

USED_UP: Final = "consumed by its launch"
COMPOSITE: Final = Family.COMPOSITE  # a member costs ten times as much to look up in its class


class Binding(NamedTuple):
    """A plan at the addresses of a launch."""

    ranges: tuple[Range, ...]
    """the memory that the launch uses"""
    steps: tuple[Bound, ...]
    doubts: tuple[str, ...]
    """roles of the tensors whose memory is wrong: what the task meets there only follows from that"""
    right: bool
    """is nothing wrong with the memory?"""


Bind: TypeAlias = Callable[[Machine, Planned, int, int, Device], tuple[Binding, Known | None]]
"""`bind`, or what stands around it"""


def second_phase(op: type[Op], bind: Bind) -> Callable[[Machine, ThreadState, list[Any]], None]:
    """The body of an operator's second phase, `aclnnXxx(workspace, workspaceSize, executor, stream)`."""
    name = op.c_name()

    def second(machine: Machine, thread: ThreadState, values: list[Any]) -> None:
        address, size, number, handle = values
        workspace: int = address.value
        # judge the call
        executor = machine.handles.get(number)
        if not isinstance(executor, Planned) or executor.operator != name:
            executor = _executor(machine, op, number)
        if size or executor.workspace_size:
            _check_arguments(machine, executor, workspace, size)
        stream = _stream(machine, thread, executor, handle)
        if machine.soc.series not in op.series and executor.plan.steps and op.elsewhere is Products.NOTICED_AT_LAUNCH:
            _consume(machine, executor)
            raise unsupported(op, machine.soc)
        # bind the plan to addresses
        executor.refused = True  # if one of the following is a finding
        try:
            binding, known = bind(machine, executor, workspace, size, stream.context.device)
        except (AclError, UndefinedBehaviour):
            excuse(executor.outputs)
            raise
        # enqueue a task
        where = trail(thread.caller)
        task = _task(machine, executor.plan, binding, stream, where)
        task.known = known
        machine.events.queueing(stream, task)  # what is found here leaves the executor as it is
        executor.refused = False
        if not executor.repeatable:
            machine.handles.remove(executor, USED_UP, where)
        machine.queue(stream, task, thread)

    return second


def bind(
    machine: Machine, executor: Planned, workspace: int, size: int, device: Device
) -> tuple[Binding, Known | None]:
    """Judge the memory of a launch, and give each step its addresses. The second half of the answer is what a launch at
    the same addresses left behind: nothing."""
    plan = executor.plan
    check_tensors(executor)
    right = check_workspace(executor, workspace, size, device)
    ranges, doubts = user_ranges(executor, device, workspace, judged=right) if plan.steps else ((), ())
    steps = bind_steps(plan, [tensor.address for tensor in executor.held], workspace, device)
    return Binding(ranges, steps, doubts, right and not doubts), None


def abandon(op: type[Op], error: AclError, machine: Machine, number: int) -> None:
    """What a launch leaves that fails without being looked at: what any that fails with this status would."""
    found = machine.handles.find(number, Planned)
    kept = op.family is Family.GENERATED and error.status in (ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID)
    if found is not None and not kept:
        _consume(machine, found)


# judge


def _executor(machine: Machine, op: type[Op], number: int) -> Planned:
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
    if found.operator != op.c_name() or not isinstance(found, Planned):
        found.refused = True
        excuse(found.outputs)
        _excuse_meant(machine, op)
        machine.crash(
            "exec-wrong-op",
            f"{op.c_name()} got {found}, which {found.operator}GetWorkspaceSize planned.",
            *found.past(),
        )
    return found


def _gone(machine: Machine, op: type[Op], number: int) -> NoReturn:
    """The handle is that of an executor that is used up, or of none."""
    where, history = machine.handles.told(number)
    refused = machine.thread().refused
    if refused is not None and (number == refused.executor or number not in machine.handles):
        if refused.told:
            listed = all(item.told for item in refused.items)
            raise AclError(ACLNN_ERR_RUNTIME_ERROR, *refused.items, told=True, listed=listed)
        excuse(refused.outputs)
        what = f"{op.c_name()} got the value that its executor variable held before the first phase failed: {where}."
        machine.crash("exec-failed-phase1", what, refused.past, *history)
    if isinstance(machine.handles.dead(number), Executor):
        _excuse_meant(machine, op)
        machine.crash("exec-reused", f"{op.c_name()} cannot launch its executor: {where}.", *history)
    what = f"{op.c_name()} got no executor: {where}."
    machine.crash("dead-handle", what, *history, hint="Pass the executor that the first phase wrote.")


def _excuse_meant(machine: Machine, op: type[Op]) -> None:
    """A call with a wrong executor was perhaps meant for the operator's last one that was not launched: that nobody
    uses that up, and what it would have written, only follows."""
    waiting = [each for each in machine.handles.all(Planned) if each.operator == op.c_name() and not each.refused]
    if waiting:
        waiting[-1].refused = True
        excuse(waiting[-1].outputs)


def _check_arguments(machine: Machine, executor: Planned, workspace: int, size: int) -> None:
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


def _stream(machine: Machine, thread: ThreadState, executor: Planned, handle: int) -> Stream:
    """The stream of a launch, which takes work; 361001 and the runtime's status otherwise."""
    try:
        stream = machine.own_stream(handle, f"Launch of {executor.operator}", thread)
        if stream.refuses:
            accept(stream)
    except AclError as error:
        _consume(machine, executor)
        text = f"{executor.operator} could not be launched: runtime status {error.status}. The executor is used up."
        raise AclError(ACLNN_ERR_RUNTIME_ERROR, *error.items, Item("EZ9903", (text,)), runtime=error.status) from None
    return stream


def _consume(machine: Machine, executor: Planned, how: str = USED_UP) -> None:
    """ "The executor is consumed (unless it was made repeatable)", also by a launch that fails."""
    if not executor.repeatable:
        machine.handles.remove(executor, how, trail(machine.thread().caller))


# enqueue


def _task(machine: Machine, plan: Plan, binding: Binding, stream: Stream, where: Trail) -> Task:
    """The task that runs the bound plan, where numpy does not warn."""
    workers = machine.workers if plan.large and machine.options.fast else None
    quiet = stream.quiet = stream.quiet or _without_warnings()
    device = stream.context.device
    work = partial(quiet.run, perform, plan.operator, binding.steps, device, machine.lock, workers)
    task = Task(plan.operator, work, binding.ranges, where, plan.traffic)  # pyright: ignore[reportArgumentType]
    task.operator, task.doubts = True, binding.doubts
    return task


def _without_warnings() -> contextvars.Context:
    """Where the tasks of a stream run: numpy keeps its `errstate` in such a context, and a device does not warn.
    (Entered once, as `np.errstate` for each run takes a tenth of a tiny one.)"""
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return context
