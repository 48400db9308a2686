"""The part of a communicator that is in other processes: its ranks, and the messages of its operations."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

from acl_runtime.collective.buffers import Received
from acl_runtime.collective.meeting import Meeting
from acl_runtime.collective.peers import Arrived, Member
from acl_runtime.collective.processes import plain
from acl_runtime.collective.processes.connections import Connections
from acl_runtime.collective.processes.link import Message
from acl_runtime.collective.processes.rendezvous import JoiningRank
from acl_runtime.collective.processes.standstill import Standstill, Still
from acl_runtime.collective.ranks import Communicator, Ranks, Trouble
from acl_runtime.collective.requests import Request
from acl_runtime.errors import Past
from acl_runtime.headers.dtypes import Array
from acl_runtime.text import Text

ARRIVED: Final = "arrived"
BROKEN: Final = "broken"
LEFT: Final = "left"
STILL: Final = "still"


class DistantRank:
    """A rank of another process: a `Peer`."""

    def __init__(self, ranks: Ranks, entry: JoiningRank, frozen: Callable[[str], bool]) -> None:
        """`frozen`: True if a process can never move any more."""
        self._frozen = frozen
        self.entry = entry
        self.chip = entry.device
        text = Text("rank {rank} of {ranks} was created in process {pid}", rank=entry.rank, ranks=ranks, pid=entry.pid)
        self.creation = Past(text, entry.line)
        self.latest: Request | None = None
        """its last request that is known here"""
        self.ended: Past | None = None
        """where it left, or how its process ended"""

    def waits(self) -> bool:
        """True if a stream of the rank waits for other ranks, and this wait never ends."""
        return self.ended is None and self._frozen(self.entry.process)

    def alive(self) -> bool:
        """True if it may still make a call."""
        return self.ended is None and not self._frozen(self.entry.process)

    def excused(self, key: tuple[int, ...]) -> bool:
        """False: its process reports its own failures."""
        return False

    def last_calls(self) -> list[Past]:
        """Its last call and its end, for the history of a finding."""
        last = self.latest.past() if self.latest is not None else self.creation
        return [last, self.ended] if self.ended is not None else [last]


class DistantKeeper(Protocol):
    """The meeting place, as far as this module needs it."""

    standstill: Standstill

    @property
    def now(self) -> float:
        """The simulated time."""
        ...

    def enter(
        self, ranks: Ranks, key: tuple[int, ...], seat: int, request: Request, member: Member
    ) -> tuple[Meeting, Trouble | None]:
        """A rank comes to a meeting."""
        ...

    def demanded(self, meeting: Meeting) -> None:
        """Another rank waits in this meeting: the streams of this process have to run up to it."""
        ...

    def changed(self) -> None:
        """Something changed that a wait may depend on."""
        ...


class Distant:
    """The ranks of a communicator that are in other processes. It hears what they say: a `MessageListener`."""

    def __init__(self, keeper: DistantKeeper, ranks: Ranks) -> None:
        self._keeper = keeper
        self._ranks = ranks
        self.connections: Connections

    def connect(self, connections: Connections, table: Mapping[int, JoiningRank]) -> None:
        """All ranks have joined."""
        self.connections = connections
        for rank, entry in table.items():
            self._ranks.members.setdefault(rank, DistantRank(self._ranks, entry, self._keeper.standstill.frozen))

    # what this process says

    def arrived(self, meeting: Meeting, member: Member) -> None:
        """A rank of this process has arrived. Its bytes are sent, as it may change them before the others need them."""
        for seat, party in meeting.parties.items():
            if party.member is member:
                source = party.request.send
                data = None if source is None else source.read(0, source.size)
                message = {"kind": ARRIVED, "key": meeting.key, "seat": seat, "request": party.request.packed()}
                self._say(message, self._processes(meeting), data)

    def broken(self, trouble: Trouble) -> None:
        """The communicator is of no use any more."""
        self._say({"kind": BROKEN, "trouble": plain.packed(trouble)}, [*self.connections.links])

    def left(self, communicator: Communicator) -> bool:
        """A rank of this process has destroyed its communicator. False if it was the last one."""
        past = self._ranks.left[communicator.rank]
        message = {"kind": LEFT, "rank": communicator.rank, "line": past.site}
        self._say(message, [*self.connections.links])
        if all(rank in self._ranks.left for rank in self._ranks.here()):
            self.connections.close()
            return False
        return True

    def stands(self, still: Still | None, process: str) -> None:
        """This process stands still; None: it moves."""
        self.connections.send({"kind": STILL, "still": still and still.packed()}, [process])

    def _say(self, message: Message, processes: Iterable[str], data: Array | None = None) -> None:
        others = [process for process in processes if process in self.connections.links]
        self._keeper.standstill.sent.update(others)
        self.connections.send(message, others, data)

    def _processes(self, meeting: Meeting) -> Iterable[str]:
        """The processes of the ranks of a meeting."""
        if not meeting.paired:
            return [*self.connections.links]
        return dict.fromkeys(self.connections.table[rank].process for rank in meeting.seats)

    # what the others say

    def received(self, process: str, message: Message, data: Received | None) -> None:
        """Handle a message of another process."""
        standstill = self._keeper.standstill
        if message["kind"] == STILL:
            still = message["still"]
            standstill.hear(process, still and Still.unpacked(still))
            return
        standstill.received[process] += 1
        standstill.hear(process, None)
        match message["kind"]:
            case "arrived":
                self._came(message, data)
            case "broken":
                self._ranks.break_(plain.unpacked(message["trouble"]))
            case "left" if (member := self._of(process, message["rank"])) is not None:
                text = Text("rank {rank} destroyed its communicator", rank=member.entry.rank)
                self._end(member, Past(text, str(message["line"])))
            case _:
                return
        self._keeper.changed()

    def ended(self, process: str, *, clean: bool) -> None:
        """A process has ended: its ranks never come any more."""
        self._keeper.standstill.hear(process, None)
        for rank, entry in self.connections.table.items():
            member = self._of(process, rank)
            if member is not None and member.ended is None:
                ended = Text("process {pid} of rank {rank} has ended", pid=entry.pid, rank=rank)
                died = Text("process {pid} of rank {rank} has died", pid=entry.pid, rank=rank)
                self._end(member, Past(ended if clean else died, ""))
        self._keeper.changed()

    def _of(self, process: str, rank: Any) -> DistantRank | None:
        """A rank of this process; None if another process has it."""
        member = self._ranks.members.get(rank)
        return member if isinstance(member, DistantRank) and member.entry.process == process else None

    def _end(self, member: DistantRank, past: Past) -> None:
        member.ended = self._ranks.left[member.entry.rank] = past

    def _came(self, message: Message, data: Received | None) -> None:
        """A rank of another process has arrived in a meeting."""
        request = Request.unpacked(message["request"], data)
        key, seat = tuple(message["key"]), message["seat"]
        member = self._ranks.members[request.rank]
        assert isinstance(member, DistantRank)
        member.latest = request
        meeting, trouble = self._keeper.enter(self._ranks, key, seat, request, Arrived(self._keeper.now))
        if trouble is None:
            self._keeper.demanded(meeting)
        elif data is not None:
            data.release()
