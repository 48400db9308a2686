"""The machine that calls of this thread work on: an installed one, or a default `Machine`."""

from collections.abc import Callable
from functools import partial
from typing import Final

from acl_runtime.machine.installation import Installation
from acl_runtime.machine.installation import installation as of_process
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.host_thread import ThreadState

installation: Final[Installation[Machine]] = of_process
"""the same object: the machines that are installed are of this class"""
current: Final[Callable[[], Machine]] = partial(installation.machine, Machine)
"""the machine that calls of this thread work on; the default one is made at the first call"""
calling: Final[Callable[[], tuple[Machine, ThreadState | None]]] = partial(installation.caller, Machine)
"""the same, and what it knows of this thread, if a call has asked it"""
