"""Programs that use pyACL for the runtime and ctypes for the operators, as they are.

    with aclnn.pyacl.installed():
        import acl
        opapi = ctypes.CDLL("libopapi.so")

    aclnn.pyacl.install()            # for the rest of the process, as in a conftest.py
    aclnn.pyacl.run("program.py")    # what `aclnn run --pyacl` and `python -m aclnn.pyacl program.py` do

`import acl` is that of `acl_runtime.pyacl`. Beside it ctypes loads the libraries of CANN, by their names: what lies in
them are functions of ctypes, with its rules for `restype` and `argtypes`, and with its traps.
"""

import ctypes
import os
import runpy
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import local
from types import ModuleType
from typing import Any, Final

from acl_runtime import pyacl
from aclnn.toolkit.entry import parts
from aclnn.toolkit.functions import functions
from aclnn.toolkit.layout import LIBRARY, OTHERS

LIBRARIES: Final = frozenset((LIBRARY, *OTHERS))
"""names of files, in whatever folder"""


class Pending(local):
    """What a function raised, on its way through ctypes to the caller: ctypes itself would print and forget it."""

    error: BaseException | None = None


_pending: Final = Pending()


def _passed_on(result: Any, function: Any, arguments: Any) -> Any:
    """ctypes calls this when a function of ours has returned."""
    __tracebackhide__ = True
    error, _pending.error = _pending.error, None
    if error is not None:
        raise error
    return result


@cache
def _declared() -> dict[str, Any]:
    return {each.c.name: each for each in functions() if not each.c.variadic}


@cache
def _callback(name: str) -> Any:
    """What C code would call under that name."""
    run, answer, failed, kind = parts(_declared()[name])

    def enter(*raw: Any) -> Any:
        try:
            return answer(run(*raw))
        except BaseException as error:
            _pending.error = error
            return failed

    return kind(enter)


class Library:
    """What `ctypes.CDLL("libopapi.so")` gives: every function of the emulator's, whichever library it is in."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        function = self[name]
        setattr(self, name, function)  # with the types that the program gives it
        return function

    def __getitem__(self, name: str) -> Any:
        if name not in _declared():
            raise AttributeError(f"{self._name}: undefined symbol: {name} (aclnn-emulator has no such function)")
        address = ctypes.cast(_callback(name), ctypes.c_void_p).value
        made: Any = ctypes.CDLL(None)
        function = made._FuncPtr(address)  # an int is returned, as of any function of a CDLL
        function.__name__ = name
        function.errcheck = _passed_on
        return function

    def __repr__(self) -> str:
        return f"<{self._name} of aclnn-emulator>"


def _ours() -> bool:
    return ctypes.CDLL.__module__ == __name__


def install() -> ModuleType:
    """Make `import acl` and `ctypes.CDLL` give the emulator's; the module `acl`. RuntimeError where there is a real
    one."""
    acl = pyacl.install()
    if not _ours():

        class CDLL(ctypes.CDLL):
            """That of ctypes, but for the libraries of CANN."""

            def __new__(cls, name: Any = None, *rest: Any, **more: Any) -> Any:  # pyright: ignore
                file = os.path.basename(str(name))
                return Library(file) if file in LIBRARIES else super().__new__(cls)

        _use(CDLL)
    return acl


def uninstall() -> None:
    """Take it back; who has `acl`, or a library, keeps it."""
    pyacl.uninstall()
    if _ours():
        _use(ctypes.CDLL.__mro__[1])


def _use(loader: Any) -> None:
    ctypes.CDLL = loader  # type: ignore[misc]
    ctypes.cdll._dlltype = loader  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


@contextmanager
def installed() -> Generator[ModuleType]:
    """The same for the time of a `with` block; in a block inside another, until the outer one ends."""
    before = _ours()
    with pyacl.installed() as acl:
        try:
            install()
            yield acl
        finally:
            if not before and _ours():
                _use(ctypes.CDLL.__mro__[1])


def run(file: str | Path, arguments: Sequence[str] = ()) -> None:
    """Run a program as `python FILE ARGUMENT ...` does, with the emulator's `import acl` and libraries, on the machine
    that is entered or the default one. It may end with SystemExit."""
    argv, path = sys.argv, sys.path[:]
    with installed():
        sys.argv = [str(file), *arguments]
        sys.path.insert(0, str(Path(file).resolve().parent))
        try:
            runpy.run_path(str(file), run_name="__main__")
        finally:
            sys.argv, sys.path[:] = argv, path


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m aclnn.pyacl FILE.py [ARGUMENT ...]")
    from aclnn.pyacl import run as run_here  # of the module that programs import, not of this `__main__`

    run_here(sys.argv[1], sys.argv[2:])
