"""What the tests of copies share: memory of every kind, ways to copy, a gate that holds a stream."""

import ctypes
import mmap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_size_t, c_uint8, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from acl_runtime import (
    ACL_HOST_REG_PINNED,
    ACL_MEM_LOCATION_TYPE_DEVICE,
    ACL_MEM_LOCATION_TYPE_HOST,
    ACL_MEMCPY_DEFAULT,
    ACL_STREAM_WAIT_VALUE_EQ,
    ACL_SUCCESS,
    Machine,
    aclrtHostRegisterV2,
    aclrtMallocHost,
    aclrtMemcpy,
    aclrtMemcpy2d,
    aclrtMemcpy2dAsync,
    aclrtMemcpyAsync,
    aclrtMemcpyBatch,
    aclrtMemcpyBatchAsync,
    aclrtMemcpyBatchAttr,
    aclrtMemLocation,
    aclrtSetDevice,
    aclrtStream,
    aclrtValueWait,
)
from acl_runtime.machine.current import current
from tests.builders import malloc
from tests.conftest import check_documented
from tests.runtime.common import text

SCHEDULES = ("late", "eager", "threads", "random")
KINDS = ("device", "pinned", "registered", "plain")
PAGE = mmap.PAGESIZE
Copy = Callable[[Any, Any, int], int]


def ok(status: int) -> None:
    assert status == ACL_SUCCESS, text()


def malloc_host(size: int) -> int:
    """Pinned host memory; its address."""
    pointer = c_void_p()
    ok(aclrtMallocHost(byref(pointer), size))
    assert pointer.value
    return pointer.value


@contextmanager
def board(schedule: str = "late", **options: Any) -> Iterator[Machine]:
    """A machine with device 0 set, whose answers are held against the documentation at the end."""
    with Machine(schedule=schedule, seed=3, **options) as machine:
        aclrtSetDevice(0)
        yield machine
    check_documented(machine)


@dataclass
class Place:
    """A piece of memory: device memory, pinned or registered memory of the host, or plain memory."""

    machine: Machine
    kind: str
    size: int
    address: int
    host: np.ndarray | None
    """the bytes, where the host has them"""

    @property
    def pointer(self) -> Any:
        """What a call is given: the object itself where there is one."""
        return self.host if self.kind in ("plain", "registered") else self.address

    def get(self) -> list[int]:
        """The bytes now; no call of the API."""
        return (self.machine.read(self.address, self.size, "u1") if self.host is None else self.host).tolist()

    def set(self, values: Sequence[int] | np.ndarray) -> None:
        """Other bytes, at once."""
        data = np.array(values, np.uint8)
        assert data.size == self.size
        if self.host is None:
            ok(aclrtMemcpy(self.address, self.size, data, self.size, ACL_MEMCPY_DEFAULT))
        else:
            self.host[:] = data


def place(machine: Machine, kind: str, values: Sequence[int] | np.ndarray) -> Place:
    """Memory of this kind that holds these bytes."""
    size = len(values)
    if kind == "device":
        made = Place(machine, kind, size, malloc(size), None)
    elif kind == "pinned":
        address = malloc_host(size)
        made = Place(machine, kind, size, address, np.ctypeslib.as_array((c_uint8 * size).from_address(address)))
    else:
        room = np.zeros(size + 64, np.uint8)
        start = -room.ctypes.data % 64
        host = room[start : start + size]
        made = Place(machine, kind, size, host.ctypes.data, host)
        if kind == "registered":
            ok(aclrtHostRegisterV2(host, size, ACL_HOST_REG_PINNED))
    made.set(values)
    return made


class Gate:
    """What is queued behind it in the stream does not run, under any schedule, until it opens."""

    def __init__(self, stream: aclrtStream | None) -> None:
        self.cell = malloc(8)
        self._write(0)
        ok(aclrtValueWait(self.cell, 1, ACL_STREAM_WAIT_VALUE_EQ, stream))

    def open(self) -> None:
        self._write(1)

    def _write(self, value: int) -> None:
        ok(aclrtMemcpy(self.cell, 8, value.to_bytes(8, "little"), 8, ACL_MEMCPY_DEFAULT))


def errors(machine: Machine) -> list[str]:
    """The findings of level error."""
    return [finding.id for finding in machine.findings if finding.level == "error"]


def where(pointer: Any) -> aclrtMemLocation:
    """Where a pointer says that it points."""
    device = isinstance(pointer, int) and current().memory_at(pointer) is not None
    return aclrtMemLocation(0, ACL_MEM_LOCATION_TYPE_DEVICE if device else ACL_MEM_LOCATION_TYPE_HOST)


def batch(dst: Any, src: Any) -> tuple[Any, list[int], int]:
    return (aclrtMemcpyBatchAttr * 1)(aclrtMemcpyBatchAttr(where(dst), where(src))), [0], 1


AT_ONCE: dict[str, Copy] = {
    "aclrtMemcpy": lambda dst, src, n: aclrtMemcpy(dst, n, src, n, ACL_MEMCPY_DEFAULT),
    "aclrtMemcpy2d": lambda dst, src, n: aclrtMemcpy2d(dst, n // 4, src, n // 4, n // 4, 4, ACL_MEMCPY_DEFAULT),
    "aclrtMemcpyBatch": lambda dst, src, n: aclrtMemcpyBatch(
        [dst], [n], [src], [n], 1, *batch(dst, src), byref(c_size_t())
    ),
}
QUEUED: dict[str, Copy] = {
    "aclrtMemcpyAsync": lambda dst, src, n: aclrtMemcpyAsync(dst, n, src, n, ACL_MEMCPY_DEFAULT, None),
    "aclrtMemcpy2dAsync": lambda dst, src, n: aclrtMemcpy2dAsync(
        dst, n // 4, src, n // 4, n // 4, 4, ACL_MEMCPY_DEFAULT, None
    ),
    "aclrtMemcpyBatchAsync": lambda dst, src, n: aclrtMemcpyBatchAsync(
        [dst], [n], [src], [n], 1, *batch(dst, src), byref(c_size_t()), None
    ),
}
COPIES = AT_ONCE | QUEUED
"""ways to copy `n` bytes, a multiple of 4, anywhere: at once, or in the default stream"""


def protect(address: int, rights: int) -> None:
    assert ctypes.CDLL(None).mprotect(c_void_p(address), c_size_t(PAGE), rights) == 0


@contextmanager
def host_pages() -> Iterator[int]:
    """The address of four pages of the host, full of nines."""
    mapping = mmap.mmap(-1, 4 * PAGE)
    mapping.write(b"\t" * 4 * PAGE)
    view = ctypes.c_char.from_buffer(mapping)
    address = ctypes.addressof(view)
    yield address
    for page in range(4):
        protect(address + page * PAGE, 3)
    del view
    mapping.close()
