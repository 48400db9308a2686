"""Launches that differ in their numbers only: evaluations are planned once, and give the bits of a new machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import byref, c_uint64
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.engine.device_view import Bound, DeviceView
from aclnn.engine.fast import launch_cache, traced_run
from aclnn.engine.fast.evaluate import Evaluation
from aclnn.engine.fast.native.library import evaluator
from tests.helpers.builders import OnDevice, on_device, run

SIZE = 1 << 18
"""elements from which a formula that reads the number of a step is traced"""
WORKSPACE = 4096
Step = Callable[[Sequence[OnDevice], float], None]


def scalar(value: float) -> Any:
    return aclCreateScalar(np.full(1, value, np.float32), ACL_FLOAT)


def tensors(parts: Sequence[OnDevice]) -> Any:
    return aclCreateTensorList([each.handle for each in parts], len(parts))


def number_in_memory(parts: Sequence[OnDevice], value: float) -> None:
    """A step of an optimiser: its number lies in memory."""
    var, m, v, grad, step, _ = parts
    at = np.full(1, value, np.float32)
    assert aclrtMemcpy(step.address, 4, at, 4, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    run(aclnnApplyAdamWV2GetWorkspaceSize, aclnnApplyAdamWV2, var, m, v, None, grad, step, 1e-3, 0.9, 0.999, 0.01, 1e-8,
        False, False)  # fmt: skip


def number_of_the_call(parts: Sequence[OnDevice], value: float) -> None:
    """A step with another learning rate."""
    var, m, v, grad, step, _ = parts
    run(aclnnApplyAdamWV2GetWorkspaceSize, aclnnApplyAdamWV2, var, m, v, None, grad, step, value, 0.9, 0.99, 0.01, 1e-8,
        False, False)  # fmt: skip


def scalar_of_the_plan(parts: Sequence[OnDevice], value: float) -> None:
    """The plan of aclnnAdd depends on alpha."""
    run(aclnnAddGetWorkspaceSize, aclnnAdd, parts[0], parts[1], scalar(value), parts[2])


def scalar_that_is_passed_on(parts: Sequence[OnDevice], value: float) -> None:
    """Plans of other operators do not."""
    run(aclnnLerpsGetWorkspaceSize, aclnnLerps, parts[0], parts[1], scalar(value), parts[2])


def scalars_of_a_list(parts: Sequence[OnDevice], value: float) -> None:
    """Each tensor has its number."""
    numbers = [scalar(value), scalar(-value)]
    run(aclnnForeachMulScalarListGetWorkspaceSize, aclnnForeachMulScalarList, tensors(parts[:2]),
        aclCreateScalarList(numbers, 2), tensors(parts[2:4]))  # fmt: skip


def a_scalar_of_no_tensor(parts: Sequence[OnDevice], value: float) -> None:
    """A step without inputs makes a tensor of the scalar, in the workspace, which is that of the step before."""
    assert aclnnAddcdiv(parts[5].address, WORKSPACE, planned(parts, value), None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS


def planned(parts: Sequence[OnDevice], value: float) -> aclOpExecutor:
    """The first phase of aclnnAddcdiv."""
    size, executor = c_uint64(), aclOpExecutor()
    given = (*(each.handle for each in parts[:3]), scalar(value), parts[3].handle)
    assert aclnnAddcdivGetWorkspaceSize(*given, byref(size), byref(executor)) == ACL_SUCCESS
    assert size.value <= WORKSPACE
    return executor


def divisors_of_a_list(parts: Sequence[OnDevice], value: float) -> None:
    numbers = [scalar(value), scalar(-value)]
    run(aclnnForeachDivScalarListGetWorkspaceSize, aclnnForeachDivScalarList, tensors(parts[:2]),
        aclCreateScalarList(numbers, 2), tensors(parts[2:4]))  # fmt: skip


def a_sum_of_squares(parts: Sequence[OnDevice], value: float) -> None:
    """The epsilon of a norm stands above its sums."""
    rows = aclCreateIntArray([SIZE], 1)
    run(aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, parts[0], rows, None, None, value, parts[2], None, None)


STEPS: tuple[Step, ...] = (
    number_in_memory, number_of_the_call, scalar_of_the_plan, scalar_that_is_passed_on, scalars_of_a_list,
    a_sum_of_squares, a_scalar_of_no_tensor, divisors_of_a_list,
)  # fmt: skip
NUMBERS = (3.0, 0.75, 1.5, 0.75, 7.0)


def made(dtype: Any) -> list[OnDevice]:
    """Four tensors above 0, a number, and a workspace."""
    rng = np.random.default_rng(0)
    others = on_device(np.ones(1, np.float32)), on_device(np.zeros(WORKSPACE, np.uint8))
    return [*(on_device(rng.uniform(0.1, 1, SIZE).astype(dtype)) for _ in range(4)), *others]


def compared_with_new_plans(step: Step, dtype: Any, numbers: Sequence[float], counts: list[int]) -> None:
    """Make the step with each number, on a machine with its caches and then on one without. The bits are equal. Each
    step begins a new count."""
    results: list[list[np.ndarray]] = []
    for anew in (False, True):
        with Machine() as machine:
            aclrtSetDevice(0)
            parts = made(dtype)
            for number in numbers:
                if anew:
                    machine.plans.clear()
                    machine.repeated.clear()
                    machine.launch_caches.clear()
                counts.append(0)
                step(parts, number)
                results.append([each.read() for each in parts[:4]])
    for one, other in zip(results[: len(numbers)], results[len(numbers) :], strict=True):
        for found, expected in zip(one, other, strict=True):
            np.testing.assert_array_equal(found.view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_nothing_is_planned_anew_in_a_loop(step: Step, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first launch plans its evaluation, and the second one an evaluation whose numbers can change. The others plan
    none. All have the bits of a machine that plans each of them anew."""
    if step is a_sum_of_squares and evaluator() is None:
        pytest.skip("without the evaluator, an intermediate with sums is planned in each trace")
    planned: list[int] = []

    class Counted(Evaluation):
        def __init__(self, targets: Any) -> None:
            planned[-1] += 1
            super().__init__(targets)

    for module in (launch_cache, traced_run):
        monkeypatch.setattr(module, "Evaluation", Counted)
    compared_with_new_plans(step, dtype, NUMBERS, planned)
    count = len(NUMBERS)
    assert planned[0] > 0
    assert planned[2:count] == [0] * (count - 2)
    assert min(planned[count:]) > 0


SHARED: tuple[Step, ...] = (scalars_of_a_list, a_scalar_of_no_tensor, divisors_of_a_list)
"""steps whose formulas only pass their scalars on to operations with tensors"""


@pytest.mark.parametrize("native", ["1", "0"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16], ids=["f32", "f16", "bf16"])
@pytest.mark.parametrize("step", SHARED, ids=lambda step: step.__name__)
def test_launches_with_other_scalars_share_a_trace(
    step: Step, dtype: Any, native: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first launch is traced with its numbers, the second one so that the others take their own. All have the bits
    of a machine that traces each of them."""
    if native == "0":
        monkeypatch.setattr("aclnn.engine.fast.evaluate.evaluator", lambda: None)
    traces: list[int] = []

    class Counted(traced_run.StepTracer):
        def __init__(self, *parts: Any, **options: Any) -> None:
            traces[-1] += 1
            super().__init__(*parts, **options)

    monkeypatch.setattr(traced_run, "StepTracer", Counted)
    numbers = (3.0, 0.75, -1.5, 0.0, -0.0, np.inf, np.nan, 0.75, 7.0)
    compared_with_new_plans(step, dtype, numbers, traces)
    count = len(numbers)
    assert traces[:count] == [1, 2] + [0] * (count - 2)
    assert min(traces[count:]) > 0


def test_a_formula_that_looks_at_its_scalar_is_traced_for_each() -> None:
    """aclnnLerps chooses its formula by the weight: from 0.5 on it starts at the other end."""
    with Machine():
        aclrtSetDevice(0)
        parts = made(np.float32)
        for number in (0.25, 0.75, 0.3, 0.9, 0.5):
            scalar_that_is_passed_on(parts, number)
            one, other, by = parts[0].read(), parts[1].read(), np.float32(number)
            by_end = one + (other - one) * by if number < 0.5 else other + (other - one) * (by - np.float32(1))
            np.testing.assert_array_equal(parts[2].read(), by_end)


def test_two_waiting_launches_have_their_own_scalars() -> None:
    """They share a trace, which takes the scalars when each of them runs."""
    with Machine():
        aclrtSetDevice(0)
        parts = made(np.float32)
        for number in (2.0, 3.0):
            a_scalar_of_no_tensor(parts, number)
        x, one, two = (each.read() for each in parts[:3])
        kept = np.empty_like(x)
        for number in (5.0, 6.0):
            assert aclnnAddcdiv(parts[5].address, WORKSPACE, planned(parts, number), None) == ACL_SUCCESS
            if number == 5.0:
                copy = kept, x.nbytes, parts[3].address, x.nbytes, ACL_MEMCPY_DEVICE_TO_HOST
                assert aclrtMemcpyAsync(*copy, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        np.testing.assert_array_equal(kept, x + np.float32(5) * (one / two))
        np.testing.assert_array_equal(parts[3].read(), x + np.float32(6) * (one / two))


@pytest.mark.parametrize("native", ["1", "0"])
def test_a_number_of_an_earlier_launch_comes_back(native: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Launches with the same scalar have a trace of their own, but share the evaluation with others."""
    if native == "0":
        monkeypatch.setattr("aclnn.engine.fast.evaluate.evaluator", lambda: None)
    with Machine():
        aclrtSetDevice(0)
        parts = made(np.float32)
        for number in (2.0, 3.0, 3.0, 5.0, 3.0, 3.0, 2.0, 5.0):
            scalar_of_the_plan(parts, number)
            expected = parts[0].read() + parts[1].read() * np.float32(number)
            np.testing.assert_array_equal(parts[2].read(), expected)


def scaled(x: Any, *, factor: np.float32) -> Any:
    return x * factor


def plus_one(x: Any) -> Any:
    return x + np.float32(1)


def copied_head(x: Any) -> Any:
    return x[:4].copy()


@traced_run.tiled(copied_head)
def head(x: Any) -> Any:
    return x[:4]


def test_an_intermediate_in_memory_has_the_number_of_its_launch() -> None:
    """A cached trace writes it before the shared evaluation has the numbers of this launch."""
    dtype = np.dtype(np.float32)
    memory = {
        1: np.ones(1 << 13, dtype),
        2: np.empty(1 << 13, dtype),
        3: np.empty(1 << 13, dtype),
        4: np.empty(4, dtype),
    }
    x, slot, out, first = (
        DeviceView(address, array.shape, dtype, (4,), write=address > 1, slot=address == 2)
        for address, array in memory.items()
    )
    with Machine() as machine:
        aclrtSetDevice(0)
        earlier = launch_cache.LaunchCache()
        caches = {number: launch_cache.LaunchCache(earlier) for number in (2.0, 3.0)}
        for number in (2.0, 3.0, 2.0, 3.0):
            steps = (
                Bound(scaled, (x,), (slot,), {"factor": np.float32(number)}, narrow=False, sized={}),
                Bound(plus_one, (slot,), (out,), {}, narrow=False, sized={}),
                Bound(head, (slot,), (first,), {}, narrow=False, sized={}),
            )
            run = traced_run.run_traced(
                steps, lambda view: memory[view.address], machine.compute_threads, caches[number]
            )
            assert run.complete
            assert caches[number].trace is not None
            assert memory[2].tolist() == [number] * (1 << 13)
            assert memory[3].tolist() == [number + 1] * (1 << 13)


def with_a_short_cut(x: Any, *, factor: Any) -> Any:
    return x + np.float32(0) if isinstance(factor, np.generic) and factor == 1 else x * factor


def test_a_shared_cache_has_no_trace_of_one_scalar() -> None:
    """Its launches may wait with different scalars while their memory moves, and a formula may have another form."""
    x, out = (DeviceView(address, (1 << 13,), np.dtype(np.float32), (4,), write=address > 1) for address in (1, 2))

    def run_with(cache: launch_cache.LaunchCache, memory: dict[int, np.ndarray], factor: float) -> float:
        step = Bound(with_a_short_cut, (x,), (out,), {"factor": np.float32(factor)}, False, {}, passed=("factor",))
        run = traced_run.run_traced([step], lambda view: memory[view.address], machine.compute_threads, cache)
        assert run.complete
        return float(memory[2][-1])

    with Machine() as machine:
        aclrtSetDevice(0)
        memory, moved = ({1: np.ones(1 << 13, np.float32), 2: np.empty(1 << 13, np.float32)} for _ in range(2))
        first = launch_cache.LaunchCache()
        assert run_with(first, memory, 2) == 2
        shared = first.for_other_scalars()
        assert [run_with(shared, memory, factor) for factor in (3, 4)] == [3, 4]
        assert shared.for_other_scalars() is shared
        assert [run_with(shared, moved, factor) for factor in (1, 5, 1, 6)] == [1, 5, 1, 6]
