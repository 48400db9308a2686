"""Protocols of the objects that checks use: the machine, calls, declarations."""

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
    """The parts of a machine that a check uses: memory and handles, the calling thread, findings, methods to report."""

    handles: Handles
    launches: int
    """the number of operators that were launched"""

    @property
    def findings(self) -> Findings:
        """The recorded findings."""
        ...

    @property
    def consequences(self) -> Consequences:
        """The consequences of the recorded findings."""
        ...

    def thread(self) -> ThreadState:
        """The state of the calling thread."""
        ...

    def run_first(self, streams: Sequence[Stream]) -> None:
        """Run the queued tasks of these streams that can run. The vector clock of the host does not change."""
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
        """The raw record, always the same object for a call."""
        ...


class OwnKernels(Protocol):
    """The kernels that the user has defined."""

    missed: Counter[str]


class EndedMachine(Protocol):
    """The parts of a machine that the report at the end of the program uses."""

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
