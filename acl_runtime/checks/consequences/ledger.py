"""Marking and looking up tainted subjects: `Consequences.taint` and `Consequences.of`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeAlias
from weakref import WeakSet

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.consequences.subjects import (
    DESTROYED_EARLY,
    MOST,
    REPORTED,
    UNREPORTED,
    Lines,
    LostMemory,
    Marked,
    MissingWait,
    Read,
    Release,
)
from acl_runtime.checks.races.accesses import Access, touching
from acl_runtime.checks.tables import Table
from acl_runtime.errors import AclError, Finding
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import LocatedRange, find
from acl_runtime.memory.physical import PhysicalHandle
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ports import Memories, PastEnd, SoFar
from acl_runtime.memory.ranges import WORKSPACE, Range, Use
from acl_runtime.objects.executor_life import LAUNCH, Executor
from acl_runtime.objects.handle_table import Handles, Thing
from acl_runtime.source.frames import here
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.ports import Deadlock, DroppedWork
from acl_runtime.streams.stream import Device, Stream, Task
from acl_runtime.streams.vector_clock import Action

Subject: TypeAlias = (
    Read | PastEnd | Deadlock | AclError | Lines | Marked | Executor | Thing | Device | Allocation | Pinned
)
Taintable: TypeAlias = (
    Access
    | LostMemory
    | DroppedWork
    | MissingWait
    | PastEnd
    | Deadlock
    | Release
    | AclError
    | Task
    | Lines
    | Marked
    | Thing
    | Device
)
USED_PAST: Final = Table(0)
"""the address up to which a piece was used past its end"""


class MemoriesAndFindings(Memories, Protocol):
    """The parts of a machine that `Consequences` uses."""

    handles: Handles

    @property
    def findings(self) -> SoFar:
        """The recorded findings."""
        ...


class Consequences(Listener):
    """The subjects that are tainted by a finding, or by a call that a finding ended."""

    def __init__(self, machine: MemoriesAndFindings, streams: Callable[[], Iterable[Stream]]) -> None:
        self._machine = machine
        self._streams = streams
        self.changed: Callable[[Action], bool] = _sees_no_change
        """function of the check `host_access`: True if the host changed the source of a copy too early"""
        self.taints = 0
        """how often accesses to memory were tainted"""
        self._unreleased: set[object] = set()
        """memory, devices, and numbers of objects; a finding prevented their release or use"""
        self._lines: set[tuple[str, Lines]] = set()
        """ids of findings, with the lines that have shown them"""
        self._stuck: frozenset[Task] = frozenset()
        """the tasks of the last deadlock"""
        self._dropped: WeakSet[Stream] = WeakSet()
        """streams whose dropped work was reported"""
        self._unaware: WeakSet[Task] = WeakSet()
        """tasks that were queued when a failure surfaced"""

    def of(self, subject: Subject, finding: str = "") -> bool:
        """True if a finding about this subject is only a consequence of something already reported. `finding` is an id,
        for subjects where only the same finding is suppressed."""
        match subject:
            case Read():
                return subject.task in self._unaware or self._failure_unknown() or self._tainted(*subject)
            case PastEnd():
                return subject.end <= USED_PAST.of(subject.piece) and not self._machine.findings.raises
            case Deadlock():
                again = bool(subject.tasks) and subject.tasks <= self._stuck
                dropped = bool(subject.dropped) and subject.dropped <= self._dropped
                return (again or dropped) and not self._machine.findings.raises
            case AclError():
                return bool(subject.taint)
            case tuple():
                return (finding, subject) in self._lines and not self._new(finding)
            case Device() | Allocation() | Pinned():
                return subject in self._unreleased
            case Executor() if not finding:
                ended = LAUNCH in subject.taint and not subject.repeatable
                return ended or DESTROYED_EARLY in subject.taint or subject.number in self._unreleased
            case Thing() if not finding:
                return subject.number in self._unreleased
            case _:
                return finding in subject.taint

    def taint(self, subject: Taintable, finding: Finding | str | None = None) -> None:  # noqa: PLR0912 (a table)
        """Mark the subject of a finding. `finding`: the finding or its id, for subjects whose result of `of` depends on
        it. For an error, None means that the report does not have the finding."""
        match subject:
            case Access():
                if subject.use in (Use.READ, Use.UPDATE, Use.SCRATCH):
                    subject.action.taint |= {subject.role}
                    self.taints += 1
            case LostMemory():
                for access in touching(self._whole(subject.piece)):
                    if _to_run(access.action):
                        self.taint(access)
            case MissingWait():
                subject.agent.learn(subject.other.clock)
            case PastEnd():
                USED_PAST.note(subject.piece, subject.end)
            case Deadlock():
                self._stuck = subject.tasks
            case DroppedWork():
                self._dropped.add(subject.stream)
            case Release():
                self._unreleased.update(self._released(subject.number))
            case AclError():
                subject.taint = REPORTED if self._listed(finding) else UNREPORTED
            case Task():
                self._unaware.add(subject)
            case tuple():
                if isinstance(finding, str) and self._listed(finding) and len(self._lines) < MOST:
                    self._lines.add((finding, subject))
            case Device():
                self._unreleased.add(subject)
            case Thing() if finding is None:
                self._unreleased.add(subject.number)
            case _:
                assert isinstance(finding, str), "taint of an object needs the id of a finding"
                subject.taint |= {finding}  # in place where copies of a tensor share it

    def first(self, id: str, *lines: object) -> bool:
        """True if these lines show this finding for the first time. Marks the lines. Without `lines`: the running line
        of the program."""
        shown = lines or (here(),)
        suppressed = self.of(shown, id)
        self.taint(shown, id)
        return not suppressed

    def spread(self, old: Access, new: Access) -> None:
        """Pass on taint: the access `new` touches bytes that the tainted access `old` wrote, so its reads there are
        tainted. If `new` overwrites all these bytes, the taint of `old` ends."""
        self.taint(new)
        if new.low <= old.low and old.high <= new.high and new.covers(old):
            old.action.taint = frozenset()

    def launched(self, executor: Executor) -> None:
        """Remove the taint of a failed launch: a later launch of this executor succeeded."""
        executor.taint -= {LAUNCH}

    def reported(self, error: AclError) -> bool:
        """True if the error is a consequence of a finding in the report."""
        return error.taint == REPORTED

    # rules of `of` and `taint`

    def _listed(self, finding: Finding | str | None) -> bool:
        """True if the report has this finding, or findings of this id."""
        if isinstance(finding, str):
            return self._machine.findings.listed(finding)
        return finding is not None

    def _new(self, id: str) -> bool:
        """True if a repetition of this finding is not suppressed. An allowed finding is counted each time, and a raised
        finding ends each call."""
        raised = self._machine.findings.raises and CHECKS[id].level == "error"
        return raised or not self._listed(id)

    def _failure_unknown(self) -> bool:
        """True if a task failed on a device and no call has returned the failure yet. Operators that were launched
        meanwhile may read bytes that the failed task should have written. Such a read is no mistake of the program."""
        return any(stream.fault is not None and not self.of(stream.fault) for stream in self._streams())

    def _tainted(self, task: Task, role: str) -> bool:
        """True if the bytes that the task reads in this role are tainted. Bytes of freed memory and bytes past the end
        count as tainted: the task reads the fill value instead."""
        roles = role, WORKSPACE  # an input may go through the workspace
        if task.action is not None and not task.action.taint.isdisjoint(roles):
            return True
        places = [(used, find(self._machine, used)) for used in task.ranges if used.role in roles]
        if any(place is None or place.high - place.low < used.high - used.low for used, place in places):
            return True
        read = [place for used, place in places if used.role == role]
        writers = [old.action for place in read for old in touching(place) if old.use.writes]
        return any(action.taint or self.changed(action) for action in writers if action is not task.action)

    def _released(self, number: int) -> Iterator[object]:
        """The memory that begins at the address `number`; without such memory, the number, which is a handle."""
        handle: Thing | None = None
        if (reservation := self._machine.virtual.holding(number)) is not None:
            yield reservation
            mapping = reservation.mapping_at(number)
            handle = mapping.handle if mapping is not None else None
        else:
            memory = self._machine.memory_at(number)
            yield (memory.at(number) if memory is not None else self._machine.pinned.at(number)) or number
            handle = self._machine.handles.get(number)
        if isinstance(handle, PhysicalHandle):
            yield handle.number
            if handle.block is not None:
                yield handle.block

    def _whole(self, piece: Allocation | Pinned) -> LocatedRange | None:
        return find(self._machine, Range(piece.address, piece.end, "", Use.READ))


def _to_run(action: Action) -> bool:
    """True for the action of a task that is queued in its stream, or running."""
    stream = action.agent.name
    return isinstance(stream, Stream) and any(task.action is action for task in stream.queue)


def _sees_no_change(_doing: Action) -> bool:
    """Replaces the function of the check `host_access` if that check is off: sees no change."""
    return False
