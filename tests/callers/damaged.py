"""The caller of damaged arguments: small legal programs and good calls, in which a share of the arguments is replaced.

It calls every function of acl_runtime and aclnn. Arguments are replaced by legal and illegal values, wild addresses and
dead handles included. The interpreter must not crash, and memory use must level off.
"""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TextIO

from acl_runtime import Machine
from acl_runtime.objects.soc import SOCS, Series
from acl_runtime.streams.waiters import EmulatorThread
from tests.aclnn.ops.case import A2
from tests.callers.good import GoodCall, good_calls, names_of_operators
from tests.callers.judge import WATCH, Judge, Outcome, functions, limited, resident
from tests.callers.programs import PROGRAMS, retire, start_afresh
from tests.callers.values import Draws, Guarded, Pool
from tests.helpers.patience import PATIENCE

SAMPLE = 50_000
DEEP = 2
"""the greatest depth of calls in callbacks"""
AFRESH = 600
"""calls after which everything goes"""
DAMAGES = (0.0, 0.02, 0.02, 0.04, 0.04, 0.1, 0.3, 0.6, 0.9)
"""shares of arguments that are replaced, one of them for each program"""


class DamagedCaller:
    """Makes the calls on one machine, from one thread."""

    def __init__(
        self, machine: Machine, seed: int, outcome: Outcome, guarded: Guarded, good: Sequence[GoodCall],
        watch: Callable[[], None], log: TextIO | None = None,
    ) -> None:  # fmt: skip
        self.good = good
        self.chosen = random.Random(seed)
        self.pool = Pool(machine, self.chosen, guarded)
        self.draws = Draws(self.pool, self.chosen, (self.calls_back,))
        self.outcome = outcome
        self.judge = Judge(machine, outcome, log=log)
        self.watch = watch
        self.damage = 0.0
        self.depth = 0

    def run(self, calls: int, seconds: float = 0.0) -> None:
        """Make about this many calls, or stop after this time."""
        programs, weights = [program for program, _ in PROGRAMS], [weight for _, weight in PROGRAMS]
        end, fresh, watch, start = self.outcome.calls + calls, self.outcome.calls, 0, time.monotonic()
        start_afresh(self)
        while self.outcome.calls < end and not (seconds and time.monotonic() - start > seconds):
            if self.outcome.calls >= watch:  # not at each call, as that starts a thread
                watch = self.outcome.calls + WATCH
                self.watch()
            if self.chosen.random() < 0.3:
                self.damage = self.chosen.choice(DAMAGES)
                self.chosen.choices(programs, weights)[0](self)
            else:
                self.anything()
            if self.chosen.random() < 0.05:
                self.damage = self.chosen.choice(DAMAGES[:4])
                retire(self)
            if self.outcome.calls > fresh + AFRESH:
                fresh, self.damage = self.outcome.calls, 0.0
                start_afresh(self)
            if self.outcome.calls // SAMPLE >= len(self.outcome.resident):
                self.outcome.resident.append((self.outcome.calls, resident()))

    def anything(self) -> None:
        """Any function with any arguments."""
        function = self.chosen.choice(list(functions().values()))
        parameters = function.c.parameters  # type: ignore[attr-defined]
        self.draws.begin(function.__name__)
        self._call(function, [self.draws.argument(name, ctype) for name, ctype in parameters])

    def nearly(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Make the call with these arguments, of which a share is replaced."""
        parameters = function.c.parameters  # type: ignore[attr-defined]
        self.draws.begin(function.__name__)
        return self._call(function, [
            self.draws.argument(*parameters[at]) if self.chosen.random() < self.damage else each
            for at, each in enumerate(arguments)
        ])  # fmt: skip

    def calls_back(self, *_: Any) -> None:
        """A callback that calls the API, which a device forbids."""
        if self.depth < DEEP:
            for _ in range(self.chosen.randrange(3)):
                self.anything()

    def _call(self, function: Callable[..., Any], arguments: list[Any]) -> Any:
        self.depth += 1
        try:
            return self.judge.call(function, arguments, odd=self.draws.odd)
        finally:
            self.depth -= 1


def good_calls_on(series: Series, seed: int, most: int) -> list[GoodCall]:
    """So many good calls of a product, one for each operator. An operator that it lacks has one of another product."""
    listed = names_of_operators()
    chosen = random.Random(seed).sample(listed, min(len(listed), most))
    found = [sorted(good_calls(name), key=lambda call: call.soc.series is not series) for name in chosen]
    return [calls[0] for calls in found if calls]


def run(
    calls: int,
    seed: int,
    *,
    seconds: float = 0.0,
    hosts: int = 1,
    watched: bool = False,
    log: TextIO | None = None,
    outcome: Outcome | None = None,
    **options: Any,
) -> Outcome:
    """About so many calls on one machine, from `hosts` threads."""
    outcome = outcome or Outcome(at_once=watched)
    start, before = time.perf_counter(), threading.active_count()
    options = {"hbm_bytes": 1 << 30, "patience": 0.2} | options
    guarded = Guarded()
    good = good_calls_on(SOCS[options.get("soc", A2)].series, seed, max(calls // 30, 10))
    with limited(watched=watched) as watch, Machine(seed=seed, **options) as machine:
        callers = [DamagedCaller(machine, seed + i, outcome, guarded, good, watch, log) for i in range(hosts)]
        if hosts == 1:
            callers[0].run(calls, seconds)
        else:
            with ThreadPoolExecutor(hosts) as threads:
                for done in [threads.submit(caller.run, calls, seconds) for caller in callers]:
                    done.result()
        outcome.resident.append((outcome.calls, resident()))
    for caller in callers:
        shutil.rmtree(caller.draws.folder)
    for thread in threading.enumerate():
        if isinstance(thread, EmulatorThread):  # its machine waits for it no longer than its patience
            thread.join(PATIENCE)
    if threading.active_count() > before:
        outcome.strange["threads are left behind"] = ", ".join(each.name for each in threading.enumerate())
    outcome.seconds += time.perf_counter() - start
    return outcome
