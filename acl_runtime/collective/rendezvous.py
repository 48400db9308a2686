"""The condition for which the task of a rank waits: the other ranks."""

from collections.abc import Sequence
from typing import Final, Protocol

from acl_runtime.collective.meeting import Meeting
from acl_runtime.collective.mistakes import absent, fault
from acl_runtime.collective.peers import Member
from acl_runtime.collective.ports import CollectiveMachine
from acl_runtime.collective.ranks import Communicator
from acl_runtime.errors import DeviceFault
from acl_runtime.streams.stream import Ordering, Stream
from acl_runtime.streams.vector_clock import VectorClock, merged
from acl_runtime.text import Text

SECOND: Final = 1e6
"""simulated microseconds"""


class Gathering(Member, Protocol):
    """The task, as far as its condition needs it."""

    machine: CollectiveMachine
    communicator: Communicator
    name: str
    stream: Stream
    meetings: list[Meeting]

    @property
    def open(self) -> bool:
        """True while its group goes on."""
        ...


class Rendezvous(Ordering):
    """An operation waits for the other ranks of its meetings."""

    def __init__(self, operation: Gathering) -> None:
        self._operation = operation

    @property
    def timeout(self) -> float | None:
        """Simulated microseconds after which an absent rank counts as one that never comes."""
        for meeting in self._operation.meetings:
            if meeting.absent():
                return self._operation.communicator.ranks.exec_seconds * SECOND or None
        return None

    def ready(self) -> bool:
        """True if all ranks have arrived."""
        operation = self._operation
        if operation.open:
            return False
        meetings = operation.meetings
        return meetings[0].ready() if len(meetings) == 1 else all(meeting.ready() for meeting in meetings)

    def time(self) -> float:
        """The simulated time at which the last rank arrived."""
        return max([meeting.time() for meeting in self._operation.meetings], default=0.0)

    def sources(self) -> Sequence[Stream]:
        """The streams of the other ranks, which have to run up to the meeting."""
        streams: dict[Stream, None] = {}
        for meeting in self._operation.meetings:
            streams.update(dict.fromkeys(meeting.sources()))
        streams.pop(self._operation.stream, None)
        return list(streams)

    def clock(self) -> VectorClock | None:
        """The vector clock with all that was over before the operation on any rank. None while a rank is missing."""
        operation = self._operation
        if operation.open:
            return None
        clocks: list[VectorClock] = []
        for meeting in operation.meetings:
            clock = meeting.clock()
            if clock is None:
                return None
            clocks.append(clock)
        return clocks[0] if len(clocks) == 1 else merged(clocks)

    def expired(self) -> DeviceFault:
        """The fault of the task, whose peers never came."""
        operation = self._operation
        meeting = next(meeting for meeting in operation.meetings if meeting.absent())
        trouble = meeting.ranks.break_(absent(operation.name, operation.stream, meeting, meeting.absent()))
        return fault(operation.machine, trouble)

    def __str__(self) -> str:
        operation = self._operation
        if operation.open:
            return Text("HcclGroupEnd of its thread")
        missing: list[str] = []
        for meeting in operation.meetings:
            ranks = meeting.ranks
            for rank in meeting.missing():
                missing.append(Text("rank {rank} of {ranks}, which has not called it", rank=rank, ranks=ranks))
            for party in meeting.parties.values():
                if party.member.at is None and party.member is not operation:
                    rank = party.request.rank
                    missing.append(
                        Text("rank {rank} of {ranks}, whose stream is not there yet", rank=rank, ranks=ranks)
                    )
        return Text("{missing}", missing=Text.chain("{one}, {others}", missing or [Text("the other ranks")]))
