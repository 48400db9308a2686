"""Memory that a process hands to others: `memfd`s, which have no name, so that nothing is left of them when all
processes are killed.

The owner writes a segment, and the others only read it. A segment is used again when all of them have said that they
have read it. As the buffers of a communicator on a device, segments live until the communicator is destroyed.
"""

import fcntl
import mmap
import os
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array

SMALLEST: Final = 1 << 16
"""bytes of the smallest segment"""


class Segment:
    """Memory of this process that others may read."""

    def __init__(self, number: int, size: int) -> None:
        self.number = number
        self.descriptor = os.memfd_create("aclnn-hccl", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size)
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
        self.bytes: Array = np.frombuffer(mmap.mmap(self.descriptor, size), np.uint8)
        self.readers: set[object] = set()
        """who has not yet read the present content"""
        self.known: set[object] = set()
        """who has the descriptor"""

    def close(self) -> None:
        """Give the memory back, as far as nobody else has it."""
        os.close(self.descriptor)
        self.bytes = np.empty(0, np.uint8)


class SegmentPool:
    """The segments of one communicator in this process, by powers of two."""

    def __init__(self) -> None:
        self._last = 0
        self._busy: dict[int, Segment] = {}
        self._free: dict[int, list[Segment]] = {}

    def take(self, size: int) -> Segment:
        """A segment of at least this size."""
        room = max(SMALLEST, 1 << (size - 1).bit_length())
        free = self._free.get(room)
        if free:
            segment = free.pop()
        else:
            self._last += 1
            segment = Segment(self._last, room)
        self._busy[segment.number] = segment
        return segment

    def read(self, number: int, reader: object) -> None:
        """A reader has read the content of a segment. Numbers that are not in use are ignored."""
        segment = self._busy.get(number)
        if segment is not None:
            segment.readers.discard(reader)
            self.settle(segment)

    def gone(self, reader: object) -> None:
        """A reader has ended."""
        for segment in [*self._busy.values()]:
            segment.known.discard(reader)
            segment.readers.discard(reader)
            self.settle(segment)

    def settle(self, segment: Segment) -> None:
        """Use a segment again, if nobody reads it."""
        if not segment.readers and self._busy.pop(segment.number, None) is not None:
            self._free.setdefault(len(segment.bytes), []).append(segment)

    def close(self) -> None:
        """Give back all segments."""
        for segment in [*self._busy.values(), *(each for free in self._free.values() for each in free)]:
            segment.close()
        self._busy, self._free = {}, {}


def mapped(descriptor: int) -> Array:
    """The content of another process's segment. The descriptor is closed."""
    try:
        size = os.fstat(descriptor).st_size
        return np.frombuffer(mmap.mmap(descriptor, size, prot=mmap.PROT_READ), np.uint8)
    finally:
        os.close(descriptor)
