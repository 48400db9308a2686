"""An event that is reset while a stream may still wait for it."""

from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.happens_before import over
from acl_runtime.checks.races.races import Told
from acl_runtime.checks.uses import UseListener
from acl_runtime.source.frames import paths
from acl_runtime.streams.event import EventWait
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Agent, Doing


class EventReset(UseListener):
    """The finding `event-reset-early`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def resets(self, agent: Agent, task: Task, later: Doing | None) -> None:
        waits = (each for each in task.resets if isinstance(each.wait, EventWait) and not over(agent, each))
        wait = next(waits, None)
        if wait is None or not isinstance(wait.wait, EventWait):
            return
        lines = paths(wait.trail, task.trail)
        who = frozenset(zip((wait.stream.agent.origin, agent.origin), lines, strict=True))
        if self._scene.findings.first("event-reset-early", who):
            event = wait.wait.event
            what = f"{agent} resets {event} while {wait.stream} may still wait for it: nothing orders the two."
            Told(self._scene, later)("event-reset-early", what, wait.past(), *event.past())
