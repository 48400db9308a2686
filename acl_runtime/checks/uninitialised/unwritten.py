"""Reads of device memory that nothing was ever written to: the ranges that were written are kept for each piece."""

from collections.abc import Sequence
from typing import Final

from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.races.races import Told
from acl_runtime.checks.uses import PlacedUse, UseListener
from acl_runtime.errors import Past
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.layout import Pattern, runs
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.places import Place, find
from acl_runtime.memory.ranges import READS, Range, Use
from acl_runtime.source.frames import site_of, trail
from acl_runtime.streams.vector_clock import Agent, Doing

MOST: Final = 16
"""patterns, and copies with holes, that are remembered for a piece"""


class Uninitialised(UseListener):
    """The finding `uninit-read`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def using(self, access: Access, piece: Allocation | Pinned, later: Doing | None, *, operator: bool) -> None:
        if access.use in READS and isinstance(piece, Allocation) and not piece.all_written:
            uninitialised(Told(self._scene, later), piece, access, operator=operator)

    def used(self, agent: Agent, found: Sequence[PlacedUse], *, operator: bool) -> None:
        source = None if operator else copied_from(found)
        for place, access in found:
            if isinstance(place.piece, Allocation) and not place.piece.all_written and access.use.writes:
                mark(place.piece, access, source)

    def rejected(self, low: int, high: int) -> None:
        place = find(self._scene, Range(low, high, "", Use.WRITE))
        if place is not None and isinstance(place.piece, Allocation):
            excuse(place.piece, place.low, place.high)


def mark(piece: Allocation, access: Access, source: Place | None = None) -> None:
    """The access writes its bytes: those that were written at the `source`, if it copies from device memory. Of a
    pattern with very many runs everything between counts as well."""
    if source is not None and isinstance(source.piece, Allocation):
        _bring(piece, access, source.piece, source.low)
    elif access.layout is None:
        piece.written.add(access.low - piece.address, access.high - piece.address)
    elif (pattern := access.layout.pattern()) not in piece.patterns:
        base, size = piece.address, piece.size
        found = [(low - base, high - base) for low, high in _pieces(access)[0]]
        if found[0][0] < 0 or found[-1][1] > size:  # a view that leads out of the memory, which was told
            found = [(max(low, 0), min(high, size)) for low, high in found if low < size and high > 0]
        if found:
            piece.written.add_all(found)
        _note(piece, pattern)
    piece.all_written = piece.written.covers(0, piece.size)


def copied_from(found: Sequence[PlacedUse]) -> Place | None:
    """Where a copy takes its bytes from, if that is device memory with holes. Copies of rows count as whole."""
    if len(found) != 2 or found[0][1].use is not Use.WRITE or found[1][1].use is not Use.READ:
        return None
    (target, _), (source, _) = found
    whole = target.layout is None and source.layout is None and target.high - target.low == source.high - source.low
    return source if whole and isinstance(source.piece, Allocation) and not source.piece.all_written else None


def _bring(piece: Allocation, access: Access, origin: Allocation, start: int) -> None:
    """A copy brings what was written; the rest stays as unwritten as it is."""
    low, high, shift = access.low - piece.address, access.high - piece.address, start - origin.address
    holes = [(at - shift + low, end - shift + low) for at, end in origin.written.gaps(shift, shift + high - low)]
    for at, end in holes:
        piece.written.add(low, at)
        low = end
    piece.written.add(low, high)
    if holes:
        what = f"{access.doing.name} copied unwritten bytes there"
        past = Past(what, site_of(access.doing.trail or trail()))
        piece.hollow = (*piece.hollow[1 - MOST :], (access.low, access.high, past))


def excuse(piece: Allocation, low: int, high: int) -> None:
    """What should have written addresses [low, high) was told to be wrong and did nothing: that nobody wrote them only
    follows."""
    piece.written.add(low - piece.address, high - piece.address)
    piece.all_written = piece.written.covers(0, piece.size)


def uninitialised(told: Told, piece: Allocation, access: Access, *, operator: bool) -> None:
    """An operator must not read a byte that nobody wrote; a copy, which may bring padding along, not a range of which
    no byte was ever written."""
    first = _first_unwritten(piece, access, some=operator)
    if first is None:
        return
    role, doing = access.role, access.doing
    brought = [past for low, high, past in piece.hollow if low <= first < high][-1:]
    name = piece.device.name(first)
    if operator:
        byte = f"byte {first - access.low} ({name})"
        what = f"{doing.name} in {doing.agent} reads the {role}, whose {byte} was never written."
        told("uninit-read", what, *piece.past(), *brought)
        access.doubt()
    else:
        count = access.high - access.low
        verb = "waits for" if access.use is Use.AWAIT else "reads"
        what = f"{doing.name} {verb} {count} bytes at {name} ({role}), and nothing was ever written there."
        hint = "Fill these bytes first: copy, set or compute them before this call."
        told("uninit-read", what, *piece.past(), *brought, level="warning", hint=hint)
    mark(piece, access)  # once is enough


def _first_unwritten(piece: Allocation, access: Access, *, some: bool) -> int | None:
    """The first byte that was never written; None if all were, or, unless `some` matter, if any was."""
    base, written = piece.address, piece.written
    if written.covers(access.low - base, access.high - base):
        return None
    pattern = access.layout and access.layout.pattern()
    if pattern in piece.patterns:
        return None
    pieces, exact = _pieces(access)
    missing = [
        (low + base, high + base) for start, end in pieces for low, high in written.gaps(start - base, end - base)
    ]
    if not missing and pattern is not None:
        _note(piece, pattern)
    if not missing or (not (some and exact) and _size(missing) < _size(pieces)):
        return None
    return missing[0][0]


def _pieces(access: Access) -> tuple[list[tuple[int, int]], bool]:
    """The bytes it touches; if those are very many pieces, all from the first to the last, and False."""
    found = None if access.layout is None else runs(access.layout)
    return found or [(access.low, access.high)], access.layout is None or found is not None


def _note(piece: Allocation, pattern: Pattern) -> None:
    """What is written stays written; only a few patterns are remembered."""
    piece.patterns = (*piece.patterns[1 - MOST :], pattern)


def _size(pieces: list[tuple[int, int]]) -> int:
    return sum(high - low for low, high in pieces)
