"""Events: marks in streams for which the host, or other streams, wait."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
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
from acl_runtime.streams.stream import Device, Ordering, Stream, Task
from acl_runtime.streams.vector_clock import VectorClock
from acl_runtime.text import Text

TIDY_AT: Final = 64
"""the length from which a list of waits is searched for waits that are over"""
WAITABLE: Final = 4
"""a flag without a public name: streams may wait for the event"""
PLAIN: Final = ACL_EVENT_CAPTURE_STREAM_PROGRESS | WAITABLE | ACL_EVENT_TIME_LINE
"""the flags of aclrtCreateEvent, which "implies 2 + 4 + 8 (sync-capable, stream mark, time line)" """


class Record:
    """One record of an event, which is done when the task of the record has run."""

    def __init__(self, event: Thing) -> None:
        self.event = event
        """the event; for the end of an execution, the model"""
        self.task: Task | None = None
        self.done = False
        self.reset = False
        """True if the device has reset the event after this record"""
        self.at = 0.0
        """simulated time"""

    def ran(self, time: float) -> None:
        """The task of the record has run. A reset that ran before the record had no effect."""
        self.done, self.at, self.reset = True, time, False

    grace = 0.0
    """real seconds for which another process may still record it"""

    def clock(self) -> VectorClock | None:
        """The vector clock: the actions that are over when the record has run. None while it is unknown."""
        return None if self.task is None else self.task.clock

    @property
    def dropped_from(self) -> Stream | None:
        """The stream that dropped this record with its work, so that the record never runs; None otherwise."""
        if self.done or self.task is None or self.task.queued:
            return None
        return self.task.stream

    @property
    def lost(self) -> bool:
        """True if an abort or stop mode dropped the record. A call that waits for the record returns the status of the
        stream."""
        stream = self.dropped_from
        return stream is not None and stream.refuses()

    # a goal of a host thread

    def reached(self) -> bool:
        """True if the record has run, or is lost."""
        return self.done or self.lost

    def time(self) -> float:
        """The simulated time of the record, in microseconds."""
        return self.at

    def streams(self) -> Iterable[Stream]:
        """The stream in which the record is queued; empty if the record was dropped."""
        return [self.task.stream] if self.task is not None and self.task.queued else []

    def __str__(self) -> str:
        if self.task is None:
            return str(self.event)
        task = Text("{task} in {stream}", task=self.task.name, stream=self.task.stream)
        values = {"event": self.event, "task": task, "place": self.task.launched}
        if self.dropped_from is not None:
            return Text("{event}, recorded by {task}, launched at {place}, which was dropped", **values)
        return Text("{event}, recorded by {task}, launched at {place}", **values)


class Event(Thing):
    """aclrtEvent. `new`: made by aclrtCreateEventExWithFlag, "re-recordable without reset"."""

    kind = Text("event")
    destroyer = "aclrtDestroyEvent"

    def __init__(self, device: Device, flags: int, *, new: bool) -> None:
        super().__init__()
        self.device = device
        self.id = device.event_ids.take()
        self.flags = flags
        self.new = new
        self.latest: Record | None = None
        """the record that was queued last"""
        self.reset_at = ""
        """the line that queued a reset after the latest record; empty without a reset"""
        self._expecting: list[EventWait] = []
        """waits for a SYNC event that were queued before any record"""
        self._waits: list[Task] = []
        self.unsettled: list[Task] = []
        """the waits for a classic event that the host may not know to be over"""
        self._tidy_unsettled_at = TIDY_AT
        self._tidy_waits_at = TIDY_AT

    @property
    def waitable(self) -> bool:
        """True if streams may wait for the event."""
        return bool(self.flags & (ACL_EVENT_SYNC | WAITABLE | ACL_EVENT_IPC))

    @property
    def timed(self) -> bool:
        """True if the records of the event have a time."""
        return bool(self.flags & ACL_EVENT_TIME_LINE)

    @property
    def external(self) -> bool:
        """True if the event is recorded outside of the streams of this process."""
        return self.flags == ACL_EVENT_EXTERNAL

    @property
    def between_processes(self) -> bool:
        """True if processes share the event. Such an event has no number and no time."""
        return self.flags == ACL_EVENT_IPC

    @property
    def device_only(self) -> bool:
        """True if the event is for the device only: the host cannot record it or wait for it."""
        return self.flags == ACL_EVENT_DEVICE_USE_ONLY

    @property
    def recorded(self) -> Record | None:
        """The record for which the next wait would wait: the latest, None after a reset."""
        return None if self.reset_at else self.latest

    def mark(self) -> Record:
        """A new record, which a task will do."""
        return Record(self)

    def look(self) -> None:
        """Learn of the records of other processes, which only an event between processes has."""

    def dismiss(self) -> None:
        """The program has destroyed the event."""

    def recorded_by(self, record: Record) -> Callable[[], None]:
        """A record is about to be queued. Waits without a record wait for this record. Returns the function that undoes
        this."""
        undo = partial(self._recorded_before, self.latest, self.reset_at, self._expecting)
        self.latest, self.reset_at = record, ""
        for wait in self._expecting:
            wait.record = record
        self._expecting = []
        return undo

    def _recorded_before(self, latest: Record | None, reset_at: str, expecting: "list[EventWait]") -> None:
        self.latest, self.reset_at, self._expecting = latest, reset_at, expecting
        for wait in expecting:
            wait.record = None

    def past(self) -> tuple[Past, ...]:
        """The history for a finding: the lines that made, recorded, reset and destroyed the event."""
        creation, *ended = super().past()
        marks = [Past(Text("{thing} was {how}", thing=self, how=how), site) for how, site in self._marks()]
        return creation, *marks, *ended

    def history(self) -> str:
        """The history as a text, for an error."""
        marks = [f"{what} at {site}" for what, site in self._marks()] or ["never recorded"]
        return ", ".join([f"created at {self.made}", *marks, *([self.ended] if self.ended else [])])

    def _marks(self) -> Iterator[tuple[str, str]]:
        if self.latest is not None and (task := self.latest.task) is not None:
            yield Text("recorded in {stream}", stream=task.stream), task.launched
        if self.reset_at:
            yield Text("reset"), self.reset_at

    def expect(self, wait: "EventWait") -> Callable[[], None]:
        """Let a wait without a record wait for the next record. Returns the function that undoes this."""
        self._expecting.append(wait)
        return partial(self._expecting.remove, wait)

    def awaited_by(self, task: Task, unfinished_of: Callable[[list[Task]], list[Task]]) -> None:
        """A task that waits for the event is queued. `unfinished_of`: picks the tasks that the host does not
        know to be over."""
        if not self.new:
            self.unsettled.append(task)
            if len(self.unsettled) > self._tidy_unsettled_at:
                self.unsettled = unfinished_of(self.unsettled)
                self._tidy_unsettled_at = max(TIDY_AT, 2 * len(self.unsettled))
        self._waits.append(task)
        if len(self._waits) > self._tidy_waits_at:
            waiting = {id(task.wait) for task in self.waits()}
            self._expecting = [wait for wait in self._expecting if id(wait) in waiting]
            self._tidy_waits_at = max(TIDY_AT, 2 * len(self._waits))

    def waits(self) -> list[Task]:
        """The queued tasks that wait for the event."""
        self._waits = [task for task in self._waits if task.queued]
        return self._waits


class EventWait(Ordering):
    """The condition of a task that waits for a record of an event."""

    def __init__(self, event: Thing, record: Record | None, timeout: float | None) -> None:
        self.event = event
        """the event, or the model, of the record"""
        self.record = record
        self.timeout = timeout

    def ready(self) -> bool:
        """True once the record is done."""
        return self.record is not None and self.record.done

    def clock(self) -> VectorClock | None:
        """The vector clock of the record. None while it is unknown."""
        return None if self.record is None else self.record.clock()

    def time(self) -> float:
        """The time at which the record was done."""
        return self.record.at if self.record is not None else 0.0

    def sources(self) -> Iterable[Stream]:
        """The stream in which the record is queued."""
        return self.record.streams() if self.record is not None else []

    def expired(self) -> DeviceFault:
        """The fault of a wait that reached its timeout."""
        text = f"a wait for {self}, took longer than its timeout of {(self.timeout or 0) / 1e6:g} s"
        return DeviceFault(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, Item("EZ2001", (text,)))

    def __str__(self) -> str:
        if self.record is None:
            return Text("{event}, which nobody has recorded", event=self.event)
        return str(self.record)
