"""The host's time for an execution of a captured model, beside the launches that it replaces.

    python -m tests.benchmarks.graphs [--rounds N]

The figures are for one task, without the run of the tasks, in time of the processor: `fastest` of the rounds, which
take turns with pairs of phases in Python. `again` repeats an execution, and nothing else used the memory: the goal is a
third of a pair. Before `touched`, an operator used the memory of the model: the goal is 3 pairs, and no more than the
launches. `launched` are the calls that the capture stored.

One workload has one stream. The other forks to a second stream at each fifth operator, so that three of seven tasks are
records and waits of events.
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable
from ctypes import byref, c_uint64
from typing import NamedTuple

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.helpers.builders import OnDevice, on_device
from tests.helpers.captures import captured, lead
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import ok

OPERATORS = 300
AGAIN, TOUCHED, BYTES = 1 / 3, 3.0, 4096
"""goals: pairs of phases a task, and bytes a task"""
clock = time.process_time


class Figures(NamedTuple):
    """Times of one task, in seconds."""

    tasks: int
    pair: float
    launched: float
    again: float
    touched: float

    def missed(self) -> list[str]:
        """The goals that were missed."""
        limits = {"again": AGAIN * self.pair, "touched": min(TOUCHED * self.pair, self.launched)}
        slow = {name: limit for name, limit in limits.items() if getattr(self, name) > limit}
        return [f"{name} takes more than {limit * 1e6:.1f} us" for name, limit in slow.items()]


class Adds:
    """Operators on a few small tensors, and a model of them."""

    def __init__(self, *, forks: bool) -> None:
        self.forks = forks
        self.stream, self.other = create_stream(), create_stream()
        self.tensors = [on_device(np.ones(16, np.float32)) for _ in range(20)]
        self.alpha = aclCreateScalar(np.zeros(1, np.float32), ACL_FLOAT)
        self.size, self.executor = c_uint64(), aclOpExecutor()
        self.model = captured(self.stream, self.launch)

    def add(self, first: OnDevice, second: OnDevice, out: OnDevice, stream: aclrtStream) -> None:
        """A pair of phases."""
        aclnnAddGetWorkspaceSize(
            first.handle, second.handle, self.alpha, out.handle, byref(self.size), byref(self.executor)
        )
        aclnnAdd(None, 0, self.executor, stream)

    def launch(self) -> None:
        """All operators."""
        of = self.tensors
        for i in range(OPERATORS):
            if self.forks and i % 5 == 0:
                lead(self.stream, self.other)
                self.add(of[i % 19], of[(i + 1) % 19], of[19], self.other)
                lead(self.other, self.stream)
            else:
                self.add(of[i % 19], of[(i + 7) % 19], of[(i + 3) % 19], self.stream)

    def pairs(self) -> None:
        for _ in range(OPERATORS):
            self.add(*self.tensors[:3], self.stream)

    def execute(self) -> None:
        ok(aclmdlRIExecuteAsync(self.model, self.stream))

    def wait(self) -> None:
        ok(aclrtSynchronizeStream(self.stream))

    def touch(self) -> None:
        """Another operator on the memory of the model."""
        self.wait()
        self.add(*self.tensors[:3], self.stream)
        self.wait()


def measured(machine: Machine, adds: Adds, rounds: int) -> Figures:
    """The fastest of the rounds."""
    calls: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
        "pairs": (adds.pairs, adds.wait), "launch": (adds.launch, adds.wait), "first": (adds.execute, adds.wait),
        "again": (adds.execute, adds.touch), "touched": (adds.execute, adds.wait),
    }  # fmt: skip
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, (call, after) in calls.items():
            begin = clock()
            call()
            best[name] = min(best[name], clock() - begin)
            after()
    before = machine.tasks[-1].id
    adds.execute()
    adds.wait()
    tasks = machine.tasks[-1].id - before
    return Figures(
        tasks, best["pairs"] / OPERATORS, best["launch"] / tasks, best["again"] / tasks, best["touched"] / tasks
    )


def memory(machine: Machine, adds: Adds) -> float:
    """Bytes that a captured task keeps, without the records of its calls."""
    machine.calls.clear()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    captured(adds.stream, adds.launch)
    machine.calls.clear()
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return taken / OPERATORS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.graphs")
    parser.add_argument("--rounds", type=int, default=20)
    rounds, missed = parser.parse_args().rounds, list[str]()
    for forks in (False, True):
        with Machine() as machine:
            ok(aclrtSetDevice(0))
            adds = Adds(forks=forks)
            figures, name = measured(machine, adds, rounds), "two streams" if forks else "one stream"
            us = {each: f"{getattr(figures, each) * 1e6:.1f}" for each in ("pair", "launched", "again", "touched")}
            print(f"{name}, {figures.tasks} tasks: " + ", ".join(f"{each} {time} us" for each, time in us.items()))
            missed += [f"{name}: {each}" for each in figures.missed()]
            if not forks:
                kept = memory(machine, adds)
                print(f"memory of a captured task: {kept:.0f} bytes")
                missed += [f"a captured task keeps more than {BYTES} bytes"] * (kept > BYTES)
    print(*missed, sep="\n")
    return bool(missed)


if __name__ == "__main__":
    raise SystemExit(main())
