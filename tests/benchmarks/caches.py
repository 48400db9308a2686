"""The time that each cache saves. A cache is turned off; calls with it and without it take turns.

    python -m tests.benchmarks.caches [WORD ...]     the caches and workloads that have one of the words; all by default

A workload is both phases of an operator and the synchronise. `tiny` is the tiny call of `tests.benchmarks.tiny_call`.
`new tensors` is the same with tensors made anew, as plugins of PyTorch do. In `a chain` two tiny calls work in the same
memory in turn. `deep` is a tiny call through a frame of Python's library, as under a test runner. `medium` has
8,192 elements, `large` a million. `optimiser` is a step of aclnnFusedAdamw on a million, which reads the number of the
step from memory.

The figure is the time without the cache divided by the time with it: the median over the rounds, in time of the
processor. So other programs on the computer change it little. A cache that stays saves a twentieth of some workload.
One that saves less stays too, and is not in this table: `Binding.work`, 3 to 4% of a tiny call.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from ctypes import byref
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.lifetime.churn import Churn
from acl_runtime.checks.races import happens_before
from acl_runtime.machine.machine import Machine as AnyMachine
from acl_runtime.source import frames
from aclnn import *
from aclnn.engine import memo, second_phase
from aclnn.engine.fast import launch_cache
from tests.benchmarks.tiny_call import Sample
from tests.helpers.builders import malloc, on_device

ROUNDS, SECONDS, WARM = 60, 0.01, 3
FIRST = 3000
"""tiny calls before the first round: then the bounded records of the machine are full"""
Call: TypeAlias = Callable[[], object]
Off: TypeAlias = Callable[[AnyMachine], AbstractContextManager[Any]]
"""turns a cache off for the time of a block"""


class Empty(dict[Any, Any]):
    """A cache that has nothing."""

    def get(self, key: Any, default: Any = None) -> Any:
        return None


# the workloads


def sized(machine: AnyMachine, *shape: int) -> Sample:
    """Both phases on tensors of this shape."""
    sample = Sample(machine)
    sample.tensors = [on_device(np.ones(shape, np.float32)).handle for _ in range(3)]
    return sample


def new_tensors(machine: AnyMachine) -> Call:
    """Both phases on tensors that are made for the call."""
    sample, addresses = Sample(machine), [malloc(32) for _ in range(3)]
    for address in addresses:
        assert aclrtMemset(address, 32, 0, 32) == 0

    def call() -> None:
        sample.tensors = [
            aclCreateTensor((4, 2), 2, ACL_FLOAT, (2, 1), 0, ACL_FORMAT_ND, (8,), 1, each) for each in addresses
        ]
        sample()
        for each in sample.tensors:
            aclDestroyTensor(each)

    return call


def chain(machine: AnyMachine) -> Call:
    """Two calls; each writes what the other one reads."""
    one, other = Sample(machine), Sample(machine)
    other.stream, (grad, output, out) = one.stream, one.tensors
    other.tensors = [out, output, grad]
    return lambda: (one(), other())


def deep(machine: AnyMachine) -> Call:
    """A call by Python's library."""
    sample = Sample(machine)

    def call() -> None:
        with ExitStack() as stack:
            stack.callback(sample)

    return call


def optimiser(machine: AnyMachine) -> Call:
    """A step of AdamW."""
    sample, step = Sample(machine), on_device(np.ones(1, np.float32)).handle
    tensors = [*sized(machine, 1 << 20).tensors, *sized(machine, 1 << 20).tensors]
    lists = [aclCreateTensorList([each], 1) for each in (*tensors[:5], step)]
    memory: list[int] = []

    def call() -> None:
        size, executor = byref(sample.size), byref(sample.executor)
        assert aclnnFusedAdamwGetWorkspaceSize(
            *lists, None, None, 1e-3, 0.9, 0.999, 0.01, 1e-8, False, False, size, executor
        ) == 0, aclGetRecentErrMsg()  # fmt: skip
        if not memory:
            memory.append(malloc(max(sample.size.value, 1)))
        assert aclnnFusedAdamw(memory[0], sample.size.value, sample.executor, sample.stream) == 0
        assert aclrtSynchronizeStream(sample.stream) == 0

    return call


WORKLOADS: dict[str, Callable[[AnyMachine], Call]] = {
    "tiny": Sample, "new tensors": new_tensors, "a chain": chain, "deep": deep,
    "medium": lambda machine: sized(machine, 64, 128), "large": lambda machine: sized(machine, 512, 2048),
    "optimiser": optimiser,
}  # fmt: skip

# the caches


def replaced(where: Any, name: str, by: Any) -> Off:
    """Something else is in its place."""
    return lambda _: patch.object(where, name, by)


def plain(where: Any, name: str) -> Off:
    """A function without the cache of `functools` around it."""
    return replaced(where, name, getattr(where, name).__wrapped__)


def forgotten(*kinds: type) -> Off:
    """`memo` keeps no entries of these classes."""

    @contextmanager
    def off(machine: AnyMachine) -> Iterator[None]:
        keep = memo.keep

        def forgetful(shelf: Any, key: Any, value: Any, most: int) -> None:
            if not isinstance(value, kinds):
                keep(shelf, key, value, most)

        machine.repeated.clear()
        machine.plans.clear()
        with patch.object(memo, "keep", forgetful):
            yield
        machine.repeated.clear()
        machine.plans.clear()

    return off


@contextmanager
def without_views(machine: AnyMachine) -> Iterator[None]:
    pieces = [piece for device in machine.devices for piece in device.memory]
    for piece in pieces:
        piece.views = Empty()
    yield
    for piece in pieces:
        piece.views = {}


def without_ranges(machine: AnyMachine) -> AbstractContextManager[Any]:
    task = second_phase.OperatorTask
    return patch.object(second_phase, "OperatorTask", lambda *given: task(*given[:-1], None))


def without_lines(machine: AnyMachine) -> AbstractContextManager[Any]:
    (churn,) = (each for each in machine.announce.listeners if isinstance(each, Churn))
    return patch.object(churn._waited, "_lines", Empty())


def planned_anew(_cache: launch_cache.LaunchCache, targets: Any, _memory: Any) -> launch_cache.Evaluation:
    return launch_cache.Evaluation(targets)


CACHES: dict[str, tuple[Off, str]] = {
    "memo": (forgotten(object), "tiny, new tensors, medium"),
    "machine.repeated": (forgotten(memo.Repeated), "tiny, a chain"),
    "machine.plans": (forgotten(memo.Plan), "new tensors"),
    "plan.bindings": (forgotten(memo.Launched), "tiny, new tensors"),
    "CachedRanges": (without_ranges, "tiny, new tensors"),
    "_continues": (replaced(happens_before, "_continues", lambda *_: False), "tiny, a chain"),
    "Allocation.views": (without_views, "tiny, medium, large"),
    "Trails": (replaced(frames._trails, "known", Empty()), "tiny, new tensors"),
    "_author": (plain(frames, "_author"), "tiny, deep"),
    "Habits._lines": (without_lines, "tiny"),
    "LaunchCache.trace": (replaced(launch_cache.Trace, "is_valid", lambda *_: False), "medium, large"),
    "LaunchCache.evaluation": (replaced(launch_cache.LaunchCache, "evaluation", planned_anew), "optimiser"),
}
"""by name: how it is turned off, and the workloads that it may save time of"""


def seconds(call: Call, times: int) -> float:
    """Seconds of one call, of the processor."""
    begin = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - begin) / times


def compared(machine: AnyMachine, off: Off, call: Call) -> tuple[float, float]:
    """Seconds of a call, and how many times as long it takes without the cache."""
    call()
    times, taken = max(1, int(SECONDS / seconds(call, WARM))), dict[bool, list[float]]({True: [], False: []})
    for _ in range(ROUNDS):
        for with_it in random.sample([True, False], 2):
            with nullcontext() if with_it else off(machine):
                seconds(call, WARM)
                taken[with_it].append(seconds(call, times))
    ratios = map(lambda one, other: one / other, taken[False], taken[True])
    return statistics.median(taken[True]), statistics.median(ratios)


def main(words: list[str]) -> None:
    with Machine() as machine:
        assert aclrtSetDevice(0) == 0
        calls = {name: make(machine) for name, make in WORKLOADS.items()}
        for _ in range(FIRST):
            calls["tiny"]()
        for cache, (off, workloads) in CACHES.items():
            for workload in workloads.split(", "):
                if not words or any(word in (cache, workload) for word in words):
                    took, ratio = compared(machine, off, calls[workload])
                    print(f"{cache:18}{workload:12}{took * 1e6:8.1f} us, without it {ratio:6.2f} times", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
