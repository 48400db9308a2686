"""Steps that only call the evaluator: a second run on the same memory makes the same calls without the kernel."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from unittest.mock import Mock
from weakref import ref

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.engine import run as running
from aclnn.engine.device_view import Bound
from aclnn.engine.fast import copied
from aclnn.engine.fast.native import library as native
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native.recording import Call, recorded
from aclnn.engine.fast.repetition import Repetition, repeat
from tests.helpers.builders import OnDevice, on_device, run

ROWS, COLUMNS = 64, 1024
FORMATS = {1: ACL_FORMAT_ND, 2: ACL_FORMAT_ND, 3: ACL_FORMAT_ND, 4: ACL_FORMAT_NCHW}
RNG = np.random.default_rng(7)


def x() -> np.ndarray:
    return RNG.standard_normal((ROWS, COLUMNS), np.float32)


def rows() -> np.ndarray:
    return RNG.integers(0, ROWS, ROWS)


def places() -> np.ndarray:
    return RNG.integers(0, COLUMNS, (ROWS, COLUMNS))


def added(x: np.ndarray, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    out = x.copy()
    for row in range(ROWS):
        for at, value in zip(index[row], src[row], strict=True):
            out[row, at] += value
    return out


def replaced(x: np.ndarray, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    out = x.copy()
    np.put_along_axis(out, index, src, 1)
    return out


def images() -> np.ndarray:
    """Small whole numbers, whose sums and products are exact."""
    return RNG.integers(-4, 5, (4, 16, 32, 32)).astype(np.float32)


def weights() -> np.ndarray:
    return RNG.integers(-4, 5, (16, 16, 1, 1)).astype(np.float32)


def matrix() -> np.ndarray:
    return RNG.integers(-4, 5, (128, 128)).astype(np.float32)


def ints(*values: int) -> Any:
    return aclCreateIntArray(list(values), len(values))


def run_convolution(x: OnDevice, weight: OnDevice, out: OnDevice) -> None:
    slide = [ints(1, 1), ints(0, 0), ints(1, 1), False, ints(0, 0), 1]
    run(aclnnConvolutionGetWorkspaceSize, aclnnConvolution, x, weight, None, *slide, out, 0)


def run_pad(x: OnDevice, out: OnDevice) -> None:
    value = aclCreateScalar(np.full(1, 3, np.float32), ACL_FLOAT)
    run(aclnnConstantPadNdGetWorkspaceSize, aclnnConstantPadNd, x, ints(1, 2, 0, 1), value, out)


def tensors(*parts: OnDevice) -> Any:
    return aclCreateTensorList([each.handle for each in parts], len(parts))


CALLS: dict[str, tuple[Callable[[], list[np.ndarray]], Callable[..., None], Callable[..., np.ndarray]]] = {
    "select": (
        lambda: [x(), rows()],
        lambda x, index, out: run(aclnnIndexSelectGetWorkspaceSize, aclnnIndexSelect, x, 0, index, out),
        lambda x, index: x[index],
    ),
    "gather": (
        lambda: [x(), places()],
        lambda x, index, out: run(aclnnGatherGetWorkspaceSize, aclnnGather, x, 1, index, out),
        lambda x, index: np.take_along_axis(x, index, 1),
    ),
    "scatter": (
        lambda: [x(), places(), x()],
        lambda x, index, src, out: run(aclnnScatterGetWorkspaceSize, aclnnScatter, x, 1, index, src, 0, out),
        replaced,
    ),
    "scatter add": (
        lambda: [x(), places(), x()],
        lambda x, index, src, out: run(aclnnScatterAddGetWorkspaceSize, aclnnScatterAdd, x, 1, index, src, out),
        added,
    ),
    "cat": (
        lambda: [x(), x()],
        lambda one, other, out: run(aclnnCatGetWorkspaceSize, aclnnCat, tensors(one, other), 1, out),
        lambda one, other: np.concatenate([one, other], 1),
    ),
    "stack": (
        lambda: [x(), x()],
        lambda one, other, out: run(aclnnStackGetWorkspaceSize, aclnnStack, tensors(one, other), 1, out),
        lambda one, other: np.stack([one, other], 1),
    ),
    "repeat": (
        lambda: [x()],
        lambda x, out: run(aclnnRepeatGetWorkspaceSize, aclnnRepeat, x, ints(2, 2), out),
        lambda x: np.tile(x, (2, 2)),
    ),
    "pad": (lambda: [x()], run_pad, lambda x: np.pad(x, ((0, 1), (1, 2)), constant_values=3)),
    "average": (
        lambda: [images()],
        lambda x, out: run(aclnnAdaptiveAvgPool2dGetWorkspaceSize, aclnnAdaptiveAvgPool2d, x, ints(4, 4), out),
        lambda x: x.reshape(4, 16, 4, 8, 4, 8).mean((3, 5), np.float64).astype(np.float32),
    ),
    "nearest": (
        lambda: [images()],
        lambda x, out: run(aclnnUpsampleNearest2dGetWorkspaceSize, aclnnUpsampleNearest2d, x, ints(64, 64), out),
        lambda x: x.repeat(2, 2).repeat(2, 3),
    ),
    "convolution": (
        lambda: [images(), weights()],
        run_convolution,
        lambda x, weight: np.einsum("nihw,oi->nohw", x, weight[:, :, 0, 0]),
    ),
    "running sum": (
        lambda: [matrix()],
        lambda x, out: run(aclnnCumsumGetWorkspaceSize, aclnnCumsum, x, 1, ACL_FLOAT, out),
        lambda x: x.cumsum(1),
    ),
    "product": (
        lambda: [matrix(), matrix()],
        lambda one, other, out: run(aclnnMatmulGetWorkspaceSize, aclnnMatmul, one, other, out, 0),
        lambda one, other: one @ other,
    ),
}  # fmt: skip
every_call = pytest.mark.parametrize("name", CALLS)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that ran to record their calls."""
    found: list[str] = []
    run_recorded = running.run_recorded

    def spied(step: Bound, *rest: Any) -> None:
        found.append(step.kernel.__name__)
        run_recorded(step, *rest)

    monkeypatch.setattr(running, "run_recorded", spied)
    return found


def put(tensor: OnDevice, values: np.ndarray) -> None:
    assert aclrtMemcpy(tensor.address, values.nbytes, values, values.nbytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS


def check_runs(name: str, count: int = 3) -> list[OnDevice]:
    """Runs on the same memory with other values. Returns the tensors."""
    made, call, expected = CALLS[name]
    inputs = made()
    on = [on_device(each, format=FORMATS[each.ndim]) for each in inputs]
    outcome = expected(*inputs)
    out = on_device(np.zeros_like(outcome), format=FORMATS[outcome.ndim])
    for _ in range(count):
        inputs = made()
        for tensor, values in zip(on, inputs, strict=True):
            put(tensor, values)
        call(*on, out)
        np.testing.assert_array_equal(out.read(), expected(*inputs))
    return [*on, out]


@pytest.mark.skipif(evaluator() is None, reason="the compiled evaluator is not installed")
@every_call
def test_a_second_run_makes_the_calls_again_without_the_kernel(name: str, kernels: list[str], machine: Machine) -> None:
    check_runs(name)
    assert len(kernels) == 1


@every_call
def test_numpy_runs_the_kernel_each_time(
    name: str, kernels: list[str], monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:  # fmt: skip
    for module in ("positions", "copying", "blending", "products", "accumulation"):
        monkeypatch.setattr(f"aclnn.engine.fast.{module}.evaluator", lambda: None)
    check_runs(name)
    assert len(kernels) == 3


@every_call
def test_the_kernel_runs_again_if_the_arrays_over_memory_are_new(
    name: str, kernels: list[str], monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:  # fmt: skip
    tensors = check_runs(name, 2)
    before = len(kernels)
    _, call, expected = CALLS[name]
    for tensor in tensors:
        allocation = machine.devices[0].memory.holding(tensor.address)
        assert allocation is not None
        allocation.views.clear()
    call(*tensors)
    np.testing.assert_array_equal(tensors[-1].read(), expected(*(each.read() for each in tensors[:-1])))
    assert len(kernels) == before + 1


def test_the_kernel_runs_if_the_memory_is_gone() -> None:
    """Neither the array nor the memory of the first run exists any more."""
    gone, calls = np.zeros(4), Mock()
    earlier = Repetition([(Mock(find=Mock(return_value=None)), ref(gone))], [calls])
    step = Mock(repetition=earlier)
    del gone
    assert not repeat(step, Mock(), nullcontext(), Mock())
    assert step.repetition is None
    calls.make.assert_not_called()


@pytest.mark.skipif(evaluator() is None, reason="the compiled evaluator is not installed")
def test_a_kernel_that_copies_an_operand_runs_each_time(kernels: list[str], machine: Machine) -> None:
    """The output is the memory of the indices."""
    machine.allow("alias-overlap", reason="the operator reads its indices first")
    rng = np.random.default_rng(3)
    for _ in range(2):
        x, index = rng.integers(0, 9, (ROWS, COLUMNS)), rng.integers(0, COLUMNS, (ROWS, COLUMNS))
        if not kernels:
            on_x, on_index = on_device(x), on_device(index)
        put(on_x, x)
        put(on_index, index)
        run(aclnnGatherGetWorkspaceSize, aclnnGather, on_x, 1, on_index, on_index)
        np.testing.assert_array_equal(on_index.read(), np.take_along_axis(x, index, 1))
    assert len(kernels) == 2


def test_positions_are_checked_in_each_run() -> None:
    with Machine(on_undefined="report") as machine:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        x_, index = x(), rows()
        on_x, on_index, out = on_device(x_), on_device(index), on_device(np.zeros_like(x_))
        run(aclnnIndexSelectGetWorkspaceSize, aclnnIndexSelect, on_x, 0, on_index, out)
        index[5] = ROWS
        put(on_index, index)
        with pytest.raises(AssertionError, match="507035"):
            run(aclnnIndexSelectGetWorkspaceSize, aclnnIndexSelect, on_x, 0, on_index, out)
        index[5] = 0
        expected = x_[index]
        expected[5] = 0
        np.testing.assert_array_equal(out.read(), expected)
        machine.findings.clear()


def test_calls_with_temporary_memory_are_not_kept() -> None:
    source, target = np.arange(1 << 16, dtype=np.float32), np.zeros(1 << 16, np.float32)
    if evaluator() is None:
        pytest.skip("the compiled evaluator is not installed")
    with Machine():
        assert len(recorded(lambda: copied(source, target), [source, target])) == 1
        assert not recorded(lambda: copied(source + 1, target), [source, target])
        assert not recorded(lambda: (copied(source, target), copied(source[:9], target[:9])), [source, target])
    np.testing.assert_array_equal(target, source)


def test_a_call_keeps_its_tables_and_no_other_memory() -> None:
    if evaluator() is None:
        pytest.skip("the compiled evaluator is not installed")
    target, four = np.zeros((4, 1 << 15), np.float32), np.full((1, 1), 4, np.float32)
    with Machine():
        calls = recorded(lambda: copied(four, target, keeps_source=True), [target])
        assert calls[0].tables[0] is four
        assert not recorded(lambda: copied(four, target), [target])
        target[...] = 0
        calls[0].make()
    assert (target == 4).all()


def test_addresses_in_nested_structures_are_found() -> None:
    x, out, weights = (np.zeros(8, np.float32) for _ in range(3))
    passes = (native.BlendPass * native.BLENDED)(native.BlendPass(weights=weights.ctypes.data))
    call = Call(Mock(return_value=0), native.Blend(source=x.ctypes.data, to=out.ctypes.data, passes=passes))
    assert not call.uses_only([x, out])
    assert call.uses_only([x, out, weights])
    assert call._replace(tables=[weights]).uses_only([x, out])
