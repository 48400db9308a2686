"""Reading and writing structs and texts in host memory, at a pointer that the program passed."""

import ctypes
from mmap import PAGESIZE
from typing import Any, Final, TypeVar

from acl_runtime.abi.pointers import Address
from acl_runtime.api.refusals import invalid
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.memory import host
from acl_runtime.text import Text

AnyStruct = TypeVar("AnyStruct", bound="ctypes.Structure | ctypes.Union | ctypes.Array[Any]")

ALL_BYTES: Final = 1 << 46
"""more than the memory of a process"""


def load(
    pointer: Address, kind: type[AnyStruct], parameter: str, status: int = ACL_ERROR_RT_PARAM_INVALID
) -> AnyStruct:
    """A copy of the struct, or array of structs, at `pointer`; `host-overrun` if some of its bytes cannot be read.
    `status`: the result of the call in a machine that only reports."""
    size = ctypes.sizeof(kind)
    raw = host.read(pointer.value, size) if pointer.size is None or pointer.size >= size else None
    if raw is None:
        current().crash(
            "host-overrun",
            Text(
                "{parameter} = {address} is no host memory of {size} bytes that can be read.",
                parameter=parameter,
                address=f"{pointer.value:#x}",
                size=size,
            ),
            status=status,
        )
    return kind.from_buffer_copy(raw)


def load_array(pointer: Address, kind: type[Any], count: int, parameter: str) -> Any:
    """A copy of the array at `pointer`. A count of more elements than any memory has cannot be read either."""
    element: Any = kind
    return load(pointer, element * min(count, ALL_BYTES // ctypes.sizeof(kind)), parameter)


def load_option(pointer: Address, size: int, width: int, parameter: str) -> int:
    """The number at `pointer`, an option of `width` bytes; 100000 if the program says another size."""
    if size != width:
        raise invalid(size, "valueSize", f"{width} bytes")
    return int.from_bytes(bytes(load(pointer, ctypes.c_char * width, parameter)), "little")


def load_text(address: int, longest: int, parameter: str) -> bytes | None:
    """The C string at an address of the host; None if it has more than `longest` bytes. Finding `host-overrun` if some
    of it cannot be read."""
    raw = b""
    while len(raw) <= longest:
        place = address + len(raw)
        count = min(longest + 1 - len(raw), PAGESIZE - place % PAGESIZE)
        raw += bytes(load(Address(place), ctypes.c_char * count, parameter))
        if b"\0" in raw:
            return raw.partition(b"\0")[0]
    return None


def store(pointer: Address, value: Any, parameter: str, status: int = ACL_ERROR_RT_PARAM_INVALID) -> None:
    """Write a struct, an array or bytes to `pointer`; `host-overrun` if the memory is too small or not writable.
    `status`: as for `load`."""
    raw = bytes(value)
    size = len(raw)
    machine = current()
    if pointer.size is not None and pointer.size < size:
        machine.crash(
            "host-overrun",
            Text(
                "{size} bytes are written to {parameter}, which has {room}.",
                size=size,
                parameter=parameter,
                room=pointer.size,
            ),
            status=status,
        )
    safe = pointer.safe
    source = ctypes.create_string_buffer(raw, max(size, 1))
    if not safe and not host.readable(pointer.value, size):
        copied = False
    else:
        copied = host.copy(pointer.value, safe, ctypes.addressof(source), True, size)
    if not copied:
        machine.crash(
            "host-overrun",
            Text(
                "{parameter} = {address} is no host memory of {size} bytes that can be written.",
                parameter=parameter,
                address=f"{pointer.value:#x}",
                size=size,
            ),
            status=status,
        )
