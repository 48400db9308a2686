"""The tasks that record, await or reset an event."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import Event, EventWait, Record
from acl_runtime.streams.stream import Task, nothing
from acl_runtime.text import Text

UnfinishedOf: TypeAlias = Callable[[list[Task]], list[Task]]
"""a function that picks the tasks that the host does not know to be over"""


class RecordTask(Task):
    """Records an event."""

    enters = True
    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_EVENT_RECORD

    def __init__(self, event: Event, trail: Trail | str) -> None:
        super().__init__(Text("record of {event}", event=event), nothing, (), trail, publishes=True)
        self.event = event
        self.record = event.mark()
        self.record.task, self.done = self, self.record.ran

    def entering(self) -> Callable[[], None]:
        return self.event.recorded_by(self.record)

    def again(self, repeated: Mapping[Task, Task]) -> Task:
        task = super().again(repeated)
        assert isinstance(task, RecordTask)
        task.record = self.event.mark()
        task.record.task, task.done = task, task.record.ran
        return task


class EventWaitTask(Task):
    """Waits for the record of an event that is the latest one when the task is queued; without one, for the next."""

    enters = True
    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_EVENT_WAIT

    def __init__(
        self,
        event: Event,
        timeout: float | None,
        trail: Trail | str,
        unfinished_of: UnfinishedOf,
    ) -> None:
        self.event, self._timeout = event, timeout
        self.awaits = EventWait(event, None, timeout)
        super().__init__(Text("wait for {event}", event=event), nothing, (), trail, wait=self.awaits)
        self._unfinished_of = unfinished_of

    def entering(self) -> Callable[[], None] | None:
        if self.awaits.record is None:
            self.awaits.record = self.event.recorded
        if self.awaits.record is None:  # before other queued work runs: it may record the event
            return self.event.expect(self.awaits)
        return None

    @property
    def grace(self) -> float:
        """Real seconds for which another process may still record the event."""
        return 0.0 if self.awaits.record is None else self.awaits.record.grace

    def entered(self) -> None:
        self.event.awaited_by(self, self._unfinished_of)

    def again(self, repeated: Mapping[Task, Task]) -> "EventWaitTask":
        return EventWaitTask(self.event, self._timeout, self.trail, self._unfinished_of)


class ResetTask(Task):
    """Resets an event."""

    enters = True
    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_EVENT_RESET

    def __init__(self, event: Event, trail: Trail | str, unfinished_of: UnfinishedOf) -> None:
        super().__init__(Text("reset of {event}", event=event), nothing, (), trail, done=self._ran)
        self.event = event
        self._record: Record | None = None
        """the record that this task resets"""
        self._unfinished_of = unfinished_of

    def entering(self) -> None:
        event = self.event
        event.unsettled = self._unfinished_of(event.unsettled)
        self._record, self.resets = event.latest, tuple(event.unsettled)

    def entered(self) -> None:
        self.event.reset_at = self.launched

    def again(self, repeated: Mapping[Task, Task]) -> "ResetTask":
        return type(self)(self.event, self.trail, self._unfinished_of)

    def _ran(self, _at: float) -> None:
        latest = self.event.latest
        if latest is not None and latest is not self._record and latest.done:  # queued after this reset, but ran first
            latest.reset, self.event.reset_at = True, self.launched
        elif self._record is not None:
            self._record.reset = True
