"""The meeting place of ranks that are threads of this process, or are in other processes of this host."""

import os
import socket
from collections.abc import Callable, Mapping
from hashlib import sha256
from secrets import token_hex
from typing import Final

from acl_runtime.collective.buffers import Received
from acl_runtime.collective.local_place import LocalPlace
from acl_runtime.collective.meeting import Meeting
from acl_runtime.collective.mistakes import ended_before, root_gone
from acl_runtime.collective.operation import Operation
from acl_runtime.collective.peers import Arrived, Member
from acl_runtime.collective.ports import CollectiveMachine
from acl_runtime.collective.processes import plain
from acl_runtime.collective.processes.connections import Connections
from acl_runtime.collective.processes.distant import Distant, DistantRank
from acl_runtime.collective.processes.folder import listen_or_reach
from acl_runtime.collective.processes.link import Link, Message
from acl_runtime.collective.processes.rendezvous import Join, JoiningRank, Root
from acl_runtime.collective.processes.standstill import Standstill, Still
from acl_runtime.collective.ranks import Communicator, Ranks, Trouble
from acl_runtime.collective.requests import Request
from acl_runtime.collective.settings import RootInfo, Settings, host, root_of
from acl_runtime.errors import AclError, Past
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.own_rank import JoinedRank
from acl_runtime.process import process
from acl_runtime.streams.shared.reader import Reader
from acl_runtime.streams.stream import Device

NAME: Final = 16
"""characters of the name of a socket"""


class ProcessPlace(LocalPlace):
    """All communicators of a machine."""

    def __init__(self, machine: CollectiveMachine) -> None:
        super().__init__(machine)
        self.process = token_hex(8)
        self._open_roots: dict[str, Root] = {}
        """the root informations by which other processes may join, by identity"""
        self._joins: dict[str, list[Join]] = {}
        """the ranks that wait for the root information of another process, by identity"""
        self._distant: dict[Ranks, Distant] = {}
        self._early: dict[Ranks, list[tuple[Meeting, Member]]] = {}
        """the arrivals of ranks of this process at communicators whose ranks have not all joined"""
        self.standstill = Standstill(self.process, machine.options.patience, self._tell)

    @property
    def reader(self) -> Reader:
        """The reader thread, which starts when it is needed first."""
        return self._machine.helpers.reader

    @property
    def now(self) -> float:
        """The simulated time."""
        return self._machine.clock.now

    def changed(self) -> None:
        """Something changed that a wait may depend on."""
        self._machine.scheduler.happened()

    # communicators

    def root_info(self) -> bytes:
        """New root information, by which ranks of other processes may join too."""
        info = self._new_root()
        root = self._open_roots[info.identity] = Root(self, info.identity)
        return info._replace(path=root.path, secret=root.secret).packed()

    def join(self, root: bytes, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        """Register a rank."""
        info = root_of(root)
        if info is None or (info.identity in self._roots and not self._joins.get(info.identity)):
            return super().join(root, size, rank, device, settings)
        if info.host != host():
            what = "the root information comes from another host; this emulator connects the processes of one host"
            raise AclError(HcclResult.HCCL_E_NOT_SUPPORT, Item("EI0015", (what,)))
        self._roots.setdefault(info.identity, next(self._numbers))
        return self._join_elsewhere(info, self._join(info.identity, size, rank, device, settings))

    def _join(self, identity: str, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        root = self._open_roots.get(identity)
        try:
            communicator = super()._join(identity, size, rank, device, settings)
        except BaseException:
            ranks = self._joining.get(identity)
            if root is not None and ranks is not None and ranks.refused is not None:
                self._refuse(root, ranks.refused)
            raise
        if root is not None:
            root.admit(self._entry(communicator))
            ranks = communicator.ranks
            ranks.elsewhere = max(
                ranks.elsewhere, ranks.connect_seconds if self._machine.of_process else self._machine.options.patience
            )
            self._complete(root, ranks)
        return communicator

    def _join_elsewhere(self, info: RootInfo, communicator: Communicator) -> Communicator:
        """Join by the root information of another process."""
        communicator.ranks.elsewhere = communicator.ranks.connect_seconds
        try:
            join = Join(self, info.identity, info.path, info.secret, self._entry(communicator))
        except OSError:
            communicator.ranks.refused = root_gone(communicator.ranks)
        else:
            self._joins.setdefault(info.identity, []).append(join)
        return communicator

    def open(
        self, identity: str, size: int, rank: int, device: Device, settings: Settings, ids: tuple[int, ...] = ()
    ) -> Communicator:
        """The communicator of a rank, without a meeting. Its other ranks may be in other processes."""
        communicator = super().open(identity, size, rank, device, settings, ids)
        ranks = communicator.ranks
        root = self._open_roots.get(ranks.identity)
        if root is None and not ranks.complete:
            root = self._first(communicator)
        if root is not None:
            root.admit(self._entry(communicator))
            self._complete(root, ranks)
        return communicator

    def _first(self, communicator: Communicator) -> Root | None:
        """The root of a communicator without root information, if this process is the first one that makes it. Else the
        rank joins."""
        ranks = communicator.ranks
        secret = sha256(f"aclnn {ranks.identity}".encode()).hexdigest()
        name = sha256(secret.encode()).hexdigest()[:NAME]
        listener, path = listen_or_reach(name)
        if listener is not None:
            root = self._open_roots[ranks.identity] = Root(self, ranks.identity, (listener, path), secret)
            return root
        try:
            join = Join(self, ranks.identity, path, secret, self._entry(communicator))
        except OSError:
            self.refused(ranks.identity, None)
        else:
            self._joins.setdefault(ranks.identity, []).append(join)
        return None

    def wait_for(self, communicator: Communicator) -> None:
        """Wait until all ranks have joined."""
        try:
            super().wait_for(communicator)
        except BaseException:
            self._give_up(communicator.ranks)
            raise

    def _give_up(self, ranks: Ranks) -> None:
        """A rank does not wait for the others any more."""
        root = self._open_roots.get(ranks.identity)
        if root is not None and ranks.refused is not None:
            self._refuse(root, ranks.refused)
        for join in self._joins.pop(ranks.identity, ()):
            join.close()

    def _entry(self, communicator: Communicator) -> JoiningRank:
        ranks = communicator.ranks
        device, name, line = communicator.chip, ranks.settings.name, communicator.creation.site
        ids = " ".join(map(str, ranks.ids))
        return JoiningRank(
            communicator.rank, ranks.size, device, self.process, os.getpid(), name, ranks.megabytes, line, ids
        )

    # what a rendezvous says

    def came(self, root: Root, entry: JoiningRank, link: Link) -> None:
        """A rank of another process wants to join."""
        settings = Settings(entry.name, entry.buffer)
        try:
            ranks = self._ranks(root.identity, entry.size, settings)
        except AclError:  # a variable of this process is invalid: its own call says so
            ranks = None
        if ranks is None:
            link.abandon()
            return
        ranks.elsewhere = ranks.connect_seconds
        ids = tuple(map(int, entry.ids.split()))
        self._admit(ranks, entry.rank, DistantRank(ranks, entry, self.standstill.frozen), entry.size, settings, ids)
        root.admit(entry, link)
        if ranks.refused is not None:
            self._refuse(root, ranks.refused)
        self._complete(root, ranks)

    def went(self, root: Root, entry: JoiningRank) -> None:
        """A process has ended before all ranks had joined."""
        ranks = self._joining[root.identity]
        ranks.refused = ranks.refused or ended_before(ranks, entry.rank, entry.pid)
        self._refuse(root, ranks.refused)
        self._useless(ranks)
        self.changed()

    def _useless(self, ranks: Ranks) -> None:
        """A communicator that exists, as its creation did not wait, can do nothing."""
        if ranks.refused is not None and ranks.early:
            self._broken(ranks, ranks.refused)

    def completed(self, identity: str, table: Mapping[int, JoiningRank], ends: Mapping[str, socket.socket]) -> None:
        """All ranks have joined by the root information of another process."""
        self._joins.pop(identity, None)
        ranks = self._joining.pop(identity, None)
        if ranks is not None:
            self._connect(ranks, table, ends)

    def refused(self, identity: str, reason: Message | None) -> None:
        """A communicator with the root information of another process cannot be made."""
        ranks = self._joining.get(identity)
        if ranks is not None and ranks.refused is None:
            ranks.refused = plain.unpacked(reason) if reason is not None else root_gone(ranks)
            self._useless(ranks)
        self.changed()

    def _refuse(self, root: Root, reason: Trouble) -> None:
        self._open_roots.pop(root.identity, None)
        root.refuse(plain.packed(reason))

    def _complete(self, root: Root, ranks: Ranks) -> None:
        if ranks.complete:
            self._open_roots.pop(root.identity, None)
            self._connect(ranks, root.table, root.complete())

    def _connect(self, ranks: Ranks, table: Mapping[int, JoiningRank], ends: Mapping[str, socket.socket]) -> None:
        if ends:
            if self._machine.of_process:
                process.own(JoinedRank).note(ranks.here())
            self._machine.scheduler.outside = self
            distant = self._distant[ranks] = Distant(self, ranks)
            distant.connect(Connections(self.reader, table, ends, distant), table)
            for meeting, member in self._early.pop(ranks, ()):
                distant.arrived(meeting, member)
        self.changed()

    # operations

    def meet(self, operation: Operation, key: tuple[int, ...], seat: int, request: Request) -> Trouble | None:
        """Enter an operation into the meeting of this key."""
        trouble = super().meet(operation, key, seat, request)
        if trouble is None and operation.id:  # it was queued in a group, which ends now
            self.called(operation)
        return trouble

    def called(self, operation: Operation) -> None:
        """An operation is queued."""
        if operation.communicator.ranks.together:
            return
        for meeting in operation.meetings:
            if any(isinstance(party.member, Arrived) for party in meeting.parties.values()):
                self.demanded(meeting)

    def _broken(self, ranks: Ranks, trouble: Trouble) -> Trouble:
        distant = self._distant.get(ranks)
        if distant is not None and ranks.broken is None:
            distant.broken(trouble)
        return super()._broken(ranks, trouble)

    def arrived(self, meeting: Meeting, member: Member) -> None:
        """A rank of this process has arrived."""
        distant = self._distant.get(meeting.ranks)
        if distant is not None:
            distant.arrived(meeting, member)
        elif not meeting.ranks.complete:
            self._early.setdefault(meeting.ranks, []).append((meeting, member))

    def over(self, meeting: Meeting) -> None:
        """A meeting has taken place, or never will."""
        super().over(meeting)
        for party in meeting.parties.values():
            if isinstance(party.request.send, Received):
                party.request.send.release()

    def leave(self, communicator: Communicator) -> None:
        """A rank of this process has destroyed its communicator."""
        super().leave(communicator)
        distant = self._distant.get(communicator.ranks)
        if distant is not None and not distant.left(communicator):
            del self._distant[communicator.ranks]

    def demanded(self, meeting: Meeting) -> None:
        """Another rank waits in this meeting."""
        if meeting.pending():  # this question lets operations arrive that are the first ones of their streams
            self._machine.helpers.progress.demand(meeting)

    # waits: `streams.ports.Outside`

    def stands(self, waits: Callable[[], tuple[str, tuple[Past, ...]]]) -> None:
        """A host thread waits, and nothing in this process can end its wait."""
        operations = [stream.queue[0] for stream in self._machine.scheduler.busy]
        meetings = [meeting for each in operations if isinstance(each, Operation) for meeting in each.meetings]
        members = [meeting.ranks.members.get(rank) for meeting in meetings for rank in meeting.missing()]
        self.standstill.stands([one.entry.process for one in members if isinstance(one, DistantRank)], waits)

    def moves(self) -> None:
        """Something moved in this process, or a wait has ended."""
        self.standstill.moves()

    def serve(self) -> None:
        """Run what other processes need, on the calling thread, which waits."""
        self._machine.helpers.progress.serve()

    def served(self) -> None:
        """The calling thread waits no longer."""
        self._machine.helpers.progress.served()

    def listen(self, seconds: float) -> None:
        """Take what other processes say, on the calling thread, which waits."""
        self.reader.read_here(seconds, self._machine.scheduler.changed)

    def others(self) -> list[tuple[str, tuple[Past, ...]]]:
        """The waits of other processes that stand still."""
        return [(trouble.what, trouble.history) for trouble in self.standstill.others()]

    def _tell(self, still: Still | None) -> None:
        """Tell each other process once."""
        reached = set[str]()
        for distant in self._distant.values():
            for other in distant.connections.links.keys() - reached:
                reached.add(other)
                distant.stands(still, other)

    # the end of the machine

    def end(self) -> None:
        """Leave the other processes. The caller holds the machine's lock."""
        for distant in self._distant.values():
            distant.connections.bye()
            distant.connections.close()
        self._distant.clear()
        for root in [*self._open_roots.values()]:
            root.close()
        self._open_roots.clear()
        for join in [join for joins in self._joins.values() for join in joins]:
            join.close()

    def forked(self) -> None:
        """Close the copies of connections in a forked child, which would hide the end of its parent."""
        for distant in self._distant.values():
            distant.connections.forked()
        for root in self._open_roots.values():
            root.forked()
        for join in [join for joins in self._joins.values() for join in joins]:
            join.forked()
