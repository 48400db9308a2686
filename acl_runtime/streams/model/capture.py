"""Captures: which streams store their tasks, and which calls a capture forbids."""

from collections.abc import Iterator
from typing import Final, Protocol

from acl_runtime.headers.enums import aclmdlRICaptureMode
from acl_runtime.memory.located_ranges import cached, find
from acl_runtime.memory.ports import Memories
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import Event
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.model.captured_events import CapturedRecord, CapturedWait
from acl_runtime.streams.model.model import Lane, Model, Node
from acl_runtime.streams.model.task_group import TaskGroup, Update
from acl_runtime.streams.stream import Context, Stream, Task
from acl_runtime.text import Text

GLOBAL: Final = aclmdlRICaptureMode.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
THREAD_LOCAL: Final = aclmdlRICaptureMode.ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
RELAXED: Final = aclmdlRICaptureMode.ACL_MODEL_RI_CAPTURE_MODE_RELAXED


def forbids(strictest: int | None, own: int | None, exchange: int) -> bool:
    """True if a thread may not copy or set memory synchronously. `strictest`: the strictest mode of the captures in the
    context; `own`: the strictest mode of the captures that the thread began; None if there are none. `exchange`: the
    mode that the thread set with aclmdlRICaptureThreadExchangeMode."""
    if strictest is None or exchange == RELAXED:
        return False
    if exchange == GLOBAL:
        return strictest == GLOBAL or own == THREAD_LOCAL
    return own in (GLOBAL, THREAD_LOCAL)


class Capturing(Memories, Protocol):
    """The machine, as far as a capture needs it."""

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...


class Capture:
    """A capture that goes on."""

    def __init__(self, machine: Capturing, origin: Stream, mode: int) -> None:
        self._machine = machine
        self.model = Model(origin.context)
        self.origin = origin
        self.mode = mode
        self.thread = machine.thread()
        """the thread that began it"""
        self.invalid = ""
        """the reason why it can only fail; empty while it can succeed"""
        self.streams: dict[Stream, Lane] = {}
        """the captured streams, the origin first"""
        self.records: dict[Event, CapturedRecord] = {}
        """the last record of each event"""
        self.group: TaskGroup | None = None
        """the task group that is open"""
        self._last: dict[Stream, Task] = {}
        self.draw_in(origin)

    def __str__(self) -> str:
        return Text("the capture of {stream} that began at {place}", stream=self.origin, place=self.model.made)

    def draw_in(self, stream: Stream) -> None:
        """Store the tasks of this stream from now on."""
        lane = self.streams[stream] = Lane(self.model, stream)
        self.model.lanes.append(lane)
        stream.stores = self.store

    def store(self, stream: Stream, task: Task) -> None:
        """Store a task that the program submits."""
        group = self.group if self.group is not None and self.group.stream is stream else None
        if group is not None:
            group.accept(task)
        lane = self.streams[stream]
        lane.numpy_context = lane.numpy_context or (stream.numpy_context and stream.numpy_context.copy())
        places = [find(self._machine, used) for used in task.ranges]
        if task.operator:
            task.cached = None if self._machine.virtual.in_use else cached(places)
        thread = self._machine.thread()
        thread.stored = task
        node = Node(task, lane.place - 1, thread.call, places)
        self.model.nodes.append(node)
        self.model.pieces.update((place.piece, None) for place in places if place is not None)
        self._last[stream] = task
        if isinstance(task, CapturedRecord):
            self.records[task.event] = task
        if group is not None:
            group.nodes.append(node)

    def wait(self, stream: Stream, event: Event, timeout: float | None, trail: Trail) -> CapturedWait:
        """The task with which a stream waits for an event of the capture. The stream may be drawn in by it."""
        if stream not in self.streams:
            self.draw_in(stream)
        record = self.records[event]
        record.awaited = True
        return CapturedWait(event, record, timeout, trail)

    def unjoined(self) -> tuple[Stream, Task] | None:
        """A stream that was drawn in and that nothing joins to the origin, with its last task."""
        for stream, task in self._last.items():
            if stream is not self.origin and not (isinstance(task, CapturedRecord) and task.awaited):
                return stream, task
        return None

    def leave(self) -> None:
        """End it: its streams queue their tasks again."""
        for stream in self.streams:
            stream.stores = None
        self.model.capturing = False


class Captures:
    """The captures of a machine that go on, mostly none."""

    def __init__(self) -> None:
        self.active: list[Capture] = []
        self.updates: dict[Stream, Update] = {}
        """the updates of task groups that go on, by stream"""

    def of(self, stream: Stream) -> Capture | None:
        """The capture that stores the tasks of this stream."""
        return next((capture for capture in self.active if stream in capture.streams), None)

    def recording(self, event: Event) -> Capture | None:
        """The capture that has recorded this event."""
        return next((capture for capture in self.active if event in capture.records), None)

    def end(self, capture: Capture) -> None:
        """A capture ends, well or not."""
        capture.leave()
        self.active.remove(capture)

    def forbidding(self, context: Context | None, thread: ThreadState) -> Capture | None:
        """The capture because of which a thread may not copy or set memory synchronously; None if it may."""
        around = min(self.in_context(context), key=_mode, default=None)
        own = min((capture for capture in self.active if capture.thread is thread), key=_mode, default=None)
        strictest, mine = (capture and capture.mode for capture in (around, own))
        return own or around if forbids(strictest, mine, thread.capture_mode) else None

    def in_context(self, context: Context | None) -> Iterator[Capture]:
        """The captures in a context."""
        return (each for each in self.active if each.model.context is context)


def _mode(capture: Capture) -> int:
    return capture.mode
