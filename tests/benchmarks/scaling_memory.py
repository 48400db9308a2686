"""The host memory of objects, for `tests.benchmarks.scaling`. Each case is measured in a process of its own.

python -m tests.benchmarks.scaling_memory NAME          prints bytes for each object, or for each round of a loop
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from acl_runtime import (
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    aclrtDestroyEvent,
    aclrtDestroyStream,
    aclrtFree,
    aclrtMemcpyAsync,
    aclrtMemset,
    aclrtRecordEvent,
    aclrtSynchronizeStream,
)
from tests.benchmarks.peak import resident
from tests.benchmarks.scaling_cases import board, event, new, pair, stream, tensor

ROOT = Path(__file__).resolve().parent.parent.parent
OBJECTS = 50_000
KEPT = 10_000
"""calls, tasks and dead objects that a machine remembers"""
ROUNDS = 50_000
WARM = 12_000
Case = Callable[[], float]


def _each(make: Callable[[], object], count: int = OBJECTS) -> float:
    with board():
        kept = [make() for _ in range(KEPT)]  # the calls of these fill the history
        gc.collect()
        before = resident("VmRSS")
        kept += [make() for _ in range(count)]
        gc.collect()
        return (resident("VmRSS") - before) / count


def allocation() -> float:
    """an allocation, besides its bytes (here 1)."""
    return _each(lambda: new(1))


def one_tensor() -> float:
    """a tensor."""
    return _each(lambda: tensor(None))


def one_event() -> float:
    """an event."""
    return _each(event)


def one_stream() -> float:
    """a stream."""
    return _each(stream, 10_000)


def call() -> float:
    """a call that is kept (aclrtMemset)."""
    with board():
        memory = new()
        aclrtMemset(memory, 8, 0, 8)
        gc.collect()
        before = resident("VmRSS")
        for _ in range(KEPT):
            aclrtMemset(memory, 8, 0, 8)
        gc.collect()
        return (resident("VmRSS") - before) / KEPT


def _left(once: Callable[[], object]) -> float:
    for _ in range(WARM):
        once()
    gc.collect()
    before = resident("VmRSS")
    for _ in range(ROUNDS):
        once()
    gc.collect()
    return (resident("VmRSS") - before) / ROUNDS


def launches() -> float:
    """left behind by a round of: allocate, launch, synchronise, free (after 12,000)."""
    with board():
        launch = pair()

        def once() -> None:
            memory = new()
            launch()
            aclrtFree(memory)

        return _left(once)


def hand_overs() -> float:
    """left behind by a round of: a new stream, a copy, a new event recorded, synchronise, both destroyed."""
    with board():
        source, target = new(), new()
        aclrtMemset(source, 8, 1, 8)

        def once() -> None:
            where, made = stream(), event()
            aclrtMemcpyAsync(target, 8, source, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, where)
            aclrtRecordEvent(made, where)
            aclrtSynchronizeStream(where)
            aclrtDestroyEvent(made)
            aclrtDestroyStream(where)

        return _left(once)


MEMORY: tuple[Case, ...] = (allocation, one_tensor, one_event, one_stream, call, launches, hand_overs)


def in_a_process(case: Case) -> float:
    """The result of a case in a fresh process, which has used no memory before."""
    command = [sys.executable, "-m", "tests.benchmarks.scaling_memory", case.__name__]
    return float(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


if __name__ == "__main__":
    print(next(case for case in MEMORY if case.__name__ == sys.argv[1])())
