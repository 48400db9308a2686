"""Protocols: the members of `Machine` that the packages below it use, one small protocol for each need.

A module below `acl_runtime.machine` must not import `Machine`, which would be an import circle. It uses a protocol
instead, so that its needs are visible, and a test may pass any object with these members. `Machine` implements all the
protocols, which pyright checks wherever a machine is passed.
"""

import threading
from typing import NamedTuple, NoReturn, Protocol

from acl_runtime.errors import AclError, Finding, Fix, Level, Past
from acl_runtime.headers.statuses import ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.device_memory import DeviceMemories, DeviceMemory
from acl_runtime.memory.pinned import PinnedMemory
from acl_runtime.memory.virtual import VirtualMemory
from acl_runtime.text import Text


class Memories(Protocol):
    """The memory of a machine."""

    memories: DeviceMemories
    pinned: PinnedMemory
    virtual: VirtualMemory

    def memory_at(self, address: int) -> DeviceMemory | None:
        """The device memory whose window contains this address; None for an address of the host."""
        ...


class SoFar(Protocol):
    """The part of `machine.findings` that reporting code uses."""

    raises: bool
    """True if a finding of level error raises an exception"""

    def listed(self, id: str) -> bool:
        """True if a finding of this id would be recorded, because the program does not allow it."""
        ...


class Reporter(Protocol):
    """The part of a machine to which mistakes of the host code are reported."""

    @property
    def findings(self) -> SoFar:
        """The recorded findings."""
        ...

    def undefined(
        self,
        id: str,
        what: Text,
        *history: Past,
        hint: Text | Fix | None = None,
        level: Level | None = None,
        role: str | None = None,
    ) -> Finding | None:
        """Report a mistake of the host code: see `machine.mistakes`."""
        ...

    def crash(
        self,
        id: str,
        what: Text,
        *history: Past,
        status: int = ACLNN_ERR_RUNTIME_ERROR,
        hint: Text | Fix | None = None,
        already_reported: bool = False,
    ) -> NoReturn:
        """Report a mistake after which a process or a device would crash: see `machine.mistakes`."""
        ...


class PastEnd(NamedTuple):
    """The use of an allocation up to an address past its end."""

    piece: Allocation
    end: int


class CopyConsequences(Protocol):
    """The part of `checks.consequences` that copies use."""

    def of(self, subject: PastEnd | AclError) -> bool:
        """True if the subject is only a consequence of an earlier finding."""
        ...

    def taint(self, subject: PastEnd) -> None:
        """Mark the subject as reported, so that later findings about it are consequences."""
        ...


class Copier(Memories, Reporter, Protocol):
    """The members of a machine that copies use."""

    lock: threading.RLock

    @property
    def consequences(self) -> CopyConsequences:
        """The consequences of findings."""
        ...

    def wrote(self, low: int, high: int) -> None:
        """Bytes [low, high) of device memory have new values: let tasks that wait for a value there check again."""
        ...

    def rejected(self, low: int, high: int) -> None:
        """A finding ended a call that would have written [low, high): treat these bytes as written."""
        ...
