"""What the lower rooms ask of the machine that they are part of: small protocols, one for each need.

A module below the machine does not name `Machine`: it says here, or beside itself, which few members it uses, and a
test or another composition may give it anything that has them. `Machine` fits all of these; pyright checks that
wherever one is handed over.
"""

import threading
from typing import NoReturn, Protocol

from acl_runtime.errors import Finding, Fix, Level, Past
from acl_runtime.headers.statuses import ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.pinned import PinnedMemory


class Memories(Protocol):
    """All the memory of a machine."""

    pinned: PinnedMemory

    def memory_at(self, address: int) -> DeviceMemory | None:
        """The device memory whose window this address lies in; None for an address of the host."""
        ...


class SoFar(Protocol):
    """The findings of a machine, as far as what is found next depends on them."""

    raises: bool
    """does an error end the call?"""

    def allowance(self, id: str) -> object | None:
        """What allows findings of this id now."""
        ...

    def first(self, id: str, *lines: object) -> bool:
        """Do these lines, or the user's that runs, show this for the first time?"""
        ...


class Reporter(Protocol):
    """Where mistakes of the host code are reported."""

    @property
    def findings(self) -> SoFar:
        """Those that were found so far."""
        ...

    def undefined(
        self,
        id: str,
        what: str,
        *history: Past,
        hint: str | Fix | None = None,
        level: Level | None = None,
        role: str | None = None,
    ) -> Finding | None:
        """The host code made a mistake: see `Machine.undefined`."""
        ...

    def crash(
        self,
        id: str,
        what: str,
        *history: Past,
        status: int = ACLNN_ERR_RUNTIME_ERROR,
        hint: str | Fix | None = None,
        known: bool = False,
    ) -> NoReturn:
        """One after which a process or a device would fault: see `Machine.crash`."""
        ...


class Overruns(Protocol):
    """Uses of memory past its end, as far as they were reported."""

    def past_end(self, piece: Allocation, end: int) -> bool:
        """Was it reported that this memory is used as far?"""
        ...

    def went_past_end(self, piece: Allocation, end: int) -> None:
        """It is reported now."""
        ...


class Copier(Memories, Reporter, Protocol):
    """What moves bytes between memories needs."""

    lock: threading.RLock

    @property
    def consequences(self) -> Overruns:
        """What only follows from a finding."""
        ...

    def wrote(self, low: int, high: int) -> None:
        """Bytes [low, high) of device memory have new values: a task may wait for one of them."""
        ...

    def rejected(self, low: int, high: int) -> None:
        """A call that a finding ended did nothing, and so does not write [low, high)."""
        ...
