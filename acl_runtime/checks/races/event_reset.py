"""Resets of an event while a stream may still wait for it."""

from acl_runtime.checks.access_listeners import AccessListener
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.happens_before import over
from acl_runtime.checks.races.races import FindingReporter
from acl_runtime.source.frames import paths
from acl_runtime.streams.event import EventWait
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Action, Agent
from acl_runtime.text import Text


class EventReset(AccessListener):
    """The finding `event-reset-early`: the reset and the wait are not ordered."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine

    def resetting(self, agent: Agent, task: Task, later: Action | None) -> None:
        waits = (waiting for waiting in task.resets if isinstance(waiting.wait, EventWait) and not over(agent, waiting))
        wait = next(waits, None)
        if wait is None or not isinstance(wait.wait, EventWait):
            return
        lines = paths(wait.trail, task.trail)
        who = frozenset(zip((wait.stream.agent.origin, agent.origin), lines, strict=True))
        if self._machine.consequences.first("event-reset-early", who):
            event = wait.wait.event
            what = Text(
                "{agent} resets {event} while {stream} may still wait for it: nothing orders the two.",
                agent=agent,
                event=event,
                stream=wait.stream,
            )
            FindingReporter(self._machine, later)("event-reset-early", what, wait.past(), *event.past())
