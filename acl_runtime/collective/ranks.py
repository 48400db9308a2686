"""The ranks of one communicator, and the communicator of each rank."""

import threading
from weakref import WeakSet

from acl_runtime.collective.requests import Request
from acl_runtime.collective.settings import EXECUTE, Settings, seconds
from acl_runtime.errors import Past
from acl_runtime.headers.messages import Item
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import Device, Task
from acl_runtime.text import Text


class Ranks:
    """All ranks that share a communicator."""

    def __init__(self, identity: str, number: int, size: int, settings: Settings) -> None:
        self.identity = identity
        self.number = number
        """the number in texts"""
        self.size = size
        self.settings = settings
        self.name = settings.name or f"hccl_{identity}"
        self.members: dict[int, Communicator] = {}
        self.left: dict[int, Past] = {}
        """the ranks that have destroyed their communicator, and where"""
        self.refused: Item | None = None
        """the reason why the communicator cannot be made"""
        self.broken: Item | None = None
        """the reason why no operation can succeed any more"""
        self.finding = ""
        """the id of the finding that is to blame"""

    def __str__(self) -> str:
        return Text("communicator {number}", number=self.number)

    @property
    def complete(self) -> bool:
        """True if all ranks have joined."""
        return len(self.members) == self.size

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
    """The communicator of one rank."""

    kind = Text("communicator")
    destroyer = "HcclCommDestroy"
    leak = "comm-leaked"
    cross_thread = "comm-cross-thread"

    def __init__(self, ranks: Ranks, rank: int, device: Device, *, part: bool = False) -> None:
        super().__init__()
        self.ranks = ranks
        self.rank = rank
        self.device = device
        self.part = part
        """True if it was made of some ranks of another communicator"""
        self.numbers: dict[tuple[int, ...], int] = {}
        """how many operations it has called so far: of all ranks; and for each pair of ranks, sends and receives"""
        self.operations: list[Task] = []
        """the operations that the host may not know to be over"""
        self.latest: Request | None = None
        """its last call"""
        self.skipped: Past | None = None
        """its last call without elements, which takes no part"""
        self.threads: WeakSet[threading.Thread] = WeakSet()
        """the host threads that have called with it"""
        self.creation = Past(Text("{thing} was created", thing=self), here())

    def __str__(self) -> str:
        return Text("rank {rank} of {ranks}", rank=self.rank, ranks=self.ranks)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self.ranks.size

    @property
    def exec_seconds(self) -> int:
        """Seconds for which an operation waits for the other ranks; 0: for ever."""
        own = self.ranks.settings.exec_seconds
        return seconds(EXECUTE) if own is None else own

    def number_of(self, *kind: int) -> int:
        """The number of its next operation of this kind."""
        number = self.numbers[kind] = self.numbers.get(kind, 0) + 1
        return number

    def used(self) -> None:
        """The calling thread uses it."""
        self.threads.add(threading.current_thread())

    def skip(self, function: str) -> None:
        """It was called without elements."""
        text = Text("rank {rank} called {call} with count 0, which takes no part", rank=self.rank, call=function)
        self.skipped = Past(text, here())

    def story(self) -> Past:
        """Its last call, for the history of a finding."""
        if self.rank in self.ranks.left:
            return self.ranks.left[self.rank]
        return self.skipped or (self.latest.past() if self.latest is not None else self.creation)

    def leave(self) -> None:
        """Its rank has destroyed it."""
        text = Text("rank {rank} destroyed its communicator", rank=self.rank)
        self.ranks.left[self.rank] = Past(text, here())
