"""Copies between host and device: finding the memory behind a pointer, checking its size, copying.

`locate` makes a `Side` for each pointer when the program calls; `copy` and `fill` move the bytes when the work runs. A
side refers to the memory at the time of the call, so a queued copy does not search for the address again. By then the
address may belong to another allocation.
"""

import ctypes
from collections.abc import Callable, Sequence
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
from acl_runtime.memory import cut_addresses, host
from acl_runtime.memory.allocation import KEEP, Allocation, Mapping
from acl_runtime.memory.device_memory import FOREIGN, looks_like_device_address
from acl_runtime.memory.host_budget import NoHostMemory
from acl_runtime.memory.layout import Layout
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ports import Copier, Memories, PastEnd, Reporter
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.memory.reservation import Reservation, VirtualMapping
from acl_runtime.text import Text

COUNT: Final = Text("Count bytes, not elements, and size the object for them.")
"""a hint"""
SHOWN: Final = {
    "d": "float64", "l": "int64", "q": "int64", "f": "float32", "i": "int32", "e": "float16", "E": "bfloat16",
}  # fmt: skip
"""data types of arrays that are not used as raw bytes, by numpy's type character"""


class Kind(Enum):
    """The kind of memory at an address, as the driver distinguishes it."""

    DEVICE = Text("device memory")
    PINNED = Text("pinned host memory")
    PLAIN = Text("plain host memory")


def kind_of(machine: Memories, address: int) -> Kind:
    """The kind of memory at an address: device, pinned (from aclrtMallocHost, registered, or host memory mapped to
    virtual memory), or "plain = anything the driver does not know"."""
    if machine.memory_at(address) is not None:
        return Kind.DEVICE
    is_pinned = machine.pinned.holding(address) is not None or machine.virtual.holding(address) is not None
    return Kind.PINNED if is_pinned else Kind.PLAIN


def kind_text(kind: Kind, address: int) -> str:
    """The kind in words. There is another text for device memory of another machine."""
    foreign = kind is Kind.PLAIN and looks_like_device_address(address)
    return FOREIGN if foreign else kind.value


@dataclass(eq=False, slots=True)
class Side:
    """One side of a copy: the address of its bytes in this process, and their number."""

    parameter: str
    address: int
    kind: Kind
    start: int
    """the address of the bytes in this process"""
    available: int
    """bytes from `start` to the end of the memory"""
    safe: bool
    """True if the bytes can be accessed directly; otherwise the module `host` uses system calls"""
    use: Use
    """READ or WRITE"""
    allocation: Allocation | None = None
    pinned: Pinned | None = None
    mappings: Sequence[VirtualMapping] = ()
    """the mappings that the copy uses, if the side is host memory that is mapped to virtual memory"""
    owner: object = None
    """the host object; this reference keeps it alive until a queued copy has run"""
    source_dtype: str = ""
    """`Range.source_dtype` of the target of a copy"""
    elements: tuple[int, int] = (0, 1)
    """`elements_of` the array that is the target of a copy"""
    room: int = 0
    """the bytes that the call says the target of a copy has"""

    @property
    def alive(self) -> bool:
        """False after the memory was freed."""
        piece = self.allocation or self.pinned
        return (piece is None or not piece.gone) and not any(mapping.ended for mapping in self.mappings)

    def range(self, count: int, use: Use | None = None) -> Range:
        """The range that a copy of `count` bytes uses."""
        return Range(
            self.address, self.address + count, self.parameter, use or self.use, source_dtype=self.source_dtype
        )

    def rows(self, pitch: int, width: int, height: int) -> Range:
        """The range that a copy of `height` rows of `width` bytes uses."""
        end = self.address + pitch * (height - 1) + width
        layout = Layout(self.address, (height, width), (pitch, 1), 1) if width < pitch and height > 1 else None
        return Range(self.address, end, self.parameter, self.use, layout, source_dtype=self.source_dtype)


def locate(
    machine: Copier,
    pointer: Address,
    count: int,
    parameter: str,
    *,
    write: bool,
    count_name: str = "count",
    already_reported: bool = False,
) -> Side:
    """Find the memory behind a pointer.

    Memory with fewer than `count` bytes is a finding, unless `already_reported`. If findings are only reported, the
    copy is shortened to the existing bytes. `count_name` is the parameter with the count. AclError 107000 if a device
    address lies in no live allocation."""
    memory = machine.memory_at(pointer.value)
    if memory is None:
        return _on_host(
            machine, pointer, count, parameter, Use.WRITE if write else Use.READ, count_name, already_reported
        )
    allocation = memory.holding(pointer.value)
    if allocation is None:
        raise bad_address(machine, pointer.value, parameter)
    offset = pointer.value - allocation.address
    available = allocation.size - offset
    end = pointer.value + count
    if count > available and not already_reported and not machine.consequences.of(past := PastEnd(allocation, end)):
        text = _little_left(count_name, count, parameter, available, offset, allocation)
        if machine.undefined("memcpy-size", text, *allocation.past()) is not None:
            machine.consequences.taint(past)
    if isinstance(allocation, Reservation):
        check_mapped(machine, allocation, (pointer.value, min(end, allocation.end)), parameter, write=write)
    side = Side(
        parameter, pointer.value, Kind.DEVICE, allocation.base + offset, available, allocation.kept_alive,
        Use.WRITE if write else Use.READ, allocation,
    )  # fmt: skip
    reach(machine, side, count, write=write)
    return side


def check_mapped(
    machine: Reporter, reservation: Reservation, bounds: tuple[int, int], name: str, *, write: bool
) -> bool:
    """True if the device can access a range of virtual memory; otherwise report `unmapped-access`."""
    hole = reservation.hole(*bounds, write=write)
    if hole is None:
        return True
    machine.undefined("unmapped-access", hole_text(reservation, bounds, name, hole), *reservation.past())
    return False


def hole_text(reservation: Reservation, bounds: tuple[int, int], name: str, hole: tuple[int, str]) -> Text:
    """The text of `unmapped-access`. `hole` is the result of `Reservation.hole`."""
    address, why = hole
    return Text(
        "{name} is {size} bytes at {place}, but the device cannot access {hole}: {why}.",
        name=name,
        size=bounds[1] - bounds[0],
        place=reservation.name(bounds[0]),
        hole=reservation.name(address),
        why=why,
    )


def locate_both(
    machine: Copier,
    dst: Address,
    size: int,
    src: Address,
    count: int,
    names: tuple[str, str] = ("dst", "src"),
    count_names: tuple[str, str] = ("count", "count"),
) -> tuple[Side, Side]:
    """The target of a copy, of at least `size` bytes, and its source, of at least `count` bytes."""
    target = locate(machine, dst, size, names[0], write=True, count_name=count_names[0])
    target.elements = elements_of(dst.owner)
    target.source_dtype = shown_dtype(src.owner)
    already_reported = size > target.available and machine.findings.listed("memcpy-size")  # about the same count
    try:
        return target, locate(
            machine, src, count, names[1], write=False, count_name=count_names[1], already_reported=already_reported
        )
    except AclError as error:
        if machine.consequences.of(error):
            machine.rejected(target.address, target.address + size)
        raise


def shown_dtype(owner: object) -> str:
    """The `Range.source_dtype` of a copy from this Python object."""
    if not isinstance(owner, np.ndarray):
        return ""
    dtype = cast("Array", owner).dtype
    return SHOWN.get(dtype.char, "") if dtype.itemsize > 1 else ""


def elements_of(owner: object) -> tuple[int, int]:
    """The number of elements of a Python object, and the bytes of an element; (0, 1) if it is no array."""
    if isinstance(owner, np.ndarray):
        array = cast("Array", owner)
        return array.size, array.itemsize
    if isinstance(owner, ctypes.Array):
        elements = cast("ctypes.Array[Any]", owner)
        return len(elements), ctypes.sizeof(elements) // max(len(elements), 1)
    return 0, 1


def reach(machine: Copier, side: Side, count: int, *, write: bool) -> None:
    """Report an access to registered host memory that was freed, or a write to memory that the device may only read."""
    mapping = side.allocation
    if isinstance(mapping, Mapping) and not mapping.gone:
        low = side.start - mapping.base
        if trouble := mapping.trouble(low, low + min(count, side.available), write=write):
            machine.crash(
                "host-overrun",
                Text("{parameter}: {trouble}.", parameter=side.parameter, trouble=trouble),
                *mapping.past(),
                status=ACL_ERROR_RT_PARAM_INVALID,
                hint=KEEP,
            )


def on_device(machine: Copier, work: Callable[[], None]) -> Callable[[], None]:
    """Wrap `work` for a stream. If findings are only reported, an access that would crash becomes a device fault:
    "507015 at the next synchronise (a task)"."""

    def run() -> None:
        with machine.lock:
            try:
                work()
            except NoHostMemory as error:
                raise DeviceFault(error.status, *error.items) from error
            except DeviceFault:
                raise
            except AclError as error:
                raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, *error.items, taint=error.taint) from error

    return run


def _on_host(
    machine: Copier, pointer: Address, count: int, parameter: str, use: Use, count_name: str, already_reported: bool
) -> Side:
    small = partial(_refuse_small, machine, count_name, count, parameter, already_reported=already_reported)
    pinned = machine.pinned.holding(pointer.value)
    if (reservation := machine.virtual.holding(pointer.value)) is not None:
        return _on_virtual(machine, reservation, pointer.value, count, parameter, use, small)
    if pinned is not None and pinned.registered and (pointer.size is not None or count > pinned.end - pointer.value):
        available = count if pointer.size is None else pointer.size  # perhaps only a part of the object is registered
        if count > available:
            small(available, type(pointer.owner).__name__)
        safe = pointer.safe
        return Side(parameter, pointer.value, Kind.PINNED, pointer.value, available, safe, use, pinned=pinned)
    if pinned is not None:
        available = pinned.end - pointer.value
        if count > available:
            small(available, str(pinned), *pinned.past(), inside=pinned.size - available)
        safe = not pinned.registered or pinned.owner is not None
        start = pointer.value + pinned.shift
        return Side(parameter, pointer.value, Kind.PINNED, start, available, safe, use, pinned=pinned)
    if (gone := machine.pinned.freed_at(pointer.value)) is not None:
        text = Text("{parameter} points into {memory}, which is gone.", parameter=parameter, memory=gone)
        hint = Text("Free host memory after its last use.")
        machine.crash("host-overrun", text, *gone.past(), status=ACL_ERROR_RT_PARAM_INVALID, hint=hint)
    if pointer.size is not None and count > pointer.size:
        small(pointer.size, type(pointer.owner).__name__)
    safe = pointer.safe
    return Side(parameter, pointer.value, Kind.PLAIN, pointer.value, count, safe, use, owner=pointer.owner)


def _on_virtual(
    machine: Copier,
    reservation: Reservation,
    address: int,
    count: int,
    parameter: str,
    use: Use,
    small: Callable[..., NoReturn],
) -> Side:
    """A side in host memory that is mapped to virtual memory."""
    available, end = reservation.end - address, address + count
    if count > available:
        small(available, str(reservation), *reservation.past(), inside=reservation.size - available)
    if hole := reservation.hole(address, end, write=use is not Use.READ):
        text = hole_text(reservation, (address, end), parameter, hole)
        machine.crash("unmapped-access", text, *reservation.past(), status=ACL_ERROR_RT_PARAM_INVALID)
    mappings = tuple(reservation.touching(address, end))
    return Side(parameter, address, Kind.PINNED, address, available, True, use, mappings=mappings)


def _refuse_small(
    machine: Copier,
    count_name: str,
    count: int,
    parameter: str,
    available: int,
    description: str,
    *history: Past,
    inside: int = 0,
    already_reported: bool,
) -> NoReturn:
    """`inside`: the number of bytes of the object before the address."""
    text = (
        _little_left(count_name, count, parameter, available, inside, description)
        if inside
        else too_small(count_name, count, parameter, available, description)
    )
    machine.crash(
        "host-overrun",
        text,
        *history,
        status=ACL_ERROR_RT_PARAM_INVALID,
        hint=COUNT,
        already_reported=already_reported,
    )


def _little_left(count: str, bytes: int, parameter: str, left: int, offset: int, memory: object) -> Text:
    return Text(
        "{count} = {bytes} bytes, but {parameter} has {left} bytes left: it points {offset} bytes into {memory}.",
        count=count,
        bytes=bytes,
        parameter=parameter,
        left=left,
        offset=offset,
        memory=memory,
    )


def too_small(count: str, bytes: int, parameter: str, size: int, kind: str) -> Text:
    """The text of a finding about an object of the host that is smaller than the count of a call."""
    return Text(
        "{count} = {bytes} bytes, but {parameter} is a host object of {size} bytes ({kind}).",
        count=count,
        bytes=bytes,
        parameter=parameter,
        size=size,
        kind=kind,
    )


def bad_address(machine: Memories, address: int, parameter: str) -> AclError:
    """The refusal of an address by the driver: 107000."""
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EL0003", (), f"({parameter}: {whereabouts(machine, address)})"))


def whereabouts(machine: Memories, address: int) -> str:
    """A description of an unexpected address, for an error text."""
    memory = machine.memory_at(address)
    if memory is not None:
        return memory.whereabouts(address)
    cut = cut_addresses.hint(machine, address)
    return machine.pinned.whereabouts(address) + (f". {cut}" if cut else "")


def copy(machine: Copier, target: Side, source: Side, count: int) -> None:
    """Copy the bytes that both sides have. Past the end of a source on a device, the fill value is copied."""
    if not target.alive:
        return  # reported when the target was freed; "writes past the end are dropped"
    copied = check(machine, target, source, count)
    _admit(target, min(count, target.available))
    if source.allocation is not None and copied:
        low = source.start - source.allocation.base
        source.allocation.touch(low, low + copied)
    if copied and not host.copy(target.start, target.safe, source.start, source.safe, copied):
        _refuse_invalid(machine, source if target.safe else target, count)
    _wrote(target, 0, copied)
    if (missing := min(count, target.available) - copied) > 0 and source.allocation is not None:
        host.fill(target.start + copied, target.safe, bytes([source.allocation.device.fill or 0]), missing)
        _wrote(target, copied, copied + missing)
    announce_written(machine, target, count)


def exchange(machine: Copier, side: Side, array: Array, *, write: bool) -> None:
    """Copy between memory and a contiguous array of the emulator. `write`: True if the memory is the target."""
    here = Address(array.__array_interface__["data"][0], array.nbytes, array)
    local = locate(machine, here, array.nbytes, "the array", write=not write)
    copy(machine, *((side, local) if write else (local, side)), array.nbytes)


def check(machine: Copier, target: Side, source: Side, count: int) -> int:
    """The number of bytes that can be copied. An invalid host address is reported before any byte is copied."""
    available = min(count, target.available) if target.alive else 0
    in_both = max(0, min(available, source.available)) if source.alive else 0
    _check_readable(machine, source, in_both, count)
    written = in_both if source.allocation is None else available  # a device source has the fill value past its end
    if not target.safe and not host.replaceable(target.start, written):
        _refuse_invalid(machine, target, count)
    return in_both


def readable(machine: Copier, source: Side, count: int) -> int:
    """The number of bytes of a source that can be copied. An invalid host address is reported."""
    available = max(0, min(count, source.available)) if source.alive else 0
    _check_readable(machine, source, available, count)
    return available


def _check_readable(machine: Copier, source: Side, read: int, count: int) -> None:
    """Report a host address that cannot be read. `read`: the bytes to read of the `count` bytes of the call."""
    if not source.safe and not host.readable(source.start, read):
        _refuse_invalid(machine, source, count)


def fill(machine: Copier, target: Side, pattern: bytes, count: int) -> None:
    """Fill `count` bytes with repetitions of `pattern`."""
    size = min(count, target.available)
    if not target.alive or size <= 0:
        return
    if not target.safe and not host.replaceable(target.start, size):
        _refuse_invalid(machine, target, count)
    _admit(target, size)
    if not host.fill(target.start, target.safe, pattern, size):
        _refuse_invalid(machine, target, count)
    _wrote(target, 0, size)
    announce_written(machine, target, size)


def announce_written(machine: Copier, target: Side, count: int) -> None:
    """Let tasks that wait for a value in this memory check the value again."""
    if target.allocation is not None:
        machine.wrote(target.address, target.address + count)


def _admit(side: Side, count: int) -> None:
    if side.allocation is not None and count > 0:
        low = side.start - side.allocation.base
        side.allocation.admit(low, low + count)


def _wrote(side: Side, low: int, high: int) -> None:
    if side.allocation is not None and high > low:
        offset = side.start - side.allocation.base
        side.allocation.wrote(offset + low, offset + high)


def _refuse_invalid(machine: Copier, side: Side, count: int) -> NoReturn:
    pointer = {"parameter": side.parameter, "address": f"{side.start:#x}"}
    if looks_like_device_address(side.start):
        hint = Text("Allocate device memory in the machine that uses it.")
        text = Text("{parameter} = {address} is {what}: the copy would crash the process.", **pointer, what=FOREIGN)
    else:
        hint = cut_addresses.hint(machine, side.start)
        text = Text(
            "{parameter} = {address} is no host memory of {size} bytes: the copy would crash the process.",
            **pointer,
            size=count,
        )
    machine.crash(
        "host-overrun",
        text,
        status=ACL_ERROR_RT_PARAM_INVALID,
        hint=hint,
    )


def array_of(side: Side, dtype: Any, count: int) -> Any:
    """A numpy array over `count` elements of device memory at this side, with the fill value written. Call `reach`
    before, because of registered host memory."""
    assert side.allocation is not None
    low = side.start - side.allocation.base
    nbytes = count * np.dtype(dtype).itemsize
    side.allocation.touch(low, low + nbytes)
    return np.frombuffer(side.allocation.buffer.data, dtype, count, low)
