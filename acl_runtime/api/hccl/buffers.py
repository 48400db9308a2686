"""The buffers of an operation: their memory on the device of the communicator, and the ranges that a task uses."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from acl_runtime.abi.pointers import Address
from acl_runtime.api.hccl.checks import RUNTIME, refuse
from acl_runtime.collective.buffers import RankMemory
from acl_runtime.collective.mistakes import foreign
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.requests import Request
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.machine.current import current
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.copies import Kind, Side, kind_of, locate
from acl_runtime.memory.device_memory import looks_like_device_address
from acl_runtime.memory.located_ranges import CachedRanges, find
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.text import Text

ALIGN: Final = Text("Start the buffers of a reduction at multiples of the size of an element.")
"""a hint"""
MOST_KNOWN: Final = 64
"""the most calls of a communicator whose memory is known"""


class BufferBlocks(NamedTuple):
    """The blocks of an operation in a buffer."""

    pointer: Address
    blocks: tuple[tuple[int, int], ...]
    """displacements and counts, in elements"""
    parameter: str

    @property
    def extent(self) -> int:
        """The elements from the beginning of the buffer to the end of its last block."""
        return max((low + count for low, count in self.blocks if count), default=0)

    @property
    def total(self) -> int:
        """The elements of all blocks."""
        return sum(count for _, count in self.blocks)


def whole(pointer: Address, count: int, parameter: str) -> BufferBlocks:
    """A buffer that is one block."""
    return BufferBlocks(pointer, ((0, count),), parameter)


class CallMemory(NamedTuple):
    """The memory of a call of an operation."""

    send: RankMemory | None
    recv: RankMemory | None
    ranges: tuple[Range, ...]
    nbytes: int
    """the greater number of bytes that it reads or writes"""
    cached: CachedRanges | None = None
    """its places in memory, for calls that repeat it; None if they have to be found again"""


def call_memory(
    communicator: Communicator, request: Request, send: BufferBlocks, recv: BufferBlocks, size: int
) -> CallMemory:
    """The memory of a call. A call that repeats another one uses what that one found, as long as the memory exists and
    the call had no finding."""
    machine, known = current(), communicator.known_memory
    key = request.function, request.dtype, request.op, send.pointer.value, recv.pointer.value, send.blocks, recv.blocks
    before = known.get(key)
    places = before.cached if isinstance(before, CallMemory) and not machine.virtual.in_use else None
    if isinstance(before, CallMemory) and places is not None and not any(piece.gone for piece in places.pieces):
        return before
    attempts = machine.findings.attempts
    memory = _find_memory(communicator, request, send, recv, size)
    if machine.findings.attempts == attempts and not machine.virtual.in_use:
        places = [place for used in memory.ranges if (place := find(machine, used)) is not None]
        if len(places) == len(memory.ranges) and all(type(place.piece) is Allocation for place in places):
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[key] = memory._replace(cached=CachedRanges(tuple(places)))
    return memory


def _find_memory(
    communicator: Communicator, request: Request, send: BufferBlocks, recv: BufferBlocks, size: int
) -> CallMemory:
    """Find the memory of a call, and check it."""
    into = memory_of(communicator, recv, size, write=True)
    same = send.pointer.value == recv.pointer.value and send.blocks == recv.blocks
    source = into if same else memory_of(communicator, send, size, write=False)
    ranges = ranges_of(source, send, into, recv, size)
    check_overlap(communicator.rank, ranges)
    if request.op is not None:
        check_aligned((source, into), size)
    return CallMemory(source, into, ranges, size * max(send.total, recv.total))


def memory_of(communicator: Communicator, layout: BufferBlocks, size: int, *, write: bool) -> RankMemory | None:
    """The memory of a buffer with elements of `size` bytes. None if the operation uses none of them."""
    if not layout.extent:
        return None
    machine, address, parameter = current(), layout.pointer.value, layout.parameter
    memory = machine.memory_at(address)
    if memory is None or memory.holding(address) is None:
        if kind_of(machine, address) is not Kind.DEVICE and not looks_like_device_address(address):
            text = Text("{parameter} lies in the memory of the host.", parameter=parameter)
            machine.crash("ws-host-ptr", text, status=HcclResult.HCCL_E_PARA)
        raise refuse(f"{address:#x}", parameter, "an address of live device memory")
    if memory is not communicator.device.memory:
        what = Text(
            "{parameter} lies on another device than {communicator}, which is on device {number}.",
            parameter=parameter,
            communicator=communicator,
            number=communicator.device.number,
        )
        raise foreign(machine, communicator, what)
    with RUNTIME:
        nbytes = layout.extent * size
        return RankMemory(locate(machine, layout.pointer, nbytes, parameter, write=write), nbytes)


def check_overlap(rank: int, ranges: Sequence[Range]) -> None:
    """Report a buffer that is read and written, but not in place. In place are the same bytes, and the rank's own block
    of the larger buffer."""
    if len(ranges) < 2:
        return
    read, written = ([used for used in ranges if used.use is use] for use in (Use.READ, Use.WRITE))
    if len(read) == len(written) == 1:
        small, large = sorted((*read, *written), key=lambda used: used.high - used.low)
        if small.low == large.low + rank * (small.high - small.low):
            return
    for source in read:
        if target := next((used for used in written if source.low < used.high and used.low < source.high), None):
            what = Text(
                "{target} and {source} of {call} share bytes, and are not the same block.",
                target=target.role,
                source=source.role,
                call=current().thread().call,
            )
            current().undefined("alias-overlap", what)
            return


def check_aligned(memories: Sequence[RankMemory | None], size: int) -> None:
    """Report a buffer of a reduction that does not start at a multiple of the size of an element."""
    for memory in memories:
        if memory is not None and memory.side.address % size:
            what = Text(
                "{parameter} of {call} does not start at a multiple of {size} bytes, the size of an element.",
                parameter=memory.side.parameter,
                call=current().thread().call,
                size=size,
            )
            current().undefined("misaligned", what, hint=ALIGN)
            return


def ranges_of(
    send: RankMemory | None, sent: BufferBlocks, recv: RankMemory | None, received: BufferBlocks, size: int
) -> tuple[Range, ...]:
    """The ranges that an operation uses. A buffer that it reads and writes in place is one range."""
    if recv is not None and send is recv:
        return tuple(_blocks(recv.side, received, size, Use.UPDATE))
    ranges: list[Range] = []
    for memory, layout in ((send, sent), (recv, received)):
        if memory is not None:
            ranges += _blocks(memory.side, layout, size, memory.side.use)
    return tuple(ranges)


def _blocks(side: Side, layout: BufferBlocks, size: int, use: Use) -> list[Range]:
    return [
        Range(side.address + low * size, side.address + (low + count) * size, side.parameter, use)
        for low, count in layout.blocks
        if count
    ]
