"""Counting notifies: values of a device that streams change and wait for. Only the 950 series has them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.site import Trail
from acl_runtime.streams.stream import Device, Stream, Task
from acl_runtime.text import Text

ONES: Final = 0xFFFF_FFFF
CHANGES: Final[dict[int, Callable[[int, int], int]]] = {
    0: lambda now, value: value,
    1: lambda now, value: now + value & ONES,
    2: lambda now, value: now | value,
    4: lambda now, value: now & value,
}
"""changes (set, add, or, and), by aclrtCntNotifyRecordMode"""
CONDITIONS: Final[dict[int, Callable[[int, int], bool]]] = {
    0: lambda now, value: now < value,
    1: lambda now, value: now == value,
    2: lambda now, value: now > value,
    3: lambda now, value: now >= value,
    4: lambda now, value: now & value == value,
}
"""comparisons, by aclrtCntNotifyWaitMode"""
WORDS: Final = ("<", "==", ">", ">=", "with the bits of")


class Busy(Protocol):
    """The scheduler, as far as a wait needs it."""

    busy: dict[Stream, None]


class CountingNotify(Thing):
    """aclrtCntNotify: any number of 32 bits."""

    kind = Text("counting notify")
    destroyer = "aclrtCntNotifyDestroy"

    def __init__(self, device: Device, number: int) -> None:
        super().__init__()
        self.device = device
        self.id = number
        self.value = 0
        self.changed = 0.0
        """simulated time of the last change"""
        self.last: Task | None = None
        """the task that changed it last"""


class NotifyChange(Task):
    """The task that changes a notify."""

    def __init__(self, notify: CountingNotify, mode: int, value: int, trail: Trail | str) -> None:
        name = Text("record of {notify}", notify=notify)
        super().__init__(name, self._run, (), trail, done=self._change, publishes=True)
        self.notify, self._mode, self._value = notify, mode, value
        self._ran = False

    def again(self, repeated: Mapping[Task, Task]) -> "NotifyChange":
        return NotifyChange(self.notify, self._mode, self._value, self.trail)

    def _run(self) -> None:
        self._ran = True

    def _change(self, time: float) -> None:
        """Change the value at the end of the task, as a worker has the lock of the machine only then: whoever sees the
        value sees its change too."""
        notify = self.notify
        if self._ran:  # it has not failed
            notify.value = CHANGES[self._mode](notify.value, self._value)
            notify.changed, notify.last = time, self


class CountWait:
    """The condition of a task that waits for a value of a notify."""

    def __init__(self, notify: CountingNotify, mode: int, value: int, timeout: float | None, busy: Busy) -> None:
        self._notify, self._mode, self._value, self._busy = notify, mode, value, busy
        self.timeout = timeout

    def ready(self) -> bool:
        """True if the value meets the condition."""
        return CONDITIONS[self._mode](self._notify.value, self._value)

    def time(self) -> float:
        """The simulated time of the last change."""
        return self._notify.changed

    def sources(self) -> Iterable[Stream]:
        """The streams in which a change is queued."""
        return [
            stream
            for stream in self._busy.busy
            if any(isinstance(task, NotifyChange) and task.notify is self._notify for task in stream.queue)
        ]

    def expired(self) -> DeviceFault:
        """The fault of a wait that reached its timeout."""
        text = f"a wait for {self} took longer than its timeout of {(self.timeout or 0) / 1e6:g} s"
        return DeviceFault(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, Item("EZ2001", (text,)))

    def __str__(self) -> str:
        return Text(
            "a value {condition} {value} of {notify}, which is {now}",
            condition=WORDS[self._mode],
            value=self._value,
            notify=self._notify,
            now=self._notify.value,
        )


class CountWaitTask(Task):
    """The task that waits for a value of a notify, and may set it to 0 then."""

    def __init__(self, wait: CountWait, notify: CountingNotify, trail: Trail | str, *, clears: bool) -> None:
        super().__init__(Text("wait for {notify}", notify=notify), self._take, (), trail, wait=wait, opaque=True)
        self._wait, self._notify, self._clears = wait, notify, clears

    def again(self, repeated: Mapping[Task, Task]) -> "CountWaitTask":
        return CountWaitTask(self._wait, self._notify, self.trail, clears=self._clears)

    def _take(self) -> None:
        if self._notify.last is not None:
            self.host_clock = self._notify.last.clock
        if self._clears:
            self._notify.value = 0
