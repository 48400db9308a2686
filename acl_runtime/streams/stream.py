"""Devices, their contexts, the streams of these, and the tasks that are queued in streams.

A device owns contexts, a context owns streams, a stream owns tasks; and a task knows its stream, a stream its context,
a context its device. As each class names its neighbours on both sides, the four share a module. What surrounds them is
elsewhere: the memory that a task uses (`ranges`), how a failed task surfaces (`surfacing`), when a task runs
(`scheduler`), what is known to be over (`clocks`).
"""

import contextvars
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from acl_runtime.errors import DeviceFault, Finding, Past
from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.ranges import Range
from acl_runtime.objects.handle_table import Thing
from acl_runtime.objects.soc import Soc
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Site, Trail
from acl_runtime.streams.ids import Ids
from acl_runtime.streams.vector_clock import Agent, Clock, Doing

LISTED: Final = 10


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
    known: Any = None
    """of an operator: what launches like this one share, as `places.Known`; None for the first of them"""
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
        self.passed: dict[str, dict[Any, Finding]] = {}
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

    @property
    def refuses(self) -> bool:
        """Does it take no more work, after a failure in stop mode or an abort? (`surfacing.accept` says why.)"""
        return bool(self.aborted) or self.context.fault is not None

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


def launches(tasks: "Sequence[Doing | Task]") -> tuple[Past, ...]:
    """For a finding: where tasks were launched, the first of them."""
    return tuple(task.past() for task in tasks[:LISTED])


class Context(Thing):
    """What a thread works in: a device, a default stream, the streams created while it was current.

    The default ("primary") context of a device is kept and set up anew when the device is set again."""

    kind = "context"
    destroyer = "aclrtDestroyContext"

    def __init__(self, device: "Device", *, primary: bool = False) -> None:
        super().__init__()
        self.device = device
        self.primary = primary
        if primary:
            self.kind = "default context"
        self.alive = True
        self.parameters: dict[int, int] = {}
        """what aclrtCtxSetSysParamOpt set, by aclSysParamOpt"""
        self.default_stream = Stream(self)
        self.streams: dict[Stream, None] = {}
        """those that were created in it, in order (a dict, to find the one that is destroyed)"""
        self.stops = False
        """does a failed task end the work of all its streams (aclrtSetStreamFailureMode)?"""
        self.fault: DeviceFault | None = None
        """in stop mode: what a task failed with"""

    def __str__(self) -> str:
        return f"default context of device {self.device.number}" if self.primary else super().__str__()

    def all_streams(self) -> Iterator[Stream]:
        """The explicit streams, then the default one."""
        yield from self.streams
        yield self.default_stream


class Device:
    """One NPU."""

    def __init__(self, number: int, physical: int, soc: Soc, memory: DeviceMemory) -> None:
        self.number = number
        self.physical = physical
        """the number without ASCEND_RT_VISIBLE_DEVICES"""
        self.soc = soc
        self.memory = memory
        self.references = 0
        """aclrtSetDevice calls not yet taken back by aclrtResetDevice"""
        self.set_at = ""
        self.setters: dict[str, tuple[int, str]] = {}
        """by thread: how often it set the device more than it reset it, and where it set it last"""
        self.overflow_mode = int(soc.inf_nan)
        """0: results that overflow saturate, 1: they become infinite or NaN"""
        self.core_limits: dict[int, int] = {}
        """what aclrtSetDeviceResLimit set, by aclrtDevResLimitType"""
        self.peers: set[int] = set()
        """the devices whose memory it may use"""
        self.primary: Context | None = None
        self.explicit: dict[Context, None] = {}
        """those that were created, in order"""
        self.stream_ids = Ids()
        self.event_ids = Ids()
        self.op_wait_timeout: float | None = None
        """simulated microseconds a stream waits for an event that has no timeout of its own; None: for ever"""
        self.memory_bytes = memory.capacity
        """what the memory had at first, before any budget"""
        self.stream_limit, self.event_limit = soc.streams, soc.events
        """how many it offers"""

    def contexts(self) -> Iterator[Context]:
        """The explicit contexts, then the default one while the device is set."""
        yield from self.explicit
        if self.primary is not None and self.primary.alive:
            yield self.primary

    def streams(self) -> Iterator[Stream]:
        """The streams of all contexts."""
        for context in self.contexts():
            yield from context.all_streams()

    @property
    def uuid(self) -> bytes:
        """16 bytes that tell the devices of a machine apart, the same in every run."""
        from uuid import NAMESPACE_OID, uuid5  # late: hardly a program asks for it

        return uuid5(NAMESPACE_OID, f"{self.soc.name} {self.physical}").bytes

    def cores(self, kind: int) -> int:
        """Cores that launches may use: the limit of the process, else those of the chip."""
        return self.core_limits.get(kind, self.soc.cores(kind))

    @property
    def streams_in_use(self) -> int:
        """Streams that were created; default streams do not count."""
        contexts = len(self.explicit) + (self.primary is not None and self.primary.alive)
        return self.stream_ids.used - contexts

    @property
    def held(self) -> bool:
        """Is the device open: set, or held by an explicit context?"""
        return self.references > 0 or bool(self.explicit)
