"""The accesses to a piece of memory that may race with later accesses."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator
from functools import partial
from typing import Any, Final

from acl_runtime.checks.tables import Changing, Table
from acl_runtime.memory.layout import Layout, overlaps
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.streams.vector_clock import Action, Agent

MOST: Final = 64
"""the most accesses that are stored for one byte; older accesses are removed"""
MOST_AGAIN: Final = 4096
"""the most accesses of repeated launches that wait to be stored"""


class Access:
    """One use of a range of bytes by one action."""

    __slots__ = ("action", "high", "layout", "low", "role", "use", "used")

    def __init__(self, action: Action, used: Range, low: int, high: int, layout: Layout | None) -> None:
        self.action = action
        self.used = used
        self.use = used.use
        self.role = used.role
        self.low = low
        self.high = high
        self.layout = layout
        """the pattern of the bytes; None if the access uses all bytes from `low` to `high`"""

    def clashes(self, other: "Access") -> bool:
        """True if it matters which of the two accesses comes first."""
        if self.action is other.action or not {self.use, other.use}.isdisjoint(CELLS):
            return False
        if self.use is other.use and (self.use is Use.READ or (self.use is Use.ACCUMULATE and self.role == other.role)):
            return False  # sums of several streams commute, but a sum and a maximum do not
        if self.layout is None and other.layout is None:
            return True  # the caller has checked that the ranges overlap
        return overlaps(self.bytes(), other.bytes())

    def bytes(self) -> Layout:
        """The bytes that the access touches."""
        return self.layout or Layout(self.low, (self.high - self.low,), (1,), 1)

    def covers(self, other: "Access") -> bool:
        """True if this access clashes with every access that clashes with `other`, on the bytes of both."""
        stronger = self.use is other.use or (self.use in (Use.WRITE, Use.UPDATE, Use.SCRATCH))
        return stronger and (self.layout is None or self.layout == other.layout)


CELLS: Final = {Use.CELL, Use.AWAIT}
Segment = tuple[int, int, tuple[Access, ...]]


class Accesses(Changing):
    """The accesses to one piece of memory, by byte: segments [low, high) in order, each with its accesses.

    Accesses of repeated launches are stored when somebody asks for accesses. In a program with one stream, the host has
    waited for most of them by then, so they need not be stored."""

    __slots__ = ("_again", "_over", "_segments", "_starts", "_untainted", "agent", "only", "version")

    def __init__(self) -> None:
        self.only: Access | None = None
        """the only access, if there is only one and the next equal launch may reuse it"""
        self.agent: Agent | None = None
        """the agent that made all accesses; None if there may be several agents"""
        self.version = 0
        """the number of its changes"""
        self._again: set[Access] = set()
        """accesses of repeated launches, all by `agent`, which are not stored yet"""
        self._over: set[Access] = set()
        """accesses of repeated launches that were over before they were stored"""
        self._untainted = 0
        """the number of taints (`Consequences.taints`) after which no access was tainted; -1: unknown"""
        self._starts: list[int] = []
        self._segments: list[Segment] = []

    def touching(self, low: int, high: int) -> Iterable[Access]:
        """The accesses that may share a byte with [low, high). An access may be returned several times."""
        if self._again:
            self._store()
        same = self._exactly(low, high)
        if same >= 0:
            return self._segments[same][2]
        first, last = self._met(low, high)
        return [access for _, _, accesses in self._segments[first:last] for access in accesses]

    def of_exactly(self, low: int, high: int) -> Iterator[Access]:
        """Accesses to exactly these bytes, also those that are over, as far as they are known."""
        for access in (*self.touching(low, high), *self._over):
            if access.low == low and access.high == high:
                yield access

    def add(self, low: int, high: int, access: Access, keep: Callable[[Access], bool]) -> None:
        """Store a new access to [low, high), and remove the older accesses there for which `keep` returns False."""
        if self._again:
            self._store()
        self.version += 1
        if access.action.taint:
            self._untainted = -1
        same = self._exactly(low, high)
        if same >= 0:
            older = tuple([old for old in self._segments[same][2] if keep(old)])
            self._segments[same] = low, high, (*older[1 - MOST :], access)
            self._added(access, alone=len(self._segments) == 1 and not older)
            return
        first, last = self._met(low, high)
        new: list[Segment] = []
        for start, end, accesses in self._segments[first:last]:
            if start < low:
                new.append((start, low, accesses))
            elif low < start:
                new.append((low, start, (access,)))
                low = start
            older = tuple(old for old in accesses if keep(old))
            _join(new, (low, min(end, high), (*older[1 - MOST :], access)))
            low = min(end, high)
            if high < end:
                new.append((high, end, accesses))
        if low < high:
            _join(new, (low, high, (access,)))
        self._segments[first:last] = new
        self._starts[first:last] = [start for start, _, _ in new]
        self._added(access, alone=len(self._segments) == 1 and self._segments[0][2] == (access,))

    def _added(self, access: Access, *, alone: bool) -> None:
        self.only = access if alone else None
        if self.agent is not access.action.agent:
            self.agent = access.action.agent if alone else None

    def untainted(self, taints: int) -> bool:
        """True if no access is tainted. `taints`: how often accesses were tainted so far, in the machine."""
        if self._untainted != taints:
            self._store()
            if any(old.action.taint for _, _, accesses in self._segments for old in accesses):
                return False
            self._untainted = taints
        return True

    def repeat(self, access: Access) -> None:
        """Store an access once more, which has a new action of the agent that made all accesses. It was an access of
        an equal launch."""
        self.version += 1
        self.only = None
        self._again.add(access)
        if len(self._again) > MOST_AGAIN:
            self._store()

    def renew(self, access: Access) -> bool:
        """Store an access once more, which has a new action, if it was over before it was stored. True if it was."""
        if access not in self._over:
            return False
        self._over.remove(access)
        self._again.add(access)
        return True

    def known(self, upto: int) -> bool:
        """The host knows that the actions of `agent` up to this number are over, and all later work is ordered after
        them. So only the accesses of tainted actions are still needed. True if other accesses wait to be stored."""
        over = {access for access in self._again if access.action.number <= upto and not access.action.taint}
        self._again -= over
        if len(self._over) > MOST_AGAIN:
            self._over.clear()
        self._over |= over
        return bool(self._again)

    def _store(self) -> None:
        """Store the accesses of repeated launches, in their order."""
        again, self._again = sorted(self._again, key=_number), set()
        version = self.version
        for access in again:
            self.add(access.low, access.high, access, partial(_not_covered, access))
        self.version = version  # nothing has changed

    def state(self) -> tuple[Any, ...]:
        self._store()
        actions = [(access, access.action) for _, _, accesses in self._segments for access in accesses]
        return self.only, self.agent, self._starts[:], self._segments[:], actions

    def restore(self, state: tuple[Any, ...]) -> None:
        self.version += 1
        self.only, self.agent, self._starts, self._segments, actions = state
        self._again.clear()
        self._untainted = -1
        for access, action in actions:  # a repeated launch gives its accesses to the new action
            access.action = action

    def forget(self, actions: Container[Action]) -> None:
        """Forget the accesses of these actions."""
        self._store()
        self.version += 1
        self._segments = [
            (low, high, tuple(access for access in accesses if access.action not in actions))
            for low, high, accesses in self._segments
        ]
        self.only = self.agent = None

    def _exactly(self, low: int, high: int) -> int:
        """The number of the segment with exactly these bytes; -1 if there is none. In an allocation with hundreds of
        tensors, this search takes a third of the time of `_met`."""
        number = bisect_left(self._starts, low)
        if number < len(self._starts):
            start, end, _ = self._segments[number]
            if start == low and end == high:
                return number
        return -1

    def _met(self, low: int, high: int) -> tuple[int, int]:
        first = bisect_right(self._starts, low)
        if first and self._segments[first - 1][1] > low:
            first -= 1
        return first, max(first, bisect_left(self._starts, high))


ACCESSES: Final = Table[Accesses | None](None)
"""the accesses to a piece of memory; None if there was no access"""


def touching(place: LocatedRange | None) -> list[Access]:
    """The stored accesses to this memory."""
    accesses = ACCESSES.of(place.piece) if place is not None else None
    return list(accesses.touching(place.low, place.high)) if place is not None and accesses is not None else []


def _number(access: Access) -> int:
    return access.action.number


def _not_covered(new: Access, old: Access) -> bool:
    return not new.covers(old)


def _join(segments: list[Segment], segment: Segment) -> None:
    """Append a segment, or lengthen the last one if it has the same accesses."""
    if segments and segments[-1][1] == segment[0] and segments[-1][2] == segment[2]:
        segments[-1] = segments[-1][0], segment[1], segment[2]
    else:
        segments.append(segment)
