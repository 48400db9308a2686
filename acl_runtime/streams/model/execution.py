"""An execution of a model: its tasks are queued again."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import EventWait, Record
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.ports import Runner
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Execution, Stream, Task, nothing
from acl_runtime.text import Text


class Executing(Runner, Protocol):
    """The machine, as far as an execution needs it."""

    scheduler: Scheduler

    def unfinished_of(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks among these that the calling thread does not know to be over."""
        ...


class EndOfExecution(Record):
    """The last task of a model in the stream of the execution has run. All other streams of the model are joined to
    that stream, so all tasks have run."""

    def __init__(self, execution: Execution, last: Task) -> None:
        super().__init__(execution.model)
        self._execution = execution
        self.task, last.publishes = last, True
        last.done = self.ran if last.done is None else partial(_both, last.done, self.ran)

    def __str__(self) -> str:
        place = self._execution.launched
        return Text("{model}, executed at {place}", model=self._execution.model, place=place)


def execute(machine: Executing, model: Model, stream: Stream, trail: Trail) -> None:
    """Queue the tasks of a model: those of its origin in `stream`, the others in streams of the model. A finding that
    is raised leaves nothing queued."""
    execution = Execution(model, stream, model.lanes[1:], trail)
    tasks = _tasks(machine, model, execution)
    last = next((task for task in reversed(tasks) if task.stream is stream), None)
    end = EndOfExecution(execution, last) if last is not None else None
    announce = machine.announce
    announce.executing(model, execution, tasks)
    try:
        for task in () if execution.announced else tasks:
            if task.enters:
                task.entering()
            announce.queueing(task.stream, task)
    except UndefinedBehaviour:
        announce.withdrawn(tasks)
        for task in tasks:
            if task.enters:
                task.withdrawn()
        raise
    announce.executed(model, execution, tasks)
    model.latest = end or model.latest
    machine.scheduler.queue_all(tasks, machine.thread())


def _tasks(machine: Executing, model: Model, execution: Execution) -> list[Task]:
    """The tasks of the model, made again for this execution, each with its stream."""
    streams = (execution.stream, *execution.lanes)
    for stream, lane in zip(streams, model.lanes, strict=True):
        stream.numpy_context = stream.numpy_context or (lane.numpy_context and lane.numpy_context.copy())
    tasks = list(_after(machine, model, execution))
    repeated: dict[Task, Task] = {}
    injectors = machine.faults.injectors
    for node in model.nodes:
        stored = node.task
        task = stored.again(repeated)
        task.execution, task.stream = execution, streams[node.lane]
        if not task.operator:
            repeated[stored] = task
        elif node.grouped:
            task.run, task.cached = node.run_latest, None
        if injectors:
            task.fails = machine.faults.of_task(node.call)
        tasks.append(task)
    return tasks


def _after(machine: Executing, model: Model, execution: Execution) -> Iterator[Task]:
    """The wait for the execution before, if that is in another stream: a model "runs one after the other"."""
    before = model.latest
    if before is None or before.task is None or before.task.stream is execution.stream:
        return
    if model.running or machine.unfinished_of([before.task]):
        name, wait = Text("wait for {model}", model=model), EventWait(model, before, None)
        task = Task(name, nothing, (), execution.trail, wait=wait)
        task.execution, task.stream = execution, execution.stream
        yield task


def _both(first: Callable[[float], None], second: Callable[[float], None], time: float) -> None:
    first(time)
    second(time)
