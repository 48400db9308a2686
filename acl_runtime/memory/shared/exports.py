"""Memory that processes of one user share: what a process has exported, and how another one finds it.

A process lists its exports in a file in memory. Another process of the user finds this file among the open files of the
process whose number the handle contains, and opens the exported bytes in the same way. So nothing has a name, nothing
is left of a process that was killed, and no thread is needed.
"""

import os
from contextlib import suppress
from itertools import count
from typing import Any, Final, NamedTuple

from acl_runtime.process import process

PHYSICAL: Final = "physical memory"
MEMORY: Final = "memory"
EVENT: Final = "event"
NOTIFY: Final = "notify"
NAME: Final = "aclnn exports"
LINK: Final = f"/memfd:{NAME}"
"""the begin of the link that the system shows for the file"""
PID_BITS: Final = 32
"""a number has the process that exported it above these bits"""


class Export(NamedTuple):
    """Bytes that a process has exported."""

    kind: str
    """the kinds: a number is good for one kind only"""
    file: int
    """the descriptor of the bytes in that process"""
    offset: int
    size: int
    extent: int
    page: int
    location: tuple[int, int]
    """the physical device, and the type of the location"""
    attribute: int
    anybody: bool
    """True if the list of processes does not count"""
    pids: tuple[int, ...]


class _Numbers:
    """The numbers of exports of this process, which its machines share: an importer searches the files of all."""

    def __init__(self) -> None:
        self.next = count(1)


class Exports:
    """The exports of a machine, by number."""

    def __init__(self) -> None:
        self._file = -1
        self._numbers = process.own(_Numbers)
        self._made: set[int] = set()
        self._exports: dict[int, Export] = {}

    def number(self) -> int:
        """A new number, which no other machine or process has."""
        number = (os.getpid() << PID_BITS) + next(self._numbers.next)
        self._made.add(number)
        return number

    def here(self, number: int) -> bool:
        """True if this machine has made the number, even if its export has ended. ours: a machine stands for a process,
        so another machine of this process needs permission like another process, and may import what is exported."""
        return number >> PID_BITS == os.getpid() and number in self._made  # not in a forked child

    def add(self, number: int, export: Export) -> None:
        """Export bytes."""
        self._exports[number] = export
        self._write()

    def end(self, number: int) -> None:
        """End an export."""
        if self._exports.pop(number, None) is not None:
            self._write()

    def allow(self, number: int, pids: tuple[int, ...]) -> None:
        """Let processes import a number."""
        export = self._exports.get(number)
        if export is not None:
            self._exports[number] = export._replace(pids=(*export.pids, *pids))
            self._write()

    def close(self) -> None:
        """End all exports. Memory that was imported lives on."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write(self) -> None:
        import json  # late, as few programs share memory

        if self._file < 0:
            self._file = os.memfd_create(NAME, os.MFD_CLOEXEC)
        raw = json.dumps(self._exports).encode()
        os.pwrite(self._file, raw, 0)
        os.ftruncate(self._file, len(raw))


def key_of(kind: str, number: int) -> str:
    """The key of an export: a text of at most 30 characters."""
    return f"aclnn-{kind}-{number:x}"


def number_of(kind: str, key: str) -> int:
    """The number in a key; 0 if it is no key of this kind."""
    prefix = f"aclnn-{kind}-"
    try:
        return int(key.removeprefix(prefix), 16) if key.startswith(prefix) else 0
    except ValueError:
        return 0


def find(number: int, kind: str) -> tuple[Export, int] | None:
    """The export of a process with a number, and a descriptor of its bytes; None if there is none of this kind."""
    import json  # late, as few programs share memory

    folder = f"/proc/{number >> PID_BITS}/fd"
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                if os.readlink(f"{folder}/{name}").startswith(LINK):
                    with open(f"{folder}/{name}", encoding="ascii") as file:
                        read: Any = json.load(file).get(str(number))
                    if read is not None and (export := Export(*read)).kind == kind:
                        return export, os.open(f"{folder}/{export.file}", os.O_RDWR | os.O_CLOEXEC)
    return None
