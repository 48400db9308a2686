"""Words in memory that processes share, and the list of the processes that have it open."""

import fcntl
import mmap
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

SIZE: Final = mmap.PAGESIZE
WORD: Final = 8
STATE: Final = 8
"""the number of words in front of the list"""
HALF: Final = 32


class Member(NamedTuple):
    """A process that has a page open, and the pipe that wakes it."""

    process: int
    descriptor: int
    """the number of the pipe in that process"""
    inode: int
    """the number of the pipe in the system, as a descriptor may be another file later"""


class Page:
    """Words that processes share."""

    def __init__(self, file: int) -> None:
        """`file`: a descriptor, which the page closes."""
        self.file = file
        self.inode = os.fstat(file).st_ino
        self._map = mmap.mmap(file, SIZE)
        self._words = memoryview(self._map).cast("Q")

    @staticmethod
    def new() -> "Page":
        """A page of zeros."""
        file = os.memfd_create("aclnn page", os.MFD_CLOEXEC)
        os.ftruncate(file, SIZE)
        return Page(file)

    def __getitem__(self, place: int) -> int:
        return self._words[place]

    def __setitem__(self, place: int, value: int) -> None:
        self._words[place] = value

    @contextmanager
    def locked(self) -> Generator[None]:
        """A block in which no other process changes words. The end of a process ends its lock."""
        fcntl.flock(self.file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self.file, fcntl.LOCK_UN)

    def members(self) -> Iterator[Member]:
        """The processes that have the page open, with those that have ended."""
        for place in range(STATE, SIZE // WORD - 1, 2):
            if self[place]:
                yield Member(self[place] >> HALF, self[place] & (1 << HALF) - 1, self[place + 1])

    def join(self, member: Member) -> bool:
        """Add a process. False if there are too many."""
        with self.locked():
            if member in self.members():
                return True
            for place in range(STATE, SIZE // WORD - 1, 2):
                if not self[place]:
                    self[place + 1] = member.inode
                    self[place] = member.process << HALF | member.descriptor
                    return True
        return False

    def leave(self, member: Member) -> None:
        """Remove a process."""
        with self.locked():
            for place in range(STATE, SIZE // WORD - 1, 2):
                if self[place] == member.process << HALF | member.descriptor:
                    self[place] = 0

    def close(self) -> None:
        """Close it in this process."""
        self._words.release()
        self._map.close()
        os.close(self.file)
