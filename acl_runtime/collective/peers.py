"""Protocols: what ranks know of each other, wherever they are."""

from collections.abc import Iterator
from typing import Protocol

from acl_runtime.errors import Past
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.vector_clock import VectorClock


class Peer(Protocol):
    """A rank of a communicator. `ranks.Communicator` is a rank of this process."""

    creation: Past
    """the line that made its communicator"""

    @property
    def chip(self) -> int:
        """The number of its device that is the same in all processes."""
        ...

    def waits(self) -> bool:
        """True if a stream of the rank waits for other ranks."""
        ...

    def alive(self) -> bool:
        """True if it may still make a call: it lives, and waits for nothing."""
        ...

    def excused(self, key: tuple[int, ...]) -> bool:
        """True if its absence from the meeting of this key, or another call there, is a consequence: the reason why an
        earlier call of it failed was reported."""
        ...

    def last_calls(self) -> list[Past]:
        """Its last call, and its end if it has ended, for the history of a finding."""
        ...


class Member(Protocol):
    """The part of a rank in one meeting. `operation.Operation` is that of a rank of this process."""

    clock: VectorClock | None
    """the vector clock before the operation; None while it is unknown"""

    @property
    def at(self) -> float | None:
        """The simulated time at which the rank arrived; None before. The question itself lets it arrive."""
        ...

    @property
    def dropped(self) -> bool:
        """True if it will never arrive, as the work of its stream was dropped."""
        ...

    def blockers(self) -> Iterator[Stream]:
        """The streams of this process whose work it needs to arrive."""
        ...


class Arrived:
    """A member of another process. It is known here from the message with which it arrived."""

    dropped = False

    def __init__(self, at: float) -> None:
        self.at = at
        self.clock: VectorClock | None = {}

    def blockers(self) -> Iterator[Stream]:
        """None: nothing of this process holds it back."""
        return iter(())
