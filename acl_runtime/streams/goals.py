"""Goals: the conditions for which a host thread can wait.

`Drained` is the most common goal. The others are a record of an event (`event.Record`), the arrival of a callback
(`callbacks.Arrivals`) and the end of an initialisation (`machine.initialisation.Turn`).
"""

from collections import deque
from collections.abc import Iterable, Sequence
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
        """True if all streams are done. Those at the front are removed, since the scheduler calls this after each
        task."""
        left = self._left
        while left:
            stream, last = left[0]
            if stream.finished < last and stream.queue:
                return False
            left.popleft()
        return True

    def time(self) -> float:
        return max([stream.time for stream in self._waited_for], default=0.0)

    def streams(self) -> Iterable[Stream]:
        """The streams that are not done, in order."""
        if self.reached():
            return ()
        if len(self._left) == 1:
            return (self._left[0][0],)
        return (stream for stream, last in self._left if stream.finished < last and stream.queue)
