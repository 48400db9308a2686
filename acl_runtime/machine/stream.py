"""Streams, the tasks that are queued in them, and what a task may wait for."""

import contextvars
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from acl_runtime.errors import AclError, DeviceFault, Finding, Past
from acl_runtime.machine.clocks import Agent, Clock, Doing
from acl_runtime.machine.layout import Layout
from acl_runtime.machine.objects import Thing
from acl_runtime.machine.site import here, site_of
from acl_runtime.messages import Item
from acl_runtime.sites import Site, Trail
from acl_runtime.statuses import ACL_ERROR_RT_STREAM_ABORT

if TYPE_CHECKING:
    from acl_runtime.machine.device import Context
    from acl_runtime.machine.event import Event

LISTED: Final = 10


WORKSPACE: Final = "workspace"
"""the role of an operator's"""


class Use(Enum):
    """What a task does with bytes."""

    READ = "reads"
    WRITE = "writes"
    SCRATCH = "uses"
    """a workspace: written, and nobody else's meanwhile"""
    ACCUMULATE = "adds to"
    """reductions of several streams into one place do not disturb each other"""
    CELL = "tells with"
    """a value that other streams wait for: made to be used at the same time"""
    AWAIT = "waits for"

    @property
    def writes(self) -> bool:
        """Are the bytes others afterwards?"""
        return self not in (Use.READ, Use.AWAIT)


class Range(NamedTuple):
    """Memory that a task uses: addresses [low, high) of a device or of the host, and as what."""

    low: int
    high: int
    role: str
    """`workspace`, `input gradOutput`, `output out`, `source`"""
    use: Use
    layout: Layout | None = None
    """which of the bytes, if not all"""
    dtype: int | None = None
    """the aclDataType of the elements, of a tensor"""
    brings: str = ""
    """the dtype of the numpy array that a copy takes the bytes from, if that is float64 or int64"""

    def meets(self, low: int, high: int) -> bool:
        """Does it share a byte with [low, high)?"""
        return self.low < high and low < self.high


class Wait(Protocol):
    """What has to be true before a task may run; its text completes "waits for ..."."""

    timeout: float | None
    """simulated microseconds after which the task fails instead; None: never"""

    def ready(self) -> bool:
        """May the task run?"""
        ...

    def time(self) -> float:
        """When it became ready, in simulated microseconds."""
        ...

    def sources(self) -> Iterable["Stream"]:
        """The streams whose work may make it ready."""
        ...

    def expired(self) -> DeviceFault:
        """What the task fails with when the timeout is over."""
        ...


class Untimed:
    """What waits without a timeout share."""

    timeout: float | None = None

    def expired(self) -> DeviceFault:
        """Nobody asks, as there is no timeout."""
        raise AssertionError(f"{self} has no timeout")


def nothing() -> None:
    """The work of a task that only marks, or waits."""


class Task:
    """Work in a stream. `run` does it, and raises DeviceFault if the device would fail."""

    stream: "Stream"
    number = 0
    """how many-th task of its stream"""
    submitted = 0.0
    """simulated time of the launch"""
    id = 0
    """how many-th task of the machine"""
    thread = 0
    """the host thread that launched it"""
    clock: Clock | None = None
    """of one that publishes: what is over when it has run; None while that is not known"""
    doing: Doing | None = None
    """its place in the order of things, once it has one"""
    heard: Clock | None = None
    """of an opaque one: what those behind it learn from it besides"""

    def __init__(
        self,
        name: str,
        run: Callable[[], None],
        ranges: tuple[Range, ...],
        trail: Trail | str,
        nbytes: int | None = None,
        *,
        wait: Wait | None = None,
        done: Callable[[float], None] | None = None,
        operator: bool = False,
        calls_host: bool = False,
        reports: bool = False,
        publishes: bool = False,
        opaque: bool = False,
        resets: "Sequence[Task]" = (),
    ) -> None:
        self.name = name
        self.run = run
        self.ranges = ranges
        self.trail = trail
        """where it was launched"""
        self.wait = wait
        self.nbytes = nbytes
        """bytes that it moves, for the clock; None: those of its ranges"""
        self.done = done
        """told, under the machine's lock, when it has run: the simulated time"""
        self.operator = operator
        """is it subject to the time limit of operators?"""
        self.calls_host = calls_host
        """is it a function of the host's, which may wait for what the launching thread does next?"""
        self.reports = reports
        """is it a callback for the subscribed thread?"""
        self.publishes = publishes
        """does somebody learn from it what is over by then? (as from the record of an event)"""
        self.opaque = opaque
        """is what those behind it may rely on known only when it has run? (as of code of the host's)"""
        self.resets = resets
        """the waits for the event that it resets: they should be over by then"""
        self.doubts: tuple[str, ...] = ()
        """roles of its ranges whose memory is wrong, as was told"""
        self.behind_failure = False
        """was it launched behind one that failed, which nobody knew yet? What it reads may not have been written"""
        self.fails: Callable[[Task], DeviceFault] | None = None
        """makes what it fails with instead of running, where somebody asked for that"""

    def __str__(self) -> str:
        return f"{self.name} in {self.stream}, launched at {self.launched}"

    @property
    def launched(self) -> Site:
        """File and line of the launch."""
        return site_of(self.trail)

    def past(self) -> Past:
        """For a finding: where it was launched."""
        return Past(f"{self.name} in {self.stream} was launched", self.launched)

    @property
    def marks(self) -> bool:
        """Does it only mark a place in its stream, or wait? Nobody misses it when it never runs."""
        return self.wait is not None or (self.run is nothing and not self.reports)

    @property
    def queued(self) -> bool:
        """Does it wait in its stream, or run? (Not any more, not yet, or dropped: no.)"""
        queue = self.stream.queue
        return bool(queue) and queue[0].number <= self.number <= queue[-1].number

    @property
    def size(self) -> int:
        """Bytes that it moves."""
        return sum(used.high - used.low for used in self.ranges) if self.nbytes is None else self.nbytes

    @property
    def ready(self) -> bool:
        """May it run now?"""
        return self.wait is None or self.wait.ready()

    def start(self) -> float:
        """The simulated time at which it starts: after its launch, what stands before it, and what it waits for."""
        begin = max(self.submitted, self.stream.time)
        return begin if self.wait is None else max(begin, self.wait.time())


class Stream(Thing):
    """A FIFO of tasks in one context."""

    kind = "stream"
    destroyer = "aclrtDestroyStream"
    renamed = True

    def __init__(self, context: "Context", priority: int = 0, flags: int = 0, *, driven: bool = True) -> None:
        super().__init__()
        self.context = context
        self.agent = Agent(self)
        """its place in the order of what happens"""
        self.id = context.device.stream_ids.take()
        self.priority = priority
        self.flags = flags
        self.driven = driven
        """do its tasks run when they are submitted? (not those that belong to a model)"""
        self.queue: deque[Task] = deque()
        self.submitted = self.finished = 0
        """tasks so far"""
        self.time = 0.0
        """simulated time at which the last task that ran was done"""
        self.runner = 0
        """the thread that runs its first task; 0 while none does"""
        self.core_limits: dict[int, int] = {}
        """what aclrtSetStreamResLimit set, by aclrtDevResLimitType"""
        self.fault: DeviceFault | None = None
        """what a task of it failed with on the device"""
        self.failed: Doing | None = None
        """the place of that task in the order of things"""
        self.raised: BaseException | None = None
        """what a task of it raised in its worker"""
        self.aborted = ""
        """where aclrtStreamAbort was called"""
        self.stops = False
        """does a failed task of it end the work of its context?"""
        self.passed: dict[str, dict[Event, Finding]] = {}
        """by line of the user's: events that it did not wait for, as they were never recorded"""
        self.quiet: contextvars.Context | None = None
        """in which its operators compute, one after the other: numpy does not warn there"""
        self.overflow_switch = 0 if context.device.soc.stars else 1
        """without the scheduler STARS it cannot be set, and reads 1"""
        self.tag = self.cache_op_info = 0
        self.calls_host = False
        """was aclrtLaunchHostFunc used on it?"""
        self.text = ""
        """what a record of a task calls it; empty before the first (a `cached_property` would make Python 3.11 look up
        every attribute of a stream in a dict)"""

    def __str__(self) -> str:
        return f"the default stream of {self.context}" if self.default else super().__str__()

    def named(self) -> str:
        """As `str`, once it has a handle, or is a default stream; `text` from then on."""
        self.text = str(self)
        return self.text

    @property
    def default(self) -> bool:
        """Is it the default stream of its context? (It has a handle once that was asked for.)"""
        return self.context.default_stream is self

    @property
    def live(self) -> bool:
        """Is it still a stream of a live context?"""
        return not self.ended and self.context.alive

    def cores(self, kind: int) -> int:
        """Cores that launches may use: the stream's limit, else those of its device."""
        return self.core_limits.get(kind, self.context.device.cores(kind))

    def accept(self) -> None:
        """May it be given work? After a failure in stop mode "later calls return the failure", and after an abort it
        takes none either."""
        if self.context.fault is not None:
            raise surfaced(self.context.fault)
        if self.aborted:
            raise aborted(self)

    def pending(self) -> str:
        """The tasks that wait in it, the first of them with their launches."""
        return "; ".join(str(task) for task in list(self.queue)[:LISTED])

    @property
    def movable(self) -> bool:
        """May its first task run now, with nobody at it yet?"""
        if not self.queue or self.runner or not self.driven:
            return False
        wait = self.queue[0].wait
        return wait is None or wait.ready()


class Ids:
    """Small numbers: the lowest one that is free."""

    def __init__(self) -> None:
        self._next = itertools.count()
        self._free: list[int] = []
        self.used = 0

    def take(self) -> int:
        """A number that nobody has."""
        self.used += 1
        return heappop(self._free) if self._free else next(self._next)

    def give(self, number: int) -> None:
        """The number is free again."""
        self.used -= 1
        heappush(self._free, number)


def launches(tasks: "Sequence[Doing | Task]") -> tuple[Past, ...]:
    """For a finding: where tasks were launched, the first of them."""
    return tuple(task.past() for task in tasks[:LISTED])


def aborted(stream: Stream) -> AclError:
    """ "later synchronise -> 107023": its tasks are gone, and it takes no others."""
    reason = f"{stream} was aborted at {stream.aborted}; its queued tasks were discarded"
    return AclError(ACL_ERROR_RT_STREAM_ABORT, Item("EE1018", ("Stream use after its abort", reason)))


def surface(stream: Stream) -> None:
    """An asynchronous failure is returned by the next call that waits for the stream, or asks it; one of a context
    in stop mode by every later call."""
    fault, stream.fault = stream.fault, None
    if fault is not None and not fault.told:
        for other in stream.context.all_streams():
            for task in other.queue:  # it was launched before anybody knew
                task.behind_failure = True
    fault = fault or stream.context.fault
    if fault is not None:
        raise surfaced(fault)


def surfaced(fault: DeviceFault) -> AclError:
    """The failure as a later call returns it, which is not to blame: the text tells of the task."""
    if not fault.items:
        return AclError(fault.status, told=fault.told, listed=fault.listed)
    first, *others = fault.items
    seen = f"surfaced at {here()}"
    whose = seen if fault.origin in first.text() else f"the task is {fault.origin}; {seen}"
    items = replace(first, detail=f"{first.detail} ({whose})".strip()), *others
    error = AclError(fault.status, *items, told=fault.told, listed=fault.listed)
    error.asked = fault.asked
    return error
