"""Reading and writing structs and texts in host memory, at a pointer that the program passed."""

import ctypes
from typing import Any, TypeVar

from acl_runtime.abi.pointers import Address
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.memory import host
from acl_runtime.text import Text

AnyStruct = TypeVar("AnyStruct", bound="ctypes.Structure | ctypes.Union | ctypes.Array[Any]")


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
