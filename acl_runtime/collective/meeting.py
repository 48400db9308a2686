"""One meeting of ranks: who has come, for whom it waits, and what happens when all are there."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from acl_runtime.collective.ranks import Ranks
from acl_runtime.collective.requests import Request
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.vector_clock import VectorClock
from acl_runtime.text import Text


class Member(Protocol):
    """The task of a rank in a meeting."""

    clock: VectorClock | None

    @property
    def at(self) -> float | None:
        """The simulated time at which it arrived; None before. The question itself lets it arrive."""
        ...

    @property
    def dropped(self) -> bool:
        """True if it will never arrive, as the work of its stream was dropped."""
        ...

    def blockers(self) -> Iterator[Stream]:
        """The streams whose work it needs to arrive."""
        ...


class Party(NamedTuple):
    """One rank that takes part: what it asks for, and its task."""

    request: Request
    member: Member


class Meeting:
    """The n-th operation of a communicator, or the n-th transfer from one rank to another."""

    def __init__(self, ranks: Ranks, seats: tuple[int, ...], over: Callable[[], None]) -> None:
        """`seats`: the rank of each party. A rank that sends to itself has two seats. `over`: called when it is
        settled."""
        self.ranks = ranks
        self.seats = seats
        self.parties: dict[int, Party] = {}
        """the parties by seat"""
        self.settled = False
        self.failed: Text | None = None
        """the reason why it never takes place"""
        self._over = over

    def missing(self) -> list[int]:
        """The ranks that have not called it, in order."""
        return [rank for seat, rank in enumerate(self.seats) if seat not in self.parties]

    def gone(self) -> list[int]:
        """The missing ranks that have destroyed their communicator: they never come."""
        return [rank for rank in self.missing() if rank in self.ranks.left]

    def lost(self) -> Text | None:
        """The reason why it never takes place; None if it can."""
        if self.failed is None:
            for party in self.parties.values():
                if party.member.dropped:
                    self.failed = Text("the operation of rank {rank} was dropped", rank=party.request.rank)
        return self.failed

    def ready(self) -> bool:
        """True if its tasks may run: all ranks have arrived, or it is over, or it never takes place."""
        if self.settled or self.ranks.broken is not None:
            return True
        arrived = [party.member.at is not None for party in self.parties.values()]
        if len(arrived) == len(self.seats) and all(arrived):
            return True
        return self.lost() is not None or bool(self.gone())

    def time(self) -> float:
        """The simulated time at which the last rank arrived."""
        return max((party.member.at or 0.0 for party in self.parties.values()), default=0.0)

    def sources(self) -> Iterator[Stream]:
        """The streams that have to run up to the meeting."""
        for party in self.parties.values():
            if party.member.at is None:
                yield from party.member.blockers()

    def clocks(self) -> list[VectorClock] | None:
        """The vector clocks of the ranks before it. None while a rank is missing."""
        clocks = [party.member.clock for party in self.parties.values() if party.member.clock is not None]
        return clocks if len(clocks) == len(self.seats) else None

    def settle(self) -> None:
        """Move the bytes of all ranks, once."""
        if not self.settled:
            first = self.parties[0].request
            first.move([self.parties[seat].request for seat in range(len(self.seats))])
            self.settled = True
            self._over()

    def absent(self) -> list[int]:
        """The missing ranks that wait for nothing themselves."""
        return [rank for rank in self.missing() if not self.waits(rank)]

    def waits(self, rank: int) -> bool:
        """True if a stream of this rank waits in another meeting."""
        member = self.ranks.members.get(rank)
        if member is None or rank in self.ranks.left:
            return False
        return any(stream.queue and stream.queue[0].meets for stream in member.device.streams())
