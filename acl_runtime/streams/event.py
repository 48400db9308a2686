"""Events: marks in streams that the host, or other streams, wait for."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from acl_runtime.errors import DeviceFault, Past
from acl_runtime.headers.enums import (
    ACL_EVENT_CAPTURE_STREAM_PROGRESS,
    ACL_EVENT_DEVICE_USE_ONLY,
    ACL_EVENT_EXTERNAL,
    ACL_EVENT_IPC,
    ACL_EVENT_SYNC,
    ACL_EVENT_TIME_LINE,
)
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
from acl_runtime.objects.handle_table import Thing
from acl_runtime.streams.stream import Device, Stream, Task
from acl_runtime.streams.vector_clock import Clock

LOOK: Final = 64
WAITABLE: Final = 4
"""the flag without a public name: other streams may wait for the event"""
PLAIN: Final = ACL_EVENT_CAPTURE_STREAM_PROGRESS | WAITABLE | ACL_EVENT_TIME_LINE
"""of aclrtCreateEvent: "implies 2 + 4 + 8 (sync-capable, stream mark, time line)" """


class Record:
    """One record of an event: it is done when its task has run."""

    def __init__(self, event: "Event") -> None:
        self.event = event
        self.task: Task | None = None
        self.done = False
        self.reset = False
        """has a reset of it run since?"""
        self.at = 0.0
        """simulated time"""

    def ran(self, at: float) -> None:
        """Its task has run; a reset that ran before it had nothing to reset."""
        self.done, self.at, self.reset = True, at, False

    @property
    def lost(self) -> bool:
        """Was it dropped with the work of its stream, by an abort or in stop mode? It will never run then."""
        if self.done or self.task is None or self.task.queued:
            return False
        return bool(self.task.stream.aborted) or self.task.stream.context.fault is not None

    # a goal of a host thread

    def reached(self) -> bool:
        """Has it run, or is it lost?"""
        return self.done or self.lost

    def time(self) -> float:
        """When, in simulated microseconds."""
        return self.at

    def streams(self) -> Iterable[Stream]:
        """The stream it is queued in; none if it was dropped."""
        return [self.task.stream] if self.task is not None and self.task.queued else []

    def __str__(self) -> str:
        where = f" recorded by {self.task}" if self.task is not None else ""
        lost = ", which was dropped" if self.task is not None and not self.done and not self.task.queued else ""
        return f"{self.event},{where}{lost}" if where else str(self.event)


class Event(Thing):
    """aclrtEvent. `new`: made by aclrtCreateEventExWithFlag, "re-recordable without reset"."""

    kind = "event"
    destroyer = "aclrtDestroyEvent"

    def __init__(self, device: Device, flags: int, *, new: bool) -> None:
        super().__init__()
        self.device = device
        self.id = device.event_ids.take()
        self.flags = flags
        self.new = new
        self.latest: Record | None = None
        """the last record that was submitted"""
        self.forgotten = ""
        """where a reset was submitted since"""
        self._expecting: list[EventWait] = []
        """waits of a SYNC event that came before any record"""
        self._waits: list[Task] = []
        self.unsettled: list[Task] = []
        """of a classic event: its waits, but for some that the host knows to be over"""
        self._settled_at = LOOK
        """with so many it is time to forget those"""
        self._looked_at = LOOK
        """with so many waits it is time to forget those that are over"""

    @property
    def waitable(self) -> bool:
        """May streams wait for it?"""
        return bool(self.flags & (ACL_EVENT_SYNC | WAITABLE | ACL_EVENT_IPC))

    @property
    def timed(self) -> bool:
        """Does it carry the time?"""
        return bool(self.flags & ACL_EVENT_TIME_LINE)

    @property
    def external(self) -> bool:
        """Does it belong to what is outside of this process's streams?"""
        return self.flags == ACL_EVENT_EXTERNAL

    @property
    def between_processes(self) -> bool:
        """Is it for several processes? It has no number and no time then."""
        return self.flags == ACL_EVENT_IPC

    @property
    def device_only(self) -> bool:
        """Is it for the device alone? The host can neither record nor wait for it."""
        return self.flags == ACL_EVENT_DEVICE_USE_ONLY

    @property
    def recorded(self) -> Record | None:
        """The record that a wait, submitted now, waits for."""
        return None if self.forgotten else self.latest

    def record(self) -> Record:
        """A new record; who waited for one gets it."""
        self.latest, self.forgotten = Record(self), ""
        for wait in self._expecting:
            wait.record = self.latest
        self._expecting = []
        return self.latest

    def past(self) -> tuple[Past, ...]:
        """For a finding: where it was made, recorded last, reset since, and how it ended."""
        made, *ended = super().past()
        return made, *(Past(f"{self} was {what}", site) for what, site in self._marks()), *ended

    def history(self) -> str:
        """The same for an error text."""
        marks = [f"{what} at {site}" for what, site in self._marks()] or ["never recorded"]
        return ", ".join([f"created at {self.made}", *marks, *([self.ended] if self.ended else [])])

    def _marks(self) -> Iterator[tuple[str, str]]:
        if self.latest is not None and (task := self.latest.task) is not None:
            yield f"recorded in {task.stream}", task.launched
        if self.forgotten:
            yield "reset", self.forgotten

    def expect(self, wait: "EventWait") -> None:
        """A wait for the next record."""
        self._expecting.append(wait)

    def awaited_by(self, task: Task, going_on: Callable[[list[Task]], list[Task]]) -> None:
        """A task waits for it. `going_on` picks the tasks that the host does not know to be over."""
        if not self.new:
            self.unsettled.append(task)
            if len(self.unsettled) > self._settled_at:
                self.unsettled = going_on(self.unsettled)
                self._settled_at = max(LOOK, 2 * len(self.unsettled))
        self._waits.append(task)
        if len(self._waits) > self._looked_at:
            waiting = {id(each.wait) for each in self.waits()}
            self._expecting = [wait for wait in self._expecting if id(wait) in waiting]
            self._looked_at = max(LOOK, 2 * len(self._waits))

    def waits(self) -> list[Task]:
        """The tasks that still wait for it."""
        self._waits = [task for task in self._waits if task.queued]
        return self._waits


class EventWait:
    """A task of a stream waits for a record of an event."""

    def __init__(self, event: Event, record: Record | None, timeout: float | None) -> None:
        self.event = event
        self.record = record
        self.timeout = timeout

    def ready(self) -> bool:
        """Is the record done?"""
        return self.record is not None and self.record.done

    def clock(self) -> Clock | None:
        """What is over when the record has run; None while that is not known."""
        return None if self.record is None or self.record.task is None else self.record.task.clock

    def time(self) -> float:
        """When it was done."""
        return self.record.at if self.record is not None else 0.0

    def sources(self) -> Iterable[Stream]:
        """The stream that holds the record."""
        return self.record.streams() if self.record is not None else []

    def expired(self) -> DeviceFault:
        """The stream fails."""
        text = f"a wait for {self}, took longer than its timeout of {(self.timeout or 0) / 1e6:g} s"
        return DeviceFault(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, Item("EZ2001", (text,)))

    def __str__(self) -> str:
        return f"{self.event}, which nobody has recorded" if self.record is None else str(self.record)
