"""Cells: 64-bit values in device memory that streams write, and for which streams wait."""

from collections.abc import Callable, Iterable
from typing import Final

from acl_runtime.headers.enums import (
    ACL_STREAM_WAIT_VALUE_AND,
    ACL_STREAM_WAIT_VALUE_EQ,
    ACL_STREAM_WAIT_VALUE_GEQ,
    ACL_STREAM_WAIT_VALUE_NOR,
    aclmdlRITaskType,
)
from acl_runtime.memory import host
from acl_runtime.memory.copies import Side
from acl_runtime.memory.ranges import Use
from acl_runtime.source.site import Trail
from acl_runtime.streams.stream import Stream, Task, Untimed
from acl_runtime.text import Text

BYTES: Final = 8
LATEST: Final = 10_000
ONES: Final = (1 << 64) - 1
SIGN: Final = 1 << 63
CONDITIONS: Final[dict[int, Callable[[int, int], bool]]] = {
    ACL_STREAM_WAIT_VALUE_GEQ: lambda cell, value: not (cell - value) & SIGN,  # "signed difference >= 0"
    ACL_STREAM_WAIT_VALUE_EQ: lambda cell, value: cell == value,
    ACL_STREAM_WAIT_VALUE_AND: lambda cell, value: cell & value != 0,
    ACL_STREAM_WAIT_VALUE_NOR: lambda cell, value: ~(cell | value) & ONES != 0,
}
WORDS: Final = {
    ACL_STREAM_WAIT_VALUE_GEQ: ">=",
    ACL_STREAM_WAIT_VALUE_EQ: "==",
    ACL_STREAM_WAIT_VALUE_AND: "&",
    ACL_STREAM_WAIT_VALUE_NOR: "~|",
}


class ValueWait(Untimed):
    """The condition of a task that waits until a cell has a value."""

    def __init__(self, cells: "Cells", busy: dict[Stream, None], side: Side, value: int, condition: int) -> None:
        """`busy`: the streams with queued tasks (`Scheduler.busy`)."""
        self._cells = cells
        self._busy = busy
        self._side = side
        self._value = value
        self._condition = condition
        self.task: Task | None = None
        self._at: float | None = cells.time(side.address) if self.ready() else None
        cells.add(self)

    @property
    def over(self) -> bool:
        """True if the task that waits has run, or was dropped."""
        return self.task is not None and not self.task.queued

    def withdraw(self) -> None:
        """Forget the wait, as its task is not queued."""
        self._cells.awaited.remove(self)

    def written(self, low: int, high: int, time: float) -> None:
        """Note the time if a write of bytes [low, high) ended the wait."""
        if self._side.address < high and low < self._side.address + BYTES and self.ready():
            self._at = time if self._at is None else self._at

    def ready(self) -> bool:
        """True if the condition is true, or the memory of the cell was freed. The free makes the finding, or the task
        does if the memory was registered."""
        cell = self._cell()
        return cell is None or CONDITIONS[self._condition](cell, self._value)

    def time(self) -> float:
        """The simulated time of the write that ended the wait."""
        return self._at or 0.0

    def sources(self) -> Iterable[Stream]:
        """The streams with a task that uses the cell."""
        low, high = self._side.address, self._side.address + BYTES
        return [
            stream
            for stream in self._busy
            if any(used.meets(low, high) for task in stream.queue for used in task.ranges if task.wait is not self)
        ]

    def _cell(self) -> int | None:
        """The value of the cell; None if its memory was freed."""
        side, allocation = self._side, self._side.allocation
        assert allocation is not None
        if not side.alive or (not side.safe and not host.readable(side.start, BYTES)):
            return None
        offset = side.start - allocation.base
        allocation.touch(offset, offset + BYTES)
        return int.from_bytes(allocation.buffer[offset : offset + BYTES].tobytes(), "little")

    def __str__(self) -> str:
        cell = self._cell()
        return Text(
            "a value {condition} {value} in a cell of device memory, which {now}",
            condition=WORDS[self._condition],
            value=f"{self._value:#x}",
            now=Text("holds {value}", value=f"{cell:#x}") if cell is not None else Text("is gone"),
        )


class ValueWaitTask(Task):
    """The task that waits until a cell has a value."""

    enters = True
    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_VALUE_WAIT

    def __init__(
        self, make_wait: Callable[[], ValueWait], run: Callable[[], None], side: Side, trail: Trail | str
    ) -> None:
        """`run` checks the memory after the wait."""
        super().__init__(Text("value wait"), run, (side.range(BYTES, Use.AWAIT),), trail, opaque=True)
        self._make_wait = make_wait

    def entering(self) -> Callable[[], None]:
        self.wait = wait = self._make_wait()
        return wait.withdraw

    def entered(self) -> None:
        assert isinstance(self.wait, ValueWait)
        self.wait.task = self


class Cells:
    """The waits for values in one machine, and the times at which values were written."""

    def __init__(self) -> None:
        self.awaited: list[ValueWait] = []
        """the waits of tasks that are queued"""
        self._times: dict[int, float] = {}

    def add(self, wait: ValueWait) -> None:
        """Add a wait whose task is queued."""
        self.awaited.append(wait)

    def time(self, address: int) -> float | None:
        """The simulated microseconds of the last aclrtValueWrite to this address; None if unknown."""
        return self._times.get(address)

    def stamp(self, address: int, time: float) -> None:
        """Store the time of an aclrtValueWrite to this address."""
        if len(self._times) > LATEST:
            self._times.clear()
        self._times[address] = time

    def ran(self, task: Task, time: float) -> None:
        """Check the waits after a task, which may have written an awaited value."""
        self.awaited = [wait for wait in self.awaited if not wait.over]
        for access in task.ranges:
            self.wrote(access.low, access.high, time)

    def wrote(self, low: int, high: int, time: float) -> None:
        """Check the waits, as bytes [low, high) of device memory were written."""
        for wait in self.awaited:
            wait.written(low, high, time)
