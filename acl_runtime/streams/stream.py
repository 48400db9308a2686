"""Devices, contexts, streams, and tasks.

A device owns contexts, a context owns streams, a stream owns tasks; a task refers to its stream, a stream to its
context, a context to its device. As the four classes refer to each other, they share a module. Other modules have the
ranges of memory that a task uses (`acl_runtime.memory.ranges`), the return of a failure (`surfacing`), the order in
which tasks run (`scheduler`), and the tasks that are known to be over (`vector_clock`).
"""

import contextvars
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from acl_runtime.errors import DeviceFault, Finding, Past
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.ranges import Range
from acl_runtime.objects.clock import duration
from acl_runtime.objects.handle_table import Thing
from acl_runtime.objects.soc import Soc
from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Site, Trail
from acl_runtime.streams.ids import Ids
from acl_runtime.streams.vector_clock import Action, Agent, VectorClock, launch_of
from acl_runtime.text import Text

LISTED: Final = 10


class Wait(Protocol):
    """A condition for a task to run; its text completes "waits for ..."."""

    @property
    def timeout(self) -> float | None:
        """Simulated microseconds after which the task fails instead; None: never."""
        ...

    def ready(self) -> bool:
        """True if the task may run."""
        ...

    def time(self) -> float:
        """The simulated time at which the condition became true, in microseconds."""
        ...

    def sources(self) -> Iterable["Stream"]:
        """The streams whose work may make the condition true."""
        ...

    def expired(self) -> DeviceFault:
        """The fault of the task when the timeout is over."""
        ...


class Ordering:
    """Base of conditions that order a task behind tasks of other streams."""

    def clock(self) -> VectorClock | None:
        """The vector clock that the stream learns when the condition is true. None while it is not known."""
        raise NotImplementedError


class Untimed:
    """Base of conditions without a timeout."""

    timeout: float | None = None

    def expired(self) -> DeviceFault:
        """AssertionError, as no timeout can end."""
        raise AssertionError(f"{self} has no timeout")


def nothing() -> None:
    """The work of a task that is a mark in its stream, or a wait."""


class Task:
    """A task of a stream. `run` does the work of the task; DeviceFault if the device fails."""

    stream: "Stream"
    number = 0
    """the number within its stream, from 1 on"""
    submitted = 0.0
    """simulated time of the launch"""
    id = 0
    """the number within the machine, from 1 on"""
    thread = 0
    """the host thread that launched the task"""
    clock: VectorClock | None = None
    """the vector clock of the stream after the task, if the task publishes the clock; None while it is unknown"""
    action: Action | None = None
    """the task as an action of the vector clocks; None while it cannot be ordered (`checks.races`)"""
    cached: Any = None
    """the `CachedRanges` that repetitions of a launch share; None for the first launch"""
    host_clock: VectorClock | None = None
    """the vector clock of the host code at its end, for an opaque task that ran host code"""
    wait: Wait | None = None
    done: Callable[[float], None] | None = None
    """called after the task, with the simulated time, under the machine's lock"""
    operator = False
    """True for the launch of an operator, which is subject to the time limit of operators"""
    calls_host = False
    """True for host code, which may wait for a later action of the launching thread"""
    on_device = False
    """True for code of the device that a function on the host replaces: its accesses are those of the task"""
    reports = False
    """True for a callback, which the subscribed thread runs"""
    publishes = False
    """True if agents that wait for the task learn its vector clock, as for the record of an event"""
    meets = False
    """True if it waits for tasks of other streams that wait for it: they learn what is over before it"""
    together: object = None
    """a key of the group of operations to which it belongs, if any: they do not hold each other back"""
    grace = 0.0
    """real seconds, beyond the patience of the machine, for which a host thread waits for it"""
    opaque = False
    """True if later tasks can be ordered only after this task has run, as with host code"""
    resets: "Sequence[Task]" = ()
    """the waits for the event that the task resets; they must be over before the reset"""
    taint: frozenset[str] = frozenset()
    """roles of the ranges whose bytes were tainted at the launch"""
    fails: "Callable[[Task], DeviceFault] | None" = None
    """makes the injected fault with which the task fails instead of running"""
    enters = False
    """True if more happens when it is queued: `entering` and `entered`"""
    arranges = False
    """True if its accesses are known only when its place in the order of all tasks is: see `arrange`"""
    execution: "Execution | None" = None
    """the execution of a model that it belongs to"""
    model_type = 0
    """the aclmdlRITaskType of such a task in a model"""

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
        """the trail of the launch"""
        self.wait = wait
        self.nbytes = nbytes
        """bytes that the task moves, for its simulated duration; None: the bytes of its ranges"""
        self.done = done
        self.calls_host = calls_host
        self.reports = reports
        self.publishes = publishes
        self.opaque = opaque
        self.resets = resets

    def entering(self) -> Callable[[], object] | None:
        """Prepare the task for the queue of a stream that accepts it, before the task is announced. Returns the
        function that undoes this, as a finding may end the call; None if there is nothing to undo."""

    def entered(self) -> None:
        """Called when the task is queued, before it runs."""

    def arrange(self) -> None:
        """Called when the tasks are known that are ordered before this one, with checks only."""

    def again(self, repeated: "Mapping[Task, Task]") -> "Task":
        """A copy of the task for another run, which is not queued. `repeated`: the copies of earlier tasks for this
        run, by their originals."""
        task = object.__new__(type(self))
        task.__dict__.update(self.__dict__)
        return task

    def __str__(self) -> str:
        return f"{self.name} in {self.stream}, launched at {self.launched}{self.execution or ''}"

    @property
    def launched(self) -> Site:
        """File and line of the launch."""
        return site_of(self.trail)

    def past(self) -> Past:
        """History for a finding: where it was launched."""
        return launch_of(self.name, self.stream, self.launched, self.execution)

    @property
    def marks(self) -> bool:
        """True if the task is a mark in its stream, or a wait. No work is lost if such a task never runs."""
        return self.wait is not None or (self.run is nothing and not self.reports)

    @property
    def queued(self) -> bool:
        """True while the task is in the queue of its stream, even while it runs."""
        queue = self.stream.queue
        return bool(queue) and queue[0].number <= self.number <= queue[-1].number

    @property
    def work(self) -> "Task":
        """The task whose work it does: itself, but for an operator that updates replace."""
        return self

    @property
    def size(self) -> int:
        """Bytes that the task moves."""
        return sum(used.high - used.low for used in self.ranges) if self.nbytes is None else self.nbytes

    @property
    def duration(self) -> float:
        """The simulated time that it takes, in microseconds."""
        return duration(self.size)

    @property
    def on_failure(self) -> Callable[[Any], object] | None:
        """The callback for its own failure, beside those for all tasks."""
        return None

    @property
    def shared(self) -> tuple[str, ...]:
        """The names of its meetings with ranks of other processes."""
        return ()

    @property
    def ready(self) -> bool:
        """True if the task may run."""
        return self.wait is None or self.wait.ready()

    def start(self) -> float:
        """The simulated time at which the task starts: after its launch, after the task before it, and after its
        wait."""
        begin = max(self.submitted, self.stream.time)
        return begin if self.wait is None else max(begin, self.wait.time())


class OperatorTask(Task):
    """The launch of an operator. Such a task has no wait, so most attributes have their defaults. The attributes that
    the scheduler reads are set nevertheless: Python reads an attribute of an object faster than an attribute of its
    class."""

    operator = True
    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_KERNEL

    def __init__(
        self, name: str, run: Callable[[], None], ranges: tuple[Range, ...], trail: Trail | str, nbytes: int,
        taint: frozenset[str], cached: Any,
    ) -> None:  # fmt: skip
        self.name = name
        self.run = run
        self.ranges = ranges
        self.trail = trail
        self.nbytes = nbytes
        self.taint = taint
        self.cached = cached
        self.wait = self.fails = self.done = None
        self.opaque = False

    def again(self, repeated: Mapping[Task, Task]) -> "OperatorTask":
        return OperatorTask(self.name, self.run, self.ranges, self.trail, self.nbytes or 0, self.taint, self.cached)


class Execution:
    """One run of a model (`acl_runtime.streams.model`), which queues the tasks of the model again."""

    def __init__(self, model: Thing, stream: "Stream", lanes: "Sequence[Stream]", trail: Trail) -> None:
        self.model = model
        self.stream = stream
        """the stream that the program named"""
        self.lanes = lanes
        """the streams of the model in which the other tasks run"""
        self.trail = trail
        self.announced = False
        """True if the checks know of all its tasks"""

    @property
    def launched(self) -> Site:
        """File and line of the call."""
        return site_of(self.trail)

    def __str__(self) -> str:
        return Text(" for {model}, executed at {place}", model=self.model, place=self.launched)


class Store(Protocol):
    """Stores the tasks of a stream instead of queueing them: a capture, an update of a task group, or a built model."""

    def store(self, stream: "Stream", task: Task) -> None:
        """Store a task that the program submits to the stream."""
        ...


class Stream(Thing):
    """A FIFO of tasks in one context."""

    kind = Text("stream")
    destroyer = "aclrtDestroyStream"
    renamed = True

    def __init__(self, context: "Context", priority: int = 0, flags: int = 0, *, driven: bool = True) -> None:
        super().__init__()
        self.context = context
        self.agent = Agent(self)
        """the agent of the stream in vector clocks"""
        self.id = context.device.stream_ids.take()
        self.priority = priority
        self.flags = flags
        self.driven = driven
        """True if the scheduler runs the tasks; False for a persistent stream, whose tasks a model runs"""
        self.queue: deque[Task] = deque()
        self.stores: Store | None = None
        """stores its tasks; None unless a capture of the stream or an update in it goes on, or a built model has it"""
        self.submitted = self.finished = 0
        """numbers of the task that was queued last, and of the task that ran last"""
        self.time = 0.0
        """simulated time of the end of the last task that ran"""
        self.runner = 0
        """the thread that runs the first task; 0 if no thread does"""
        self.core_limits: dict[int, int] = {}
        """the limits of aclrtSetStreamResLimit, by aclrtDevResLimitType"""
        self.fault: DeviceFault | None = None
        """the fault of a task that failed on the device, until a call returns it"""
        self.failed: Action | None = None
        """the action that failed"""
        self.raised: BaseException | None = None
        """an exception that a task raised in the worker thread"""
        self.aborted = ""
        """the line that called aclrtStreamAbort"""
        self.stops = False
        """True if a failed task ends the work of the context"""
        self.unrecorded_waits: dict[str, dict[Any, Finding]] = {}
        """findings about waits that had no effect, as the event was never recorded: by line of the program, then by
        event"""
        self.numpy_context: contextvars.Context | None = None
        """the context (contextvars) in which operators compute, where numpy gives no warnings"""
        self.overflow_switch = 0 if context.device.soc.stars else 1
        """on a chip without the scheduler STARS, always 1"""
        self.tag = self.cache_op_info = 0
        self.calls_host = False
        """True if aclrtLaunchHostFunc was called with the stream"""
        self.text = ""
        """the name in `machine.tasks`; empty before the first task. A `cached_property` would make Python 3.11 look up
        every attribute of a stream in a dict"""

    def __str__(self) -> str:
        return Text("the default stream of {context}", context=self.context) if self.default else super().__str__()

    def named(self) -> str:
        """Return `str` and store it in `text`, when the name of the stream cannot change."""
        self.text = str(self)
        return self.text

    @property
    def default(self) -> bool:
        """True for the default stream of its context, which gets a handle only when a call needs one."""
        return self.context.default_stream is self

    @property
    def live(self) -> bool:
        """True while the stream and its context exist."""
        return not self.ended and self.context.alive

    def cores(self, kind: int) -> int:
        """Cores that launches may use: the limit of the stream, else the cores of its device."""
        return self.core_limits.get(kind, self.context.device.cores(kind))

    def refuses(self) -> bool:
        """True if the stream takes no more work, after a failure in stop mode or an abort. `surfacing.accept` raises
        the reason."""
        return bool(self.aborted) or self.context.fault is not None

    def pending(self) -> str:
        """The first queued tasks with their launches, as a text."""
        return "; ".join(str(task) for task in list(self.queue)[:LISTED])

    def movable(self) -> bool:
        """True if the first task may run, and no thread runs it."""
        if not self.queue or self.runner or not self.driven:
            return False
        wait = self.queue[0].wait
        return wait is None or wait.ready()


def launches(tasks: "Sequence[Action | Task]") -> tuple[Past, ...]:
    """The history for a finding: the lines that launched the first of these tasks."""
    return tuple(task.past() for task in tasks[:LISTED])


class Context(Thing):
    """The owner of streams: a default stream, and the streams that were created while the context was current.

    The default ("primary") context of a device is kept and set up anew when the device is set again."""

    kind = Text("context")
    destroyer = "aclrtDestroyContext"

    def __init__(self, device: "Device", *, primary: bool = False) -> None:
        super().__init__()
        self.device = device
        self.primary = primary
        if primary:
            self.kind = Text("default context")
        self.alive = True
        self.parameters: dict[int, int] = {}
        """the values of aclrtCtxSetSysParamOpt, by aclSysParamOpt"""
        self.default_stream = Stream(self)
        self.streams: dict[Stream, None] = {}
        """the created streams of the context, in order; a dict, as it removes a member fast"""
        self.stops = False
        """True if a failed task ends the work of all streams (aclrtSetStreamFailureMode)"""
        self.fault: DeviceFault | None = None
        """the fault of the task that failed in stop mode"""

    def __str__(self) -> str:
        if not self.primary:
            return super().__str__()
        return Text("default context of {device}", device=f"device {self.device.number}")

    def all_streams(self) -> Iterator[Stream]:
        """The explicit streams, then the default stream."""
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
        """the number of calls of aclrtSetDevice without an aclrtResetDevice"""
        self.set_at = ""
        self.setters: dict[str, tuple[int, str]] = {}
        """the number of calls of aclrtSetDevice without a reset, and the line of the last call, by thread"""
        self.core_limits: dict[int, int] = {}
        """the limits of aclrtSetDeviceResLimit, by aclrtDevResLimitType"""
        self.peers: set[int] = set()
        """the devices whose memory the device may use"""
        self.primary: Context | None = None
        self.explicit: dict[Context, None] = {}
        """the contexts that were created, in order"""
        self.stream_ids = Ids()
        self.event_ids = Ids()
        self.notify_ids = Ids()
        self.op_wait_timeout: float | None = None
        """simulated microseconds for which a stream waits for an event if the call gives no timeout; None: for ever"""
        self.memory_bytes = memory.capacity
        """the size of the memory before any budget"""
        self.stream_limit, self.event_limit = soc.streams, soc.events
        """the most streams and events"""

    def contexts(self) -> Iterator[Context]:
        """The explicit contexts, then the default context while the device is set."""
        yield from self.explicit
        if self.primary is not None and self.primary.alive:
            yield self.primary

    def streams(self) -> Iterator[Stream]:
        """The streams of all contexts."""
        for context in self.contexts():
            yield from context.all_streams()

    @property
    def uuid(self) -> bytes:
        """16 bytes, different for each device of a machine and the same in every run."""
        from uuid import NAMESPACE_OID, uuid5  # late: hardly any program needs it

        return uuid5(NAMESPACE_OID, f"{self.soc.name} {self.physical}").bytes

    def cores(self, kind: int) -> int:
        """Cores that launches may use: the limit of the process, else the cores of the chip."""
        return self.core_limits.get(kind, self.soc.cores(kind))

    @property
    def streams_in_use(self) -> int:
        """Streams that were created, without default streams."""
        contexts = len(self.explicit) + (self.primary is not None and self.primary.alive)
        return self.stream_ids.used - contexts

    @property
    def held(self) -> bool:
        """True while the device is open: it is set, or has an explicit context."""
        return self.references > 0 or bool(self.explicit)
