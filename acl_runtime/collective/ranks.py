"""The ranks of one communicator, and the communicator of each rank of this process."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from acl_runtime.collective.peers import Peer
from acl_runtime.collective.requests import Request
from acl_runtime.collective.settings import EXECUTE, Settings, connect_seconds, default_megabytes, seconds
from acl_runtime.errors import Past
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import Device, Task
from acl_runtime.text import Text


@dataclass(eq=False)
class Trouble:
    """The reason why a communicator cannot be made, or why no further operation of it can succeed. A call or a task
    reports it once, perhaps later than it was found."""

    code: str
    """`EI0005`: the text that the program reads"""
    what: Text
    finding: str = ""
    """the id of the finding; empty if it is none"""
    history: tuple[Past, ...] = ()
    status: int = HcclResult.HCCL_E_PARA
    reported = False

    @property
    def item(self) -> Item:
        """The text that the program reads."""
        return Item(self.code, (self.what,))


class Ranks:
    """All ranks that share a communicator, in this process and in others."""

    early = False
    """True if a communicator is made before all ranks have joined"""
    elsewhere = 0.0
    """real seconds for which a rank waits until ranks of other processes join"""

    def __init__(self, identity: str, number: int, size: int, settings: Settings, ids: tuple[int, ...] = ()) -> None:
        self.identity = identity
        self.number = number
        """the number in texts"""
        self.size = size
        self.settings = settings
        self.ids = ids
        """the ranks of the communicator of which they are a part; empty if they are no part"""
        self.name = settings.name or f"hccl_{identity}"
        self.exec_seconds = seconds(EXECUTE) if settings.exec_seconds is None else settings.exec_seconds
        """seconds for which an operation waits for the other ranks; 0: for ever"""
        self.megabytes = settings.buffer_megabytes or default_megabytes()
        """the size of each of the two buffers of a rank"""
        self.connect_seconds = connect_seconds()
        """seconds for which a rank waits until the others have joined"""
        self.members: dict[int, Peer] = {}
        """the ranks that have joined"""
        self.left: dict[int, Past] = {}
        """the ranks that have destroyed their communicator, and where"""
        self._together = False
        self.refused: Trouble | None = None
        """the reason why the communicator cannot be made"""
        self.broken: Trouble | None = None
        """the reason why no further operation can succeed"""

    def __str__(self) -> str:
        return Text("communicator {number}", number=self.number)

    @property
    def complete(self) -> bool:
        """True if all ranks have joined."""
        return len(self.members) == self.size

    def here(self) -> list[int]:
        """The ranks of this process."""
        return [rank for rank, member in self.members.items() if isinstance(member, Communicator)]

    @property
    def together(self) -> bool:
        """True if all ranks are in this process."""
        if not self._together and self.complete:
            self._together = len(self.here()) == self.size
        return self._together

    def break_(self, trouble: Trouble) -> Trouble:
        """Note that no further operation can succeed. Returns the first reason for it."""
        self.broken = self.broken or trouble
        return self.broken

    # a goal of a host thread

    def reached(self) -> bool:
        """True if all ranks have joined, or the communicator cannot be made."""
        return self.complete or self.refused is not None

    def time(self) -> float:
        """Joining takes no simulated time."""
        return 0.0

    def streams(self) -> tuple[()]:
        """No stream can help."""
        return ()

    def missing(self) -> list[int]:
        """The ranks that have not joined."""
        return [rank for rank in range(self.size) if rank not in self.members]


class Communicator(Thing):
    """The communicator of one rank: a `Peer` of this process."""

    kind = Text("communicator")
    destroyer = "HcclCommDestroy"
    leak = "comm-leaked"
    cross_thread = "comm-cross-thread"

    def __init__(
        self, ranks: Ranks, rank: int, device: Device, waits: Callable[[int], bool], *, part: bool = False
    ) -> None:
        """`waits`: True if a thread is inside a wait."""
        super().__init__()
        self.ranks = ranks
        self.rank = rank
        self.device = device
        self.part = part
        """True if it was made of some ranks of another communicator"""
        self.numbers: dict[tuple[int, ...], int] = {}
        """how many operations it has called so far: of all ranks; and for each pair of ranks, sends and receives"""
        self.known_memory: dict[object, object] = {}
        """cache: the memory of earlier calls, by all that it depends on"""
        self.operations: list[Task] = []
        """the operations that the host may not know to be over"""
        self.latest: Request | None = None
        """its last call"""
        self.skipped: Past | None = None
        """a later call that takes no part, as it was without elements or failed"""
        self._failures = 0
        """calls that failed for a reason that was reported"""
        self.threads: dict[int, int] = {}
        """the host threads that have called with it: their numbers in the system, with those in Python"""
        self._creators: dict[int, int] = {}
        """the thread that made it for others; it counts until another thread calls"""
        self._waits = waits
        self._buffers = 0
        """bytes of device memory that its buffers take"""
        self.creation = Past(Text("{thing} was created", thing=self), here())

    def __str__(self) -> str:
        return Text("rank {rank} of {ranks}", rank=self.rank, ranks=self.ranks)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self.ranks.size

    def number_of(self, *kind: int) -> int:
        """The number of its next operation of this kind."""
        number = self.numbers[kind] = self.numbers.get(kind, 0) + 1
        return number

    def used(self) -> None:
        """The calling thread uses it."""
        self.threads[threading.get_native_id()] = threading.get_ident()

    def lend(self) -> None:
        """The calling thread has made it for the threads that will call with it."""
        self._creators, self.threads = self.threads, {}

    def take_buffers(self) -> None:
        """Its first operation takes device memory for two buffers, as far as there is any left."""
        if not self._buffers:
            self._buffers = self.device.memory.reserve(2 * self.ranks.megabytes << 20)

    def called(self, request: Request) -> None:
        """It has called an operation."""
        self.latest, self.skipped = request, None

    def skip(self, function: str) -> None:
        """It was called without elements."""
        text = Text("rank {rank} called {call} with count 0, which takes no part", rank=self.rank, call=function)
        self.skipped = Past(text, here())

    def call_failed(self, function: str, *, reported: bool) -> None:
        text = Text("rank {rank} called {call}, which failed", rank=self.rank, call=function)
        self.skipped = Past(text, here())
        self._failures += reported

    def leave(self) -> None:
        """Its rank has destroyed it."""
        self.device.memory.reserve(-self._buffers)
        self._buffers = 0
        text = Text("rank {rank} destroyed its communicator", rank=self.rank)
        self.ranks.left[self.rank] = Past(text, here())

    # a peer

    @property
    def chip(self) -> int:
        """The number of its device without ASCEND_RT_VISIBLE_DEVICES."""
        return self.device.physical

    def waits(self) -> bool:
        """True if a stream of the rank waits for other ranks."""
        if self.rank in self.ranks.left:
            return False
        return any(stream.queue and stream.queue[0].meets for stream in self.device.streams())

    def alive(self) -> bool:
        """True if one of the threads that call with it lives, and neither that thread nor a stream of the rank
        waits."""
        if self.waits():
            return False
        users = self.threads or self._creators
        own = threading.get_native_id()  # only a thread that waits itself asks
        return any(native != own and _lives(native) and not self._waits(thread) for native, thread in users.items())

    def excused(self, key: tuple[int, ...]) -> bool:
        """True if it would have come to the meeting of this key, or come earlier, without the calls that failed."""
        *ends, number = key
        kinds = [(*ends, seat) for seat, rank in enumerate(ends) if rank == self.rank] or [()]
        return bool(self._failures) and any(self.numbers.get(kind, 0) + self._failures >= number for kind in kinds)

    def last_calls(self) -> list[Past]:
        """Its last call and its end, for the history of a finding."""
        last = self.skipped or (self.latest.past() if self.latest is not None else self.creation)
        return [last, self.ranks.left[self.rank]] if self.rank in self.ranks.left else [last]


def _lives(native: int) -> bool:
    """True if a thread has not ended. Python cannot say this of a thread that a C program started."""
    return os.path.exists(f"/proc/self/task/{native}")
