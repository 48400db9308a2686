"""The injected failures of a machine: of calls and of tasks on the device (`machine.fail`)."""

from collections.abc import Callable
from types import TracebackType
from typing import Final, Protocol

import acl_runtime.headers.statuses as statuses
from acl_runtime.abi.declarations import function_of
from acl_runtime.abi.function import CFunction
from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.faults.likely import FAILED_TASK, described, fallible, likely, queues
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION, Status
from acl_runtime.objects.options import whole
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import Task
from acl_runtime.text import counted

WAITS: Final = "aclrtSynchronize*"


class FaultInjector(Protocol):
    """An object in `Faults.injectors`, which gets every call and every queued task, and may let it fail."""

    def of_call(self, function: CFunction) -> "Failure | None":
        """The failure of a call that begins, or None."""
        ...

    def of_task(self, function: str) -> "Failure | None":
        """The failure of a task that a call of `function` queues, or None."""
        ...


class Failure:
    """An injected failure: the result of `machine.fail`. As a context manager, it ends with the block."""

    def __init__(
        self, faults: "Faults", function: CFunction, status: int, nth: int, times: int | None, device: bool, done: bool
    ) -> None:
        self.name = function.name
        """the name of the C function"""
        self.status = Status(status)
        self.nth = nth
        self.times = times
        self.device = device
        """True if a task fails instead of a call"""
        self.done = done
        """True if the call does its work before it fails"""
        self.site = here()
        """the line of `machine.fail`"""
        self.seen = 0
        """number of calls of the function since `machine.fail`; with `device`, of tasks that it queued"""
        self.failed = 0
        """number of these calls or tasks that failed"""
        self.first = ""
        """file and line of the first call that failed, or of the launch of the first task that failed"""
        self.withdrawn = False
        """True if `end` was called before the failure happened; then the test does not fail because of it"""
        self._faults = faults

    def __repr__(self) -> str:
        subject = f"{'task' if self.device else 'call'} {self.nth} of {self.name}"
        unmet = f"not met: {self.seen} so far"
        state = f"met {counted(self.failed, 'time')}, first at {self.first}" if self.met else unmet
        return f"<failure of {subject} with {self.status!r}, asked for at {self.site}, {state}>"

    @property
    def met(self) -> bool:
        """True if the failure has happened to a call, or with `device` to a task."""
        return self.failed > 0

    @property
    def over(self) -> bool:
        """True if no further call or task will fail."""
        return self.times is not None and self.seen >= self.nth + self.times - 1

    def end(self) -> None:
        """Let no more calls or tasks fail, except for tasks that are queued already. A failure that has not happened
        yet is withdrawn, so the test does not fail because of it."""
        self.withdrawn = not self.met
        self.stop()

    def stop(self) -> None:
        """Let no more calls or tasks fail. If the failure has not happened, the test fails because of it."""
        if self in self._faults.injectors:
            self._faults.injectors.remove(self)

    def __enter__(self) -> "Failure":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # a FaultInjector

    def of_call(self, function: CFunction) -> "Failure | None":
        """The failure of this call, or None."""
        return self if not self.device and self._strikes(function.name) else None

    def of_task(self, function: str) -> "Failure | None":
        """The failure of this task, or None."""
        return self if self.device and self._strikes(function) else None

    def _strikes(self, function: str) -> bool:
        if function != self.name or self.over:
            return False
        self.seen += 1
        return self.seen >= self.nth

    # the errors

    def error(self) -> AclError:
        """The error of the call."""
        self._count(here())
        error = AclError(int(self.status), described(self.name, self.status, self._why))
        error.injected = True
        return error

    def fault(self, task: Task) -> DeviceFault:
        """The error of the task, when a device runs it."""
        self._count(task.launched)
        item = Item("EZ2001", (f"{task}, failed with {self.status!r}",), f"({self._why})")
        fault = DeviceFault(int(self.status), item)
        fault.injected = True
        return fault

    def _count(self, site: str) -> None:
        self.failed += 1
        self.first = self.first or site

    @property
    def _why(self) -> str:
        return f"failure asked for by machine.fail at {self.site}"


class Faults:
    """The injected failures of a machine."""

    def __init__(self) -> None:
        self.injectors: list[FaultInjector] = []
        """the injectors that get each call and task; mostly empty"""
        self.failures: list[Failure] = []
        """every result of `machine.fail`"""
        self.before_first: Callable[[], None] | None = None
        """hook: called before each failure is added to `injectors`; set by the library of a C program"""

    @property
    def unmet(self) -> list[Failure]:
        """The failures that have not happened and were not withdrawn."""
        return [failure for failure in self.failures if not failure.met and not failure.withdrawn]

    def inject(
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
            chosen = _failing(status, function) if not device else _failing(status, None)
        elif device:
            chosen = ACL_ERROR_RT_AICORE_EXCEPTION
        else:
            chosen = likely(function)
        if chosen is None:
            raise ValueError(f"{function.name} documents no failure: give a status")
        if done is None:
            from fnmatch import fnmatchcase  # late: only injected failures need it

            done = fnmatchcase(function.name, WAITS) and chosen in FAILED_TASK
        failure = Failure(self, function, chosen, nth, times, device, done)
        if self.before_first is not None:
            self.before_first()
        self.injectors.append(failure)
        self.failures.append(failure)
        return failure

    def of_call(self, function: CFunction) -> Failure | None:
        """The failure of this call, or None. Every injector counts the call; the first that lets it fail decides."""
        failures = [failure for injector in self.injectors if (failure := injector.of_call(function)) is not None]
        return self._first(failures)

    def of_task(self, function: str) -> Callable[[Task], DeviceFault] | None:
        """A function that makes the device fault of a task that `function` queues; None if the task does not fail."""
        first = self._first(
            [failure for injector in self.injectors if (failure := injector.of_task(function)) is not None]
        )
        return first.fault if first is not None else None

    def _first(self, failures: list[Failure]) -> Failure | None:
        for failure in failures:
            if failure.over:
                failure.stop()
        return failures[0] if failures else None


def _failing(status: int | str, function: CFunction | None) -> int:
    """The number of a failing status, given as a number or a name. Every failure in the headers is allowed, as devices
    also return undocumented statuses. `function`: the function that returns it; None for a task on a device."""
    if function is not None and function.header.startswith("hccl/"):
        home, named = HcclResult.__name__, {result.name: int(result) for result in HcclResult}
    else:
        home, named = statuses.__name__, {name: int(getattr(statuses, name)) for name in statuses.__all__}
    if isinstance(status, str) and status not in named:
        from difflib import get_close_matches  # late: only a mistake needs it

        close = get_close_matches(status, named, n=3)
        meant = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"status={status!r} is no name of {home}{meant}")
    number = named[status] if isinstance(status, str) else whole("status", status)
    if number == statuses.ACL_SUCCESS or number not in named.values():
        raise ValueError(f"status={status} is no failure: give one of {home}, by name")
    return number
