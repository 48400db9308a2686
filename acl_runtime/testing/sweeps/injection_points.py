"""Injection points: calls and tasks of a program that may fail, recorded in a run without failures."""

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
    "aclrtUnmapMem", "aclrtReleaseMemAddress", "aclrtBinaryUnLoad", "aclprofDestroy*", "aclprofStop",
    "aclprofFinalize", "aclprofRangeStop", "aclmdlFinalizeDump", "aclopStopDumpArgs",
)  # fmt: skip
"""Functions that release an object. A program cannot clean up if the release fails. So in a sweep such a call returns
the failure but does release the object: only objects that the program forgot are reported as leaks."""


def releases(function: str) -> bool:
    """True if the function releases an object or a reference."""
    return any(fnmatchcase(function, pattern) for pattern in RELEASES)


@dataclass(frozen=True, eq=False)
class InjectionPoint:
    """A call, or a task, that may fail."""

    function: CFunction
    nth: int
    device: bool
    site: str
    call_lines: tuple[str, ...]
    """the lines of the program on the call stack, the innermost first"""

    idle: bool = False
    """True if the call waits although no work is left, such as the second synchronise of a clean-up"""

    @property
    def release(self) -> bool:
        """True if the call releases an object or a reference."""
        return releases(self.function.name)


class Endless(BaseException):
    """Raised in a program that makes calls without end after a failure. A BaseException, so that `except Exception` in
    the program does not catch it."""

    def __init__(self, calls: int, function: str) -> None:
        super().__init__(f"more than {calls} calls, the last of {function}: the program does not seem to end")
        self.site = here()


class CallNames:
    """A fault injector (`acl_runtime.faults.failures`) that injects no failure and records the names of the calls in
    order. After `most` calls it raises `Endless`."""

    def __init__(self, most: int | None = None) -> None:
        self.names: list[str] = []
        self._most = most
        self._endless: Endless | None = None

    def of_call(self, function: CFunction) -> Failure | None:
        """Record the call."""
        self.names.append(function.name)
        if self._most is not None and len(self.names) > self._most:
            self._endless = self._endless or Endless(self._most, function.name)
            raise self._endless
        return None

    def of_task(self, function: str) -> Failure | None:
        """Tasks are not recorded."""
        return None


class PointRecorder(CallNames):
    """A recorder that also records the injection points."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[InjectionPoint] = []
        self._declared: dict[str, CFunction] = {}
        self._times: Counter[tuple[str, bool]] = Counter()

    def of_call(self, function: CFunction) -> Failure | None:
        """Record the call, and an injection point if it can fail."""
        self.names.append(function.name)
        self._declared[function.name] = function
        if fallible(function) and likely(function) is not None:
            self._add(function, device=False)
        return None

    def of_task(self, function: str) -> Failure | None:
        """Record an injection point if the task can fail."""
        declared = self._declared.get(function)
        if declared is not None and queues(declared):
            self._add(declared, device=True)
        return None

    def _add(self, function: CFunction, *, device: bool) -> None:
        self._times[function.name, device] += 1
        idle = not device and fnmatchcase(function.name, WAITS) and nothing_to_wait_for()
        self.all.append(
            InjectionPoint(function, self._times[function.name, device], device, here(), _call_lines(), idle)
        )


def nothing_to_wait_for() -> bool:
    """True if the program has waited for all queued work."""
    machine = current()
    return not any(machine.unfinished(stream) for stream in machine.streams())


def _call_lines() -> tuple[str, ...]:
    """The lines of the program on the call stack, the innermost first. All lines are recorded, as two callers of a
    helper that allocates have different objects to release."""
    lines: list[str] = []
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_globals.get("__name__") != RUNNER:
        if not str(frame.f_globals.get("__name__")).startswith(OURS):
            lines.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        frame = frame.f_back
    return tuple(lines)


def choose(
    points: list[InjectionPoint], most: int, same_line: int
) -> tuple[list[InjectionPoint], list[InjectionPoint], int]:
    """The points that fail; the points that are omitted because `same_line` others have the same function and call
    lines; the number of points that are omitted because of `most`.

    With `most`, the first point of each line comes before the second point of any line."""
    rounds: Counter[tuple[object, ...]] = Counter()
    ranks: dict[InjectionPoint, int] = {}
    for point in points:
        line = point.function.name, point.call_lines, point.device
        ranks[point] = rounds[line]
        rounds[line] += 1
    alike = [point for point, rank in ranks.items() if rank >= same_line]
    candidates = [point for point, rank in ranks.items() if rank < same_line]
    chosen = set(sorted(candidates, key=ranks.__getitem__)[:most])
    return [point for point in candidates if point in chosen], alike, len(candidates) - len(chosen)
