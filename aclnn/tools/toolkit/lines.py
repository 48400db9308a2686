"""`file:line` of code that is not Python, from the address of an instruction."""

import ctypes
import os
import shutil
import subprocess
from functools import cache
from threading import local
from typing import Any, Final

PATIENCE: Final = 20
"""seconds that addr2line may take"""


class Caller(local):
    """Where a thread keeps the address that its running call came from."""

    place: Any = None


class CProgram:
    """The C or C++ code of this process: an `acl_runtime.source.site.Program`."""

    def __init__(self) -> None:
        self._library: Any = None
        self._caller = Caller()

    def attach(self, library: Any) -> None:
        """The library whose stubs note the address."""
        library.aclnn_from_address.restype = ctypes.c_void_p
        self._library = library

    def at(self) -> int:
        """The instruction that the innermost call came from."""
        place = self._caller.place
        if place is None:
            place = self._caller.place = ctypes.c_void_p.from_address(self._library.aclnn_from_address())
        return (place.value or 1) - 1  # a return address is behind the call

    def line(self, at: int) -> str:
        """`file:line` as the debug information tells it (`-g`), else the function and the file it is in."""
        return _line(at)


class _Symbol(ctypes.Structure):
    """Dl_info of dlfcn.h."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


@cache
def _line(at: int) -> str:
    symbol = _Symbol()
    if not ctypes.CDLL(None).dladdr(ctypes.c_void_p(at), ctypes.byref(symbol)) or not symbol.file:
        return f"{at:#x}"
    file = symbol.file.decode(errors="replace")
    if not os.path.exists(file):  # of the program itself: the name it was started by
        file = "/proc/self/exe"
    function = ""
    for offset in (at - (symbol.base or 0), at):  # of a program at a fixed address they are absolute
        name, line = _addr2line(file, offset)
        if line:
            return line
        function = function or name
    dynamic = symbol.name.decode(errors="replace") if symbol.name else ""
    where = function or dynamic or f"{at - (symbol.base or 0):#x}"
    return f"{symbol.file.decode(errors='replace')}({where})"


def _addr2line(file: str, offset: int) -> tuple[str, str]:
    """Function and line, as binutils' addr2line finds them; empty without it. The line needs debug information (`-g`),
    the function a program that is not stripped."""
    tool = shutil.which("addr2line")
    if tool is None:
        return "", ""
    try:
        command = [tool, "-f", "-C", "-e", file, hex(offset)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.SubprocessError):
        return "", ""
    function, _, line = done.stdout.strip().partition("\n")
    line = line.split(" (discriminator")[0]
    path, _, number = line.rpartition(":")
    known = path and path != "??" and number.isdecimal() and int(number)
    return function if function != "??" else "", line if known else ""
