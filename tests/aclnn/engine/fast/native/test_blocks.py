"""Arrays of the program never get the values of an operator by accident (ours). So a test whose copy to the host is
forgotten fails."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from ctypes import c_void_p
from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from aclnn import (
    aclnnExp,
    aclnnExpGetWorkspaceSize,
    aclnnMatmul,
    aclnnMatmulGetWorkspaceSize,
    aclnnSoftmax,
    aclnnSoftmaxGetWorkspaceSize,
)
from aclnn.engine import second_phase
from aclnn.engine.fast.native.blocks import keep_blocks_apart, overwriting
from aclnn.engine.fast.native.library import evaluator
from tests.helpers.builders import OnDevice, on_device, run
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import ok

pytestmark = pytest.mark.skipif(evaluator() is None, reason="without the evaluator numpy keeps the blocks of tasks")
SIZES = 2, 3, 16, 75, 225, 255
"""numbers of floats; numpy keeps blocks below 1 KiB"""


def draw(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).uniform(1, 2, shape).astype(np.float32)


def exp(x: OnDevice, out: OnDevice) -> None:
    run(aclnnExpGetWorkspaceSize, aclnnExp, x, out)


def softmax(x: OnDevice, out: OnDevice) -> None:
    run(aclnnSoftmaxGetWorkspaceSize, aclnnSoftmax, x, 0, out)


def matmul(x: OnDevice, out: OnDevice) -> None:
    run(aclnnMatmulGetWorkspaceSize, aclnnMatmul, on_device(draw(3, 1, 1)), x, out, 0)


def kernel_of_the_users(x: OnDevice, out: OnDevice) -> None:
    @aclnn.kernel("aclnnExp")
    def exponential(self: Any) -> Any:
        return np.exp(self) + 0

    exp(x, out)


def exp_by_name(x: OnDevice, out: OnDevice) -> None:
    desc = aclCreateTensorDesc(ACL_FLOAT, 2, list(x.shape), ACL_FORMAT_ND)
    buffers = [aclCreateDataBuffer(c_void_p(each.address), each.storage.nbytes) for each in (x, out)]
    attr = aclopCreateAttr()
    ok(aclopCompileAndExecute("Exp", 1, [desc], buffers[:1], 1, [desc], buffers[1:], attr, 0, 0, None, None))
    ok(aclrtSynchronizeStream(None))
    aclopDestroyAttr(attr)
    aclDestroyTensorDesc(desc)
    for buffer in buffers:
        ok(aclDestroyDataBuffer(buffer))


Operator = Callable[[OnDevice, OnDevice], None]
OPERATORS: tuple[Operator, ...] = exp, softmax, matmul, kernel_of_the_users, exp_by_name


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_forgotten_copy_to_the_host_is_no_right_answer(operator: Operator, schedule: str) -> None:
    for count in SIZES:
        with board(schedule):
            x, out = (on_device(draw(seed, 1, count)) for seed in (1, 2))
            operator(x, out)
            forgotten: Any = np.empty(out.shape, np.float32)
            result = out.read()
        assert not np.array_equal(forgotten, result), count


@pytest.mark.parametrize("operator", OPERATORS)
def test_it_is_no_right_answer_without_the_evaluator(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ACL_EMULATOR_NATIVE=0` (ours)."""
    monkeypatch.setattr(second_phase, "leaving_no_values", overwriting)
    monkeypatch.setattr(second_phase, "keep_blocks_apart", bool)
    test_a_forgotten_copy_to_the_host_is_no_right_answer(operator, "late")


def test_blocks_of_tasks_lose_their_values_and_stay_apart() -> None:
    """numpy's own blocks go from array to array with their values: else this test would show nothing."""

    def addresses(count: int, value: float) -> list[int]:
        arrays = [np.full(count, value) for _ in range(4)]
        return [each.__array_interface__["data"][0] for each in arrays]

    tasks = contextvars.copy_context()
    tasks.run(keep_blocks_apart)
    for count in (1, 5, 100, 127):
        tasks.run(addresses, count, 5.0)
        assert not any(5.0 in np.empty(count).tolist() for _ in range(8))
        own = addresses(count, 7.0)
        left: Any = np.empty(count)
        assert left.__array_interface__["data"][0] in own
        assert left.tolist() == [7.0] * count


def test_arrays_of_tasks_grow_and_outlive_them() -> None:
    def arrays() -> list[Any]:
        grown = np.arange(3)
        grown.resize(300, refcheck=False)
        return [
            grown,
            np.zeros(5),
            np.empty(0),
            np.arange(1000),
            np.fromiter(range(400), np.int64),
            np.zeros(9)[::-2].argsort(),
        ]

    tasks = contextvars.copy_context()
    tasks.run(keep_blocks_apart)
    grown, zeros, empty, large, counted, order = tasks.run(arrays)
    assert (grown[:3].tolist(), grown[3:].any(), zeros.tolist(), empty.size) == ([0, 1, 2], False, [0] * 5, 0)
    assert np.array_equal(large[:400], counted)
    assert order.tolist() == list(range(5))
