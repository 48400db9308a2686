"""The other processes of one communicator: a link to each of them, their messages, the memory that they share, and
their end."""

import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, Protocol

import numpy as np

from acl_runtime.collective.buffers import Received
from acl_runtime.collective.processes.link import Link, Message, Packet
from acl_runtime.collective.processes.rendezvous import JoiningRank
from acl_runtime.collective.processes.segments import SegmentPool, mapped
from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.shared.reader import ProcessLife, Reader

INLINE: Final = 1 << 14
"""bytes up to which data travels in the packet, and not in shared memory"""
BYE: Final = "bye"
READ: Final = "read"


class MessageListener(Protocol):
    """Hears what the other processes of a communicator say."""

    def received(self, process: str, message: Message, data: Received | None) -> None:
        """A message of another process has come."""
        ...

    def ended(self, process: str, *, clean: bool) -> None:
        """Another process has ended. `clean`: it said so before."""
        ...


class Connections:
    """The other processes of a communicator. The caller holds the machine's lock."""

    def __init__(
        self,
        reader: Reader,
        table: Mapping[int, JoiningRank],
        ends: Mapping[str, socket.socket],
        listener: MessageListener,
    ) -> None:
        self.table = table
        self.process_of = {rank: entry.process for rank, entry in table.items()}
        self._reader = reader
        self._listener = listener
        self._pool = SegmentPool()
        self._maps: dict[tuple[str, int], Array] = {}
        """the segments of the others"""
        self._bye: set[str] = set()
        self._lives: dict[str, ProcessLife] = {}
        self.links: dict[str, Link] = {}
        pids = {entry.process: entry.pid for entry in table.values()}
        for process, end in ends.items():
            link = self.links[process] = Link(end, reader)
            reader.watch(link, lambda process=process: self._receive(process))
            with suppress(OSError):  # the process has ended already, or the system has no such descriptors
                life = self._lives[process] = ProcessLife(pids[process], lambda process=process: self._ended(process))
                reader.watch(life, life.look)

    def send(self, message: Message, processes: Iterable[str], data: Array | None = None) -> None:
        """Send a message to some processes. The bytes of `data` are copied."""
        links = [link for process in processes if (link := self.links.get(process)) is not None]
        if data is None:
            for link in links:
                link.send(message)
        elif len(data) <= INLINE:
            payload = data.tobytes()
            for link in links:
                link.send({**message, "bytes": len(data)}, payload)
        elif links:
            self._share({**message, "bytes": len(data)}, links, data)

    def close(self) -> None:
        """Leave the others, when all that was said has been sent."""
        for process in [*self.links]:
            self.links.pop(process).close()
            self._forget(process)
        self._pool.close()

    def bye(self) -> None:
        """Say that this process ends without a crash."""
        self.send({"kind": BYE}, [*self.links])

    def forked(self) -> None:
        """Close the copies in a forked child."""
        for link in self.links.values():
            link.forked()
        for life in self._lives.values():
            life.close()

    def _share(self, message: Message, links: Iterable[Link], data: Array) -> None:
        segment = self._pool.take(len(data))
        segment.bytes[: len(data)] = data
        for link in links:
            first = link not in segment.known
            segment.known.add(link)
            segment.readers.add(link)
            link.send({**message, "segment": segment.number}, b"", segment.descriptor if first else None)

    def _receive(self, process: str) -> None:
        """Handle the next packet of a process."""
        link = self.links.get(process)
        if link is None:
            return
        with suppress(BlockingIOError):
            received = link.receive()
            if received is None:
                self._ended(process)
            else:
                self._handle(process, link, received)

    def _handle(self, process: str, link: Link, received: Packet) -> None:
        message, kind = received.message, received.message.get("kind")
        if kind == BYE:
            self._bye.add(process)
        elif kind == READ:
            self._pool.read(int(message["segment"]), link)
        else:
            self._listener.received(process, message, self._data(process, link, received))

    def _data(self, process: str, link: Link, received: Packet) -> Received | None:
        """The bytes that came with a message."""
        message, number = received.message, received.message.get("segment")
        if "bytes" not in message:
            return None
        if number is None:
            return Received(np.frombuffer(received.payload, np.uint8))
        if received.descriptor is not None:
            self._maps[process, number] = mapped(received.descriptor)
        return Received(
            self._maps[process, number][: message["bytes"]], lambda: link.send({"kind": READ, "segment": number})
        )

    def _ended(self, process: str) -> None:
        """A process has ended: its last messages come first."""
        link = self.links.get(process)
        if link is None:
            return
        with suppress(BlockingIOError):
            while (received := link.receive()) is not None:
                self._handle(process, link, received)
        self.links.pop(process, None)
        link.abandon()
        self._pool.gone(link)
        self._forget(process)
        self._listener.ended(process, clean=process in self._bye)

    def _forget(self, process: str) -> None:
        life = self._lives.pop(process, None)
        if life is not None:
            self._reader.drop(life)
            life.close()
