"""Is this only a consequence of something that was reported already?

One mistake is one finding: what follows from it is not reported again. A finding taints what it tells of, and a check
that finds something later asks here whether that is tainted. There are three kinds of taint.

Memory. Bytes that a race, a launch at a wrong address or an early change made unsure are marked at the use that did it
(`Doing.doubts`, by role). The mark goes on to each use that reads them, until they are written over
(`Access.take_doubt`). Where a call was rejected, its outputs count as written (`Listener.rejected`). Memory that was
reported to be used past its end remembers how far.

Tasks. A task that was queued behind one that failed, or while a failure was known to nobody, reads bytes that may not
have been written.

Objects. A thing that could not be released, or used up, as a finding ended the call that would have done it, is spared:
it is no leak besides.

Not here is what only keeps a machine that goes on from repeating itself in a loop: `Findings.first`.
"""

from collections.abc import Callable, Iterable

from acl_runtime.checks.ports import Scene
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.places import find
from acl_runtime.memory.ranges import WORKSPACE
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.streams.vector_clock import Doing


class Consequences:
    """What is tainted by a finding, or by a call that a finding ended."""

    def __init__(self, scene: Scene, order: HappensBefore, streams: Callable[[], Iterable[Stream]]) -> None:
        self._scene = scene
        self._order = order
        self._streams = streams
        self.changed: Callable[[Doing], bool] = _unseen
        """did the host change too early what this copy reads?"""
        self.spared: set[object] = set()
        """objects, by their numbers, that a finding kept from being released or used up: they are no leaks besides"""

    # tasks, and the memory that they read

    def read_by(self, task: Task, role: str) -> bool:
        """Is what a task finds in the bytes that it reads in this role only a consequence?"""
        return task.behind_failure or self._failure_unknown() or self._tainted(task, role)

    def _failure_unknown(self) -> bool:
        """Has a task failed on a device, and no call has returned that yet? Operators that were launched meanwhile may
        work on what it should have written: what they find then is no mistake of the host code."""
        return any(stream.fault is not None and not stream.fault.told for stream in self._streams())

    def _tainted(self, task: Task, role: str) -> bool:
        """May they be other bytes than were meant, as was reported? What is not there any more, or reaches past the end
        of its memory, is read as the fill."""
        roles = role, WORKSPACE  # through which an input may go
        if task.doing is not None and not set(roles).isdisjoint(task.doing.doubts):
            return True
        places = [(used, find(self._scene, used)) for used in task.ranges if used.role in roles]
        if any(place is None or place.high - place.low < used.high - used.low for used, place in places):
            return True
        read = [place for used, place in places if used.role == role]
        writers = [old.doing for place in read for old in self._order.touching(place) if old.use.writes]
        return any(doing.doubts or self.changed(doing) for doing in writers if doing is not task.doing)

    # memory

    def past_end(self, piece: Allocation, end: int) -> bool:
        """Was it reported that this memory is used as far, past its end? (An error that is raised is new each time.)"""
        return end <= piece.wanted and not self._scene.findings.raises

    def went_past_end(self, piece: Allocation, end: int) -> None:
        """It is reported now."""
        piece.wanted = end

    # objects

    def spare(self, number: int) -> None:
        """A finding ended a call that would have released, or used up, what has this address or handle."""
        memory = self._scene.memory_at(number)
        self.spared.add((memory.at(number) if memory is not None else self._scene.pinned.at(number)) or number)


def _unseen(_doing: Doing) -> bool:
    """Nobody looks at what the host does."""
    return False
