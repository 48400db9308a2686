"""Reading and writing memory of the host program without the risk of a crash.

`process_vm_readv` and `process_vm_writev` on this process itself copy like memmove, but return EFAULT for an invalid
address. Only a *safe* address is accessed directly: a living Python object of known size, or a buffer of the emulator.

A sandbox may forbid both calls, and qemu does not have them. Then the bytes go through a pipe: write(2) and read(2)
return EFAULT as well.
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
SMALL: Final = 256
"""a read of at most this many bytes, such as the shape of a tensor, is one system call into a reused buffer"""
VECTORS: Final = 1024
NOT_ALLOWED: Final = (errno.EPERM, errno.ENOSYS)
"""errors of a sandbox that forbids these system calls, and of qemu"""


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_size_t), ("length", ctypes.c_size_t))


def copy(target: int, target_safe: bool, source: int, source_safe: bool, count: int) -> bool:
    """memmove of `count` bytes; False if an address that is not safe is invalid. Call `readable` first, so that a copy
    which would fail does not start."""
    if (target_safe and source_safe) or sys.platform != "linux":
        ctypes.memmove(target, source, count)
        return True
    if target_safe:
        return _move("process_vm_readv", target, source, count)
    if source_safe:
        return _move("process_vm_writev", source, target, count)
    bounce = ctypes.create_string_buffer(min(count, CHUNK))
    middle = ctypes.addressof(bounce)
    for offset in range(0, count, CHUNK):
        n = min(CHUNK, count - offset)
        read = _move("process_vm_readv", middle, source + offset, n)
        if not read or not _move("process_vm_writev", middle, target + offset, n):
            return False
    return True


def fill(target: int, safe: bool, pattern: bytes, count: int) -> bool:
    """Fill `count` bytes with repetitions of `pattern`; False if the address is invalid."""
    if safe and len(set(pattern)) == 1:
        ctypes.memset(target, pattern[0], count)
        return True
    size = min(count, CHUNK // 64 // len(pattern) * len(pattern))
    piece = pattern * (-(-size // len(pattern)))
    return all(
        copy(target + offset, safe, address(piece), True, min(size, count - offset)) for offset in range(0, count, size)
    )


def readable(address: int, count: int) -> bool:
    """True if the host can read all of these bytes. Reads one byte of each page."""
    return _on_each_page(address, count, write=False)


def replaceable(address: int, count: int) -> bool:
    """True if the host can write all of these bytes. Writes one byte of each page back unchanged, which may undo a
    write of another thread, so call it only for bytes that are about to be replaced."""
    return _on_each_page(address, count, write=True)


def _on_each_page(address: int, count: int, *, write: bool) -> bool:
    if sys.platform != "linux" or count == 0:
        return True
    pages = range(address - address % PAGE + PAGE, address + count, PAGE)
    rest = (pages[i : i + VECTORS] for i in range(0, len(pages), VECTORS))
    ends = [address, address + count - 1]  # the last byte early, as a count that is wrong is mostly huge
    return _touch_bytes(ends, write) and all(_touch_bytes(places, write) for places in rest)


def writable(address: int, count: int) -> bool:
    """True if all of this memory is writable. Slow, as it reads the list of all mappings of the process."""
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


def _touch_bytes(places: Sequence[int], write: bool) -> bool:
    """Read one byte at each address, in one system call; with `write`, write the bytes back in a second call. True if
    all bytes were accessed."""
    bytes_ = ctypes.create_string_buffer(len(places))
    here = _Vector(ctypes.addressof(bytes_), len(places))
    there = (_Vector * len(places))(*((place, 1) for place in places))
    calls = ("process_vm_readv", "process_vm_writev") if write else ("process_vm_readv",)
    return all(_transfer(call, here, there) == len(places) for call in calls)


def read(address: int, count: int) -> bytes | None:
    """`count` bytes of the host program; None if not all of them are readable."""
    if count <= SMALL and sys.platform == "linux":
        if count and process.program is not None and (raw := process.program.read(address, count, 0, 0, 0, 0)):
            return raw
        return _read_small(address, count)
    if not readable(address, count):  # before the buffer is made: a wrong count may exceed the host's memory
        return None
    target = ctypes.create_string_buffer(count)
    return target.raw if copy(ctypes.addressof(target), True, address, False, count) else None


def read_three(one: int, size: int, two: int, size_two: int, three: int, size_three: int) -> bytes | None:
    """The bytes of three small ranges of a program in C, in one call, which takes as long as a call for one range. None
    in a Python program, and if some bytes are not readable, or if a range is too large."""
    if process.program is None or max(size, size_two, size_three) > SMALL:
        return None
    return process.program.read(one, size, two, size_two, three, size_three) or None


class _SmallRead(threading.local):
    """The buffers of a thread for small reads. They are reused, because making them takes longer than a read."""

    def __init__(self) -> None:
        self.bytes = (ctypes.c_char * SMALL)()
        self.here = _Vector(ctypes.addressof(self.bytes), 0)
        self.there = (_Vector * 1)()
        self.arguments = ctypes.byref(self.here), 1, self.there, 1, 0


_small_read_of_thread: Final = process.own(_SmallRead)


def _read_small(address: int, count: int) -> bytes | None:
    buffers = _small_read_of_thread
    buffers.here.length = buffers.there[0].length = count
    buffers.there[0].base = address
    moved = libc().process_vm_readv(os.getpid(), *buffers.arguments)
    if moved < 0 and ctypes.get_errno() in NOT_ALLOWED:
        moved = _through_pipe("process_vm_readv", buffers.here, buffers.there)
    return buffers.bytes.raw[:count] if moved == count else None


def _move(call: str, local: int, remote: int, count: int) -> bool:
    moved_bytes = 0
    while moved_bytes < count:
        n = min(CHUNK, count - moved_bytes)
        moved = _transfer(call, _Vector(local + moved_bytes, n), (_Vector * 1)((remote + moved_bytes, n)))
        if moved <= 0:
            return False
        moved_bytes += moved
    return True


def _transfer(call: str, here: _Vector, there: "ctypes.Array[_Vector]") -> int:
    """The number of copied bytes, as the system call returns it."""
    moved: int = getattr(libc(), call)(os.getpid(), ctypes.byref(here), 1, there, len(there), 0)
    if moved < 0 and ctypes.get_errno() in NOT_ALLOWED:
        return _through_pipe(call, here, there)
    return moved


def _through_pipe(call: str, here: _Vector, there: "ctypes.Array[_Vector]") -> int:
    """The number of bytes before the first invalid address. The pipe is new, because another process may share an older
    one after a fork. A process without a free descriptor accesses the bytes directly."""
    try:
        ends = os.pipe()
    except OSError:
        ends = ()
    pieces = ((far.base + i, min(PAGE, far.length - i)) for far in there for i in range(0, far.length, PAGE))
    moved = 0
    for remote, n in pieces:  # a piece fits into an empty pipe, so that no write waits
        local = here.base + moved
        source, target = (remote, local) if call == "process_vm_readv" else (local, remote)
        if not ends:
            ctypes.memmove(target, source, n)
        elif not (_accessed(libc().write, ends[1], source, n) and _accessed(libc().read, ends[0], target, n)):
            break
        moved += n
    for end in ends:
        os.close(end)
    return moved


def _accessed(call: Any, descriptor: int, place: int, count: int) -> bool:
    return call(descriptor, ctypes.c_void_p(place), ctypes.c_size_t(count)) == count


def address(pointer: Any) -> int:
    """The address of a ctypes pointer, or of bytes."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0
