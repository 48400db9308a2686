"""Events of several processes (ACL_EVENT_IPC).

The records of an event have numbers, in all processes together. A wait is for the number that is the latest one when
the wait is queued.
"""

from collections.abc import Callable, Iterable
from typing import Final

from acl_runtime.streams.event import Event, Record
from acl_runtime.streams.shared.sharing import SharedPage, Sharing
from acl_runtime.streams.stream import Stream
from acl_runtime.streams.vector_clock import VectorClock
from acl_runtime.text import Text

QUEUED: Final = 0
"""the word with the number of the latest record that was queued"""
DONE: Final = 1
"""the word with the greatest number that has run"""
WANTED: Final = 2
"""the word with the greatest number for which a process waits"""


class SharedEvent(Event):
    """An event that processes may share. Before it is exported it has no page, and its records have no numbers."""

    shared: SharedPage | None = None
    _dismissed = False
    _queued: "tuple[OwnRecord, ...]" = ()
    """the records of this process that have a number and may not have run yet"""
    _distant: "tuple[DistantRecord, ...]" = ()
    """the records of other processes that have not run yet"""

    def mark(self) -> Record:
        return OwnRecord(self)

    def export(self, sharing: Sharing, kind: str) -> SharedPage:
        """The page of the event, which other processes may open from now on."""
        if self.shared is None:
            self.shared = sharing.export(self, kind, self.device.physical, anybody=True)
            if isinstance(self.latest, OwnRecord):
                self._number(self.shared, self.latest)
                if self.latest.done:
                    self.ran(self.latest)
        return self.shared

    def open(self, sharing: Sharing, file: int) -> None:
        """Take the page of another process, which lies in a file."""
        self.shared = sharing.attach(self, file)
        self.look()

    def recorded_by(self, record: Record) -> Callable[[], None]:
        undo, shared = super().recorded_by(record), self.shared
        if shared is None or not isinstance(record, OwnRecord):
            return undo
        self._number(shared, record)

        def take_back() -> None:
            undo()
            with shared.page.locked():
                shared.page[QUEUED] -= shared.page[QUEUED] == record.number

        return take_back

    def look(self) -> None:
        shared = self.shared
        if shared is None or not shared.close.alive or shared.page[QUEUED] <= getattr(self.latest, "number", 0):
            return
        record = DistantRecord(self, shared, shared.page[QUEUED])
        self.latest, self.reset_at = record, ""
        if not record.done:
            self._distant = (*self._distant, record)

    def ran(self, record: "OwnRecord") -> None:
        """A record of this process has run."""
        shared = self.shared
        if shared is not None and record.number and shared.close.alive:
            with shared.page.locked():
                shared.page[DONE] = max(shared.page[DONE], record.number)
            shared.ring()
            self._settle()

    def dismiss(self) -> None:
        self._dismissed = True
        self._settle()

    # a shared object

    def rung(self) -> None:
        """Note which records of other processes have run, and run those of this process that others wait for."""
        if self.shared is not None:
            for record in self._distant:
                record.check()
            self.shared.sharing.demand(self)
            self._settle()

    def pending(self) -> bool:
        """True if a record is queued for which another process waits."""
        return any(True for _ in self.sources())

    def sources(self) -> Iterable[Stream]:
        """The streams with such records."""
        number = self.shared.page[WANTED] if self.shared is not None and self.shared.close.alive else 0
        return [
            stream
            for record in self._queued
            if record.number <= number and not record.done
            for stream in record.streams()
        ]

    def _settle(self) -> None:
        """Forget the records that have run. A destroyed event has no page any more when no task needs it."""
        self._queued = tuple(record for record in self._queued if not record.done and not record.dropped_from)
        self._distant = tuple(record for record in self._distant if not record.done)
        if self._dismissed and self.shared is not None and not self._queued and not self._distant:
            self.shared.end()

    def _number(self, shared: SharedPage, record: "OwnRecord") -> None:
        """Give a record the next number."""
        with shared.page.locked():
            shared.page[QUEUED] = record.number = shared.page[QUEUED] + 1
        self._queued = (*self._queued, record)
        if record.task is not None:
            shared.sharing.publish(record.task)


class OwnRecord(Record):
    """A record of this process."""

    event: SharedEvent
    number = 0

    def __init__(self, event: SharedEvent) -> None:
        super().__init__(event)
        self.event = event

    def ran(self, time: float) -> None:
        super().ran(time)
        self.event.ran(self)


class DistantRecord(Record):
    """A record of another process."""

    def __init__(self, event: Event, shared: SharedPage, number: int) -> None:
        super().__init__(event)
        self.number = number
        self._shared = shared
        self._clock = shared.sharing.clock()
        self._asked = False
        self.check()

    def check(self) -> None:
        """Note whether it has run."""
        self.done = self.done or (self._shared.close.alive and self._shared.page[DONE] >= self.number)

    def clock(self) -> VectorClock:
        return self._clock

    def streams(self) -> Iterable[Stream]:
        """None of this process; the other process is asked to run it."""
        shared = self._shared
        if not self._asked and not self.done and shared.close.alive:
            self._asked = True
            with shared.page.locked():
                shared.page[WANTED] = max(shared.page[WANTED], self.number)
            shared.ring()
        return ()

    @property
    def grace(self) -> float:
        """Without a limit, while another process lives that has the event."""
        return 0.0 if self.done else self._shared.grace()

    def __str__(self) -> str:
        if self.done or self._shared.others():
            return Text("{event}, recorded by another process", event=self.event)
        return Text("{event}, recorded by another process, which has ended", event=self.event)
