"""The executor behind an aclOpExecutor: a plan, and the tensors of one call."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from acl_runtime.machine.allocation import Allocation
from acl_runtime.machine.executor import Executor as PlainExecutor
from acl_runtime.machine.objects import Tensor
from acl_runtime.machine.places import Known
from acl_runtime.machine.ranges import Range
from acl_runtime.machine.stream import Device
from acl_runtime.sites import Trail
from aclnn.plan import Plan, Role
from aclnn.run import Bound

MOST = 100
"""ours: so many sets of addresses are remembered for one plan"""
_address, _gone = attrgetter("address"), attrgetter("gone")


@dataclass(slots=True)
class Binding:
    """A plan at addresses that are right."""

    ranges: tuple[Range, ...]
    known: Known
    """the places of the ranges"""
    steps: tuple[Bound, ...]
    doubts: tuple[str, ...]
    """roles of the tensors whose memory is wrong: what the launch meets there is no news"""


class Planned(PlainExecutor):
    """What the first phase makes and the second launches."""

    def __init__(self, plan: Plan, things: Sequence[Any], held: Sequence[Tensor], thread: str, made: Trail) -> None:
        """`things`: the values of the call, and the objects behind its handles; `held`: the tensors of the plan's
        roles. `thread` planned it."""
        self._made = made  # all that `super().__init__` would do; every call makes one
        self.operator, self.family, self.thread = plan.operator, plan.family, thread
        self.repeatable = self.refused = False
        self.plan = plan
        self.users = self.held = held
        self.workspace_size = plan.workspace_size
        self._things = things

    @property
    def inputs(self) -> list[Tensor | None]:
        """The tensors read, in the order of the prototype; None for a null one."""
        return [self._things[place] for place in self.plan.input_places]

    @property
    def outputs(self) -> list[Tensor | None]:
        """The tensors written, in the order of the prototype; None for a null one."""
        return [self._things[place] for place in self.plan.output_places]

    def capture(self) -> None:
        """Keep the tensors' addresses of now, as generated operators do."""
        copies = {tensor: tensor.snapshot() for tensor in self.held}
        self._things = [copies.get(thing, thing) if isinstance(thing, Tensor) else thing for thing in self._things]
        self.held = [copies[tensor] for tensor in self.held]

    def ends(self, how: str, trail: Trail) -> None:
        """Nobody looks at its tensors again: who is remembered keeps nothing alive."""
        self.gone = "", how, trail
        self.users = self.held = ()
        self._things = (None,) * len(self._things)

    @property
    def used(self) -> list[tuple[Role, Tensor]]:
        """The tensors that the steps use."""
        return [(self.plan.roles[at], self.held[at]) for at in self.plan.used]

    def key(self, device: Device, workspace: int, size: int) -> tuple[object, ...]:
        """All that a launch depends on besides the plan."""
        return (device, workspace, size, *map(_address, self.held))

    def remembered(self, key: tuple[object, ...]) -> Binding | None:
        """What a launch at these addresses found before, if that is right still."""
        found: Binding | None = self.plan.bindings.get(key)
        if found is None or any(map(_gone, found.known.pieces)) or any(map(_gone, self.users)):
            return None
        return found

    def remember(self, key: tuple[object, ...], binding: Binding) -> None:
        """A launch found nothing wrong."""
        if any(type(piece) is not Allocation for piece in binding.known.pieces):
            return  # host memory that was registered is looked at each time
        if len(self.plan.bindings) >= MOST:
            self.plan.bindings.clear()
        self.plan.bindings[key] = binding
