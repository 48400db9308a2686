"""Where in a program calls and tasks may fail, as `sweep` finds out by a run in which none does."""

import sys
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from acl_runtime.abi.function import CFunction
from acl_runtime.faults.failures import WAITS, Failure
from acl_runtime.faults.likely import fallible, likely, queues
from acl_runtime.machine.current import current
from acl_runtime.source.frames import OURS, here

RUNNER: Final = "acl_runtime.testing.sweeps.sweep"
"""the module that runs the program"""
RELEASES: Final = (
    "aclrtFree*", "aclDestroy*", "aclrtDestroy*", "aclrtResetDevice", "aclrtResetDeviceForce", "aclrtHostUnregister",
    "aclFinalize", "aclFinalizeReference", "aclnnFinalize", "aclrtUnSubscribeReport", "aclrtUnuseStreamRes*",
)  # fmt: skip
"""Nobody can do more about what such a call failed to release. In a sweep it is released all the same, so that what is
left behind is what the program forgot."""


def releases(function: str) -> bool:
    """Does the function give something back?"""
    return any(fnmatchcase(function, pattern) for pattern in RELEASES)


@dataclass(frozen=True, eq=False)
class Place:
    """A call, or a task, that may fail."""

    function: CFunction
    nth: int
    device: bool
    site: str
    way: tuple[str, ...]
    """the lines of the program that led there"""

    idle: bool = False
    """does it wait, when nothing is left to wait for? (as the second synchronise of a clean-up)"""

    @property
    def release(self) -> bool:
        """Does the call give something back?"""
        return releases(self.function.name)


class Endless(BaseException):
    """A failure makes the program call on and on. No Exception, so that no handler of the program's takes it."""

    def __init__(self, calls: int, function: str) -> None:
        super().__init__(f"more than {calls} calls, the last of {function}: does this come to an end?")
        self.site = here()


class Names:
    """A plan of the machine's (`acl_runtime.faults.failures`): writes down what is called, in order, and fails
    nothing; but `most` calls are enough."""

    def __init__(self, most: int | None = None) -> None:
        self.names: list[str] = []
        self._most = most
        self._endless: Endless | None = None

    def of_call(self, function: CFunction) -> Failure | None:
        """A call begins."""
        self.names.append(function.name)
        if self._most is not None and len(self.names) > self._most:
            self._endless = self._endless or Endless(self._most, function.name)
            raise self._endless
        return None

    def of_task(self, function: str) -> Failure | None:
        """A task is queued."""
        return None


class Recorder(Names):
    """Writes down where calls and tasks may fail, too."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[Place] = []
        self._declared: dict[str, CFunction] = {}
        self._times: Counter[tuple[str, bool]] = Counter()

    def of_call(self, function: CFunction) -> Failure | None:
        """Can it fail?"""
        self.names.append(function.name)
        self._declared[function.name] = function
        if fallible(function) and likely(function) is not None:
            self._add(function, device=False)
        return None

    def of_task(self, function: str) -> Failure | None:
        """Can its task fail?"""
        declared = self._declared.get(function)
        if declared is not None and queues(declared):
            self._add(declared, device=True)
        return None

    def _add(self, function: CFunction, *, device: bool) -> None:
        self._times[function.name, device] += 1
        idle = not device and fnmatchcase(function.name, WAITS) and nothing_to_wait_for()
        self.all.append(Place(function, self._times[function.name, device], device, here(), _way(), idle))


def nothing_to_wait_for() -> bool:
    """Does the calling thread know that all work is over?"""
    machine = current()
    return not any(machine.unfinished(stream) for stream in machine.streams())


def _way() -> tuple[str, ...]:
    """The lines of the program that are being run, the innermost first. A helper that allocates is called by many, and
    what its callers have to clean up differs."""
    lines: list[str] = []
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals.get("__name__") != RUNNER:
        if not str(frame.f_globals.get("__name__")).startswith(OURS):
            lines.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        frame = frame.f_back
    return tuple(lines)


def choose(places: list[Place], most: int, same_line: int) -> tuple[list[Place], list[Place], int]:
    """Those to be failed; those that are not as `same_line` others were reached by the same way; how many more are not,
    to keep to `most`: of each way the first comes before the second of any."""
    rounds: Counter[tuple[object, ...]] = Counter()
    ranks: dict[Place, int] = {}
    for place in places:
        line = place.function.name, place.way, place.device
        ranks[place] = rounds[line]
        rounds[line] += 1
    alike = [place for place, rank in ranks.items() if rank >= same_line]
    wanted = [place for place, rank in ranks.items() if rank < same_line]
    kept = set(sorted(wanted, key=ranks.__getitem__)[:most])
    return [place for place in wanted if place in kept], alike, len(wanted) - len(kept)
