"""Deadlocks of several processes: each one in which nothing can move tells the others for whom it waits.

A process *stands still* when a host thread of it waits, and no task and no other thread can end this wait within the
patience of the machine. It takes that back when something moves. A standstill is a deadlock when all processes for
which it waits, directly or not, stand still too, and no message between them is under way. A process that computes,
sleeps or is stopped says nothing; so it is late, and nothing is reported.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from acl_runtime.collective.processes import plain
from acl_runtime.collective.ranks import Trouble
from acl_runtime.errors import Past
from acl_runtime.text import Text


class Still(NamedTuple):
    """The words of a process that stands still."""

    awaited: tuple[str, ...]
    """the processes for which it waits"""
    sent: Mapping[str, int]
    received: Mapping[str, int]
    """the numbers of its messages, by the other process"""
    trouble: Trouble
    """the waits, with their lines"""

    def packed(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {**self._asdict(), "trouble": plain.packed(self.trouble)}

    @staticmethod
    def unpacked(fields: Mapping[str, Any]) -> "Still":
        """The words of another process."""
        awaited, sent, received = (fields[name] for name in ("awaited", "sent", "received"))
        return Still(tuple(awaited), sent, received, plain.unpacked(fields["trouble"]))


class Standstill:
    """The processes that stand still, as far as this one knows. The caller holds the machine's lock."""

    def __init__(self, process: str, patience: float, tell: Callable[[Still | None], None]) -> None:
        """`tell` sends the words of this process to all others."""
        self._process = process
        self._patience = patience
        self._tell = tell
        self._said: dict[str, Still] = {}
        """the words of the processes that stand still"""
        self._since = 0.0
        """the real time of the last change"""
        self.sent: Counter[str] = Counter()
        self.received: Counter[str] = Counter()

    def stands(self, awaited: Iterable[str], waits: Callable[[], tuple[str, tuple[Past, ...]]]) -> None:
        """Nothing moves in this process."""
        processes = tuple(dict.fromkeys(awaited))
        if processes and self._process not in self._said:
            what, history = waits()
            still = Still(
                processes,
                dict(self.sent),
                dict(self.received),
                Trouble("", what if isinstance(what, Text) else Text.again(what, {}), history=history),
            )
            self._hear(self._process, still)
            self._tell(still)

    def moves(self) -> None:
        """Something moves in this process."""
        if self._process in self._said:
            self._hear(self._process, None)
            self._tell(None)

    def hear(self, process: str, still: Still | None) -> None:
        """Another process stands still; None: it moves."""
        self._hear(process, still)

    def _hear(self, process: str, still: Still | None) -> None:
        self._since = time.monotonic()
        if still is None:
            self._said.pop(process, None)
        else:
            self._said[process] = still

    def frozen(self, process: str) -> bool:
        """True if a process can never move any more: it and all for which it waits stand still."""
        if self._process not in self._said or time.monotonic() < self._since + self._patience:
            return False
        group, stack = set[str](), [process]
        while stack:
            one = stack.pop()
            if one in group:
                continue
            if one not in self._said:
                return False
            group.add(one)
            stack += self._said[one].awaited
        return all(
            self._said[one].sent.get(other, 0) == self._said[other].received.get(one, 0)
            for one in group
            for other in group - {one}
        )

    def others(self) -> list[Trouble]:
        """The waits of the other processes that stand still."""
        return [still.trouble for process, still in self._said.items() if process != self._process]
