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
import gc
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import local
from types import ModuleType
from typing import Any, Final

from acl_runtime import pyacl
from acl_runtime.process import process
from aclnn.tools.program import Program, leave_place
from aclnn.tools.toolkit.entry import parts
from aclnn.tools.toolkit.functions import exported, functions
from aclnn.tools.toolkit.layout import LIBRARY, OTHERS

LIBRARIES: Final = frozenset((LIBRARY, *OTHERS))
"""names of files, in whatever folder"""


class Pending(local):
    """What a function raised, on its way through ctypes to the caller: ctypes itself would print and forget it."""

    error: BaseException | None = None


_pending: Final = process.own(Pending)


def _passed_on(result: Any, function: Any, arguments: Any) -> Any:
    """ctypes calls this when a function of ours has returned."""
    __tracebackhide__ = True
    error, _pending.error = _pending.error, None
    if error is not None:
        raise error
    return result


@cache
def _declared() -> dict[str, Any]:
    return {each.c.name: each for each in exported(functions())}


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


class Library(ctypes.CDLL):
    """What `ctypes.CDLL("libopapi.so")` gives: every function that the libraries have, whichever it is in."""

    def __getitem__(self, name: Any) -> Any:
        if name not in _declared():
            raise AttributeError(f"{self._name}: undefined symbol: {name} (aclnn-emulator has no such function)")
        if _declared()[name].c.variadic:
            return _variadic(name)
        address = ctypes.cast(_callback(name), ctypes.c_void_p).value
        made: Any = ctypes.CDLL(None)
        function = made._FuncPtr(address)  # an int is returned, as of any function of a CDLL
        function.__name__ = name
        function.errcheck = _passed_on
        return function

    def __repr__(self) -> str:
        return f"<{self._name} of aclnn-emulator>"


def _variadic(name: str) -> Any:
    """A function that ctypes has no prototype for: it takes the same arguments, of Python or of ctypes."""
    function = _declared()[name]

    def call(*args: Any) -> Any:
        __tracebackhide__ = True
        return function(*args)

    call.__name__ = name
    call.restype = call.argtypes = None  # type: ignore[attr-defined]  # the program may set them
    return call


def _load(library: Any, name: Any = None, *rest: Any, **more: Any) -> None:
    """`CDLL.__init__`, for all but the libraries of CANN that of ctypes."""
    file = os.path.basename(str(name))
    if file in LIBRARIES:
        library._name, library.__class__ = file, Library
    else:
        _of_ctypes(library, name, *rest, **more)


_of_ctypes: Final = ctypes.CDLL.__init__


def _use(load: Any) -> None:
    """(Not another class in its place: programs and their modules may hold `CDLL` already.)"""
    ctypes.CDLL.__init__ = load  # type: ignore[method-assign]


def _ours() -> bool:
    return ctypes.CDLL.__init__ is _load


def install() -> ModuleType:
    """Make `import acl` and `ctypes.CDLL` give the emulator's; the module `acl`. RuntimeError where there is a real
    one."""
    acl = pyacl.install()
    _use(_load)
    return acl


def uninstall() -> None:
    """Take it back; who has `acl`, or a library, keeps it."""
    pyacl.uninstall()
    _use(_of_ctypes)


@contextmanager
def installed() -> Generator[ModuleType]:
    """The same for the time of a `with` block; in a block inside another, until the outer one ends."""
    before = _ours()
    with pyacl.installed() as acl:
        try:
            install()
            yield acl
        finally:
            if not before:
                _use(_of_ctypes)


def run(file: str | Path, arguments: Sequence[str] = ()) -> None:
    """Run a program as `python FILE ARGUMENT ...` does, with the emulator's `import acl` and libraries, on the machine
    that is entered or the default one. It may end with SystemExit. What only its globals hold ends with it."""
    program, before, path = Program(Path(file), arguments), (sys.argv, sys.modules["__main__"]), sys.path[:]
    program.become_main()
    try:
        with installed():
            program.run()
    finally:
        (sys.argv, sys.modules["__main__"]), sys.path[:] = before, path
        gc.collect()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m aclnn.pyacl FILE.py [ARGUMENT ...]")
    from aclnn.pyacl import run as run_here  # of the module that programs import, not of this `__main__`

    leave_place()
    run_here(sys.argv[1], sys.argv[2:])
