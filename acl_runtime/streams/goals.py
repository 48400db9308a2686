"""What host threads wait for. (Others: a record of an event, the arrival of a callback.)"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from acl_runtime.streams.stream import Stream


class Goal(Protocol):
    """What a host thread waits for; its text completes "waits for ..."."""

    def reached(self) -> bool:
        """Is it there?"""
        ...

    def time(self) -> float:
        """When it was there, in simulated microseconds."""
        ...

    def streams(self) -> Iterable[Stream]:
        """The streams whose work brings it about."""
        ...


class Drained:
    """Everything that is in these streams now has run, or was dropped."""

    def __init__(self, wanted: Sequence[Stream], last: int | None = None) -> None:
        """`last`: the task that is to be the last one, if not the one that is last now."""
        self.wanted = wanted
        self._left = deque((stream, stream.submitted if last is None else last) for stream in wanted)
        """those behind the first that was not done at the last look, and what they have to finish"""

    def __str__(self) -> str:
        return "the work of " + ", ".join(str(stream) for stream in self.streams())

    def reached(self) -> bool:
        return next(iter(self.streams()), None) is None

    def time(self) -> float:
        return max((stream.time for stream in self.wanted), default=0.0)

    def streams(self) -> Iterator[Stream]:
        """Those that are not done, in order. The first ones are forgotten once they are: whoever drains many streams
        asks after each task."""
        left = self._left
        while left and _done(*left[0]):
            left.popleft()
        return (stream for stream, last in left if not _done(stream, last))


def _done(stream: Stream, last: int) -> bool:
    return stream.finished >= last or not stream.queue
