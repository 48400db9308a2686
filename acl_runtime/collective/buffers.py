"""The memory of a rank in an operation: the bytes that other ranks read, and the place of its results."""

from typing import Protocol

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.copies import Side


class Source(Protocol):
    """The bytes of a rank that an operation reads, wherever they are."""

    def read(self, offset: int, count: int) -> Array:
        """`count` bytes from an offset on; fewer if the bytes end before."""
        ...


class RankMemory:
    """Device memory of this process."""

    def __init__(self, side: Side) -> None:
        self.side = side

    def read(self, offset: int, count: int) -> Array:
        """The bytes from an offset on; fewer if the memory ends before, none if it was freed."""
        return self._bytes(offset, count, write=False)

    def write(self, offset: int, count: int) -> Array:
        """The bytes from an offset on, to be written."""
        return self._bytes(offset, count, write=True)

    def wrote(self, offset: int, count: int) -> None:
        """Note that these bytes were written."""
        side = self.side
        assert side.allocation is not None
        low = side.start - side.allocation.base + offset
        side.allocation.wrote(low, low + count)

    def _bytes(self, offset: int, count: int, *, write: bool) -> Array:
        side, allocation = self.side, self.side.allocation
        if allocation is None or not side.alive:
            return np.empty(0, np.uint8)
        size = max(0, min(count, side.available - offset))
        low = side.start - allocation.base + offset
        (allocation.admit if write else allocation.touch)(low, low + size)
        return np.frombuffer(allocation.buffer.data, np.uint8, size, low)


class Received:
    """Bytes that a message of another process brought."""

    def __init__(self, raw: bytes | memoryview) -> None:
        self._raw = raw

    def read(self, offset: int, count: int) -> Array:
        """The bytes from an offset on."""
        return np.frombuffer(self._raw, np.uint8, max(0, min(count, len(self._raw) - offset)), offset)
