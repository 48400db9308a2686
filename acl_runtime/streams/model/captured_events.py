"""Records and waits of events that order the streams of one model. They exist inside of its executions only."""

from collections.abc import Mapping

from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import Event, EventWait
from acl_runtime.streams.event_tasks import RecordTask
from acl_runtime.streams.stream import Task, nothing
from acl_runtime.text import Text


class CapturedRecord(RecordTask):
    """Records an event for the waits of the same execution. Other waits for the event do not see it."""

    enters = False
    """No wait outside of the execution may find this record."""
    awaited = False
    """True if a stored task waits for it"""


class CapturedWait(Task):
    """Waits for a record of the same execution."""

    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_EVENT_WAIT

    def __init__(self, event: Event, record: CapturedRecord, timeout: float | None, trail: Trail | str) -> None:
        wait = EventWait(event, record.record, timeout)
        super().__init__(Text("wait for {event}", event=event), nothing, (), trail, wait=wait)
        self._event, self.record, self._timeout = event, record, timeout

    def again(self, repeated: Mapping[Task, Task]) -> Task:
        record, task = repeated[self.record], super().again(repeated)
        assert isinstance(record, CapturedRecord)
        task.wait = EventWait(self._event, record.record, self._timeout)
        return task
