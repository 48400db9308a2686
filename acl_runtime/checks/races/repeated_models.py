"""Fast path of the race detector: an execution of a model that does again what the one before did.

The accesses of an execution, and what they are compared with, are the same as those of the execution before, if nothing
else has accessed that memory since, and both run in the same stream. Then the remembered accesses only get the numbers
of the new actions. That takes a third of the time (`python -m tests.benchmarks.caches`).

It is all or nothing for a model: a task that is compared in the usual way forgets accesses that later tasks have
covered. So a model with a task that is no operator and uses memory, such as a copy, takes the usual way. So does a
model with an external event, as the record that it awaits may be another one each time.
"""

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from acl_runtime.checks.races.accesses import Accesses
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.objects.handle_table import Thing
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.model.captured_events import CapturedRecord
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Execution, Stream, Task
from acl_runtime.streams.vector_clock import Agent, ExecutedAction


class Repeatable(NamedTuple):
    """The state after an execution that can be repeated."""

    agents: dict[Stream, Agent]
    """the streams of the execution; the first is that of the call"""
    versions: list[tuple[Accesses, int]]


class RepeatedModels(Listener):
    """Hears of executions. It announces those that repeat an earlier one, so that no other check hears of them."""

    def __init__(self, order: HappensBefore) -> None:
        self._order = order
        self._last: WeakKeyDictionary[Thing, Repeatable] = WeakKeyDictionary()

    def executing(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        last = self._last.pop(model, None)
        if last is not None and self._repeats(last, model, execution, tasks):
            self._repeat(last, execution, tasks)
            execution.announced = True
            self._last[model] = last

    def executed(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        if not execution.announced and self._order.settled and len(tasks) == len(model.nodes):
            versions = _versions(tasks)
            if versions is not None:
                agents = {stream: stream.agent for stream in (execution.stream, *execution.lanes)}
                self._last[model] = Repeatable(agents, versions)

    def _repeats(self, last: Repeatable, model: Model, execution: Execution, tasks: Sequence[Task]) -> bool:
        """True if nothing has changed since the last execution."""
        watched = self._order.announce.tables
        return (
            self._order.settled
            and next(iter(last.agents)) is execution.stream
            and len(tasks) == len(model.nodes)
            and all(stream.agent is agent for stream, agent in last.agents.items())
            and all(accesses.version == version for accesses, version in last.versions)
            and not any(piece.gone or not watched.isdisjoint(piece.notes) for piece in model.pieces)
        )

    def _repeat(self, last: Repeatable, execution: Execution, tasks: Sequence[Task]) -> None:
        """Make actions of the tasks."""
        self._order.begin_tasks(last.agents.values())
        place = self._order.place
        for task in tasks:
            if task.operator:
                agent = task.stream.agent
                action = task.action = ExecutedAction(agent, agent.act(), task.name, task.trail)
                action.execution = execution
                for _, accesses, access in task.cached.accesses:
                    access.action = action
                    if accesses.renew(access):
                        self._order.repeated(agent, accesses)
                agent.actions.append(action)
            else:
                place(task)


def _versions(tasks: Sequence[Task]) -> list[tuple[Accesses, int]] | None:
    """The accesses that an execution has left, with their versions. None if it cannot be repeated."""
    versions: dict[Accesses, int] = {}
    for task in tasks:
        if task.operator:
            cached = task.cached
            if cached is None or len(cached.accesses) != len(task.ranges):
                return None
            if task.action is None or task.action.taint:
                return None
            for _, accesses, access in cached.accesses:
                if access.used.stored is not None:
                    return None
                versions[accesses] = accesses.version
        elif task.ranges or task.opaque or (task.enters and not isinstance(task, CapturedRecord)):
            return None
    return list(versions.items())
