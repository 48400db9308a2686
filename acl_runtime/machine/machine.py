"""The simulated computer: a `Machine` has all state that the functions of the API change.

with Machine(soc="Ascend310P3") as machine:
    ...                          # calls of the API in here, from any thread, work on this machine
print(machine.findings)

`Machine` makes its parts in the order in which they need each other. A part that needs a protocol of the machine gets
the machine itself. Some methods of the parts are called so often that the machine has them as its own members:
`machine.stream` is `machine.contexts.stream`. Only methods that need several parts are defined here.
"""

import os
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, runtime_checkable

from acl_runtime.checks.findings import Allowance, Findings, Moment
from acl_runtime.checks.host_access.guard import possible as guard_possible
from acl_runtime.checks.lifetime.executor_calls import ExecutorCalls
from acl_runtime.checks.lifetime.leaks import Leftover, leaks, unfreed
from acl_runtime.checks.statuses.unasked import Unasked
from acl_runtime.checks.statuses.unchecked import Unchecked
from acl_runtime.errors import Finding
from acl_runtime.faults.failures import Failure, Faults
from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.call_outs import calling_out
from acl_runtime.machine.contexts import Contexts, Threads
from acl_runtime.machine.devices import make_devices, set_budget
from acl_runtime.machine.initialisation import Initialisation
from acl_runtime.machine.installation import Ended, installation
from acl_runtime.machine.instruments import Dump, Profiling
from acl_runtime.machine.listening import listening
from acl_runtime.machine.mistakes import Mistakes
from acl_runtime.machine.own_kernels import MachineKernels
from acl_runtime.memory.allocation import Mapping
from acl_runtime.memory.device_memory import DeviceMemories
from acl_runtime.memory.pinned import PinnedMemory
from acl_runtime.memory.reading import read
from acl_runtime.memory.shared.exports import Exports
from acl_runtime.memory.virtual import VirtualMemory
from acl_runtime.models.registry import Models
from acl_runtime.objects.argument_lists import ArgumentList
from acl_runtime.objects.clock import SimulatedClock
from acl_runtime.objects.handle_table import Handles, Tensor
from acl_runtime.objects.options import UNSET, options, unknown_variables
from acl_runtime.objects.soc import soc_named
from acl_runtime.objects.timeouts import Timeouts
from acl_runtime.process import process
from acl_runtime.source.frames import here
from acl_runtime.source.site import split
from acl_runtime.streams.callbacks import Reports
from acl_runtime.streams.compute_threads import Workers
from acl_runtime.streams.exception_callbacks import Exceptions
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.late_shapes import LateShapes
from acl_runtime.streams.model.capture import Captures
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.ran import Ran
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Context, Device, Stream, Task
from acl_runtime.streams.value_cell import Cells
from acl_runtime.streams.vector_clock import Action
from acl_runtime.text import counted
from acl_runtime.trace.marks import Marks
from acl_runtime.trace.object_names import Names
from acl_runtime.trace.records import Calls

if TYPE_CHECKING:  # few programs need it
    from acl_runtime.collective.meeting_place import MeetingPlace
    from acl_runtime.streams.shared.helpers import HelperThreads
    from acl_runtime.streams.shared.sharing import Sharing

MEMBERS: Final = (
    "allow", "budget", "calls", "chrome_trace", "clock", "escalate", "fail", "findings", "kernels", "models", "options",
    "read", "soc", "tasks", "write_timeline", "write_trace",
)  # fmt: skip
"""the members that `aclnn docs machine` lists; all others are internal"""
LATEST: Final = 10_000
Part = TypeVar("Part")


@runtime_checkable
class Closing(Protocol):
    """A part of a machine that has something to give back at the end."""

    def close(self) -> None:
        """Give it back."""
        ...


WARNED: Final = dict[Any, Any]()
"""the registry of Python's warnings, so that each line gets a warning once"""


def _warn(sentence: str) -> None:
    """Issue a warning at the user's line, which is several frames away if the first call makes the default machine."""
    file, line = split(here())
    warnings.warn_explicit(sentence, UserWarning, file or "the emulator", line or 1, registry=WARNED)


class _Shown(type):
    """Metaclass: `dir`, completion and `help` list only the members for users."""

    def __dir__(cls) -> list[str]:
        return [*MEMBERS, *(name for name in super().__dir__() if name.startswith("__"))]


class Machine(metaclass=_Shown):
    """A host with NPUs. The options are the fields of `acl_runtime.objects.options.Options`; `aclnn docs machine`
    describes them. The default of an option can be set by the environment variable `ACL_EMULATOR_<OPTION>`."""

    cut_short = False
    """True if a raised finding ended the block, so that the program could not wait for its threads"""

    def __init__(  # noqa: PLR0915 (the parts of a machine, one line each)
        self,
        soc: str = UNSET,
        *,
        device_count: int = UNSET,
        hbm_bytes: int | None = UNSET,
        host_bytes: int | None = UNSET,
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
        hf32: bool = UNSET,
        catalogued: str = UNSET,
        patience: float = UNSET,
        lang: str = UNSET,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name != "self"}
        self.options = options(arguments)
        for sentence in unknown_variables() if process.program is None else ():
            _warn(sentence)
        self.soc = soc_named(self.options.soc)
        self.compute_threads = Workers(self.options.threads)
        self.lock = threading.RLock()
        self.clock = SimulatedClock()
        self.timeouts = Timeouts(self.soc.series)
        self.closed = ""
        """the line at which the machine was closed; empty before that"""
        # devices and memory
        turn = installation.turn()
        self.handles = Handles(window=self.options.window, turn=turn, trace=self.options.trace)
        self.devices = make_devices(self.options, self.soc, turn)
        memories = [device.memory for device in self.devices]
        self.memories = DeviceMemories(memories)
        self.pinned = PinnedMemory(two_addresses=self.options.checks and guard_possible())
        self.virtual = VirtualMemory(memories, self.pinned, self.memories)
        self.kept: list[object] = []
        """arrays to which pointers of the program point, which this list keeps alive"""
        self.memory_at = self.memories.at
        self.launches = 0
        """the number of operators that were launched"""
        # work in streams
        self.scheduler = Scheduler(self, self.options.schedule, self.options.seed, self.options.patience)
        self.cells, self.faults, self.late_shapes = Cells(), Faults(), LateShapes()
        self.reports = Reports("aclrtSubscribeReport", "aclrtProcessReport")
        self.host_functions = Reports("aclrtSubscribeHostFunc", "aclrtProcessHostFunc")
        self.captures = Captures()
        self.exceptions = Exceptions(self.handles, self.calling_out)
        self.run_first = self.scheduler.run_first
        self.submit, self.finish, self.wrote = self.scheduler.submit, self.scheduler.finish, self.scheduler.wrote
        # host threads, and the objects for the handles of their calls
        self.initialisation = Initialisation()
        self.threads = Threads(self.scheduler, self.initialisation)
        self.thread, self.errors, self.errors_of = self.threads.current, self.threads.errors, self.threads.errors_of
        self.failed: ThreadState | None = None
        """the thread whose call left the last error text, even after the thread ended; None if no call left a text"""
        contexts = self.contexts = Contexts(
            self.threads, self.devices, self.handles, self.initialisation, self.soc, self.options.device_count
        )
        self.parameters, self.deterministic = contexts.parameters, contexts.deterministic
        self.context, self.find_context, self.no_context = contexts.context, contexts.find_context, contexts.no_context
        self.context_of_caller = contexts.context_of_caller
        self.device, self.inventory, self.streams = contexts.device, contexts.inventory, contexts.streams
        self.stream, self.own_stream, self.event = contexts.stream, contexts.own_stream, contexts.event
        self.overflow_mode = int(self.soc.inf_nan)
        """0: results that overflow saturate, 1: they become infinite or NaN"""
        # tasks and calls
        latest = None if self.options.trace else LATEST
        self.tasks: deque[Ran] = deque(maxlen=latest)
        """the tasks that ran, in order"""
        self.names = Names(self.handles, memories)
        self.calls = Calls(self.names, latest)
        self.kernels = MachineKernels()
        self.models = Models()
        self.meeting_place: MeetingPlace | None = None
        """the place where the ranks of communicators meet; None until a function of HCCL needs it"""
        self.collective_options: dict[int, int] = {}
        """the values of HcclSetConfig, by HcclConfig"""
        # functions without effect
        self.marks, self.profiling, self.dump = Marks(latest), Profiling(), Dump()
        self.compile_options: dict[int, str] = {}
        """the values of aclSetCompileopt, by aclCompileOpt"""
        self.compiled_operators: set[object] = set()
        """the keys of the named operators that were compiled"""
        self.model_folder = ""
        """the folder of aclopSetModelDir"""
        self.argument_lists: dict[int, ArgumentList] = {}
        """lists of arguments of aclrtKernelArgsInitByUserMem, by address"""
        self.sync_areas: dict[int, Mapping] = {}
        """the memory of rtGetC2cCtrlAddr, by device"""
        self.plans: dict[object, object] = {}
        """cache: results of first phases, by all inputs on which they depend"""
        self.repeated: dict[object, object] = {}
        """cache: results of first phases, by the handles and values of the calls, until an object of a handle
        changes"""
        self.launch_caches: dict[object, object] = {}
        """cache: evaluations of operators, by the addresses of the launch"""
        self._helpers: HelperThreads | None = None
        self._sharing: Sharing | None = None
        self._parts: dict[type, Any] = {}
        """the parts of `part`, by class"""
        # findings
        self.findings = Findings(self.options.on_undefined, self.options.lang)
        self.findings.moment = self._moment
        self.unchecked, self.unasked = Unchecked(), Unasked()
        self.consequences, self.happens_before, self.teardown, self.announce = listening(
            self, self.streams, (self.unchecked, self.unasked), on=self.options.checks
        )
        self.executor_calls = ExecutorCalls(self, self.handles)
        mistakes = Mistakes(self.findings, self.threads, self.consequences)
        self.undefined, self.crash = mistakes.undefined, mistakes.crash

    def _moment(self, finding: Finding) -> Moment:
        return Moment(finding, self.clock.now, self.calls.latest(), self.threads.known())

    def __repr__(self) -> str:
        state = "closed" if self.closed else counted(len(self.findings), "finding")
        if unmet := len(self.faults.unmet):
            state += f", {counted(unmet, 'failure')} asked for and not met"
        return f"<Machine {self.soc.name}, {counted(len(self.devices), 'device')}, {self.options.schedule}, {state}>"

    def part(self, kind: "type[Part]") -> "Part":
        """The only object of a class, such as the queues of the process; it is made when it is first asked for. So a
        family of functions has state in a machine, and this module need not know it."""
        if kind not in self._parts:
            self._parts[kind] = kind()
        return self._parts[kind]

    @property
    def helpers(self) -> "HelperThreads":
        """The threads that serve other processes."""
        if self._helpers is None:
            from acl_runtime.streams.shared.helpers import HelperThreads  # late, as few programs share anything

            self._helpers = HelperThreads(self)
        return self._helpers

    @property
    def sharing(self) -> "Sharing":
        """The events and notifies that this process shares."""
        if self._sharing is None:
            from acl_runtime.streams.shared.sharing import Sharing  # late, as few programs share anything

            self._sharing = Sharing(self)
        return self._sharing

    @property
    def exports(self) -> Exports:
        """The objects that this process has exported."""
        return self.virtual.exports

    # methods that need several parts

    def unfinished_of(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks in `tasks` that the calling thread does not know to be over."""
        return self.happens_before.unfinished_of(tasks) if self.options.checks else []

    def unfinished(self, stream: Stream) -> "Sequence[Action | Task]":
        """The work in a stream that the calling thread does not know to be over."""
        if not self.options.checks:
            return [task for task in stream.queue if not task.marks]
        return self.happens_before.unfinished(stream)

    def read_shape(self, tensor: Tensor, *, as_input: bool = True) -> None:
        """Called when the program reads the view shape of a tensor. If a task sets the shape, and the calling thread
        has waited for the task, the tensor gets this shape. `as_input`: True if the program relies on the shape, False
        if it passes the tensor as an output again."""
        task = self.late_shapes.task(tensor)
        if task is None:
            return
        early = bool(self.unfinished_of([task]))
        if as_input:
            self.announce.shape_read(tensor, task)
        if not early:
            self.late_shapes.settle(tensor)
            self.repeated.clear()

    def unfreed(self, device: Device) -> Iterator[Leftover]:
        """The findings about memory of a device that was not freed."""
        return unfreed(self.consequences, device)

    def rejected(self, low: int, high: int) -> None:
        """Announce that a finding ended a call, so that it does not write [low, high)."""
        self.announce.rejected(low, high)

    def calling_out(
        self, context: Context | None = None, *, callback: Task | None = None
    ) -> AbstractContextManager[None]:
        """A block in which host code runs: see `call_outs`."""
        return calling_out(self.lock, self.thread(), context, callback)

    @contextmanager
    def host_code_of(self, task: Task) -> Generator[None]:
        """Announce that the block is host code of a task, so that its accesses count as accesses of the task."""
        try:
            self.announce.function_begins(task)
            yield
        finally:
            self.announce.function_ends(task)

    def attach(self) -> None:
        """Make the calling thread a worker of this machine, even while another machine is entered."""
        installation.bind(self)

    @property
    def of_process(self) -> bool:
        """True if the program made no machine itself, so that this is the only one of the process."""
        return installation.default is self

    def forked(self) -> None:
        """Close the copies of connections in a forked child."""
        for part in (self.meeting_place, self._sharing, self._helpers):
            if part is not None:
                part.forked()

    def check_open(self) -> None:
        """Raise `Ended` in a thread whose machine was closed while the thread waited."""
        if self.closed:
            installation.check_leftover_thread(self.thread().call)
            raise Ended

    # for tests: memory, failures, findings

    def read(self, ptr: Any, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """A copy of the present content of device memory, for a test. The method neither synchronises nor calls the
        API. `ptr` is an int or c_void_p, `dtype` a numpy type or an aclDataType."""
        with self.lock:
            return read(self, ptr, shape, dtype)

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
        it (None: all). A failing call does nothing and writes no output; the error text, the last error and
        `machine.calls` are as for any failure. The default status is the likeliest failure that the help of the
        function lists; any known status is allowed.

        `device`: True if the call succeeds and the task that it queues fails on the device; then tasks are counted, not
        calls. `done`: True if the call does its work before it fails, which is the default for a synchronise that
        returns the failure of a task."""
        with self.lock:
            return self.faults.inject(name, status, nth=nth, times=times, device=device, done=done)

    def budget(
        self, *, memory: int | None = UNSET, streams: int | None = UNSET, events: int | None = UNSET, device: int = 0
    ) -> None:
        """Limit the bytes, streams and events of a device from now on, including those in use. None: the limit at the
        start of the machine. A limit that is not given does not change. Objects in use stay, even if they exceed the
        limit."""
        if not 0 <= device < len(self.devices):
            raise ValueError(f"device={device}: {self.inventory()}")
        with self.lock:
            set_budget(self.devices[device], memory, streams, events)

    def allow(self, id: str, *, reason: str) -> Allowance:
        """Allow findings of this id from the call on, or in a `with` block: they are neither recorded nor raised."""
        return self.findings.allow(id, reason)

    def escalate(self, id: str) -> None:
        """Let findings of this id count as errors from now on. Warnings and advice are recorded but not raised."""
        self.findings.escalate(id)

    # records

    def chrome_trace(self) -> dict[str, object]:
        """The calls, the tasks that ran and the findings in the Trace Event Format: `json.dumps` of it makes a file for
        chrome://tracing and Perfetto."""
        from acl_runtime.trace.chrome_trace import chrome_trace  # late, as few programs want a trace
        from acl_runtime.trace.program import about_run

        with self.lock:
            chips = [device.soc.name for device in self.devices]
            return chrome_trace(
                list(self.calls), list(self.tasks), chips, self.findings.moments(), list(self.marks),
                about=about_run(self.options.schedule, self.options.seed),
            )  # fmt: skip

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Write `chrome_trace()` to a file."""
        from acl_runtime.trace.chrome_trace import write

        write(self.chrome_trace(), path)

    def write_timeline(
        self, path: str | os.PathLike[str], *, start: float | None = None, end: float | None = None
    ) -> None:
        """Write a picture of `chrome_trace()`: an HTML page, or only the SVG if the path ends in `.svg`. `start` and
        `end`, in simulated microseconds, select a part of the trace."""
        from acl_runtime.timeline.write import write  # late, as few programs want a picture

        write(self.chrome_trace(), path, start, end, self.findings.lang)

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

    def close(self, site: str) -> None:
        """Drop the queued work, report leaks, return the address ranges. Raises nothing."""
        with self.lock:
            self.end(site)
        self.release()

    def end(self, site: str) -> None:
        """Report leaks and drop the queued work. No later call changes this machine. The caller must hold the lock."""
        count = len(self.findings)
        self.cut_short = self.findings.travelling()
        if not self.cut_short:  # after an error, objects that are left behind are a consequence
            self.unchecked.report(self.findings)
            without_init = bool(self.calls) and not self.initialisation.site
            for id, what, history in leaks(self, without_init=without_init, lost=self.teardown.lost()):
                self.findings.add(id, what, *history)
            self.announce.closing()
        self.findings.made_at_end = len(self.findings) - count
        for stream in [*self.streams(), *(lane for model in self.handles.all(Model) for lane in model.lanes)]:
            self.scheduler.end(stream)
        for part in (self.meeting_place, self._sharing, self._helpers):
            if part is not None:
                part.end()
        self.closed = site

    def release(self) -> None:
        """After `end`, join the threads of this machine and return the address ranges. The caller must not hold the
        lock."""
        self.scheduler.close()
        if self._helpers is not None:
            self._helpers.release()
        if self._sharing is not None:
            self._sharing.close()
        self.handles.close()
        for device in self.devices:
            device.memory.close()
        self.announce.closed()
        self.pinned.close()
        self.virtual.close()
        for part in self._parts.values():
            if isinstance(part, Closing):
                part.close()
        self.compute_threads.close()
