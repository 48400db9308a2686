"""The machines of this process: the stack of entered machines, and the default machine below it.

`MachineStack`, of which `acl_runtime.process` has the only object, decides which machine gets the calls of this
process. This module does not import `Machine`: a machine installs itself when its `with` block is entered. The protocol
`Installed` lists the members of a machine that this module uses. The module `current` connects `MachineStack` and
`Machine`, and defines how a default machine is made.
"""

import atexit
import itertools
import os
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from acl_runtime.checks.catalogue import CHECKS
from acl_runtime.checks.language import explained, line
from acl_runtime.checks.ports import EndedMachine
from acl_runtime.checks.report.ending import Exits, drop_program
from acl_runtime.errors import Finding, Past, UndefinedBehaviour
from acl_runtime.machine.tracebacks import shorten_tracebacks
from acl_runtime.objects.handle_table import Handles
from acl_runtime.objects.options import Options
from acl_runtime.own_rank import path_of_rank, say
from acl_runtime.process import process
from acl_runtime.source.frames import called, here
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Context
from acl_runtime.text import Text


class Installed(EndedMachine, Protocol):
    """The members of a machine that this module uses."""

    options: Options
    closed: str
    cut_short: bool
    lock: threading.RLock
    handles: Handles

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def context_of_caller(self) -> Context | None:
        """The current context of the calling thread, even if the thread has not called this machine yet."""
        ...

    def close(self, site: str) -> None:
        """End the machine, and return its address ranges."""
        ...

    def end(self, site: str) -> None:
        """The first part of `close`. The caller must hold the lock."""
        ...

    def release(self) -> None:
        """The second part of `close`."""
        ...

    def forked(self) -> None:
        """Close what only the parent of a forked child needs."""
        ...


M = TypeVar("M", bound=Installed)
BUSY: Final = Text("another thread did not return from its call, so what is left behind is not reported")
"""the text about a machine that cannot be ended: see `MachineStack.end`"""
REPORT: Final = "ACL_EMULATOR_REPORT"
"""environment variable with the path of a file to which the report of the default machine is also written"""


class Ended(Exception):
    """Raised if the machine of a call was closed, by the end of the process or by another thread."""


class EndedBefore(Ended):
    """Raised if the machine was closed while a call waited for its lock. The call has no effect."""


class Inherited(Exception):
    """Raised if a forked child calls the API and has only the machine of its parent."""

    def __init__(self, machine: Installed, parent: int, forked: str) -> None:
        super().__init__(machine, parent)
        self._machine = machine
        self._parent = parent
        self._forked = forked

    def report(self, call: str) -> None:
        """Record the finding `fork-after-init`, and raise it unless findings are only reported."""
        what = Text(
            "process {pid} uses the machine of process {parent}, from which it was forked.",
            pid=os.getpid(),
            parent=self._parent,
        )
        past = Past(Text("process {pid} was forked", pid=os.getpid()), self._forked)
        self._machine.findings.add("fork-after-init", what, past, call=call)


NO_STATE: Final = ("no machine", None)
"""in place of a machine and its `ThreadState`, for a thread that has called no machine yet"""


class ThreadMachines(threading.local):
    """The machines that one thread used."""

    bound: Any = None
    """the machine of a worker thread, which it uses even while another machine is entered"""
    machine: Any = None
    """the machine that the thread used last"""
    state: tuple[Any, Any] = NO_STATE
    """cache: the machine used last, and the `ThreadState` of this thread in it. The boundary uses the cache if that
    machine is current, and renews it otherwise"""
    left = ""
    """the current context of the thread in the machine that it used before, as a text"""


class MachineStack(Generic[M]):
    """The stack of entered machines, and the default machine below it, which is made on demand."""

    def __init__(self) -> None:
        self.current: M | None = None
        self._default_machine: M | None = None
        """the default machine; None before it is made"""
        self.make: Callable[[], M] | None = None
        """makes the default machine; None: `machine` makes it with its argument `plain`"""
        self.finish: Callable[[], object] | None = None
        """hook: called at exit instead of the report of the default machine"""
        self.changed: Callable[[M | None], object] | None = None
        """hook: called with the machine that becomes current; set by the library of a C program"""
        atexit.register(self.at_exit)
        shorten_tracebacks()
        process.describe_handle = self._describe
        self._exits = Exits()
        self._entered: list[tuple[M, M | None, int]] = []
        self._lock = threading.Lock()
        self.seen = ThreadMachines()
        self._bound: WeakKeyDictionary[M, tuple[int, frozenset[int | None]]] = WeakKeyDictionary()
        """the thread that entered a machine, and the threads that existed at that time; by machine"""
        self._leftover_threads: WeakKeyDictionary[threading.Thread, M] = WeakKeyDictionary()
        """threads that were started inside the block of a machine and were running at its end, with the machine"""
        self._turns = itertools.count()
        self._over = False
        """True after the process has ended its default machine; it makes no other"""
        self._process = 0
        """the id of the process that made the machines; 0 before the first machine"""
        self._inherited: tuple[M, int, str] | None = None
        """in a forked child: the machine that was current in the parent, the id of the parent, the line of the fork"""
        self._parents: WeakSet[M] = WeakSet()
        """in a forked child: the machines that the parent has entered"""

    def _use(self, machine: M | None) -> None:
        """Make this machine current."""
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
        """Close the machine of the innermost block, and make the previous machine current. `site`: the line that closes
        it; by default the running line of the program."""
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
                    self._leftover_threads.setdefault(thread, machine)
        machine.close(site)

    def turn(self) -> int:
        """A number for a new machine of this process, from 0 on."""
        return next(self._turns)

    def machine(self, plain: Callable[[], M]) -> M:
        """The machine for the calls of this thread. `plain` makes the default machine, unless `make` is set."""
        machine: M | None = self.seen.bound or self.current
        if self._over if machine is None else machine.closed:
            raise Ended
        last_machine = self.seen.machine
        if machine is None or last_machine is not machine:
            if machine is None and self._inherited is not None:
                raise Inherited(*self._inherited)
            self.check_leftover_thread()
            if last_machine is not None:
                self.seen.left = _current_in(last_machine)
            machine = self.seen.machine = machine or self._default(plain)
            self.seen.state = NO_STATE
        return machine

    def update_cache(self, machine: M) -> ThreadState:
        """Cache the state of the calling thread in the machine, and return it. The caller must hold the lock."""
        thread = machine.thread()
        self.seen.state = machine, thread
        return thread

    def elsewhere(self) -> str:
        """The current context of the calling thread in another machine, as a text: a machine of an outer block, or one
        that the thread used before. Empty if there is none."""
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

    def at_exit(self) -> None:
        """End the default machine when the interpreter ends. The program's own hooks have run before, as they were
        registered after the import of this package."""
        if self._default_machine is not None:
            drop_program()
        if self.finish is not None:
            self.finish()
        elif self._default_machine is not None:
            failed = self._exits.failed()
            if not self.end("interpreter exit"):
                say(f"acl_runtime: {line(BUSY, self._default_machine.findings.lang)}")
            _report_at_exit(self._default_machine, failed=failed)
        self._exits.restore()

    def end(self, site: str, before: Callable[[M], object] | None = None) -> bool:
        """End the default machine at the end of the process. `before` is called with the machine first.

        Other threads may call the API meanwhile. A call that holds the lock is completed. Later calls do nothing,
        return 0 or null, and acquire no lock: Python stops daemon threads at its end, and one of them may hold a lock.
        Returns False, without a change of the machine, if another thread does not release the lock within `patience`
        seconds."""
        machine = self._default_machine
        assert machine is not None, "called only if there is a default machine"
        locked = machine.lock.acquire(timeout=machine.options.patience)
        try:
            if locked:
                if before is not None:
                    before(machine)
                machine.end(site)
        finally:
            self._over = True
            self._use(None)
            if locked:
                machine.lock.release()
        if locked:
            machine.release()
        return locked

    @property
    def default(self) -> M | None:
        """The default machine; None before it is made."""
        return self._default_machine

    @property
    def inherited(self) -> M | None:
        """The machine that was current in the parent of a forked child."""
        return self._inherited[0] if self._inherited is not None else None

    def renew(self, site: str) -> M | None:
        """Close the default machine and drop it; the next call makes another one."""
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
        """Reset this object in a forked child. The threads of the parent do not run in the child, and the locks that
        they held stay locked. So the child neither uses nor closes a machine of its parent, but makes new machines."""
        machine = self.current
        self._use(None)
        if machine is not None:
            machine.lock._at_fork_reinit()  # pyright: ignore # so that machine.read() does not hang
            machine.forked()
            self._inherited = machine, self._process, here()
        self._parents.update(inside for inside, *_ in self._entered)
        self._lock = threading.Lock()
        self.seen = ThreadMachines()
        self._entered = []
        self._process = os.getpid()
        self._default_machine = None
        self._over = False

    def check_leftover_thread(self, waited: str = "") -> None:
        """Report "A call from a thread that outlived its machine": the thread was started inside the block of the
        machine, and the block has ended. `waited`: the call in which the thread waited at that time."""
        old = self._leftover_threads.get(threading.current_thread())
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
    """The default machine of a Python program, which allows the findings whose ids the environment lists."""
    machine.findings.allow_by_environment()
    return machine


def _report_at_exit(machine: Installed, *, failed: bool = False) -> None:
    write_report(machine)
    if machine.findings.worth_telling or machine.failed or machine.kernels.missed:
        from acl_runtime.checks.report.at_exit import last_report, unread, without_kernel  # late: most need none

        quiet = not machine.findings.worth_telling
        texts = [*unread(machine), *without_kernel(machine)] if quiet else [last_report(machine, failed=failed)]
        if texts:
            say("\n\n".join(texts))


def write_report(machine: Installed) -> None:
    """Write the report of a machine to the file that the environment names, if it names one."""
    path = os.environ.get(REPORT)
    if path:
        from acl_runtime.checks.report.formats import write  # late: most programs need no report

        try:
            write(machine.findings, path_of_rank(path))
        except OSError as error:
            say(f"acl_runtime: {REPORT}: {error}")


installation: Final = process.own(MachineStack[Any])
