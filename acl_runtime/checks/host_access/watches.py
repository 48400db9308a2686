"""Watches on pinned host memory that a queued copy uses.

The host accesses this memory by its own code, without a call of the API. Guarded pages (`guard`) show such an access.
Some pages cannot be guarded, for example because they contain other data too. A checksum detects changes of such pages.
"""

import ctypes
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count, takewhile
from typing import Any, Final
from zlib import crc32

import numpy as np

from acl_runtime.checks.access_listeners import AccessListener, PlacedAccess
from acl_runtime.checks.consequences import MissingWait
from acl_runtime.checks.host_access.guard import Guard
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.checks.tables import Table
from acl_runtime.errors import Finding, Past
from acl_runtime.memory import host
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import LocatedRange, find, split
from acl_runtime.memory.physical import HostBlock
from acl_runtime.memory.pinned import PAGE, Pinned
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.memory.reservation import VirtualMapping
from acl_runtime.memory.sizes import round_up
from acl_runtime.source.frames import here, paths, site_of, trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Execution, Stream, Task
from acl_runtime.streams.vector_clock import Action, Agent
from acl_runtime.text import Text

COLUMNS: Final = 1021
ROW: Final = 8 * COLUMNS
MIN_ROWS: Final = 8
"""the least number of rows for which columns are added up before the checksum"""
BEGINS: Final = Table[tuple[int, ...]](())
"""the address where all copies of a memory began; two addresses if there are several"""
HOST: Final = Text("the host's own code")
"""the `call` of a finding that was not made in a call of the API"""


class Watch:
    """A range of pinned memory that a launched copy uses."""

    def __init__(
        self, pinned: Pinned, low: int, high: int, access: Access, number: int, guard: "Guard[Guarded]", *, alone: bool
    ) -> None:
        """`alone`: True if all copies of this memory began at one address and this copy has the larger part of the
        memory, so that its pages probably have no other data."""
        self.number = number
        """number of the watch within the machine, from 0 on"""
        self.pinned = pinned
        self.low = low
        self.high = high
        self.access = access
        self.changed = False
        """True if the host changed the bytes before the copy ran"""
        self.touched: Trail = ()
        """the place in the program of the host's first access that the guard saw"""
        self.at = low
        """the address of that access"""
        self.wrote: bool | None = False
        """True if that access was a write; None if it is unknown"""
        self.sum = self.now()
        self._guard = guard
        if pinned.shift and access.layout is None:  # other memory may share its pages with other data
            self._guard_pages(alone)

    def _guard_pages(self, alone: bool) -> None:
        """Guard the pages, so that the host can neither read the target of the copy nor write its source. Pages of
        which the copy uses only a part are guarded if they belong to a target and the copy is `alone`."""
        start, end = self.pinned.address, self.pinned.end
        low = start if self.low <= start else round_up(self.low, PAGE)
        high = round_up(end, PAGE) if self.high >= end else self.high - self.high % PAGE
        ranges = [(low, high)]
        if alone and self.access.use.writes:
            first, last = self.low - self.low % PAGE, round_up(self.high, PAGE)
            ranges = [(first, low), (low, high), (high, last)] if low <= high else [(first, last)]
        for number, (low, high) in enumerate(ranges):
            if low < high:
                self._guard.up((self, number), low, high, readable=not self.access.use.writes)

    def lift(self) -> None:
        """Remove the guard."""
        for number in range(3):
            self._guard.down((self, number))

    def now(self) -> int | None:
        """A checksum of the bytes that the copy uses; None if they cannot be read."""
        if self.pinned.gone:
            return None
        raw: Any = (ctypes.c_char * (self.high - self.low)).from_address(self.low + self.pinned.shift)
        if self.pinned.registered and self.pinned.owner is None:  # the program may have freed it
            raw = host.read(self.low, self.high - self.low)
            if raw is None:
                return None
        layout = self.access.layout
        if layout is not None and layout.high <= self.high:  # a layout past the end of the memory was reported
            offset = layout.address - self.low
            raw = np.ndarray(layout.shape, f"V{layout.itemsize}", raw, offset, layout.strides).tobytes()
        return _checksum(raw)

    def differs(self) -> bool:
        """True if the bytes have changed since the last checksum."""
        return self.now() not in (self.sum, None)

    def before_write(self) -> None:
        """The copy is about to write: record if the host has changed the bytes before."""
        self.changed = self.differs()

    def after_write(self) -> None:
        """The copy has written: compute a new checksum."""
        self.sum = self.now()


Guarded = tuple[Watch, int]
"""a watch, and the number of one of its ranges of pages"""


class HostAccess(AccessListener):
    """The findings `read-before-sync` and `pinned-reuse`, for accesses by the host's own code. A range is watched from
    the launch of a copy until an agent knows that the copy is over."""

    def __init__(self, machine: CheckedMachine, order: HappensBefore) -> None:
        self._machine = machine
        self._order = order
        self._guard: Guard[Guarded] = Guard(self._touched_pages, machine.pinned.owns)
        self._made = count()
        self.by_agent: dict[Agent, dict[int, Watch]] = {}
        """the watches, by the agent that copies, and by number; those whose copies are over come first"""
        self._by_piece: dict[Pinned, _Sorted] = {}
        self._held: list[Callable[[], None]] | None = None
        """the uses of memory by an execution that is being judged"""
        self._read: list[Watch] = []
        """watches that have not ended and whose bytes the host read too early; the signal handler adds them"""

    # announcements

    def accessed(self, agent: Agent, accesses: Sequence[PlacedAccess], *, operator: bool) -> None:
        for place, access in accesses:
            if isinstance(place.piece, Pinned):
                steady = not self._order.may_be_written_by_a_stream(place)
                if self._held is None:
                    self._use(agent, place, place.piece, access, steady=steady)
                else:
                    self._held.append(partial(self._use, agent, place, place.piece, access, steady=steady))

    def _use(self, agent: Agent, place: LocatedRange, piece: Pinned, access: Access, *, steady: bool) -> None:
        if access.use.writes:
            self.drop(piece, place.low, place.high)
        # the host, and code that a stream runs, access memory at once
        queued = isinstance(agent.name, Stream) and agent is not self._order.running
        if queued and steady and access.use in (Use.READ, Use.WRITE, Use.UPDATE):
            watch = self.add(piece, place.low, place.high, access)
            if access.use.writes:
                access.action.writes = (*access.action.writes, watch)

    def executing(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        self._held = []

    def executed(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        """Watch the memory of the execution, as no finding can end it any more."""
        held, self._held = self._held, None
        for use in held or ():
            use()

    def not_executed(self, tasks: Sequence[Task]) -> None:
        self._held = None

    def withdrawn(self, tasks: Sequence[Task]) -> None:
        actions = {task.action for task in tasks}
        for watch in [watch for watches in self.by_agent.values() for watch in watches.values()]:
            if watch.access.action in actions:
                self._forget(watch)

    def agent_learnt(self, agent: Agent) -> None:
        if self.by_agent:
            self.settle(agent)

    def work_begins(self, task: Task) -> None:
        for watch in task.action.writes if task.action is not None else ():
            watch.before_write()

    def work_ends(self, task: Task) -> None:
        for watch in task.action.writes if task.action is not None else ():
            watch.after_write()

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        if isinstance(piece, Pinned):
            self.drop(piece, piece.address, piece.end)

    def unmapping(self, mapping: VirtualMapping) -> None:
        """End the watches of copies that use this mapping, but not of copies that use another mapping of the memory."""
        memory = mapping.handle.host
        if memory is not None and memory in self._by_piece:
            for watch in self._by_piece[memory].meeting(memory.address, memory.end):
                if watch.access.used.meets(mapping.address, mapping.end):
                    self._forget(watch)

    def host_read(self, low: int, high: int) -> None:
        if self.by_agent:
            for used in split(self._machine, (Range(low, high, "", Use.READ),)):
                place = find(self._machine, used)
                read = place if place is not None and isinstance(place.piece, HostBlock) else used
                self.read(read.low, read.high, trail())

    def closed(self) -> None:
        """Remove all guards."""
        self._guard.close()

    # watches

    def add(self, pinned: Pinned, low: int, high: int, access: Access) -> Watch:
        """Add the watch of a copy that is launched and uses these bytes."""
        begins = BEGINS.of(pinned)
        if low not in begins:
            begins = (*begins, low)[:2]
            BEGINS.note(pinned, begins)
        alone = begins == (low,) and 2 * (high - low) > pinned.size
        watch = Watch(pinned, low, high, access, next(self._made), self._guard, alone=alone)
        self.by_agent.setdefault(access.action.agent, {})[watch.number] = watch
        self._by_piece.setdefault(pinned, _Sorted()).add(watch)
        return watch

    def drop(self, piece: Pinned, low: int, high: int) -> None:
        """End the watches of bytes that a task or a call writes, or that are freed: other checks report that."""
        if piece in self._by_piece:
            for watch in self._by_piece[piece].meeting(low, high):
                self._forget(watch)

    def settle(self, agent: Agent) -> None:
        """End the watches of copies that the agent knows to be over. Earlier changes are reported."""
        if not self.by_agent:
            return
        over = [watch for copier, watches in self.by_agent.items() for watch in _over(watches, copier, agent)]
        for watch in over:
            self._forget(watch)
        for watch in sorted(over, key=lambda each: each.number):
            changed, action = watch.changed or watch.differs(), watch.access.action
            if changed:
                self._machine.consequences.taint(watch.access)
            elif not watch.touched or watch.wrote:
                continue
            id = "pinned-reuse" if changed else "read-before-sync"
            lines = paths(action.trail, watch.touched or trail())
            if self._machine.consequences.first(
                id, *lines, action.agent.origin, watch.access.role
            ):  # a loop is reported once
                waited = Past(Text("{agent} was waited for", agent=action.agent), here())
                (self._report_change if changed else self._report_read)(watch, waited)

    def changed(self, action: Action) -> bool:
        """True if the host changed the source of this copy too early. The change is reported when an agent waits for
        the copy."""
        watches = [watch for watch in self.by_agent.get(action.agent, {}).values() if watch.access.action is action]
        return any(not watch.access.use.writes and watch.differs() for watch in watches)

    def read(self, low: int, high: int, where: Trail) -> None:
        """The host reads these bytes without a call of the C API, for example by pyACL's ptr_to_bytes."""
        for watches in self.by_agent.values():
            for watch in watches.values():
                if watch.low < high and low < watch.high and watch.access.use.writes:
                    watch.lift()
                    self._touched(watch, max(low, watch.low), False, where)

    def report_early_reads(self) -> None:
        """Report early reads of copies that no agent has waited for."""
        for watch in tuple(self._read):
            self._forget(watch)
            access = watch.access
            lines = paths(access.action.trail, watch.touched)
            new = self._machine.consequences.first("read-before-sync", *lines, access.action.agent.origin, access.role)
            if not new or self._report_read(watch) is not None:
                self._machine.consequences.taint(MissingWait(self._order.me(), access.action.agent))

    def _touched_pages(self, guarded: Guarded, address: int, writes: bool | None, where: Trail) -> None:
        self._touched(guarded[0], address, writes, where)

    def _touched(self, watch: Watch, address: int, writes: bool | None, where: Trail) -> None:
        """Record an access of the host to memory that a copy uses. The signal handler calls this method at any moment,
        so the method acquires no lock."""
        if (
            where
            and watch.low <= address < watch.high
            and not watch.touched
            and not self._order.may_be_over(watch.access.action)
        ):
            if not watch.access.use.writes:
                writes = True  # reads of the source are allowed, so this was a write
            watch.touched, watch.at, watch.wrote = where, address, writes
            if writes is False:
                self._read.append(watch)

    def _forget(self, watch: Watch) -> None:
        watch.lift()
        if watch in self._read:
            self._read.remove(watch)
        agent, piece = watch.access.action.agent, watch.pinned
        del self.by_agent[agent][watch.number]
        self._by_piece[piece].remove(watch)
        if not self.by_agent[agent]:
            del self.by_agent[agent]
        if not self._by_piece[piece]:
            del self._by_piece[piece]

    def _report_read(self, watch: Watch, *waited: Past) -> Finding | None:
        action, pinned = watch.access.action, watch.pinned
        return self._machine.findings.add(
            "read-before-sync",
            Text(
                "the host reads {pinned} + {at}, which {action} in {agent} writes ({role}); nothing orders the two "
                "(read after write): the host has not waited for {agent}.",
                pinned=pinned,
                at=f"{watch.at - pinned.address:#x}",
                action=action.name,
                agent=action.agent,
                role=watch.access.role,
            ),
            action.past(),
            *pinned.past(),
            *waited,
            hint=Text(
                "Call aclrtSynchronizeStream for {stream} before the memory is read, or wait for an event recorded "
                "behind the copy.",
                stream=action.agent,
            ),
            call=HOST,
            site=site_of(watch.touched),
        )

    def _report_change(self, watch: Watch, waited: Past) -> None:
        action, pinned = watch.access.action, watch.pinned
        if watch.touched:
            self._machine.findings.add(
                "pinned-reuse",
                Text(
                    "the host changes {pinned} + {at} while it is the {role} of {action} in {agent}, before it waited "
                    "for that.",
                    pinned=pinned,
                    at=f"{watch.at - pinned.address:#x}",
                    role=watch.access.role,
                    action=action.name,
                    agent=action.agent,
                ),
                action.past(),
                *pinned.past(),
                waited,
                call=HOST,
                site=site_of(watch.touched),
            )
            return
        self._machine.undefined(
            "pinned-reuse",
            Text(
                "the host changed bytes of {pinned} while they were the {role} of {action} in {agent}, before it "
                "waited for that (somewhere in the {size} bytes from + {at} on).",
                pinned=pinned,
                role=watch.access.role,
                action=action.name,
                agent=action.agent,
                size=watch.high - watch.low,
                at=f"{watch.low - pinned.address:#x}",
            ),
            action.past(),
            *pinned.past(),
        )


class EarlyReads(Listener):
    """Reports early reads before `Races` reports the free of the memory. Often one wait is missing before both the read
    and the free, and one missing wait is one finding."""

    def __init__(self, host: HostAccess) -> None:
        self._host = host

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        self._host.report_early_reads()


class _Sorted:
    """The watches of one piece of memory, sorted by their first address."""

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
        """The watches that share a byte with [low, high)."""
        near = self._keys[bisect_left(self._keys, (low - self._longest, -1)) : bisect_left(self._keys, (high, -1))]
        return [watch for key in near if (watch := self._watches[key]).high > low]


def _over(watches: dict[int, Watch], copier: Agent, agent: Agent) -> list[Watch]:
    """The watches of the agent `copier` whose copies `agent` knows to be over; they come first in `watches`."""
    return list(takewhile(lambda watch: agent.knows(copier, watch.access.action.number), watches.values()))


def _checksum(raw: Any) -> int:
    """crc32 of the bytes; for many bytes, of their column sums, which numpy computes at the speed of memory. The number
    of columns is odd, so that changes that repeat at a usual row size do not cancel out."""
    view = memoryview(raw)
    rows = view.nbytes // ROW
    if rows < MIN_ROWS:
        return crc32(view)
    sums = np.frombuffer(view, np.uint64, rows * COLUMNS).reshape(rows, COLUMNS).sum(axis=0, dtype=np.uint64)
    return crc32(view[rows * ROW :], crc32(sums.tobytes()))
