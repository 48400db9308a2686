"""Memory of the host program: every access that could fault goes through the kernel, which answers instead.

`process_vm_readv` and `process_vm_writev` on the own process copy like memmove but return EFAULT for a wild
address. Objects whose size is known, and our own buffers, are copied directly.
"""

import ctypes
import errno
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any, Final

from acl_runtime.objects.address_range import libc
from acl_runtime.process import process

CHUNK: Final = 1 << 30
PAGE: Final = 4096
FEW: Final = 256
"""bytes, such as the sizes of a tensor, that are read without asking first"""
VECTORS: Final = 1024
NOT_ALLOWED: Final = (errno.EPERM, errno.ENOSYS)
"""errors of a sandbox that has not these calls"""


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


def fill(target: int, known: bool, pattern: bytes, count: int) -> bool:
    """Write `pattern` over and over, `count` bytes in all; False if the address turns out to be bad."""
    if known and len(set(pattern)) == 1:
        ctypes.memset(target, pattern[0], count)
        return True
    size = min(count, CHUNK // 64 // len(pattern) * len(pattern))
    piece = pattern * (-(-size // len(pattern)))
    return all(
        copy(target + done, known, address(piece), True, min(size, count - done)) for done in range(0, count, size)
    )


def readable(address: int, count: int) -> bool:
    """Can the host read all of these bytes? One byte of each page tells."""
    return _on_each_page(address, count, write=False)


def replaceable(address: int, count: int) -> bool:
    """Can the host write all of these bytes? One byte of each page is written back as it is, so ask this only for
    bytes that are about to be replaced."""
    return _on_each_page(address, count, write=True)


def _on_each_page(address: int, count: int, *, write: bool) -> bool:
    if sys.platform != "linux" or count == 0:
        return True
    pages = range(address - address % PAGE + PAGE, address + count, PAGE)
    rest = (pages[i : i + VECTORS] for i in range(0, len(pages), VECTORS))
    return _peek([address], write) and all(_peek(places, write) for places in rest)


def writable(address: int, count: int) -> bool:
    """Is all of this memory that can be written, as the system lists it? For rare questions: it reads the list."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return True
    end = address + count
    for line in lines:  # in ascending order
        bounds, rights = line.split()[:2]
        low, high = (int(bound, 16) for bound in bounds.split("-"))
        if low <= address < high and rights.startswith("rw"):
            address = high
    return address >= end


def _peek(places: Sequence[int], write: bool) -> bool:
    """Read one byte from each place, in one call, and write them back if `write` says so."""
    bytes_ = ctypes.create_string_buffer(len(places))
    here = _Vector(ctypes.addressof(bytes_), len(places))
    there = (_Vector * len(places))(*((place, 1) for place in places))
    for call in (libc().process_vm_readv, libc().process_vm_writev) if write else (libc().process_vm_readv,):
        moved = call(os.getpid(), ctypes.byref(here), 1, there, len(places), 0)
        if moved != len(places):
            return moved < 0 and ctypes.get_errno() in NOT_ALLOWED
    return True


def read(address: int, count: int) -> bytes | None:
    """`count` bytes of the host program, None if they are not all there."""
    if count <= FEW and sys.platform == "linux":
        return _few(address, count)
    if not readable(address, count):  # before room is made: a wild count may ask for more than the host has
        return None
    target = ctypes.create_string_buffer(count)
    return target.raw if copy(ctypes.addressof(target), True, address, False, count) else None


class _Few(threading.local):
    """Where a thread reads a few bytes to: made once, as making it takes longer than reading."""

    def __init__(self) -> None:
        self.bytes = (ctypes.c_char * FEW)()
        self.here = _Vector(ctypes.addressof(self.bytes), 0)
        self.there = _Vector(0, 0)
        self.arguments = ctypes.byref(self.here), 1, ctypes.byref(self.there), 1, 0


_few_of_thread: Final = process.own(_Few)


def _few(address: int, count: int) -> bytes | None:
    own = _few_of_thread
    own.here.length = own.there.length = count
    own.there.base = address
    moved = libc().process_vm_readv(os.getpid(), *own.arguments)
    if moved < 0 and ctypes.get_errno() in NOT_ALLOWED:
        return ctypes.string_at(address, count)
    return own.bytes.raw[:count] if moved == count else None


def _move(call: str, local: int, remote: int, count: int) -> bool:
    function = getattr(libc(), call)
    done = 0
    while done < count:
        n = min(CHUNK, count - done)
        here, there = _Vector(local + done, n), _Vector(remote + done, n)
        moved = function(os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
        if moved < 0 and ctypes.get_errno() in NOT_ALLOWED:
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
