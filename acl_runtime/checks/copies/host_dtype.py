"""Arrays of numpy's default types, float64 and int64, in memory that tensors describe otherwise.

`np.array([1.0, 2.0])` and `np.random.rand(4)` are float64, but most tensors are ACL_FLOAT. The operator then takes the
two halves of a number for two numbers, and no status says so. A copy from such an array is remembered with the bytes
that it went to, until a tensor reads some of them or something else is written there. The first tensor decides:
elements of 8 bytes are as the program meant it, smaller ones give advice.

Only an array shows its type. Bytes, addresses and ctypes objects are not looked at. Memory of the host at an address of
the device is not either, as the host writes there without a call.
"""

from collections.abc import Callable, Sequence
from typing import Final

from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.accesses import Access
from acl_runtime.checks.races.races import Told
from acl_runtime.checks.uses import PlacedUse, UseListener
from acl_runtime.errors import Past
from acl_runtime.headers.dtypes import bits, dtype_name, numpy_dtype
from acl_runtime.memory.allocation import Allocation, Brought
from acl_runtime.memory.layout import Layout, overlaps
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import READS
from acl_runtime.source.frames import site_of, trail
from acl_runtime.streams.vector_clock import Agent, Doing

NARROW: Final = 32
"""decisions: bits of the largest element that such an array is not meant for"""
MOST: Final = 16
"""so many copies are remembered for a piece of memory"""


class HostDtype(UseListener):
    """The advice `host-dtype`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def using(self, access: Access, piece: Allocation | Pinned, later: Doing | None, *, operator: bool) -> None:
        if access.use in READS and isinstance(piece, Allocation) and piece.brought and access.used.dtype is not None:
            misread(Told(self._scene, later), self._scene.findings.first, piece, access)

    def used(self, agent: Agent, found: Sequence[PlacedUse], *, operator: bool) -> None:
        for place, access in found:
            piece = place.piece
            if isinstance(piece, Allocation) and (piece.brought or access.used.brings) and access.use.writes:
                overwritten(piece, access)


def overwritten(piece: Allocation, access: Access) -> None:
    """Bytes are written: what was there is forgotten, and what a copy brings is remembered."""
    piece.brought = tuple([each for each in piece.brought if each.high <= access.low or access.high <= each.low])
    if not access.used.brings or piece.mapped:
        return
    last = piece.accesses.only if piece.accesses is not None else None
    if last is not None and last.used.dtype is not None and piece.accesses is not None:
        if bits(last.used.dtype) > NARROW:
            return  # the tensor that is there reads such elements
        piece.accesses.only = None  # the next launch that is like the last one is looked at all the same
    brought = Brought(access.low, access.high, access.used.brings, access.doing.trail or trail())
    piece.brought = (*piece.brought[1 - MOST :], brought)


def misread(told: Told, first: Callable[..., bool], piece: Allocation, access: Access) -> None:
    """A tensor reads: the first to do so decides. `first`: does this line show it for the first time?"""
    met = [each for each in piece.brought if overlaps(access.bytes(), _bytes(each))]
    if not met:
        return
    piece.brought = tuple([each for each in piece.brought if each not in met])
    dtype = access.used.dtype
    if dtype is None or bits(dtype) > NARROW:
        return
    for each in met:
        if first("host-dtype", each.trail):
            _tell(told, piece, access, dtype, each)


def _tell(told: Told, piece: Allocation, access: Access, dtype: int, brought: Brought) -> None:
    name, numpys, doing = dtype_name(dtype), numpy_dtype(dtype), access.doing
    what = (
        f"{doing.name} in {doing.agent} reads {access.role} as {name} ({_size(dtype)} an element), but the data was "
        f"copied from a {brought.dtype} array (8 bytes an element)."
    )
    where = f"{brought.high - brought.low} bytes of it were copied to {piece.device.name(brought.low)}"
    hint = f"Copy an array of the tensor's type: np.asarray(x, np.{numpys})." if numpys is not None else None
    told("host-dtype", what, Past(where, site_of(brought.trail)), *piece.past(), hint=hint)


def _size(dtype: int) -> str:
    return f"{bits(dtype) // 8} bytes" if bits(dtype) > 8 else f"{bits(dtype)} bits"


def _bytes(brought: Brought) -> Layout:
    return Layout(brought.low, (brought.high - brought.low,), (1,), 1)
