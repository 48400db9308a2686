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
ASKS: Final = re.compile(r"aclGetRecentErrMsg$|aclrt(Get|Peek)\w*Error|aclAppLog$")
"""calls by which a program tells its user why another one failed"""


def drop_program() -> None:
    """Drop the modules of the program, as the interpreter would do next. A global object that frees memory in its
    `__del__` does so now, before the report of leaks."""
    for name in _of_program():
        sys.modules.pop(name, None)  # another thread may have dropped it
    sys.modules[MAIN] = ModuleType(MAIN)  # others may look for one
    gc.collect()


def _of_program() -> list[str]:
    return [name for name, module in list(sys.modules.items()) if name == MAIN or _written_for_it(name, module)]


def _written_for_it(name: str, module: Any) -> bool:
    file = getattr(module, "__dict__", {}).get("__file__")  # getattr(module, ...) could run a lazy import
    return isinstance(file, str) and is_programs(name, file)


class Exits:
    """The status that the program gave to sys.exit, exit or quit.

    Nothing that runs at the end of Python can ask for it. So these functions are replaced by ones that remember it,
    from the first call of the API until the end. `raise SystemExit(1)` is not seen; an interactive session is not
    watched."""

    def __init__(self) -> None:
        self._machine: EndedMachine | None = None
        self._failed = False
        """True if that status was a failure"""
        self._last: PastCall | None = None
        """the last call of the API that the main thread had made before it exited, apart from releases"""
        self._replaced: list[tuple[Any, str, Any]] = []

    def watch(self, machine: EndedMachine) -> None:
        """Remember exit statuses from now on, with the last call that this machine had then."""
        self._machine = machine
        if self._replaced or hasattr(sys, "ps1"):
            return
        for module, name in ((sys, "exit"), (builtins, "exit"), (builtins, "quit")):
            if hasattr(module, name):  # `python -S` has no exit and quit
                function = getattr(module, name)
                self._replaced.append((module, name, function))
                setattr(module, name, self._remembering(function))

    def _remembering(self, function: Callable[[object], NoReturn]) -> Callable[..., NoReturn]:
        def leave(status: object = None, /) -> NoReturn:
            if self._machine is not None and threading.current_thread() is threading.main_thread():
                # not `!= 0`: a status that a call returned would take that for a look at it
                self._failed = int.__bool__(status) if isinstance(status, int) else status is not None
                self._last = last_step(self._machine, threading.get_native_id())
            function(status)

        return leave

    def failed(self) -> bool:
        """True if the program ended with another status than 0. A program that made more calls of the API afterwards,
        apart from releases, had caught the exception and continued."""
        if not self._failed or self._machine is None:
            return False
        now = last_step(self._machine, threading.get_native_id())
        return now is None or (self._last is not None and now.kept is self._last.kept)

    def restore(self) -> None:
        """Put Python's own functions back."""
        for module, name, function in self._replaced:
            setattr(module, name, function)
        self._replaced.clear()


def ended_early(machine: EndedMachine) -> bool:
    """True if an exception ended the program, or a failed call after which it only released things. Such a program did
    not reach its clean-up, and its leftovers are a consequence."""
    if machine.findings.interrupted or getattr(sys, "last_value", None) is not None:  # as Python has it for `pdb.pm()`
        return True
    last = last_step(machine)
    return last is not None and bool(last.status)


def last_step(machine: EndedMachine, thread: int | None = None) -> PastCall | None:
    """The last call that is no release, does not ask for the reason of a failure, and returned no harmless status.
    `thread`: the native id of the thread whose calls count; None: of any thread."""
    for call in reversed(machine.calls):
        ours = thread is None or call.caller.native_id == thread
        if ours and not (
            RELEASES.match(call.function) or ASKS.match(call.function) or call.status in call.declared.harmless
        ):
            return call
    return None
