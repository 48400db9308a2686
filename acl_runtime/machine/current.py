"""The machine for the calls of this thread: an entered machine, or the default `Machine`."""

from collections.abc import Callable
from functools import partial
from typing import Final

from acl_runtime.machine.installation import MachineStack
from acl_runtime.machine.installation import installation as of_process
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.host_thread import ThreadState

installation: Final[MachineStack[Machine]] = of_process
"""the installation of the process, typed with the class of its machines"""
current: Final[Callable[[], Machine]] = partial(installation.machine, Machine)
"""returns the machine for the calls of this thread; the default machine is made at the first call"""


def calling() -> tuple[Machine, ThreadState]:
    """The machine of the running call, and the state of the calling thread in it. For bodies of API functions."""
    return installation.seen.state
