"""Copies from numpy arrays into memory of tensors of another type.

`np.array([1.0, 2.0])` and `np.random.rand(4)` are float64, but most tensors are ACL_FLOAT. The operator then reads the
two halves of a number as two numbers, and no status reports it. The check stores the target of each copy from an array,
until a tensor reads some of these bytes or they are overwritten. The data type of the first tensor is compared:
`MISREAD` lists the types that give advice.

Only arrays have a type. Bytes, addresses and ctypes objects are not checked, nor is host memory that is mapped to a
device, as the host writes there without a call.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from acl_runtime.checks.access_listeners import AccessListener, PlacedAccess
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.accesses import ACCESSES, Access
from acl_runtime.checks.races.races import FindingReporter
from acl_runtime.checks.tables import Table
from acl_runtime.errors import Past
from acl_runtime.headers.dtype_names import bits, dtype_name
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.layout import Layout, overlaps
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import READS
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import Trail
from acl_runtime.streams.vector_clock import Action, Agent
from acl_runtime.text import Text

_T = aclDataType
_SIXTEEN: Final = {_T.ACL_FLOAT16, _T.ACL_BF16}
_EIGHT: Final = {_T.ACL_FLOAT8_E5M2, _T.ACL_FLOAT8_E4M3FN, _T.ACL_HIFLOAT8}
_INTEGERS: Final = {_T.ACL_INT8, _T.ACL_UINT8, _T.ACL_INT16, _T.ACL_UINT16, _T.ACL_INT32, _T.ACL_BOOL}
_NARROW: Final = {data_type for data_type in aclDataType if bits(data_type) <= 32}
MISREAD: Final = {
    "float64": _NARROW | {_T.ACL_INT64},
    "int64": _NARROW | {_T.ACL_DOUBLE},
    "float32": _SIXTEEN | _EIGHT | _INTEGERS,
    "int32": {_T.ACL_FLOAT},
    "float16": {_T.ACL_BF16},
    "bfloat16": {_T.ACL_FLOAT16},
}
"""the data types of tensors that misread an array, by the type of the array. The table lacks types into which programs
copy bit patterns, packed numbers, or scales on purpose"""
WIDTHS: Final = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2}
"""bytes of an element of an array"""
MOST: Final = 16
"""the most copies that are stored for a piece of memory"""


class CopiedArray(NamedTuple):
    """Device addresses [low, high) to which a numpy array was copied."""

    low: int
    high: int
    dtype: str
    """numpy's name for the data type of the array"""
    trail: Trail | str
    """the call of the copy"""


COPIED: Final = Table[tuple[CopiedArray, ...]](())
"""copies from arrays that no tensor has read yet"""


class HostDtype(AccessListener):
    """The advice `host-dtype`."""

    watched = COPIED

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine

    def accessing(self, access: Access, piece: Allocation | Pinned, later: Action | None, *, operator: bool) -> None:
        if access.use in READS and isinstance(piece, Allocation) and COPIED.of(piece) and access.used.dtype is not None:
            misread(FindingReporter(self._machine, later), self._machine.consequences.first, piece, access)

    def accessed(self, agent: Agent, accesses: Sequence[PlacedAccess], *, operator: bool) -> None:
        for place, access in accesses:
            piece = place.piece
            if isinstance(piece, Allocation) and (COPIED.of(piece) or access.used.source_dtype) and access.use.writes:
                overwritten(piece, access)


def overwritten(piece: Allocation, access: Access) -> None:
    """Remove the copies to bytes that are overwritten, and store the new copy if its source is an array."""
    others = tuple([copied for copied in COPIED.of(piece) if copied.high <= access.low or access.high <= copied.low])
    COPIED.note(piece, others)
    if not access.used.source_dtype or piece.shared:
        return
    accesses = ACCESSES.of(piece)
    if accesses is not None and accesses.only is not None and accesses.only.used.dtype is not None:
        if accesses.only.used.dtype not in MISREAD[access.used.source_dtype]:
            return  # the tensor at these bytes has the type of the array
        accesses.only = None  # so that the next launch is checked even if it repeats the last one
    copied = CopiedArray(access.low, access.high, access.used.source_dtype, access.action.trail or trail())
    COPIED.note(piece, (*others[1 - MOST :], copied))


def misread(report: FindingReporter, first: Callable[..., bool], piece: Allocation, access: Access) -> None:
    """Report a tensor that reads bytes copied from an array of another type. Only the first tensor is compared. `first`
    returns True for a line that shows the finding for the first time."""
    copies = COPIED.of(piece)
    read = [copied for copied in copies if overlaps(access.bytes(), _bytes(copied))]
    if not read:
        return
    COPIED.note(piece, tuple([copied for copied in copies if copied not in read]))
    dtype = access.used.dtype
    for copied in read:
        if dtype is not None and dtype in MISREAD[copied.dtype] and first("host-dtype", copied.trail):
            _report(report, piece, access, dtype, copied)


def _report(report: FindingReporter, piece: Allocation, access: Access, dtype: int, copied: CopiedArray) -> None:
    name, numpy_name, action = dtype_name(dtype), numpy_dtype(dtype), access.action
    what = Text(
        "{action} in {agent} reads {role} as {dtype} ({width} an element), but the data was copied from an array of "
        "{source} ({bytes} bytes an element).",
        action=action.name,
        agent=action.agent,
        role=access.role,
        dtype=name,
        width=_size(dtype),
        source=copied.dtype,
        bytes=WIDTHS[copied.dtype],
    )
    where = Text(
        "{size} bytes of it were copied to {place}",
        size=copied.high - copied.low,
        place=piece.device.name(copied.low),
    )
    advice = Text("Copy an array of the tensor's type: np.asarray(x, np.{dtype}).", dtype=numpy_name)
    hint = advice if numpy_name is not None else None
    report("host-dtype", what, Past(where, site_of(copied.trail)), *piece.past(), hint=hint)


def _size(dtype: int) -> str:
    if bits(dtype) > 8:
        return Text("{size} bytes", size=bits(dtype) // 8)
    return Text("{size} bits", size=bits(dtype))


def _bytes(copied: CopiedArray) -> Layout:
    return Layout(copied.low, (copied.high - copied.low,), (1,), 1)
