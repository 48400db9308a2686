"""The objects of channels and queues: messages in order, up to a depth, and routes from one queue to another."""

from collections import deque
from collections.abc import Callable, Iterable
from ctypes import Array, c_char
from typing import Any, NamedTuple

from acl_runtime.abi.pointers import NULL, Address
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

DEPTH = 8
"""the depth of a queue without attributes"""


def c_string(text: bytes) -> "Array[c_char]":
    """A C string with this text."""
    return (c_char * (len(text) + 1))(*text)


class Fifo:
    """Messages, the oldest first."""

    def __init__(self, name: str, depth: int) -> None:
        self.name = name
        self.depth = depth
        self.messages: deque[Any] = deque()
        self.closed = False

    @property
    def full(self) -> bool:
        """True if no message fits."""
        return len(self.messages) >= self.depth


class QueueGoal:
    """The goal of a host thread that waits until a queue has a message, or room for one."""

    def __init__(self, fifo: Fifo, what: str, reached: Callable[[], bool]) -> None:
        self._fifo, self._what, self._test = fifo, what, reached

    def __str__(self) -> str:
        return self._what

    def reached(self) -> bool:
        """True if the wait is over."""
        return self._fifo.closed or self._test()

    def time(self) -> float:
        """0, as no work of a device decides it."""
        return 0.0

    def streams(self) -> Iterable[Any]:
        """Empty: only another host thread can change the queue."""
        return ()


class Packed(NamedTuple):
    """An item of a message: the fields of a data item, with a copy of the data."""

    type: int
    dims: tuple[int, ...]
    dtype: int
    data: bytes


class DataItem(Thing):
    """acltdtDataItem."""

    kind = Text("data item")
    destroyer = "acltdtDestroyDataItem"

    def __init__(self, type: int, dims: tuple[int, ...], dtype: int, data: Address = NULL, size: int = 0) -> None:
        super().__init__()
        self.type, self.dims, self.dtype, self.data, self.size = type, dims, dtype, data, size


class Dataset(Thing):
    """acltdtDataset."""

    kind = Text("dataset of a channel")
    destroyer = "acltdtDestroyDataset"

    def __init__(self) -> None:
        super().__init__()
        self.items: list[int] = []
        """handles of the items"""
        self.received = False
        """True if a channel filled it; then it owns its items"""
        self.on_device: bool | None = None
        """the side of the data of all items; None without data"""
        self.block: Array[c_char] | None = None
        """the memory of the data that were received"""


class Channel(Thing):
    """acltdtChannelHandle."""

    kind = Text("channel")
    destroyer = "acltdtDestroyChannel"

    def __init__(self, device: int, name: str, capacity: int) -> None:
        super().__init__()
        self.device = device
        self.fifo = Fifo(name, capacity)


class QueueAttributes(Thing):
    """acltdtQueueAttr."""

    kind = Text("queue attributes")
    destroyer = "acltdtDestroyQueueAttr"

    def __init__(self) -> None:
        super().__init__()
        self.depth = DEPTH
        self.name = c_string(b"")
        """the name as a C string, to which programs get a pointer"""


class Route(Thing):
    """acltdtQueueRoute: source, target and status."""

    kind = Text("queue route")
    destroyer = "acltdtDestroyQueueRoute"

    def __init__(self, source: int, target: int, status: int = 0) -> None:
        super().__init__()
        self.source, self.target, self.status = source, target, status


class RouteList(Thing):
    """acltdtQueueRouteList."""

    kind = Text("list of queue routes")
    destroyer = "acltdtDestroyQueueRouteList"

    def __init__(self) -> None:
        super().__init__()
        self.routes: list[Route] = []


class RouteQuery(Thing):
    """acltdtQueueRouteQueryInfo: the values by acltdtQueueRouteQueryInfoParamType."""

    kind = Text("query of queue routes")
    destroyer = "acltdtDestroyQueueRouteQueryInfo"

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[int, int] = {}


class Queues:
    """The queues of a process by their ids, and the routes that are bound."""

    def __init__(self) -> None:
        self.by_id: dict[int, Fifo] = {}
        self.bound: dict[tuple[int, int], None] = {}
        """pairs of source and target, in the order in which they were bound"""
        self._next = 0

    def add(self, fifo: Fifo) -> int:
        """Give a queue an id, which no later queue gets again."""
        number = self._next
        self._next += 1
        self.by_id[number] = fifo
        return number

    def used(self, number: int) -> bool:
        """True if a route begins or ends at the queue."""
        return any(number in route for route in self.bound)

    def forward(self) -> None:
        """Move the messages of each queue along its routes, as long as each target has room. A queue without a route
        keeps its messages."""
        for source in dict.fromkeys(source for source, _ in self.bound):
            targets = [self.by_id[target] for begin, target in self.bound if begin == source]
            fifo = self.by_id[source]
            for _ in range(len(fifo.messages)):
                if any(target.full for target in targets):
                    break
                message = fifo.messages.popleft()
                for target in targets:
                    target.messages.append(message)
