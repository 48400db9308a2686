"""The memory of a rank in an operation: the bytes that other ranks read, and the place of its results."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.copies import Side


class Source(Protocol):
    """The bytes of a rank that an operation reads, wherever they are."""

    @property
    def size(self) -> int:
        """The bytes that there are."""
        ...

    def read(self, offset: int, count: int) -> Array:
        """`count` bytes from an offset on; fewer if the bytes end before."""
        ...


class RankMemory:
    """Device memory of this process."""

    def __init__(self, side: Side, size: int) -> None:
        """`size`: the bytes that the operation uses."""
        self.side = side
        self._size = size

    @property
    def size(self) -> int:
        """The bytes that the operation uses."""
        return self._size

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
        if allocation is None or allocation.gone:
            return np.empty(0, np.uint8)
        size = max(0, min(count, side.available - offset))
        low = side.start - allocation.base + offset
        (allocation.admit if write else allocation.touch)(low, low + size)
        return np.frombuffer(allocation.buffer.data, np.uint8, size, low)


class Received:
    """Bytes that a message of another process brought."""

    def __init__(self, content: Array, release: Callable[[], None] | None = None) -> None:
        """`release`: called when nobody needs them any more."""
        self.content = content
        self._release = release

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)

    def read(self, offset: int, count: int) -> Array:
        """The bytes from an offset on."""
        return self.content[offset : offset + count]

    def release(self) -> None:
        """Nobody needs them any more. A second call does nothing."""
        self.content = self.content[:0]
        if self._release is not None:
            self._release, release = None, self._release
            release()
