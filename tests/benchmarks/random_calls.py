"""A random caller: `python -m tests.benchmarks.random_calls [--calls N] [--seed S] [--schedule S] [--on-undefined U]`.

Calls every function of acl_runtime and aclnn, but only a sample of the operators without a formula. The arguments are
legal and illegal, wild addresses and dead handles included. Each call must return a status that the function's help
text lists, or raise. It may raise UndefinedBehaviour, a TypeError for arguments that the C compiler would refuse, or
the exception of a callback of the caller. The interpreter must not crash, and memory use must level off. Otherwise the
program fails.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import os
import random
import shutil
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import acl_runtime
import aclnn
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.headers.statuses import Status
from aclnn.ops import FIRST, homes
from tests.benchmarks.random_programs import PROGRAMS, retire, start_afresh
from tests.benchmarks.random_values import CallbackError, Draws, Guarded, Pool
from tests.conftest import documented, number_of

SPREAD = 50
"""one in so many operators without a formula is called, as they all share their code"""
COMPUTED = 16
"""and one in so many of those that are made from facts and a formula"""


def _functions() -> dict[str, Callable[..., Any]]:
    found = {name: getattr(module, name) for module in (acl_runtime, aclnn) for name in module.__all__}
    missing = [name for name, value in found.items() if hasattr(value, "op") and not value.op.has_kernel]
    computed = [name for name in found if name.removesuffix(FIRST) in homes()]
    left_out = {name for at, name in enumerate(missing) if at // 2 % SPREAD}
    left_out |= {name for at, name in enumerate(computed) if at // 2 % COMPUTED}
    return {name: value for name, value in found.items() if hasattr(value, "c") and name not in left_out}


FUNCTIONS = _functions()
STATUSES = {name: frozenset(map(number_of, documented(name) or ())) for name in FUNCTIONS}
"""the statuses that each function may return"""
SAMPLE = 50_000
HANGS = 120.0
"""seconds for WATCH calls; after that the program prints the position of each thread, and ends"""
WATCH = 1000
SLOW = 0.05
"""seconds"""
DEEP = 2
"""the greatest depth of calls in callbacks"""


@dataclass
class Outcome:
    """The outcome of the calls."""

    calls: int = 0
    answers: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    slow: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    defects: dict[str, str] = field(default_factory=dict[str, str])
    """the first of each sort"""
    resident: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    """pairs: the number of calls so far, resident MB"""
    seconds: float = 0.0


class RandomCaller:
    """Makes the calls on one machine, from one thread."""

    def __init__(
        self, machine: Machine, seed: int, outcome: Outcome, guarded: Guarded, log: TextIO | None = None
    ) -> None:
        self.chosen = random.Random(seed)
        self.pool = Pool(machine, self.chosen, guarded)
        self.draws = Draws(self.pool, self.chosen, (self.calls_back,))
        self.outcome = outcome
        self.log = log
        self.reports = not machine.findings.raises
        self.watched = False
        """True if a hang ends the program"""
        self.depth = 0

    def run(self, calls: int) -> None:
        """Make about this many calls."""
        programs, weights = [program for program, _ in PROGRAMS], [weight for _, weight in PROGRAMS]
        end, fresh, watch = self.outcome.calls + calls, self.outcome.calls, 0
        self._watch()
        start_afresh(self)
        while self.outcome.calls < end:
            if self.outcome.calls >= watch:  # not at each call, as that starts a thread
                watch = self.outcome.calls + WATCH
                self._watch()
            if self.chosen.random() < 0.12:
                self.chosen.choices(programs, weights)[0](self)
            else:
                self.anything()
            if self.chosen.random() < 0.05:
                retire(self)
            if self.outcome.calls > fresh + 1500:
                fresh = self.outcome.calls
                start_afresh(self)
            if self.outcome.calls // SAMPLE >= len(self.outcome.resident):
                self.outcome.resident.append((self.outcome.calls, resident()))

    def _watch(self) -> None:
        if self.watched:
            faulthandler.dump_traceback_later(HANGS, exit=True)

    def anything(self) -> None:
        """Any function with any arguments."""
        function = self.chosen.choice(list(FUNCTIONS.values()))
        parameters = function.c.parameters  # type: ignore[attr-defined]
        self.draws.begin(function.__name__)
        arguments = [self.draws.argument(name, ctype) for name, ctype in parameters]
        self.call(function, arguments)

    def nearly(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Make the call with these arguments, one of which is sometimes replaced."""
        given, parameters = list(arguments), function.c.parameters  # type: ignore[attr-defined]
        self.draws.begin(function.__name__)
        if given and self.chosen.random() < 0.04:
            place = self.chosen.randrange(len(given))
            given[place] = self.draws.argument(*parameters[place])
        return self.call(function, given)

    def calls_back(self, *_: Any) -> None:
        """A callback that calls the API, which a device forbids."""
        if self.depth < DEEP:
            for _ in range(self.chosen.randrange(3)):
                self.anything()

    def call(self, function: Callable[..., Any], arguments: list[Any]) -> Any:
        """Make one call and judge its outcome; None if it raised."""
        name, odd, outcome = function.__name__, self.draws.odd, self.outcome
        outcome.calls += 1
        self.depth += 1
        if self.log is not None:
            print(outcome.calls, name, arguments, file=self.log, flush=True)
        start, result, answer = time.perf_counter(), None, "raised"
        try:
            result = function(*arguments)
            answer = self.judged(name, arguments, result)
        except UndefinedBehaviour as error:
            answer = error.finding.id
            if self.reports:
                self.defect(f"{name} raised in a machine that only reports: {answer}", arguments, error)
        except (CallbackError, ctypes.ArgumentError):  # ArgumentError: userData does not fit a ctypes callback
            answer = "raised by a callback"
        except TypeError as error:
            answer = "TypeError"
            if not odd and "must return an aclError" not in str(error):
                self.defect(f"{name}: TypeError for arguments that a compiler accepts", arguments, error)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            self.defect(
                f"{name}: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}", arguments, error
            )
        taken = time.perf_counter() - start
        self.depth -= 1
        outcome.answers[name, answer] += 1
        if taken > SLOW:
            outcome.slow.setdefault(name, []).append(taken)
            if self.log is not None:
                print(f"    took {taken:.3f} s", file=self.log)
        return result

    def judged(self, name: str, arguments: list[Any], result: Any) -> str:
        """The answer by its name; a defect if the help text does not list it."""
        if not FUNCTIONS[name].c.result.status:  # type: ignore[attr-defined]
            return type(result).__name__
        if not isinstance(result, Status):
            self.defect(f"{name} returned no status but {type(result).__name__}", arguments)
        elif int(result) not in STATUSES[name]:
            self.defect(f"{name} returned {result!r}, which its help text does not list", arguments)
        return str(int(result))

    def defect(self, what: str, arguments: list[Any], error: BaseException | None = None) -> None:
        """Keep the first of each sort."""
        if what not in self.outcome.defects:
            lines = traceback.format_exception(error)[-8:] if error is not None else []
            shown = "".join(lines) + "".join(traceback.format_stack(limit=6)[:-2])
            self.outcome.defects[what] = f"call {self.outcome.calls}: {arguments!r:.600}\n{shown}"


def resident() -> float:
    """Memory of this process that is resident, in MB."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096 / 1e6


def run(
    calls: int,
    seed: int,
    *,
    hosts: int = 1,
    watched: bool = False,
    log: TextIO | None = None,
    outcome: Outcome | None = None,
    **options: Any,
) -> Outcome:
    """About so many calls on one machine, from `hosts` threads."""
    outcome = outcome or Outcome()
    start, before = time.perf_counter(), threading.active_count()
    options = {"hbm_bytes": 1 << 30, "patience": 0.2} | options
    guarded = Guarded()
    with Machine(seed=seed, **options) as machine:
        callers = [RandomCaller(machine, seed + i, outcome, guarded, log) for i in range(hosts)]
        for caller in callers:
            caller.watched = watched
        if hosts == 1:
            callers[0].run(calls)
        else:
            with ThreadPoolExecutor(hosts) as threads:
                for done in [threads.submit(caller.run, calls) for caller in callers]:
                    done.result()
        outcome.resident.append((outcome.calls, resident()))
    for caller in callers:
        shutil.rmtree(caller.draws.folder)
    if threading.active_count() > before:
        outcome.defects["threads are left behind"] = ", ".join(each.name for each in threading.enumerate())
    outcome.seconds += time.perf_counter() - start
    return outcome


def summary(outcome: Outcome, *, verbose: bool = False) -> str:
    """The outcome as text."""
    succeeded = {name for (name, answer) in outcome.answers if answer == "0" or not answer.isdigit()}
    kinds: Counter[str] = Counter()
    for (_, answer), count in outcome.answers.items():
        kinds[answer] += count
    lines = [
        f"{outcome.calls} calls in {outcome.seconds:.0f} s: {outcome.calls / outcome.seconds:.0f} a second",
        f"answers: {', '.join(f'{answer} {count}' for answer, count in kinds.most_common(40))}",
        f"never succeeded: {', '.join(sorted(set(FUNCTIONS) - succeeded)) or 'none'}",
        f"resident MB: {', '.join(f'{calls}: {size:.0f}' for calls, size in outcome.resident)}",
        f"slower than {SLOW * 1e3:.0f} ms: "
        + (
            ", ".join(f"{name} {len(each)}x, {max(each):.2f} s" for name, each in sorted(outcome.slow.items()))
            or "none"
        ),
        f"{len(outcome.defects)} defect(s)",
    ]
    lines += [f"--- {what}\n{how}" for what, how in outcome.defects.items()]
    if verbose:
        for name in FUNCTIONS:
            answers = {answer: count for (each, answer), count in outcome.answers.items() if each == name}
            lines.append(f"{name}: {answers}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--schedule", default="late", choices=("late", "eager", "random", "threads"))
    parser.add_argument("--on-undefined", default="report", choices=("raise", "report"))
    parser.add_argument("--soc", default="Ascend910B1")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--hosts", type=int, default=1, help="host threads that call")
    parser.add_argument("--log", default="", help="a file: each call is written there before it is made")
    parser.add_argument("--verbose", action="store_true", help="print the answers of each function")
    given = parser.parse_args()
    faulthandler.enable()
    with open(given.log or os.devnull, "w", encoding="utf-8", errors="replace") as log:
        outcome = run(
            given.calls,
            given.seed,
            hosts=given.hosts,
            watched=True,
            log=log if given.log else None,
            soc=given.soc,
            schedule=given.schedule,
            on_undefined=given.on_undefined,
            device_count=given.devices,
        )
    faulthandler.cancel_dump_traceback_later()
    print(summary(outcome, verbose=given.verbose))
    return 1 if outcome.defects else 0


if __name__ == "__main__":
    sys.exit(main())
