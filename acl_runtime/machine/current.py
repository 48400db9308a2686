"""The machine on which calls of this thread work: an entered one, or a default `Machine`."""

from collections.abc import Callable
from functools import partial
from typing import Final

from acl_runtime.machine.installation import MachineStack
from acl_runtime.machine.installation import installation as of_process
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.host_thread import ThreadState

installation: Final[MachineStack[Machine]] = of_process
"""the same object, with the class of its machines"""
current: Final[Callable[[], Machine]] = partial(installation.machine, Machine)
"""returns the machine on which calls of this thread work; the default one is made at the first call"""


def calling() -> tuple[Machine, ThreadState]:
    """The machine of the call, and its state of the calling thread, for the body of an API function. The boundary has
    found both."""
    return installation.seen.state
