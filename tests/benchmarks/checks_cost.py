"""What the checks cost: a two-phase call and its synchronise with everything on as shipped (findings, races, the last
calls), over the same with everything off (`Machine(checks=False)`), interleaved in one run.

    python -m tests.benchmarks.checks_cost

At most twice as much is the goal.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

from acl_runtime import Machine, aclrtSetDevice, aclrtSynchronizeStream
from aclnn import (
    aclnnBatchNormReduceBackward,
    aclnnBatchNormReduceBackwardGetWorkspaceSize,
    aclnnPreluBackward,
    aclnnPreluBackwardGetWorkspaceSize,
    aclnnSoftmaxBackward,
    aclnnSoftmaxBackwardGetWorkspaceSize,
)
from tests.builders import OnDevice, malloc, on_device, plan

MOST = 2.0
ROUNDS, CALLS = 30, 40


def tensors(*shapes: tuple[int, ...]) -> list[OnDevice]:
    return [on_device(np.ones(shape, np.float32)) for shape in shapes]


def softmax() -> tuple:
    return aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, [*tensors((4, 2), (4, 2)), 1, *tensors((4, 2))]


def prelu() -> tuple:
    arguments = tensors((2, 3), (2, 3), (3,), (2, 3), (3,))
    return aclnnPreluBackwardGetWorkspaceSize, aclnnPreluBackward, arguments


def batch_norm() -> tuple:
    arguments = [*tensors((4, 2), (4, 2), (2,), (2,), (2,)), True, True, True, *tensors((2,), (2,), (2,), (2,))]
    return aclnnBatchNormReduceBackwardGetWorkspaceSize, aclnnBatchNormReduceBackward, arguments


def prepared(make: object) -> tuple:
    first, second, arguments = make()  # type: ignore[operator]
    planned = plan(first, *arguments)
    assert planned.status == 0, planned.text
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    assert second(workspace, planned.workspace_size, planned.executor, None) == aclrtSynchronizeStream(None) == 0
    return first, second, arguments, workspace


def seconds(call: tuple) -> float:
    """The time of one call, planned, launched and waited for."""
    first, second, arguments, workspace = call
    begin = time.perf_counter()
    for _ in range(CALLS):
        planned = plan(first, *arguments)
        second(workspace, planned.workspace_size, planned.executor, None)
        aclrtSynchronizeStream(None)
    return (time.perf_counter() - begin) / CALLS


def ratio(make: object) -> tuple[float, float, float]:
    """Medians with and without checks, and their ratio."""
    on: list[float] = []
    off: list[float] = []
    machines: list[tuple[bool, list[float]]] = [(True, on), (False, off)]
    for _ in range(ROUNDS):
        for checks, times in machines[:: -1 if len(on) % 2 else 1]:
            with Machine(checks=checks):
                aclrtSetDevice(0)
                times.append(seconds(prepared(make)))
    return statistics.median(on), statistics.median(off), statistics.median(on) / statistics.median(off)


if __name__ == "__main__":
    worst = 0.0
    for make in (softmax, prelu, batch_norm):
        on, off, factor = ratio(make)
        print(f"{make.__name__}: {on * 1e6:.0f} us with, {off * 1e6:.0f} us without checks: {factor:.2f}")
        worst = max(worst, factor)
    sys.exit(f"checks cost {worst:.2f} times as much, more than {MOST}" if worst > MOST else 0)
