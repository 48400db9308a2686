"""The guard: watchpoints on pinned host memory, made of page protection (mprotect) and a SIGSEGV handler.

**What it is for.** A host program reads and writes pinned memory through its own pointers and arrays. No call of the
API happens, so no listener hears of it. Yet two accesses are mistakes. A read gives old data if a queued copy has still
to write the bytes. A write changes what arrives if a queued copy has still to read them. On a device both mistakes are
silent, and both come and go with the timing. The findings `read-before-sync` and `pinned-reuse` name them with the
user's line.

**How it works.** `watches` decides which bytes are watched, and hands their whole pages to the guard. They are watched
from the launch of a copy until the host knows that the copy is over. `Guard.up` takes rights away by mprotect: no
access while a copy writes to the pages, reads alone while a copy reads from them. An access of the host's then faults.
The handler runs in the thread that faulted. It takes the guard down, notes the address and the user's line, says
whether it was a write, and returns; the processor runs the same instruction again, which now succeeds. So the program
continues with the bytes that it would have seen, and a right program never faults. Each watch notes one access. The
finding itself is made later, by the call that learns that the copy is over: nothing can be raised out of a signal
handler.

Streams are not stopped by the guard, as they use another mapping of the same memory (`memory.chunk`), made for this.

**The interface.** `Guard` has three methods, `up`, `down` and `close`; `touched` and `ours`, which it is made with, are
all that it asks of others. The function `possible` says whether this process can have a guard; `Machine` asks it before
it maps pinned memory twice. `watches` is the only user of the rest.

**The handler.** It is written in Python, called through ctypes. A fault of numpy's or of a C program's own code arrives
there as well; ctypes takes Python's lock first. It takes no lock of ours, since the interrupted thread may hold it. It
may be entered again by what runs inside it (SA_NODEFER). A fault at an address that is not guarded is not ours. Then
all guards come down, the handler from before is put back, and the instruction runs again. So a null pointer ends the
program as ever, and faulthandler prints as ever. A handler is kept alive for a while after its machine has closed
(`process.handlers`), as another thread may still be inside.

**When it is off.** With `Machine(checks=False)` there is no listener, so nothing is watched. In the other cases a
change is still seen, by a checksum of the bytes, and a read is not:

- Other systems than Linux, 32-bit processes, processors other than x86-64 and aarch64. Only for these two is it known
  where the signal's context has the fault's address and instruction.
- A sanitizer is loaded (asan, msan, tsan): SIGSEGV belongs to its runtime.
- The program installed a SIGSEGV handler after the first guard went up: faults go to that handler, and it would not
  lift our guard. One from before is respected: it gets every fault that is not ours.
- Memory of the user's own that was registered (aclrtHostRegister): its pages may hold other things, and streams have no
  second mapping of it. The same goes for copies of rows with gaps, for systems without memfd_create, and for pages that
  a copy shares with other bytes of its memory. These pages are guarded only for a target with the larger part of the
  memory, and only while all copies of the memory began at one address. Smaller copies, and copies that began elsewhere,
  show that it is cut into pieces: a system call may have to do with another piece, and would fail at a guarded page.
- More than `MOST` ranges at a time: the kernel limits the number of mappings.

**Rejected.** Checksums alone: they miss every read, and cannot name a line. Tracing the process (ptrace, valgrind): a
second process, no debugger beside it, and slow. userfaultfd: the clean way, but containers forbid it. Hardware
watchpoints: four of them, eight bytes each. Wrapping the arrays that Python gets: C++ programs and numpy views of the
address would go unseen. A handler in C: it would be faster, but the core would need a compiler.

**Known limits.** The handler waits for Python's lock, and runs Python code where a signal may arrive at any
instruction: POSIX does not promise that this works. It does because only an access to pinned memory can bring it up,
and neither Python nor malloc keeps anything of theirs there. A thread that holds the lock and waits for the faulting
one would wait for ever; ctypes.CDLL releases the lock, ctypes.PyDLL does not. A system call that is given a guarded
address does not fault, it fails with EFAULT: `write(fd, buffer)` under a queued copy into `buffer` is such a mistake
too, but ends as an I/O error without a finding. Two threads that touch the same pages at once count as one access. On
aarch64 the context does not say whether the access was a write (the guard was never run there): for a source it must
have been one; for a target it counts as a read. One thread of a library may touch the pages while it runs no Python
code. Then the line is that of the only other thread in the program's code. It is missing where there are several."""

import ctypes
import mmap
import platform
import sys
from collections.abc import Callable, Hashable
from functools import cache
from signal import Signals
from threading import get_ident
from types import FrameType
from typing import Any, Final, Generic, TypeVar

from acl_runtime.process import process
from acl_runtime.source.frames import is_installed, is_ours, is_programs, trail
from acl_runtime.source.site import Trail

MOST: Final = 256
"""ranges guarded at a time: each may cost two of the mappings that the kernel allows"""
NO_ACCESS: Final = 0
"""PROT_NONE"""
FREE: Final = mmap.PROT_READ | mmap.PROT_WRITE
SA_SIGINFO: Final = 4
SA_NODEFER: Final = 0x40000000
"""code that runs inside the handler, such as a `__del__` of the program, may touch a guarded page too"""
BY_KILL: Final = 0
"""si_code of a signal that was sent with kill(); raise() has another one, below 0"""
SEGV: Final = int(Signals.SIGSEGV)
CODE: Final = 8
ADDRESS: Final = 16
"""where siginfo_t has si_code and si_addr, on 64-bit Linux"""
CONTEXT_OFFSETS: Final = {"x86_64": (168, 192), "aarch64": (440, None)}
"""where ucontext_t has the instruction, and the code of the fault, whose second bit tells a write"""
SANITIZERS: Final = ("__asan_init", "__tsan_init", "__msan_init")
"""symbols of the sanitizers: in a process that has one of them, SIGSEGV belongs to the sanitizer"""

Owner = TypeVar("Owner", bound=Hashable)


class _Action(ctypes.Structure):
    """struct sigaction of the C library."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ubyte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


_Handler: Final = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


Touched = Callable[[Owner, int, bool | None, Trail], None]


class Guard(Generic[Owner]):
    """The guarded pages of one machine.

    `touched` is called in the handler, with the owner of the pages, the address, whether it was a write (None: unknown)
    and the lines of the program (empty: the emulator's own code did it). `ours` answers, for an address that is not
    guarded now, whether it may have been a moment ago."""

    def __init__(self, touched: Touched[Owner], ours: Callable[[int], bool]) -> None:
        self._touched = touched
        self._ours = ours
        self._ranges: dict[Owner, tuple[int, int, int]] = {}
        self._before = _Action()
        self._handler: Any = None
        self._closed = False

    def up(self, owner: Owner, low: int, high: int, *, readable: bool) -> None:
        """Guard the pages of [low, high) against writes, and against reads unless they stay `readable`; does nothing
        where no guard is possible."""
        rights = mmap.PROT_READ if readable else NO_ACCESS
        if len(self._ranges) >= MOST or not possible() or not self._stands():
            return
        if not _library().mprotect(low, high - low, rights):
            self._ranges[owner] = low, high, rights

    def down(self, owner: Owner) -> None:
        """Lift the guard of this owner. Pages that another owner guards too stay guarded for it."""
        guarded = self._ranges.pop(owner, None)  # in one step: a fault in another thread may do the same now
        if guarded is None:
            return
        low, high, _ = guarded
        _library().mprotect(low, high - low, FREE)
        for start, end, rights in tuple(self._ranges.values()):
            if start < high and low < end:
                _library().mprotect(max(start, low), min(end, high) - max(start, low), rights)

    def _all_down(self) -> None:
        for owner in tuple(self._ranges):
            self.down(owner)

    def close(self) -> None:
        """Lift all guards, and put the handler from before back."""
        self._all_down()
        if self._handler is None:
            return
        now = _handler_now()
        if now == self._address:
            self._closed = True
            _library().sigaction(SEGV, ctypes.byref(self._before), None)
            process.handlers.append(self._handler)
        elif now != self._before.handler:  # a later handler calls ours: it has to stay
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._handler))
        self._handler = None
        self._touched, self._ours = _nobody, _none  # so that a handler that is kept keeps no machine

    def _stands(self) -> bool:
        """True if this guard gets the faults: no other handler was installed later."""
        if self._handler is None:
            self._handler = _Handler(self._fault)
            self._install()
            return True
        now = _handler_now()
        if now == self._before.handler:  # a fault was passed on
            self._install()
            return True
        return now == self._address

    @property
    def _address(self) -> int | None:
        return ctypes.cast(self._handler, ctypes.c_void_p).value

    def _install(self) -> None:
        action = _Action(handler=self._address, flags=SA_SIGINFO | SA_NODEFER)
        _library().sigaction(SEGV, ctypes.byref(action), ctypes.byref(self._before))

    def _fault(self, _signal: int, info: int, context: int) -> None:
        """The handler: runs in the thread that touched the page, between two of its instructions, and takes no lock."""
        code = ctypes.c_int.from_address(info + CODE).value
        if code <= BY_KILL:  # sent: by kill(), or by raise(), as faulthandler does after its report
            if code == BY_KILL or not self._ranges:  # else the instruction runs again, and meets the guard itself
                self._pass_on()
                getattr(_library(), "raise")(SEGV)
            return
        address = ctypes.c_size_t.from_address(info + ADDRESS).value
        owners = [owner for owner, (low, high, _) in tuple(self._ranges.items()) if low <= address < high]
        if not owners:
            if not self._ours(address):
                self._pass_on()
            else:  # another thread was here in between
                _library().mprotect(address - address % mmap.PAGESIZE, mmap.PAGESIZE, FREE)
            return
        for owner in owners:  # first: the program continues even if the rest fails, as at the recursion limit
            self.down(owner)
        instruction, fault = CONTEXT_OFFSETS[platform.machine()]
        writes = None if fault is None else bool(ctypes.c_size_t.from_address(context + fault).value & 2)
        where = _where(ctypes.c_size_t.from_address(context + instruction).value)
        for owner in owners:
            self._touched(owner, address, writes, where)

    def _pass_on(self) -> None:
        """Put the handler from before back and let the instruction run again: that handler gets this fault and later
        ones."""
        if self._closed:  # it came while this guard was closed
            return
        self._all_down()
        _library().sigaction(SEGV, ctypes.byref(self._before), None)


def _where(instruction: int) -> Trail:
    """The line of the program that runs; empty if the emulator's own code touched the page. Frames of packages, such as
    numpy, are skipped."""
    try:
        frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # behind _fault
    except ValueError:  # Python runs nothing in this thread
        if process.program is not None:
            return process.program, instruction
        frames = sys._current_frames().items()  # pyright: ignore[reportPrivateUsage]
        others = [other for thread, other in frames if thread != get_ident() and _of_program(other)]
        if len(others) != 1:
            return ()
        (frame,) = others  # a package may have threads of its own, as torch has
    if is_ours(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
        return ()
    innermost = frame
    while frame is not None and is_installed(frame.f_code.co_filename):
        frame = frame.f_back
    return trail(frame or innermost)


def _of_program(frame: FrameType | None) -> bool:
    """True if code of the program runs in this thread, not code of packages alone."""
    while frame is not None:
        if is_programs(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def _nobody(_owner: Hashable, _address: int, _writes: bool | None, _where: Trail) -> None:
    """A closed guard reports nothing."""


def _none(_address: int) -> bool:
    """A closed guard has guarded nothing."""
    return False


def _handler_now() -> int | None:
    """The address of the handler that gets the faults now."""
    now = _Action()
    _library().sigaction(SEGV, None, ctypes.byref(now))
    return now.handler


@cache
def possible() -> bool:
    """True if pages can be guarded in this process."""
    if sys.platform != "linux" or platform.machine() not in CONTEXT_OFFSETS or sys.maxsize < 2**32:
        return False
    return not any(hasattr(ctypes.CDLL(None), name) for name in SANITIZERS)


@cache
def _library() -> Any:
    """The C library. A call of it keeps Python's lock, so that no other thread runs in the middle of the handler."""
    library = ctypes.PyDLL(None)
    library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.sigaction.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    return library
