"""The end of a program: the last steps of the interpreter, and whether the program ended early."""

import builtins
import gc
import re
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final, NoReturn

from acl_runtime.checks.lifetime.teardown_order import RELEASES
from acl_runtime.checks.ports import EndedMachine, PastCall
from acl_runtime.source.frames import is_programs

MAIN: Final = "__main__"
ERROR_QUERIES: Final = re.compile(r"aclGetRecentErrMsg$|aclrt(Get|Peek)\w*Error|aclAppLog$")
"""calls by which a program reports the failure of another call"""


def drop_program() -> None:
    """Drop the modules of the program, as the interpreter does later. So a global object whose `__del__` frees memory
    does so before the report of leaks."""
    for name in _of_program():
        sys.modules.pop(name, None)  # another thread may have dropped it
    sys.modules[MAIN] = ModuleType(MAIN)  # other code may look for this module
    gc.collect()


def _of_program() -> list[str]:
    return [name for name, module in list(sys.modules.items()) if name == MAIN or _written_for_it(name, module)]


def _written_for_it(name: str, module: Any) -> bool:
    file = getattr(module, "__dict__", {}).get("__file__")  # getattr(module, "__file__") could run a lazy import
    return isinstance(file, str) and is_programs(name, file)


class Exits:
    """The status that the program gave to sys.exit, exit or quit.

    Code that runs at the end of Python cannot query this status. So these functions are replaced by functions that
    record it, from the first call of the API until the end. `raise SystemExit(1)` is not recorded, nor is an
    interactive session."""

    def __init__(self) -> None:
        self._machine: EndedMachine | None = None
        self._failed = False
        """True if the status was a failure"""
        self._last: PastCall | None = None
        """the last call of the API, except for releases, that the main thread had made before it exited"""
        self._replaced: list[tuple[Any, str, Any]] = []

    def watch(self, machine: EndedMachine) -> None:
        """Record exit statuses, each with the last call of this machine at that time."""
        self._machine = machine
        if self._replaced or hasattr(sys, "ps1"):
            return
        for module, name in ((sys, "exit"), (builtins, "exit"), (builtins, "quit")):
            if hasattr(module, name):  # `python -S` has no exit and quit
                function = getattr(module, name)
                self._replaced.append((module, name, function))
                setattr(module, name, self._recording(function))

    def _recording(self, function: Callable[[object], NoReturn]) -> Callable[..., NoReturn]:
        def exit_with(status: object = None, /) -> NoReturn:
            if self._machine is not None and threading.current_thread() is threading.main_thread():
                # not `!= 0`, which would mark the status of a call as checked
                self._failed = int.__bool__(status) if isinstance(status, int) else status is not None
                self._last = last_step(self._machine, threading.get_native_id())
            function(status)

        return exit_with

    def failed(self) -> bool:
        """True if the program ended with a status other than 0. A program that later made a call of the API, except for
        releases, had caught the exception and continued."""
        if not self._failed or self._machine is None:
            return False
        now = last_step(self._machine, threading.get_native_id())
        return now is None or (self._last is not None and now.kept is self._last.kept)

    def restore(self) -> None:
        """Restore Python's own functions."""
        for module, name, function in self._replaced:
            setattr(module, name, function)
        self._replaced.clear()


def ended_early(machine: EndedMachine) -> bool:
    """True if an exception ended the program, or a failed call after which it only released objects. Such a program did
    not reach its clean-up, so the objects that it left behind are a consequence."""
    if machine.findings.interrupted or getattr(sys, "last_value", None) is not None:  # Python sets it for `pdb.pm()`
        return True
    last = last_step(machine)
    return last is not None and bool(last.status)


def last_step(machine: EndedMachine, thread: int | None = None) -> PastCall | None:
    """The last call that is neither a release nor a query of an error, and returned no harmless status. `thread`: the
    native id of the thread whose calls count; None for all threads."""
    for call in reversed(machine.calls):
        counts = thread is None or call.caller.native_id == thread
        if counts and not (
            RELEASES.match(call.function) or ERROR_QUERIES.match(call.function) or call.status in call.declared.harmless
        ):
            return call
    return None
