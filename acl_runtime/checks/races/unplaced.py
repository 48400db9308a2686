"""Tasks that are queued in a stream and cannot be ordered yet, and the memory that they will access."""

from collections import deque
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import Range
from acl_runtime.streams.stream import Task
from acl_runtime.streams.vector_clock import VectorClock


class PendingAccess(NamedTuple):
    """An access to memory by a task that cannot be ordered yet."""

    task: Task
    used: Range
    place: LocatedRange


class Unplaced:
    """A FIFO of the tasks in one stream that cannot be ordered yet, with an index of their accesses by memory."""

    __slots__ = ("_accesses", "_tasks")

    def __init__(self) -> None:
        self._tasks: deque[tuple[Task, VectorClock, list[LocatedRange]]] = deque()
        self._accesses: dict[Allocation | Pinned, deque[PendingAccess]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return (task for task, _, _ in self._tasks)

    def add(self, task: Task, clock: VectorClock, places: Sequence[LocatedRange | None]) -> None:
        """Append a task, with the `clock` of the agent that launched it, and the `places` of its ranges."""
        located: list[LocatedRange] = []
        for used, place in zip(task.ranges, places, strict=True):
            if place is not None:
                self._accesses.setdefault(place.piece, deque()).append(PendingAccess(task, used, place))
                located.append(place)
        self._tasks.append((task, clock, located))

    def pop(self) -> tuple[Task, VectorClock]:
        """Remove the first task; return it with its clock."""
        task, clock, places = self._tasks.popleft()
        for place in places:
            pending = self._accesses[place.piece]
            pending.popleft()
            if not pending:
                del self._accesses[place.piece]
        return task, clock

    def withdraw(self, tasks: Container[Task]) -> None:
        """Remove these tasks."""
        self._tasks = deque(entry for entry in self._tasks if entry[0] not in tasks)
        for piece, pending in list(self._accesses.items()):
            self._accesses[piece] = deque(each for each in pending if each.task not in tasks)
            if not self._accesses[piece]:
                del self._accesses[piece]

    def meeting(self, place: LocatedRange) -> Iterator[PendingAccess]:
        """The accesses that share a byte with `place`, in order."""
        return (pending for pending in self._accesses.get(place.piece, ()) if place.meets(pending.place))
