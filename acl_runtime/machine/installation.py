"""Which machine the calls of this process work on: the project's only mutable module-level state."""

import atexit
import itertools
import sys
import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from acl_runtime.errors import Finding, UndefinedBehaviour
from acl_runtime.machine.site import here

if TYPE_CHECKING:
    from acl_runtime.machine.machine import Machine


class Installation:
    """A stack of entered machines; under it, on demand, the default one."""

    def __init__(self) -> None:
        self.current: Machine | None = None
        self._entered: list[tuple[Machine, Machine | None, int]] = []
        self._lock = threading.Lock()
        self._seen = threading.local()
        """the machine each thread used last"""
        self._bound: WeakKeyDictionary[Machine, tuple[int, frozenset[int | None]]] = WeakKeyDictionary()
        """which thread entered a machine, and which threads were there already"""
        self._outlived: WeakKeyDictionary[threading.Thread, Machine] = WeakKeyDictionary()
        """threads that were started inside a machine's block and still ran at its end"""
        self._turns = itertools.count()

    def enter(self, machine: "Machine") -> None:
        """Install the machine for the whole process; RuntimeError while another thread is inside one."""
        me = threading.get_ident()
        with self._lock:
            if machine.closed:
                raise RuntimeError(f"this Machine was {machine.closed}; make a new one")
            if any(inside is machine for inside, *_ in self._entered):
                raise RuntimeError("this Machine is already entered")
            if self._entered and self._entered[-1][2] != me:
                raise RuntimeError(
                    "another thread is inside `with Machine()`, and a machine holds for the whole process; "
                    "let threads share one machine, or run the programs one after the other"
                )
            before = frozenset(thread.ident for thread in threading.enumerate())
            self._entered.append((machine, self.current, me))
            self._bound[machine] = (me, before)
            self.current = machine

    def leave(self, machine: "Machine") -> None:
        """Close the machine and install the one before it again."""
        with self._lock:
            if not self._entered or self._entered[-1][0] is not machine:
                raise RuntimeError("machines are left in the reverse order of entering them")
            _, self.current, _ = self._entered.pop()
            me, before = self._bound[machine]
            for thread in threading.enumerate():
                if thread.ident != me and thread.ident not in before:
                    self._outlived.setdefault(thread, machine)
        machine.close(f"closed at {here()}")

    def turn(self) -> int:
        """The how many-th machine of this process it is."""
        return next(self._turns)

    def machine(self) -> "Machine":
        """The machine of a call from this thread."""
        machine: Machine | None = getattr(self._seen, "bound", None) or self.current
        seen: Machine | None = getattr(self._seen, "machine", None)
        if machine is None or seen is not machine:
            self._check_outlived()
            machine = self._seen.machine = machine or self._default()
        return machine

    def bind(self, machine: "Machine") -> None:
        """The calling thread is a worker of this machine, whichever is entered."""
        self._seen.bound = machine

    def _default(self) -> "Machine":
        from acl_runtime.machine.machine import Machine  # here, as machine.py imports this module

        with self._lock:
            if self.current is None:
                self.current = Machine()
                atexit.register(_report_at_exit, self.current)
            return self.current

    def _check_outlived(self) -> None:
        """ "A call from a thread that outlived its machine": one that started inside its block."""
        old = self._outlived.get(threading.current_thread())
        if old is not None:
            thread = threading.current_thread().name
            message = (
                f"thread {thread} calls the API, but the machine it was started in was {old.closed}. "
                "Join the threads that were started inside `with Machine()` before the block ends."
            )
            finding = Finding("machine-closed", "error", message, "", here())
            old.findings.append(finding)
            raise UndefinedBehaviour(finding)


def _report_at_exit(machine: "Machine") -> None:
    machine.close("closed at interpreter exit")
    findings = machine.findings.worth_telling
    if findings:
        total = len(findings) + machine.findings.unlisted
        print(f"acl_runtime: {total} finding(s) at exit", *findings, sep="\n", file=sys.stderr)


installation = Installation()


def current() -> "Machine":
    """The machine that calls of this thread work on; the default one is made at the first call."""
    return installation.machine()
