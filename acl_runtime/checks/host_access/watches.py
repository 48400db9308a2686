"""Pinned host memory that a queued copy uses: what the host does there is no call, but its pages are guarded.

Where they cannot be, because a page holds other bytes too, what the host writes is seen by the bytes that differ.
"""

import ctypes
import mmap
from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import count, takewhile
from typing import Any, Final
from zlib import crc32

import numpy as np

from acl_runtime.checks.host_access.guard import Guard
from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.checks.uses import PlacedUse, UseListener
from acl_runtime.errors import Past
from acl_runtime.memory import host
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.device_memory import round_up
from acl_runtime.memory.pinned import PAGE, Pinned
from acl_runtime.memory.places import Place
from acl_runtime.memory.ranges import Use
from acl_runtime.source.frames import here, paths, site_of, trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Agent, Doing

COLUMNS: Final = 1021
ROW: Final = 8 * COLUMNS
FEW: Final = 8
NOTHING: Final = 0
"""PROT_NONE"""
HOST: Final = "the host's own code"
"""the `call` of a finding that no call of the API made"""


class Watch:
    """What pinned memory holds while a copy that was launched has it."""

    def __init__(self, pinned: Pinned, low: int, high: int, access: Access, number: int, guard: "Guard[Watch]") -> None:
        self.number = number
        """how many-th watch of the machine"""
        self.pinned = pinned
        self.low = low
        self.high = high
        self.access = access
        self.changed = False
        """did the host change it before the copy ran?"""
        self.touched: Trail = ()
        """where the host touched the bytes first, as far as the guard saw it"""
        self.at = low
        """the address that it touched"""
        self.wrote: bool | None = False
        """did it write? None: nobody knows"""
        self.sum = self.now()
        self._guard = guard
        if pinned.shift and access.layout is None:  # else its pages may hold something else as well
            self._forbid()

    def _forbid(self) -> None:
        """The host may not read what is on its way, nor write what is read: from here on the guard tells."""
        start, end = self.pinned.address, self.pinned.end
        low = start if self.low <= start else round_up(self.low, PAGE)
        high = round_up(end, PAGE) if self.high >= end else self.high - self.high % PAGE
        if low < high:
            self._guard.up(self, low, high, NOTHING if self.access.use.writes else mmap.PROT_READ)

    def allow(self) -> None:
        """The host may do what it likes."""
        self._guard.down(self)

    def now(self) -> int | None:
        """A checksum of the bytes that the copy uses; None where they cannot be read any more."""
        if self.pinned.gone:
            return None
        raw: Any = (ctypes.c_char * (self.high - self.low)).from_address(self.low + self.pinned.shift)
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


class HostAccess(UseListener):
    """The findings `read-before-sync` and `pinned-reuse` of what the host does through no call of the API. Ranges are
    watched from the launch of a copy until somebody knows that it is over."""

    def __init__(self, scene: Scene, order: HappensBefore) -> None:
        self._scene = scene
        self._order = order
        self._guard: Guard[Watch] = Guard(self._touched, scene.pinned.owns)
        self._made = count()
        self.by_agent: dict[Agent, dict[int, Watch]] = {}
        """by who copies and by their numbers: those that are over come first"""
        self._by_piece: dict[Pinned, _Sorted] = {}

    # what happens

    def used(self, agent: Agent, found: Sequence[PlacedUse], *, operator: bool) -> None:
        for place, access in found:
            if isinstance(place.piece, Pinned):
                self._use(agent, place, place.piece, access)

    def _use(self, agent: Agent, place: Place, piece: Pinned, access: Access) -> None:
        steady = not self._order.comes_from_a_stream(place)
        if access.use.writes:
            self.drop(piece, place.low, place.high)
        if agent is not self._order.host and steady and access.use in (Use.READ, Use.WRITE):
            watch = self.add(piece, place.low, place.high, access)
            if access.use.writes:
                access.doing.writes = watch

    def knows(self, agent: Agent) -> None:
        if self.by_agent:
            self.settle(agent)

    def starts(self, task: Task) -> None:
        if task.doing is not None and task.doing.writes is not None:
            task.doing.writes.starts()

    def stops(self, task: Task) -> None:
        if task.doing is not None and task.doing.writes is not None:
            task.doing.writes.ends()

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        if isinstance(piece, Pinned):
            self.drop(piece, piece.address, piece.end)

    def host_read(self, low: int, high: int) -> None:
        if self.by_agent:
            self.read(low, high, trail())

    def closed(self) -> None:
        """Nothing is guarded any more."""
        self._guard.close()

    # watched ranges

    def add(self, pinned: Pinned, low: int, high: int, access: Access) -> Watch:
        """A copy that uses these bytes is launched."""
        watch = Watch(pinned, low, high, access, next(self._made), self._guard)
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
            changed, doing = watch.changed or watch.differs(), watch.access.doing
            if changed:
                watch.access.doubt()
            elif not watch.touched or watch.wrote:
                continue
            id = "pinned-reuse" if changed else "read-before-sync"
            lines = paths(doing.trail, watch.touched or trail())
            if self._scene.findings.first(id, *lines, doing.agent.origin, watch.access.role):  # once of a loop
                (self._tell_change if changed else self._tell_read)(watch)

    def changed(self, doing: Doing) -> bool:
        """Did the host change too early what this copy reads? It is told when somebody waits for the copy."""
        watches = [each for each in self.by_agent.get(doing.agent, {}).values() if each.access.doing is doing]
        return any(not each.access.use.writes and each.differs() for each in watches)

    def read(self, low: int, high: int, where: Trail) -> None:
        """The host reads these bytes, by other means than a call of the API."""
        for watches in self.by_agent.values():
            for watch in watches.values():
                if watch.low < high and low < watch.high and watch.access.use.writes:
                    watch.allow()
                    self._touched(watch, max(low, watch.low), False, where)

    def _touched(self, watch: Watch, address: int, writes: bool | None, where: Trail) -> None:
        """The host touched memory that a copy has. (As a fault comes at any time, this takes no lock.)"""
        if (
            where
            and watch.low <= address < watch.high
            and not watch.touched
            and not self._order.may_be_over(watch.access.doing)
        ):
            if not watch.access.use.writes:
                writes = True  # it may be read
            watch.touched, watch.at, watch.wrote = where, address, writes

    def _forget(self, watch: Watch) -> None:
        watch.allow()
        agent, piece = watch.access.doing.agent, watch.pinned
        del self.by_agent[agent][watch.number]
        self._by_piece[piece].remove(watch)
        if not self.by_agent[agent]:
            del self.by_agent[agent]
        if not self._by_piece[piece]:
            del self._by_piece[piece]

    def _tell_read(self, watch: Watch) -> None:
        doing, pinned = watch.access.doing, watch.pinned
        self._scene.findings.add(
            "read-before-sync",
            f"the host reads {pinned} + {watch.at - pinned.address:#x}, which {doing.name} in {doing.agent} writes "
            f"({watch.access.role}); nothing orders the two (read after write): the host has not waited for "
            f"{doing.agent}.",
            doing.past(),
            *pinned.past(),
            Past(f"{doing.agent} was waited for", here()),
            hint=f"Call aclrtSynchronizeStream for {doing.agent} before the memory is read, or wait for an event "
            "recorded behind the copy.",
            call=HOST,
            site=site_of(watch.touched),
        )

    def _tell_change(self, watch: Watch) -> None:
        doing, pinned = watch.access.doing, watch.pinned
        if watch.touched:
            self._scene.findings.add(
                "pinned-reuse",
                f"the host changes {pinned} + {watch.at - pinned.address:#x} while it is the {watch.access.role} of "
                f"{doing.name} in {doing.agent}, before it waited for that.",
                doing.past(),
                *pinned.past(),
                Past(f"{doing.agent} was waited for", here()),
                call=HOST,
                site=site_of(watch.touched),
            )
            return
        self._scene.undefined(
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
