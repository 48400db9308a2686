"""Reads of uninitialised device memory: the check stores the written ranges of each piece of memory."""

from collections.abc import Sequence
from typing import Any, Final

from acl_runtime.checks.access_listeners import AccessListener, PlacedAccess
from acl_runtime.checks.consequences import Consequences
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.races.races import FindingReporter
from acl_runtime.checks.tables import Changing, Table
from acl_runtime.errors import Past
from acl_runtime.headers.dtype_names import bits
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.intervals import Intervals
from acl_runtime.memory.layout import Pattern, runs
from acl_runtime.memory.located_ranges import LocatedRange, find, split
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import READS, Copying, Range, Spans, Use
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.vector_clock import Action, Agent
from acl_runtime.text import Text

MOST: Final = 16
"""the most patterns, copies of unwritten bytes, and writes of parts, that are stored for a piece"""


class Written(Changing):
    """The bytes of a piece that host calls or tasks write, queued tasks included."""

    __slots__ = ("bytes", "complete", "copies", "parts", "patterns")

    def __init__(self, piece: Allocation) -> None:
        self.bytes = Intervals()
        self.complete = False
        """True if all bytes are written; registered memory of the host counts as written"""
        self.patterns: tuple[Pattern, ...] = ()
        """cache of patterns whose bytes are written, as a strided view may have thousands of runs"""
        self.copies: tuple[tuple[int, int, Past], ...] = ()
        """targets [low, high) of copies whose source had unwritten bytes, each with the call of the copy"""
        self.parts: tuple[tuple[int, int, Trail | str], ...] = ()
        """[low, high) of copies and memory sets after which other bytes were still unwritten, each with its call"""
        if piece.shared:
            self.add(0, piece.size, piece.size)

    def add(self, low: int, high: int, size: int) -> None:
        """Mark the bytes [low, high) of `size` bytes as written."""
        self.bytes.add(low, high)
        self.complete = self.bytes.covers(0, size)

    def state(self) -> tuple[Any, ...]:
        return None if self.complete else self.bytes.copy(), self.complete, self.patterns, self.copies

    def restore(self, state: tuple[Any, ...]) -> None:
        written, self.complete, self.patterns, self.copies = state
        self.bytes = self.bytes if written is None else written

    def note(self, pattern: Pattern) -> None:
        """Cache a pattern whose bytes are all written; the cache has few entries."""
        self.patterns = (*self.patterns[1 - MOST :], pattern)

    def note_copy(self, access: Access) -> None:
        """Note an access that may have copied unwritten bytes."""
        what = Text("{action} copied unwritten bytes there", action=access.action.name)
        past = Past(what, site_of(access.action.trail or trail()))
        self.copies = (*self.copies[1 - MOST :], (access.low, access.high, past))


WRITTEN: Final = Table[Written | None](None)


def written(piece: Allocation) -> Written:
    """The written bytes of a piece."""
    record = WRITTEN.of(piece)
    if record is None or (not record.complete and (piece.shared or piece.written_by_others)):
        record = Written(piece)
        WRITTEN.note(piece, record)
    return record


class Uninitialised(AccessListener):
    """The finding `uninit-read`."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine

    def accessing(self, access: Access, piece: Allocation | Pinned, later: Action | None, *, operator: bool) -> None:
        if access.use not in READS or not isinstance(piece, Allocation) or (record := written(piece)).complete:
            return
        if access.used.copying is not None:  # a read of the copy is reported
            return
        if (
            not record.bytes.covers(access.low - piece.address, access.high - piece.address)
            and not piece.written_by_others
        ):
            report = FindingReporter(self._machine, later)
            uninitialised(report, self._machine.consequences, piece, access, operator=operator)

    def accessed(self, agent: Agent, accesses: Sequence[PlacedAccess], *, operator: bool) -> None:
        source = None if operator else copied_from(accesses)
        spans = copied_by_operator(accesses) if operator else None
        for place, access in accesses:
            if isinstance(place.piece, Allocation) and access.use.writes and not written(place.piece).complete:
                mark(place.piece, access, source, spans if access.use is Use.WRITE else None)
                if not operator and access.layout is None and not (record := written(place.piece)).complete:
                    part = access.low, access.high, access.action.trail or trail()
                    record.parts = (*record.parts[1 - MOST :], part)

    def rejected(self, low: int, high: int) -> None:
        """The outputs of a rejected call count as written: a read of them is only a consequence of the rejection."""
        for used in split(self._machine, (Range(low, high, "", Use.WRITE),)):
            place = find(self._machine, used)
            if place is not None and isinstance(piece := place.piece, Allocation):
                written(piece).add(place.low - piece.address, place.high - piece.address, piece.size)


def mark(piece: Allocation, access: Access, source: LocatedRange | None = None, spans: Spans | None = None) -> None:
    """Mark the bytes of an access as written. A copy from device memory (`source`) marks only the bytes that were
    written there; a copy by an operator only those at the addresses `spans`. A pattern with very many runs is marked as
    a whole, from its first to its last byte."""
    record = written(piece)
    if source is not None and isinstance(source.piece, Allocation):
        _mark_copied(piece, access, source.piece, source.low)
    elif spans is not None:
        _mark_spans(piece, access, spans)
    elif access.layout is None:
        record.bytes.add(access.low - piece.address, access.high - piece.address)
    elif (pattern := access.layout.pattern()) not in record.patterns:
        base, size = piece.address, piece.size
        ranges = [(low - base, high - base) for low, high in _pieces(access)[0]]
        if ranges[0][0] < 0 or ranges[-1][1] > size:  # a view past the end of the memory, which was reported
            ranges = [(max(low, 0), min(high, size)) for low, high in ranges if low < size and high > 0]
        if ranges:
            record.bytes.add_all(ranges)
        record.note(pattern)
    record.complete = record.bytes.covers(0, piece.size)


def copied_from(accesses: Sequence[PlacedAccess]) -> LocatedRange | None:
    """The source of a copy, if it has unwritten device memory. None for copies of rows, which count as written."""
    if len(accesses) != 2 or accesses[0][1].use is not Use.WRITE or accesses[1][1].use is not Use.READ:
        return None
    (target, _), (source, _) = accesses
    whole = target.layout is None and source.layout is None and target.high - target.low == source.high - source.low
    return source if whole and isinstance(source.piece, Allocation) and not written(source.piece).complete else None


def copied_by_operator(accesses: Sequence[PlacedAccess]) -> Spans | None:
    """The addresses to which an operator copies written bytes; None if it copies no unwritten ones."""
    unwritten: list[tuple[int, int]] = []
    copying: Copying | None = None
    for (piece, low, high, _), access in accesses:
        if access.used.copying is None or not isinstance(piece, Allocation) or piece.written_by_others:
            continue
        shift = access.used.low - low + piece.address
        for begin, end in written(piece).bytes.gaps(low - piece.address, high - piece.address):
            unwritten.append((begin + shift, end + shift))
            copying, access.action.single = access.used.copying, True
    return copying(unwritten) if copying is not None else None


def _mark_spans(piece: Allocation, access: Access, spans: Spans) -> None:
    """Mark the bytes of an output that are no copies of unwritten bytes."""
    record, shift = written(piece), access.low - access.used.low - piece.address
    for low, high in spans:
        record.bytes.add(max(low, access.used.low) + shift, min(high, access.used.high) + shift)
    if not record.bytes.covers(access.low - piece.address, access.high - piece.address):
        record.note_copy(access)


def _mark_copied(piece: Allocation, access: Access, origin: Allocation, start: int) -> None:
    """Mark the bytes of a copy's target whose source bytes are written."""
    low, high, shift = access.low - piece.address, access.high - piece.address, start - origin.address
    gaps, record = written(origin).bytes.gaps(shift, shift + high - low), written(piece)
    holes = [(begin - shift + low, end - shift + low) for begin, end in gaps]
    for begin, end in holes:
        record.bytes.add(low, begin)
        low = end
    record.bytes.add(low, high)
    if holes:
        record.note_copy(access)


def uninitialised(
    report: FindingReporter, consequences: Consequences, piece: Allocation, access: Access, *, operator: bool
) -> None:
    """Report a read of unwritten bytes. A single unwritten byte is enough if an operator reads it. A copy may include
    padding, so it is reported only if no byte of its range was ever written."""
    first = _first_unwritten(piece, access, some=operator)
    if first is None:
        return
    role, action = access.role, access.action
    copied = [past for low, high, past in written(piece).copies if low <= first < high][-1:]
    name = piece.device.name(first)
    if operator:
        what = Text(
            "{action} in {agent} reads the {role}, whose byte {at} ({name}) was never written.",
            action=action.name,
            agent=action.agent,
            role=role,
            at=first - access.low,
            name=name,
        )
        report("uninit-read", what, *_written_up_to(piece, access, first), *piece.past(), *copied)
        consequences.taint(access)
    else:
        what = Text(
            "{action} {verb} {count} bytes at {name} ({role}), and nothing was ever written there.",
            action=action.name,
            verb=Use.AWAIT.value if access.use is Use.AWAIT else Use.READ.value,
            count=access.high - access.low,
            name=name,
            role=role,
        )
        hint = Text("Fill these bytes first: copy, set or compute them before this call.")
        report("uninit-read", what, *piece.past(), *copied, level="warning", hint=hint)
    mark(piece, access)  # the next use of these bytes is only a consequence


def _written_up_to(piece: Allocation, access: Access, first: int) -> list[Past]:
    """The copy or memory set that ended at the first unwritten byte of the access: mostly it is too short, as programs
    count elements instead of bytes."""
    size, dtype = first - access.low, access.used.dtype
    parts = [call for low, high, call in written(piece).parts if low <= access.low < high == first][-1:]
    elements = (access.high - access.low) * 8 // bits(dtype) if dtype is not None and access.layout is None else None
    counted = Text("only {count} bytes (the number of elements) were written there", count=size)
    what = counted if elements == size else Text("only {count} bytes were written there", count=size)
    return [Past(what, site_of(call)) for call in parts]


def _first_unwritten(piece: Allocation, access: Access, *, some: bool) -> int | None:
    """The first byte that was never written. None if all bytes were written or, without `some`, if any byte was
    written."""
    base, record = piece.address, written(piece)
    if record.bytes.covers(access.low - base, access.high - base):
        return None
    pattern = access.layout and access.layout.pattern()
    if pattern in record.patterns:
        return None
    pieces, exact = _pieces(access)
    missing = [
        (low + base, high + base) for start, end in pieces for low, high in record.bytes.gaps(start - base, end - base)
    ]
    if not missing and pattern is not None:
        record.note(pattern)
    if not missing or (not (some and exact) and _size(missing) < _size(pieces)):
        return None
    return missing[0][0]


def _pieces(access: Access) -> tuple[list[tuple[int, int]], bool]:
    """The byte ranges of an access, and True; if there are too many, one range from first to last, and False."""
    ranges = None if access.layout is None else runs(access.layout)
    if ranges and (ranges[0][0] < access.low or ranges[-1][1] > access.high):  # the rest lies in other physical memory
        ranges = [(max(low, access.low), min(high, access.high)) for low, high in ranges]
        ranges = [(low, high) for low, high in ranges if low < high] or [(access.low, access.low)]
    return ranges or [(access.low, access.high)], access.layout is None or ranges is not None


def _size(pieces: list[tuple[int, int]]) -> int:
    return sum(high - low for low, high in pieces)
