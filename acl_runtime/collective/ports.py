"""Protocols: what collective communication needs from the machine around it."""

from collections.abc import Sequence
from typing import Protocol

from acl_runtime.errors import AclError
from acl_runtime.memory.ports import Copier, PastEnd
from acl_runtime.objects.clock import SimulatedClock
from acl_runtime.objects.options import Options
from acl_runtime.streams.compute_threads import Workers
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.shared.helpers import HelperThreads
from acl_runtime.streams.stream import Task


class CollectiveConsequences(Protocol):
    """`checks.consequences`, as far as a meeting place and the copies of its bytes use it."""

    def of(self, subject: PastEnd | AclError) -> bool:
        """True if this is only a consequence of something already reported."""
        ...

    def first(self, id: str, *subjects: object) -> bool:
        """True for the first finding of this id about these subjects."""
        ...

    def taint(self, subject: PastEnd | AclError, finding: str | None = None) -> None:
        """Mark it as reported. `finding`: the id of the finding that is to blame for an error."""
        ...


class CollectiveMachine(Copier, Protocol):
    """The machine, as far as collective communication needs it."""

    scheduler: Scheduler
    compute_threads: Workers
    clock: SimulatedClock
    options: Options

    @property
    def of_process(self) -> bool:
        """True if the program made no machine itself."""
        ...

    @property
    def helpers(self) -> HelperThreads:
        """The threads that serve other processes."""
        ...

    def attach(self) -> None:
        """Make the calling thread a worker of this machine."""
        ...

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def unfinished_of(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks among these that the calling thread does not know to be over."""
        ...

    @property
    def consequences(self) -> CollectiveConsequences:
        """The consequences of findings."""
        ...
