"""Captures: which streams store their tasks, and which calls a capture forbids."""

from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from acl_runtime.headers.enums import aclmdlRICaptureMode
from acl_runtime.memory.located_ranges import cached, find
from acl_runtime.memory.ports import Memories
from acl_runtime.objects.handle_table import Handles
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import Event
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.model.captured_events import CapturedRecord, CapturedWait
from acl_runtime.streams.model.model import Body, Lane, Model, Node
from acl_runtime.streams.model.task_group import TaskGroup
from acl_runtime.streams.stream import Context, Stream, Task
from acl_runtime.text import Text

GLOBAL: Final = aclmdlRICaptureMode.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
THREAD_LOCAL: Final = aclmdlRICaptureMode.ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
RELAXED: Final = aclmdlRICaptureMode.ACL_MODEL_RI_CAPTURE_MODE_RELAXED


class Capturing(Memories, Protocol):
    """The machine, as far as a capture needs it."""

    handles: Handles

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...


class Capture:
    """A capture that goes on."""

    def __init__(self, machine: Capturing, origin: Stream, mode: int, body: Body | None = None) -> None:
        """`body`: the body of a condition that it fills; None if it makes a model."""
        self._machine = machine
        self.model = body or Model(origin.context)
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
        if body is None:
            machine.handles.add(self.model)
        self.draw_in(origin)

    def __str__(self) -> str:
        return Text("the capture of {stream} that began at {place}", stream=self.origin, place=self.model.made)

    def draw_in(self, stream: Stream) -> None:
        """Store the tasks of this stream from now on."""
        lane = self.streams[stream] = Lane(self.model, stream)
        self.model.lanes.append(lane)
        self._machine.handles.add(lane.handle)
        stream.stores = self

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
        thread.stored = self
        node = Node(task, lane.place - 1, thread.call, places)
        self.model.nodes.append(node)
        self._last[stream] = task
        if isinstance(task, CapturedRecord):
            self.records[task.event] = task
        elif isinstance(task, CapturedWait):
            task.record.awaited = True
        if group is not None:
            group.nodes.append(node)

    def wait(self, event: Event, timeout: float | None, trail: Trail) -> CapturedWait:
        """The task with which a stream waits for an event of the capture."""
        return CapturedWait(event, self.records[event], timeout, trail)

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


def capture_of(stream: Stream) -> Capture | None:
    """The capture that stores the tasks of this stream."""
    return stream.stores if isinstance(stream.stores, Capture) else None


class Captures:
    """The captures of a machine that go on, mostly none."""

    def __init__(self) -> None:
        self.active: list[Capture] = []

    def of_model(self, model: Model) -> Capture | None:
        """The capture that fills this model."""
        return next((capture for capture in self.active if capture.model is model), None)

    def recording(self, event: Event) -> Capture | None:
        """The capture that has recorded this event."""
        return next((capture for capture in self.active if event in capture.records), None)

    def end(self, capture: Capture) -> None:
        """A capture ends, well or not."""
        capture.leave()
        self.active.remove(capture)

    def forbidding(self, context: Context | None, thread: ThreadState) -> Capture | None:
        """The capture because of which a thread may not copy or set memory synchronously; None if it may."""
        around = _strictest(self.in_context(context))
        own = _strictest(capture for capture in self.active if capture.thread is thread)
        return forbidding(around, own, thread.capture_mode)

    def in_context(self, context: Context | None) -> Iterator[Capture]:
        """The captures in a context."""
        return (each for each in self.active if each.model.context is context)


def _strictest(captures: Iterable[Capture]) -> Capture | None:
    return min(captures, key=lambda capture: capture.mode, default=None)


def forbidding(around: Capture | None, own: Capture | None, exchange: int) -> Capture | None:
    """The capture because of which a thread may not copy or set memory synchronously; None if it may. `around`: the
    strictest capture in the context; `own`: the strictest one that the thread began; None if there is none.
    `exchange`: the mode that the thread set with aclmdlRICaptureThreadExchangeMode."""
    if around is None or exchange == RELAXED:
        return None
    if exchange == GLOBAL and around.mode == GLOBAL:
        return around
    modes = (THREAD_LOCAL,) if exchange == GLOBAL else (GLOBAL, THREAD_LOCAL)
    return own if own is not None and own.mode in modes else None
