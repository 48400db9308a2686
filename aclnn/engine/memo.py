"""The caches of operator calls: the results of earlier, similar calls. Every cache of the two phases is in this module.

`first_phase` and `second_phase` give the same results without the caches; they are only slower. Checking and planning
take most of the time of a small call, and are the same for each call in a loop. So `decide` and `bind` wrap the
functions of the same names in these two modules, and return cached results where that is safe:

| cache | key | value |
|---|---|---|
| `machine.repeated` | operator, ACL_OPT_DETERMINISTIC, handles and values of the call | result of the first phase |
| `machine.plans` | operator, ACL_OPT_DETERMINISTIC, types, shapes, strides, values, arrays | the plan |
| | the same, by the contents of descriptors of a C program | the plan |
| | of a call by name: type, descriptors, attributes, values on the host | the plan |
| `plan.bindings` | device, workspace, addresses | the plan bound to these addresses, and where its memory lies |
| `machine.launch_caches` | operator, device, addresses of tensors | the evaluations of the fast engine |

- The key of an operator that meets other ranks also has its communicators, which are behind the names of the call.
- An entry of `machine.repeated` is valid while the objects behind the handles live. The cache is emptied
  by aclInitTensor, which redefines a tensor, and by operators whose first phase redefines tensors.
- Calls on tensors with equal types and layouts share an entry of `machine.plans`. If the plan only passes scalars on
  to kernels (`Planning.passed`), calls with different scalars share an entry, too. Otherwise the key has the scalars.
- An entry of `plan.bindings` is valid while its memory and the call's tensors live. The race detector stores the last
  accesses of the launch in the entry (`CachedRanges`).
- A value that changes from call to call, such as a learning rate, makes a new plan. The new plan's
  launches reuse the evaluations of earlier plans, which differ in numbers only (`LaunchCache`).

For a tiny call, `machine.repeated` saves a seventh of the time, `plan.bindings` two thirds, and `machine.plans` two
thirds if the tensors are new (`python -m tests.benchmarks.caches`).

A call with a finding is never cached, as the next such call has to report the finding again. A full cache is emptied,
because to evict single entries would cost every call some bookkeeping.
"""

from array import array
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, TypeVar, cast

from acl_runtime.machine.machine import Machine
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import CachedRanges, find
from acl_runtime.objects.handle_table import HostArray, Scalar, Tensor, Thing, ThingList
from acl_runtime.objects.named_operators import NamedOperator
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Device
from aclnn.engine import first_phase, second_phase
from aclnn.engine.aliases import BLOCK
from aclnn.engine.declaration import Op
from aclnn.engine.device_view import with_scalars
from aclnn.engine.fast import LaunchCache
from aclnn.engine.first_phase import Decided, Planner
from aclnn.engine.kernels import KernelPlanner
from aclnn.engine.plan import LazyExecutors, NativeCall, Plan, PlannedExecutor
from aclnn.engine.ranks.groups import groups_of
from aclnn.engine.second_phase import Binding

MAX_PLANS: Final = 1000
"""the most entries of `machine.plans`, and of `machine.repeated` (ours)"""
MAX_BINDINGS: Final = 100
"""the most entries of `plan.bindings`, and of `machine.launch_caches` (ours)"""
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_address, _gone = attrgetter("address"), attrgetter("gone")


@dataclass(slots=True)
class Repeated:
    """The result of a first phase, valid for calls with the same handles and values while their objects live."""

    decided: Decided
    objects: list[Thing]


@dataclass(slots=True)
class Launched:
    """A binding without findings, and its ranges in memory."""

    binding: Binding
    ranges: CachedRanges
    passed: tuple[Hashable, ...]
    """values of the scalars of the binding, if the plan has placeholders"""


def keep(cache: dict[K, V], key: K, value: V, most: int) -> None:
    """Put an entry into a cache. All caches are filled here, so a test that replaces this function turns them off."""
    if len(cache) >= most:
        cache.clear()
    cache[key] = value


# the first phase


def decide(
    machine: Machine, thread: ThreadState, op: type[Op], planner: Planner[Any], values: tuple[Any, ...]
) -> Decided:
    """The result of `first_phase.decide`, from a cache if there was a similar call."""
    context = thread.explicit or thread.primary  # faster than `find_context`
    if context is None or not context.alive:
        context = machine.find_context(thread)
    if context is None or values[-1].null or values[-2].null:
        return first_phase.decide(machine, thread, op, planner, values)
    if op.changes is not None:
        machine.repeated.clear()  # the tensors of other entries may change
    has_parameters = context.parameters or machine.parameters  # usually both are empty
    groups = groups_of(op, values) if op.group_places else ()
    first = (op, planner, machine.deterministic(context) if has_parameters else 0, *groups)
    arguments = values[:-2]
    native = None
    if machine.handles.native is not None and op.changes is None:
        native = _native(machine, op, first, arguments)
        if native is not None and (decided := native.decided(machine.plans)) is not None:
            native.learn(machine, op, planner, decided.plan, by_value=native.key not in machine.plans)
            return decided
    same = (*first, *(arguments if op.exact else map(_by_value, arguments)))
    before = machine.repeated.get(same)
    if isinstance(before, Repeated) and not any(map(_gone, before.objects)):
        return before.decided
    things, key, scalars = _alike(machine, op, first, arguments)
    by_value = None if key is None else (*key, tuple([scalar.content() for scalar in scalars]))
    plan = machine.plans.get(key) or machine.plans.get(by_value)
    if isinstance(plan, Plan):
        decided, dependent = Decided(plan, things, plan.held(things)), key not in machine.plans
    else:
        attempts = machine.findings.attempts
        for scalar in scalars:
            scalar.looked = False
        decided = first_phase.decide(machine, thread, op, planner, values)
        if key is None or machine.findings.attempts != attempts:
            return decided
        # An optimiser passes other scalars in each step. A plan that does not depend on them is shared.
        dependent = any(scalar.looked for scalar in scalars)
        keep(machine.plans, by_value if dependent else key, decided.plan, MAX_PLANS)
    if native is not None and decided.plan.composite:  # generated operators copy their tensors
        keep(machine.plans, native.by_value if dependent else native.key, decided.plan, MAX_PLANS)
    if op.changes is None:
        objects = list(_objects(machine, op, decided.things, values))
        keep(machine.repeated, same, Repeated(decided, objects), MAX_PLANS)
    return decided


@dataclass(slots=True)
class Native:
    """A call on descriptors of the library of a C program, with the keys of its plan. It needs no objects in Python."""

    call: NativeCall
    key: tuple[object, ...]
    """the key without the values of scalars, like that of `_alike`"""
    by_value: tuple[object, ...]
    """the key with the values of the scalars"""

    def decided(self, plans: dict[object, object]) -> Decided | None:
        """The result for this call, if a similar call has a plan."""
        plan = plans.get(self.key) or plans.get(self.by_value)
        return Decided(plan, [], [], self.call) if isinstance(plan, Plan) else None

    def learn(self, machine: Machine, op: type[Op], planner: Planner[Any], plan: Plan, *, by_value: bool) -> None:
        """Let the library make the executors of later such calls, if the plan depends only on what the library
        compares: not on communicators, texts, or a kernel of the user; and if the first phase has nothing else to
        do."""
        plain = op.has_plain_values and not op.group_places and op.changes is None
        library = machine.handles.native
        if plain and library and machine.soc.series not in op.undocumented and not isinstance(planner, KernelPlanner):
            make = LazyExecutors(plan, machine.handles, op.handle_places, len(op.params))
            library.learn(plan, plan.workspace_size, self.call.numbers, by_value=by_value, make=make)


def _native(machine: Machine, op: type[Op], first: tuple[object, ...], arguments: tuple[Any, ...]) -> Native | None:
    """The call by its descriptors. None if a descriptor is dead or not from the library, or if Python made a tensor's
    object, which may differ from the descriptor."""
    numbers = array("Q", [arguments[place] for place in op.handle_places]).tobytes()
    call = NativeCall(machine.handles, op.handle_places, numbers, len(arguments), lambda: arguments)
    contents = call.contents()
    if contents is None:
        return None
    call.copies = contents.copies
    key = *first, contents.key, *[_by_value(arguments[place]) for place in op.value_places]
    return Native(call, key, (*key, contents.scalars))


def named_plan(machine: Machine, operator: NamedOperator, make: Callable[[], Plan]) -> Plan:
    """The plan of a call by name, from `machine.plans` if there was a similar call."""
    tensors = (*operator.inputs, *operator.outputs)
    key = operator.key(), tuple([(tensor.value, not tensor.address, tensor.unknown_size) for tensor in tensors])
    plan = machine.plans.get(key)
    if not isinstance(plan, Plan):
        attempts = machine.findings.attempts
        plan = make()
        if machine.findings.attempts == attempts:
            keep(machine.plans, key, plan, MAX_PLANS)
    return plan


def _objects(machine: Machine, op: type[Op], things: list[Any], values: tuple[Any, ...]) -> Iterator[Thing]:
    """The objects behind the handles of a call, with the members of lists."""
    for place, kind in op.object_places:
        value = things[place]
        if isinstance(value, tuple):
            yield from cast("tuple[Thing, ...]", value)
            value = machine.handles.find(values[place], kind)
        if value is not None:
            yield value


def _alike(
    machine: Machine, op: type[Op], first: tuple[object, ...], values: tuple[Any, ...]
) -> tuple[list[Any], tuple[object, ...] | None, list[Scalar]]:
    """The values of a call, with objects in place of handles; the key of its plan; and its scalars. The key is made of
    `first`, data types, shapes, values, and which arguments are the same tensor. It lacks the values of the scalars. It
    is None if a handle is dead."""
    find, things = machine.handles.find, list(values)
    key: list[object] = list(first)
    tensors: list[int] = []
    scalars: list[Scalar] = []
    for place, kind in op.object_places:
        number = values[place]
        thing = things[place] = find(number, kind)
        if isinstance(thing, Tensor):
            tensors.append(number)
            key.append(thing.view)
        elif isinstance(thing, ThingList):
            listed = things[place] = tuple(
                [machine.handles.find(member, thing.member_kind) for member in thing.members]
            )
            if any(member is None for member in listed):
                return things, None, scalars
            members = [member for member in listed if member is not None]
            tensors.extend(member.number for member in members if isinstance(member, Tensor))
            scalars.extend(member for member in members if isinstance(member, Scalar))
            key.append(tuple(map(_member, members)))
        elif number and thing is None:
            return things, None, scalars
        elif isinstance(thing, Scalar):
            key.append(~thing.dtype)  # negative, because 0 is a null handle and ACL_FLOAT is 0
            scalars.append(thing)
        elif isinstance(thing, HostArray):
            key.append(thing.content())  # programs create new arrays for each call
        else:
            key.append(number)  # the object behind this handle does not change
    for place in op.value_places:
        key.append(_by_value(values[place]))
    if len(set(tensors)) < len(tensors):
        key.append(tuple(map(tensors.index, tensors)))
    return things, tuple(key), scalars


def _member(thing: Thing) -> object:
    """The part of the key for a member of a list."""
    return thing.view if isinstance(thing, Tensor) else thing.dtype if isinstance(thing, Scalar) else thing.number


def _by_value(value: Any) -> Any:
    """A value of a call as a part of a key. Here 0.0 and -0.0 differ, and NaN equals itself."""
    return value.hex() if type(value) is float else value


# the second phase


def bind(
    machine: Machine, executor: PlannedExecutor, workspace: int, size: int, device: Device
) -> tuple[Binding, CachedRanges | None]:
    """The result of `second_phase.bind`, from the cache if an earlier launch had the same addresses. In this case the
    second value is the cached ranges."""
    bindings = executor.plan.bindings
    launched = None if executor.call is None else executor.call.launched()
    passed: tuple[Hashable, ...]
    if launched is None:
        key = (device, workspace, size, *map(_address, executor.held))
        passed = executor.scalar_values if executor.plan.has_placeholders else ()
        alive = not any(map(_gone, executor.users))
    else:
        key, passed, alive = (device, workspace, size, launched[1]), launched[:1], True
    before: Launched | None = bindings.get(key)
    if before is not None and alive and not any(map(_gone, before.ranges.pieces)):
        if executor.plan.has_placeholders and before.passed != passed:
            old = before.binding
            launch_cache = None if old.launch_cache is None else old.launch_cache.for_other_scalars()
            steps = with_scalars(executor.plan, old.steps, executor.call or executor.things)
            before.binding, before.passed = Binding(old.ranges, steps, old.taint, old.right, launch_cache), passed
        return before.binding, before.ranges
    attempts = machine.findings.attempts
    binding, _ = second_phase.bind(machine, executor, workspace, size, device)
    if binding.launch_cache is not None:
        place = (executor.operator, device, *map(_address, executor.held))  # without the workspace, which may be new
        binding.launch_cache = with_evaluations(machine, place, binding.launch_cache)
    if (
        binding.right
        and machine.findings.attempts == attempts
        and (cached := _cached_ranges(machine, executor, binding, workspace)) is not None
    ):
        keep(bindings, key, Launched(binding, cached, passed), MAX_BINDINGS)
    return binding, None


def with_evaluations(machine: Machine, key: tuple[object, ...], launch_cache: LaunchCache) -> LaunchCache:
    """The cache of a launch, with the evaluations of earlier launches of the operator at the same addresses."""
    earlier = machine.launch_caches.get(key)
    if isinstance(earlier, LaunchCache):
        return LaunchCache(earlier)
    keep(machine.launch_caches, key, launch_cache, MAX_BINDINGS)
    return launch_cache


def _cached_ranges(
    machine: Machine, executor: PlannedExecutor, binding: Binding, workspace: int
) -> CachedRanges | None:
    """The ranges of a launch with their places in memory. None if the next launch has to check them again: a range is
    in registered host memory, or a tensor or the workspace is misaligned."""
    if workspace % BLOCK or any(tensor.address % BLOCK for _, tensor in executor.used):
        return None
    places = [find(machine, used) for used in binding.ranges]
    cached = CachedRanges(tuple(place for place in places if place is not None))
    whole = len(cached.places) == len(places) and all(type(piece) is Allocation for piece in cached.pieces)
    return cached if whole else None
