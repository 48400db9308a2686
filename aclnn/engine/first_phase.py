"""The first phase, `aclnnXxxGetWorkspaceSize`: judge the call, plan it, hand out an executor.

    1. Each handle becomes the object behind it. A dead handle is a finding.
    2. Null pointers, the operator's checks, the context and the product are judged, in the order of the operator's
       family.
    3. The operator's planner queues its steps on a plan builder, which lays out the workspace. The result is the plan.
    4. The size of the workspace and an executor are written to the caller's pointers. An executor is the plan with the
       tensors of this call.

Steps 1 to 3 are `decide`. Its result follows from the call alone, so `aclnn.engine.memo` wraps it and answers for a
call that is like an earlier one. A failure leaves both outputs of the caller as they are. The thread remembers it: an
error of the launch that the program makes all the same is a consequence of it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from acl_runtime.abi.pointers import Out
from acl_runtime.errors import AclError, Past
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR, name_of
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.handle_table import Tensor, Thing, ThingList
from acl_runtime.objects.soc import NEWER, Soc
from acl_runtime.source.frames import here, trail
from acl_runtime.streams.host_thread import FailedPlan, ThreadState
from aclnn.engine.arguments import Arguments
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check, Op, When
from aclnn.engine.kernels import Planner as KernelPlanner
from aclnn.engine.launch_memory import reject
from aclnn.engine.op_errors import advise, check_bfloat16, null_pointer, refuse, unsupported, without_kernel
from aclnn.engine.parameters import ObjectParam, TensorParam
from aclnn.engine.plan import Plan, PlannedExecutor
from aclnn.engine.plan_builder import PlanBuilder

Call = TypeVar("Call", bound=Op)
Planner: TypeAlias = Callable[[Call, PlanBuilder], None]


@dataclass(slots=True)
class Decided:
    """The result of a first phase."""

    plan: Plan
    things: list[Any]
    """the values of the call, and the objects behind its handles"""
    held: list[Tensor]
    """of those, the tensors of the plan's roles"""


Decide: TypeAlias = Callable[[Machine, ThreadState, type[Op], Planner[Any], tuple[Any, ...]], Decided]
"""`decide`, or what stands around it"""


def first_phase(
    op: type[Op], planner: Planner[Any], decide: Decide
) -> Callable[[Machine, ThreadState, tuple[Any, ...]], None]:
    """The body of an operator's first phase."""
    name, changes, undocumented = op.c_name(), op.changes, tuple(op.undocumented)

    def first(machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
        try:
            if machine.late_shapes.expected:
                _read_shapes(op, machine, values)
            kernels = machine.kernels
            own = kernels.standing_in(name) if kernels or kernels.shared else None  # mostly there are none
            decided = decide(machine, thread, op, KernelPlanner(own) if own else planner, values)
        except AclError as error:
            note(op, error, machine, thread, values)
            raise
        if machine.soc.series in undocumented:
            advise(op, machine)
        plan, size, handle = decided.plan, values[-2], values[-1]
        executor = PlannedExecutor(plan, decided.things, decided.held, thread.name, trail(thread.caller))
        if not plan.composite:
            executor.capture()
        # "On failure: both *executor and *workspaceSize untouched": nothing here fails
        size.store(plan.workspace_size)
        handle.store(machine.handles.add(executor))
        thread.planned, thread.refused = executor, None
        if changes is not None and plan.steps:
            changes(Arguments(op(decided.things), machine.soc))

    return first


def _read_shapes(op: type[Op], machine: Machine, values: tuple[Any, ...]) -> None:
    """Shapes that tasks find out count as read. That of an output does not, as the operator may find it out anew."""
    for tensor in _tensors(machine, values, op.output_places):
        machine.read_shape(tensor, as_input=False)
    for tensor in _tensors(machine, values, op.input_places):
        machine.read_shape(tensor)


def note(op: type[Op], error: AclError, machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
    """A first phase failed: the thread remembers it for its launch."""
    returned = f"{op.c_name()}GetWorkspaceSize returned {name_of(error.status)} ({error.status})"
    outputs = tuple(_tensors(machine, values, op.output_places))
    thread.refused = FailedPlan(Past(returned, here()), values[-1].held or 0, outputs, error.items, error.taint)
    if machine.consequences.of(error):
        reject(outputs)


def _tensors(machine: Machine, values: tuple[Any, ...], places: Iterable[int]) -> Iterator[Tensor]:
    """The live tensors of some parameters of a call."""
    for place in places:
        found = machine.handles.find(values[place], Thing)
        numbers = found.members if isinstance(found, ThingList) else (values[place],)
        tensors = (machine.handles.find(number, Tensor) for number in numbers)
        yield from (tensor for tensor in tensors if tensor is not None)


def decide(
    machine: Machine, thread: ThreadState, op: type[Op], planner: Planner[Any], values: tuple[Any, ...]
) -> Decided:
    """Judge the call and plan it."""
    *given, size, handle = values
    _check_product(op, machine.soc, When.FIRST)
    order = _generated if op.family is Family.GENERATED else _composite
    with np.errstate(all="ignore"):  # an attribute may be infinite, and a library does not warn
        call, builder = order(machine, op, planner, given, size, handle)
    plan = builder.finish(machine.options.min_workspace)
    if plan.lacking and machine.options.catalogued == "plan":
        raise without_kernel(machine, op.c_name(), plan.lacking)
    things = [call.__dict__[param.name] for param in op.params]
    return Decided(plan, things, plan.held(things))


def _composite(
    machine: Machine, op: type[Op], planner: Planner[Any], given: list[Any], size: Out[int], handle: Out[int]
) -> tuple[Op, PlanBuilder]:
    """Out-pointers, null tensors, the checks, the context, the plan. Some in-place twins make tests of their own before
    all that."""
    call = _call(machine, op, given) if op.first_nulls or op.first_checks else None
    if call is not None:
        check_nulls(op, call, machine.soc, op.first_nulls)
        first_violation(op.first_checks, call, machine.soc)
    _check_product(op, machine.soc, When.EARLY)
    if size.null or handle.null:
        missing = "workspaceSize" if size.null else "executor"
        facts = f"parameter: {missing}, found: null, allowed: the address of a variable, SoC: {machine.soc.label}"
        raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"executor or workspaceSize is nullptr. ({facts})")
    call = call or _call(machine, op, given)
    check_nulls(op, call, machine.soc, op.null_checked)
    return call, _planned(machine, op, planner, call, None)


def _generated(
    machine: Machine, op: type[Op], planner: Planner[Any], given: list[Any], size: Out[int], handle: Out[int]
) -> tuple[Op, PlanBuilder]:
    """Null tensors and the product come before the out-pointers, and copies are planned in between."""
    call = _call(machine, op, given)
    check_nulls(op, call, machine.soc, op.null_checked)
    _check_product(op, machine.soc, When.AT_ONCE)
    if handle.null:
        raise null_pointer(f"{op.c_name()}GetWorkspaceSize", "executor")
    builder = PlanBuilder(call, machine.soc)
    for place in op.input_places:
        value: Tensor | tuple[Tensor | None, ...] | None = call.__dict__[op.params[place].name]
        for tensor in value if isinstance(value, tuple) else (value,):
            if tensor is not None:
                builder.contiguous(tensor)
    if size.null:
        raise null_pointer(f"{op.c_name()}GetWorkspaceSize", "workspaceSize")
    return call, _planned(machine, op, planner, call, builder)


def _check_product(op: type[Op], soc: Soc, when: When) -> None:
    """Does the product refuse the operator at this place? Then raises the refusal."""
    refusal = op.refusals.get(soc.series)
    if refusal is not None and refusal.when is when:
        raise unsupported(op, soc)


def _call(machine: Machine, op: type[Call], given: list[Any]) -> Call:
    """Handles to the objects behind them."""
    call = op(given)
    for param in op.objects:
        number = call.__dict__[param.name]
        found = machine.handles.find(number, param.kind)
        if found is None and number and param.looked_at(call):
            where, history = machine.handles.describe(number)
            text = f"argument {param} of {op.c_name()}GetWorkspaceSize is no live {param.kind.kind}: {where}."
            machine.crash("dead-handle", text, *history, hint=machine.handles.remedy(number, None))
        call.__dict__[param.name] = members(machine, op, param, found) if isinstance(found, ThingList) else found
    return call


def members(machine: Machine, op: type[Op], param: ObjectParam[Any], found: ThingList) -> tuple[Any, ...]:
    """The objects in a list; None for a null member."""
    things: list[Any] = []
    for at, number in enumerate(found.members):
        thing = machine.handles.find(number, found.member_kind)
        if thing is None and number:
            where, history = machine.handles.describe(number)
            what = f"member {at} of argument {param} of {op.c_name()}GetWorkspaceSize"
            alive = machine.handles.find(number, Thing) is not None
            text = f"{what} is {f'no {found.member_kind.kind}' if alive else 'destroyed'}: {where}."
            machine.crash("dead-handle", text, *history, *found.past())
        things.append(thing)
    return tuple(things)


def check_nulls(op: type[Op], call: Op, soc: Soc, params: Sequence[ObjectParam[Any]]) -> None:
    """Judge the null pointers: the first that is needed ends the call."""
    for param in params:
        value = call.__dict__[param.name]
        if isinstance(value, tuple) and None in value:
            at = cast("tuple[object, ...]", value).index(None)
            words = f"Expected a proper member {at} of {param} but got null."
            text = f"{words} (parameter: {param}[{at}], found: null, allowed: a live member, SoC: {soc.label})"
            raise AclError(ACLNN_ERR_PARAM_NULLPTR, Item(op.null_code, (text,)))
        if value is None and param.needed(call):
            when = param.when if isinstance(param, TensorParam) else None
            when = when or param.needed_with
            because = f" as {when} is true" if when else ""
            words = param.proper.format(param)
            if op.family is Family.GENERATED:
                words = f"Check {param} != nullptr failed."
            wanted = f"an {param.ctype.spelling.removeprefix('const ').removesuffix(' *')}"
            text = f"{words} (parameter: {param}, found: null, allowed: {wanted}{because}, SoC: {soc.label})"
            status = op.null_statuses.get(param.printed, op.null_status)
            raise AclError(status, Item(op.null_code, (text,)))


def _planned(
    machine: Machine, op: type[Op], planner: Planner[Any], call: Op, builder: PlanBuilder | None
) -> PlanBuilder:
    """The checks in their order, then the context, then the plan; Empty ends the checks."""
    soc = machine.soc
    _check_product(op, soc, When.NULLS)
    empty = first_violation(op.checks, call, soc)
    _check_product(op, soc, When.LAST)
    if machine.find_context() is None:
        raise AclError(
            ACLNN_ERR_RUNTIME_ERROR,
            machine.no_context("Context validation"),
            Item("EZ9903", (f"{op.c_name()}GetWorkspaceSize needs a current context.",)),
            runtime=107002,
        )
    if empty is not None:
        builder, planner = PlanBuilder(call, soc), empty.plan or nothing
    else:
        _check_product(op, soc, When.PLAN)
        if op.from_facts and soc.series not in NEWER:  # the documents of the others say where it exists
            check_bfloat16(op, call, soc)
    builder = builder or PlanBuilder(call, soc)
    planner(call, builder)
    return builder


def nothing(call: Op, builder: PlanBuilder) -> None:
    """ "Empty input: workspace 0, no nodes"."""


def first_violation(checks: tuple[Check, ...], call: Op, soc: Soc) -> Empty | None:
    """Go through the checks: the first violation ends the call; an Empty that holds is returned and ends the rest."""
    for check in checks:
        if isinstance(check, Empty):
            if check.holds(call, soc):
                return check
        elif (violation := check.judge(call, soc)) is not None:
            given = (call.__dict__.get(param.name) for param in check.params)
            made = next((value.made for value in given if isinstance(value, Tensor)), "")
            history = f", tensor created at {made}" if made else ""
            raise refuse(check.status_on(soc.series), violation.text(soc, history))
    return None
