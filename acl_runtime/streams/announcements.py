"""Announcements: methods that the runtime calls at each event of the emulation, and that checks override.

The runtime calls one method of the machine's `Announcer` for each announcement, and names no check. A check is a
`Listener` that overrides the methods which it needs. The machine lists its listeners once. The announcer is a
`Listener` too: it replaces each of its methods by calls of the listeners that override this method. So an announcement
without listeners costs only the call of an empty method. With `checks=False` only the announcements of a program that
reads its errors have listeners: `text_read` and `status_read`.

Rejected. A bus of events with strings for names: pyright checks nothing, and a misspelt name is silent. Direct calls of
the checks: each body of the API would list all checks.

A finding about a call's own arguments, such as a dead handle, needs no announcement: the body of the function calls
`machine.undefined` or `machine.crash`, as does a kernel that gets an index out of range. Some facts are queried, not
announced: `machine.unfinished` returns the work that no agent has waited for.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import ClassVar

from acl_runtime.errors import AclError, Past
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.copies import Side
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import Range
from acl_runtime.memory.reservation import VirtualMapping
from acl_runtime.objects.handle_table import Tensor, Thing
from acl_runtime.source.frames import Caller
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.stream import Execution, Stream, Task
from acl_runtime.streams.vector_clock import VectorClock


class Listener:
    """The base of checks: one method for each announcement, which does nothing unless overridden."""

    def queueing(self, stream: Stream, task: Task) -> None:
        """A task is about to be queued. If a listener raises a finding, the call ends and the task is not queued."""

    def met(self) -> None:
        """It is known now for which tasks of other streams some queued tasks wait."""

    def executing(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        """A model is about to be executed. `tasks`: the tasks of its nodes, made again; a wait may come before them. A
        listener that has done for all tasks what `queueing` asks for sets `execution.announced`."""

    def executed(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        """Tasks of an execution were announced, and are about to be queued."""

    def not_executed(self, tasks: Sequence[Task]) -> None:
        """A finding has ended the call that `executing` announced: no task is queued."""

    def withdrawn(self, tasks: Sequence[Task]) -> None:
        """Tasks of an execution were dropped, in a stream that other executions use too."""

    def work_begins(self, task: Task) -> None:
        """The calling thread, perhaps without the machine's lock, begins the work of a task that writes watched memory
        (`Action.writes`)."""

    def work_ends(self, task: Task) -> None:
        """The work that `work_begins` announced ended or failed, perhaps without the machine's lock."""

    def task_over(self, task: Task) -> None:
        """An opaque task, or a task that waited, has run or failed, and is about to leave its stream."""

    def dropped(self, stream: Stream) -> None:
        """The queued tasks of a stream are dropped: they never run."""

    def host_waits(self, caller: Caller) -> None:
        """The host is about to wait for a stream, or for all streams of a context. `caller`: the line of the call."""

    def host_waited(self, streams: Sequence[Stream]) -> None:
        """The calling thread has learnt that all work of these streams is over."""

    def host_wait_interrupted(self, streams: Sequence[Stream]) -> None:
        """An error has ended a wait of the calling thread for these streams."""

    def host_learnt(self, clock: VectorClock | None) -> None:
        """The calling thread has learnt that all actions in this vector clock are over."""

    def waits_over(self, waits: Sequence[Task]) -> None:
        """The calling thread has learnt that these tasks, which wait for events, are over."""

    def function_begins(self, task: Task) -> None:
        """A task begins to run host code (a callback or a host function) on the calling thread."""

    def function_ends(self, task: Task) -> None:
        """The host code that the task runs has ended."""

    def answered(self, task: Task) -> None:
        """A host thread has run the callback for which this task waits."""

    def host_used(self, ranges: Sequence[Range]) -> None:
        """The host is about to access memory, by a call that waits for no stream."""

    def host_read(self, low: int, high: int) -> None:
        """Host code reads pinned memory without a call of the API."""

    def shape_read(self, tensor: Tensor, task: Task) -> None:
        """The calling thread reads the view shape of a tensor, which this task computes."""

    def copied(self, kind: int, target: Side, source: Side, count: int) -> None:
        """A call has copied, or queued a copy. `kind` is the argument with the direction, `count` the argument with the
        bytes; 0 for a copy of rows."""

    def copy_blocked(self, stream: Stream, target: Side, source: Side) -> None:
        """The call of an asynchronous copy waited for its stream, and copied before it returned."""

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        """Memory is about to be freed or unregistered; `how` completes "was ..."."""

    def unmapping(self, mapping: VirtualMapping) -> None:
        """Physical memory is about to be unmapped from virtual memory."""

    def freed(self, piece: Allocation) -> None:
        """Device memory was freed by the program."""

    def rejected(self, low: int, high: int) -> None:
        """A finding ended a call, so that it does not write [low, high)."""

    def left_behind(self, past: Past, things: Iterable[Thing]) -> None:
        """A device was reset for the last time, or a context destroyed, while these objects existed."""

    def destroying(self, number: int) -> None:
        """A call is about to destroy the object of this handle."""

    def not_destroyed(self, number: int, error: AclError) -> None:
        """The call that was about to destroy this object fails with this error."""

    def text_read(self, thread: ThreadState | None, text: str | None) -> None:
        """The program has read the error text of a thread (None: of all threads); it got `text`."""

    def status_read(self, thread: ThreadState) -> None:
        """The program has read the last status of the calling thread."""

    def closing(self) -> None:
        """The machine is being closed, and no error has ended its program early."""

    def closed(self) -> None:
        """The machine was closed."""


class Announcer(Listener):
    """Calls the listeners, in their order, for each announcement. Without a listener, an announcement calls the empty
    method of `Listener`."""

    kind: ClassVar[type[Listener]] = Listener
    """the class whose methods are the announcements"""

    def __init__(self, listeners: Sequence[Listener] = ()) -> None:
        self.listeners = tuple(listeners)
        for name, places in _overrides(self.kind, tuple(map(type, listeners))):
            overrides = [getattr(listeners[place], name) for place in places]
            # the method of a single listener is called directly, which saves a frame
            setattr(self, name, overrides[0] if len(overrides) == 1 else _calls(overrides))


@cache
def _overrides(kind: type[Listener], classes: tuple[type[Listener], ...]) -> list[tuple[str, list[int]]]:
    """The announcements that these classes of listeners override, each with the places of the classes. The cache saves
    a tenth of the creation of a machine."""
    overrides: list[tuple[str, list[int]]] = []
    for name, method in vars(kind).items():
        if callable(method) and not name.startswith("_"):
            places = [place for place, cls in enumerate(classes) if getattr(cls, name) is not method]
            if places:
                overrides.append((name, places))
    return overrides


def _calls(overrides: Sequence[Callable[..., None]]) -> Callable[..., None]:
    """An announcement that several listeners override."""

    def announce(*args: object, **named: object) -> None:
        for method in overrides:
            method(*args, **named)

    return announce
