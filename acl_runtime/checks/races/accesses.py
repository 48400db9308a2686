"""The accesses to a piece of memory that may race with later accesses."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable
from typing import Any, Final

from acl_runtime.checks.tables import Changing, Table
from acl_runtime.memory.layout import Layout, overlaps
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.streams.vector_clock import Action, Agent

MOST: Final = 64
"""the most accesses that are stored for one byte; older accesses are removed"""


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
    """The accesses to one piece of memory, by byte: segments [low, high) in order, each with its accesses."""

    __slots__ = ("_segments", "_starts", "agent", "only", "version")

    def __init__(self) -> None:
        self.only: Access | None = None
        """the only access, if there is only one and the next equal launch may reuse it"""
        self.agent: Agent | None = None
        """the agent that made all accesses; None if there may be several agents"""
        self.version = 0
        """the number of its changes"""
        self._starts: list[int] = []
        self._segments: list[Segment] = []

    def touching(self, low: int, high: int) -> Iterable[Access]:
        """The accesses that may share a byte with [low, high). An access may be returned several times."""
        same = self._exactly(low, high)
        if same >= 0:
            return self._segments[same][2]
        first, last = self._met(low, high)
        return [access for _, _, accesses in self._segments[first:last] for access in accesses]

    def add(self, low: int, high: int, access: Access, keep: Callable[[Access], bool]) -> None:
        """Store a new access to [low, high), and remove the older accesses there for which `keep` returns False."""
        self.version += 1
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

    def follow(self, access: Access, over: int) -> None:
        """Store a new access of the agent that made all accesses; `add` is the general form. `over`: the number of the
        last action that the host knows to be over."""
        self.add(access.low, access.high, access, lambda old: old.action.number > over and not access.covers(old))

    def state(self) -> tuple[Any, ...]:
        actions = [(access, access.action) for _, _, accesses in self._segments for access in accesses]
        return self.only, self.agent, self._starts[:], self._segments[:], actions

    def restore(self, state: tuple[Any, ...]) -> None:
        self.version += 1
        self.only, self.agent, self._starts, self._segments, actions = state
        for access, action in actions:  # a repeated launch gives its accesses to the new action
            access.action = action

    def forget(self, actions: Container[Action]) -> None:
        """Forget the accesses of these actions."""
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


def _join(segments: list[Segment], segment: Segment) -> None:
    """Append a segment, or lengthen the last one if it has the same accesses."""
    if segments and segments[-1][1] == segment[0] and segments[-1][2] == segment[2]:
        segments[-1] = segments[-1][0], segment[1], segment[2]
    else:
        segments.append(segment)
