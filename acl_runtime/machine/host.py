"""Memory of the host program: every access that could fault goes through the kernel, which answers instead.

`process_vm_readv` and `process_vm_writev` on the own process copy like memmove but return EFAULT for a wild
address. Objects whose size is known, and our own buffers, are copied directly.
"""

import ctypes
import errno
import os
import sys
from typing import Any, Final

from acl_runtime.machine.window import libc

CHUNK: Final = 1 << 30


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def copy(target: int, target_known: bool, source: int, source_known: bool, count: int) -> bool:
    """memmove of `count` bytes; False if an address that is not known turns out to be bad on the way. Ask `readable`
    first, so that a copy that would fail does not start."""
    if (target_known and source_known) or sys.platform != "linux":
        ctypes.memmove(target, source, count)
        return True
    if target_known:
        return _move("process_vm_readv", target, source, count)
    if source_known:
        return _move("process_vm_writev", source, target, count)
    bounce = ctypes.create_string_buffer(min(count, CHUNK))
    at = ctypes.addressof(bounce)
    for done in range(0, count, CHUNK):
        n = min(CHUNK, count - done)
        if not (_move("process_vm_readv", at, source + done, n) and _move("process_vm_writev", at, target + done, n)):
            return False
    return True


def readable(address: int, count: int) -> bool:
    """Can the host read the first and the last of these bytes?"""
    if sys.platform != "linux" or count == 0:
        return True
    byte = ctypes.c_char()
    at = ctypes.addressof(byte)
    return all(_move("process_vm_readv", at, place, 1) for place in {address, address + count - 1})


def _move(call: str, local: int, remote: int, count: int) -> bool:
    function = getattr(libc(), call)
    done = 0
    while done < count:
        n = min(CHUNK, count - done)
        here, there = _Vector(local + done, n), _Vector(remote + done, n)
        moved = function(os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
        if moved < 0 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS):  # a sandbox without these calls
            pair = (local, remote) if call == "process_vm_readv" else (remote, local)
            ctypes.memmove(pair[0] + done, pair[1] + done, count - done)
            return True
        if moved <= 0:
            return False
        done += moved
    return True


def address(pointer: Any) -> int:
    """Where a ctypes pointer, or bytes, lie."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0
