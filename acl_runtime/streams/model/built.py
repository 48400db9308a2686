"""Models that a program builds: streams that are bound to the model, and control tasks between them.

The tasks of a bound stream are stored. A stream that was bound as a head begins with an execution; another one begins
when a control task activates it. A control task reads device memory when it runs, and decides what comes next. So the
tasks of an execution are queued piece by piece: up to a control task, and the next piece when that has run.

All tasks run in one stream of the model, one after the other, in the order in which the control tasks lead to them. So
a race between two bound streams does not show.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.memory.located_ranges import find
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import Record
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.model.capture import Capturing
from acl_runtime.streams.model.controls import Control, Place
from acl_runtime.streams.model.execution import EarlierExecutions, EndOfExecution
from acl_runtime.streams.model.model import Lane, LeftOut, Model, Node
from acl_runtime.streams.ports import Runner
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Context, Execution, Stream, Task, Untimed, nothing
from acl_runtime.text import Text


class BuiltModel(Model):
    """aclmdlRI, built by the program."""

    def __init__(self, machine: Capturing, context: Context) -> None:
        super().__init__(context)
        self._machine = machine
        self.bound: dict[Stream, list[Node | Control]] = {}
        """the entries of each bound stream"""
        self.heads: list[Stream] = []
        """the streams with which an execution begins"""
        self.courses: deque[Course] = deque()
        """the executions that are not over, in order"""

    def bind(self, stream: Stream, *, head: bool) -> None:
        """Store the tasks of a stream from now on."""
        if not self.lanes:
            self.lanes.append(Lane(self, stream))
            self._machine.handles.add(self.lanes[0].handle)
        self.bound[stream] = []
        stream.stores = self
        if head:
            self.heads.append(stream)

    def unbind(self, stream: Stream) -> None:
        """Let a stream queue its tasks again. Its entries are forgotten."""
        for entry in self.bound.pop(stream):
            if isinstance(entry, Node):
                entry.task, entry.places = LeftOut(entry.task), ()
        self.forget_pieces()
        stream.stores = None
        self.heads = [head for head in self.heads if head is not stream]

    def store(self, stream: Stream, task: Task) -> None:
        """Store a task that the program submits."""
        lane, thread = self.lanes[0], self._machine.thread()
        lane.numpy_context = lane.numpy_context or (stream.numpy_context and stream.numpy_context.copy())
        thread.stored, task.stream = None, lane
        node = Node(task, 0, thread.call, [find(self._machine, used) for used in task.ranges])
        self.nodes.append(node)
        self.forget_pieces()
        self.append(stream, node)

    def append(self, stream: Stream, entry: Node | Control) -> None:
        """Add an entry to a bound stream. Its number there, from 1 on, is the last task of the thread."""
        self.bound[stream].append(entry)
        self._machine.thread().last_task = len(self.bound[stream])


def model_of_stream(stream: Stream) -> BuiltModel | None:
    """The model to which a stream is bound."""
    return stream.stores if isinstance(stream.stores, BuiltModel) else None


class Building(Runner, Protocol):
    """The machine, as far as the execution of a built model needs it."""

    scheduler: Scheduler
    lock: Any

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def host_code_of(self, task: Task) -> AbstractContextManager[None]:
        """A block whose accesses count as accesses of a task."""
        ...


class Course:
    """One execution of a built model."""

    def __init__(self, machine: Building, model: BuiltModel, execution: Execution) -> None:
        self._machine, self._model, self._execution = machine, model, execution
        self._lane: Stream = model.lanes[0]
        self.next: deque[Place] = deque(Place(stream, 0) for stream in model.heads)
        """the places at which the execution goes on, the next first"""
        self.begin = Record(model)
        """the task of the program's stream behind which the execution begins"""
        self.last: Task | None = None
        """the task after which it is over"""
        self.over = False
        self.at = 0.0

    def start(self) -> None:
        """Queue the wait for the program's stream, and the first tasks."""
        name = Text("start of {model}", model=self._model)
        self._queue(
            [self._accepted(Task(name, nothing, (), self._execution.trail, wait=EarlierExecutions([self.begin])))]
        )
        self._go_on()

    def _go_on(self) -> None:
        """Queue the tasks up to the next control task, or the end. A finding that is raised ends the execution behind
        the tasks before."""
        tasks: list[Task] = []
        try:
            for task in self._coming():
                tasks.append(self._accepted(task))
        except UndefinedBehaviour:
            self.next.clear()
            tasks.append(self._accepted(self._end()))
            raise
        finally:
            self._queue(tasks)

    def _coming(self) -> Iterator[Task]:
        """The tasks up to the next control task, or the end."""
        while self.next:
            stream, index = self.next.popleft()
            for number, entry in enumerate(self._model.bound.get(stream, ())[index:], index + 1):
                if isinstance(entry, Control):
                    self.next.appendleft(Place(stream, number))
                    yield self._control(entry)
                    return
                task = entry.task.again({})
                if self._machine.faults.injectors:
                    task.fails = self._machine.faults.of_task(entry.call)
                yield task
        yield self._end()

    def _control(self, control: Control) -> Task:
        """The task of a control: it decides, then queues what comes next."""

        def run() -> None:
            with self._machine.lock, self._machine.host_code_of(task):
                control.decide(self.next)
                self._go_on()

        ranges = tuple(side.range(side.available) for side in control.sides)
        task = Task(control.name, run, ranges, control.trail, opaque=True, publishes=True)
        return task

    def _end(self) -> Task:
        name, trail = Text("end of {model}", model=self._model), self._execution.trail
        return Task(name, nothing, (), trail, publishes=True, done=self._finish)

    def _accepted(self, task: Task) -> Task:
        task.execution, task.stream = self._execution, self._lane
        self._machine.scheduler.accept(self._lane, task)
        return task

    def _queue(self, tasks: list[Task]) -> None:
        self.last = tasks[-1]
        self._machine.scheduler.queue_all(tasks, self._machine.thread())

    def abandon(self) -> None:
        """End the execution before its tasks have run."""
        self.over, self.at, self.last = True, self._lane.time, None
        self._model.courses.remove(self)

    def _finish(self, time: float) -> None:
        if self.over:
            return
        self.over, self.at = True, time
        self._model.courses.popleft()
        if self._model.courses:
            self._model.courses[0].start()


class End(Untimed):
    """The condition of the program's stream: the execution is over."""

    def __init__(self, course: Course, model: BuiltModel) -> None:
        self._course, self._model = course, model

    def ready(self) -> bool:
        """True once the execution is over, or was dropped."""
        return self._course.over or not self._model.lanes

    def time(self) -> float:
        """The simulated time of the end."""
        return self._course.at

    def sources(self) -> Iterable[Stream]:
        """The stream of the model."""
        return self._model.lanes

    def __str__(self) -> str:
        return Text("the execution of {model}", model=self._model)


class AllOver:
    """The goal of a host thread that all executions of a model are over."""

    def __init__(self, model: BuiltModel) -> None:
        self._model = model

    def reached(self) -> bool:
        """True if no execution is queued."""
        return not self._model.courses

    def time(self) -> float:
        """The simulated time of the end."""
        return max((lane.time for lane in self._model.lanes), default=0.0)

    def streams(self) -> Iterable[Stream]:
        """The stream of the model."""
        return self._model.lanes

    def __str__(self) -> str:
        return Text("the executions of {model}", model=self._model)


def run_built(machine: Building, model: BuiltModel, stream: Stream, trail: Trail) -> None:
    """Queue an execution: later tasks of `stream` wait for it."""
    execution = Execution(model, stream, model.lanes, trail)
    try:
        machine.announce.executing(model, execution, [node.task for node in model.nodes])
    except UndefinedBehaviour:
        machine.announce.not_executed(())
        raise
    machine.announce.executed(model, execution, ())
    course = Course(machine, model, execution)
    begin = Task(Text("begin of {model}", model=model), nothing, (), trail, publishes=True, done=course.begin.ran)
    course.begin.task = begin
    machine.scheduler.submit(stream, begin)
    model.courses.append(course)
    if len(model.courses) == 1:
        course.start()

    def over() -> None:
        last.host_clock = course.last.clock if course.last is not None else None

    last = Task(Text("wait for {model}", model=model), over, (), trail, wait=End(course, model), opaque=True)
    model.executed.pop(stream, None)
    model.executed[stream] = EndOfExecution(execution, last)
    machine.scheduler.submit(stream, last)
