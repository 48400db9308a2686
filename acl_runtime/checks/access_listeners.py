"""Announcements of accesses to memory, in addition to `acl_runtime.streams.announcements`.

`HappensBefore`, which has the vector clocks, announces each access, and each pair of accesses that clash, to the checks
of bytes: races, reads of uninitialised memory, host memory that a queued copy uses.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.tables import Table
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.memory.pinned import Pinned
from acl_runtime.streams.announcements import Announcer, Listener
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Action, Agent


class PlacedAccess(NamedTuple):
    """An access, and the location of its bytes."""

    place: LocatedRange
    access: Access


class AccessListener(Listener):
    """A check that also gets the announcements of accesses to memory."""

    watched: Table[Any] | None = None
    """a table of the check; each access to a piece of memory that has an entry there is announced, even if it repeats
    an earlier access"""

    def clashed(self, old: Access, new: Access, piece: Allocation | Pinned, later: Action | None) -> None:
        """Two accesses have no order, and the order matters. `later`: the action of the new access if it became an
        action after the launch of its task; the finding then belongs to the line of the launch."""

    def accessing(self, access: Access, piece: Allocation | Pinned, later: Action | None, *, operator: bool) -> None:
        """Memory is about to be accessed, by an operator or by another task or call. Accesses to tainted memory are not
        announced."""

    def accessed(self, agent: Agent, accesses: Sequence[PlacedAccess], *, operator: bool) -> None:
        """An agent accesses memory. All findings about these accesses have been reported."""

    def arranged(self, action: Action, task: Task, later: Action | None) -> None:
        """A task with `arranges` has become this action. Its accesses are announced next."""

    def resetting(self, agent: Agent, task: Task, later: Action | None) -> None:
        """A task that resets an event has become an action of its stream."""

    def agent_learnt(self, agent: Agent) -> None:
        """The vector clock of an agent has grown, so the agent knows of more actions that are over."""


class AccessAnnouncer(Announcer, AccessListener):
    """Announces accesses to the listeners, in their order."""

    kind: ClassVar[type[Listener]] = AccessListener

    def __init__(self, listeners: Sequence[AccessListener] = ()) -> None:
        super().__init__(listeners)
        self.tables = frozenset([listener.watched for listener in listeners if listener.watched is not None])
        """the tables that the listeners watch"""
