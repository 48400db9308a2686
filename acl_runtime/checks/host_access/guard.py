"""Pages of this process that the host leaves alone for now: who touches one is told of, and let through.

What a program does with pinned memory is not a call of the API: it reads an array. So while a copy is on its way into
such memory, the host may not reach its pages, and while a copy reads from there, the host may not write; the fault
(SIGSEGV) that it meets otherwise is answered by noting the line and lifting the guard, and the instruction runs again.
A right program never meets one. On Linux alone; elsewhere nothing is guarded.
"""

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
FREE: Final = mmap.PROT_READ | mmap.PROT_WRITE
SA_SIGINFO: Final = 4
SA_NODEFER: Final = 0x40000000
"""what runs within the handler, as a `__del__` of the program's, may meet a guard too"""
BY_KILL: Final = 0
"""si_code of a signal that somebody sent with kill(); raise() has another, below 0"""
SEGV: Final = int(Signals.SIGSEGV)
CODE: Final = 8
ADDRESS: Final = 16
"""where siginfo_t has si_code and si_addr, on 64-bit Linux"""
PLACES: Final = {"x86_64": (168, 192), "aarch64": (440, None)}
"""where ucontext_t has the instruction, and the code of the fault, whose second bit tells a write"""
SANITIZERS: Final = ("__asan_init", "__tsan_init", "__msan_init")
"""with one of these in the process, SIGSEGV is theirs"""

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
    """The guarded pages of one machine. `touched` is told whose they were, the address, whether it was a write (None:
    nobody knows), and where the program did it, empty if it was we; `ours` says of other addresses whether a guard may
    have been there."""

    def __init__(self, touched: Touched[Owner], ours: Callable[[int], bool]) -> None:
        self._touched = touched
        self._ours = ours
        self._ranges: dict[Owner, tuple[int, int, int]] = {}
        self._before = _Action()
        self._handler: Any = None
        self._closed = False

    def up(self, owner: Owner, low: int, high: int, rights: int) -> None:
        """Leave the host only these rights to the pages of [low, high), if that can be."""
        if len(self._ranges) >= MOST or not possible() or not self._stands():
            return
        if not _library().mprotect(low, high - low, rights):
            self._ranges[owner] = low, high, rights

    def down(self, owner: Owner) -> None:
        """The host may use the pages again, as far as no other owner minds."""
        found = self._ranges.pop(owner, None)  # in one step: a fault in another thread may be as far
        if found is None:
            return
        low, high, _ = found
        _library().mprotect(low, high - low, FREE)
        for start, end, rights in tuple(self._ranges.values()):
            if start < high and low < end:
                _library().mprotect(max(start, low), min(end, high) - max(start, low), rights)

    def _all_down(self) -> None:
        for owner in tuple(self._ranges):
            self.down(owner)

    def close(self) -> None:
        """All guards are down, and no fault comes to this machine any more."""
        self._all_down()
        if self._handler is None:
            return
        now = _handler_now()
        if now == self._address:
            self._closed = True
            _library().sigaction(SEGV, ctypes.byref(self._before), None)
            process.handlers.append(self._handler)
        elif now != self._before.handler:  # somebody put theirs before it, and goes on to it
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._handler))
        self._handler = None
        self._touched, self._ours = _nobody, _none  # so that a handler that is kept keeps no machine

    def _stands(self) -> bool:
        """Do faults come to this guard? Not where a handler of somebody else's was installed later."""
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
        """In the thread that touched, in the midst of what it does: as short as can be, without a lock."""
        code = ctypes.c_int.from_address(info + CODE).value
        if code <= BY_KILL:  # sent, by raise() as faulthandler does after it has told
            if code == BY_KILL or not self._ranges:  # else the instruction runs again, and meets the guard itself
                self._pass_on()
                getattr(_library(), "raise")(SEGV)
            return
        address = ctypes.c_size_t.from_address(info + ADDRESS).value
        met = [owner for owner, (low, high, _) in tuple(self._ranges.items()) if low <= address < high]
        if not met:
            if not self._ours(address):
                self._pass_on()
            else:  # another thread was here in between
                _library().mprotect(address - address % mmap.PAGESIZE, mmap.PAGESIZE, FREE)
            return
        for owner in met:  # first of all: should the rest fail, as where recursion is at its end, the program goes on
            self.down(owner)
        instruction, fault = PLACES[platform.machine()]
        writes = None if fault is None else bool(ctypes.c_size_t.from_address(context + fault).value & 2)
        where = _where(ctypes.c_size_t.from_address(context + instruction).value)
        for owner in met:
            self._touched(owner, address, writes, where)

    def _pass_on(self) -> None:
        """The instruction runs again, and the fault goes to who was there before, as all would from now on."""
        if self._closed:  # it came while this guard was closed
            return
        self._all_down()
        _library().sigaction(SEGV, ctypes.byref(self._before), None)


def _where(instruction: int) -> Trail:
    """Where the program is at; empty if it is our code that touches. Code of packages, as numpy's, is passed over."""
    try:
        frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  # behind _fault
    except ValueError:  # Python runs nothing in this thread
        if process.program is not None:
            return process.program, instruction
        found = sys._current_frames().items()  # pyright: ignore[reportPrivateUsage]
        others = [each for thread, each in found if thread != get_ident() and _of_program(each)]
        if len(others) != 1:
            return ()
        (frame,) = others  # it has threads that help it, as torch has
    if is_ours(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
        return ()
    asked = frame
    while frame is not None and is_installed(frame.f_code.co_filename):
        frame = frame.f_back
    return trail(frame or asked)


def _of_program(frame: FrameType | None) -> bool:
    """Does the program's own code run in this thread, and not packages' alone?"""
    while frame is not None:
        if is_programs(frame.f_globals.get("__name__") or "", frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def _nobody(_owner: Hashable, _address: int, _writes: bool | None, _where: Trail) -> None:
    """Nobody is told."""


def _none(_address: int) -> bool:
    """No address may have a guard."""
    return False


def _handler_now() -> int | None:
    """Who faults go to."""
    now = _Action()
    _library().sigaction(SEGV, None, ctypes.byref(now))
    return now.handler


@cache
def possible() -> bool:
    """Can pages be guarded in this process?"""
    if sys.platform != "linux" or platform.machine() not in PLACES or sys.maxsize < 2**32:
        return False
    return not any(hasattr(ctypes.CDLL(None), name) for name in SANITIZERS)


@cache
def _library() -> Any:
    """The C library; calls of it keep Python's lock, as nobody else may come in between in a handler."""
    library = ctypes.PyDLL(None)
    library.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.sigaction.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
    return library
