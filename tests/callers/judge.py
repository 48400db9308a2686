"""The judge of the callers: makes one call, and says whether its answer is strange."""

from __future__ import annotations

import ctypes
import faulthandler
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TextIO, TypeVar

import numpy as np

import acl_runtime
import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.headers.statuses import Status
from acl_runtime.on_demand import LazyFunction
from acl_runtime.text import counted
from aclnn import *
from tests.callers.values import CallbackError
from tests.conftest import documented, number_of

S = TypeVar("S")
HANGS = 60.0
"""seconds of the processor for WATCH calls; after that the program prints the position of each thread, and ends"""
WATCH = 1000
SLOW = 0.05
"""seconds of the processor that are listed"""
TOO_SLOW = 1.0
"""and those that are strange, as every tensor is small"""
ROOM = 1 << 30
"""bytes of memory that the process may take beside what it has"""


@cache
def functions() -> dict[str, Callable[..., Any]]:
    """All functions of both packages. Those that the star made light are found at their first call."""
    found = {name: getattr(module, name) for module in (acl_runtime, aclnn) for name in module.__all__}
    return {name: value for name, value in found.items() if type(value) is LazyFunction or hasattr(value, "c")}


@cache
def statuses(name: str) -> frozenset[int]:
    """The statuses that a function may return."""
    return frozenset(map(number_of, documented(name) or ()))


@dataclass
class Outcome:
    """The outcome of the calls."""

    calls: int = 0
    answers: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    slow: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    strange: dict[str, str] = field(default_factory=dict[str, str])
    """the first of each sort"""
    resident: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    """pairs: the number of calls so far, resident MB"""
    seconds: float = 0.0
    at_once: bool = False
    """are strange answers printed at once?"""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        kinds: Counter[str] = Counter()
        for (_, answer), count in self.answers.items():
            kinds[answer] += count
        yield f"{self.calls} calls in {self.seconds:.0f} s: {self.calls / max(self.seconds, 1e-3):.0f} a second"
        yield f"answers: {', '.join(f'{answer} {count}' for answer, count in kinds.most_common(40))}"
        yield f"resident MB: {', '.join(f'{calls}: {size:.0f}' for calls, size in self.resident)}"
        slow = [f"{name} {len(each)}x, {max(each):.2f} s" for name, each in sorted(self.slow.items())]
        yield f"slower than {SLOW * 1e3:.0f} ms: {', '.join(slow) or 'none'}"
        yield counted(len(self.strange), "strange answer")
        for what, how in self.strange.items():
            yield f"--- {what}\n{how}"


class Judge:
    """Makes calls on one machine. `small`: no call has a large tensor, so that no task may lack memory."""

    def __init__(self, machine: Machine, outcome: Outcome, *, log: TextIO | None = None, small: bool = False) -> None:
        self.machine = machine
        self.outcome = outcome
        self.log = log
        self.small = small
        self.about = ""
        """the operator call that the calls belong to"""

    def call(self, function: Callable[..., Any], arguments: Sequence[Any], *, odd: bool = False) -> Any:
        """Make one call and judge its answer; None if it raised. `odd`: an argument is such that the compiler would
        refuse it."""
        name, outcome = function.__name__, self.outcome
        outcome.calls += 1
        if self.log is not None:
            print(outcome.calls, self.about, name, arguments, file=self.log, flush=True)
        result, answer, before = None, "raised", len(self.machine.findings)
        start = time.thread_time()
        try:
            try:
                result = function(*arguments)
            finally:
                taken = time.thread_time() - start
            answer = self._judged(name, arguments, result)
        except UndefinedBehaviour as error:
            answer = error.finding.id
            if not self.machine.findings.raises:
                self.report(f"{name} raised in a machine that only reports: {answer}", arguments, error)
        except (CallbackError, ctypes.ArgumentError):  # ArgumentError: userData does not fit a ctypes callback
            answer = "raised by a callback"
        except TypeError as error:
            answer = "TypeError"
            in_body = _place(error).startswith(("aclnn", "numpy"))
            if in_body or (not odd and "must return an aclError" not in str(error)):
                self.report(f"{name}: TypeError for arguments that a compiler accepts", arguments, error)
        except Exception as error:
            self.report(f"{name}: {type(error).__name__} at {_place(error)}", arguments, error)
        for finding in self.machine.findings[before:]:
            if finding.id == "kernel-raised":
                self.report(f"{name}: {finding.what}", arguments)
        outcome.answers[name, answer] += 1
        if taken > SLOW:
            outcome.slow.setdefault(name, []).append(taken)
            if taken > TOO_SLOW:
                self.report(f"{name} takes more than {TOO_SLOW} s of the processor", arguments)
        return result

    def _judged(self, name: str, arguments: Sequence[Any], result: Any) -> str:
        """The answer by its name. A status that the help text does not list is strange."""
        if not functions()[name].c.result.status:  # type: ignore[attr-defined]
            return type(result).__name__
        if not isinstance(result, Status):
            self.report(f"{name} returned no status but {type(result).__name__}", arguments)
        elif int(result) not in statuses(name):
            self.report(f"{name} returned {result!r}, which its help text does not list", arguments)
        elif self.small and int(result) == ACL_ERROR_RT_MEMORY_ALLOCATION:
            self.report(f"{name} lacks memory for small tensors", arguments)
        return str(int(result))

    def report(self, what: str, arguments: Sequence[Any], error: BaseException | None = None) -> None:
        """Keep the first of each sort."""
        what = f"{self.about.partition('(')[0]} {what}".strip()
        if what not in self.outcome.strange:
            lines = traceback.format_exception(error)[-8:] if error is not None else []
            shown = "".join(lines) + "".join(traceback.format_stack(limit=6)[:-2])
            self.outcome.strange[what] = f"call {self.outcome.calls}: {self.about} {arguments!r:.600}\n{shown}"
            if self.outcome.at_once:
                print(f"--- {what}\n{self.outcome.strange[what]}", file=sys.stderr, flush=True)


PACKAGES = [Path(module.__file__ or "").parent for module in (aclnn, acl_runtime, np)]


def _place(error: BaseException) -> str:
    """The last line of an exception: folder, file, line."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    path = Path(where.filename)
    package = next((each.name for each in PACKAGES if path.is_relative_to(each)), "")
    return f"{package}/{path.name}:{where.lineno}"


def in_turn(
    seed: int, subjects: Iterable[S], scan: Callable[[S, random.Random, Outcome], None], *, seconds: float = 0.0,
    watched: bool = False,
) -> Outcome:  # fmt: skip
    """Scan each subject, in an order of the seed, until the time is over (0: never)."""
    chosen, outcome, start = random.Random(seed), Outcome(at_once=watched), time.monotonic()
    listed = list(subjects)
    chosen.shuffle(listed)
    with limited(watched=watched) as watch:
        for subject in listed:
            if seconds and time.monotonic() - start > seconds:
                break
            watch()
            scan(subject, chosen, outcome)
    outcome.seconds = time.monotonic() - start
    outcome.resident.append((outcome.calls, resident()))
    return outcome


@contextmanager
def limited(*, watched: bool = False) -> Iterator[Callable[[], None]]:
    """The limits of a run: a warning is an exception, and memory beyond ROOM a MemoryError. `watched`: a hang ends the
    program. The value is a function to be called at least every WATCH calls."""
    before = resource.getrlimit(resource.RLIMIT_DATA)

    def watch() -> None:
        if watched:
            signal.setitimer(signal.ITIMER_PROF, HANGS)

    if watched:
        faulthandler.register(signal.SIGPROF, chain=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resource.setrlimit(resource.RLIMIT_DATA, (_data() + ROOM, before[1]))
        try:
            watch()
            yield watch
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, before)
            if watched:
                signal.setitimer(signal.ITIMER_PROF, 0)


def _data() -> int:
    """Bytes of private memory that this process may write to."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()


def resident() -> float:
    """Memory of this process that is resident, in MB."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6
