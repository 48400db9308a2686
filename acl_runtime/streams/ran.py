"""The row of `machine.tasks` for a task that ran."""

from typing import NamedTuple

from acl_runtime.source.frames import site_of
from acl_runtime.source.site import Site, Trail


class Ran(NamedTuple):
    """One task that ran on a device."""

    name: str
    stream: str
    trail: Trail | str
    """the trail of its launch"""
    start: float
    """simulated microseconds"""
    end: float
    status: int
    id: int = 0
    """the number within the machine, from 1 on"""
    device: int = 0
    submitted: float = 0.0
    """simulated microseconds"""
    meetings: tuple[str, ...] = ()
    """the meetings with ranks of other processes, by names that are the same in all of them"""

    @property
    def launched(self) -> Site:
        """File and line of the launch."""
        return site_of(self.trail)
