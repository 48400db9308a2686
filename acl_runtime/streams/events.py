"""What happens in a machine, and who listens: a handful of typed events.

The runtime says what happens and knows no check; a check is a `Listener` that overrides the events it wants. The
machine puts its listeners together once, and keeps for each event the methods that override it, so that an event nobody
listens to costs the walk over an empty tuple. A machine with `checks=False` has no listeners at all.

Two other ways were weighed. A bus with names of events as strings cannot be checked by pyright, and a misspelt name is
silent. Calls of the checkers by name, as there were, need no words for what happens, but each body then knows which
checks there are, and a new one means changes in many files.

A finding that is the answer to a call's own arguments, such as a dead handle, needs no event: the body that judges them
calls `machine.undefined` or `machine.crash` itself. So does a kernel that meets an index out of range, which only a
kernel can see. And a question is not announced but asked: `machine.unfinished` is the work that nobody waited for.
"""

from collections.abc import Iterable, Sequence

from acl_runtime.errors import AclError, Past
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.copies import Side
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import Range
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.frames import Caller
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.vector_clock import Clock


class Listener:
    """Something that wants to know what happens. Each method is an event, and does nothing unless overridden."""

    def queueing(self, stream: Stream, task: Task) -> None:
        """A task is about to be queued. A finding that is raised here ends the call, and nothing has happened then."""

    def queued(self, task: Task) -> None:
        """A task was accepted, and goes to its stream."""

    def starts(self, task: Task) -> None:
        """The calling thread is about to run a task; it need not have the machine's lock."""

    def stops(self, task: Task) -> None:
        """The task has done its work, or failed; the calling thread need not have the lock."""

    def ran(self, task: Task) -> None:
        """A task is over, and leaves its stream."""

    def dropped(self, stream: Stream) -> None:
        """What is queued in a stream is never run."""

    def waits(self, caller: Caller) -> None:
        """The host is about to wait for a stream, or for all of a context, in a call of this caller."""

    def waited(self, streams: Sequence[Stream]) -> None:
        """The calling thread has learnt that all that these streams did is over."""

    def interrupted(self, streams: Sequence[Stream]) -> None:
        """The same, of a wait that an error ends."""

    def learnt(self, clock: Clock | None) -> None:
        """The calling thread has learnt that all that this vector clock counts is over."""

    def waits_over(self, waits: Sequence[Task]) -> None:
        """The calling thread has learnt that these tasks, which wait for events, are over."""

    def function_begins(self, task: Task) -> None:
        """A task of a stream runs code of the host's on this thread."""

    def function_ends(self, task: Task) -> None:
        """That code has run."""

    def answered(self, task: Task) -> None:
        """A host thread has run the callback that this task of a stream waits for."""

    def host_used(self, ranges: Sequence[Range]) -> None:
        """The host is about to use memory itself, by a call that waits for no stream."""

    def host_read(self, low: int, high: int) -> None:
        """The host reads its own memory, through no call of the API."""

    def copied(self, kind: int, target: Side, source: Side) -> None:
        """A call has copied, or queued a copy; `kind` is what it said of the two sides."""

    def copy_blocked(self, stream: Stream, target: Side, source: Side) -> None:
        """A copy of a stream waited for the stream, and was made before its call returned."""

    def freeing(self, piece: Allocation | Pinned, how: str) -> None:
        """Memory is about to go away; `how` completes "was ..."."""

    def freed(self, piece: Allocation) -> None:
        """Device memory was freed by the program."""

    def rejected(self, low: int, high: int) -> None:
        """A call that a finding ended did nothing, and so does not write [low, high)."""

    def left(self, past: Past, things: Iterable[Thing]) -> None:
        """A device was reset for the last time, or a context destroyed, while these were there."""

    def destroying(self, number: int) -> None:
        """A call destroys the object of this handle."""

    def not_destroyed(self, number: int, error: AclError) -> None:
        """It fails with this error."""

    def closing(self) -> None:
        """The machine ends, and no error cut its program short."""

    def closed(self) -> None:
        """The machine is gone."""


class Events:
    """Announces what happens to those that listen, in their order."""

    def __init__(self, listeners: Sequence[Listener] = ()) -> None:
        self.listeners = tuple(listeners)
        self._queueing = tuple([each.queueing for each in listeners if type(each).queueing is not Listener.queueing])
        self._queued = tuple([each.queued for each in listeners if type(each).queued is not Listener.queued])
        self._starts = tuple([each.starts for each in listeners if type(each).starts is not Listener.starts])
        self._stops = tuple([each.stops for each in listeners if type(each).stops is not Listener.stops])
        self._ran = tuple([each.ran for each in listeners if type(each).ran is not Listener.ran])
        self._dropped = tuple([each.dropped for each in listeners if type(each).dropped is not Listener.dropped])
        self._waits = tuple([each.waits for each in listeners if type(each).waits is not Listener.waits])
        self._waited = tuple([each.waited for each in listeners if type(each).waited is not Listener.waited])
        self._interrupted = tuple(
            [each.interrupted for each in listeners if type(each).interrupted is not Listener.interrupted]
        )
        self._learnt = tuple([each.learnt for each in listeners if type(each).learnt is not Listener.learnt])
        self._waits_over = tuple(
            [each.waits_over for each in listeners if type(each).waits_over is not Listener.waits_over]
        )
        self._function_begins = tuple(
            [each.function_begins for each in listeners if type(each).function_begins is not Listener.function_begins]
        )
        self._function_ends = tuple(
            [each.function_ends for each in listeners if type(each).function_ends is not Listener.function_ends]
        )
        self._answered = tuple([each.answered for each in listeners if type(each).answered is not Listener.answered])
        self._host_used = tuple(
            [each.host_used for each in listeners if type(each).host_used is not Listener.host_used]
        )
        self._host_read = tuple(
            [each.host_read for each in listeners if type(each).host_read is not Listener.host_read]
        )
        self._copied = tuple([each.copied for each in listeners if type(each).copied is not Listener.copied])
        self._copy_blocked = tuple(
            [each.copy_blocked for each in listeners if type(each).copy_blocked is not Listener.copy_blocked]
        )
        self._freeing = tuple([each.freeing for each in listeners if type(each).freeing is not Listener.freeing])
        self._freed = tuple([each.freed for each in listeners if type(each).freed is not Listener.freed])
        self._rejected = tuple([each.rejected for each in listeners if type(each).rejected is not Listener.rejected])
        self._left = tuple([each.left for each in listeners if type(each).left is not Listener.left])
        self._destroying = tuple(
            [each.destroying for each in listeners if type(each).destroying is not Listener.destroying]
        )
        self._not_destroyed = tuple(
            [each.not_destroyed for each in listeners if type(each).not_destroyed is not Listener.not_destroyed]
        )
        self._closing = tuple([each.closing for each in listeners if type(each).closing is not Listener.closing])
        self._closed = tuple([each.closed for each in listeners if type(each).closed is not Listener.closed])
        straight(self, Listener)

    def queueing(self, stream: Stream, task: Task) -> None:
        """See `Listener.queueing`."""
        for hears in self._queueing:
            hears(stream, task)

    def queued(self, task: Task) -> None:
        """See `Listener.queued`."""
        for hears in self._queued:
            hears(task)

    def starts(self, task: Task) -> None:
        """See `Listener.starts`."""
        for hears in self._starts:
            hears(task)

    def stops(self, task: Task) -> None:
        """See `Listener.stops`."""
        for hears in self._stops:
            hears(task)

    def ran(self, task: Task) -> None:
        """See `Listener.ran`."""
        for hears in self._ran:
            hears(task)

    def dropped(self, stream: Stream) -> None:
        """See `Listener.dropped`."""
        for hears in self._dropped:
            hears(stream)

    def waits(self, caller: Caller) -> None:
        """See `Listener.waits`."""
        for hears in self._waits:
            hears(caller)

    def waited(self, streams: Sequence[Stream]) -> None:
        """See `Listener.waited`."""
        for hears in self._waited:
            hears(streams)

    def interrupted(self, streams: Sequence[Stream]) -> None:
        """See `Listener.interrupted`."""
        for hears in self._interrupted:
            hears(streams)

    def learnt(self, clock: Clock | None) -> None:
        """See `Listener.learnt`."""
        for hears in self._learnt:
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

    def freed(self, piece: Allocation) -> None:
        """See `Listener.freed`."""
        for hears in self._freed:
            hears(piece)

    def rejected(self, low: int, high: int) -> None:
        """See `Listener.rejected`."""
        for hears in self._rejected:
            hears(low, high)

    def left(self, past: Past, things: Iterable[Thing]) -> None:
        """See `Listener.left`."""
        for hears in self._left:
            hears(past, things)

    def destroying(self, number: int) -> None:
        """See `Listener.destroying`."""
        for hears in self._destroying:
            hears(number)

    def not_destroyed(self, number: int, error: AclError) -> None:
        """See `Listener.not_destroyed`."""
        for hears in self._not_destroyed:
            hears(number, error)

    def closing(self) -> None:
        """See `Listener.closing`."""
        for hears in self._closing:
            hears()

    def closed(self) -> None:
        """See `Listener.closed`."""
        for hears in self._closed:
            hears()


def straight(announcer: object, kind: type[Listener]) -> None:
    """An event that a single listener hears, as most, goes to it without a stop: that is a frame less in each call."""
    for name in [each for each in vars(kind) if not each.startswith("_")]:
        heard = getattr(announcer, f"_{name}")
        if len(heard) == 1:
            setattr(announcer, name, heard[0])
