"""Notifies: one bit of a device that a task sets, and that another task waits for and clears.

A wait may be queued before the record. One record ends one wait. The bit lies in a word of this process, and after an
export in a page that processes share.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
from acl_runtime.objects.clock import SimulatedClock
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.site import Trail
from acl_runtime.streams.shared.sharing import SharedPage
from acl_runtime.streams.stream import Device, Stream, Task
from acl_runtime.text import Text

BIT: Final = 0
"""the word that is 1 after a record"""
WANTED: Final = 2
"""the word that is 1 while another process waits"""


class NotifyScheduler(Protocol):
    """The scheduler, as far as a notify needs it."""

    busy: dict[Stream, None]


class NotifyMachine(Protocol):
    """The machine, as far as a notify needs it."""

    clock: SimulatedClock

    @property
    def scheduler(self) -> NotifyScheduler:
        """The streams with queued tasks."""
        ...


class Notify(Thing):
    """aclrtNotify."""

    kind = Text("notify")
    destroyer = "aclrtDestroyNotify"

    def __init__(self, machine: NotifyMachine, device: Device, physical: int) -> None:
        """`physical`: the device of the process that created it."""
        super().__init__()
        self.device = device
        self.physical = physical
        self.id = device.notify_ids.take()
        self.machine = machine
        self.shared: SharedPage | None = None
        self.set_at = 0.0
        """simulated time of the last record"""
        self.last: Task | None = None
        """the task that recorded it last"""
        self._bit = 0
        self._users = 0
        """the tasks that are queued"""
        self._dismissed = False

    def used(self, by: int) -> None:
        """A task was queued (1), or has run (-1)."""
        self._users += by
        self._settle()

    def dismiss(self) -> None:
        """The program has destroyed the notify."""
        self._dismissed = True
        self._settle()

    def _settle(self) -> None:
        """A destroyed notify has no page any more when no task needs it."""
        if self._dismissed and not self._users and self.shared is not None:
            self.shared.end()

    @property
    def _open(self) -> SharedPage | None:
        """The page with the bit. None before an export, and after the end of the page."""
        return self.shared if self.shared is not None and self.shared.close.alive else None

    def set(self, bit: int) -> None:
        """Set or clear the bit."""
        shared = self._open
        if shared is None:
            self._bit = bit
        else:
            with shared.page.locked():
                shared.page[BIT] = bit
            shared.ring()

    def take(self) -> bool:
        """Clear the bit. False if it is not set."""
        shared = self._open
        if shared is None:
            taken, self._bit = self._bit, 0
            return bool(taken)
        page = shared.page
        if not page[BIT]:
            return False
        with page.locked():
            taken = page[BIT]
            if taken:
                page[BIT] = page[WANTED] = 0
        return bool(taken)

    def want(self) -> None:
        """Ask the other processes to run their records."""
        shared = self._open
        if shared is not None and not shared.page[WANTED]:
            shared.page[WANTED] = 1
            shared.ring()

    def share(self, shared: SharedPage) -> None:
        """Let the bit lie in a page from now on."""
        if self._bit:
            shared.page[BIT] = 1
        self.shared = shared

    # a shared object

    def rung(self) -> None:
        """Run the records of this process that another one waits for."""
        shared = self._open
        if shared is not None and shared.page[WANTED]:
            shared.sharing.demand(self)

    def pending(self) -> bool:
        """True if a record is queued, and the bit is not set."""
        return any(True for _ in self.sources())

    def sources(self) -> Iterable[Stream]:
        """The streams with records; none while the bit is set."""
        shared = self._open
        if shared is not None and shared.page[BIT]:
            return []
        return [
            stream
            for stream in self.machine.scheduler.busy
            if any(isinstance(task, NotifyRecord) and task.notify is self for task in stream.queue)
        ]


class NotifyRecord(Task):
    """The task that sets the bit."""

    enters = True

    def __init__(self, notify: Notify, trail: Trail | str) -> None:
        name = Text("record of {notify}", notify=notify)
        super().__init__(name, self._run, (), trail, done=self._record, publishes=True)
        self.notify = notify
        self._ran = False

    def entered(self) -> None:
        self.notify.used(1)
        if self.notify.shared is not None:
            self.notify.shared.sharing.publish(self)
            self.notify.rung()

    def again(self, repeated: Mapping[Task, Task]) -> "NotifyRecord":
        return NotifyRecord(self.notify, self.trail)

    def _run(self) -> None:
        self._ran = True

    def _record(self, time: float) -> None:
        """Set the bit at the end of the task, as a worker has the lock of the machine only then: whoever sees the bit
        sees its record too."""
        notify = self.notify
        if self._ran:  # it has not failed
            notify.set_at, notify.last = time, self
            notify.set(1)
        notify.used(-1)


class NotifyWait:
    """The condition of a task that waits for the bit. The task that sees the bit first takes it."""

    def __init__(self, notify: Notify, timeout: float | None) -> None:
        self._notify = notify
        self.timeout = timeout
        self._taken = False

    def ready(self) -> bool:
        """True if the task has taken the bit."""
        self._taken = self._taken or self._notify.take()
        return self._taken

    def time(self) -> float:
        """The simulated time of the record."""
        return self._notify.set_at

    def sources(self) -> Iterable[Stream]:
        """The streams of this process with a record; other processes are asked to run theirs."""
        self._notify.want()
        return self._notify.sources()

    def expired(self) -> DeviceFault:
        """The fault of a wait that reached its timeout."""
        text = f"a wait for {self} took longer than its timeout of {(self.timeout or 0) / 1e6:g} s"
        return DeviceFault(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, Item("EZ2001", (text,)))

    def __str__(self) -> str:
        return Text("a record of {notify}", notify=self._notify)


class NotifyWaitTask(Task):
    """The task that waits for the bit and clears it."""

    enters = True

    def __init__(self, notify: Notify, timeout: float | None, trail: Trail | str) -> None:
        wait = NotifyWait(notify, timeout)
        name = Text("wait for {notify}", notify=notify)
        super().__init__(name, self._learn, (), trail, wait=wait, done=self._over, opaque=True)
        self._notify, self._timeout = notify, timeout

    def entered(self) -> None:
        self._notify.used(1)

    def _over(self, _time: float) -> None:
        self._notify.used(-1)

    @property
    def grace(self) -> float:
        """Real seconds for which another process may still record the notify, at most the timeout."""
        seconds = self._notify.shared.grace() if self._notify.shared is not None else 0.0
        return seconds if self._timeout is None else min(seconds, self._timeout / 1e6)

    def again(self, repeated: Mapping[Task, Task]) -> "NotifyWaitTask":
        return NotifyWaitTask(self._notify, self._timeout, self.trail)

    def _learn(self) -> None:
        """The stream learns what is over before the record."""
        notify = self._notify
        if notify.shared is not None:
            self.host_clock = notify.shared.sharing.clock()
        elif notify.last is not None:
            self.host_clock = notify.last.clock
