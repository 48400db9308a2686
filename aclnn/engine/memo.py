"""What calls that are alike share: every cache of the story stands here, wrapped around it.

The story of a call is in `first_phase` and `second_phase`, and runs the same without this module; it is only slower.
A tiny call spends its time on judging and planning what an earlier call, in the same loop, judged and planned already.
So `decide` and `bind` stand around the functions of the same names, and answer from memory where that is safe:

- `machine.repeated`: by the operator, ACL_OPT_DETERMINISTIC, and the handles and values of a call, what its first phase
  decided. Valid while the objects behind the handles live; aclInitTensor, which describes a tensor anew, empties it.
- `machine.plans`: by the operator, ACL_OPT_DETERMINISTIC, data types, shapes, strides and values, the plan. Calls on
  other tensors that are alike share it.
- `plan.launches`: by device, workspace and addresses, the plan bound to them, and where its memory lies. Valid while
  these pieces of memory and the call's tensors live. The order of accesses keeps its own last ones in there (`Known`).

A call in which something was found is never remembered: the next one like it has to find it again. All three are
bounded, and emptied when they are full: that costs the next calls some time, and spares every call the work of noting
which ones were used last.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, TypeVar

from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.places import Known, find
from acl_runtime.objects.handle_table import Tensor, Thing
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Device
from aclnn.engine import first_phase, second_phase
from aclnn.engine.aliases import BLOCK
from aclnn.engine.declaration import Op
from aclnn.engine.first_phase import Decided, Planner
from aclnn.engine.plan import Plan, Planned
from aclnn.engine.second_phase import Binding

PLANS: Final = 1000
"""ours: so many plans, and so many calls, are remembered"""
LAUNCHES: Final = 100
"""ours: so many sets of addresses are remembered for one plan"""
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_address, _gone = attrgetter("address"), attrgetter("gone")


@dataclass(slots=True)
class Repeated:
    """What a call came to; one on the same handles and values comes to the same while its objects live."""

    decided: Decided
    objects: list[Thing]


@dataclass(slots=True)
class Launched:
    """What a launch found right, and where its ranges lie."""

    binding: Binding
    known: Known


def keep(shelf: dict[K, V], key: K, value: V, most: int) -> None:
    """Remember. Everything goes through here: without it no call is ever known."""
    if len(shelf) >= most:
        shelf.clear()
    shelf[key] = value


# the first phase


def decide(machine: Machine, thread: ThreadState, op: type[Op], planner: Planner[Any], values: list[Any]) -> Decided:
    """`first_phase.decide`, or what that came to for a call like this one."""
    context = thread.explicit or thread.primary  # as a rule; else there may be a default one
    if context is None or not context.alive:
        context = machine.find_context(thread)
    if context is None or values[-1].null or values[-2].null:
        return first_phase.decide(machine, thread, op, planner, values)
    first = (op, planner, machine.deterministic(context))
    same = (*first, *values[:-2])
    if op.exact:
        before = machine.repeated.get(same)
        if isinstance(before, Repeated) and not any(map(_gone, before.objects)):
            return before.decided
    things, key = _alike(machine, op, first, values[:-2])
    plan = None if key is None else machine.plans.get(key)
    if isinstance(plan, Plan):
        decided = Decided(plan, things, [things[place] for place in plan.places])
    else:
        asked = machine.findings.asked
        decided = first_phase.decide(machine, thread, op, planner, values)
        if key is None or machine.findings.asked != asked:
            return decided
        keep(machine.plans, key, decided.plan, PLANS)
    if op.exact:
        objects = [thing for place, _ in op.object_places if (thing := decided.things[place]) is not None]
        keep(machine.repeated, same, Repeated(decided, objects), PLANS)
    return decided


def _alike(
    machine: Machine, op: type[Op], first: tuple[object, ...], given: list[Any]
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


# the second phase


def bind(
    machine: Machine, executor: Planned, workspace: int, size: int, device: Device
) -> tuple[Binding, Known | None]:
    """`second_phase.bind`, or what that came to at the same addresses."""
    shelf = executor.plan.launches
    key = (device, workspace, size, *map(_address, executor.held))
    before: Launched | None = shelf.get(key)
    if before is not None and not any(map(_gone, before.known.pieces)) and not any(map(_gone, executor.users)):
        return before.binding, before.known
    asked = machine.findings.asked
    binding, _ = second_phase.bind(machine, executor, workspace, size, device)
    if binding.right and machine.findings.asked == asked and (known := _known(machine, executor, binding)) is not None:
        keep(shelf, key, Launched(binding, known), LAUNCHES)
    return binding, None


def _known(machine: Machine, executor: Planned, binding: Binding) -> Known | None:
    """Where the ranges of a launch lie, if the next one need not look at any of them: host memory that was registered
    is looked at each time, and a misaligned tensor is told once for each tensor."""
    if any(tensor.address % BLOCK for _, tensor in executor.used):
        return None
    places = [find(machine, used) for used in binding.ranges]
    known = Known(tuple(place for place in places if place is not None))
    whole = len(known.places) == len(places) and all(type(piece) is Allocation for piece in known.pieces)
    return known if whole else None
