"""Tasks of a stream that have no place in the order of things yet, and the memory that they will use."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.places import Place
from acl_runtime.memory.ranges import Range
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import Clock


class Planned(NamedTuple):
    """A use of memory by such a task."""

    task: Task
    used: Range
    place: Place


class Unplaced:
    """A FIFO; who uses a piece of memory is known without a look at all the others."""

    __slots__ = ("_tasks", "_uses")

    def __init__(self) -> None:
        self._tasks: deque[tuple[Task, Clock, list[Place]]] = deque()
        self._uses: dict[Allocation | Pinned, deque[Planned]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return (task for task, _, _ in self._tasks)

    def add(self, task: Task, clock: Clock, places: Sequence[Place | None]) -> None:
        """One more task, what was over when it was launched, and where its ranges are."""
        known: list[Place] = []
        for used, place in zip(task.ranges, places, strict=True):
            if place is not None:
                self._uses.setdefault(place.piece, deque()).append(Planned(task, used, place))
                known.append(place)
        self._tasks.append((task, clock, known))

    def pop(self) -> tuple[Task, Clock]:
        """Take the first one out."""
        task, clock, places = self._tasks.popleft()
        for place in places:
            uses = self._uses[place.piece]
            uses.popleft()
            if not uses:
                del self._uses[place.piece]
        return task, clock

    def meeting(self, place: Place) -> Iterator[Planned]:
        """The uses that share a byte with it, in order."""
        return (planned for planned in self._uses.get(place.piece, ()) if place.meets(planned.place))
