"""Announcements: the runtime announces what happens, and listeners hear it.

The runtime calls one method of the machine's `Announcer` for each thing that happens, and names no check. A check is a
`Listener` that overrides the methods which it needs. The machine lists its listeners once; the announcer keeps, for
each method, only the listeners that override it. So an announcement without listeners costs only a loop over an
empty tuple. With `checks=False` only two announcements have listeners: `text_read` and `status_read`. They are made
when a program reads its errors.

Two other ways were rejected. With a bus of events that have strings for names, pyright checks nothing, and a misspelt
name is silent. With direct calls of the checks, each body of the API has to know which checks there are.

A finding about a call's own arguments, such as a dead handle, needs no announcement: the body that judges them calls
`machine.undefined` or `machine.crash`. The same goes for a kernel that meets an index out of range. Some facts
are queried, not announced: `machine.unfinished` returns the work that nobody has waited for.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Concatenate, ParamSpec

from acl_runtime.errors import AclError, Past
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.copies import Side
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import Range
from acl_runtime.memory.reservation import VirtualMapping
from acl_runtime.objects.handle_table import Tensor, Thing
from acl_runtime.source.frames import Caller
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.vector_clock import VectorClock

Heard = ParamSpec("Heard")
"""the parameters of an announcement"""


class Listener:
    """The base of checks: one method for each announcement, which does nothing unless overridden."""

    def queueing(self, stream: Stream, task: Task) -> None:
        """A task is about to be queued. If a listener raises a finding, the call ends and the task is not queued."""

    def work_begins(self, task: Task) -> None:
        """The calling thread begins the work of a task that writes watched memory (`Action.writes`). It may not hold
        the machine's lock."""

    def work_ends(self, task: Task) -> None:
        """That work has ended, or failed. The calling thread may not hold the machine's lock."""

    def task_over(self, task: Task) -> None:
        """A task that is opaque, or waited, has run or failed, and is about to leave its stream."""

    def dropped(self, stream: Stream) -> None:
        """The tasks that were queued in a stream are never run."""

    def host_waits(self, caller: Caller) -> None:
        """The host is about to wait for a stream, or for all streams of a context. `caller`: the line of the call."""

    def host_waited(self, streams: Sequence[Stream]) -> None:
        """The calling thread knows now that all work of these streams is over."""

    def host_wait_interrupted(self, streams: Sequence[Stream]) -> None:
        """An error has ended a wait of the calling thread for these streams."""

    def host_learnt(self, clock: VectorClock | None) -> None:
        """The calling thread knows now that all actions in this vector clock are over."""

    def waits_over(self, waits: Sequence[Task]) -> None:
        """The calling thread knows now that these tasks, which wait for events, are over."""

    def function_begins(self, task: Task) -> None:
        """A task begins to run host code (a callback or a host function) on the calling thread."""

    def function_ends(self, task: Task) -> None:
        """The host code that the task runs has ended."""

    def answered(self, task: Task) -> None:
        """A host thread has run the callback for which this task of a stream waits."""

    def host_used(self, ranges: Sequence[Range]) -> None:
        """The host is about to access memory, by a call that waits for no stream."""

    def host_read(self, low: int, high: int) -> None:
        """The host reads its own memory, not by a call of the API."""

    def shape_read(self, tensor: Tensor, task: Task) -> None:
        """The calling thread reads the view shape of a tensor, which this task finds out."""

    def copied(self, kind: int, target: Side, source: Side) -> None:
        """A call has copied, or queued a copy; `kind` is the argument that names the two sides."""

    def copy_blocked(self, stream: Stream, target: Side, source: Side) -> None:
        """The call of an asynchronous copy waited for its stream, and copied before it returned."""

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        """Memory is about to be freed or unregistered; `how` completes "was ..."."""

    def unmapping(self, mapping: VirtualMapping) -> None:
        """Physical memory is about to be unmapped from virtual memory."""

    def freed(self, piece: Allocation) -> None:
        """Device memory was freed by the program."""

    def rejected(self, low: int, high: int) -> None:
        """A finding ended a call, which therefore does not write [low, high)."""

    def left_behind(self, past: Past, things: Iterable[Thing]) -> None:
        """A device was reset for the last time, or a context destroyed, while these objects existed."""

    def destroying(self, number: int) -> None:
        """A call is about to destroy the object of this handle."""

    def not_destroyed(self, number: int, error: AclError) -> None:
        """The call that was about to destroy this object fails with this error."""

    def text_read(self, thread: ThreadState | None, text: str | None) -> None:
        """The program has read the error text of a thread (None: of all threads); it got `text`."""

    def status_read(self, thread: ThreadState) -> None:
        """The program has asked for the last status of the calling thread."""

    def closing(self) -> None:
        """The machine is being closed, and no error has ended its program early."""

    def closed(self) -> None:
        """The machine was closed."""


def overriding(
    listeners: Sequence[Listener], method: Callable[Concatenate[Any, Heard], None]
) -> tuple[Callable[Heard, None], ...]:
    """This method of those listeners that override it, in their order."""
    name = method.__name__
    return tuple([getattr(each, name) for each in listeners if getattr(type(each), name) is not method])


class Announcer:
    """Calls the listeners, in their order, for each thing that happens."""

    def __init__(self, listeners: Sequence[Listener] = ()) -> None:
        self.listeners = tuple(listeners)
        self._queueing = overriding(listeners, Listener.queueing)
        self._work_begins = overriding(listeners, Listener.work_begins)
        self._work_ends = overriding(listeners, Listener.work_ends)
        self._task_over = overriding(listeners, Listener.task_over)
        self._dropped = overriding(listeners, Listener.dropped)
        self._host_waits = overriding(listeners, Listener.host_waits)
        self._host_waited = overriding(listeners, Listener.host_waited)
        self._host_wait_interrupted = overriding(listeners, Listener.host_wait_interrupted)
        self._host_learnt = overriding(listeners, Listener.host_learnt)
        self._waits_over = overriding(listeners, Listener.waits_over)
        self._function_begins = overriding(listeners, Listener.function_begins)
        self._function_ends = overriding(listeners, Listener.function_ends)
        self._answered = overriding(listeners, Listener.answered)
        self._host_used = overriding(listeners, Listener.host_used)
        self._host_read = overriding(listeners, Listener.host_read)
        self._shape_read = overriding(listeners, Listener.shape_read)
        self._copied = overriding(listeners, Listener.copied)
        self._copy_blocked = overriding(listeners, Listener.copy_blocked)
        self._freeing = overriding(listeners, Listener.freeing)
        self._unmapping = overriding(listeners, Listener.unmapping)
        self._freed = overriding(listeners, Listener.freed)
        self._rejected = overriding(listeners, Listener.rejected)
        self._left_behind = overriding(listeners, Listener.left_behind)
        self._destroying = overriding(listeners, Listener.destroying)
        self._not_destroyed = overriding(listeners, Listener.not_destroyed)
        self._text_read = overriding(listeners, Listener.text_read)
        self._status_read = overriding(listeners, Listener.status_read)
        self._closing = overriding(listeners, Listener.closing)
        self._closed = overriding(listeners, Listener.closed)
        call_directly(self, Listener)

    def queueing(self, stream: Stream, task: Task) -> None:
        """See `Listener.queueing`."""
        for hears in self._queueing:
            hears(stream, task)

    def work_begins(self, task: Task) -> None:
        """See `Listener.work_begins`."""
        for hears in self._work_begins:
            hears(task)

    def work_ends(self, task: Task) -> None:
        """See `Listener.work_ends`."""
        for hears in self._work_ends:
            hears(task)

    def task_over(self, task: Task) -> None:
        """See `Listener.task_over`."""
        for hears in self._task_over:
            hears(task)

    def dropped(self, stream: Stream) -> None:
        """See `Listener.dropped`."""
        for hears in self._dropped:
            hears(stream)

    def host_waits(self, caller: Caller) -> None:
        """See `Listener.host_waits`."""
        for hears in self._host_waits:
            hears(caller)

    def host_waited(self, streams: Sequence[Stream]) -> None:
        """See `Listener.host_waited`."""
        for hears in self._host_waited:
            hears(streams)

    def host_wait_interrupted(self, streams: Sequence[Stream]) -> None:
        """See `Listener.host_wait_interrupted`."""
        for hears in self._host_wait_interrupted:
            hears(streams)

    def host_learnt(self, clock: VectorClock | None) -> None:
        """See `Listener.host_learnt`."""
        for hears in self._host_learnt:
            hears(clock)

    def waits_over(self, waits: Sequence[Task]) -> None:
        """See `Listener.waits_over`."""
        for hears in self._waits_over:
            hears(waits)

    def function_begins(self, task: Task) -> None:
        """See `Listener.function_begins`."""
        for hears in self._function_begins:
            hears(task)

    def function_ends(self, task: Task) -> None:
        """See `Listener.function_ends`."""
        for hears in self._function_ends:
            hears(task)

    def answered(self, task: Task) -> None:
        """See `Listener.answered`."""
        for hears in self._answered:
            hears(task)

    def host_used(self, ranges: Sequence[Range]) -> None:
        """See `Listener.host_used`."""
        for hears in self._host_used:
            hears(ranges)

    def host_read(self, low: int, high: int) -> None:
        """See `Listener.host_read`."""
        for hears in self._host_read:
            hears(low, high)

    def shape_read(self, tensor: Tensor, task: Task) -> None:
        """See `Listener.shape_read`."""
        for hears in self._shape_read:
            hears(tensor, task)

    def copied(self, kind: int, target: Side, source: Side) -> None:
        """See `Listener.copied`."""
        for hears in self._copied:
            hears(kind, target, source)

    def copy_blocked(self, stream: Stream, target: Side, source: Side) -> None:
        """See `Listener.copy_blocked`."""
        for hears in self._copy_blocked:
            hears(stream, target, source)

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        """See `Listener.freeing`."""
        for hears in self._freeing:
            hears(piece, how)

    def unmapping(self, mapping: VirtualMapping) -> None:
        """See `Listener.unmapping`."""
        for hears in self._unmapping:
            hears(mapping)

    def freed(self, piece: Allocation) -> None:
        """See `Listener.freed`."""
        for hears in self._freed:
            hears(piece)

    def rejected(self, low: int, high: int) -> None:
        """See `Listener.rejected`."""
        for hears in self._rejected:
            hears(low, high)

    def left_behind(self, past: Past, things: Iterable[Thing]) -> None:
        """See `Listener.left_behind`."""
        for hears in self._left_behind:
            hears(past, things)

    def destroying(self, number: int) -> None:
        """See `Listener.destroying`."""
        for hears in self._destroying:
            hears(number)

    def not_destroyed(self, number: int, error: AclError) -> None:
        """See `Listener.not_destroyed`."""
        for hears in self._not_destroyed:
            hears(number, error)

    def text_read(self, thread: ThreadState | None, text: str | None) -> None:
        """See `Listener.text_read`."""
        for hears in self._text_read:
            hears(thread, text)

    def status_read(self, thread: ThreadState) -> None:
        """See `Listener.status_read`."""
        for hears in self._status_read:
            hears(thread)

    def closing(self) -> None:
        """See `Listener.closing`."""
        for hears in self._closing:
            hears()

    def closed(self) -> None:
        """See `Listener.closed`."""
        for hears in self._closed:
            hears()


def call_directly(announcer: object, kind: type[Listener]) -> None:
    """Fast path: where only one listener hears an announcement, its method replaces that of the announcer. This saves a
    frame in each call."""
    for name in [each for each, method in vars(kind).items() if callable(method) and not each.startswith("_")]:
        heard = getattr(announcer, f"_{name}")
        if len(heard) == 1:
            setattr(announcer, name, heard[0])
