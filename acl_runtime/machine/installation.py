"""The machines of this process: the stack of entered machines, and the default machine below it.

The one `MachineStack` decides on which machine the calls of this process work. It is stored in `acl_runtime.process`.
This module does not import `Machine`: a machine installs itself when its `with` block is entered. The protocol
`Installed` lists the members that this module needs of a machine. The module `current` connects `MachineStack` and
`Machine`, and defines how a default machine is made.
"""

import atexit
import itertools
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.language import explained, line
from acl_runtime.checks.ports import EndedMachine
from acl_runtime.checks.report.ending import Exits, drop_program
from acl_runtime.errors import Finding, Past, UndefinedBehaviour
from acl_runtime.objects.handle_table import Handles
from acl_runtime.objects.options import Options
from acl_runtime.process import process
from acl_runtime.source.frames import called, here
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Context
from acl_runtime.text import Text


class Installed(EndedMachine, Protocol):
    """A machine that can be installed, as this module needs it."""

    options: Options
    closed: str
    cut_short: bool
    lock: threading.RLock
    handles: Handles

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def context_of_caller(self) -> Context | None:
        """The current context of the calling thread. The thread may not have called this machine yet."""
        ...

    def close(self, site: str) -> None:
        """End the machine, and return its address ranges."""
        ...

    def end(self, site: str) -> None:
        """The first part of `close`. The lock is held."""
        ...

    def release(self) -> None:
        """The second part of `close`."""
        ...


M = TypeVar("M", bound=Installed)
BUSY: Final = Text("another thread did not return from its call, so what is left behind is not reported")
"""the text for a machine that cannot be ended: see `MachineStack.end`"""
REPORT: Final = "ACL_EMULATOR_REPORT"
"""environment variable: the path of a file that also gets the report of the default machine"""


class Ended(Exception):
    """The machine of a call was closed, by the end of the process or by another thread."""


class EndedBefore(Ended):
    """The machine was closed while a call waited for its lock. The call has done nothing yet."""


class Inherited(Exception):
    """A forked child calls the API, and the only machine that it has is that of its parent."""

    def __init__(self, machine: Installed, parent: int, forked: str) -> None:
        super().__init__(machine, parent)
        self._machine = machine
        self._parent = parent
        self._forked = forked

    def report(self, call: str) -> None:
        """Record the finding, and raise it unless the machine only reports."""
        what = Text(
            "process {pid} uses the machine of process {parent}, from which it was forked.",
            pid=os.getpid(),
            parent=self._parent,
        )
        past = Past(Text("process {pid} was forked", pid=os.getpid()), self._forked)
        self._machine.findings.add("fork-after-init", what, past, call=call)


NOBODY: Final = ("no machine", None)
"""stands for a machine and its `ThreadState`, where a thread has called none yet"""


class ThreadMachines(threading.local):
    """The machines that one thread used."""

    bound: Any = None
    """the machine of a worker thread, even while another machine is entered"""
    machine: Any = None
    """the machine that the thread used last"""
    state: tuple[Any, Any] = NOBODY
    """cache: the machine used last, and its `ThreadState` of this thread. The boundary uses it if that machine is the
    current one, and renews it otherwise"""
    left = ""
    """the current context of the thread in the machine that it used before, as text"""


class MachineStack(Generic[M]):
    """The stack of entered machines; below it the default machine, which is made on demand."""

    def __init__(self) -> None:
        self.current: M | None = None
        self._default_machine: M | None = None
        """the default machine, once one was made"""
        self.make: Callable[[], M] | None = None
        """makes the default machine; None: a plain one is made"""
        self.finish: Callable[[], object] | None = None
        """called at exit instead of the report of the default machine"""
        self.changed: Callable[[M | None], object] | None = None
        """hook: called with the machine that becomes the current one; set by the library of a C program"""
        atexit.register(self._at_exit)
        process.describe_handle = self._describe
        self._exits = Exits()
        self._entered: list[tuple[M, M | None, int]] = []
        self._lock = threading.Lock()
        self.seen = ThreadMachines()
        self._bound: WeakKeyDictionary[M, tuple[int, frozenset[int | None]]] = WeakKeyDictionary()
        """the thread that entered a machine, and the threads that existed then; by machine"""
        self._outlived: WeakKeyDictionary[threading.Thread, M] = WeakKeyDictionary()
        """threads that were started inside the block of a machine and still ran at its end"""
        self._turns = itertools.count()
        self._over = False
        """True once the process has ended its default machine, for good"""
        self._process = 0
        """the id of the process that made the machines; 0 before the first"""
        self._inherited: tuple[M, int, str] | None = None
        """the machine that was current in the parent of a forked child, the parent, the line of the fork"""
        self._parents: WeakSet[M] = WeakSet()
        """the machines that the parent of a forked child has entered"""

    def _use(self, machine: M | None) -> None:
        """Make this machine the current one."""
        self.current = machine
        if self.changed is not None:
            self.changed(machine)

    def enter(self, machine: M) -> None:
        """Install the machine for the whole process; RuntimeError if another thread has entered a machine."""
        me = threading.get_ident()
        with self._lock:
            if machine.closed:
                raise RuntimeError(f"this Machine was closed at {machine.closed}; make a new one")
            if machine in self._parents or any(inside is machine for inside, *_ in self._entered):
                raise RuntimeError("this Machine is already entered")
            self._watch_forks()
            if self._entered and self._entered[-1][2] != me:
                raise RuntimeError(
                    "another thread is inside `with Machine()`, and a machine holds for the whole process; "
                    "let threads share one machine, or run the programs one after the other"
                )
            threads = frozenset(thread.ident for thread in threading.enumerate())
            self._entered.append((machine, self.current, me))
            self._bound[machine] = (me, threads)
            self._use(machine)

    def leave(self, machine: M, site: str = "") -> None:
        """Install the machine before this one again, and close this one. `site`: the line that closes it; by default
        the running line of the program."""
        site = site or here()
        with self._lock:
            if machine in self._parents:
                return  # a forked child leaves the block of its parent
            if not self._entered or self._entered[-1][0] is not machine:
                raise RuntimeError("machines are left in the reverse order of entering them")
            _, outer, _ = self._entered.pop()
            self._use(outer)
            me, threads = self._bound[machine]
            for thread in threading.enumerate():
                if thread.ident != me and thread.ident not in threads:
                    self._outlived.setdefault(thread, machine)
        machine.close(site)

    def turn(self) -> int:
        """A number for a new machine of this process, from 0 on."""
        return next(self._turns)

    def machine(self, plain: Callable[[], M]) -> M:
        """The machine on which a call of this thread works. `plain` makes the default one, unless `make` is set."""
        machine: M | None = self.seen.bound or self.current
        if self._over if machine is None else machine.closed:
            raise Ended
        last_machine = self.seen.machine
        if machine is None or last_machine is not machine:
            if machine is None and self._inherited is not None:
                raise Inherited(*self._inherited)
            self.check_outlived()
            if last_machine is not None:
                self.seen.left = _current_in(last_machine)
            machine = self.seen.machine = machine or self._default(plain)
            self.seen.state = NOBODY
        return machine

    def meet(self, machine: M) -> ThreadState:
        """Cache the machine's state of the calling thread, and return it. The caller must hold the machine's lock."""
        thread = machine.thread()
        self.seen.state = machine, thread
        return thread

    def elsewhere(self) -> str:
        """The current context of the calling thread in another machine, as text. That machine belongs to an outer
        block, or the thread used it before. Empty if there is none."""
        outer = [_current_in(machine) for _, machine, _ in reversed(self._entered) if machine is not None]
        return next(filter(None, outer), "") or self.seen.left

    def bind(self, machine: M) -> None:
        """Make the calling thread a worker of this machine, even while another machine is entered."""
        self.seen.bound = machine

    def _default(self, plain: Callable[[], M]) -> M:
        with self._lock:
            if self.current is not None:
                return self.current
            self._watch_forks()
            machine = self._default_machine = self.make() if self.make else allowing(plain())
            self._use(machine)
            self._exits.watch(machine)
            return machine

    def _at_exit(self) -> None:
        """The interpreter ends. This was registered when the package was imported, so the program's own hooks, which
        were registered later, have run."""
        if self._default_machine is not None:
            drop_program()
        if self.finish is not None:
            self.finish()
        elif self._default_machine is not None:
            failed = self._exits.failed()
            if not self.end("interpreter exit"):
                print(f"acl_runtime: {line(BUSY, self._default_machine.findings.lang)}", file=sys.stderr)
            _report_at_exit(self._default_machine, failed=failed)
        self._exits.restore()

    def end(self, site: str, before: Callable[[M], object] | None = None) -> bool:
        """The process ends: end the default machine, for good. `before` is called with it first.

        Other threads may still call. A call that has the lock is completed. Later calls return 0 or null, do
        nothing and take no lock: Python stops daemon threads when it is finalised, and one of them may hold a lock.
        False if another thread does not give the lock back for `patience` seconds: the machine then is not changed."""
        machine = self._default_machine
        assert machine is not None, "the caller has asked"
        ours = machine.lock.acquire(timeout=machine.options.patience)
        try:
            if ours:
                if before is not None:
                    before(machine)
                machine.end(site)
        finally:
            self._over = True
            self._use(None)
            if ours:
                machine.lock.release()
        if ours:
            machine.release()
        return ours

    @property
    def default(self) -> M | None:
        """The default machine; None before it is made."""
        return self._default_machine

    @property
    def inherited(self) -> M | None:
        """The machine that was current in the parent of a forked child."""
        return self._inherited[0] if self._inherited is not None else None

    def renew(self, site: str) -> M | None:
        """Close the default machine and drop it: the next call makes another one."""
        with self._lock:
            old = self._default_machine
            if old is None or self.current is not old:
                return None
            self._default_machine = None
            self._use(None)
        old.close(site)
        return old

    def _describe(self, number: int) -> str:
        """The object of a handle in the current machine, for the `repr` of the handle; empty if there is none."""
        handles = self.current.handles if self.current is not None else None
        thing = handles and (handles.get(number) or handles.dead(number))
        if not thing:
            return ""
        return f"{thing}{', ' + thing.ended if thing.ended else ''}"

    def _watch_forks(self) -> None:
        if not self._process and hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        self._process = os.getpid()

    def _forked(self) -> None:
        """This process is a forked child. The threads of its parent do not run in it, and the locks that they held
        stay locked. So the child neither uses nor closes a machine of its parent. It makes machines of its own."""
        machine = self.current
        self._use(None)
        if machine is not None:
            machine.lock._at_fork_reinit()  # pyright: ignore # so that machine.read() does not hang
            self._inherited = machine, self._process, here()
        self._parents.update(inside for inside, *_ in self._entered)
        self._lock = threading.Lock()
        self.seen = ThreadMachines()
        self._entered = []
        self._process = os.getpid()
        self._default_machine = None
        self._over = False

    def check_outlived(self, waited: str = "") -> None:
        """Report "A call from a thread that outlived its machine". The thread was started inside the block of the
        machine, and the block has ended. `waited`: the call in which the thread waited at that time."""
        old = self._outlived.get(threading.current_thread())
        if old is not None:
            thread = threading.current_thread().name
            check = CHECKS["machine-closed"]
            what = Text(
                "thread {thread} {does}, but the machine in which it was started was closed.",
                thread=thread,
                does=Text("waited in {call}", call=waited) if waited else Text("calls the API"),
            )
            past = (Past(Text("the machine was closed"), old.closed),)
            lang, in_c = old.findings.lang, old.findings.in_c
            hint = check.fixes.wording(in_c=in_c)
            in_words = explained(check, what, past, hint, lang, in_c=in_c)
            finding = Finding(
                check.id,
                check.level,
                what,
                waited or called(),
                here(),
                past,
                hint,
                in_words,
                old.findings.allowed_by(check.id),
            )
            if not old.cut_short:
                old.findings.append(finding)
            raise UndefinedBehaviour(finding)


def _current_in(machine: Installed) -> str:
    """A text with the current context of the calling thread in a machine, and the line that set its device."""
    context = machine.context_of_caller()
    if context is None:
        return ""
    return f"{context}" + (f", set at {context.device.set_at}" if context.primary and context.device.set_at else "")


def allowing(machine: M) -> M:
    """The default machine of a Python program, with the findings allowed that the environment names."""
    machine.findings.allow_by_environment()
    return machine


def _report_at_exit(machine: Installed, *, failed: bool = False) -> None:
    write_report(machine)
    if machine.findings.worth_telling or machine.failed or machine.kernels.missed:
        from acl_runtime.checks.report.at_exit import last_report, unread, without_kernel  # late: most need none

        quiet = not machine.findings.worth_telling
        texts = [*unread(machine), *without_kernel(machine)] if quiet else [last_report(machine, failed=failed)]
        if texts:
            print("\n\n".join(texts), file=sys.stderr)


def write_report(machine: Installed) -> None:
    """Write the report of a machine to the file that the environment names, if it names one."""
    path = os.environ.get(REPORT)
    if path:
        from acl_runtime.checks.report.formats import write  # late: most programs need no report

        try:
            write(machine.findings, path)
        except OSError as error:
            print(f"acl_runtime: {REPORT}: {error}", file=sys.stderr)


installation: Final = process.own(MachineStack[Any])
