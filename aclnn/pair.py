"""From an operator's declaration and plan to its two C functions."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, TypeVar

import acl_runtime.c as c
from acl_runtime.boundary import expose
from acl_runtime.errors import AclError, Past
from acl_runtime.function import CFunction
from acl_runtime.machine.executor import Family
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.objects import Tensor, Thing
from acl_runtime.machine.site import here, trail
from acl_runtime.machine.soc import Soc
from acl_runtime.machine.thread import Refusal, ThreadState
from acl_runtime.messages import Item
from acl_runtime.pointers import Out
from acl_runtime.statuses import ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR, name_of
from aclnn.constraints import Check, Empty
from aclnn.executor import Executor
from aclnn.help import first_doc, second_doc
from aclnn.launch import abandon, launcher
from aclnn.places import excuse
from aclnn.plan import Plan
from aclnn.planned import Planned
from aclnn.refusals import null_pointer, refuse, unsupported
from aclnn.spec import Op, Products, TensorOut, TensorParam

Call = TypeVar("Call", bound=Op)
Planner = Callable[[Call, Executor], None]
MOST: Final = 1000
"""ours: so many plans are remembered"""
_STATUS = c.of(c.aclnnStatus)
_SECOND = (
    ("workspace", c.of(c.void_p)),
    ("workspaceSize", c.of(c.uint64_t)),
    ("executor", c.of(c.aclOpExecutor_p)),
)
_gone = attrgetter("gone")


@dataclass(slots=True)
class Decided:
    """What a first phase came to; one on the same handles and values comes to the same while its objects live."""

    plan: Plan
    things: list[Any]
    """the values of the call, and the objects behind its handles"""
    held: list[Tensor]
    """of those, the tensors of the plan's roles"""
    objects: list[Thing]


def two_phase(op: type[Call], plan: Planner[Call]) -> tuple[Callable[..., int], Callable[..., int]]:
    """`aclnnXxxGetWorkspaceSize` and `aclnnXxx` of an operator: the first checks and plans, the second enqueues."""

    def first(machine: Machine, thread: ThreadState, values: list[Any]) -> None:
        try:
            thread.planned = _first(machine, thread, op, plan, values)
            thread.refused = None
        except AclError as error:
            refused(error, machine, thread, values)
            raise

    def refused(error: AclError, machine: Machine, thread: ThreadState, values: list[Any]) -> None:
        returned = f"{op.c_name()}GetWorkspaceSize returned {name_of(error.status)} ({error.status})"
        found = [machine.handles.find(values[place], Tensor) for place in op.output_places]
        outputs = tuple(tensor for tensor in found if tensor is not None)
        thread.refused = Refusal(Past(returned, here()), values[-1].held or 0, outputs, error.items, error.told)
        if error.told:
            excuse(outputs)

    second = launcher(op)

    def abandoned(error: AclError, machine: Machine, thread: ThreadState, values: list[Any]) -> None:
        _, _, executor, _ = values
        abandon(machine, op, executor, error.status)

    first.__module__ = second.__module__ = op.__module__
    out = (("workspaceSize", c.of(c.uint64_t_p)), ("executor", c.of(c.aclOpExecutor_pp)))
    parameters = tuple((param.printed, param.ctype) for param in op.params) + out
    stream_type = c.of(c.const_aclrtStream if op.const_stream else c.aclrtStream)
    declared = (
        CFunction(f"{op.c_name()}GetWorkspaceSize", op.header, _STATUS, parameters, first_doc(op), closes=False),
        CFunction(
            op.c_name(),
            op.header,
            _STATUS,
            (*_SECOND, ("stream", stream_type)),
            second_doc(op),
            closes=False,
            resource=True,
        ),
    )
    pair = expose(declared[0], first, refused, told=True), expose(declared[1], second, abandoned, told=True)
    for function in pair:
        function.op, function.phases = op, pair
    return pair


def _first(machine: Machine, thread: ThreadState, op: type[Op], planner: Planner[Any], values: list[Any]) -> Planned:
    size, handle = values[-2:]
    context = thread.explicit or thread.primary  # as a rule; else there may be a default one
    if context is None or not context.alive:
        context = machine.find_context(thread)
    complete = context is not None and not size.null and not handle.null
    same = (op, planner, machine.deterministic(context), *values[:-2])
    decided = machine.repeated.get(same) if complete and op.exact else None
    if not isinstance(decided, Decided) or any(map(_gone, decided.objects)):
        decided = _decide(machine, op, planner, same, size, handle, complete=complete)
    plan = decided.plan
    executor = Planned(plan, decided.things, decided.held, thread.name, trail(thread.caller))
    if not plan.composite:
        executor.capture()
    # "On failure: both *executor and *workspaceSize untouched": nothing below fails
    size.store(plan.workspace_size)
    handle.store(machine.handles.add(executor))
    return executor


def _decide(
    machine: Machine, op: type[Op], planner: Planner[Any], same: tuple[Any, ...], size: Out[int], handle: Out[int],
    *, complete: bool,
) -> Decided:  # fmt: skip
    """The plan of a call that is not just repeated: one that calls that are alike had, or a new one. `same`: the
    operator, its planner, the deterministic option, the values of the call; `complete`: it has all but them that a plan
    needs."""
    given = list(same[3:])
    things, key = _alike(machine, same[:3], op, given)
    plan = machine.plans.get(key) if complete and key is not None else None
    told = False
    if not isinstance(plan, Plan):
        before = machine.findings.asked
        order = _generated if op.family is Family.GENERATED else _composite
        call, builder = order(machine, op, planner, given, size, handle)
        plan = builder.finish(machine.options.min_workspace)
        things = [call.__dict__[param.name] for param in op.params]
        told = machine.findings.asked != before  # the next one finds it again
        if key is not None and not told:
            _remember(machine.plans, key, plan)
    objects = [things[place] for place, _ in op.object_places if things[place] is not None]
    decided = Decided(plan, things, [things[place] for place in plan.places], objects)
    if key is not None and not told and op.exact:
        _remember(machine.repeated, same, decided)
    return decided


def _alike(
    machine: Machine, first: tuple[Any, ...], op: type[Op], given: list[Any]
) -> tuple[list[Any], tuple[object, ...] | None]:
    """The values of a call and the objects behind its handles; and all that its plan follows from: `first`, data types,
    shapes and values, and which tensors are the same one. None where a handle is dead."""
    find, things = machine.handles.find, list(given)
    key: list[object] = list(first)
    tensors: list[int] = []
    for place, kind in op.object_places:
        number = given[place]
        thing = things[place] = find(number, kind)
        if isinstance(thing, Tensor):
            tensors.append(number)
            key.append(thing.view)
        elif number and thing is None:
            return things, None
        else:
            key.append(number)  # what is behind it does not change
    for place in op.value_places:
        value = given[place]
        key.append(value.hex() if type(value) is float else value)  # 0.0 == -0.0
    if len(set(tensors)) < len(tensors):
        key.append(tuple(map(tensors.index, tensors)))
    return things, tuple(key)


def _remember(known: dict[object, object], key: object, value: object) -> None:
    if len(known) >= MOST:
        known.clear()
    known[key] = value


def _composite(
    machine: Machine, op: type[Op], plan: Planner[Any], given: list[Any], size: Out[int], handle: Out[int]
) -> tuple[Op, Executor]:
    """Out-pointers, null tensors, the checks, the context, the plan."""
    if size.null or handle.null:
        missing = "workspaceSize" if size.null else "executor"
        facts = f"parameter: {missing}, found: null, allowed: the address of a variable, SoC: {machine.soc.label}"
        raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"executor or workspaceSize is nullptr. ({facts})")
    call = _call(machine, op, given)
    _check_nulls(op, call, machine.soc)
    return call, _checked(machine, op, plan, call, None)


def _generated(
    machine: Machine, op: type[Op], plan: Planner[Any], given: list[Any], size: Out[int], handle: Out[int]
) -> tuple[Op, Executor]:
    """Null tensors and the product come before the out-pointers, and copies are planned in between."""
    call = _call(machine, op, given)
    _check_nulls(op, call, machine.soc)
    if machine.soc.series not in op.series and op.elsewhere is Products.NOTICED_AT_ONCE:
        raise unsupported(op, machine.soc)
    if handle.null:
        raise null_pointer(f"{op.c_name()}GetWorkspaceSize", "executor")
    executor = Executor(call, machine.soc)
    for param in op.tensors:
        if not isinstance(param, TensorOut) and param.in_use(call):
            executor.contiguous(call.__dict__[param.name])
    if size.null:
        raise null_pointer(f"{op.c_name()}GetWorkspaceSize", "workspaceSize")
    return call, _checked(machine, op, plan, call, executor)


def _call(machine: Machine, op: type[Call], given: list[Any]) -> Call:
    """Handles to the objects behind them."""
    call = op(given)
    for param in op.objects:
        number = call.__dict__[param.name]
        found = machine.handles.find(number, param.kind)
        if found is None and number and param.looked_at(call):
            where, history = machine.handles.told(number)
            text = f"argument {param} of {op.c_name()}GetWorkspaceSize is no live {param.kind.kind}: {where}."
            machine.crash("dead-handle", text, *history, hint=machine.handles.remedy(number, None))
        call.__dict__[param.name] = found
    return call


def _check_nulls(op: type[Op], call: Op, soc: Soc) -> None:
    for param in op.objects:
        if param.needed(call) and call.__dict__[param.name] is None:
            when = param.when if isinstance(param, TensorParam) else None
            because = f" as {when} is true" if when else ""
            words = param.proper.format(param)
            if op.family is Family.GENERATED:
                words = f"Check {param} != nullptr failed."
            wanted = f"an {param.ctype.spelling.removeprefix('const ').removesuffix(' *')}"
            text = f"{words} (parameter: {param}, found: null, allowed: {wanted}{because}, SoC: {soc.label})"
            raise AclError(ACLNN_ERR_PARAM_NULLPTR, Item(op.null_code, (text,)))


def _checked(machine: Machine, op: type[Op], plan: Planner[Any], call: Op, executor: Executor | None) -> Executor:
    """The checks in their order, then the context, then the plan; Empty ends the checks."""
    soc = machine.soc
    empty = _first_violation(op.checks, call, soc)
    if machine.find_context() is None:
        raise AclError(
            ACLNN_ERR_RUNTIME_ERROR,
            machine.no_context("Context validation"),
            Item("EZ9903", (f"{op.c_name()}GetWorkspaceSize needs a current context.",)),
            runtime=107002,
        )
    if empty is not None:
        executor, plan = Executor(call, soc), empty.plan or _nothing
    elif soc.series not in op.series and op.elsewhere is Products.NOTICED_BY_PLAN:
        raise unsupported(op, soc)
    executor = executor or Executor(call, soc)
    plan(call, executor)
    return executor


def _nothing(call: Op, executor: Executor) -> None:
    """ "Empty input: workspace 0, no nodes"."""


def _first_violation(checks: tuple[Check, ...], call: Op, soc: Soc) -> Empty | None:
    """Go through the checks: the first violation ends the call; an Empty that holds is returned and ends the rest."""
    for check in checks:
        if isinstance(check, Empty):
            if check.holds(call):
                return check
        elif (violation := check.judge(call, soc)) is not None:
            made = next((value.made for value in map(call.__dict__.get, names(check)) if isinstance(value, Tensor)), "")
            raise refuse(check.status, violation.text(soc, f", tensor created at {made}" if made else ""))
    return None


def names(check: Check) -> list[str]:
    """The names of a check's parameters."""
    return [param.name for param in check.params]
