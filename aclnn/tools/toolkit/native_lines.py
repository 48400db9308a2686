"""The `file:line` of C and C++ code, from the address of an instruction."""

import ctypes
import os
import re
import shutil
import subprocess
from functools import cache
from struct import unpack
from threading import local
from types import FrameType
from typing import Any, Final

from acl_runtime.source.frames import MOST_TRAILS, is_installed
from acl_runtime.source.site import Trail, code_at, split

FRAMES: Final = 4
"""the return addresses of a `struct place`"""
DEEP: Final = 32
"""the most frames of an interrupted program, as in bridge.h"""
SYSTEM: Final = re.compile(r"/usr/(include|lib)/|.*/(include/c\+\+|libcxx/include)/|.*\.S:")
"""lines of headers that call the program's functions, as std::thread does, and of the code that starts a program. The
headers of C++ may lie anywhere: those of gcc and LLVM in include/c++, those of zig in libcxx/include"""
LIBRARIES: Final = re.compile(r"(ld|libc|libc\+\+|libpthread|libstdc\+\+)[-.]")
"""libraries of the system; some have debug information"""
PATIENCE: Final = 20
"""time limit of addr2line, in seconds"""


class CallAddresses(local):
    """The variable in the library that holds the return addresses of the running call and of its callers, one for each
    thread."""

    view: memoryview | None = None


class CProgram:
    """The C or C++ code of this process. It implements `acl_runtime.source.site.Program`."""

    def __init__(self) -> None:
        self._library: Any = None
        self._stack: Any = None
        self._bytes: Any = None
        self._interrupted: Any = None
        self._place = CallAddresses()
        self._trails: dict[bytes, Trail] = {}
        """a cache of `trail`, by the return addresses"""
        self._installed: dict[int, bool] = {}
        """a cache of `installed`, by instruction"""
        self.lacks_lines = False
        """True after the lookup of a line that has no debug information"""

    def attach(self, library: Any) -> None:
        """Use the library whose stubs store the return address."""
        library.aclnn_from_address.restype = ctypes.c_void_p
        library.aclnn_function.restype = ctypes.c_void_p
        self._library = library
        self._stack = ctypes.PyDLL(None, handle=library._handle).aclnn_stack
        self._stack.argtypes, self._stack.restype = (ctypes.py_object,), ctypes.py_object
        self._bytes = ctypes.PyDLL(None, handle=library._handle).aclnn_bytes
        self._bytes.argtypes, self._bytes.restype = (ctypes.c_size_t,) * 6, ctypes.py_object
        self._interrupted = ctypes.PyDLL(None, handle=library._handle).aclnn_interrupted
        self._interrupted.argtypes, self._interrupted.restype = (ctypes.c_size_t, ctypes.c_void_p), None

    def trail(self) -> Trail:
        """The instruction that made the innermost call and its callers, as far as walk.c looked for them."""
        view = self._place.view
        if view is None:
            frames = (ctypes.c_size_t * FRAMES).from_address(self._library.aclnn_from_address())
            view = self._place.view = memoryview(frames).cast("B")
        place = bytes(view)
        trail = self._trails.get(place)
        if trail is None:
            first, *callers = unpack(f"@{FRAMES}N", place)
            addresses = first or 1, *filter(None, callers)
            # a return address is after the call instruction
            trail = tuple(part for address in addresses for part in (self, address - 1))
            if len(self._trails) >= MOST_TRAILS:
                self._trails.clear()
            self._trails[place] = trail
        return trail

    def interrupted(self, instruction: int) -> Trail:
        """The line at which a signal interrupted the program, and its callers. For the handler of the signal."""
        frames = (ctypes.c_size_t * DEEP)()
        self._interrupted(instruction, frames)
        return self.own_part(list(frames))

    def own_part(self, frames: list[int]) -> Trail:
        """The trail of these frames without the innermost ones that are code of the system, such as memcpy, or
        functions in its headers. Without debug information only libraries of the system are known as its code."""
        instructions = [frame - 1 for frame in frames if frame]
        known = [index for index, each in enumerate(instructions) if not _of_system(each)] or [0]
        own = next((index for index in known if self.lines(instructions[index])), known[0])
        return tuple(part for each in instructions[own : own + FRAMES] for part in (self, each))

    def stack(self, frame: FrameType) -> bytes:
        """A key of the stack from this frame on, with the instruction that made the innermost call."""
        return self._stack(frame)

    def read(self, one: int, size: int, two: int, size_two: int, three: int, size_three: int) -> bytes:
        """The bytes of three small ranges of memory, one after the other; empty if they cannot be read."""
        return self._bytes(one, size, two, size_two, three, size_three)

    def line(self, address: int) -> str:
        """`file:line` from the debug information (`-g`), or without it the file of the binary and the function. A
        binary of an installed Python package gives only its name: its threads make calls without Python frames."""
        if self._is_installed(address):
            return f"{os.path.basename(_place(address).file.decode(errors='replace'))} (no Python frame)"
        line = (self.lines(address) or _lines(address))[0]
        self.lacks_lines |= split(line)[1] is None
        return line

    def lines(self, address: int) -> list[str]:
        """The lines of an instruction in the program, with those where its function was inlined. Empty without debug
        information, and for code of the system, such as that which starts threads."""
        if _of_system(address) or self._is_installed(address):
            return []
        return [line for line in _lines(address) if _in_program(line)]

    def function(self, address: int) -> object:
        """The start of the function that has the instruction; without an unwind table the instruction."""
        return self._library.aclnn_function(ctypes.c_void_p(address)) or address

    def installed(self, address: int) -> bool:
        """True if the binary of the instruction is part of an installed package of Python. Only a call of C with Python
        frames below it needs this answer, so from then on descriptors.c takes trails, which have Python frames."""
        ctypes.c_int.in_dll(self._library, "aclnn_python_below").value = 1
        return self._is_installed(address)

    def _is_installed(self, address: int) -> bool:
        installed = self._installed.get(address)
        if installed is None:
            file = _place(address).file
            installed = self._installed[address] = file is not None and is_installed(file.decode(errors="replace"))
        return installed


def _of_system(address: int) -> bool:
    """True if the instruction is in a library of the system."""
    library = os.path.basename(_place(address).file or b"").decode(errors="replace")
    return LIBRARIES.match(library) is not None


def _in_program(line: str) -> bool:
    """False for code of the system, and for a line past the end of its file: for a template of a header, addr2line 2.40
    combines the line in the header with the name of the source file."""
    file, number = split(line)
    return number is not None and not SYSTEM.match(line) and (not os.path.isfile(file) or bool(code_at(line)))


class _Symbol(ctypes.Structure):
    """Dl_info of dlfcn.h."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def _place(address: int) -> _Symbol:
    """The binary and the function of an address; `file` is None if the address is in no binary."""
    symbol = _Symbol()
    if not ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(symbol)):
        return _Symbol()
    return symbol


@cache
def _lines(address: int) -> list[str]:
    """The line of an address, then those of the functions into which its function was inlined. Without debug
    information the file of the binary and the function."""
    symbol = _place(address)
    if not symbol.file:
        return [f"{address:#x}"]
    file = symbol.file.decode(errors="replace")
    if not os.path.exists(file):  # for the program itself, dladdr returns the name by which it was started
        file = f"/proc/{os.getpid()}/exe"
    offset = address - (symbol.base or 0)
    function = ""
    for place in (offset, address):  # a program at a fixed address has absolute addresses
        name, lines = _addr2line(file, place)
        if lines:
            return lines
        function = function or name
    dynamic = symbol.name.decode(errors="replace") if symbol.name else ""
    return [f"{symbol.file.decode(errors='replace')}({function or dynamic or hex(offset)})"]


def _addr2line(file: str, offset: int) -> tuple[str, list[str]]:
    """Function and lines from addr2line of binutils; both empty if it is not installed. The lines need debug
    information (`-g`), the function a program that is not stripped."""
    tool = shutil.which("addr2line")
    if tool is None:
        return "", []
    try:
        command = [tool, "-f", "-C", "-i", "-e", file, hex(offset)]
        # With open files left alone, Python uses posix_spawn: a fork in a program of many threads may deadlock in it,
        # as with ThreadSanitizer.
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, close_fds=False
        )
    except (OSError, subprocess.SubprocessError):
        return "", []
    functions, places = process.stdout.splitlines()[::2], process.stdout.splitlines()[1::2]
    lines = [place.split(" (discriminator")[0] for place in places]
    function = functions[0] if functions and functions[0] != "??" else ""
    return function, [line for line in lines if (split(line)[1] or 0) and not line.startswith("??")]
