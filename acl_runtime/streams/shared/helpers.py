"""The two threads of a machine that serve other processes. Each starts when it is needed first."""

from typing import Protocol

from acl_runtime.streams.shared.progress import Progress, ProgressOwner
from acl_runtime.streams.shared.reader import Reader, ThreadOwner


class HelperOwner(ProgressOwner, ThreadOwner, Protocol):
    """The machine, as far as the threads need it."""


class HelperThreads:
    """The reader thread and the progress thread."""

    def __init__(self, machine: HelperOwner) -> None:
        self._machine = machine
        self._reader: Reader | None = None
        self.progress = Progress(machine)

    @property
    def reader(self) -> Reader:
        """The reader thread."""
        if self._reader is None:
            self._reader = Reader(self._machine)
        return self._reader

    def end(self) -> None:
        """Let the progress thread end. The caller holds the machine's lock."""
        self.progress.end()

    def release(self) -> None:
        """End the threads. The caller must not hold the machine's lock."""
        self.progress.join()
        if self._reader is not None:
            self._reader.close()

    def forked(self) -> None:
        """Close the copies in a forked child, which would hide the end of its parent."""
        if self._reader is not None:
            self._reader.forked()
