"""Failures that somebody asked for: of calls (`machine.fail`), and of tasks on the device."""

from collections.abc import Callable
from types import TracebackType
from typing import Final, Protocol

import acl_runtime.headers.statuses as statuses
from acl_runtime.abi.declarations import function_of
from acl_runtime.abi.function import CFunction
from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.faults.likely import FAILED_TASK, described, fallible, likely, queues
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION, Status
from acl_runtime.objects.options import whole
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import Task

WAITS: Final = "aclrtSynchronize*"


class Plan(Protocol):
    """Looks at every call and every queued task while it is one of `Faults.plans`."""

    def of_call(self, function: CFunction) -> "Failure | None":
        """A call begins: the failure that it shall end with."""
        ...

    def of_task(self, function: str) -> "Failure | None":
        """A call of `function` queues a task: the failure that it shall end with."""
        ...


class Failure:
    """What `machine.fail` returns: a failure asked for. As a context manager it ends with the block."""

    def __init__(
        self, faults: "Faults", function: CFunction, status: int, nth: int, times: int | None, device: bool, done: bool
    ) -> None:
        self.name = function.name
        """of the C function"""
        self.status = Status(status)
        self.nth = nth
        self.times = times
        self.device = device
        """is it a task that fails, not the call?"""
        self.done = done
        """does the call do its work before it fails?"""
        self.site = here()
        """where it was asked for"""
        self.seen = 0
        """calls of the function since (with `device`: tasks that it queued)"""
        self.failed = 0
        """how many of them failed"""
        self.first = ""
        """where the first one that failed was called, or launched: file and line"""
        self.withdrawn = False
        """was it ended by `end` before a call met it? Then nobody waits for that"""
        self._faults = faults

    def __repr__(self) -> str:
        what = f"{'task' if self.device else 'call'} {self.nth} of {self.name}"
        unmet = f"not met: {self.seen} so far"
        state = f"met {self.failed} time(s), first at {self.first}" if self.met else unmet
        return f"<failure of {what} with {self.status!r}, asked for at {self.site}, {state}>"

    @property
    def met(self) -> bool:
        """Did a call, or with `device` a task, fail because of it?"""
        return self.failed > 0

    @property
    def over(self) -> bool:
        """Will it fail no more?"""
        return self.times is not None and self.seen >= self.nth + self.times - 1

    def end(self) -> None:
        """Nothing more fails because of it; a task that is queued already still does. One that no call has met yet is
        taken back: a test does not fail for it."""
        self.withdrawn = not self.met
        self.stop()

    def stop(self) -> None:
        """Nothing more fails because of it, but it is still asked whether a call met it."""
        if self in self._faults.plans:
            self._faults.plans.remove(self)

    def __enter__(self) -> "Failure":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # a plan

    def of_call(self, function: CFunction) -> "Failure | None":
        """Is it the call meant?"""
        return self if not self.device and self._strikes(function.name) else None

    def of_task(self, function: str) -> "Failure | None":
        """Is it the task meant?"""
        return self if self.device and self._strikes(function) else None

    def _strikes(self, function: str) -> bool:
        if function != self.name or self.over:
            return False
        self.seen += 1
        return self.seen >= self.nth

    # what fails

    def error(self) -> AclError:
        """The call fails."""
        self._count(here())
        error = AclError(int(self.status), described(self.name, self.status, self._why))
        error.asked = True
        return error

    def fault(self, task: Task) -> DeviceFault:
        """The task fails when a device comes to it."""
        self._count(task.launched)
        item = Item("EZ2001", (f"{task}, failed with {self.status!r}",), f"({self._why})")
        fault = DeviceFault(int(self.status), item)
        fault.asked = True
        return fault

    def _count(self, site: str) -> None:
        self.failed += 1
        self.first = self.first or site

    @property
    def _why(self) -> str:
        return f"failure asked for by machine.fail at {self.site}"


class Faults:
    """The failures that were asked for in a machine."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        """those that calls and tasks are held against; mostly none"""
        self.failures: list[Failure] = []
        """all that were asked for"""

    @property
    def unmet(self) -> list[Failure]:
        """Those that no call, or no task, has met, and that were not taken back."""
        return [failure for failure in self.failures if not failure.met and not failure.withdrawn]

    def plan(
        self,
        name: str | CFunction | Callable[..., object],
        status: int | str | None = None,
        *,
        nth: int = 1,
        times: int | None = 1,
        device: bool = False,
        done: bool | None = None,
    ) -> Failure:
        """See `Machine.fail`."""
        function = name if isinstance(name, CFunction) else function_of(name)
        if not fallible(function):
            why = "it returns no status and no pointer, or reports the failures of other calls"
            raise ValueError(f"{function.name} does not fail: {why}")
        if device and not queues(function):
            raise ValueError(f"{function.name} queues no task that a device runs, so none can fail (device=True)")
        if whole("nth", nth) < 1 or (times is not None and whole("times", times) < 1):
            raise ValueError(f"nth={nth}, times={times}: both count from 1; times=None is for ever")
        if status is not None:
            chosen = _failing(status)
        elif device:
            chosen = ACL_ERROR_RT_AICORE_EXCEPTION
        else:
            chosen = likely(function)
        if chosen is None:
            raise ValueError(f"{function.name} documents no failure: give a status")
        if done is None:
            from fnmatch import fnmatchcase  # late: only planned failures need it

            done = fnmatchcase(function.name, WAITS) and chosen in FAILED_TASK
        failure = Failure(self, function, chosen, nth, times, device, done)
        self.plans.append(failure)
        self.failures.append(failure)
        return failure

    def of_call(self, function: CFunction) -> Failure | None:
        """What this call shall fail with: all plans count it, the first that means it has it."""
        found = [failure for plan in self.plans if (failure := plan.of_call(function)) is not None]
        return self._first(found)

    def of_task(self, function: str) -> Callable[[Task], DeviceFault] | None:
        """What makes the fault of a task that `function` queues."""
        found = self._first([failure for plan in self.plans if (failure := plan.of_task(function)) is not None])
        return found.fault if found is not None else None

    def _first(self, found: list[Failure]) -> Failure | None:
        for failure in found:
            if failure.over:
                failure.stop()
        return found[0] if found else None


def _failing(status: int | str) -> int:
    """The failure that is meant, by number or by name. Any that the headers know will do: devices do strange things."""
    if isinstance(status, str) and status not in statuses.__all__:
        from difflib import get_close_matches  # late: only a mistake needs it

        close = get_close_matches(status, statuses.__all__, n=3)
        meant = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"status={status!r} is no name of acl_runtime.headers.statuses{meant}")
    number = getattr(statuses, status) if isinstance(status, str) else whole("status", status)
    if number == statuses.ACL_SUCCESS or statuses.name_of(number) == "unknown status":
        raise ValueError(f"status={status} is no failure: give one of acl_runtime.headers.statuses, by name")
    return number
