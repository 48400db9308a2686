"""Updates of task groups that are ordered neither before nor after an execution.

An update replaces the operators of a group when its task runs. Each execution uses those that it finds. So the two race
as accesses to memory do: an update writes the operators of its group, and an execution reads each of them.
"""

from acl_runtime.checks.access_listeners import AccessListener
from acl_runtime.checks.consequences import MissingWait
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import ACCESSES, Access
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.checks.races.races import FindingReporter, missing_edge
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.source.frames import paths, trail
from acl_runtime.streams.model.task_group import GroupedTask, TaskGroup, UpdateTask
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Action
from acl_runtime.text import Text


class UpdateOrder(AccessListener):
    """The finding `update-race`."""

    def __init__(self, machine: CheckedMachine, order: HappensBefore) -> None:
        self._machine = machine
        self._order = order

    def arranged(self, action: Action, task: Task, later: Action | None) -> None:
        if isinstance(task, UpdateTask):
            self._access(task.group, Range(0, len(task.group.members), "", Use.WRITE), action, later)
        elif isinstance(task, GroupedTask):
            self._access(task.group, Range(task.index, task.index + 1, "", Use.READ), action, later)

    def _access(self, group: TaskGroup, used: Range, action: Action, later: Action | None) -> None:
        """`used`: the numbers of the operators in the group."""
        agent, access = action.agent, Access(action, used, used.low, used.high, None)
        accesses = ACCESSES.of(group)
        for old in accesses.touching(used.low, used.high) if accesses is not None else ():
            before = old.action
            if before.agent is not agent and not agent.knows(before.agent, before.number) and access.clashes(old):
                self._report(group, old, access, later)
                self._machine.consequences.taint(MissingWait(agent, before.agent))
        self._order.remember(agent, group, access)

    def _report(self, group: TaskGroup, old: Access, new: Access, later: Action | None) -> None:
        """Report an update and an execution, or two updates, once for the same two lines."""
        first, second = old.action, new.action
        if not self._machine.consequences.first("update-race", *paths(first.trail, second.trail or trail())):
            return
        missing, hint = missing_edge(old, new)
        what = Text(
            "{second} in {stream} {verb} the operators of {group}, which {first} in {other} {other_verb}; nothing "
            "orders the two: {missing}.",
            second=second.name,
            stream=second.agent,
            verb=_verb(new),
            group=group,
            first=first.name,
            other=first.agent,
            other_verb=_verb(old),
            missing=missing,
        )
        FindingReporter(self._machine, later)("update-race", what, first.past(), second.past(), hint=hint)


def _verb(access: Access) -> Text:
    return Text("replaces") if access.use.writes else Text("is one of")
