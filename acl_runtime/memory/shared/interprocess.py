"""Memory of aclrtMalloc that other processes map: its bytes move into a file in memory when it is first exported.

Memory with pages of its own (`device_memory.MAPPED`) stays where it is: the file is mapped in its place. Smaller memory
gets a new buffer; work that is queued may have arrays over the old one, so it runs on both (`on_both`).

A process that has imported memory holds a lock on the file. The system releases the lock when the process ends, so the
exporter always knows who still has its memory open, and nothing is left of a process that was killed.
"""

import ctypes
import fcntl
import mmap
import os
import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.memory.allocation import EXPORTED, OPENED, Allocation
from acl_runtime.memory.device_memory import MAPPED, DeviceMemory
from acl_runtime.memory.physical import MAP_FIXED, RIGHTS
from acl_runtime.memory.shared.exports import MEMORY, PID_BITS, Export, Exports
from acl_runtime.memory.sizes import round_up
from acl_runtime.objects.address_range import FAILED, MAP_NORESERVE, libc
from acl_runtime.text import Text

FLOCK: Final = "hhqqi0q"
"""`struct flock`: type, whence, start, length, process"""


class Imported(Allocation):
    """Memory of another process that this one has imported."""

    __slots__ = ("label",)
    imported = True
    words = OPENED

    def __init__(self, memory: DeviceMemory, address: int, size: int, buffer: Array, process: int) -> None:
        super().__init__(memory, address, size, buffer)
        self.label = Text("memory of process {process}", process=process)

    def __str__(self) -> str:
        return Text("the {size} bytes of {memory}", size=self.size, memory=self.label)


class ExportedMemory:
    """Memory of aclrtMalloc whose bytes lie in a file."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.keys: dict[tuple[int, int, bool], int] = {}
        """the numbers of its exports, by offset, size, and whether everybody may import it"""

    def importer(self) -> int:
        """The number of another process that has it open; 0 without any."""
        asked = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, process = struct.unpack(FLOCK, fcntl.fcntl(self.file, fcntl.F_GETLK, asked))
        return 0 if kind == fcntl.F_UNLCK else process

    def end(self, exports: Exports) -> None:
        """Nobody can import it any more."""
        for number in self.keys.values():
            exports.end(number)
        os.close(self.file)


class _OpenFile(NamedTuple):
    """A file of another process. There is one descriptor for all imports, as the end of any would end the lock."""

    file: int
    imports: list[tuple[int, Imported]]
    """the numbers, and the memory, in the order of the calls"""


class InterprocessMemory:
    """The memory that this process has exported and imported."""

    def __init__(self) -> None:
        self._exported: list[ExportedMemory] = []
        self._files: dict[tuple[int, int], _OpenFile] = {}
        """the files of imported memory, by process and descriptor there"""

    def export(self, exports: Exports, piece: Allocation, offset: int, size: int, *, anybody: bool) -> int:
        """The number of an export; MemoryError if the system refuses. `piece` must be in a file (`exported`)."""
        memory = self.exported(piece)
        place = offset, size, anybody
        if place not in memory.keys:
            number = memory.keys[place] = exports.number()
            device = cast("DeviceMemory", piece.device).device
            exports.add(
                number, Export(MEMORY, memory.file, offset, size, piece.size, piece.page, (device, 1), 0, anybody, ())
            )
        return memory.keys[place]

    def exported(self, piece: Allocation) -> ExportedMemory:
        """Memory with its bytes in a file, from the first call on. From then on they count as written, as others may
        write them."""
        memory = piece.notes.get(EXPORTED)
        if memory is None:
            piece.touch(0, piece.size)
            memory = piece.notes[EXPORTED] = ExportedMemory(_move(piece))
            self._exported.append(memory)
        return memory

    def free(self, exports: Exports, piece: Allocation) -> None:
        """Exported memory is freed."""
        memory = piece.notes.pop(EXPORTED)
        self._exported.remove(memory)
        memory.end(exports)

    def has(self, number: int) -> bool:
        """True if this process has a key with this number."""
        return any(number in memory.keys.values() for memory in self._exported)

    def end_key(self, exports: Exports, number: int) -> bool:
        """Destroy a key of this process. False if it has none with this number."""
        for memory in self._exported:
            for place, key in memory.keys.items():
                if key == number:
                    del memory.keys[place]
                    exports.end(number)
                    return True
        return False

    def attach(self, memory: DeviceMemory, number: int, export: Export, file: int) -> Imported | None:
        """Memory of another process, at a new address; None if all addresses are used. `file`: a descriptor of its
        bytes, which this object closes. MemoryError if the system refuses."""
        place = number >> PID_BITS, export.file
        known = self._files.get(place)
        if known is not None:
            os.close(file)
        else:
            fcntl.lockf(file, fcntl.LOCK_SH)
            known = self._files[place] = _OpenFile(file, [])
        try:
            buffer = np.frombuffer(mmap.mmap(known.file, round_up(export.extent, mmap.PAGESIZE)), np.uint8)
        except OSError as error:
            self._release(place)
            raise MemoryError(str(error)) from error
        part = buffer[export.offset : export.offset + export.size]
        piece = memory.place(export.size, lambda address: Imported(memory, address, export.size, part, place[0]))
        if piece is not None:
            known.imports.append((number, piece))
        self._release(place)
        return piece

    def oldest(self, number: int) -> Imported | None:
        """The memory that was imported first by a number, of that which is open."""
        return next((piece for one in self._files.values() for key, piece in one.imports if key == number), None)

    def detach(self, piece: Imported) -> None:
        """Imported memory was closed."""
        for place, one in [*self._files.items()]:
            one.imports[:] = [(key, other) for key, other in one.imports if other is not piece]
            self._release(place)

    def close(self) -> None:
        """Close all files."""
        for file in (*(one.file for one in self._files.values()), *(memory.file for memory in self._exported)):
            os.close(file)
        self._files, self._exported = {}, []

    def _release(self, place: tuple[int, int]) -> None:
        """Close a file of which nothing is open."""
        if not self._files[place].imports:
            os.close(self._files.pop(place).file)


def on_both(run: Callable[[], None], old: Array, piece: Allocation) -> Callable[[], None]:
    """The work of a task that may have arrays over the old bytes of memory, or over the new ones."""

    def merged() -> None:
        if piece.gone:
            run()
            return
        before = np.array(piece.buffer, np.uint8)
        old[:] = before
        run()
        changed = np.not_equal(old, before)
        piece.buffer[changed] = old[changed]

    return merged


def _move(piece: Allocation) -> int:
    """Move the bytes of memory into a new file, and return its descriptor. MemoryError if the system refuses."""
    extent = round_up(piece.size, mmap.PAGESIZE)
    try:
        file = os.memfd_create("aclnn memory", os.MFD_CLOEXEC)
        os.ftruncate(file, extent)
        bytes = np.frombuffer(mmap.mmap(file, extent), np.uint8)[: piece.size]
    except OSError as error:
        raise MemoryError(str(error)) from error
    bytes[:] = piece.buffer
    if piece.size < MAPPED:
        piece.move(bytes)
        return file
    shown: Any = libc().mmap(piece.base, extent, RIGHTS, mmap.MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0)
    if shown == FAILED:
        os.close(file)
        raise MemoryError(os.strerror(ctypes.get_errno()))
    return file
