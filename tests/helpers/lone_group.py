"""A group of one rank on device 0, for calls of operators that meet other ranks where the ranks do not matter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from acl_runtime import *
from acl_runtime.api.hccl.checks import current_device, place
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.settings import Settings
from acl_runtime.machine.current import current

GROUP = "one_rank"


@contextmanager
def lone_group() -> Iterator[None]:
    """The group, on the current device, until the block ends."""
    communicator = opened()
    yield
    if not communicator.gone:
        HcclCommDestroy(communicator.number)


def opened() -> Communicator:
    """The group, on the current device."""
    communicator = place().open(GROUP, 1, 0, current_device(), Settings(GROUP))
    current().handles.add(communicator)
    return communicator
