"""Where in a program calls and tasks may fail, as `acl_runtime.sweep` finds out by a run in which none does."""

import sys
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from acl_runtime.function import CFunction
from acl_runtime.machine.faults import Failure
from acl_runtime.machine.likely import fallible, likely, queues
from acl_runtime.machine.site import OURS, here

RUNNER: Final = "acl_runtime.sweep"
"""the module that runs the program"""
RELEASES: Final = (
    "aclrtFree*", "aclDestroy*", "aclrtDestroy*", "aclrtResetDevice", "aclrtResetDeviceForce", "aclrtHostUnregister",
    "aclFinalize", "aclFinalizeReference", "aclnnFinalize", "aclrtUnSubscribeReport", "aclrtUnuseStreamRes*",
)  # fmt: skip
"""Nobody can do more about what such a call failed to release. In a sweep it is released all the same, so that what is
left behind is what the program forgot."""


@dataclass(frozen=True, eq=False)
class Place:
    """A call, or a task, that may fail."""

    function: CFunction
    nth: int
    device: bool
    site: str
    way: tuple[str, ...]
    """the lines of the program that led there"""

    @property
    def release(self) -> bool:
        """Does the call give something back?"""
        return any(fnmatchcase(self.function.name, pattern) for pattern in RELEASES)


class Names:
    """A plan of the machine's (`acl_runtime.machine.faults`): writes down what is called, in order, and fails
    nothing."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def of_call(self, function: CFunction) -> Failure | None:
        """A call begins."""
        self.names.append(function.name)
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
        self.all.append(Place(function, self._times[function.name, device], device, here(), _way()))


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
