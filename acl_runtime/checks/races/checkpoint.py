"""The facts of the checks before an execution, so that a raised finding leaves nothing of the execution behind.

The tasks of an execution are judged one after the other, each by what those before it do. If a finding is raised, none
of them is queued.
"""

from collections.abc import Iterable, Sequence

from acl_runtime.checks.tables import Changing, Noted
from acl_runtime.memory.located_ranges import find, split
from acl_runtime.memory.ports import Memories
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.model.task_group import TaskGroup
from acl_runtime.streams.stream import Execution, Task
from acl_runtime.streams.vector_clock import Agent


class Checkpoint:
    """Facts about some agents and some memory."""

    def __init__(self, agents: Iterable[Agent], pieces: Iterable[Noted]) -> None:
        self._notes = [(piece, dict(piece.notes)) for piece in pieces]
        entries = (entry for _, notes in self._notes for entry in notes.values())
        self._entries = [(entry, entry.state()) for entry in entries if isinstance(entry, Changing)]
        self._agents = [(agent, agent.state()) for agent in agents]

    def restore(self) -> None:
        """Forget what has become known since."""
        for piece, notes in self._notes:
            piece.notes.clear()
            piece.notes.update(notes)
        for entry, state in self._entries:
            entry.restore(state)
        for agent, state in self._agents:
            agent.restore(state)


def before(memories: Memories, model: Model, execution: Execution, tasks: Sequence[Task]) -> Checkpoint:
    """The facts about the streams of an execution, the task groups of the model, and the memory that its tasks may
    use."""
    groups = [group for group in model.groups if isinstance(group, TaskGroup)]
    pieces: dict[Noted, None] = dict.fromkeys((*model.pieces, *groups))
    pieces.update((piece, None) for group in groups for piece in group.pieces())
    if memories.virtual.in_use:
        places = [find(memories, used) for used in split(memories, [used for task in tasks for used in task.ranges])]
        pieces.update((place.piece, None) for place in places if place is not None)
    return Checkpoint([stream.agent for stream in (execution.stream, *execution.lanes)], pieces)
