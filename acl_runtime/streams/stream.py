"""Devices, their contexts, the streams of these, and the tasks that are queued in streams.

A device owns contexts, a context owns streams, a stream owns tasks; a task refers to its stream, a stream to its
context, a context to its device. As each class names its neighbours on both sides, the four share a module. The rest is
elsewhere: the ranges of memory that a task uses (`acl_runtime.memory.ranges`), how the failure of a task is returned
(`surfacing`), when a task runs (`scheduler`), which tasks are known to be over (`vector_clock`).
"""

import contextvars
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from acl_runtime.errors import DeviceFault, Finding, Past
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.ranges import Range
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

    timeout: float | None
    """simulated microseconds after which the task fails instead; None: never"""

    def ready(self) -> bool:
        """True if the task may run."""
        ...

    def time(self) -> float:
        """The simulated time at which the condition became true, in microseconds."""
        ...

    def sources(self) -> Iterable["Stream"]:
        """The streams whose work may make it true."""
        ...

    def expired(self) -> DeviceFault:
        """The fault of the task when the timeout is over."""
        ...


class Untimed:
    """Base of conditions without a timeout."""

    timeout: float | None = None

    def expired(self) -> DeviceFault:
        """Never called, as there is no timeout."""
        raise AssertionError(f"{self} has no timeout")


def nothing() -> None:
    """The work of a task that is only a mark in its stream, or only waits."""


class Task:
    """Work in a stream. `run` does it, and raises DeviceFault if the device would fail."""

    stream: "Stream"
    number = 0
    """the number within its stream, from 1 on"""
    submitted = 0.0
    """simulated time of the launch"""
    id = 0
    """the number within the machine, from 1 on"""
    thread = 0
    """the host thread that launched it"""
    clock: VectorClock | None = None
    """the vector clock of its stream after it, if it publishes; None while it is not known"""
    action: Action | None = None
    """the action of its stream that it is; None while it cannot be ordered (`checks.races`)"""
    cached: Any = None
    """the `CachedRanges` that launches of an operator like this one share; None for the first of them"""
    host_clock: VectorClock | None = None
    """the vector clock of the host code at its end, for an opaque task that ran host code"""
    wait: Wait | None = None
    done: Callable[[float], None] | None = None
    """called with the simulated time when it has run, under the machine's lock"""
    operator = False
    """True for the launch of an operator, which is subject to the time limit of operators"""
    calls_host = False
    """True for host code, which may wait for what the launching thread does next"""
    reports = False
    """True for a callback, which the subscribed thread runs"""
    publishes = False
    """True if it keeps a vector clock for others to learn, as the record of an event does"""
    opaque = False
    """True if the tasks behind it can be ordered only when it has run, as with host code"""
    resets: "Sequence[Task]" = ()
    """the waits for the event that it resets: they must be over by then"""
    taint: frozenset[str] = frozenset()
    """roles of its ranges whose bytes were tainted at its launch"""
    fails: "Callable[[Task], DeviceFault] | None" = None
    """makes the fault with which it fails instead of running, if a test asked for that"""
    enters = False
    """True if more happens when it is queued: `entering` and `entered`"""
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
        """the trail of its launch"""
        self.wait = wait
        self.nbytes = nbytes
        """bytes that it moves, for its simulated duration; None: those of its ranges"""
        self.done = done
        self.calls_host = calls_host
        self.reports = reports
        self.publishes = publishes
        self.opaque = opaque
        self.resets = resets

    def entering(self) -> None:
        """Prepare for the queue of a stream, which accepts the task. No check has heard of the task yet."""

    def entered(self) -> None:
        """Note that the task is queued. It has not run yet."""

    def again(self, repeated: "Mapping[Task, Task]") -> "Task":
        """A task that does the same in another run, and is not queued. `repeated`: the tasks before it that were made
        in this way for that run, by their originals."""
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
        """True if it is only a mark in its stream, or only a wait. It is no lost work if it never runs."""
        return self.wait is not None or (self.run is nothing and not self.reports)

    @property
    def queued(self) -> bool:
        """True while it is in the queue of its stream, waiting or running."""
        queue = self.stream.queue
        return bool(queue) and queue[0].number <= self.number <= queue[-1].number

    @property
    def size(self) -> int:
        """Bytes that it moves."""
        return sum(used.high - used.low for used in self.ranges) if self.nbytes is None else self.nbytes

    @property
    def ready(self) -> bool:
        """True if it may run."""
        return self.wait is None or self.wait.ready()

    def start(self) -> float:
        """The simulated time at which it starts: after its launch, after the task before it, and after its wait."""
        begin = max(self.submitted, self.stream.time)
        return begin if self.wait is None else max(begin, self.wait.time())


class OperatorTask(Task):
    """The launch of an operator. It waits for nothing and has no effect but its work, so most attributes keep their
    defaults. Those that the scheduler reads are set nevertheless: Python reads an attribute of an object faster than
    one of its class."""

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

    @property
    def launched(self) -> Site:
        """File and line of the call."""
        return site_of(self.trail)

    def __str__(self) -> str:
        return Text(" for {model}, executed at {place}", model=self.model, place=self.launched)


class Stream(Thing):
    """A FIFO of tasks in one context."""

    kind = Text("stream")
    destroyer = "aclrtDestroyStream"
    renamed = True

    def __init__(self, context: "Context", priority: int = 0, flags: int = 0, *, driven: bool = True) -> None:
        super().__init__()
        self.context = context
        self.agent = Agent(self)
        """the agent that stands for it in vector clocks"""
        self.id = context.device.stream_ids.take()
        self.priority = priority
        self.flags = flags
        self.driven = driven
        """True if its tasks run by themselves. Those of a persistent stream do not: a model runs them"""
        self.queue: deque[Task] = deque()
        self.stores: Callable[[Stream, Task], None] | None = None
        """stores its tasks instead of queueing them; None unless a capture, or an update of a task group, goes on"""
        self.submitted = self.finished = 0
        """numbers of the tasks that were queued last, and that ran last"""
        self.time = 0.0
        """simulated time at which the last task that ran was done"""
        self.runner = 0
        """the thread that runs its first task; 0 while none does"""
        self.core_limits: dict[int, int] = {}
        """the limits of aclrtSetStreamResLimit, by aclrtDevResLimitType"""
        self.fault: DeviceFault | None = None
        """the fault of a task that failed on the device, until a call returns it"""
        self.failed: Action | None = None
        """the action that failed"""
        self.raised: BaseException | None = None
        """an exception that a task of it raised in its worker thread"""
        self.aborted = ""
        """the place where aclrtStreamAbort was called"""
        self.stops = False
        """True if a failed task of it ends the work of its context"""
        self.unrecorded_waits: dict[str, dict[Any, Finding]] = {}
        """events for which it did not wait, as they were never recorded, with their findings; by line of the program"""
        self.numpy_context: contextvars.Context | None = None
        """the context (contextvars) in which its operators compute, where numpy gives no warnings"""
        self.overflow_switch = 0 if context.device.soc.stars else 1
        """without the scheduler STARS it cannot be set, and reads 1"""
        self.tag = self.cache_op_info = 0
        self.calls_host = False
        """True if aclrtLaunchHostFunc was used on it"""
        self.text = ""
        """the name in `machine.tasks`; empty before the first task. A `cached_property` would make Python 3.11 look up
        every attribute of a stream in a dict"""

    def __str__(self) -> str:
        return Text("the default stream of {context}", context=self.context) if self.default else super().__str__()

    def named(self) -> str:
        """Return `str`, and keep it in `text`. Only for a stream whose name does not change any more."""
        self.text = str(self)
        return self.text

    @property
    def default(self) -> bool:
        """True for the default stream of its context. It gets a handle only when a call needs one."""
        return self.context.default_stream is self

    @property
    def live(self) -> bool:
        """True while it and its context exist."""
        return not self.ended and self.context.alive

    def cores(self, kind: int) -> int:
        """Cores that launches may use: the stream's limit, else those of its device."""
        return self.core_limits.get(kind, self.context.device.cores(kind))

    def refuses(self) -> bool:
        """True if it takes no more work, after a failure in stop mode or an abort. `surfacing.accept` raises the
        reason."""
        return bool(self.aborted) or self.context.fault is not None

    def pending(self) -> str:
        """The tasks that wait in it, the first of them with their launches."""
        return "; ".join(str(task) for task in list(self.queue)[:LISTED])

    def movable(self) -> bool:
        """True if its first task may run, and no thread runs it yet."""
        if not self.queue or self.runner or not self.driven:
            return False
        wait = self.queue[0].wait
        return wait is None or wait.ready()


def launches(tasks: "Sequence[Action | Task]") -> tuple[Past, ...]:
    """History for a finding: where the first of these tasks were launched."""
    return tuple(task.past() for task in tasks[:LISTED])


class Context(Thing):
    """The owner of streams: a default stream, and those that were created while it was current on a thread.

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
        """the streams that were created in it, in order; a dict, so that one is removed fast"""
        self.stops = False
        """True if a failed task ends the work of all its streams (aclrtSetStreamFailureMode)"""
        self.fault: DeviceFault | None = None
        """the fault of the task that failed in stop mode"""

    def __str__(self) -> str:
        if not self.primary:
            return super().__str__()
        return Text("default context of {device}", device=f"device {self.device.number}")

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
        """the number of sets without a reset, and the place of the last set; by thread"""
        self.core_limits: dict[int, int] = {}
        """the limits of aclrtSetDeviceResLimit, by aclrtDevResLimitType"""
        self.peers: set[int] = set()
        """the devices whose memory it may use"""
        self.primary: Context | None = None
        self.explicit: dict[Context, None] = {}
        """the contexts that were created, in order"""
        self.stream_ids = Ids()
        self.event_ids = Ids()
        self.op_wait_timeout: float | None = None
        """simulated microseconds for which a stream waits for an event without a timeout of its own; None: for ever"""
        self.memory_bytes = memory.capacity
        """the size of the memory before any budget"""
        self.stream_limit, self.event_limit = soc.streams, soc.events
        """the numbers of streams and events that it offers"""

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
        """16 bytes, different for each device of a machine and the same in every run."""
        from uuid import NAMESPACE_OID, uuid5  # late: hardly any program needs it

        return uuid5(NAMESPACE_OID, f"{self.soc.name} {self.physical}").bytes

    def cores(self, kind: int) -> int:
        """Cores that launches may use: the limit of the process, else those of the chip."""
        return self.core_limits.get(kind, self.soc.cores(kind))

    @property
    def streams_in_use(self) -> int:
        """Streams that were created, without default streams."""
        contexts = len(self.explicit) + (self.primary is not None and self.primary.alive)
        return self.stream_ids.used - contexts

    @property
    def held(self) -> bool:
        """True while the device is open: set, or held by an explicit context."""
        return self.references > 0 or bool(self.explicit)
