"""The meeting place of ranks that are threads of this process."""

import threading
from functools import partial
from itertools import count

from acl_runtime.collective.meeting import Meeting, Party
from acl_runtime.collective.mistakes import ABSENT, differing_ranks, mismatch, never_joined, refusal
from acl_runtime.collective.operation import SECOND, Operation
from acl_runtime.collective.ports import CollectiveMachine
from acl_runtime.collective.ranks import Communicator, Ranks
from acl_runtime.collective.requests import Request, difference
from acl_runtime.collective.settings import Settings, connect_seconds, identity_of, new_root
from acl_runtime.errors import AclError
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text


class LocalPlace:
    """All communicators of a machine. Everything here happens under the machine's lock."""

    def __init__(self, machine: CollectiveMachine) -> None:
        self._machine = machine
        self._numbers = count(1)
        self._roots: dict[str, int] = {}
        """the number of the communicator of each root information"""
        self._ranks: dict[str, Ranks] = {}
        """the ranks by identity"""
        self._meetings: dict[tuple[Ranks, tuple[int, ...]], Meeting] = {}
        self.deterministic = 0
        """the value of HcclSetConfig"""
        self.per_thread = threading.local()
        """the group in which each thread is"""

    # communicators

    def root_info(self) -> bytes:
        """New root information."""
        root = new_root()
        self._roots[identity_of(root)] = next(self._numbers)
        return root

    def join(self, root: bytes, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        """Register a rank."""
        identity = identity_of(root)
        if identity not in self._roots:
            raise _refuse("rootInfo", "it is no root information of this process")
        ranks = self._ranks.get(identity)
        if ranks is None:
            ranks = self._ranks[identity] = Ranks(identity, self._roots[identity], size, settings)
        communicator = Communicator(ranks, rank, device)
        if ranks.refused is not None:
            raise refusal(self._machine, ranks)
        if ranks.complete:
            raise _refuse("rootInfo", f"{ranks} was made of it: each communicator needs a root information of its own")
        for what, mine, theirs in (
            (Text("number of ranks"), size, ranks.size),
            (Text("name"), settings.name, ranks.settings.name),
            (Text("buffer size"), settings.buffer_megabytes, ranks.settings.buffer_megabytes),
        ):
            if mine != theirs:
                try:
                    differing_ranks(self._machine, communicator, ranks, what)
                finally:
                    self._machine.scheduler.happened()
        self._enter(communicator)
        return communicator

    def _enter(self, communicator: Communicator) -> None:
        """A rank joins. A rank, or a device, that is there twice is refused on all ranks."""
        ranks = communicator.ranks
        twice = ""
        if communicator.rank in ranks.members:
            twice = f"rank {communicator.rank} joins twice"
        elif communicator.device in [other.device for other in ranks.members.values()]:
            twice = f"device {communicator.device.number} is that of two ranks"
        self._machine.scheduler.happened()
        if twice:
            ranks.refused = Item("EI0014", (twice,))
            raise refusal(self._machine, ranks)
        ranks.members[communicator.rank] = communicator
        communicator.used()

    def wait_for(self, communicator: Communicator) -> None:
        """Wait until all ranks have joined."""
        ranks, seconds = communicator.ranks, connect_seconds()
        try:
            joined = self._machine.scheduler.wait(ranks, seconds * SECOND, grace=seconds)
            if not joined and ranks.refused is None:
                raise never_joined(self._machine, ranks)
            if ranks.refused is not None:
                status = HcclResult.HCCL_E_PARA if ranks.finding != ABSENT else HcclResult.HCCL_E_TIMEOUT
                raise refusal(self._machine, ranks, status)
        except BaseException:
            self._machine.scheduler.happened()
            raise

    def open(
        self, identity: str, size: int, rank: int, device: Device, settings: Settings, *, part: bool = False
    ) -> Communicator:
        """The communicator of a rank, without a meeting."""
        ranks = self._ranks.get(identity)
        if ranks is None or rank in ranks.members:
            ranks = self._ranks[identity] = Ranks(identity, next(self._numbers), size, settings)
        communicator = Communicator(ranks, rank, device, part=part)
        self._enter(communicator)
        return communicator

    def alone(self, devices: list[Device]) -> list[Communicator]:
        """The communicators of all ranks, one for each device."""
        root = self.root_info()
        return [self.join(root, len(devices), rank, device, Settings()) for rank, device in enumerate(devices)]

    def leave(self, communicator: Communicator) -> None:
        """The rank has destroyed its communicator: operations that wait for it never take place."""
        communicator.leave()
        ranks = communicator.ranks
        if len(ranks.left) == ranks.size and self._ranks.get(ranks.identity) is ranks:
            del self._ranks[ranks.identity]
        self._machine.scheduler.happened()

    # operations

    def meet(self, operation: Operation, key: tuple[int, ...], seat: int, request: Request) -> None:
        """Enter an operation into the meeting of this key."""
        communicator = operation.communicator
        ranks, paired = communicator.ranks, len(key) > 1
        meeting = self._meetings.get((ranks, key))
        if meeting is None:
            seats = key[:2] if paired else tuple(range(ranks.size))
            over = partial(self._forget, ranks, key)
            meeting = self._meetings[ranks, key] = Meeting(ranks, seats, over)
        for party in meeting.parties.values():
            if what := difference(party.request, request, paired=paired):
                mismatch(self._machine, meeting, party.request, request, what)
        meeting.parties[seat] = Party(request, operation)
        operation.meetings.append(meeting)
        communicator.latest, communicator.skipped = request, None

    def _forget(self, ranks: Ranks, key: tuple[int, ...]) -> None:
        del self._meetings[ranks, key]

    def withdraw(self, operation: Operation) -> None:
        """The call of an operation has failed, and had no effect."""
        for meeting in operation.meetings:
            for seat in [seat for seat, party in meeting.parties.items() if party.member is operation]:
                del meeting.parties[seat]


def _refuse(parameter: str, reason: str) -> AclError:
    item = Item("EI0003", ("HcclCommInitRootInfo", "the given bytes", parameter, reason))
    return AclError(HcclResult.HCCL_E_PARA, item)
