"""Marks and ranges that the program adds to its profile, with mstx or the stamps of aclprof."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

DEFAULT: Final = "default"
"""the domain of calls without an explicit domain"""


class InCall(NamedTuple):
    """A call that has not returned yet."""

    thread: object
    """the state of its thread"""
    after: object
    """the record of the last call that had returned; None if no call had returned"""


@dataclass(eq=False)
class Mark:
    """A mark, or a range of time on the host."""

    id: int
    """number of the mark among all marks and ranges of the machine, from 1"""
    message: str
    domain: str
    began_in: InCall
    """the call that made the mark or began the range"""
    began: float
    """simulated microseconds"""
    is_range: bool
    stream: int = 0
    """the stream of a range; 0 if it has none"""
    ended: float | None = None
    """the time when the range ended; None while it is open"""
    ended_in: InCall | None = None
    """the call that ended the range"""


class Marks:
    """The marks and ranges of a machine."""

    def __init__(self, latest: int | None) -> None:
        self._kept: deque[Mark] = deque(maxlen=latest)
        self._open: dict[int, Mark] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Mark]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, message: str, domain: str, call: InCall, now: float, *, is_range: bool, stream: int = 0) -> Mark:
        """Add a mark, or begin a range."""
        self._last += 1
        mark = Mark(self._last, message, domain, call, now, is_range, stream)
        self._kept.append(mark)
        if is_range:
            self._open[mark.id] = mark
        return mark

    def end(self, id: int, domain: str, call: InCall, now: float) -> Mark | None:
        """End a range. Returns None if this domain has no open range of this number."""
        mark = self._open.get(id)
        if mark is None or mark.domain != domain:
            return None
        mark.ended, mark.ended_in = now, call
        return self._open.pop(id)
