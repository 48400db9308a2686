"""The first phase, `aclnnXxxGetWorkspaceSize`: it checks the call, plans it, and returns an executor.

    1. Each handle becomes the object behind it. A dead handle is a finding.
    2. Null pointers, the operator's checks, the context and the product are checked, in the order of its family.
    3. The operator's planner queues its steps on a plan builder, which lays out the workspace. The result is the plan.
    4. The size of the workspace and an executor are written to the caller's pointers. An executor is the plan with the
       tensors of this call.

Steps 1 to 3 are `decide`. Its result depends on the call only, so `aclnn.engine.memo` wraps it and caches its results.
A failure leaves both outputs of the caller unchanged. The thread records the failure: if the program launches
nevertheless, errors of the launch are consequences.
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
from acl_runtime.process import process
from acl_runtime.source.frames import here, trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.host_thread import FailedPlan, ThreadState
from acl_runtime.text import Text
from aclnn.engine.arguments import Arguments
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check, Op, When
from aclnn.engine.kernels import KernelPlanner
from aclnn.engine.launch_memory import reject
from aclnn.engine.op_errors import advise, check_bfloat16, null_pointer, refuse, unsupported, without_kernel
from aclnn.engine.parameters import ObjectParam, TensorParam
from aclnn.engine.plan import LazyExecutor, NativeCall, Plan, PlannedExecutor
from aclnn.engine.plan_builder import PlanBuilder

Call = TypeVar("Call", bound=Op)
Planner: TypeAlias = Callable[[Call, PlanBuilder], None]


@dataclass(slots=True)
class Decided:
    """The result of `decide`."""

    plan: Plan
    things: list[Any]
    """values of the call, with objects in place of handles"""
    tensors: list[Tensor]
    """tensors of the plan's roles"""
    call: NativeCall | None = None
    """the call of a C program without Python objects; `things` and `tensors` are then empty"""

    def executor(self, thread: str, trail: Trail) -> PlannedExecutor:
        """An executor for this call."""
        if self.call is not None:
            return LazyExecutor(self.plan, self.call, thread, trail)
        executor = PlannedExecutor(self.plan, self.things, self.tensors, thread, trail)
        if not self.plan.composite:
            executor.capture()
        return executor


Decide: TypeAlias = Callable[[Machine, ThreadState, type[Op], Planner[Any], tuple[Any, ...]], Decided]
"""signature of `decide` and of the caching `memo.decide`"""


def first_phase(
    op: type[Op], planner: Planner[Any], decide: Decide
) -> Callable[[Machine, ThreadState, tuple[Any, ...]], None]:
    """The body of an operator's first phase."""
    name, change_state, undocumented = op.c_name(), op.changes, tuple(op.undocumented)

    def first(machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
        try:
            if machine.late_shapes.expected:
                _read_shapes(op, machine, values)
            kernels = machine.kernels
            own_kernel = kernels.standing_in(name) if kernels or kernels.shared else None  # usually there are none
            decided = decide(machine, thread, op, KernelPlanner(own_kernel) if own_kernel else planner, values)
        except AclError as error:
            note(op, error, machine, thread, values)
            raise
        if machine.soc.series in undocumented:
            advise(op, machine)
        plan, size, handle = decided.plan, values[-2], values[-1]
        executor = decided.executor(thread.name, trail(thread.caller))
        # "On failure: both *executor and *workspaceSize untouched": from here on nothing fails
        size.store(plan.workspace_size)
        handle.store(machine.handles.add(executor))
        thread.planned, thread.refused = executor, None
        if change_state is not None and plan.steps:
            change_state(Arguments(op(decided.things), machine.soc))

    return first


def _read_shapes(op: type[Op], machine: Machine, values: tuple[Any, ...]) -> None:
    """Mark late shapes as read by this call. A read that is too early is no mistake for an output."""
    for tensor in _tensors(machine, values, op.output_places):
        machine.read_shape(tensor, as_input=False)
    for tensor in _tensors(machine, values, op.input_places):
        machine.read_shape(tensor)


def note(op: type[Op], error: AclError, machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
    """Record a failed first phase in the thread, for the report of a launch that follows nevertheless."""
    status = f"{name_of(error.status)} ({error.status})"
    returned = Text("{function} returned {status}", function=f"{op.c_name()}GetWorkspaceSize", status=status)
    outputs = tuple(_tensors(machine, values, op.output_places))
    process.change_conditions()  # the next first phase, which ends the state `refused`, is made in Python
    thread.refused = FailedPlan(Past(returned, here()), values[-1].held or 0, outputs, error.items, error.taint)
    if machine.consequences.of(error):
        reject(outputs)


def _tensors(machine: Machine, values: tuple[Any, ...], places: Iterable[int]) -> Iterator[Tensor]:
    """The live tensors of some parameters of a call."""
    for place in places:
        thing = machine.handles.find(values[place], Thing)
        handles = thing.members if isinstance(thing, ThingList) else (values[place],)
        tensors = (machine.handles.find(handle, Tensor) for handle in handles)
        yield from (tensor for tensor in tensors if tensor is not None)


def decide(
    machine: Machine, thread: ThreadState, op: type[Op], planner: Planner[Any], values: tuple[Any, ...]
) -> Decided:
    """Check the call and plan it."""
    *arguments, size, executor = values
    _check_product(op, machine.soc, When.FIRST)
    plan_in_order = _plan_generated if op.family is Family.GENERATED else _plan_composite
    with np.errstate(all="ignore"):  # numpy would warn of infinite attributes
        call, builder = plan_in_order(machine, op, planner, arguments, size, executor)
    plan = builder.finish(machine.options.min_workspace)
    if plan.lacking and machine.options.catalogued == "plan":
        raise without_kernel(machine, op.c_name(), plan.lacking)
    things = [call.__dict__[param.name] for param in op.params]
    return Decided(plan, things, plan.held(things))


def _plan_composite(
    machine: Machine, op: type[Op], planner: Planner[Any], arguments: list[Any], size: Out[int], executor: Out[int]
) -> tuple[Op, PlanBuilder]:
    """Check and plan a call of a composite operator: out-pointers, null tensors, checks, context, plan. Some in-place
    twins have further checks before."""
    call = _call(machine, op, arguments) if op.first_nulls or op.first_checks else None
    if call is not None:
        check_first(op, call, machine.soc)
    _check_product(op, machine.soc, When.EARLY)
    if size.null or executor.null:
        missing = "workspaceSize" if size.null else "executor"
        facts = f"parameter: {missing}, found: null, allowed: the address of a variable, SoC: {machine.soc.label}"
        raise refuse(ACLNN_ERR_PARAM_NULLPTR, f"executor or workspaceSize is nullptr. ({facts})")
    call = call or _call(machine, op, arguments)
    check_nulls(op, call, machine.soc, op.null_checked)
    return call, _planned(machine, op, planner, call, None)


def _plan_generated(
    machine: Machine, op: type[Op], planner: Planner[Any], arguments: list[Any], size: Out[int], executor: Out[int]
) -> tuple[Op, PlanBuilder]:
    """Check and plan a call of a generated operator: checks before all others, null tensors, product, executor
    pointer, contiguous copies, size pointer, checks, context, plan."""
    call = _call(machine, op, arguments)
    check_first(op, call, machine.soc)
    check_nulls(op, call, machine.soc, op.null_checked)
    _check_product(op, machine.soc, When.AT_ONCE)
    if executor.null:
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
    """Raise the refusal of the product, if this is the moment of its check."""
    refusal = op.refusals.get(soc.series)
    if refusal is not None and refusal.when is when:
        raise unsupported(op, soc)


def _call(machine: Machine, op: type[Call], arguments: list[Any]) -> Call:
    """The call with objects in place of their handles."""
    call = op(arguments)
    for param in op.objects:
        handle = call.__dict__[param.name]
        thing = machine.handles.find(handle, param.kind)
        if thing is None and handle and param.looked_at(call):
            where, history = machine.handles.describe(handle)
            text = dead_argument(param, f"{op.c_name()}GetWorkspaceSize", where)
            machine.crash("dead-handle", text, *history, hint=machine.handles.remedy(handle, None))
        call.__dict__[param.name] = members(machine, op, param, thing) if isinstance(thing, ThingList) else thing
    return call


def dead_argument(param: ObjectParam[Any], call: str, where: str) -> Text:
    """The text of a finding: an argument is no live object."""
    return Text(
        "argument {parameter} of {call} is no live {kind}: {where}.",
        parameter=param,
        call=call,
        kind=param.kind.kind,
        where=where,
    )


def members(machine: Machine, op: type[Op], param: ObjectParam[Any], list_: ThingList) -> tuple[Any, ...]:
    """The objects in a list; None for a null member."""
    things: list[Any] = []
    for number, handle in enumerate(list_.members):
        thing = machine.handles.find(handle, list_.member_kind)
        if thing is None and handle:
            where, history = machine.handles.describe(handle)
            member = {
                "at": number, "parameter": param, "call": f"{op.c_name()}GetWorkspaceSize", "where": where,
                "kind": list_.member_kind.kind,
            }  # fmt: skip
            text = Text("member {at} of argument {parameter} of {call} is destroyed: {where}.", **member)
            if machine.handles.find(handle, Thing) is not None:
                text = Text("member {at} of argument {parameter} of {call} is no {kind}: {where}.", **member)
            machine.crash("dead-handle", text, *history, *list_.past())
        things.append(thing)
    return tuple(things)


def check_first(op: type[Op], call: Op, soc: Soc) -> None:
    """Make the checks that a function makes before all others; most functions have none."""
    check_nulls(op, call, soc, op.first_nulls)
    run_checks(op.first_checks, call, soc)


def check_nulls(op: type[Op], call: Op, soc: Soc, params: Sequence[ObjectParam[Any]]) -> None:
    """Check for null pointers. The first illegal one ends the call."""
    for param in params:
        value = call.__dict__[param.name]
        if isinstance(value, tuple) and None in value:
            number = cast("tuple[object, ...]", value).index(None)
            sentence = f"Expected a proper member {number} of {param} but got null."
            text = f"{sentence} (parameter: {param}[{number}], found: null, allowed: a live member, SoC: {soc.label})"
            raise AclError(ACLNN_ERR_PARAM_NULLPTR, Item(op.null_code, (text,)))
        if value is None and param.needed(call):
            flag = param.when if isinstance(param, TensorParam) else None
            flag = flag or param.needed_with
            reason = f" as {flag} is true" if flag else ""
            sentence = param.proper.format(param)
            if op.family is Family.GENERATED:
                sentence = f"Check {param} != nullptr failed."
            allowed = f"an {param.ctype.spelling.removeprefix('const ').removesuffix(' *')}"
            text = f"{sentence} (parameter: {param}, found: null, allowed: {allowed}{reason}, SoC: {soc.label})"
            status = op.null_statuses.get(param.printed, op.null_status)
            raise AclError(status, Item(op.null_code, (text,)))


def _planned(
    machine: Machine, op: type[Op], planner: Planner[Any], call: Op, builder: PlanBuilder | None
) -> PlanBuilder:
    """Make the checks in their order, check the context, and plan. An empty tensor may end the checks (`Empty`)."""
    soc = machine.soc
    _check_product(op, soc, When.NULLS)
    empty = run_checks(op.checks, call, soc)
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
        if op.from_facts and soc.series not in NEWER:  # other declarations have data types by product
            check_bfloat16(op, call, soc)
    builder = builder or PlanBuilder(call, soc)
    planner(call, builder)
    return builder


def nothing(call: Op, builder: PlanBuilder) -> None:
    """The plan of a call with an empty tensor: "Empty input: workspace 0, no nodes"."""


def run_checks(checks: tuple[Check, ...], call: Op, soc: Soc) -> Empty | None:
    """Make the checks. The first violation ends the call. An `Empty` that applies ends the checks, and is returned."""
    for check in checks:
        if isinstance(check, Empty):
            if check.holds(call, soc):
                return check
        elif (violation := check.judge(call, soc)) is not None:
            values = (call.__dict__.get(param.name) for param in check.params)
            created = next((value.made for value in values if isinstance(value, Tensor)), "")
            history = f", tensor created at {created}" if created else ""
            raise refuse(check.status_on(soc.series), violation.text(soc, history))
    return None
