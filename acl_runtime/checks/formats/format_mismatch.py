"""Operators that read memory in a wrong format: FRACTAL_NZ as ND, or ND as FRACTAL_NZ.

The format of a tensor decides how its memory is read; a device does not compare it with the bytes. So this check stores
a record of the bytes that an operator writes in FRACTAL_NZ (`records`). Every other write removes the record. A copy
from device memory to device memory also copies the records that lie wholly in its source. Memory that an operator wrote
as ND is not in FRACTAL_NZ.

A copy to the host is no mistake, as it does not interpret the bytes. After a copy from the host, both formats are
accepted, as the program may have laid out the blocks itself. Registered host memory has no records.
"""

from collections.abc import Sequence
from typing import Any, Final

from acl_runtime.checks.access_listeners import AccessListener, PlacedAccess
from acl_runtime.checks.formats.records import StoredBlocks, covers, remaining
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import ACCESSES, Access
from acl_runtime.checks.races.races import FindingReporter
from acl_runtime.checks.tables import Changing, Table
from acl_runtime.errors import Past
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.intervals import Intervals
from acl_runtime.memory.layout import Layout, overlaps
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.private_formats import Stored
from acl_runtime.memory.ranges import READS, Use
from acl_runtime.source.frames import site_of, trail
from acl_runtime.streams.vector_clock import Action, Agent
from acl_runtime.text import Text


class BytesInNd(Intervals, Changing):
    """The addresses of bytes whose last writer was an operator that wrote ND."""

    __slots__ = ()

    def state(self) -> Any:
        return self._bounds[:]

    def restore(self, state: Any) -> None:
        self._bounds = state


RECORDS: Final = Table[tuple[StoredBlocks, ...]](())
"""bytes in the format FRACTAL_NZ"""
IN_ND: Final = Table[BytesInNd | None](None)
"""bytes in the format ND; None if no operator wrote any"""


class FormatMismatch(AccessListener):
    """The finding `format-mismatch`."""

    watched = RECORDS

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine

    def accessing(self, access: Access, piece: Allocation | Pinned, later: Action | None, *, operator: bool) -> None:
        if not operator or access.use not in READS or not isinstance(piece, Allocation):
            return
        stored, records = access.used.stored, RECORDS.of(piece)
        if stored is None and not records:
            return
        if stored is None:
            met = [record for record in records if overlaps(access.bytes(), _bytes(record))]
            if met:
                self._report(access, piece, later, _as_nd(access, met[0]), met[0])
        elif not covers(records, access.low, access.high, stored):
            met = [record for record in records if record.meets(access.low, access.high)]
            nd = IN_ND.of(piece)
            if met or (nd is not None and nd.meets(access.low, access.high)):
                self._report(access, piece, later, _as_nz(access, stored, met), *met[:1])

    def accessed(self, agent: Agent, accesses: Sequence[PlacedAccess], *, operator: bool) -> None:
        copied = () if operator else _copied_records(accesses)
        for place, access in accesses:
            piece, stored = place.piece, access.used.stored
            if not access.use.writes or not isinstance(piece, Allocation):
                continue
            _note_nd(piece, access, as_nd=operator and stored is None)
            if not RECORDS.of(piece) and stored is None and not copied:
                continue
            others = remaining(RECORDS.of(piece), access.low, access.high)
            new = () if stored is None else (_record(access, stored),)
            RECORDS.note(piece, (*others, *new, *copied))
            if (remembered := ACCESSES.of(piece)) is not None:
                remembered.only = None  # so that the next launch is checked even if it is like the last one

    def _report(
        self, access: Access, piece: Allocation, later: Action | None, what: Text, *records: StoredBlocks
    ) -> None:  # fmt: skip
        consequences, action = self._machine.consequences, access.action
        if consequences.first("format-mismatch", action.trail or trail(), access.role):
            past = [
                Past(
                    Text(
                        "{thing} was {how}",
                        thing=piece.device.name(record.low),
                        how=Text("laid out as {stored}", stored=record.stored),
                    ),
                    site_of(record.trail),
                )
                for record in records
            ]
            FindingReporter(self._machine, later)("format-mismatch", what, *past, *piece.past())
        consequences.taint(access)


def _as_nd(access: Access, record: StoredBlocks) -> Text:
    action = access.action
    return Text(
        "{action} in {agent} reads the {role} as ND, but its memory holds {stored}.",
        action=action.name,
        agent=action.agent,
        role=access.role,
        stored=record.stored,
    )


def _as_nz(access: Access, stored: Stored, met: Sequence[StoredBlocks]) -> Text:
    action = access.action
    return Text(
        "{action} in {agent} reads the {role} as {stored} ({dtype}), but its memory {holds}.",
        action=action.name,
        agent=action.agent,
        role=access.role,
        stored=stored,
        dtype=dtype_name(stored.dtype),
        holds=Text("holds {stored} ({dtype})", stored=met[0].stored, dtype=dtype_name(met[0].stored.dtype))
        if met
        else Text("is in no such format"),
    )


def _note_nd(piece: Allocation, access: Access, *, as_nd: bool) -> None:
    """Store the bytes that an operator writes as ND; any other write removes them."""
    nd = IN_ND.of(piece)
    if as_nd:
        if nd is None:
            IN_ND.note(piece, nd := BytesInNd())
        nd.add(access.low, access.high)
    elif nd is not None:
        nd.remove(access.low, access.high)


def _record(access: Access, stored: Stored) -> StoredBlocks:
    return StoredBlocks(access.low, access.high, stored, access.action.trail or trail())


def _copied_records(accesses: Sequence[PlacedAccess]) -> tuple[StoredBlocks, ...]:
    """The records of the source of a copy, moved to its target; none for a copy of rows."""
    if len(accesses) != 2 or accesses[0].access.use is not Use.WRITE or accesses[1].access.use is not Use.READ:
        return ()
    (target, access), (source, _) = accesses
    if not isinstance(source.piece, Allocation) or not isinstance(target.piece, Allocation):
        return ()
    if target.layout is not None or source.layout is not None:
        return ()
    distance, end = target.low - source.low, min(source.high, source.low + target.high - target.low)
    whole = [record for record in RECORDS.of(source.piece) if source.low <= record.low and record.high <= end]
    return tuple([record.moved(distance, access.action.trail or trail()) for record in whole])


def _bytes(record: StoredBlocks) -> Layout:
    return Layout(record.low, (record.high - record.low,), (1,), 1)
