"""Goals: the conditions for which a host thread can wait.

`Drained` is the most common goal. The others are a record of an event (`event.Record`), the arrival of a callback
(`callbacks.Arrivals`) and the end of an initialisation (`machine.initialisation.Turn`).
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from acl_runtime.streams.stream import Stream
from acl_runtime.text import Text


class Goal(Protocol):
    """A condition for which a host thread waits; its text completes "waits for ..."."""

    def reached(self) -> bool:
        """True if the wait is over."""
        ...

    def time(self) -> float:
        """The simulated time at which the goal was reached, in microseconds."""
        ...

    def streams(self) -> Iterable[Stream]:
        """The streams whose work the goal needs."""
        ...


class Drained:
    """The goal that the tasks which are queued when the goal is made have run, or were dropped."""

    def __init__(self, streams: Sequence[Stream], last: int | None = None) -> None:
        """`last`: the number of the last task to wait for; None means the last task of each stream."""
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
        """The streams that are not done, in order. Done streams at the front are removed, since the scheduler calls
        this after each task."""
        streams = self._left
        while streams and _done(*streams[0]):
            streams.popleft()
        return (stream for stream, last in streams if not _done(stream, last))


def _done(stream: Stream, last: int) -> bool:
    return stream.finished >= last or not stream.queue
