"""What host threads wait for. (Others: a record of an event, the arrival of a callback.)"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from acl_runtime.machine.stream import Stream


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


@dataclass
class Drained:
    """Everything that is in these streams now has run, or was dropped."""

    wanted: tuple[Stream, ...]
    upto: dict[Stream, int] = field(init=False)

    def __post_init__(self) -> None:
        self.upto = {stream: stream.submitted for stream in self.wanted}

    def __str__(self) -> str:
        return "the work of " + ", ".join(str(stream) for stream in self.streams())

    def reached(self) -> bool:
        return not any(True for _ in self.streams())

    def time(self) -> float:
        return max((stream.time for stream in self.wanted), default=0.0)

    def streams(self) -> Iterable[Stream]:
        return [stream for stream, last in self.upto.items() if stream.finished < last and stream.queue]
