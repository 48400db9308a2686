"""Managed memory: bytes that host and device use by the same address."""

import ctypes
import mmap
import os
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from acl_runtime.memory.allocation import Allocation, Owner
from acl_runtime.memory.physical import MAP_FIXED, RIGHTS
from acl_runtime.memory.sizes import HUGE_PAGE, TIB
from acl_runtime.objects.address_range import FAILED, MAP_NORESERVE, PROT_NONE, libc
from acl_runtime.text import Text

MOST: Final = 3 * TIB
"""bytes that a process may have"""
FLAGS: Final = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED


class Place(NamedTuple):
    """aclrtMemManagedLocation: a type and a number."""

    type: int
    id: int


Subject = tuple[str, int]
"""the subject of a hint, and the number of the location that it is about; 0 if it is about the bytes"""


class Hint(NamedTuple):
    """A hint of the program about bytes [low, high) of managed memory; a later one replaces it."""

    low: int
    high: int
    subject: Subject
    value: Any


class Managed(Allocation):
    """The memory of one aclrtMemAllocManaged. Its pages lie at its address, which the window keeps for it. The bytes
    count as written, because accesses of the host do not show."""

    __slots__ = ("hints",)
    shared = True

    def __init__(self, device: Owner, address: int, size: int) -> None:
        if libc().mmap(address, size, RIGHTS, FLAGS, -1, 0) == FAILED:
            raise MemoryError(os.strerror(ctypes.get_errno()))
        buffer = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))
        super().__init__(device, address, size, buffer, page=HUGE_PAGE)
        self.hints: list[Hint] = []

    def hint(self, low: int, high: int, subject: Subject, value: object) -> None:
        """Note a hint, and forget those that it replaces."""

        def replaced(hint: Hint) -> bool:
            return hint.subject == subject and low <= hint.low < hint.high <= high

        self.hints = [*(hint for hint in self.hints if not replaced(hint)), Hint(low, high, subject, value)]

    def value_in(self, low: int, high: int, subject: Subject) -> object:
        """The value of a subject, if all bytes of [low, high) have the same; None otherwise, or without one."""
        hints = [hint for hint in self.hints if hint.subject == subject]
        bounds = {low, *(bound for hint in hints for bound in hint[:2] if low <= bound < high)}
        values = {next((hint.value for hint in reversed(hints) if hint.low <= at < hint.high), None) for at in bounds}
        return values.pop() if len(values) == 1 else None

    def subjects(self) -> Iterator[Subject]:
        """The subjects with a hint, each once."""
        yield from dict.fromkeys(hint.subject for hint in self.hints)

    def give_back(self) -> None:
        """Return the pages, and make the addresses inaccessible again."""
        libc().mmap(self.address, self.size, PROT_NONE, FLAGS, -1, 0)

    def __str__(self) -> str:
        return Text("the {size} bytes at {place} (managed)", size=self.size, place=self.device.name(self.address))
