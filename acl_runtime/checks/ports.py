"""What the checks ask of the machine that they look at."""

from collections.abc import Collection, Reversible
from typing import Protocol

from acl_runtime.checks.findings import Findings
from acl_runtime.checks.statuses.unasked import Unasked
from acl_runtime.checks.statuses.unchecked import Unchecked
from acl_runtime.memory.ports import Memories, Reporter
from acl_runtime.streams.host_thread import ErrorRecord, ThreadState


class Scene(Memories, Reporter, Protocol):
    """A machine as a check sees it: its memory, who calls, what was found so far, and where to report."""

    @property
    def findings(self) -> Findings:
        """Everything found so far."""
        ...

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...


class Declared(Protocol):
    """The declaration of a function."""

    harmless: Collection[int]
    """failures that a program may leave unlooked at"""


class PastCall(Protocol):
    """A call that was made."""

    @property
    def function(self) -> str: ...
    @property
    def status(self) -> int | None: ...
    @property
    def declared(self) -> Declared: ...
    @property
    def caller(self) -> ThreadState: ...


class Ended(Protocol):
    """A machine at the end of its program."""

    findings: Findings
    failed: ThreadState | None
    unchecked: Unchecked
    unasked: Unasked

    @property
    def calls(self) -> Reversible[PastCall]:
        """The calls, in the order in which they returned."""
        ...

    def errors_of(self, thread: ThreadState) -> ErrorRecord:
        """Where a thread's errors go."""
        ...
