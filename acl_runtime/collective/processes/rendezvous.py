"""How the processes of a communicator find each other, by its root information alone, or by what all ranks know.

The process that made the root information listens at a Unix socket. Each rank of another process connects to it, shows
the secret, and says who it is. When all ranks have joined, or two of them disagree, the root tells everybody. It makes
a pair of sockets for each pair of processes and hands the ends over. So only the root ever has an address, and only
until all ranks have joined.

A communicator of a rank table, or of some ranks of another one, has no root information. The first process that makes
it is the root; the name of its socket and the secret follow from the identity of the communicator.
"""

import hmac
import os
import socket
from collections.abc import Mapping
from secrets import token_hex
from typing import Any, NamedTuple, Protocol

from acl_runtime.collective.processes.folder import forget, listen, own, reach
from acl_runtime.collective.processes.link import Link, Message, Packet
from acl_runtime.streams.shared.reader import Reader


class JoiningRank(NamedTuple):
    """A rank that joins."""

    rank: int
    size: int
    device: int
    """the physical device"""
    process: str
    """the identity of the process"""
    pid: int
    name: str
    buffer: int
    line: str
    """file and line of the call"""
    ids: str
    """the ranks of another communicator of which it is made, if any"""


class RendezvousHost(Protocol):
    """The meeting place, as far as a rendezvous needs it."""

    process: str
    """the identity of this process"""

    @property
    def reader(self) -> Reader:
        """The reader thread."""
        ...

    def came(self, root: "Root", entry: JoiningRank, link: Link) -> None:
        """A rank of another process wants to join. `Root.admit` admits it."""
        ...

    def went(self, root: "Root", entry: JoiningRank) -> None:
        """A process has ended, or given up, before all ranks had joined."""
        ...

    def completed(self, identity: str, table: Mapping[int, JoiningRank], ends: Mapping[str, socket.socket]) -> None:
        """All ranks have joined. `ends`: the connections to the other processes. It is called once for each process."""
        ...

    def refused(self, identity: str, reason: Message | None) -> None:
        """The communicator cannot be made. None: the process that made the root information has ended."""
        ...


class Root:
    """A root information that this process made: the ranks that have joined its communicator so far."""

    def __init__(
        self, host: RendezvousHost, identity: str, listening: tuple[socket.socket, str] | None = None, secret: str = ""
    ) -> None:
        """`listening`, `secret`: the socket and the secret, if both follow from what all ranks know."""
        self.identity = identity
        self.secret = secret or token_hex(32)
        self.table: dict[int, JoiningRank] = {}
        """the ranks that have joined"""
        self.open = True
        self._host = host
        self._listener, self.path = listening or listen()
        self._listener.setblocking(False)
        self._links: dict[Link, JoiningRank | None] = {}
        """the connections, and the rank that has joined by each of them"""
        host.reader.watch(self._listener, self._accept)

    def admit(self, entry: JoiningRank, link: Link | None = None) -> None:
        """A rank has joined; `link`: the connection to its process, if that is another one."""
        self.table[entry.rank] = entry
        if link is not None:
            self._links[link] = entry

    def complete(self) -> dict[str, socket.socket]:
        """All ranks have joined: tell all of them, and connect their processes. Returns the connections of this
        process."""
        table = {rank: self.table[rank] for rank in sorted(self.table)}
        processes = list(dict.fromkeys(entry.process for entry in table.values()))
        ends: dict[str, dict[str, socket.socket]] = {process: {} for process in processes}
        for number, first in enumerate(processes):
            for second in processes[:number]:
                pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
                ends[first][second], ends[second][first] = pair
        here = ends.pop(self._host.process, {})
        for link, entry in self._links.items():
            if entry is not None and entry.process not in ends:  # another rank of the process gets them
                link.send({"kind": "also"})
            elif entry is not None:
                for row in table.values():
                    link.send({"kind": "row", "entry": row})
                for process, end in ends.pop(entry.process).items():
                    link.send({"kind": "end", "process": process}, descriptor=end.fileno())
                    end.close()
                link.send({"kind": "complete"})
        self.close()
        return here

    def refuse(self, reason: Message) -> None:
        """Tell all ranks of other processes that the communicator cannot be made."""
        for link in self._links:
            link.send({"kind": "refused", "reason": reason})
        self.close()

    def close(self) -> None:
        """Let nobody join any more."""
        if self.open:
            self.open = False
            self._host.reader.drop(self._listener)
            self._listener.close()
            forget(self.path)
            for link in self._links:
                link.close()

    def forked(self) -> None:
        """Close the copies in a forked child."""
        for each in (self._listener, *(link.socket for link in self._links if link.open)):
            os.close(each.detach())

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        if not own(connection):
            connection.close()
            return
        link = Link(connection, self._host.reader)
        self._links[link] = None
        self._host.reader.watch(link, lambda: self._receive(link))

    def _receive(self, link: Link) -> None:
        """A packet of a process that wants to join, or the end of one that has joined."""
        received = next_packet(link)
        if received is None or not self.open:
            return
        joined = self._links[link]
        if joined is None and (entry := self._proof(received.message)) is not None:
            self._host.came(self, entry, link)
            return
        del self._links[link]
        link.abandon()
        if joined is not None:
            del self.table[joined.rank]
            self._host.went(self, joined)

    def _proof(self, message: Message) -> JoiningRank | None:
        """The rank that a process wants to join; None if it does not know the secret."""
        if not hmac.compare_digest(str(message.get("secret")).encode(), self.secret.encode()):
            return None
        return entry_of(message.get("entry"))


class Join:
    """A rank of this process that joins the communicator of another process's root information."""

    def __init__(self, host: RendezvousHost, identity: str, path: str, secret: str, entry: JoiningRank) -> None:
        """OSError if the other process has ended."""
        self._host = host
        self._identity = identity
        self._table: dict[int, JoiningRank] = {}
        self._ends: dict[str, socket.socket] = {}
        self.link = Link(reach(path), host.reader)
        host.reader.watch(self.link, self._receive)
        self.link.send({"secret": secret, "entry": entry})

    def _receive(self) -> None:
        received = next_packet(self.link)
        if received is None:
            return
        message = received.message
        match message.get("kind"):
            case "row" if (entry := entry_of(message.get("entry"))) is not None:
                self._table[entry.rank] = entry
            case "end" if received.descriptor is not None:
                self._ends[str(message["process"])] = socket.socket(fileno=received.descriptor)
            case "also":
                self.link.abandon()
            case "complete":
                self.link.abandon()
                ends, self._ends = self._ends, {}
                self._host.completed(self._identity, self._table, ends)
            case kind:
                self.link.abandon()
                self.close()
                self._host.refused(self._identity, message["reason"] if kind == "refused" else None)

    def close(self) -> None:
        """Leave. The connections to other processes that have come already are of no use."""
        self.link.close()
        for end in self._ends.values():
            end.close()
        self._ends = {}

    def forked(self) -> None:
        """Close the copies in a forked child."""
        self.link.forked()
        for end in self._ends.values():
            os.close(end.detach())


def next_packet(link: Link) -> Packet | None:
    """The next packet of a link that is open; an empty message at its end; None if there is none yet."""
    if not link.open:
        return None
    try:
        return link.receive() or Packet({}, b"", None)
    except BlockingIOError:
        return None


def entry_of(values: Any) -> JoiningRank | None:
    """The entry in a message; None if it is damaged."""
    kinds = list(JoiningRank.__annotations__.values())
    if type(values) is not list or [type(value) for value in values] != kinds:  # pyright: ignore
        return None
    return JoiningRank(*values)  # pyright: ignore
