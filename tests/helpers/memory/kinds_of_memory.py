"""Memory of every kind: device memory; pinned, registered and plain host memory; pages of the host."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_size_t, c_uint8, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import malloc_host
from tests.helpers.outcomes import ok

KINDS = ("device", "pinned", "registered", "plain")

PAGE = mmap.PAGESIZE


@dataclass
class Place:
    """A piece of memory: device memory, pinned or registered memory of the host, or plain memory."""

    machine: Machine
    kind: str
    size: int
    address: int
    host: np.ndarray | None
    """the bytes, if it is host memory"""

    @property
    def pointer(self) -> Any:
        """The argument for a call: the array of plain and registered memory, else the address."""
        return self.host if self.kind in ("plain", "registered") else self.address

    def get(self) -> list[int]:
        """The present bytes, without a call of the API."""
        return (self.machine.read(self.address, self.size, "u1") if self.host is None else self.host).tolist()

    def set(self, values: Sequence[int] | np.ndarray) -> None:
        """Write other bytes, synchronously."""
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
        block = np.zeros(size + 64, np.uint8)
        start = -block.ctypes.data % 64
        host = block[start : start + size]
        made = Place(machine, kind, size, host.ctypes.data, host)
        if kind == "registered":
            ok(aclrtHostRegisterV2(host, size, ACL_HOST_REG_PINNED))
    made.set(values)
    return made


def protect(address: int, rights: int) -> None:
    assert ctypes.CDLL(None).mprotect(c_void_p(address), c_size_t(PAGE), rights) == 0


@contextmanager
def host_pages() -> Iterator[int]:
    """The address of four pages of host memory, filled with bytes 9."""
    mapping = mmap.mmap(-1, 4 * PAGE)
    mapping.write(b"\t" * 4 * PAGE)
    view = ctypes.c_char.from_buffer(mapping)
    address = ctypes.addressof(view)
    yield address
    for page in range(4):
        protect(address + page * PAGE, 3)
    del view
    mapping.close()
