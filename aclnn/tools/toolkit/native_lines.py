"""The `file:line` of C and C++ code, from the address of an instruction."""

import ctypes
import os
import shutil
import subprocess
from functools import cache
from threading import local
from types import FrameType
from typing import Any, Final

from acl_runtime.source.frames import is_installed
from acl_runtime.source.site import split

PATIENCE: Final = 20
"""time limit of addr2line, in seconds"""


class Caller(local):
    """The variable in the library that holds the return address of the running call, one for each thread."""

    place: Any = None


class CProgram:
    """The C or C++ code of this process. It implements `acl_runtime.source.site.Program`."""

    def __init__(self) -> None:
        self._library: Any = None
        self._stack: Any = None
        self._bytes: Any = None
        self._caller = Caller()
        self._installed: dict[int, bool] = {}
        """a cache of `installed`, by instruction"""
        self.lacks_lines = False
        """True after the lookup of a line that has no debug information"""

    def attach(self, library: Any) -> None:
        """Use the library whose stubs store the return address."""
        library.aclnn_from_address.restype = ctypes.c_void_p
        self._library = library
        self._stack = ctypes.PyDLL(None, handle=library._handle).aclnn_stack
        self._stack.argtypes, self._stack.restype = (ctypes.py_object,), ctypes.py_object
        self._bytes = ctypes.PyDLL(None, handle=library._handle).aclnn_bytes
        self._bytes.argtypes, self._bytes.restype = (ctypes.c_size_t,) * 6, ctypes.py_object

    def at(self) -> int:
        """The address of the instruction that made the innermost call."""
        place = self._caller.place
        if place is None:
            place = self._caller.place = ctypes.c_void_p.from_address(self._library.aclnn_from_address())
        return (place.value or 1) - 1  # a return address is after the call instruction

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
        line = _line(address)
        self.lacks_lines |= split(line)[1] is None
        return line

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
def _line(address: int) -> str:
    symbol = _place(address)
    if not symbol.file:
        return f"{address:#x}"
    file = symbol.file.decode(errors="replace")
    if not os.path.exists(file):  # for the program itself, dladdr returns the name by which it was started
        file = "/proc/self/exe"
    function = ""
    for offset in (address - (symbol.base or 0), address):  # a program at a fixed address has absolute addresses
        name, line = _addr2line(file, offset)
        if line:
            return line
        function = function or name
    dynamic = symbol.name.decode(errors="replace") if symbol.name else ""
    position = function or dynamic or f"{address - (symbol.base or 0):#x}"
    return f"{symbol.file.decode(errors='replace')}({position})"


def _addr2line(file: str, offset: int) -> tuple[str, str]:
    """Function and line from addr2line of binutils; both empty if it is not installed. The line needs debug information
    (`-g`), the function a program that is not stripped."""
    tool = shutil.which("addr2line")
    if tool is None:
        return "", ""
    try:
        command = [tool, "-f", "-C", "-e", file, hex(offset)]
        process = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.SubprocessError):
        return "", ""
    function, _, line = process.stdout.strip().partition("\n")
    line = line.split(" (discriminator")[0]
    path, _, number = line.rpartition(":")
    has_line = path and path != "??" and number.isdecimal() and int(number)
    return function if function != "??" else "", line if has_line else ""
