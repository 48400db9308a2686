"""The choice of the meeting place."""

import sys

from acl_runtime.collective.local_place import LocalPlace
from acl_runtime.collective.meeting_place import MeetingPlace
from acl_runtime.collective.ports import CollectiveMachine


def place_of(machine: CollectiveMachine) -> MeetingPlace:
    """A new meeting place for a machine. Only Linux can hand memory to other processes."""
    if sys.platform != "linux":
        return LocalPlace(machine)
    from acl_runtime.collective.processes.place import ProcessPlace  # late: it uses modules that only Linux has

    return ProcessPlace(machine)
