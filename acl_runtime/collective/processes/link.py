"""A connection to another process: packets in both directions, each of them one message.

A message is a JSON object, behind which bytes may follow; descriptors come with it. Nothing in it is ever executed.
Sending never blocks: what the other process does not take is queued, and the thread that reads sends it later. So a
thread may send while it holds the machine's lock, and a process whose buffers are full holds back nobody.
"""

import array
import json
import os
import socket
from collections import deque
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

Message = Mapping[str, Any]
LENGTH: Final = 4
"""bytes of the number at the beginning of a packet: the length of the message"""
PACKET: Final = 1 << 17
"""bytes of the longest packet"""


class Packet(NamedTuple):
    """A packet that came."""

    message: Message
    payload: bytes
    descriptor: int | None


class Watcher(Protocol):
    """The reader thread, as far as a link needs it."""

    def follow(self, link: "Link", *, read: bool, write: bool) -> None:
        """Watch the link for what can be read, and call `flush` when it can send again."""
        ...

    def drop(self, link: "Link") -> None:
        """Do not watch the link any more."""
        ...


class Link:
    """A connection to another process. The caller holds the machine's lock."""

    def __init__(self, connection: socket.socket, watcher: Watcher) -> None:
        connection.setblocking(False)
        self.socket = connection
        self._encode = json.JSONEncoder(separators=(",", ":")).encode
        self._watcher = watcher
        self._queue: deque[tuple[list[bytes], int | None]] = deque()
        self._closing = False
        self.open = True

    def fileno(self) -> int:
        """The descriptor, for a selector."""
        return self.socket.fileno()

    def send(self, message: Message, payload: bytes = b"", descriptor: int | None = None) -> None:
        """Send a message. Its descriptor may be closed after the call. Nothing happens if the other end is gone: the
        thread that reads learns that on its own."""
        if not self.open or self._closing:
            return
        head = self._encode(message).encode()
        parts = [len(head).to_bytes(LENGTH, "little"), head, payload]
        if self._queue or not self._sent(parts, descriptor):
            self._queue.append((parts, None if descriptor is None else os.dup(descriptor)))
            self._watcher.follow(self, read=True, write=True)

    def flush(self) -> None:
        """Send what is queued, as far as the other process takes it."""
        while self._queue:
            parts, descriptor = self._queue[0]
            if not self._sent(parts, descriptor):
                return
            self._queue.popleft()
            _close(descriptor)
        if self._closing:
            self.abandon()
        else:
            self._watcher.follow(self, read=True, write=False)

    def receive(self) -> Packet | None:
        """The next packet; None if the other end is closed. BlockingIOError if there is none yet."""
        try:
            data, descriptors, flags, _ = socket.recv_fds(self.socket, PACKET, 1, socket.MSG_CMSG_CLOEXEC)
        except ConnectionError:
            return None
        descriptor = descriptors[0] if descriptors else None
        try:
            end = LENGTH + int.from_bytes(data[:LENGTH], "little")
            message = json.loads(data[LENGTH:end])
            if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC) or not isinstance(message, dict):
                raise ValueError("the packet is damaged")
        except ValueError:  # the other end is closed, or it is no process of this emulator
            _close(descriptor)
            return None
        return Packet(message, data[end:], descriptor)

    def close(self) -> None:
        """Close the connection when all that is queued was sent."""
        self._closing = True
        if self._queue:
            self._watcher.follow(self, read=False, write=True)
        else:
            self.abandon()

    def abandon(self) -> None:
        """Close the connection at once."""
        if self.open:
            self.open = False
            self._watcher.drop(self)
            self.socket.close()
            for _, descriptor in self._queue:
                _close(descriptor)
            self._queue.clear()

    def forked(self) -> None:
        """Close the copy in a forked child, which would hide the end of its parent from the other process."""
        os.close(self.socket.detach())

    def _sent(self, parts: list[bytes], descriptor: int | None) -> bool:
        """True if the packet was sent, or never can be."""
        rights = []
        if descriptor is not None:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
        try:
            self.socket.sendmsg(parts, rights, socket.MSG_NOSIGNAL)
        except BlockingIOError:
            return False
        except OSError:  # the other end is closed
            return True
        return True


def _close(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)
