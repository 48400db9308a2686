"""Moving bytes between host and device: what a pointer points to, how much is there, and the copy itself."""

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from acl_runtime.errors import AclError
from acl_runtime.machine import host
from acl_runtime.machine.allocation import Allocation, Mapping
from acl_runtime.machine.pinned import Pinned
from acl_runtime.machine.stream import Range
from acl_runtime.messages import Item
from acl_runtime.pointers import Address
from acl_runtime.statuses import ACL_ERROR_RT_PARAM_INVALID

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


class Kind(Enum):
    """What the driver takes an address for."""

    DEVICE = "device memory"
    PINNED = "pinned host memory"
    PLAIN = "plain host memory"


def kind_of(machine: "Machine", address: int) -> Kind:
    """Device, pinned (from aclrtMallocHost, or registered), or "plain = anything the driver does not know"."""
    if machine.memory_at(address) is not None:
        return Kind.DEVICE
    return Kind.PINNED if machine.pinned.holding(address) is not None else Kind.PLAIN


@dataclass(slots=True)
class Side:
    """One end of a copy: where its bytes really are, and how many of them are there."""

    parameter: str
    address: int
    kind: Kind
    start: int
    """where the bytes lie in this process"""
    room: int
    known: bool
    """are these bytes certain to be there?"""
    allocation: Allocation | None = None
    pinned: Pinned | None = None
    owner: object = None
    """keeps the host object alive until a queued copy has run"""

    @property
    def alive(self) -> bool:
        """Was its memory not freed since?"""
        piece = self.allocation or self.pinned
        return piece is None or not piece.freed

    def range(self, count: int) -> Range:
        """What a queued copy uses, for whoever frees it."""
        return Range(self.address, self.address + count, self.parameter)


def locate(machine: "Machine", pointer: Address, count: int, parameter: str, *, write: bool) -> Side:
    """Find out what a pointer points to. Too small an object is a finding; in a machine that only reports, the copy
    then takes what is there. 107000 for an address of a device that is no live memory."""
    memory = machine.memory_at(pointer.value)
    if memory is None:
        return _on_host(machine, pointer, count, parameter)
    allocation = memory.holding(pointer.value)
    if allocation is None:
        raise bad_address(machine, pointer.value, parameter)
    offset = pointer.value - allocation.address
    room = allocation.size - offset
    if count > room:
        machine.undefined(
            "memcpy-size",
            f"count = {count} bytes, but {parameter} has {room} bytes left: it points {offset} bytes into "
            f"{allocation}, {allocation.history()}. The device would silently touch its neighbours.",
        )
    if isinstance(allocation, Mapping) and (
        trouble := allocation.trouble(offset, offset + min(count, room), write=write)
    ):
        machine.crash("host-overrun", f"{parameter}: {trouble}.", ACL_ERROR_RT_PARAM_INVALID)
    return Side(parameter, pointer.value, Kind.DEVICE, allocation.base + offset, room, True, allocation)


def _on_host(machine: "Machine", pointer: Address, count: int, parameter: str) -> Side:
    pinned = machine.pinned.holding(pointer.value)
    if pinned is not None and pinned.registered and (pointer.size is not None or count > pinned.end - pointer.value):
        room = count if pointer.size is None else pointer.size  # it may be registered in part only
        if count > room:
            _refuse_small(machine, count, parameter, room, type(pointer.owner).__name__)
        known = pointer.size is not None
        return Side(parameter, pointer.value, Kind.PINNED, pointer.value, room, known, pinned=pinned)
    if pinned is not None:
        room = pinned.end - pointer.value
        if count > room:
            _refuse_small(machine, count, parameter, room, f"{pinned}, {pinned.history()}")
        known = not pinned.registered or pinned.owner is not None
        return Side(parameter, pointer.value, Kind.PINNED, pointer.value, room, known, pinned=pinned)
    if (gone := machine.pinned.freed_at(pointer.value)) is not None:
        text = f"{parameter} points into {gone}, which is gone: {gone.history()}. Free it after its last use."
        machine.crash("host-overrun", text, ACL_ERROR_RT_PARAM_INVALID)
    if pointer.size is not None and count > pointer.size:
        _refuse_small(machine, count, parameter, pointer.size, type(pointer.owner).__name__)
    known = pointer.size is not None
    return Side(parameter, pointer.value, Kind.PLAIN, pointer.value, count, known, owner=pointer.owner)


def _refuse_small(machine: "Machine", count: int, parameter: str, room: int, what: str) -> NoReturn:
    machine.crash(
        "host-overrun",
        f"count = {count} bytes, but {parameter} is a host object of {room} bytes ({what}). Count bytes, not elements, "
        "and size the object for them.",
        ACL_ERROR_RT_PARAM_INVALID,
    )


def bad_address(machine: "Machine", address: int, parameter: str) -> AclError:
    """The driver refuses an address: 107000."""
    memory = machine.memory_at(address)
    where = memory.whereabouts(address) if memory is not None else machine.pinned.whereabouts(address)
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), f"({parameter}: {where})"))


def copy(machine: "Machine", target: Side, source: Side, count: int) -> None:
    """Copy what both sides have room for; what the source lacks reads as the fill."""
    if not target.alive:
        return  # told when it was freed; "writes past the end are dropped"
    there = min(count, target.room, source.room) if source.alive else 0
    if source.allocation is not None and there:
        source.allocation.touch(source.start - source.allocation.base, source.start - source.allocation.base + there)
    for side in (target, source):
        if not side.known and not host.readable(side.start, there):
            _refuse_wild(machine, side, count)
    if there and not host.copy(target.start, target.known, source.start, source.known, there):
        _refuse_wild(machine, source if target.known else target, count)
    _wrote(target, 0, there)
    if (missing := min(count, target.room) - there) > 0 and source.allocation is not None:
        fill = bytes([source.allocation.device.fill or 0]) * missing
        host.copy(target.start + there, target.known, host.address(fill), True, missing)
        _wrote(target, there, there + missing)
    if target.allocation is not None:
        machine.scheduler.happened()  # a task may wait for this value


def copy_rows(
    machine: "Machine", target: Side, dpitch: int, source: Side, spitch: int, width: int, height: int
) -> None:
    """`height` rows of `width` bytes, which start every `dpitch` and `spitch` bytes."""
    for row in range(height):
        copy(machine, _moved(target, row * dpitch), _moved(source, row * spitch), width)


def _moved(side: Side, offset: int) -> Side:
    return Side(
        side.parameter, side.address + offset, side.kind, side.start + offset, max(side.room - offset, 0), side.known,
        side.allocation, side.pinned, side.owner,
    )  # fmt: skip


def fill(machine: "Machine", target: Side, pattern: bytes, count: int) -> None:
    """Write `pattern` over and over, `count` bytes in all."""
    there = min(count, target.room)
    if not target.alive or there <= 0:
        return
    if not target.known and not host.readable(target.start, there):
        _refuse_wild(machine, target, count)
    if not host.fill(target.start, target.known, pattern, there):
        _refuse_wild(machine, target, count)
    _wrote(target, 0, there)
    machine.scheduler.happened()


def _wrote(side: Side, low: int, high: int) -> None:
    if side.allocation is not None and high > low:
        at = side.start - side.allocation.base
        side.allocation.wrote(at + low, at + high)


def _refuse_wild(machine: "Machine", side: Side, count: int) -> NoReturn:
    machine.crash(
        "host-overrun",
        f"{side.parameter} = {side.start:#x} is no host memory of {count} bytes: the copy would crash the process. "
        "Pass the buffer itself (a numpy or ctypes array) rather than a number.",
        ACL_ERROR_RT_PARAM_INVALID,
    )


def array_of(side: Side, dtype: Any, count: int) -> Any:
    """`count` elements of device memory at this side, as an array over it; what was never written holds the fill."""
    assert side.allocation is not None
    at = side.start - side.allocation.base
    nbytes = count * np.dtype(dtype).itemsize
    side.allocation.touch(at, at + nbytes)
    return np.frombuffer(side.allocation.buffer.data, dtype, count, at)
