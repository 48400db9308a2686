"""The port of collective communication: what the functions need of the place where ranks find each other.

`local_place.LocalPlace` is the place of ranks that are threads of this process. Another place may stand behind the same
port, such as one that also knows the ranks of other processes.
"""

from typing import Any, Protocol

from acl_runtime.collective.operation import Operation
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.requests import Request
from acl_runtime.collective.settings import Settings
from acl_runtime.streams.stream import Device


class MeetingPlace(Protocol):
    """All communicators of a machine."""

    deterministic: int
    """the value of HcclSetConfig"""
    per_thread: Any
    """the group in which each thread is, as an attribute"""

    def root_info(self) -> bytes:
        """New root information: bytes that the program gives to all ranks of one communicator."""
        ...

    def join(self, root: bytes, size: int, rank: int, device: Device, settings: Settings) -> Communicator:
        """Register a rank. Its communicator is complete when all ranks have joined; `wait_for` waits for that."""
        ...

    def wait_for(self, communicator: Communicator) -> None:
        """Let the host wait until all ranks have joined; an error if they do not."""
        ...

    def open(
        self, identity: str, size: int, rank: int, device: Device, settings: Settings, *, part: bool = False
    ) -> Communicator:
        """The communicator of a rank, without a meeting, as all ranks are known. `part`: it is made of some ranks of
        another one."""
        ...

    def alone(self, devices: list[Device]) -> list[Communicator]:
        """The communicators of all ranks, one for each device."""
        ...

    def leave(self, communicator: Communicator) -> None:
        """The rank has destroyed its communicator."""
        ...

    def meet(self, operation: Operation, key: tuple[int, ...], seat: int, request: Request) -> None:
        """Enter an operation into the meeting of this key; an error if the ranks there ask for something else."""
        ...

    def withdraw(self, operation: Operation) -> None:
        """The call of an operation has failed, and had no effect."""
        ...
