"""Moving bytes between host and device: what a pointer points to, how much is there, and the copy itself."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Final, NoReturn, cast

import numpy as np

from acl_runtime.abi.pointers import Address
from acl_runtime.errors import AclError, DeviceFault, Past
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.memory import host
from acl_runtime.memory.allocation import KEEP, Allocation, Mapping
from acl_runtime.memory.device_memory import FOREIGN, like_a_devices
from acl_runtime.memory.layout import Layout
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ports import Copier, Memories
from acl_runtime.memory.ranges import Range, Use

WIDE: Final = {"d": "float64", "l": "int64", "q": "int64"}
"""numpy's characters of the types that it makes of Python's numbers, where these have 8 bytes"""


class Kind(Enum):
    """What the driver takes an address for."""

    DEVICE = "device memory"
    PINNED = "pinned host memory"
    PLAIN = "plain host memory"


def kind_of(machine: Memories, address: int) -> Kind:
    """Device, pinned (from aclrtMallocHost, or registered), or "plain = anything the driver does not know"."""
    if machine.memory_at(address) is not None:
        return Kind.DEVICE
    return Kind.PINNED if machine.pinned.holding(address) is not None else Kind.PLAIN


def told_kind(kind: Kind, address: int) -> str:
    """The same for a text, which tells of a device pointer that was kept from an earlier machine."""
    foreign = kind is Kind.PLAIN and like_a_devices(address)
    return FOREIGN if foreign else kind.value


@dataclass(eq=False, slots=True)
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
    use: Use
    """is it read or written?"""
    allocation: Allocation | None = None
    pinned: Pinned | None = None
    owner: object = None
    """keeps the host object alive until a queued copy has run"""
    brings: str = ""
    """of the target of a copy: see `Range.brings`"""

    @property
    def alive(self) -> bool:
        """Was its memory not freed since?"""
        piece = self.allocation or self.pinned
        return piece is None or not piece.gone

    def range(self, count: int, use: Use | None = None) -> Range:
        """What a copy of `count` bytes uses."""
        return Range(self.address, self.address + count, self.parameter, use or self.use, brings=self.brings)

    def rows(self, pitch: int, width: int, height: int) -> Range:
        """What a copy of `height` rows of `width` bytes uses."""
        end = self.address + pitch * (height - 1) + width
        layout = Layout(self.address, (height, width), (pitch, 1), 1) if width < pitch and height > 1 else None
        return Range(self.address, end, self.parameter, self.use, layout, brings=self.brings)


def locate(
    machine: Copier,
    pointer: Address,
    count: int,
    parameter: str,
    *,
    write: bool,
    asked: str = "count",
    known: bool = False,
) -> Side:
    """Find out what a pointer points to. Too small an object for `count` bytes, which the call `asked` for, is a
    finding, unless it is `known` that these are too many; in a machine that only reports, the copy then takes what is
    there. 107000 for an address of a device that is no live memory."""
    memory = machine.memory_at(pointer.value)
    if memory is None:
        return _on_host(machine, pointer, count, parameter, Use.WRITE if write else Use.READ, asked, known)
    allocation = memory.holding(pointer.value)
    if allocation is None:
        raise bad_address(machine, pointer.value, parameter)
    offset = pointer.value - allocation.address
    room = allocation.size - offset
    end = pointer.value + count
    if count > room and not known and not machine.consequences.past_end(allocation, end):
        what = (
            f"{asked} = {count} bytes, but {parameter} has {room} bytes left: it points {offset} bytes into "
            f"{allocation}."
        )
        if machine.undefined("memcpy-size", what, *allocation.past()) is not None:
            machine.consequences.went_past_end(allocation, end)
    side = Side(
        parameter, pointer.value, Kind.DEVICE, allocation.base + offset, room, allocation.known,
        Use.WRITE if write else Use.READ, allocation,
    )  # fmt: skip
    reach(machine, side, count, write=write)
    return side


def locate_both(
    machine: Copier,
    dst: Address,
    needed: int,
    src: Address,
    count: int,
    names: tuple[str, str] = ("dst", "src"),
    asked: tuple[str, str] = ("count", "count"),
) -> tuple[Side, Side]:
    """The target of a copy, of which `needed` bytes are used, and its source, of which `count` are."""
    target = locate(machine, dst, needed, names[0], write=True, asked=asked[0])
    target.brings = wide(src.owner)
    known = needed > target.room and machine.findings.allowance("memcpy-size") is None  # the same number
    try:
        return target, locate(machine, src, count, names[1], write=False, asked=asked[1], known=known)
    except AclError as error:
        if error.told:
            machine.rejected(target.address, target.address + needed)
        raise


def wide(owner: object) -> str:
    """`Range.brings` of a copy whose source is this object of the host."""
    if not isinstance(owner, np.ndarray):
        return ""
    dtype = cast("Array", owner).dtype
    return WIDE.get(dtype.char, "") if dtype.itemsize == 8 else ""


def reach(machine: Copier, side: Side, count: int, *, write: bool) -> None:
    """Registered host memory at an address of the device may be gone, or be read-only: a finding."""
    mapping = side.allocation
    if isinstance(mapping, Mapping) and not mapping.gone:
        at = side.start - mapping.base
        if trouble := mapping.trouble(at, at + min(count, side.room), write=write):
            machine.crash(
                "host-overrun", f"{side.parameter}: {trouble}.", *mapping.past(), status=ACL_ERROR_RT_PARAM_INVALID,
                hint=KEEP,
            )  # fmt: skip


def on_device(machine: Copier, work: Callable[[], None]) -> Callable[[], None]:
    """`work` as a stream runs it: where it would fault, in a machine that only reports, the device fails, "507015 at
    the next synchronise (a task)"."""

    def run() -> None:
        with machine.lock:
            try:
                work()
            except AclError as error:
                told, listed = error.told, error.listed
                raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, *error.items, told=told, listed=listed) from error

    return run


def _on_host(machine: Copier, pointer: Address, count: int, parameter: str, use: Use, asked: str, known: bool) -> Side:
    small = partial(_refuse_small, machine, asked, count, parameter, known=known)
    pinned = machine.pinned.holding(pointer.value)
    if pinned is not None and pinned.registered and (pointer.size is not None or count > pinned.end - pointer.value):
        room = count if pointer.size is None else pointer.size  # it may be registered in part only
        if count > room:
            small(room, type(pointer.owner).__name__)
        there = pointer.known
        return Side(parameter, pointer.value, Kind.PINNED, pointer.value, room, there, use, pinned=pinned)
    if pinned is not None:
        room = pinned.end - pointer.value
        if count > room:
            small(room, str(pinned), *pinned.past(), inside=pinned.size - room)
        there = not pinned.registered or pinned.owner is not None
        start = pointer.value + pinned.shift
        return Side(parameter, pointer.value, Kind.PINNED, start, room, there, use, pinned=pinned)
    if (gone := machine.pinned.freed_at(pointer.value)) is not None:
        text = f"{parameter} points into {gone}, which is gone."
        hint = "Free host memory after its last use."
        machine.crash("host-overrun", text, *gone.past(), status=ACL_ERROR_RT_PARAM_INVALID, hint=hint)
    if pointer.size is not None and count > pointer.size:
        small(pointer.size, type(pointer.owner).__name__)
    there = pointer.known
    return Side(parameter, pointer.value, Kind.PLAIN, pointer.value, count, there, use, owner=pointer.owner)


def _refuse_small(
    machine: Copier,
    asked: str,
    count: int,
    parameter: str,
    room: int,
    what: str,
    *history: Past,
    inside: int = 0,
    known: bool,
) -> NoReturn:
    """`inside`: so many bytes of the object lie before the address."""
    found = f"is a host object of {room} bytes ({what})"
    if inside:
        found = f"has {room} bytes left: it points {inside} bytes into {what}"
    machine.crash(
        "host-overrun",
        f"{asked} = {count} bytes, but {parameter} {found}.",
        *history,
        status=ACL_ERROR_RT_PARAM_INVALID,
        hint="Count bytes, not elements, and size the object for them.",
        known=known,
    )


def bad_address(machine: Memories, address: int, parameter: str) -> AclError:
    """The driver refuses an address: 107000."""
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), f"({parameter}: {whereabouts(machine, address)})"))


def whereabouts(machine: Memories, address: int) -> str:
    """What an error text tells about an address that is not what was asked for."""
    memory = machine.memory_at(address)
    return memory.whereabouts(address) if memory is not None else machine.pinned.whereabouts(address)


def copy(machine: Copier, target: Side, source: Side, count: int) -> None:
    """Copy what both sides have room for; what the source lacks reads as the fill."""
    if not target.alive:
        return  # told when it was freed; "writes past the end are dropped"
    there = check(machine, target, source, count)
    if source.allocation is not None and there:
        source.allocation.touch(source.start - source.allocation.base, source.start - source.allocation.base + there)
    if there and not host.copy(target.start, target.known, source.start, source.known, there):
        _refuse_wild(machine, source if target.known else target, count)
    _wrote(target, 0, there)
    if (missing := min(count, target.room) - there) > 0 and source.allocation is not None:
        host.fill(target.start + there, target.known, bytes([source.allocation.device.fill or 0]), missing)
        _wrote(target, there, there + missing)
    told(machine, target, count)


def check(machine: Copier, target: Side, source: Side, count: int) -> int:
    """How many of the bytes can be copied. A wild address of the host is a finding, before any byte is copied."""
    room = min(count, target.room) if target.alive else 0
    there = max(0, min(room, source.room)) if source.alive else 0
    if not source.known and not host.readable(source.start, there):
        _refuse_wild(machine, source, count)
    written = there if source.allocation is None else room  # what device memory lacks reads as the fill
    if not target.known and not host.replaceable(target.start, written):
        _refuse_wild(machine, target, count)
    return there


def fill(machine: Copier, target: Side, pattern: bytes, count: int) -> None:
    """Write `pattern` over and over, `count` bytes in all."""
    there = min(count, target.room)
    if not target.alive or there <= 0:
        return
    if not target.known and not host.replaceable(target.start, there):
        _refuse_wild(machine, target, count)
    if not host.fill(target.start, target.known, pattern, there):
        _refuse_wild(machine, target, count)
    _wrote(target, 0, there)
    told(machine, target, there)


def told(machine: Copier, target: Side, count: int) -> None:
    """A task may wait for this value."""
    if target.allocation is not None:
        machine.wrote(target.address, target.address + count)


def _wrote(side: Side, low: int, high: int) -> None:
    if side.allocation is not None and high > low:
        at = side.start - side.allocation.base
        side.allocation.wrote(at + low, at + high)


def _refuse_wild(machine: Copier, side: Side, count: int) -> NoReturn:
    if like_a_devices(side.start):
        what, hint = FOREIGN, "Allocate device memory in the machine that uses it."
    else:
        what, hint = f"no host memory of {count} bytes", None
    machine.crash(
        "host-overrun",
        f"{side.parameter} = {side.start:#x} is {what}: the copy would crash the process.",
        status=ACL_ERROR_RT_PARAM_INVALID,
        hint=hint,
    )


def array_of(side: Side, dtype: Any, count: int) -> Any:
    """`count` elements of device memory at this side, as an array over it; what was never written holds the fill. Of
    registered memory of the host, ask `reach` first."""
    assert side.allocation is not None
    at = side.start - side.allocation.base
    nbytes = count * np.dtype(dtype).itemsize
    side.allocation.touch(at, at + nbytes)
    return np.frombuffer(side.allocation.buffer.data, dtype, count, at)
