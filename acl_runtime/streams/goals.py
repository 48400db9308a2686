"""Goals: what a host thread can wait for.

`Drained` is the most common one. The others are a record of an event (`event.Record`), the arrival of a callback
(`callbacks.Arrivals`) and the end of an initialisation (`machine.initialisation.Turn`).
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text


class Goal(Protocol):
    """Something that a host thread waits for; its text completes "waits for ..."."""

    def reached(self) -> bool:
        """True if the wait is over."""
        ...

    def time(self) -> float:
        """The simulated time at which it was reached, in microseconds."""
        ...

    def streams(self) -> Iterable[Stream]:
        """The streams whose work it needs."""
        ...


class Drained:
    """The goal that everything in these streams now has run, or was dropped."""

    def __init__(self, streams: Sequence[Stream], last: int | None = None) -> None:
        """`last`: the number of the last task to wait for, if not the one that is queued last now."""
        self._waited_for = streams
        self._left = deque((stream, stream.submitted if last is None else last) for stream in streams)
        """streams that may not be done yet, each with the number of its last task to wait for"""

    def __str__(self) -> str:
        return Text("the work of {streams}", streams=Text.chain("{stream}, {streams}", [*map(str, self.streams())]))

    def reached(self) -> bool:
        return next(iter(self.streams()), None) is None

    def time(self) -> float:
        return max((stream.time for stream in self._waited_for), default=0.0)

    def streams(self) -> Iterator[Stream]:
        """The streams that are not done, in order. Those at the front that are done are removed for good, since the
        scheduler calls this after each task."""
        streams = self._left
        while streams and _done(*streams[0]):
            streams.popleft()
        return (stream for stream, last in streams if not _done(stream, last))


def _done(stream: Stream, last: int) -> bool:
    return stream.finished >= last or not stream.queue
