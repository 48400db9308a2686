"""Run unchanged programs that use pyACL for the runtime and ctypes for the operators.

    with aclnn.pyacl.installed():
        import acl
        opapi = ctypes.CDLL("libopapi.so")

    aclnn.pyacl.install()            # for the rest of the process, as in a conftest.py
    aclnn.pyacl.run("program.py")    # the same as `aclnn run --pyacl` or `python -m aclnn.pyacl program.py`

`import acl` imports `acl_runtime.pyacl`. In addition `ctypes.CDLL` accepts the names of CANN's libraries. It returns a
library whose functions are ctypes functions, with the rules (and the traps) of ctypes for `restype` and `argtypes`.
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

import acl_runtime
import aclnn
from acl_runtime import pyacl
from acl_runtime.on_demand import AbsentName
from acl_runtime.process import process
from aclnn.tools.python_program import PythonProgram, leave_place
from aclnn.tools.toolkit.directory import LIBRARY, OTHERS
from aclnn.tools.toolkit.entry import parts
from aclnn.tools.toolkit.exported_functions import exported, named

LIBRARIES: Final = frozenset((LIBRARY, *OTHERS))
"""file names of the libraries; the folder does not matter"""


class Pending(local):
    """The exception of a function that ctypes called. ctypes would only print it; `_passed_on` raises it again."""

    error: BaseException | None = None


_pending: Final = process.own(Pending)


def _passed_on(result: Any, function: Any, arguments: Any) -> Any:
    """Raise the pending exception. ctypes calls this (`errcheck`) when a function of the emulator has returned."""
    __tracebackhide__ = True
    error, _pending.error = _pending.error, None
    if error is not None:
        raise error
    return result


@cache
def _exported(name: str) -> Any | None:
    """The function with this name; None if the libraries do not export it."""
    function = named(name)
    return function if function is not None and exported([function.c]) else None


@cache
def _callback(name: str) -> Any:
    """The ctypes callback that C code would call by this name."""
    run, answer, failed, kind = parts(_exported(name))

    def enter(*raw: Any) -> Any:
        try:
            return answer(run(*raw))
        except BaseException as error:
            _pending.error = error
            return failed

    return kind(enter)


class CannLibrary(ctypes.CDLL):
    """The result of `ctypes.CDLL("libopapi.so")`. Each library has all functions of CANN's libraries."""

    def __getitem__(self, name: Any) -> Any:
        function = _exported(name)
        if function is None:
            sentence = f"{self._name}: undefined symbol: {name} (aclnn-emulator has no such function)"
            raise AttributeError(AbsentName(sentence, name, lambda: [*dir(acl_runtime), *dir(aclnn)]))
        if function.c.variadic:
            return _variadic(name, function)
        address = ctypes.cast(_callback(name), ctypes.c_void_p).value
        library: Any = ctypes.CDLL(None)
        function = library._FuncPtr(address)  # the result is an int, as for any function of a CDLL
        function.__name__ = name
        function.errcheck = _passed_on
        return function

    def __repr__(self) -> str:
        return f"<{self._name} of aclnn-emulator>"


def _variadic(name: str, function: Any) -> Any:
    """A variadic function, for which ctypes has no prototype. Its arguments are Python values or ctypes values."""

    def call(*args: Any) -> Any:
        __tracebackhide__ = True
        return function(*args)

    call.__name__ = name
    call.restype = call.argtypes = None  # type: ignore[attr-defined]  # the program may set them
    return call


def _load(library: Any, name: Any = None, *rest: Any, **more: Any) -> None:
    """Replaces `CDLL.__init__`. For any library that is not CANN's, it calls the original."""
    file = os.path.basename(str(name))
    if file in LIBRARIES:
        library._name, library.__class__ = file, CannLibrary
    else:
        _of_ctypes(library, name, *rest, **more)


_of_ctypes: Final = ctypes.CDLL.__init__


def _use(load: Any) -> None:
    """Patch the method, not the class: programs and their modules may have imported `CDLL` already."""
    ctypes.CDLL.__init__ = load  # type: ignore[method-assign]


def _ours() -> bool:
    return ctypes.CDLL.__init__ is _load


def install() -> ModuleType:
    """Let `import acl` and `ctypes.CDLL` return the emulator's module and libraries, and return the module `acl`.
    RuntimeError if a real `acl` is installed."""
    acl = pyacl.install()
    _use(_load)
    return acl


def uninstall() -> None:
    """Undo `install`. A program that has imported `acl` or loaded a library keeps it."""
    pyacl.uninstall()
    _use(_of_ctypes)


@contextmanager
def installed() -> Generator[ModuleType]:
    """`install` until the end of a `with` block. With nested blocks, the end of the outermost one uninstalls."""
    before = _ours()
    with pyacl.installed() as acl:
        try:
            install()
            yield acl
        finally:
            if not before:
                _use(_of_ctypes)


def run(file: str | Path, arguments: Sequence[str] = ()) -> None:
    """Run a program as `python FILE ARGUMENT ...` does, with `import acl` and the libraries of the emulator.

    The program uses the current machine: the one that is entered, else the default one. SystemExit is passed on.
    Objects that only the globals of the program refer to are collected at its end.
    """
    program, before, path = PythonProgram(Path(file), arguments), (sys.argv, sys.modules["__main__"]), sys.path[:]
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
    from aclnn.pyacl import run as run_here  # from the module that programs import, not from this `__main__`

    leave_place()
    run_here(sys.argv[1], sys.argv[2:])
