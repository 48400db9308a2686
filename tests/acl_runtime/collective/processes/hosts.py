"""Meeting places without a machine: several of them in one process stand for several processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from socket import socket
from typing import Any

from acl_runtime.collective.buffers import Received
from acl_runtime.collective.processes.connections import Connections
from acl_runtime.collective.processes.link import Link, Message
from acl_runtime.collective.processes.rendezvous import Join, JoiningRank, Root
from acl_runtime.streams.shared.reader import Reader

LIMIT = 60
"""seconds after which a test gives up: an event that it waits for never comes"""


class Host:
    """One process."""

    def __init__(self, process: str) -> None:
        self.process = process
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.reader = Reader(self)
        self.joined: dict[str, Connections] = {}
        self.completions: list[str] = []
        self.refusals: list[Any] = []
        self.gone: list[JoiningRank] = []
        self.heard: list[tuple[str, Any, Received | None]] = []
        self._open: list[Root | Join] = []

    def attach(self) -> None:
        """The machine of a thread does not matter here."""

    def completed(self, identity: str, table: Mapping[int, JoiningRank], ends: Mapping[str, socket]) -> None:
        self.completions.append(identity)
        self.joined[identity] = Connections(self.reader, table, ends, self)
        self.changed.notify_all()

    def came(self, root: Root, entry: JoiningRank, link: Link) -> None:
        root.admit(entry, link)
        self._end(root)
        self.changed.notify_all()

    def _end(self, root: Root) -> None:
        if len(root.table) == root.table[min(root.table)].size:
            self.completed(root.identity, root.table, root.complete())

    def went(self, root: Root, entry: JoiningRank) -> None:
        self.gone.append(entry)
        self.changed.notify_all()

    def refused(self, identity: str, reason: Message | None) -> None:
        self.refusals.append(reason)
        self.changed.notify_all()

    def received(self, process: str, message: Message, data: Received | None) -> None:
        self.heard.append((process, message.get("kind"), data))
        self.changed.notify_all()

    def ended(self, process: str, *, clean: bool) -> None:
        self.heard.append((process, "clean end" if clean else "crash", None))
        self.changed.notify_all()

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition, which a message makes true."""
        with self.lock:
            assert self.changed.wait_for(condition, LIMIT)

    def root(self, identity: str = "one") -> Root:
        with self.lock:
            root = Root(self, identity)
            self._open.append(root)
            return root

    def enter(self, root: Root, entry: JoiningRank) -> None:
        with self.lock:
            root.admit(entry)
            self._end(root)

    def join(self, root: Root, entry: JoiningRank, secret: str = "") -> Join:
        with self.lock:
            join = Join(self, root.identity, root.path, secret or root.secret, entry)
            self._open.append(join)
            return join

    def close(self) -> None:
        """End the process."""
        with self.lock:
            for each in (*self._open, *self.joined.values()):
                each.close()
        self.reader.close()


def entry(rank: int, process: str, size: int = 2, **values: Any) -> JoiningRank:
    """A rank of a process, on the device of the same number."""
    standard: dict[str, Any] = {
        "device": rank,
        "pid": os.getpid(),
        "name": "",
        "buffer": 200,
        "line": f"{process}.py:{rank}",
        "ids": "",
    }
    return JoiningRank(rank=rank, size=size, process=process, **{**standard, **values})


@contextmanager
def hosts(*names: str) -> Generator[list[Host]]:
    """Some processes, whose reader threads end with the block."""
    with ExitStack() as stack:
        made = [Host(name) for name in names]
        for host in made:
            stack.callback(host.close)
        yield made


@contextmanager
def pair() -> Generator[tuple[Host, Host]]:
    """Two processes that share a communicator."""
    with hosts("a", "b") as (first, second):
        root = first.root()
        first.enter(root, entry(0, "a"))
        second.join(root, entry(1, "b"))
        for host in (first, second):
            host.until(lambda host=host: "one" in host.joined)
        yield first, second
