"""Pinned host memory that a queued copy reads: what the host writes there itself nobody sees, but the bytes differ."""

import ctypes
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

import numpy as np

from acl_runtime.machine import host
from acl_runtime.machine.accesses import Access
from acl_runtime.machine.clocks import Agent
from acl_runtime.machine.pinned import Pinned

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


COLUMNS: Final = 1021
ROW: Final = 8 * COLUMNS
FEW: Final = 8


class Watch(NamedTuple):
    """What the source of one copy held when the copy was launched."""

    pinned: Pinned
    low: int
    high: int
    access: Access
    sum: int


class Watches:
    """The watched ranges of a machine: from the launch until somebody knows that the copy is over."""

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._watches: list[Watch] = []

    def add(self, pinned: Pinned, low: int, high: int, access: Access) -> None:
        """A copy that reads these bytes is launched."""
        if (now := _sum(pinned, low, high)) is not None:
            self._watches.append(Watch(pinned, low, high, access, now))

    def drop(self, low: int, high: int) -> None:
        """Somebody we know of writes there, or the memory goes away: it is judged otherwise."""
        if self._watches:
            self._watches = [watch for watch in self._watches if watch.high <= low or high <= watch.low]

    def settle(self, agent: Agent) -> None:
        """The agent may use again what it knows to be done; what changed before was changed too early."""
        if not self._watches:
            return
        over = [watch for watch in self._watches if _over(watch, agent)]
        if over:
            self._watches = [watch for watch in self._watches if not _over(watch, agent)]
        for watch in over:
            if _sum(watch.pinned, watch.low, watch.high) not in (watch.sum, None):
                self._tell(watch)

    def _tell(self, watch: Watch) -> None:
        doing, pinned = watch.access.doing, watch.pinned
        self._machine.undefined(
            "pinned-reuse",
            f"the host changed bytes of {pinned} while they were the {watch.access.role} of {doing.name} in "
            f"{doing.agent}, before it waited for that ({watch.high - watch.low} bytes from + "
            f"{watch.low - pinned.address:#x} on).",
            doing.past(),
            *pinned.past(),
        )


def _over(watch: Watch, agent: Agent) -> bool:
    return agent.knows(watch.access.doing.agent, watch.access.doing.number)


def _sum(pinned: Pinned, low: int, high: int) -> int | None:
    """A checksum of the bytes; None where they cannot be read any more."""
    if pinned.freed:
        return None
    if pinned.registered and pinned.owner is None:  # nobody keeps it
        raw = host.read(low, high - low)
        return None if raw is None else _checksum(raw)
    return _checksum((ctypes.c_char * (high - low)).from_address(low))


def _checksum(raw: Any) -> int:
    """crc32 of a few bytes, and of column sums of many, which numpy makes as fast as it reads. The odd number of
    columns tells rows of any usual size apart."""
    view = memoryview(raw)
    rows = view.nbytes // ROW
    if rows < FEW:
        return crc32(view)
    sums = np.frombuffer(view, np.uint64, rows * COLUMNS).reshape(rows, COLUMNS).sum(axis=0, dtype=np.uint64)
    return crc32(view[rows * ROW :], crc32(sums.tobytes()))
