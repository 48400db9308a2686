"""The simulated computer: everything that the API functions change lies in a `Machine`.

with Machine(soc="Ascend310P3") as machine:
    ...                          # calls of the API in here, from any thread, work on this machine
print(machine.findings)
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from operator import attrgetter
from types import TracebackType
from typing import Any, Final, NoReturn
from weakref import WeakKeyDictionary

import numpy as np

from acl_runtime.checks.findings import Allowance, Findings, Moment
from acl_runtime.checks.host_access.guard import possible as guard_possible
from acl_runtime.checks.lifetime.executor_visits import Visits
from acl_runtime.checks.lifetime.leaks import Left, leaks, unfreed
from acl_runtime.checks.statuses.unasked import Unasked
from acl_runtime.checks.statuses.unchecked import Unchecked
from acl_runtime.errors import AclError, DeviceFault, Finding, Fix, Level, Past, UndefinedBehaviour
from acl_runtime.faults.failures import Failure, Faults
from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.headers.enums import aclSysParamOpt
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_INVALID_DEVICEID,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_STREAM_CONTEXT,
    ACLNN_ERR_RUNTIME_ERROR,
)
from acl_runtime.machine.budget import set_budget
from acl_runtime.machine.initialisation import Initialisation
from acl_runtime.machine.installation import installation
from acl_runtime.machine.listening import listening
from acl_runtime.memory.allocation import Mapping
from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.pinned import PinnedMemory
from acl_runtime.objects.clock import Clock
from acl_runtime.objects.handle_table import Handles
from acl_runtime.objects.options import UNSET, VISIBLE, options, visible_devices
from acl_runtime.objects.soc import soc_named
from acl_runtime.objects.timeouts import Timeouts
from acl_runtime.streams.callbacks import Reports
from acl_runtime.streams.compute_threads import Workers
from acl_runtime.streams.event import Event
from acl_runtime.streams.exception_callbacks import Exceptions
from acl_runtime.streams.goals import Drained
from acl_runtime.streams.host_thread import ErrorRecord, ThreadState
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Context, Device, Stream, Task
from acl_runtime.streams.surfacing import accept
from acl_runtime.streams.value_cell import Cells
from acl_runtime.streams.vector_clock import Doing
from acl_runtime.trace.names import Names
from acl_runtime.trace.records import Calls, Ran

MEMBERS: Final = (
    "allow", "budget", "calls", "chrome_trace", "clock", "fail", "findings", "options", "read", "soc", "tasks",
    "write_timeline", "write_trace",
)  # fmt: skip
"""what docs/machine.md lists; all else is the emulator's own"""
LATEST: Final = 10_000
DETERMINISTIC: Final = int(aclSysParamOpt.ACL_OPT_DETERMINISTIC)
OWNERS: Final = 3
"""so many threads with a context are told to one that has none"""
_driven: Callable[[Stream], bool] = attrgetter("driven")


class _Shown(type):
    """Of its classes, `dir` lists what users use, and so do completion and `help`."""

    def __dir__(cls) -> list[str]:
        return [*MEMBERS, *(name for name in super().__dir__() if name.startswith("__"))]


class Machine(metaclass=_Shown):
    """A host with NPUs. The options are those of `acl_runtime.objects.options.Options`, told in docs/machine.md; one
    that is not given has its default, or what `ACL_EMULATOR_<OPTION>` in the environment says."""

    cut_short = False
    """did an error that was raised end its block? Then the program could not wait for its threads"""

    def __init__(
        self,
        soc: str = UNSET,
        *,
        device_count: int = UNSET,
        hbm_bytes: int | None = UNSET,
        schedule: str = UNSET,
        seed: int | None = UNSET,
        fill: int | None = UNSET,
        min_workspace: int = UNSET,
        on_undefined: str = UNSET,
        trace: bool = UNSET,
        window: bool = UNSET,
        checks: bool = UNSET,
        fast: bool = UNSET,
        threads: int | None = UNSET,
        patience: float = UNSET,
    ) -> None:
        given = {name: value for name, value in locals().items() if name != "self"}
        self.options = options(given)
        self.soc = soc_named(self.options.soc)
        self.workers = Workers(self.options.threads)
        self.findings = Findings(self.options.on_undefined)
        self._turn = installation.turn()
        self.handles = Handles(window=self.options.window, turn=self._turn, trace=self.options.trace)
        self.lock = threading.RLock()
        self.clock = Clock()
        self.scheduler = Scheduler(self, self.options.schedule, self.options.seed, self.options.patience)
        latest = None if self.options.trace else LATEST
        self.tasks: deque[Ran] = deque(maxlen=latest)
        """the tasks that ran, in order"""
        shown = visible_devices(self.options.device_count)
        self.devices = [self._device(number, physical) for number, physical in enumerate(shown)]
        memories = self._memories = [device.memory for device in self.devices]
        self.names = Names(self.handles, memories)
        self.calls = Calls(self.names, latest)
        self.findings.moment = self._moment
        self.usage = tuple(memory.used for memory in memories)
        """bytes of each device in use"""
        for memory in memories:
            memory.changed = self._measure
        self._task_ids = count(1)
        self.parameters: dict[int, int] = {}
        """what aclrtSetSysParamOpt set, by aclSysParamOpt"""
        self.pinned = PinnedMemory(twice=self.options.checks and guard_possible())
        self.initialisation = Initialisation()
        self.timeouts = Timeouts(self.soc.series)
        self.closed = ""
        """where the machine ended; empty while it lives"""
        self.plans: dict[object, object] = {}
        """what first phases decided, by all that it follows from"""
        self.repeated: dict[object, object] = {}
        """the same by the handles and values of the calls, for as long as what is behind the handles stays as it is"""
        self.kept: list[object] = []
        """arrays that the caller's pointers point to"""
        self.cells = Cells()
        self.consequences, self.order, self.teardown, self.events = listening(
            self, self.streams, on=self.options.checks
        )
        self.exceptions = Exceptions(self.handles, self.calling_out)
        self.visits = Visits(self, self.handles, self.consequences.spare)
        self.reports = Reports()
        self.faults = Faults()
        self.unchecked, self.unasked = Unchecked(), Unasked()
        self.failed: ThreadState | None = None
        """the thread whose call left the last error text, which may have ended; None if no call left any"""
        self._shared_errors = ErrorRecord()
        self._local = threading.local()
        self._threads: WeakKeyDictionary[threading.Thread, ThreadState] = WeakKeyDictionary()

    def _device(self, number: int, physical: int) -> Device:
        capacity = self.options.hbm_bytes or self.soc.memory_bytes
        turn = self._turn * self.options.device_count
        memory = DeviceMemory(number, capacity, self.options.fill, window=self.options.window, turn=turn)
        return Device(number, physical, self.soc, memory)

    def _moment(self, finding: Finding) -> Moment:
        return Moment(finding, self.clock.now, self.calls.latest(), getattr(self._local, "state", None))

    def _measure(self) -> None:
        self.usage = tuple([memory.used for memory in self._memories])

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{len(self.findings)} findings"
        if unmet := len(self.faults.unmet):
            state += f", {unmet} failure(s) asked for and not met"
        return f"<Machine {self.soc.name}, {len(self.devices)} device(s), {self.options.schedule}, {state}>"

    # threads and contexts

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        try:
            return self._local.state
        except AttributeError:
            state = self._local.state = self._threads[threading.current_thread()] = ThreadState(ErrorRecord())
            self.scheduler.joined(threading.current_thread())
            return state

    def other_threads(self) -> Iterator[tuple[str, ThreadState]]:
        """The other host threads that have called this machine and live: name and state."""
        for thread, state in list(self._threads.items()):
            if thread is not threading.current_thread() and thread.is_alive():
                yield thread.name, state

    def errors(self) -> ErrorRecord:
        """Where the calling thread's errors go: its own record, or the process's in that mode of aclInit."""
        return self.errors_of(self.thread())

    def errors_of(self, thread: ThreadState) -> ErrorRecord:
        """The same of any thread."""
        return self._shared_errors if self.initialisation.errors_per_process else thread.errors

    def context_of_caller(self) -> Context | None:
        """The current context of the calling thread, which need not have called this machine yet."""
        state = self._threads.get(threading.current_thread())
        return state.context() if state is not None else None

    def context(self, what: str, thread: ThreadState | None = None) -> Context:
        """The current context of the calling thread, or 107002; `what` is the operation, for the text. `thread`: as
        for `find_context`."""
        thread = thread or self.thread()
        current = thread.explicit or thread.primary
        if current is None or not current.alive:
            current = self._fallback()
        if current is None:
            raise AclError(ACL_ERROR_RT_CONTEXT_NULL, self.no_context(what))
        return current

    def find_context(self, thread: ThreadState | None = None) -> Context | None:
        """The current context of the calling thread, if it has one. `thread`: its state, if that is at hand."""
        thread = thread or self.thread()
        current = thread.explicit or thread.primary
        return current if current is not None and current.alive else self._fallback()

    def deterministic(self, context: Context | None = None) -> int:
        """ACL_OPT_DETERMINISTIC as work of the current context has it: the context's value, else that of the process,
        else 0. `context`: the current one, if that is at hand."""
        context = context or self.find_context()
        own = context.parameters.get(DETERMINISTIC) if context is not None else None
        return self.parameters.get(DETERMINISTIC, 0) if own is None else own

    def no_context(self, what: str) -> Item:
        """The error item of a thread without a valid context, with the reason why it has none."""
        thread = threading.current_thread().name
        slot = self.thread().explicit or self.thread().primary
        if slot is not None:
            why = f"the context it used, {slot}, is gone: {slot.ended}"
        elif self.thread().lost:
            why = f"the context it used is gone: {self.thread().lost}"
        elif elsewhere := installation.elsewhere():
            why = (
                "in this machine it called neither aclrtSetDevice nor aclrtSetCurrentContext, but in another one, "
                f"where it has {elsewhere}: set the device inside this one; a pytest fixture that does must ask for "
                "`machine`"
            )
        else:
            why = "it called neither aclrtSetDevice nor aclrtSetCurrentContext; a new thread inherits no context"
        owners = [f"; {found} is current in thread {name}" for name, state in self.other_threads()
                  if (found := state.context()) is not None]  # fmt: skip
        return Item("EE1018", (what, f"thread {thread} has no valid context"), f"({why}{''.join(owners[:OWNERS])})")

    def _fallback(self) -> Context | None:
        """With `defaultDevice` configured, "a thread without context falls back to the default context"."""
        number = self.initialisation.default_device
        if number is None or self.thread().explicit or self.thread().primary or number >= len(self.devices):
            return None
        device = self.devices[number]
        return self.open_primary(device)

    def open_primary(self, device: Device) -> Context:
        """The default context of the device, set up if it is not."""
        if device.primary is None:
            device.primary = Context(device, primary=True)
            self.handles.add(device.primary)
        elif not device.primary.alive:
            revived = device.primary
            revived.alive, revived.ended, revived.parameters = True, "", {}
            revived.default_stream, revived.streams = Stream(revived), {}
            revived.stops, revived.fault = False, None
        return device.primary

    def device(self, number: int, what: str) -> Device:
        """The device of this number, or 107001."""
        if not 0 <= number < len(self.devices):
            last = f"[0, {len(self.devices)})"
            detail = f"({self.inventory()})"
            raise AclError(ACL_ERROR_RT_INVALID_DEVICEID, Item("EE1003", (what, number, "deviceId", last), detail))
        return self.devices[number]

    def inventory(self) -> str:
        """How many devices there are, for a text."""
        count, all_ = len(self.devices), self.options.device_count
        text = f"this machine has {count} device(s) of {self.soc.label}"
        return text if count == all_ else f"{text}: {VISIBLE} hides {all_ - count} of {all_}"

    # streams

    def streams(self) -> Iterator[Stream]:
        """The streams of all devices."""
        for device in self.devices:
            yield from device.streams()

    def stream(self, number: int, what: str) -> Stream:
        """The stream of a handle; null is the default stream of the current context. 107017 for a dead handle or
        one of another kind, which "comes before range checks and before the context check"."""
        if number == 0:
            return self.context(what).default_stream
        found = self.handles.get(number)
        if not isinstance(found, Stream):
            detail = f"({self.handles.whereabouts(number)})"
            raise AclError(
                ACL_ERROR_RT_INVALID_HANDLE, Item("EE1017", (what, "stream", "it is no live stream"), detail)
            )
        return found

    def own_stream(self, number: int, what: str, thread: ThreadState | None = None) -> Stream:
        """The stream of a handle, which must belong to the current context: 107003 otherwise. `thread`: as for
        `find_context`."""
        found = self.handles.get(number)
        if not isinstance(found, Stream):
            found = self.stream(number, what)  # the default one, or refused
        context = self.context(what, thread)
        if found.context is not context:
            extra = f"stream_id={found.ordinal}, stream_ctx={found.context}, cur_ctx={context}"
            raise AclError(ACL_ERROR_RT_STREAM_CONTEXT, Item("EE1010", (what, "stream", extra)))
        return found

    def event(self, number: int, what: str) -> Event:
        """The event of a handle; 107017 for a dead one or one of another kind."""
        found = self.handles.find(number, Event)
        if found is None:
            detail = f"({self.handles.whereabouts(number)})"
            raise AclError(ACL_ERROR_RT_INVALID_HANDLE, Item("EE1017", (what, "event", "it is no live event"), detail))
        return found

    def submit(self, stream: Stream, task: Task) -> None:
        """Queue a task; the schedule decides when it runs."""
        accept(stream)
        self.events.queueing(stream, task)
        self.queue(stream, task, self.thread())

    def queue(self, stream: Stream, task: Task, thread: ThreadState) -> None:
        """The same for one that the stream takes and whose place was found already; `thread` launches it."""
        self.events.queued(task)
        if self.faults.plans:
            task.fails = self.faults.of_task(thread.call)
        task.id, task.thread = next(self._task_ids), thread.native_id
        thread.launched.append(task.id)
        self.scheduler.submit(stream, task)

    def finish(self, *streams: Stream, timeout: float | None = None) -> bool:
        """Wait until everything queued in these streams so far is done; False if that takes more than `timeout`
        simulated microseconds, or will never be."""
        driven = tuple(filter(_driven, streams))
        try:
            if timeout is None and len(driven) == 1:
                done = self.scheduler.drain(driven[0])
            else:
                done = self.scheduler.wait(Drained(driven), timeout)
            for stream in streams:
                if stream.raised is not None:
                    self.reraise(stream)
        except UndefinedBehaviour:  # the program did wait; what its clean-up frees now is no news
            self.events.interrupted(driven)
            raise
        if done:
            self.events.waited(driven)
        return done

    def reraise(self, stream: Stream) -> None:
        """What a task raised in the stream's worker leaves "the next call that waits for that stream"."""
        raised = stream.raised
        if raised is not None:
            stream.raised = None
            raise raised

    def ran(self, task: Task, start: float, at: float, fault: DeviceFault | None) -> None:
        """A task has run from `start` until `at`, or failed: its stream remembers that, or in stop mode its context,
        whose other work is then dropped."""
        stream, status = task.stream, fault.status if fault is not None else 0
        device = stream.context.device.number
        ran = task.name, stream.text or stream.named(), task.trail, start, at, status, task.id, device, task.submitted
        self.tasks.append(tuple.__new__(Ran, ran))  # calling a NamedTuple takes three times as long
        if self.cells.awaited:
            self.cells.ran(task, at)
        self.events.ran(task)
        if fault is None:
            return
        fault.origin = str(task)
        if stream.fault is None:
            stream.fault, stream.failed = fault, task.doing
        if stream.context.stops:
            stream.context.fault = stream.context.fault or fault
            for other in stream.context.all_streams():
                self.scheduler.drop(other)
        self.exceptions.tell(task, fault)

    def going_on(self, tasks: Sequence[Task]) -> list[Task]:
        """Those that the calling thread does not know to be over."""
        return self.order.going_on(tasks) if self.events.listeners else []

    def unfreed(self, device: Device) -> Iterator[Left]:
        """What the program left in a device's memory, as findings."""
        return unfreed(self.consequences.spared, device)

    @contextmanager
    def running_function(self, task: Task | None) -> Generator[None]:
        """A task runs code of the host's."""
        if task is None:
            yield
            return
        try:
            self.events.function_begins(task)
            yield
        finally:
            self.events.function_ends(task)

    @contextmanager
    def destroying(self, number: int) -> Generator[None]:
        """A call destroys the object of this handle."""
        self.events.destroying(number)
        try:
            yield
        except AclError as error:
            self.events.not_destroyed(number, error)
            raise

    def unfinished(self, stream: Stream) -> "Sequence[Doing | Task]":
        """The work in a stream that the calling thread does not know to be over."""
        if not self.events.listeners:
            return [task for task in stream.queue if not task.marks]
        return self.order.unfinished(stream)

    def attach(self) -> None:
        """The calling thread is a worker of this machine, whichever is entered."""
        installation.bind(self)

    @contextmanager
    def calling_out(
        self, context: Context | None = None, *, callback: Task | None = None
    ) -> Generator[None, None, None]:
        """The host's code runs, as in a callback: the machine is not locked meanwhile, as that code may wait for
        another thread that calls the API. With a context it finds that current, whichever thread runs it. `callback`:
        the task that it is the callback of."""
        thread = self.thread()
        outer, thread.callback = thread.callback, callback or thread.callback
        slots = thread.explicit, thread.primary, thread.lost
        if context is not None:
            thread.use(explicit=context)
        held = 0
        with suppress(RuntimeError):  # of a lock that is not held
            while True:
                self.lock.release()
                held += 1
        try:
            yield
        finally:
            for _ in range(held):
                self.lock.acquire()
            thread.callback = outer
            if context is not None:
                thread.explicit, thread.primary, thread.lost = slots

    # memory

    def memory_at(self, address: int) -> DeviceMemory | None:
        """The device memory whose window this address lies in; None for an address of the host."""
        return next((device.memory for device in self.devices if address in device.memory), None)

    def wrote(self, low: int, high: int) -> None:
        """Bytes [low, high) of device memory have new values, for which a task may wait. (The bytes that a task wrote
        are looked at when it has run.)"""
        if self.thread().task is None:
            self.cells.wrote(low, high, self.clock.now)
        self.scheduler.happened()

    def rejected(self, low: int, high: int) -> None:
        """A call that a finding ended did nothing, and so does not write [low, high)."""
        self.events.rejected(low, high)

    def read(self, ptr: Any, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """A copy of what device memory holds now, for a test to look at: it synchronises nothing and is no call of
        the API. `ptr` is an int or c_void_p, `dtype` a numpy type or an aclDataType."""
        address = int(getattr(ptr, "value", ptr) or 0)
        of = numpy_dtype(dtype) if isinstance(dtype, int) else np.dtype(dtype)
        if of is None:
            raise ValueError(f"numpy has no type for {dtype!r}")
        wanted = np.empty(shape, of)
        with self.lock:
            memory = self.memory_at(address)
            allocation = memory.holding(address) if memory is not None else None
            if allocation is None or address + wanted.nbytes > allocation.end:
                raise ValueError(f"{wanted.nbytes} bytes at {address:#x} do not lie in one piece of live device memory")
            at = address - allocation.address
            if isinstance(allocation, Mapping) and (why := allocation.trouble(at, at + wanted.nbytes, write=False)):
                raise ValueError(f"{why} ({allocation.history()})")
            allocation.touch(at, at + wanted.nbytes)
            wanted.view(np.uint8).reshape(-1)[...] = allocation.buffer[at : at + wanted.nbytes]
            return wanted

    # what shall go wrong

    def fail(
        self,
        name: str | Callable[..., object],
        status: int | str | None = None,
        *,
        nth: int = 1,
        times: int | None = 1,
        device: bool = False,
        done: bool | None = None,
    ) -> Failure:
        """Let the `nth` call of the C function `name` from now on fail with `status`, and the `times - 1` calls after
        it (None: all). The call does nothing then, its outputs stay untouched; text, last error and `machine.calls`
        tell as of any failure. Without a status the likeliest that its help documents; any known one may be given.

        `device`: the call succeeds, and the task that it queues fails on the device; tasks are counted, not calls.
        `done`: the call does its work before it fails. So does a synchronise that tells of a failed task, if not
        said otherwise: the work is over by then."""
        with self.lock:
            return self.faults.plan(name, status, nth=nth, times=times, device=device, done=done)

    def budget(
        self, *, memory: int | None = UNSET, streams: int | None = UNSET, events: int | None = UNSET, device: int = 0
    ) -> None:
        """Let a device have so many bytes, streams and events from now on, what is in use included; None: as many as at
        first. What is in use stays when that is more, and what is not given stays as it was."""
        if not 0 <= device < len(self.devices):
            raise ValueError(f"device={device}: {self.inventory()}")
        with self.lock:
            set_budget(self.devices[device], memory, streams, events)

    # the past

    def chrome_trace(self) -> dict[str, object]:
        """The calls, the tasks that ran and what was found in the Trace Event Format: `json.dumps` of it is a file for
        chrome://tracing and Perfetto."""
        from acl_runtime.trace.chrome_trace import chrome_trace  # late, as few programs want a trace

        with self.lock:
            chips = [device.soc.name for device in self.devices]
            return chrome_trace(list(self.calls), list(self.tasks), chips, self.findings.moments())

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Write `chrome_trace()` to a file."""
        import json  # late, as few programs write a trace

        text = json.dumps(self.chrome_trace(), indent=1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")

    def write_timeline(
        self, path: str | os.PathLike[str], *, start: float | None = None, end: float | None = None
    ) -> None:
        """Write a picture of `chrome_trace()`: an HTML page, or the SVG alone where the path ends in `.svg`. `start`
        and `end`, in simulated microseconds, choose a part of it."""
        from acl_runtime.timeline.write import write  # late, as few programs want a picture

        write(self.chrome_trace(), path, start, end)

    # what went wrong

    def allow(self, id: str, *, reason: str) -> Allowance:
        """Neither record nor raise findings of this id from now on, or until the block ends if used with `with`."""
        return self.findings.allow(id, reason)

    def undefined(
        self,
        id: str,
        what: str,
        *history: Past,
        hint: str | Fix | None = None,
        level: Level | None = None,
        role: str | None = None,
    ) -> Finding | None:
        """The host code made a mistake: recorded, and an error raised unless the machine only reports. `history`
        tells where the objects came from (`thing.past()`), `hint` what to do if not what the catalogue says. None if
        it is allowed, or if a task found it in bytes, read in this `role`, that were told to be doubtful."""
        thread = self.thread()
        task = thread.task
        if task is None:
            return self.findings.add(id, what, *history, hint=hint, level=level, call=thread.call)
        if role is not None and self.consequences.read_by(task, role):
            return None
        # without a call of its own, the thread is a worker
        call, site = (thread.call, "") if thread.call else (task.name, task.launched)
        return self.findings.add(id, what, task.past(), *history, hint=hint, level=level, call=call, site=site)

    def crash(
        self,
        id: str,
        what: str,
        *history: Past,
        status: int = ACLNN_ERR_RUNTIME_ERROR,
        hint: str | Fix | None = None,
        known: bool = False,
    ) -> NoReturn:
        """A finding after which a process or a device would fault: a machine that only reports does nothing and
        answers `status`. `known`: it is told already."""
        finding = None if known else self.undefined(id, what, *history, hint=hint)
        text = what if finding is None else finding.message
        listed = finding is not None or (known and self.findings.allowance(id) is None)
        item = Item("EZ9903", (text,)) if status == ACLNN_ERR_RUNTIME_ERROR else Item("EL0003", (), f"({text})")
        raise AclError(status, item, told=True, listed=listed)

    # life

    def __enter__(self) -> "Machine":
        installation.enter(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        installation.leave(self)

    def __dir__(self) -> list[str]:
        return dir(type(self))

    def check_open(self) -> None:
        """A thread that waited is told that the machine was closed meanwhile."""
        if self.closed:
            installation.check_outlived(self.thread().call)

    def tell_unasked(self) -> None:
        """A program in C ends, and says that all went well: list its failures that it did not ask about."""
        with self.lock:
            self.unasked.tell(self.findings)

    def close(self, site: str) -> None:
        """Drop what is queued, list what was left behind, return the address ranges. Raises nothing."""
        with self.lock:
            before = len(self.findings)
            self.cut_short = self.findings.travelling()
            if not self.cut_short:  # what an error leaves on its way out of the block is no news
                self.unchecked.tell(self.findings)
                without_init = bool(self.calls) and not self.initialisation.site
                for id, what, history in leaks(self, without_init=without_init, lost=self.teardown.lost()):
                    self.findings.add(id, what, *history)
                self.events.closing()
            self.findings.made_at_end = len(self.findings) - before
            for stream in list(self.streams()):
                self.scheduler.end(stream)
            self.closed = site
        self.scheduler.close()
        self.handles.close()
        for device in self.devices:
            device.memory.close()
        self.events.closed()
        self.pinned.close()
        self.workers.close()
