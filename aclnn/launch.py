"""The second phase: judge executor, workspace and stream, then enqueue."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn

from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.machine.device import Device
from acl_runtime.machine.executor import Executor as PlainExecutor
from acl_runtime.machine.executor import Family
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.places import Known, find
from acl_runtime.machine.site import trail
from acl_runtime.machine.stream import Stream, Task
from acl_runtime.machine.thread import ThreadState
from acl_runtime.messages import Item
from acl_runtime.statuses import ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR
from aclnn.aliases import BLOCK
from aclnn.places import check_tensors, check_workspace, excuse, user_ranges
from aclnn.planned import Binding, Planned
from aclnn.refusals import null_pointer, refuse, unsupported
from aclnn.run import bind, perform, without_warnings
from aclnn.spec import Op, Products

USED_UP: Final = "consumed by its launch"
COMPOSITE: Final = Family.COMPOSITE  # a member costs ten times as much to look up in its class


def launcher(op: type[Op]) -> Callable[[Machine, ThreadState, list[Any]], None]:
    """The body of an operator's second phase, `aclnnXxx(workspace, workspaceSize, executor, stream)`."""
    name = op.c_name()
    what = f"Launch of {name}"

    def second(machine: Machine, thread: ThreadState, values: list[Any]) -> None:
        address, size, number, stream = values
        workspace: int = address.value
        executor = machine.handles.get(number)
        if not isinstance(executor, Planned) or executor.operator != name:
            executor = _executor(machine, op, number)
        if size or executor.workspace_size:
            _check_arguments(machine, executor, workspace, size)
        try:
            where = machine.own_stream(stream, what, thread)
            where.accept()
        except AclError as error:
            _consume(machine, executor)
            text = f"{name} could not be launched: runtime status {error.status}. The executor is used up."
            raise AclError(
                ACLNN_ERR_RUNTIME_ERROR, *error.items, Item("EZ9903", (text,)), runtime=error.status
            ) from None
        if machine.soc.series not in op.series and executor.plan.steps and op.elsewhere is Products.NOTICED_AT_LAUNCH:
            _consume(machine, executor)
            raise unsupported(op, machine.soc)
        _enqueue(machine, thread, executor, workspace, size, where)

    return second


def _executor(machine: Machine, op: type[Op], number: int) -> Planned:
    """The executor of a handle: of this operator, and not used up."""
    if not number:
        refused = machine.thread().refused
        why = f" The last first phase on this thread failed: {refused.past}." if refused is not None else ""
        if op.family is Family.GENERATED:
            raise null_pointer(op.c_name(), "executor", why.strip())
        facts = f"parameter: executor, found: null, allowed: what {op.c_name()}GetWorkspaceSize made"
        raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"executor is nullptr. ({facts}).{why}")
    found = machine.handles.find(number, PlainExecutor)
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
    if isinstance(machine.handles.dead(number), PlainExecutor):
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


def _enqueue(
    machine: Machine, thread: ThreadState, executor: Planned, workspace: int, size: int, stream: Stream
) -> None:  # fmt: skip
    device, plan = stream.context.device, executor.plan
    executor.refused = True  # if one of the following is a finding
    key = executor.key(device, workspace, size)
    known = executor.remembered(key)
    try:
        binding = known or _bind(machine, executor, workspace, size, device, key)
    except (AclError, UndefinedBehaviour):
        excuse(executor.outputs)
        raise
    workers = machine.workers if plan.large and machine.options.fast else None
    quiet = stream.quiet = stream.quiet or without_warnings()
    work = partial(quiet.run, perform, plan.operator, binding.steps, device, machine.lock, workers)
    where = trail(thread.caller)
    task = Task(plan.operator, work, binding.ranges, where, plan.traffic)  # pyright: ignore[reportArgumentType]
    task.operator, task.doubts = True, binding.doubts
    machine.order.admit(stream, task, known and known.known)  # what is found here leaves the executor as it is
    executor.refused = False
    if not executor.repeatable:
        machine.handles.remove(executor, USED_UP, where)
    machine.churn.launches += 1
    machine.queue(stream, task, thread)


def _bind(
    machine: Machine, executor: Planned, workspace: int, size: int, device: Device, key: tuple[object, ...]
) -> Binding:
    """Judge the memory of a launch. Where nothing is wrong, the next one at the same addresses need not look again."""
    plan, before = executor.plan, machine.findings.asked
    check_tensors(executor)
    right = check_workspace(executor, workspace, size, device)
    ranges, doubts = user_ranges(executor, device, workspace, judged=right) if plan.steps else ((), ())
    steps = bind(plan, [tensor.address for tensor in executor.held], workspace)
    found = [find(machine, used) for used in ranges]
    places = tuple(place for place in found if place is not None)
    binding = Binding(ranges, Known(places), steps, doubts)
    told_once = any(tensor.address % BLOCK for _, tensor in executor.used)  # which is told for each tensor
    if right and not doubts and len(places) == len(ranges) and not told_once and machine.findings.asked == before:
        executor.remember(key, binding)
    return binding


def abandon(machine: Machine, op: type[Op], number: int, status: int) -> None:
    """What a launch leaves that fails without being looked at: what any that fails with this status would."""
    found = machine.handles.find(number, Planned)
    kept = op.family is Family.GENERATED and status in (ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID)
    if found is not None and not kept:
        _consume(machine, found)


def _consume(machine: Machine, executor: Planned, how: str = USED_UP) -> None:
    """ "The executor is consumed (unless it was made repeatable)", also by a launch that fails."""
    if not executor.repeatable:
        machine.handles.remove(executor, how, trail(machine.thread().caller))
