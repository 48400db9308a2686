"""Conditional tasks of captured models: a number in device memory chooses the body that runs next.

A conditional task is stored as two tasks of its stream. The first reads the number when it runs, and queues the tasks
of a body in streams of the body. The second waits until these are over. A loop reads the number again behind its body.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.headers.enums import aclmdlRICondTaskType
from acl_runtime.memory.ranges import Range, Use
from acl_runtime.source.site import Trail
from acl_runtime.streams.event import Record
from acl_runtime.streams.model.execution import EarlierExecutions, Executing, inject, tasks_of
from acl_runtime.streams.model.model import Body, Condition
from acl_runtime.streams.stream import Stream, Task, Untimed, nothing
from acl_runtime.text import Text

IF, WHILE = aclmdlRICondTaskType.ACL_MODEL_RI_COND_TYPE_IF, aclmdlRICondTaskType.ACL_MODEL_RI_COND_TYPE_WHILE
NAMES: Mapping[int, Text] = {IF: Text("IF"), WHILE: Text("WHILE")}


class Choosing(Executing, Protocol):
    """The machine, as far as a conditional task needs it."""

    lock: Any

    def host_code_of(self, task: Task) -> AbstractContextManager[None]:
        """A block whose accesses count as accesses of a task."""
        ...


class Turn(Untimed):
    """One execution of a conditional task, as the condition of the second task: the bodies are over."""

    def __init__(self, condition: Condition) -> None:
        self.condition = condition
        self.over = False
        self.at = 0.0
        self.last: Task | None = None
        """the task behind the bodies that were queued"""

    def finish(self, time: float) -> None:
        """The last body is over."""
        self.over, self.at = True, time

    def ready(self) -> bool:
        """True if no body is queued."""
        return self.over

    def time(self) -> float:
        """The simulated time at which the last body was over."""
        return self.at

    def sources(self) -> Iterable[Stream]:
        """The streams of the bodies."""
        return [lane for body in self.condition.bodies for lane in body.lanes]

    def __str__(self) -> str:
        return Text("the bodies of {condition}", condition=self.condition)


class Choice(Task):
    """The first task: it reads the number, and queues a body."""

    turn: Turn
    record: Record

    def __init__(self, machine: Choosing, condition: Condition, kind: int, trail: Trail) -> None:
        cell = condition.cell
        used = (Range(cell.address, cell.end, "condition", Use.READ),)
        name = Text("{kind} of {condition}", kind=NAMES.get(kind, Text("SWITCH")), condition=condition)
        super().__init__(name, nothing, used, trail, publishes=True, opaque=True)
        self._machine, self.condition, self._kind = machine, condition, kind
        self._goes_on = False

    def again(self, repeated: Mapping[Task, Task]) -> "Choice":
        return self._repeated(Turn(self.condition))

    def _repeated(self, turn: Turn) -> "Choice":
        """A copy that may queue a body in this turn."""
        task = super().again({})
        assert isinstance(task, Choice)
        task.turn, task.record, task._goes_on = turn, Record(self.condition.model), False
        task.run, task.done, task.record.task = task._choose, task._chose, task
        return task

    def _choose(self) -> None:
        with self._machine.lock, self._machine.host_code_of(self):
            body = self._chosen()
            if body is not None:
                self._queue(body)

    def _chosen(self) -> Body | None:
        """The body that the number chooses; None if it chooses none, or an empty one."""
        cell, bodies = self.condition.cell, self.condition.bodies
        if cell.gone:
            return None  # reported when the memory was freed
        cell.touch(0, cell.size)
        number = int(np.frombuffer(cell.buffer.data, np.uint64, 1)[0])
        place = number if self._kind not in (IF, WHILE) else 0 if number else len(bodies) if self._kind == WHILE else 1
        return bodies[place] if place < len(bodies) and bodies[place].nodes else None

    def _queue(self, body: Body) -> None:
        """Queue the tasks of a body in its streams, and the task behind them."""
        machine, execution = self._machine, self.execution
        assert execution is not None
        tasks = tasks_of(machine, body, execution, body.lanes)
        begin = Text("begin of {body}", body=body)
        first = Task(begin, nothing, (), self.trail, wait=EarlierExecutions([self.record]))
        end = Text("end of {body}", body=body)
        last = Task(end, nothing, (), self.trail, publishes=True, done=self.turn.finish)
        if self._kind == WHILE:
            last = self._repeated(self.turn)
        for task in (first, last):
            task.execution, task.stream = execution, body.lanes[0]
        machine.announce.executing(body, execution, tasks)
        try:
            for task in (first, *tasks, last):
                machine.scheduler.accept(task.stream, task)
        except UndefinedBehaviour:
            machine.announce.not_executed((first, *tasks, last))
            raise
        machine.announce.executed(body, execution, tasks)
        inject(machine, body, tasks)
        self.turn.last, self._goes_on = last, True
        machine.scheduler.queue_all((first, *tasks, last), machine.thread())

    def _chose(self, time: float) -> None:
        self.record.ran(time)
        if not self._goes_on:
            self.turn.finish(time)


class EndOfChoice(Task):
    """The second task: it waits for the bodies."""

    def __init__(self, choice: Choice) -> None:
        name = Text("end of {task}", task=choice.name)
        super().__init__(name, nothing, (), choice.trail, wait=Turn(choice.condition), opaque=True)
        self._choice = choice

    def again(self, repeated: Mapping[Task, Task]) -> Task:
        choice, task = repeated[self._choice], super().again(repeated)
        assert isinstance(choice, Choice)
        assert isinstance(task, EndOfChoice)
        task.wait, task.run = choice.turn, task._over
        return task

    def _over(self) -> None:
        assert isinstance(self.wait, Turn)
        last = self.wait.last
        self.host_clock = last.clock if last is not None else None
