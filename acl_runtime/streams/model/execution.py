"""An execution of a model: its tasks are queued again."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

import numpy as np

from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import Record
from acl_runtime.streams.model.model import Condition, Model
from acl_runtime.streams.ports import Runner
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Execution, Ordering, Stream, Task, Untimed, nothing
from acl_runtime.streams.vector_clock import VectorClock
from acl_runtime.text import Text


class Executing(Runner, Protocol):
    """The machine, as far as an execution needs it."""

    scheduler: Scheduler

    def unfinished_of(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks among these that the calling thread does not know to be over."""
        ...


class EarlierExecutions(Untimed, Ordering):
    """The condition for an execution to begin: the executions before it in other streams are over, or were dropped. A
    model "runs one after the other"."""

    def __init__(self, ends: Sequence[Record]) -> None:
        self._ends = ends

    def _left(self) -> list[Record]:
        """The ends of the executions that were not dropped."""
        return [end for end in self._ends if end.dropped_from is None]

    def ready(self) -> bool:
        """True once all of them are over."""
        return all(end.done for end in self._left())

    def clock(self) -> VectorClock | None:
        """The actions that are over then; None while it is unknown."""
        merged: VectorClock = {}
        for end in self._left():
            clock = end.task.clock if end.task is not None else None
            if clock is None:
                return None
            merged.update({agent: number for agent, number in clock.items() if merged.get(agent, 0) < number})
        return merged

    def time(self) -> float:
        """The simulated time at which the last of them was over."""
        return max((end.at for end in self._left()), default=0.0)

    def sources(self) -> Iterable[Stream]:
        """The streams in which they are queued."""
        return [stream for end in self._left() for stream in end.streams()]

    def __str__(self) -> str:
        return str(next((end for end in self._ends if not end.done), self._ends[-1]))


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
    execution = Execution(model, stream, (*model.lanes[1:], *model.inner_lanes()), trail)
    tasks = [*_after(machine, model, execution), *tasks_of(machine, model, execution, (stream, *model.lanes[1:]))]
    last = next((task for task in reversed(tasks) if task.stream is stream), None)
    end = EndOfExecution(execution, last) if last is not None else None
    announce = machine.announce
    announce.executing(model, execution, tasks)
    undo: list[Callable[[], object]] = []
    try:
        for task in () if execution.announced else tasks:
            if task.enters and (undone := task.entering()) is not None:
                undo.append(undone)
            announce.queueing(task.stream, task)
    except UndefinedBehaviour:
        for undone in reversed(undo):
            undone()
        announce.not_executed(tasks)
        raise
    announce.executed(model, execution, tasks)
    inject(machine, model, tasks)
    if end is not None:
        model.executed.pop(stream, None)
        model.executed[stream] = end
    machine.scheduler.queue_all(tasks, machine.thread())


def tasks_of(machine: Executing, model: Model, execution: Execution, streams: Sequence[Stream]) -> list[Task]:
    """The tasks of the model, made again for this execution, each with its stream. `streams`: one for each lane."""
    for stream, lane in zip(streams, model.lanes, strict=True):
        stream.numpy_context = stream.numpy_context or (lane.numpy_context and lane.numpy_context.copy())
    tasks = [assignment(condition, execution.trail) for condition in model.conditions if condition.default is not None]
    for task in tasks:
        task.execution, task.stream = execution, streams[0]
    repeated: dict[Task, Task] = {}
    for node in model.nodes:
        stored = node.task
        task = stored.again(repeated)
        task.execution, task.stream = execution, streams[node.lane]
        if not task.operator:
            repeated[stored] = task
        tasks.append(task)
    return tasks


def inject(machine: Executing, model: Model, tasks: Sequence[Task]) -> None:
    """Let tasks fail for which a test requested a failure. The last tasks are those of the model."""
    if machine.faults.injectors:
        for task, node in zip(tasks[len(tasks) - len(model.nodes) :], model.nodes, strict=True):
            task.fails = machine.faults.of_task(node.call)


def assignment(condition: Condition, trail: Trail) -> Task:
    """The task that gives a condition its default."""
    cell, default = condition.cell, condition.default

    def assign() -> None:
        if not cell.gone:
            cell.admit(0, cell.size)
            cell.wrote(0, cell.size)
            cell.buffer[:] = np.frombuffer(np.uint64(default or 0).tobytes(), np.uint8)

    written = Range(cell.address, cell.end, "condition", Use.WRITE)
    return Task(Text("default of {condition}", condition=condition), assign, (written,), trail)


def _after(machine: Executing, model: Model, execution: Execution) -> Iterator[Task]:
    """The wait for the executions before, if they are in other streams."""
    ends = {each: (end, end.task) for each, end in model.executed.items() if end.dropped_from is None}
    unfinished = machine.unfinished_of([task for _, task in ends.values() if task is not None])
    model.executed = {each: end for each, (end, task) in ends.items() if task in unfinished}
    others = [end for each, end in model.executed.items() if each is not execution.stream]
    if others:
        task = Task(Text("wait for {model}", model=model), nothing, (), execution.trail, wait=EarlierExecutions(others))
        task.execution, task.stream = execution, execution.stream
        yield task


def _both(first: Callable[[float], None], second: Callable[[float], None], time: float) -> None:
    first(time)
    second(time)
