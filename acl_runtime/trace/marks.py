"""Marks and ranges that the program puts into its own profile: mstx, and the stamps of aclprof."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

DEFAULT: Final = "default"
"""the domain of calls that name none"""


class InCall(NamedTuple):
    """A call that has not returned yet."""

    thread: object
    """the state of its thread"""
    after: object
    """the record of the call that had returned last; None if there was none"""


@dataclass(eq=False)
class Mark:
    """A mark, or a range of time on the host."""

    id: int
    """marks and ranges of a machine are counted together, from 1 on"""
    message: str
    domain: str
    began_in: InCall
    """the call that made the mark, or began the range"""
    began: float
    """simulated microseconds"""
    is_range: bool
    stream: int = 0
    """the stream of a range; 0 if it has none"""
    ended: float | None = None
    """the time when a range ended; None while it goes on"""
    ended_in: InCall | None = None
    """the call that ended a range"""


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
        """A mark, or the start of a range."""
        self._last += 1
        mark = Mark(self._last, message, domain, call, now, is_range, stream)
        self._kept.append(mark)
        if is_range:
            self._open[mark.id] = mark
        return mark

    def end(self, id: int, domain: str, call: InCall, now: float) -> Mark | None:
        """End a range. None if no range of this number goes on in this domain; then nothing happens."""
        mark = self._open.get(id)
        if mark is None or mark.domain != domain:
            return None
        mark.ended, mark.ended_in = now, call
        return self._open.pop(id)
