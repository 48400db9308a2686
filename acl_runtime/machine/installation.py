"""Which machine the calls of this process work on: the stack of entered machines, which hangs on `process`.

Nothing here names `Machine`, which installs itself by its own `with` block: what an installed machine must offer is the
protocol `Installed`. The module `current` binds the two together, and says how a default machine is made.
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
from acl_runtime.checks.ports import Ended
from acl_runtime.checks.report.ending import Exits, drop_program
from acl_runtime.errors import Finding, Past, UndefinedBehaviour
from acl_runtime.objects.handle_table import Handles
from acl_runtime.process import process
from acl_runtime.source.frames import called, here
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Context


class Installed(Ended, Protocol):
    """What a machine must offer to be installed."""

    closed: str
    cut_short: bool
    lock: threading.RLock
    handles: Handles

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def context_of_caller(self) -> Context | None:
        """The current context of the calling thread, which need not have called this machine yet."""
        ...

    def close(self, site: str) -> None:
        """It ends."""
        ...


M = TypeVar("M", bound=Installed)
REPORT: Final = "ACL_EMULATOR_REPORT"
"""names the file that the default machine's report goes to, too"""


class Inherited(Exception):
    """A forked child calls the API, but has only the machine that was its parent's."""

    def __init__(self, machine: Installed, parent: int, forked: str) -> None:
        super().__init__(machine, parent)
        self._machine = machine
        self._parent = parent
        self._forked = forked

    def tell(self, call: str) -> None:
        """Record the finding, and raise it unless the machine only reports."""
        what = f"process {os.getpid()} uses the machine of process {self._parent}, from which it was forked."
        past = Past(f"process {os.getpid()} was forked", self._forked)
        self._machine.findings.add("fork-after-init", what, past, call=call)


class Seen(threading.local):
    """What a thread had to do with machines."""

    bound: Any = None
    """of a worker: its machine, whichever is entered"""
    machine: Any = None
    """the one that it used last"""
    known: tuple[Any, ThreadState] | None = None
    """the same, and what it knows of the thread, once a call has asked it"""
    left = ""
    """the context it had left current in the one before"""


class Installation(Generic[M]):
    """A stack of entered machines; under it, on demand, the default one."""

    def __init__(self) -> None:
        self.current: M | None = None
        self._unasked: M | None = None
        """the default machine, once there was one"""
        self.make: Callable[[], M] | None = None
        """makes the default machine, if not as a plain one"""
        self.finish: Callable[[], object] | None = None
        """what is done with the default machine at the end, if not a report"""
        atexit.register(self._at_exit)
        process.describe_handle = self._describe
        self._exits = Exits()
        self._entered: list[tuple[M, M | None, int]] = []
        self._lock = threading.Lock()
        self._seen = Seen()
        self._bound: WeakKeyDictionary[M, tuple[int, frozenset[int | None]]] = WeakKeyDictionary()
        """which thread entered a machine, and which threads were there already"""
        self._outlived: WeakKeyDictionary[threading.Thread, M] = WeakKeyDictionary()
        """threads that were started inside a machine's block and still ran at its end"""
        self._turns = itertools.count()
        self._process = 0
        """whose machines they are; 0 before the first"""
        self._inherited: tuple[M, int, str] | None = None
        """in a forked child: the machine that was current in its parent, the parent, the line of the fork"""
        self._parents: WeakSet[M] = WeakSet()
        """those that its parent is inside of"""

    def enter(self, machine: M) -> None:
        """Install the machine for the whole process; RuntimeError while another thread is inside one."""
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
            before = frozenset(thread.ident for thread in threading.enumerate())
            self._entered.append((machine, self.current, me))
            self._bound[machine] = (me, before)
            self.current = machine

    def leave(self, machine: M, site: str = "") -> None:
        """Close the machine and install the one before it again. `site`: where that is, if not the user's line."""
        site = site or here()
        with self._lock:
            if machine in self._parents:
                return  # a forked child leaves the block of its parent
            if not self._entered or self._entered[-1][0] is not machine:
                raise RuntimeError("machines are left in the reverse order of entering them")
            _, self.current, _ = self._entered.pop()
            me, before = self._bound[machine]
            for thread in threading.enumerate():
                if thread.ident != me and thread.ident not in before:
                    self._outlived.setdefault(thread, machine)
        machine.close(site)

    def turn(self) -> int:
        """The how many-th machine of this process it is."""
        return next(self._turns)

    def machine(self, plain: Callable[[], M]) -> M:
        """The machine of a call from this thread. `plain` makes the default one, if nothing else is to."""
        machine: M | None = self._seen.bound or self.current
        seen = self._seen.machine
        if machine is None or seen is not machine:
            if machine is None and self._inherited is not None:
                raise Inherited(*self._inherited)
            self.check_outlived()
            if seen is not None:
                self._seen.left = _current_in(seen)
            machine = self._seen.machine = machine or self._default(plain)
            self._seen.known = None
        return machine

    def caller(self, plain: Callable[[], M]) -> tuple[M, ThreadState | None]:
        """The machine of a call from this thread, and what that knows of the thread; None where nobody has told yet."""
        known = self._seen.known
        return known if known is not None and known[0] is self.current else (self.machine(plain), None)

    def meet(self, machine: M) -> ThreadState:
        """What the machine, which is locked, knows of the thread: told to `caller` from now on."""
        thread = machine.thread()
        self._seen.known = machine, thread
        return thread

    def elsewhere(self) -> str:
        """The context that the calling thread has in another machine, one around this one or the one it used before;
        empty if it has none."""
        outer = [_current_in(machine) for _, machine, _ in reversed(self._entered) if machine is not None]
        return next(filter(None, outer), "") or self._seen.left

    def bind(self, machine: M) -> None:
        """The calling thread is a worker of this machine, whichever is entered."""
        self._seen.bound = machine

    def _default(self, plain: Callable[[], M]) -> M:
        with self._lock:
            if self.current is None:
                self._watch_forks()
                self.current = self._unasked = (self.make or plain)()
                self._exits.watch(self._unasked)
            return self.current

    def _at_exit(self) -> None:
        """The interpreter ends. This was registered when the package was imported, so that what the program registered
        to clean up with has run."""
        if self._unasked is not None:
            drop_program()
        if self.finish is not None:
            self.finish()
        elif self._unasked is not None:
            _report_at_exit(self._unasked, failed=self._exits.failed())
        self._exits.restore()

    @property
    def default(self) -> M | None:
        """The default machine, once there is one."""
        return self._unasked

    @property
    def inherited(self) -> M | None:
        """In a forked child: the machine that was current in its parent."""
        return self._inherited[0] if self._inherited is not None else None

    def renew(self, site: str) -> M | None:
        """Close the default machine and forget it: the next call makes another one."""
        with self._lock:
            old = self._unasked
            if old is None or self.current is not old:
                return None
            self.current = self._unasked = None
        old.close(site)
        return old

    def _describe(self, number: int) -> str:
        """What the current machine knows of a handle, for its `repr`; empty if nothing."""
        handles = self.current.handles if self.current is not None else None
        known = handles and (handles.get(number) or handles.dead(number))
        if not known:
            return ""
        return f"{known}{', ' + known.ended if known.ended else ''}"

    def _watch_forks(self) -> None:
        if not self._process and hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        self._process = os.getpid()

    def _forked(self) -> None:
        """This is a forked child. Its parent's threads are not here, and what they had locked stays locked: nothing
        of its parent's is used or closed here, and machines of its own are made as if there were none."""
        machine, self.current = self.current, None
        if machine is not None:
            machine.lock._at_fork_reinit()  # pyright: ignore # so that machine.read() does not hang
            self._inherited = machine, self._process, here()
        self._parents.update(inside for inside, *_ in self._entered)
        self._lock = threading.Lock()
        self._seen = Seen()
        self._entered = []
        self._process = os.getpid()
        self._unasked = None

    def check_outlived(self, waited: str = "") -> None:
        """ "A call from a thread that outlived its machine": one that started inside its block. `waited`: the call in
        which the thread was when that ended."""
        old = self._outlived.get(threading.current_thread())
        if old is not None:
            thread = threading.current_thread().name
            check = CHECKS["machine-closed"]
            does = f"waited in {waited}" if waited else "calls the API"
            what = f"thread {thread} {does}, but the machine in which it was started was closed."
            past = (Past("the machine was closed", old.closed),)
            finding = Finding(
                check.id, check.level, what, waited or called(), here(), past, check.fixes.said(in_c=old.findings.in_c)
            )
            if not old.cut_short:
                old.findings.append(finding)
            raise UndefinedBehaviour(finding)


def _current_in(machine: Installed) -> str:
    """The calling thread's context there, and where its device was set."""
    context = machine.context_of_caller()
    if context is None:
        return ""
    return f"{context}" + (f", set at {context.device.set_at}" if context.primary and context.device.set_at else "")


def _report_at_exit(machine: Installed, *, failed: bool = False) -> None:
    machine.close("interpreter exit")
    write_report(machine)
    if machine.findings.worth_telling or machine.failed:
        from acl_runtime.checks.report.at_exit import last_report, unread  # late: most programs need none

        told = [last_report(machine, failed=failed)] if machine.findings.worth_telling else unread(machine)
        if told:
            print("\n\n".join(told), file=sys.stderr)


def write_report(machine: Installed) -> None:
    """To the file that the environment names, if it names one."""
    path = os.environ.get(REPORT)
    if path:
        from acl_runtime.checks.report.formats import write  # late: most programs need no report

        try:
            write(machine.findings, path)
        except OSError as error:
            print(f"acl_runtime: {REPORT}: {error}", file=sys.stderr)


installation: Final = process.own(Installation[Any])
