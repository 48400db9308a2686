"""Protocols: what the checks need from the machine that they look at."""

from collections import Counter
from collections.abc import Collection, Reversible, Sequence
from typing import Protocol

from acl_runtime.checks.consequences import Consequences
from acl_runtime.checks.findings import Findings
from acl_runtime.checks.statuses.unasked import Unasked
from acl_runtime.checks.statuses.unchecked import Unchecked
from acl_runtime.memory.ports import Memories, Reporter
from acl_runtime.objects.handle_table import Handles
from acl_runtime.streams.host_thread import ErrorRecord, ThreadState
from acl_runtime.streams.stream import Stream


class CheckedMachine(Memories, Reporter, Protocol):
    """A machine as a check sees it: its memory and handles, the calling thread, the findings so far, and where to
    report."""

    handles: Handles
    launches: int
    """the number of operators that were launched"""

    @property
    def findings(self) -> Findings:
        """Everything found so far."""
        ...

    @property
    def consequences(self) -> Consequences:
        """Answers what is only a consequence of them."""
        ...

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def run_first(self, streams: Sequence[Stream]) -> None:
        """Run what is queued in these streams, as far as it may run. The host learns nothing of it."""
        ...


class Declared(Protocol):
    """The declaration of a function."""

    harmless: Collection[int]
    """statuses that a program may ignore"""


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
    @property
    def kept(self) -> object:
        """The raw record, which is the same object for every reader."""
        ...


class OwnKernels(Protocol):
    """The kernels of the user's."""

    missed: Counter[str]


class EndedMachine(Protocol):
    """A machine at the end of its program, as the report needs it."""

    findings: Findings
    failed: ThreadState | None
    unchecked: Unchecked
    unasked: Unasked

    @property
    def kernels(self) -> OwnKernels: ...

    @property
    def calls(self) -> Reversible[PastCall]:
        """The calls, in the order in which they returned."""
        ...

    def errors_of(self, thread: ThreadState) -> ErrorRecord:
        """The record of the errors of a thread."""
        ...
