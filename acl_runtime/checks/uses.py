"""The uses of memory, each with its place in the order of things, and who listens to them.

`HappensBefore` turns what happens into vector clocks; what follows from them for memory is announced here, to checks
that look at the uses of bytes: races, reads of what was never written, memory of the host that a copy has.
"""

from collections.abc import Sequence
from typing import NamedTuple

from acl_runtime.checks.races.accesses import Access
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.places import Place
from acl_runtime.streams.events import Listener, straight
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Agent, Doing


class PlacedUse(NamedTuple):
    """A use of memory that has a place."""

    place: Place
    access: Access


class UseListener(Listener):
    """A check that wants to know the uses of memory as well."""

    def clashed(self, old: Access, new: Access, piece: Allocation | Pinned, later: Doing | None) -> None:
        """Nothing orders two uses, and it matters which comes first. `later`: it was found behind the launch of this
        one, and belongs to its line."""

    def using(self, access: Access, piece: Allocation | Pinned, later: Doing | None, *, operator: bool) -> None:
        """Memory that is not tainted is about to be used, by an operator or by something else."""

    def used(self, agent: Agent, found: Sequence[PlacedUse], *, operator: bool) -> None:
        """An agent uses memory, and all that is wrong with that was said."""

    def resets(self, agent: Agent, task: Task, later: Doing | None) -> None:
        """A task that resets an event has its place."""

    def knows(self, agent: Agent) -> None:
        """An agent has learnt that more is over."""


class Uses:
    """Announces uses to those that listen, in their order."""

    def __init__(self, listeners: Sequence[UseListener] = ()) -> None:
        self._clashed = tuple([each.clashed for each in listeners if type(each).clashed is not UseListener.clashed])
        self._using = tuple([each.using for each in listeners if type(each).using is not UseListener.using])
        self._used = tuple([each.used for each in listeners if type(each).used is not UseListener.used])
        self._resets = tuple([each.resets for each in listeners if type(each).resets is not UseListener.resets])
        self._knows = tuple([each.knows for each in listeners if type(each).knows is not UseListener.knows])
        straight(self, UseListener)

    def clashed(self, old: Access, new: Access, piece: Allocation | Pinned, later: Doing | None) -> None:
        """See `UseListener.clashed`."""
        for hears in self._clashed:
            hears(old, new, piece, later)

    def using(self, access: Access, piece: Allocation | Pinned, later: Doing | None, *, operator: bool) -> None:
        """See `UseListener.using`."""
        for hears in self._using:
            hears(access, piece, later, operator=operator)

    def used(self, agent: Agent, found: Sequence[PlacedUse], *, operator: bool) -> None:
        """See `UseListener.used`."""
        for hears in self._used:
            hears(agent, found, operator=operator)

    def resets(self, agent: Agent, task: Task, later: Doing | None) -> None:
        """See `UseListener.resets`."""
        for hears in self._resets:
            hears(agent, task, later)

    def knows(self, agent: Agent) -> None:
        """See `UseListener.knows`."""
        for hears in self._knows:
            hears(agent)
