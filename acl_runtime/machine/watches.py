"""Pinned host memory that a queued copy uses: what the host writes there itself nobody sees, but the bytes differ."""

import ctypes
from typing import TYPE_CHECKING, Any, Final
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


class Watch:
    """What pinned memory holds while a copy that was launched has it."""

    def __init__(self, pinned: Pinned, low: int, high: int, access: Access) -> None:
        self.pinned = pinned
        self.low = low
        self.high = high
        self.access = access
        self.changed = False
        """did the host change it before the copy ran?"""
        self.sum = self.now()

    def now(self) -> int | None:
        """A checksum of the bytes that the copy uses; None where they cannot be read any more."""
        if self.pinned.freed:
            return None
        raw: Any = (ctypes.c_char * (self.high - self.low)).from_address(self.low)
        if self.pinned.registered and self.pinned.owner is None:  # nobody keeps it
            raw = host.read(self.low, self.high - self.low)
            if raw is None:
                return None
        layout = self.access.layout
        if layout is not None:
            at = layout.address - self.low
            raw = np.ndarray(layout.shape, f"V{layout.itemsize}", raw, at, layout.strides).tobytes()
        return _checksum(raw)

    def differs(self) -> bool:
        """Have the bytes changed since the last look?"""
        return self.now() not in (self.sum, None)

    def starts(self) -> None:
        """The copy is about to write there."""
        self.changed = self.changed or self.differs()

    def ends(self) -> None:
        """It has written."""
        self.sum = self.now()


class Watches:
    """The watched ranges of a machine: from the launch until somebody knows that the copy is over."""

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._watches: list[Watch] = []

    def add(self, pinned: Pinned, low: int, high: int, access: Access) -> Watch:
        """A copy that uses these bytes is launched."""
        watch = Watch(pinned, low, high, access)
        self._watches.append(watch)
        return watch

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
            if watch.changed or watch.differs():
                self._tell(watch)

    def _tell(self, watch: Watch) -> None:
        doing, pinned = watch.access.doing, watch.pinned
        self._machine.undefined(
            "pinned-reuse",
            f"the host changed bytes of {pinned} while they were the {watch.access.role} of {doing.name} in "
            f"{doing.agent}, before it waited for that (somewhere in the {watch.high - watch.low} bytes from + "
            f"{watch.low - pinned.address:#x} on).",
            doing.past(),
            *pinned.past(),
        )


def _over(watch: Watch, agent: Agent) -> bool:
    return agent.knows(watch.access.doing.agent, watch.access.doing.number)


def _checksum(raw: Any) -> int:
    """crc32 of a few bytes, and of column sums of many, which numpy makes as fast as it reads. The odd number of
    columns tells rows of any usual size apart."""
    view = memoryview(raw)
    rows = view.nbytes // ROW
    if rows < FEW:
        return crc32(view)
    sums = np.frombuffer(view, np.uint64, rows * COLUMNS).reshape(rows, COLUMNS).sum(axis=0, dtype=np.uint64)
    return crc32(view[rows * ROW :], crc32(sums.tobytes()))
