"""One meeting of ranks: who has come, for whom it waits, and what happens when all are there."""

import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from acl_runtime.collective.exchange import Delivery, exchange
from acl_runtime.collective.peers import Member
from acl_runtime.collective.ranks import Ranks, Trouble
from acl_runtime.collective.requests import Request
from acl_runtime.collective.transfers import MOVES, TransferStep
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.vector_clock import VectorClock, merged
from acl_runtime.text import Text


class Keeper(Protocol):
    """The meeting place, as far as a meeting needs it."""

    def arrived(self, meeting: "Meeting", member: Member) -> None:
        """A rank of this process has arrived."""
        ...

    def over(self, meeting: "Meeting") -> None:
        """Nobody needs the meeting any more."""
        ...


class Party(NamedTuple):
    """One rank that takes part: what it asks for, and its part."""

    request: Request
    member: Member


class Meeting:
    """The n-th operation of a communicator, or the n-th transfer from one rank to another."""

    def __init__(self, ranks: Ranks, key: tuple[int, ...], keeper: Keeper) -> None:
        """`key`: the number of the operation; for a transfer, the sender and the receiver before it."""
        self.ranks = ranks
        self.key = key
        self.paired = len(key) > 1
        self.seats: tuple[int, ...] = key[:2] if self.paired else tuple(range(ranks.size))
        """the rank of each party. A rank that sends to itself has two seats"""
        self.parties: dict[int, Party] = {}
        """the parties by seat"""
        self.moving = threading.Lock()
        """held by the task that moves the bytes"""
        self.settled = False
        self.failed: Text | None = None
        """the reason why it never takes place"""
        self.late = False
        """True if a rank called it when the communicator was of no use any more"""
        self._keeper = keeper
        self._gathered = False
        """True once all ranks have arrived"""
        self._clock: VectorClock | None = None

    @property
    def complete(self) -> bool:
        """True if all ranks have called it."""
        return len(self.parties) == len(self.seats)

    def missing(self) -> list[int]:
        """The ranks that have not called it, in order."""
        return [rank for seat, rank in enumerate(self.seats) if seat not in self.parties]

    def gone(self) -> list[int]:
        """The missing ranks that have destroyed their communicator: they never come."""
        left = self.ranks.left
        return [rank for rank in self.missing() if rank in left] if left else []

    def lost(self) -> Text | None:
        """The reason why it never takes place; None if it can."""
        if self.failed is None:
            for party in self.parties.values():
                if party.member.dropped:
                    self.failed = Text("the operation of rank {rank} was dropped", rank=party.request.rank)
        return self.failed

    def broken(self) -> Trouble | None:
        """The reason why the communicator is of no use any more, if this meeting had not all its ranks before."""
        return self.ranks.broken if self.late or not self.complete else None

    def arrived(self, member: Member) -> None:
        """A rank of this process has arrived."""
        self._keeper.arrived(self, member)

    def ready(self) -> bool:
        """True if its tasks may run: all ranks have arrived, or it is over, or it never takes place."""
        if self._gathered or self.settled or (self.ranks.broken is not None and self.broken() is not None):
            return True
        parties, arrived = tuple(self.parties.values()), 0
        for party in parties:  # each of them: all have to move
            arrived += party.member.at is not None
        if len(parties) < len(self.parties):  # the answer to an arrival is another one
            return self.ready()
        self._gathered = arrived == len(self.seats)
        return self._gathered or self.lost() is not None or bool(self.ranks.left and self.gone())

    def pending(self) -> bool:
        """True if a rank of this process has called it, and has not arrived yet."""
        if self.settled or self.lost() is not None:
            return False
        return any(party.member.at is None for party in self.parties.values())

    def time(self) -> float:
        """The simulated time at which the last rank arrived."""
        return max([party.member.at or 0.0 for party in self.parties.values()], default=0.0)

    def sources(self) -> Iterator[Stream]:
        """The streams that have to run up to the meeting."""
        for party in self.parties.values():
            if party.member.at is None:
                yield from party.member.blockers()

    def clock(self) -> VectorClock | None:
        """The vector clock with all that was over before it on any rank. None while a rank is missing."""
        if self._clock is None and self.complete:
            clocks = [party.member.clock for party in self.parties.values() if party.member.clock is not None]
            if len(clocks) == len(self.seats):
                self._clock = merged(clocks)
        return self._clock

    def steps(self) -> list[TransferStep] | list[Delivery]:
        """The copies and reductions for the ranks of this process, or the deliveries of an exchange; none if it is
        settled."""
        if self.settled:
            return []
        requests = [self.parties[seat].request for seat in range(len(self.seats))]
        move = MOVES.get(requests[0].function)
        return list(exchange(requests)) if move is None else list(move(requests))

    def settle(self, steps: Sequence[TransferStep | Delivery]) -> None:
        """Note that it has taken place, by these steps."""
        if not self.settled:
            for step in steps:
                step.note()
            self.settled = True
            self._keeper.over(self)

    def fail(self, reason: Text) -> None:
        """Note that it never takes place."""
        self.failed = self.failed or reason

    def absent(self) -> list[int]:
        """The missing ranks that wait for nothing themselves."""
        if self.complete:
            return []
        members = self.ranks.members
        return [rank for rank in self.missing() if rank not in members or not members[rank].waits()]

    def awaited(self) -> bool:
        """True if a missing rank may still come."""
        members = self.ranks.members
        return any(rank not in members or members[rank].alive() for rank in self.missing())
