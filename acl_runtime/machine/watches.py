"""Pinned host memory that a queued copy uses: what the host writes there itself nobody sees, but the bytes differ."""

import ctypes
from bisect import bisect_left, insort
from itertools import count, takewhile
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

    def __init__(self, pinned: Pinned, low: int, high: int, access: Access, number: int) -> None:
        self.number = number
        """how many-th watch of the machine"""
        self.pinned = pinned
        self.low = low
        self.high = high
        self.access = access
        self.changed = False
        """did the host change it before the copy ran?"""
        self.sum = self.now()

    def now(self) -> int | None:
        """A checksum of the bytes that the copy uses; None where they cannot be read any more."""
        if self.pinned.gone:
            return None
        raw: Any = (ctypes.c_char * (self.high - self.low)).from_address(self.low)
        if self.pinned.registered and self.pinned.owner is None:  # nobody keeps it
            raw = host.read(self.low, self.high - self.low)
            if raw is None:
                return None
        layout = self.access.layout
        if layout is not None and layout.high <= self.high:  # else it leads out of the memory, which was told
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
        self._made = count()
        self.by_agent: dict[Agent, dict[int, Watch]] = {}
        """by who copies and by their numbers: those that are over come first"""
        self._by_piece: dict[Pinned, _Sorted] = {}

    def add(self, pinned: Pinned, low: int, high: int, access: Access) -> Watch:
        """A copy that uses these bytes is launched."""
        watch = Watch(pinned, low, high, access, next(self._made))
        self.by_agent.setdefault(access.doing.agent, {})[watch.number] = watch
        self._by_piece.setdefault(pinned, _Sorted()).add(watch)
        return watch

    def drop(self, piece: Pinned, low: int, high: int) -> None:
        """Somebody we know of writes there, or the memory goes away: it is judged otherwise."""
        if piece in self._by_piece:
            for watch in self._by_piece[piece].meeting(low, high):
                self._forget(watch)

    def settle(self, agent: Agent) -> None:
        """The agent may use again what it knows to be done; what changed before was changed too early."""
        if not self.by_agent:
            return
        over = [watch for other, watches in self.by_agent.items() for watch in _over(watches, other, agent)]
        for watch in over:
            self._forget(watch)
        for watch in sorted(over, key=lambda each: each.number):
            if watch.changed or watch.differs():
                self._tell(watch)

    def _forget(self, watch: Watch) -> None:
        agent, piece = watch.access.doing.agent, watch.pinned
        del self.by_agent[agent][watch.number]
        self._by_piece[piece].remove(watch)
        if not self.by_agent[agent]:
            del self.by_agent[agent]
        if not self._by_piece[piece]:
            del self._by_piece[piece]

    def _tell(self, watch: Watch) -> None:
        """Tell, but of the same line in a loop once."""
        doing, pinned = watch.access.doing, watch.pinned
        if not self._machine.order.first(doing.launched, doing.agent, watch.access.role):
            return
        self._machine.undefined(
            "pinned-reuse",
            f"the host changed bytes of {pinned} while they were the {watch.access.role} of {doing.name} in "
            f"{doing.agent}, before it waited for that (somewhere in the {watch.high - watch.low} bytes from + "
            f"{watch.low - pinned.address:#x} on).",
            doing.past(),
            *pinned.past(),
        )


class _Sorted:
    """The watches of one piece of memory, by where they begin."""

    def __init__(self) -> None:
        self._keys: list[tuple[int, int]] = []
        self._watches: dict[tuple[int, int], Watch] = {}
        self._longest = 0

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, watch: Watch) -> None:
        key = watch.low, watch.number
        insort(self._keys, key)
        self._watches[key] = watch
        self._longest = max(self._longest, watch.high - watch.low)

    def remove(self, watch: Watch) -> None:
        key = watch.low, watch.number
        del self._keys[bisect_left(self._keys, key)], self._watches[key]

    def meeting(self, low: int, high: int) -> list[Watch]:
        """Those that share a byte with [low, high)."""
        near = self._keys[bisect_left(self._keys, (low - self._longest, -1)) : bisect_left(self._keys, (high, -1))]
        return [watch for key in near if (watch := self._watches[key]).high > low]


def _over(watches: dict[int, Watch], other: Agent, agent: Agent) -> list[Watch]:
    """Those of one agent that the other knows to be over: the first of them."""
    return list(takewhile(lambda watch: agent.knows(other, watch.access.doing.number), watches.values()))


def _checksum(raw: Any) -> int:
    """crc32 of a few bytes, and of column sums of many, which numpy makes as fast as it reads. The odd number of
    columns tells rows of any usual size apart."""
    view = memoryview(raw)
    rows = view.nbytes // ROW
    if rows < FEW:
        return crc32(view)
    sums = np.frombuffer(view, np.uint64, rows * COLUMNS).reshape(rows, COLUMNS).sum(axis=0, dtype=np.uint64)
    return crc32(view[rows * ROW :], crc32(sums.tobytes()))
