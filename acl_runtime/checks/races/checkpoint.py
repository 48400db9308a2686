"""The facts of the checks before an execution, so that a raised finding leaves nothing of the execution behind.

The tasks of an execution are judged one after the other, each by what those before it do. If a finding is raised, none
of them is queued.
"""

from collections.abc import Iterable

from acl_runtime.checks.tables import Changing, Noted
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
