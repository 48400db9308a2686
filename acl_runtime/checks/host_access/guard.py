"""The guard: watchpoints on pinned host memory, made of page protection (mprotect) and a SIGSEGV handler.

**What it is for.** A host program reads and writes pinned memory through its own pointers and arrays, without a call of
the API, so nothing is announced. Two kinds of access are mistakes. A read gets old data if a queued copy has not
written the bytes yet. A write changes the copied data if a queued copy has not read the bytes yet. A device reports
neither mistake, and the effect of both depends on timing. The findings `read-before-sync` and `pinned-reuse` report
them with the line of the program.

**How it works.** `watches` decides which bytes are watched, and passes their pages to the guard. A byte is watched from
the launch of a copy until the host knows that the copy is over. `Guard.up` protects the pages with mprotect: against
any access while a copy writes to them, against writes while a copy reads from them. An access by the host then faults.
The handler runs in the thread that faulted. It removes the protection, records the address, the line of the program and
the kind of access, and returns. The processor repeats the instruction, which then succeeds. So the program continues
with the bytes that it would have seen, and a correct program never faults. Each watch records one access. The finding
is made later, by the call that learns that the copy is over, because a signal handler cannot raise.

The guard does not stop streams, as they use a second mapping of the same memory (`memory.chunk`).

**The interface.** `Guard` has three methods, `up`, `down` and `close`, and calls only the functions `touched` and
`ours`, its arguments. The function `possible` returns True if this process can have a guard; `Machine` calls it before
it maps pinned memory twice. Only `watches` uses the rest.

**The handler.** The handler is a Python function, called through ctypes. Faults in the code of numpy or of a C program
reach it too; ctypes then acquires Python's lock first. The handler acquires no lock of the emulator, since the
interrupted thread may hold it. Code that runs inside the handler may fault again (SA_NODEFER). A fault at an address
that is not guarded is passed on: the handler removes all guards and restores the previous handler, and the instruction
runs again. So a null pointer ends the program as usual, and faulthandler prints as usual. The handler object lives for
a while after its machine was closed (`process.handlers`), as another thread may be inside it.

**When the guard is off.** With `Machine(checks=False)` nothing is watched. In the following cases there is no guard; a
checksum of the bytes detects changes, and reads are not detected:

- Other systems than Linux, 32-bit processes, processors other than x86-64 and aarch64. Only for these two the offsets
  of the instruction in the signal's context are known.
- A sanitizer is loaded (asan, msan, tsan): SIGSEGV belongs to the sanitizer's runtime.
- The program installed a SIGSEGV handler after the first guard: faults go to that handler, which would not remove the
  protection. A handler that was installed before gets every fault that is not at a guarded address.
- The memory is registered (aclrtHostRegister): its pages may contain other data, and streams have no second mapping of
  it.
- The copy is one of rows with gaps, or the system has no memfd_create.
- The copy shares the page with other bytes of its memory. Such a page is guarded only for a target that is the larger
  part of the memory, and only if all copies of the memory began at one address. Other copies show that the program
  divides the memory into pieces: a system call may use another piece, and would fail at a guarded page.
- More than `MOST` ranges at a time: the kernel limits the number of mappings.

**Rejected.** Checksums alone: they miss every read, and cannot name a line. Tracing the process (ptrace, valgrind):
slow, needs a second process, and excludes a debugger. userfaultfd: containers forbid it. Hardware watchpoints: there
are four, of eight bytes each. Wrapping the arrays that Python gets: this misses C++ programs and numpy views of the
address. A handler in C: faster, but the runtime would need a compiler.

**Known limits.** The handler waits for Python's lock, and runs Python code where a signal may arrive at any
instruction: POSIX does not guarantee that this works. It works because only an access to pinned memory faults, and
neither Python nor malloc stores its own data there. A thread that holds Python's lock and waits for the faulting thread
would wait for ever; ctypes.CDLL releases the lock, ctypes.PyDLL does not. A system call with a guarded address does not
fault but returns EFAULT: `write(fd, buffer)` during a queued copy into `buffer` ends as an I/O error without a finding.
Two threads that access the same pages at once count as one access. On aarch64, where the guard was never run, the
context does not distinguish reads from writes: an access to a source counts as a write, to a target as a read. If a
thread that runs no Python code accesses the pages, the line of the only other thread in the program's code is reported,
and no line if there are several such threads."""

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
"""the most ranges that are guarded at a time; each may take two of the mappings that the kernel allows"""
NO_ACCESS: Final = 0
"""PROT_NONE"""
FREE: Final = mmap.PROT_READ | mmap.PROT_WRITE
SA_SIGINFO: Final = 4
SA_NODEFER: Final = 0x40000000
"""code that runs inside the handler, such as a `__del__` of the program, may touch a guarded page too"""
BY_KILL: Final = 0
"""si_code of a signal that was sent with kill(); the code of raise() is below 0"""
SEGV: Final = int(Signals.SIGSEGV)
CODE: Final = 8
ADDRESS: Final = 16
"""CODE and ADDRESS: the offsets of si_code and si_addr in siginfo_t, on 64-bit Linux"""
CONTEXT_OFFSETS: Final = {"x86_64": (168, 192), "aarch64": (440, None)}
"""offsets in ucontext_t of the instruction, and of the code of the fault, whose second bit means a write"""
SANITIZERS: Final = ("__asan_init", "__tsan_init", "__msan_init")
"""symbols of the sanitizers; in a process with a sanitizer, SIGSEGV belongs to it"""

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
    and the lines of the program (empty: the emulator's own code made the access). `ours` is called with an address that
    is not guarded; it returns True if the address may have been guarded a moment ago."""

    def __init__(self, touched: Touched[Owner], ours: Callable[[int], bool]) -> None:
        self._touched = touched
        self._ours = ours
        self._ranges: dict[Owner, tuple[int, int, int]] = {}
        self._previous = _Action()
        self._handler: Any = None
        self._closed = False

    def up(self, owner: Owner, low: int, high: int, *, readable: bool) -> None:
        """Guard the pages of [low, high) against writes, and against reads unless `readable`. Does nothing if no guard
        is possible."""
        rights = mmap.PROT_READ if readable else NO_ACCESS
        if len(self._ranges) >= MOST or not possible() or not self._gets_faults():
            return
        if not _library().mprotect(low, high - low, rights):
            self._ranges[owner] = low, high, rights

    def down(self, owner: Owner) -> None:
        """Remove the guard of this owner. Pages that another owner also guards stay guarded for that owner."""
        guarded = self._ranges.pop(owner, None)  # in one step, as a fault in another thread may remove it too
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
        """Remove all guards, and restore the previous handler."""
        self._all_down()
        if self._handler is None:
            return
        now = _handler_now()
        if now == self._address:
            self._closed = True
            _library().sigaction(SEGV, ctypes.byref(self._previous), None)
            process.handlers.append(self._handler)
        elif now != self._previous.handler:  # a later handler calls this one, so it must stay alive
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._handler))
        self._handler = None
        self._touched, self._ours = _ignore, _never  # so that a living handler does not keep the machine alive

    def _gets_faults(self) -> bool:
        """True if this guard gets the faults, because no other handler was installed later."""
        if self._handler is None:
            self._handler = _Handler(self._fault)
            self._install()
            return True
        now = _handler_now()
        if now == self._previous.handler:  # this guard has passed on a fault
            self._install()
            return True
        return now == self._address

    @property
    def _address(self) -> int | None:
        return ctypes.cast(self._handler, ctypes.c_void_p).value

    def _install(self) -> None:
        action = _Action(handler=self._address, flags=SA_SIGINFO | SA_NODEFER)
        _library().sigaction(SEGV, ctypes.byref(action), ctypes.byref(self._previous))

    def _fault(self, _signal: int, info: int, context: int) -> None:
        """The handler. It runs in the thread that accessed the page, between two instructions, without a lock."""
        code = ctypes.c_int.from_address(info + CODE).value
        if code <= BY_KILL:  # sent by kill(), or by raise(), which faulthandler calls after its report
            if code == BY_KILL or not self._ranges:  # otherwise the instruction runs again, and meets the guard itself
                self._pass_on()
                getattr(_library(), "raise")(SEGV)
            return
        address = ctypes.c_size_t.from_address(info + ADDRESS).value
        owners = [owner for owner, (low, high, _) in tuple(self._ranges.items()) if low <= address < high]
        if not owners:
            if not self._ours(address):
                self._pass_on()
            else:  # another thread has handled the fault meanwhile
                _library().mprotect(address - address % mmap.PAGESIZE, mmap.PAGESIZE, FREE)
            return
        for owner in owners:  # first, so that the program continues even if the rest fails, as at the recursion limit
            self.down(owner)
        instruction, fault = CONTEXT_OFFSETS[platform.machine()]
        writes = None if fault is None else bool(ctypes.c_size_t.from_address(context + fault).value & 2)
        where = _where(ctypes.c_size_t.from_address(context + instruction).value)
        for owner in owners:
            self._touched(owner, address, writes, where)

    def _pass_on(self) -> None:
        """Restore the previous handler and repeat the instruction, so that the previous handler gets the fault."""
        if self._closed:  # the fault came while this guard was being closed
            return
        self._all_down()
        _library().sigaction(SEGV, ctypes.byref(self._previous), None)


def _where(instruction: int) -> Trail:
    """The running line of the program; empty if the emulator's own code accessed the page. Frames of packages, such as
    numpy, are skipped."""
    try:
        frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # behind _fault
    except ValueError:  # Python runs nothing in this thread
        if process.program is not None:
            return process.program.interrupted(instruction)
        frames = sys._current_frames().items()  # pyright: ignore[reportPrivateUsage]
        others = [other for thread, other in frames if thread != get_ident() and _of_program(other)]
        if len(others) != 1:
            return ()
        (frame,) = others  # a package may have its own threads, as torch has
    if is_ours(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
        return ()
    innermost = frame
    while frame is not None and is_installed(frame.f_code.co_filename):
        frame = frame.f_back
    return trail(frame or innermost)


def _of_program(frame: FrameType | None) -> bool:
    """True if some code in this thread belongs to the program, not to packages."""
    while frame is not None:
        if is_programs(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def _ignore(_owner: Hashable, _address: int, _writes: bool | None, _where: Trail) -> None:
    """Replaces `touched` in a closed guard: reports nothing."""


def _never(_address: int) -> bool:
    """Replaces `ours` in a closed guard: no address was guarded."""
    return False


def _handler_now() -> int | None:
    """The address of the current handler of SIGSEGV."""
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
    """The C library. Its calls keep Python's lock, so that no other thread runs during the handler."""
    library = ctypes.PyDLL(None)
    library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.sigaction.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    return library
