"""A model: the tasks that were stored, and the streams in which they run."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.memory.pinned import Pinned
from acl_runtime.objects.handle_table import Thing
from acl_runtime.streams.event import Record
from acl_runtime.streams.stream import Context, Stream, Task, nothing
from acl_runtime.text import Text


class Lane(Stream):
    """A stream of a model: it stands for one captured stream, and runs its tasks. The first lane stands for the origin.
    It runs nothing, as the tasks of the origin run in the stream of the execution. The program has the handle of a
    `ModelStream`, so that no function takes a lane for a stream of the program."""

    def __init__(self, model: "Model", captured: Stream) -> None:
        super().__init__(captured.context, captured.priority, captured.flags)
        self.model = model
        self.place = len(model.lanes) + 1
        """the number in its model, from 1 on"""
        self.numpy_context = captured.numpy_context and captured.numpy_context.copy()
        self.handle = ModelStream(self)

    def __str__(self) -> str:
        return Text("stream {number} of {model}", number=self.place, model=self.model)


class ModelStream(Thing):
    """The object behind the handle of a stream of a model."""

    kind = Text("stream of a model")

    def __init__(self, lane: Lane) -> None:
        super().__init__()
        self.lane = lane

    def __str__(self) -> str:
        return str(self.lane)


class LeftOut(Task):
    """A mark in the place of a task that executions leave out."""

    def __init__(self, task: Task) -> None:
        super().__init__(Text("{task}, which is disabled", task=task.name), nothing, (), task.trail)


class Node:
    """A stored task, and what an execution has to know beside it."""

    __slots__ = ("call", "disabled", "handle", "lane", "places", "task")

    def __init__(self, task: Task, lane: int, call: str, places: Sequence[LocatedRange | None]) -> None:
        self.task = task
        self.lane = lane
        """the index of the lane"""
        self.call = call
        """the API function that the program called"""
        self.places = places
        """where the ranges of the task were during the capture; empty for an operator of a task group"""
        self.disabled = False
        """True if executions shall leave it out after the next update of the model"""
        self.handle: StoredTask | None = None
        """the object behind an aclmdlRITask, once the program has asked for one"""


class Model(Thing):
    """aclmdlRI: a model that a capture made. `BuiltModel` is one that the program built."""

    kind = Text("model")
    destroyer = "aclmdlRIDestroy"

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.lanes: list[Lane] = []
        self.nodes: list[Node] = []
        self.groups: list[Thing] = []
        """its task groups"""
        self.conditions: list[Condition] = []
        self.body_of: Model | None = None
        """for the body of a condition: the model with the condition"""
        self.name = b""
        """the bytes of aclmdlRISetName, in the encoding of the program"""
        self.capturing = True
        self.callbacks: list[tuple[Callable[[Any], Any], Any]] = []
        """functions to call when it is destroyed, each with its argument"""
        self.executed: dict[Stream, Record] = {}
        """the end of the last execution in each stream, the latest last; without those that all threads know to be
        over"""

    @cached_property
    def pieces(self) -> Sequence[Allocation | Pinned]:
        """The memory that its tasks use, without those of task groups."""
        places = (place for node in self.nodes for place in node.places)
        return tuple(dict.fromkeys(place.piece for place in places if place is not None))

    def leave_out(self) -> None:
        """Replace the disabled tasks by marks."""
        for node in self.nodes:
            if node.disabled:
                node.task, node.places, node.disabled = LeftOut(node.task), (), False
        self.forget_pieces()

    def forget_pieces(self) -> None:
        """Look up the memory again, as the tasks have changed."""
        self.__dict__.pop("pieces", None)

    @property
    def bodies(self) -> Iterator["Model"]:
        """The bodies of its conditions."""
        return (body for condition in self.conditions for body in condition.bodies)

    def inner_lanes(self) -> Iterator[Lane]:
        """The lanes of its bodies, and of the bodies in them."""
        for body in self.bodies:
            yield from body.lanes
            yield from body.inner_lanes()

    @property
    def running(self) -> Record | None:
        """The end of the last execution that is queued or runs."""
        return next(
            (end for end in reversed(self.executed.values()) if not end.done and end.dropped_from is None), None
        )


class Condition(Thing):
    """aclmdlRICondHandle: a number of 8 bytes in device memory, and the bodies of which it chooses one."""

    kind = Text("condition")

    def __init__(self, model: Model, cell: Allocation, default: int | None) -> None:
        super().__init__()
        self.model = model
        self.cell = cell
        """the memory of the number"""
        self.default = default
        """the number at the begin of each execution; None if an execution leaves it"""
        self.bodies: list[Body] = []
        """empty until a conditional task has the condition"""


class Body(Model):
    """The aclmdlRI of a body, which only its condition executes."""

    kind = Text("body")
    destroyer = ""

    def __init__(self, condition: Condition) -> None:
        super().__init__(condition.model.context)
        self.body_of = condition.model


class StoredTask(Thing):
    """aclmdlRITask: a task of a model."""

    kind = Text("stored task")

    def __init__(self, model: Model, number: int) -> None:
        super().__init__()
        self.model = model
        self.index = number
        """the place in the model, from 0 on"""
