"""The meeting place of ranks that are threads of this process."""

import os
from itertools import count

from acl_runtime.collective.meeting import Meeting, Party
from acl_runtime.collective.mistakes import differing_ranks, invalid, mismatch, never_joined, refusal
from acl_runtime.collective.operation import Operation
from acl_runtime.collective.peers import Member, Peer
from acl_runtime.collective.ports import CollectiveMachine
from acl_runtime.collective.ranks import Communicator, Ranks, Trouble
from acl_runtime.collective.rendezvous import SECOND
from acl_runtime.collective.requests import Request, difference
from acl_runtime.collective.settings import RootInfo, Settings, default_megabytes, host, root_of
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text


class LocalPlace:
    """All communicators of a machine: a `MeetingPlace`."""

    def __init__(self, machine: CollectiveMachine) -> None:
        self._machine = machine
        self._numbers = count(1)
        self._roots: dict[str, int] = {}
        """the number of the communicator of each root information"""
        self._joining: dict[str, Ranks] = {}
        """communicators whose ranks have not all joined, by identity"""
        self._opened: dict[tuple[str, int], int] = {}
        """how many communicators of an identity a rank has opened"""
        self._meetings: dict[Ranks, dict[tuple[int, ...], Meeting]] = {}
        """the meetings that go on, by key"""

    # communicators

    def root_info(self) -> bytes:
        """New root information."""
        return self._new_root().packed()

    def _new_root(self) -> RootInfo:
        root = RootInfo(os.urandom(16).hex(), host())
        self._roots[root.identity] = next(self._numbers)
        return root

    def join(self, root: bytes, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        """Register a rank."""
        info = root_of(root)
        if info is None or info.identity not in self._roots:
            raise invalid(self._machine, "rootInfo", "root information of this process")
        return self._join(info.identity, size, rank, device, settings)

    def _join(self, identity: str, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        """A rank of this process joins."""
        ranks = self._ranks(identity, size, settings)
        if ranks is None:
            expected = "a root information of its own for each communicator: one was made of this"
            raise invalid(self._machine, "rootInfo", expected)
        if ranks.refused is not None:
            raise refusal(self._machine, ranks.refused)
        communicator = self._communicator(ranks, rank, device)
        self._admit(ranks, rank, communicator, size, settings)
        if ranks.refused is not None:
            raise refusal(self._machine, ranks.refused)
        communicator.used()
        return communicator

    def _ranks(self, identity: str, size: int, settings: Settings) -> Ranks | None:
        """The ranks that have joined by a root information; None if a communicator was made of it."""
        ranks = self._joining.get(identity)
        if ranks is None and (number := self._roots[identity]):
            ranks = self._joining[identity] = Ranks(identity, number, size, settings)
            self._roots[identity] = 0
        return ranks

    def _communicator(self, ranks: Ranks, rank: int, device: Device, *, part: bool = False) -> Communicator:
        return Communicator(ranks, rank, device, self._machine.scheduler.waits, part=part)

    def _admit(
        self, ranks: Ranks, rank: int, peer: Peer, size: int, settings: Settings, ids: tuple[int, ...] = ()
    ) -> None:
        """A rank joins. One that differs from the others is refused, and all others with it. So is a rank, or a device,
        that is there twice."""
        if what := _difference(ranks, size, settings, ids):
            ranks.refused = differing_ranks(peer, ranks, what)
        elif rank in ranks.members:
            ranks.refused = Trouble("EI0014", Text("rank {rank} joins twice", rank=rank))
        elif peer.chip in [other.chip for other in ranks.members.values()]:
            ranks.refused = Trouble("EI0014", Text("device {number} is that of two ranks", number=peer.chip))
        else:
            ranks.members[rank] = peer
            if ranks.complete:
                del self._joining[ranks.identity]
        self._machine.scheduler.happened()

    def wait_for(self, communicator: Communicator) -> None:
        """Wait until all ranks have joined."""
        ranks, scheduler = communicator.ranks, self._machine.scheduler
        seconds = ranks.connect_seconds
        try:
            joined = scheduler.wait(ranks, seconds * SECOND, grace=seconds, elsewhere=lambda: ranks.elsewhere)
            if not joined and ranks.refused is None:
                ranks.refused = never_joined(ranks)
            if ranks.refused is not None:
                raise refusal(self._machine, ranks.refused)
        except BaseException:
            scheduler.happened()
            raise

    def open(
        self, identity: str, size: int, rank: int, device: Device, settings: Settings, ids: tuple[int, ...] = ()
    ) -> Communicator:
        """The communicator of a rank, without a meeting. The n-th one of a rank belongs to the n-th of the others."""
        turn = self._opened[identity, rank] = self._opened.get((identity, rank), 0) + 1
        identity = f"{identity}-{turn}"
        ranks = self._joining.get(identity)
        if ranks is None:
            ranks = self._joining[identity] = Ranks(identity, next(self._numbers), size, settings, ids)
            ranks.early = True
        communicator = self._communicator(ranks, rank, device, part=bool(ids))
        if what := _difference(ranks, size, settings, ids):
            raise refusal(self._machine, self._broken(ranks, differing_ranks(communicator, ranks, what)))
        self._admit(ranks, rank, communicator, size, settings, ids)
        if ranks.refused is not None:
            raise refusal(self._machine, ranks.refused)
        communicator.used()
        return communicator

    def alone(self, devices: list[Device]) -> list[Communicator]:
        """The communicators of all ranks, one for each device."""
        identity, size = self._new_root().identity, len(devices)
        all = [self._join(identity, size, rank, device, Settings()) for rank, device in enumerate(devices)]
        for communicator in all:
            communicator.lend()
        return all

    def leave(self, communicator: Communicator) -> None:
        """The rank has destroyed its communicator: operations that wait for it never take place."""
        communicator.leave()
        ranks = communicator.ranks
        if len(ranks.left) == ranks.size:
            self._meetings.pop(ranks, None)
        self._machine.scheduler.happened()

    # operations

    def meet(self, operation: Operation, key: tuple[int, ...], seat: int, request: Request) -> Trouble | None:
        """Enter an operation into the meeting of this key."""
        meeting, trouble = self.enter(operation.communicator.ranks, key, seat, request, operation)
        if trouble is None:
            operation.meetings.append(meeting)
            operation.communicator.called(request)
        return trouble

    def called(self, operation: Operation) -> None:
        """An operation is queued. No other process waits for it."""

    def enter(
        self, ranks: Ranks, key: tuple[int, ...], seat: int, request: Request, member: Member
    ) -> tuple[Meeting, Trouble | None]:
        """A rank comes to a meeting. It does not enter if it asks for something else than the ranks there; then the
        communicator is of no use any more."""
        meetings = self._meetings.setdefault(ranks, {})
        meeting = meetings.get(key)
        if meeting is None:
            meeting = meetings[key] = Meeting(ranks, key, self)
        for party in meeting.parties.values():
            if what := difference(party.request, request, paired=meeting.paired):
                return meeting, self._broken(ranks, mismatch(meeting, party.request, request, what))
        meeting.late = meeting.late or ranks.broken is not None
        meeting.parties[seat] = Party(request, member)
        return meeting, None

    def _broken(self, ranks: Ranks, trouble: Trouble) -> Trouble:
        """No further operation of these ranks can succeed; the first reason for it."""
        self._machine.scheduler.happened()
        return ranks.break_(trouble)

    def withdraw(self, operation: Operation) -> None:
        """An operation has no effect: it leaves its meetings."""
        for meeting in operation.meetings:
            for seat in [seat for seat, party in meeting.parties.items() if party.member is operation]:
                del meeting.parties[seat]
            if not meeting.parties:
                self.over(meeting)

    def arrived(self, meeting: Meeting, member: Member) -> None:
        """The other ranks see it: they are in this process."""

    def over(self, meeting: Meeting) -> None:
        """Forget a meeting."""
        self._meetings.get(meeting.ranks, {}).pop(meeting.key, None)

    # the end of the machine: no other process has to know

    def end(self) -> None:
        """Leave the other processes."""

    def forked(self) -> None:
        """Close what only the parent needs."""


def _difference(ranks: Ranks, size: int, settings: Settings, ids: tuple[int, ...] = ()) -> Text | None:
    """The first thing in which a rank differs from those that have joined; None if it does not."""
    for what, mine, theirs in (
        (Text("number of ranks"), size, ranks.size),
        (Text("list of ranks"), ids, ranks.ids),
        (Text("name"), settings.name, ranks.settings.name),
        (Text("buffer size"), settings.buffer_megabytes or default_megabytes(), ranks.megabytes),
    ):
        if mine != theirs:
            return what
    return None
