"""The second phase: judge executor, workspace and stream, then enqueue."""

from typing import NoReturn

from acl_runtime.errors import AclError
from acl_runtime.machine.executor import Executor as PlainExecutor
from acl_runtime.machine.executor import Family
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.site import here
from acl_runtime.machine.stream import Range, Stream, Task
from acl_runtime.messages import Item
from acl_runtime.statuses import ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR
from aclnn.access import workspace_problem
from aclnn.executor import Executor
from aclnn.refusals import null_pointer, refuse, unsupported
from aclnn.spec import Op, Products


def launch(machine: Machine, op: type[Op], workspace: int, size: int, number: int, stream: int) -> None:
    """`aclnnXxx(workspace, workspaceSize, executor, stream)`."""
    executor = _executor(machine, op, number)
    _check_arguments(machine, executor, workspace, size)
    try:
        where = machine.own_stream(stream, f"Launch of {op.c_name()}")
        where.accept()
    except AclError as error:
        _consume(machine, executor)
        text = f"{op.c_name()} could not be launched: runtime status {error.status}. The executor is used up."
        raise AclError(ACLNN_ERR_RUNTIME_ERROR, *error.items, Item("EZ9903", (text,)), runtime=error.status) from None
    if executor.steps and machine.soc.series not in op.series and op.elsewhere is Products.NOTICED_AT_LAUNCH:
        _consume(machine, executor)
        raise unsupported(op, machine.soc)
    _enqueue(machine, executor, workspace, size, where)


def _executor(machine: Machine, op: type[Op], number: int) -> Executor:
    """The executor of a handle: of this operator, and not used up."""
    refused = machine.thread().refused
    why = f" The last first phase that failed on this thread returned {refused}." if refused else ""
    if not number:
        if op.family is Family.GENERATED:
            raise null_pointer(op.c_name(), "executor", why.strip())
        facts = f"parameter: executor, found: null, allowed: what {op.c_name()}GetWorkspaceSize made"
        raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"executor is nullptr. ({facts}).{why}")
    found = machine.handles.find(number, PlainExecutor)
    if found is None:
        _gone(machine, op, number, why)
    if found.operator != op.c_name() or not isinstance(found, Executor):
        machine.crash(
            "exec-wrong-op",
            f"{op.c_name()} got {found} that {found.operator}GetWorkspaceSize planned at {found.made}. "
            "Launch each executor with its own operator.",
        )
    return found


def _gone(machine: Machine, op: type[Op], number: int, why: str) -> NoReturn:
    dead = machine.handles.dead(number)
    if isinstance(dead, PlainExecutor):
        machine.crash(
            "exec-reused",
            f"{op.c_name()} got {dead} of {dead.operator}, planned at {dead.made}, but it is gone: {dead.ended}. "
            "An executor serves one launch: plan again, or call aclSetAclOpExecutorRepeatable between the phases.",
        )
    id = "exec-failed-phase1" if why and number not in machine.handles else "dead-handle"
    machine.crash(id, f"{op.c_name()} got no executor: {machine.handles.whereabouts(number)}.{why}")


def _check_arguments(machine: Machine, executor: Executor, workspace: int, size: int) -> None:
    needed, name = executor.workspace_size, executor.operator
    null = f"workspace is nullptr, but workspaceSize is {size}; the first phase asked for {needed} bytes."
    if executor.family is Family.COMPOSITE:
        if size and not workspace:
            _consume(machine, executor)
            again = f"The executor is destroyed: call {name}GetWorkspaceSize again."
            raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"{null} {again}")
        if size < needed:
            machine.undefined(
                "ws-small",
                f"{name} got a workspace of {size} bytes, {needed} are required. This operator does not check: "
                "a device would write past the end. Pass what the first phase reported.",
            )
        return
    if size < executor.copies or (workspace and size < needed) or (not size and needed):
        values = (size, "workspaceSize", f"{name} requires {needed} bytes")
        raise AclError(ACLNN_ERR_PARAM_INVALID, Item("EZ1010", values))
    if size and not workspace:
        raise null_pointer(name, "workspace", f"({null})")


def _enqueue(machine: Machine, executor: Executor, workspace: int, size: int, stream: Stream) -> None:
    device = stream.context.device
    if size >= executor.workspace_size:  # else it was told already
        workspace_problem(executor, workspace, device)
    ranges = executor.ranges(device, workspace)
    _check_shared(machine, executor, ranges, stream)
    work = executor.work(device, workspace)
    _consume(machine, executor)
    machine.submit(stream, Task(executor.operator, work, ranges, here(), nbytes=executor.traffic, operator=True))


def _check_shared(machine: Machine, executor: Executor, ranges: tuple[Range, ...], stream: Stream) -> None:
    """The workspace is not "shared with other work in flight", nor is that of the other work used by this one."""
    for used in ranges:
        for task, role in machine.in_flight(used.low, used.high, besides=stream):
            if "workspace" in (used.role, role):
                machine.undefined(
                    "ws-shared",
                    f"the {used.role} of {executor.operator} in {stream} is also the {role} of {task}, which has not "
                    "run yet. Two streams run at the same time: give each its own workspace, or synchronise first.",
                )
                return


def _consume(machine: Machine, executor: Executor) -> None:
    """ "The executor is consumed (unless it was made repeatable)", also by a launch that fails."""
    if not executor.repeatable:
        machine.handles.remove(executor, "used up by its launch")
