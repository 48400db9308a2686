"""The simulated computer: a `Machine` has all that the functions of the API change.

with Machine(soc="Ascend310P3") as machine:
    ...                          # calls of the API in here, from any thread, work on this machine
print(machine.findings)

A machine is made of parts. `Machine` makes them in the order in which they need each other, and passes itself to those
that need a protocol which it implements. Some methods of the parts are called so often that the machine has them as its
own members: `machine.stream` is `machine.contexts.stream`. The constructor lists them. Only what needs several parts is
defined here.
"""

import os
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Final

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
from acl_runtime.memory.virtual import VirtualMemory
from acl_runtime.objects.binaries import KernelFunction
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
from acl_runtime.streams.ran import Ran
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Context, Device, Stream, Task
from acl_runtime.streams.value_cell import Cells
from acl_runtime.streams.vector_clock import Action
from acl_runtime.text import counted
from acl_runtime.trace.marks import Marks
from acl_runtime.trace.object_names import Names
from acl_runtime.trace.records import Calls

MEMBERS: Final = (
    "allow", "budget", "calls", "chrome_trace", "clock", "escalate", "fail", "findings", "kernels", "options", "read",
    "soc", "tasks", "write_timeline", "write_trace",
)  # fmt: skip
"""the members that `aclnn docs machine` lists; all others are internal"""
LATEST: Final = 10_000


WARNED: Final = dict[Any, Any]()
"""the registry of Python's warnings, so that a line is named once"""


def _warn(sentence: str) -> None:
    """A warning at the user's line, which is several frames away if the first call makes the default machine."""
    file, line = split(here())
    warnings.warn_explicit(sentence, UserWarning, file or "the emulator", line or 1, registry=WARNED)


class _Shown(type):
    """Metaclass: `dir`, completion and `help` list only the members for users."""

    def __dir__(cls) -> list[str]:
        return [*MEMBERS, *(name for name in super().__dir__() if name.startswith("__"))]


class Machine(metaclass=_Shown):
    """A host with NPUs. The options are those of `acl_runtime.objects.options.Options`; `aclnn docs machine` describes
    them. One that is not given has its default, or what `ACL_EMULATOR_<OPTION>` in the environment says."""

    cut_short = False
    """True if a raised finding ended its block. Then the program could not wait for its threads"""

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
        """the place where the machine ended; empty while it lives"""
        # devices and memory
        turn = installation.turn()
        self.handles = Handles(window=self.options.window, turn=turn, trace=self.options.trace)
        self.devices = make_devices(self.options, self.soc, turn)
        memories = [device.memory for device in self.devices]
        self.memories = DeviceMemories(memories)
        self.pinned = PinnedMemory(two_addresses=self.options.checks and guard_possible())
        self.virtual = VirtualMemory(memories, self.pinned, self.memories)
        self.kept: list[object] = []
        """arrays to which pointers of the program point: kept alive"""
        self.memory_at = self.memories.at
        self.launches = 0
        """the number of operators that were launched"""
        # work in streams
        self.scheduler = Scheduler(self, self.options.schedule, self.options.seed, self.options.patience)
        self.cells, self.reports, self.faults, self.late_shapes = Cells(), Reports(), Faults(), LateShapes()
        self.captures = Captures()
        self.exceptions = Exceptions(self.handles, self.calling_out)
        self.run_first = self.scheduler.run_first
        self.submit, self.finish, self.wrote = self.scheduler.submit, self.scheduler.finish, self.scheduler.wrote
        # host threads, and the objects that their calls name
        self.initialisation = Initialisation()
        self.threads = Threads(self.scheduler, self.initialisation)
        self.thread, self.errors, self.errors_of = self.threads.current, self.threads.errors, self.threads.errors_of
        self.failed: ThreadState | None = None
        """the thread whose call left the last error text, which may have ended; None if no call left any"""
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
        # what ran
        latest = None if self.options.trace else LATEST
        self.tasks: deque[Ran] = deque(maxlen=latest)
        """the tasks that ran, in order"""
        self.names = Names(self.handles, memories)
        self.calls = Calls(self.names, latest)
        self.kernels = MachineKernels()
        # what is accepted without effect
        self.marks, self.profiling, self.dump = Marks(latest), Profiling(), Dump()
        self.compile_options: dict[int, str] = {}
        """the values of aclSetCompileopt, by aclCompileOpt"""
        self.compiled_operators: set[object] = set()
        """the operators by name that were compiled, by all that they were compiled for"""
        self.model_folder = ""
        """the folder of aclopSetModelDir"""
        self.stubs: dict[int, KernelFunction] = {}
        """kernels by the host address under which rtFunctionRegister registered them"""
        self.sync_areas: dict[int, Mapping] = {}
        """the memory of rtGetC2cCtrlAddr, by device"""
        self.plans: dict[object, object] = {}
        """cache: results of first phases, by everything on which they depend"""
        self.repeated: dict[object, object] = {}
        """cache: the same by the handles and values of the calls, as long as the objects of the handles do not
        change"""
        self.launch_caches: dict[object, object] = {}
        """cache: evaluations of operators, by the addresses of the launch"""
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
        state = "closed" if self.closed else f"{len(self.findings)} findings"
        if unmet := len(self.faults.unmet):
            state += f", {counted(unmet, 'failure')} asked for and not met"
        return f"<Machine {self.soc.name}, {counted(len(self.devices), 'device')}, {self.options.schedule}, {state}>"

    # questions of parts and bodies that need several parts

    def unfinished_of(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks among these that the calling thread does not know to be over."""
        return self.happens_before.unfinished_of(tasks) if self.options.checks else []

    def unfinished(self, stream: Stream) -> "Sequence[Action | Task]":
        """The work in a stream that the calling thread does not know to be over."""
        if not self.options.checks:
            return [task for task in stream.queue if not task.marks]
        return self.happens_before.unfinished(stream)

    def read_shape(self, tensor: Tensor, *, as_input: bool = True) -> None:
        """The program reads the view shape of a tensor. If a task finds that out, the tensor gets it now, unless the
        calling thread has not waited for the task. `as_input`: the program relies on the shape; it does not when it
        gives the tensor as an output again."""
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
        """The findings for memory of a device that was not freed."""
        return unfreed(self.consequences, device)

    def rejected(self, low: int, high: int) -> None:
        """A finding ended a call, which therefore does not write [low, high)."""
        self.announce.rejected(low, high)

    def calling_out(
        self, context: Context | None = None, *, callback: Task | None = None
    ) -> AbstractContextManager[None]:
        """A block in which host code runs: see `call_outs`."""
        return calling_out(self.lock, self.thread(), context, callback)

    @contextmanager
    def host_code_of(self, task: Task) -> Generator[None]:
        """Announce that the block is host code that a task runs: its accesses to memory are those of the task."""
        try:
            self.announce.function_begins(task)
            yield
        finally:
            self.announce.function_ends(task)

    def attach(self) -> None:
        """From now on the calling thread is a worker of this machine, whichever one is entered."""
        installation.bind(self)

    def check_open(self) -> None:
        """Raise in a thread whose machine was closed while it waited."""
        if self.closed:
            installation.check_outlived(self.thread().call)
            raise Ended

    # for tests: memory, failures, findings

    def read(self, ptr: Any, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """A copy of what device memory holds now, for a test to look at: it synchronises nothing and is no call of
        the API. `ptr` is an int or c_void_p, `dtype` a numpy type or an aclDataType."""
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
        it (None: all). The call does nothing then, its outputs stay untouched; text, last error and `machine.calls`
        are those of any failure. Without a status it is the likeliest that its help documents; any known one may be
        given.

        `device`: the call succeeds, and the task that it queues fails on the device; tasks are counted, not calls.
        `done`: the call does its work before it fails. So does a synchronise that returns the failure of a task, if not
        said otherwise: the work is over by then."""
        with self.lock:
            return self.faults.inject(name, status, nth=nth, times=times, device=device, done=done)

    def budget(
        self, *, memory: int | None = UNSET, streams: int | None = UNSET, events: int | None = UNSET, device: int = 0
    ) -> None:
        """Limit the bytes, streams and events of a device from now on, those in use included. None: as many as at
        first. A limit that is not given does not change. Things in use stay, even if they are more than the limit."""
        if not 0 <= device < len(self.devices):
            raise ValueError(f"device={device}: {self.inventory()}")
        with self.lock:
            set_budget(self.devices[device], memory, streams, events)

    def allow(self, id: str, *, reason: str) -> Allowance:
        """Neither record nor raise findings of this id from now on, or until the block ends if used with `with`."""
        return self.findings.allow(id, reason)

    def escalate(self, id: str) -> None:
        """Let findings of this id count as errors from now on. Warnings and advice are still recorded, not raised."""
        self.findings.escalate(id)

    # the past

    def chrome_trace(self) -> dict[str, object]:
        """The calls, the tasks that ran and what was found in the Trace Event Format: `json.dumps` of it is a file for
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
        """Write a picture of `chrome_trace()`: an HTML page, or the SVG alone where the path ends in `.svg`. `start`
        and `end`, in simulated microseconds, choose a part of it."""
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
        """Report leaks and drop the queued work. From then on no call changes this machine. The lock is held."""
        count = len(self.findings)
        self.cut_short = self.findings.travelling()
        if not self.cut_short:  # things left behind by an error that leaves the block are a consequence
            self.unchecked.report(self.findings)
            without_init = bool(self.calls) and not self.initialisation.site
            for id, what, history in leaks(self, without_init=without_init, lost=self.teardown.lost()):
                self.findings.add(id, what, *history)
            self.announce.closing()
        self.findings.made_at_end = len(self.findings) - count
        for stream in list(self.streams()):
            self.scheduler.end(stream)
        self.closed = site

    def release(self) -> None:
        """After `end`: wait for the threads of this machine, and return the address ranges. The lock is not held."""
        self.scheduler.close()
        self.handles.close()
        for device in self.devices:
            device.memory.close()
        self.announce.closed()
        self.pinned.close()
        self.virtual.close()
        self.compute_threads.close()
