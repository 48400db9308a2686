"""Calls that are alike share what their first phases and launches decide; nothing of that may be seen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_RUNTIME_ERROR
from aclnn import *
from aclnn.engine.plan import Plan
from aclnn.op import FLOATS, Op, Planning, Products, Series, TensorIn, TensorOut, planned
from tests.helpers.builders import OnDevice, acl_type, malloc, meta, on_device, plan, run

RANDOM = np.random.default_rng(5)


def tensor(shape: tuple[int, ...] = (4, 2)) -> OnDevice:
    return on_device(RANDOM.normal(size=shape).astype(np.float32))


def gradient(g: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
    return (g - (g * y).sum(axis, keepdims=True)) * y


def softmax(grad: OnDevice, output: OnDevice, out: OnDevice, dim: int = 1, stream: object = None) -> None:
    """Both phases, no synchronise."""
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, dim, out)
    assert planned.status == ACL_SUCCESS, planned.text
    assert aclnnSoftmaxBackward(None, 0, planned.executor, stream) == ACL_SUCCESS


def at(address: int, shape: tuple[int, ...] = (4, 2)) -> aclTensor:
    return aclCreateTensor(list(shape), len(shape), ACL_FLOAT, None, 0, ACL_FORMAT_ND, list(shape), len(shape), address)


@pytest.mark.parametrize("same", [True, False], ids=["the same tensors", "others"])
def test_each_call_has_its_own_values(machine: Machine, same: bool) -> None:
    tensors = [tensor() for _ in range(3)]
    for _ in range(4):
        grad, output, out = tensors = tensors if same else [tensor() for _ in range(3)]
        softmax(grad, output, out)
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        np.testing.assert_allclose(out.read(), gradient(grad.read(), output.read(), 1), rtol=1e-5, atol=1e-6)


def test_one_tensor_in_several_places_is_another_call(machine: Machine) -> None:
    """Their shapes are those of the call before, but it is one tensor, and in place."""
    grad, output, out = (tensor() for _ in range(3))
    softmax(grad, output, out)
    wanted = gradient(grad.read(), output.read(), 1)
    softmax(grad, output, grad)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    np.testing.assert_allclose(grad.read(), wanted, rtol=1e-5, atol=1e-6)
    twice = gradient(output.read(), output.read(), 1)
    softmax(output, output, out)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    np.testing.assert_allclose(out.read(), twice, rtol=1e-5, atol=1e-6)


def test_another_attribute_or_shape_is_another_call(machine: Machine) -> None:
    for shape, dim in [((2, 2), 0), ((2, 2), 1), ((2, 2), -2), ((2, 3), 1), ((3, 2), 1), ((2, 2), 1)]:
        grad, output, out = (tensor(shape) for _ in range(3))
        softmax(grad, output, out, dim)
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        np.testing.assert_allclose(out.read(), gradient(grad.read(), output.read(), dim), rtol=1e-5, atol=1e-6)


def test_scalars_and_arrays_count_by_content(machine: Machine) -> None:
    """Programs make them anew for each call. Arrays of the same content share a plan. So do all scalars that the plan
    only passes on."""
    x = on_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    doubled, summed = on_device(np.zeros((2, 3), np.float32)), on_device(np.zeros(3, np.float32))
    plans: list[int] = []
    for factor, dim in ((2, 0), (2, 0), (3, 0), (2, -2)):
        run(aclnnMulsGetWorkspaceSize, aclnnMuls, x, aclCreateScalar(np.float32(factor), ACL_FLOAT), doubled)
        run(aclnnReduceSumGetWorkspaceSize, aclnnReduceSum, x, aclCreateIntArray([dim], 1), False, ACL_FLOAT, summed)
        np.testing.assert_array_equal(doubled.read(), x.read() * factor)
        np.testing.assert_array_equal(summed.read(), x.read().sum(0))
        plans.append(len(machine.plans))
    assert plans == [2, 2, 2, 3]


@pytest.mark.parametrize(
    ("count", "dtype"), [(6, np.float32), (1 << 14, np.float32), (1 << 19, np.float64)],
    ids=["small", "in tiles", "in parts"],
)  # fmt: skip
def test_launches_that_wait_have_their_own_scalars(machine: Machine, count: int, dtype: Any) -> None:
    """They share a plan and all addresses."""
    x = on_device(np.ones(count, dtype))
    for _ in range(2):
        for factor in (3, 0.5, 5):
            scalar = aclCreateScalar(dtype(factor), acl_type(dtype))
            planned = plan(aclnnInplaceMulsGetWorkspaceSize, x, scalar)
            assert aclnnInplaceMuls(None, 0, planned.executor, None) == ACL_SUCCESS
            assert aclDestroyScalar(scalar) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert len(machine.plans) == 1
    np.testing.assert_array_equal(x.read(), np.full(count, 7.5**2, dtype))


def test_a_plan_that_looks_at_a_scalar_is_for_its_value(machine: Machine) -> None:
    """aclnnAdd multiplies by alpha in a step of its own, but not by 1."""
    x, y, out = (on_device(np.arange(6, dtype=np.float32)) for _ in range(3))
    for alpha in (1, 2, 3, 2, 1):
        run(aclnnAddGetWorkspaceSize, aclnnAdd, x, y, aclCreateScalar(np.float32(alpha), ACL_FLOAT), out)
        np.testing.assert_array_equal(out.read(), np.arange(6) * (1 + alpha))
    assert len(machine.plans) == 3


def test_a_null_scalar_is_not_a_scalar_of_a_type(machine: Machine) -> None:
    """The number of ACL_FLOAT is 0, as that of a null handle."""
    x, out = on_device(np.array([-5, 0, 5], np.float32)), on_device(np.zeros(3, np.float32))
    limit = {value: aclCreateScalar(np.float32(value), ACL_FLOAT) for value in (-1, 1)}
    for low, high, wanted in (
        (limit[-1], limit[1], [-1, 0, 1]), (None, limit[1], [-5, 0, 1]), (limit[-1], None, [-1, 0, 5]),
    ):  # fmt: skip
        run(aclnnClampGetWorkspaceSize, aclnnClamp, x, low, high, out)
        assert out.read().tolist() == wanted


def test_lists_of_other_scalars_share_a_plan(machine: Machine) -> None:
    x, out = (on_device(np.ones(4, np.float32)) for _ in range(2))
    given, found = (aclCreateTensorList([each.handle], 1) for each in (x, out))
    for factor in (2, -0.0, 0.0, np.nan):
        numbers = aclCreateScalarList([aclCreateScalar(np.float32(factor), ACL_FLOAT)], 1)
        run(aclnnForeachMulScalarListGetWorkspaceSize, aclnnForeachMulScalarList, given, numbers, found)
        np.testing.assert_array_equal(out.read(), np.full(4, factor, np.float32))
        assert np.signbit(out.read()).all() == np.signbit(factor)
    assert len(machine.plans) == 1


def test_a_list_of_small_tensors_does_not_use_the_fast_engine(machine: Machine) -> None:
    """One of them is large enough for it; the mean of the steps decides."""
    tensors = [on_device(np.ones(size, np.float32)) for size in (1 << 13, 4, 4)]
    one = [on_device(np.ones(1 << 13, np.float32))]
    large: list[bool] = []
    for members in (tensors, one):
        handles = aclCreateTensorList([each.handle for each in members], len(members))
        run(aclnnForeachSqrtGetWorkspaceSize, aclnnForeachSqrt, handles, handles)
        large.append([each.suits_fast_engine for each in machine.plans.values() if isinstance(each, Plan)][-1])
    assert large == [False, True]


def test_a_tensor_that_was_set_anew_is_another_one(machine: Machine) -> None:
    """Its handle is the same, and so are those of the others."""
    grad, output, out = tensors = [tensor((4, 2)) for _ in range(3)]
    for shape in ((4, 2), (2, 4), (2, 4), (8, 1), (4, 2)):
        for each in tensors:
            assert (
                aclInitTensor(each.handle, list(shape), 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, list(shape), 2, None) == 0
            )
        softmax(grad, output, out)
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        wanted = gradient(grad.read().reshape(shape), output.read().reshape(shape), 1)
        np.testing.assert_allclose(out.read().reshape(shape), wanted, rtol=1e-5, atol=1e-6)


def test_a_handle_that_died_is_not_the_one_of_the_call_before(machine: Machine) -> None:
    grad, output, out = (tensor() for _ in range(3))
    for _ in range(3):
        softmax(grad, output, out)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert aclDestroyTensor(output.handle) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour, match="dead-handle"):
        plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, out)


def test_a_call_that_is_repeated_still_needs_its_pointers_and_a_context(machine: Machine) -> None:
    grad, output, out = (tensor() for _ in range(3))
    for _ in range(2):
        softmax(grad, output, out)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    size, executor = c_uint64(), aclOpExecutor()
    call = aclnnSoftmaxBackwardGetWorkspaceSize
    given = grad.handle, output.handle, 1, out.handle
    assert call(*given, None, byref(executor)) == call(*given, byref(size), None) == ACLNN_ERR_PARAM_NULLPTR
    with ThreadPoolExecutor(1) as pool:  # a new thread inherits no context
        assert pool.submit(call, *given, byref(size), byref(executor)).result() == ACLNN_ERR_RUNTIME_ERROR
    assert not executor


@pytest.mark.fidelity("the operator cache of the library")
def test_a_first_phase_that_is_repeated_answers_as_the_first_one(machine: Machine) -> None:
    """As with ACLNN_CACHE_LIMIT=0: the executor of a hit in the cache cannot be made repeatable, this one can.
    A refused call is refused each time, in the same words."""
    grad, output, out = (tensor() for _ in range(3))
    for _ in range(3):
        softmax(grad, output, out)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, out)
    assert aclSetAclOpExecutorRepeatable(planned.executor) == ACL_SUCCESS
    for _ in range(2):
        assert aclnnSoftmaxBackward(None, 0, planned.executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == aclDestroyAclOpExecutor(planned.executor) == ACL_SUCCESS
    refused = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 2, out)
    assert refused.status == ACLNN_ERR_PARAM_INVALID
    again = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 2, out)
    assert again.text.partition(" AclNN")[2] == refused.text.partition(" AclNN")[2] != ""


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")  # numpy 2.5: which formulas may do still
def test_each_launch_has_arrays_of_its_own(machine: Machine) -> None:
    """A formula may give its arrays another shape; the next launch on the same memory sees none of that."""

    class Flat(Op):
        header = "mine/aclnn_flat.h"
        series = (Series.A2,)
        elsewhere = Products.NOTICED_BY_PLAN
        x = TensorIn(FLOATS, doc="input")
        y = TensorOut(FLOATS, doc="output")

    def flat(x: np.ndarray) -> np.ndarray:
        shapes.append(x.shape)
        x.shape = (x.size,)
        return x.reshape(4, 2)

    @planned(Flat)
    def through_one_dimension(p: Planning) -> None:
        """y = x, by way of one dimension"""
        p.store("y", p.step(flat, [p.read("x")], p.shape("y"), p.dtype("y")))

    shapes: list[tuple[int, ...]] = []
    first, second = through_one_dimension.pairs["aclnnFlat"]
    given, out = tensor(), tensor()
    for _ in range(3):
        run(first, second, given, out)
    assert shapes == [(4, 2)] * 3


def test_a_zero_with_a_sign_is_another_value(machine: Machine) -> None:
    """Labels and weights of a float attribute are distinguished by their bits, not by `==`."""
    grad, log, out = on_device(np.float32(1)), tensor((3, 2)), tensor((3, 2))
    target = on_device(np.zeros(3, np.int64))
    for smoothing in (0.0, -0.0, 0.0):
        run(
            aclnnCrossEntropyLossGradGetWorkspaceSize, aclnnCrossEntropyLossGrad, grad, log, target, None, None, None,
            "mean", -100, smoothing, 0.0, out,
        )  # fmt: skip
    refused = plan(
        aclnnCrossEntropyLossGradGetWorkspaceSize, grad, log, target, None, None, None, "mean", -100, 0.5, 0.0, out
    )
    assert refused.status != ACL_SUCCESS


def test_a_zero_with_a_sign_in_place_of_nan(machine: Machine) -> None:
    """The value that replaces NaN keeps its sign, call after call."""
    given, out = on_device(np.full(4, np.nan, np.float32)), tensor((4,))
    for zero in (0.0, -0.0, 0.0, -0.0):
        run(aclnnNanToNumGetWorkspaceSize, aclnnNanToNum, given, zero, 1.0, 1.0, out)
        assert np.signbit(out.read()).tolist() == [bool(np.signbit(zero))] * 4


@pytest.mark.parametrize("first", [0, 1])
def test_one_tensor_twice_is_made_contiguous_once(machine: Machine, first: int) -> None:
    """Two strided inputs need two copies in the workspace, one that is both needs one: whichever call came first."""
    a, b = (on_device(np.ones((4, 2), np.float32), strides=(1, 4)) for _ in range(2))
    calls = [(a, b), (a, a)]
    sizes = {}
    for at in (first, 1 - first, first, 1 - first):
        grad, output = calls[at]
        sizes[at] = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, tensor()).workspace_size
    assert sizes[0] == 2 * sizes[1] > 0


def test_memory_that_went_away_since_is_found(machine: Machine) -> None:
    grad, output, out = (tensor() for _ in range(3))
    for _ in range(2):
        softmax(grad, output, out)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert aclrtFree(output.address) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour, match="data-freed-under-tensor"):
        softmax(grad, output, out)


def test_a_tensor_that_went_away_since_is_found(machine: Machine) -> None:
    grad, output, out = (tensor() for _ in range(3))
    for _ in range(2):
        softmax(grad, output, out)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 1, out)
    assert aclDestroyTensor(output.handle) == ACL_SUCCESS
    with pytest.raises(UndefinedBehaviour, match="tensor-destroyed-early"):
        aclnnSoftmaxBackward(None, 0, planned.executor, None)


def test_what_is_told_once_for_a_tensor_is_told_for_the_next(machine: Machine) -> None:
    """Not for the address, which the launch before had as well."""
    memory, others = malloc(256), [tensor(), tensor()]
    assert aclrtMemset(memory, 256, 0, 256) == ACL_SUCCESS
    for count in (1, 2, 3):
        odd = at(memory + 4)
        for _ in range(2):
            planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, odd, others[0], 1, others[1])
            assert aclnnSoftmaxBackward(None, 0, planned.executor, None) == ACL_SUCCESS
        assert [finding.id for finding in machine.findings].count("misaligned") == count
    machine.findings.clear()


def test_what_a_plan_finds_is_found_by_each(machine: Machine) -> None:
    grad, indices = meta((3, 2)), meta((3,), 9)
    out = meta((4, 2), ACL_BF16)
    for count in (1, 2, 3):
        assert plan(aclnnEmbeddingDenseBackwardGetWorkspaceSize, grad, indices, 4, 5, False, out).status == ACL_SUCCESS
        assert [finding.id for finding in machine.findings] == ["dtype-converted"] * count


def test_a_race_with_another_stream_is_found_after_many_launches(machine: Machine) -> None:
    """In one stream each launch stands for those before it: the last of them, which nobody waited for, still counts."""
    grad, output, out = (tensor() for _ in range(3))
    streams = [aclrtStream(), aclrtStream()]
    for stream in streams:
        assert aclrtCreateStream(byref(stream)) == ACL_SUCCESS
    for _ in range(3):
        softmax(grad, output, out, stream=streams[0])
        assert aclrtSynchronizeStream(streams[0]) == ACL_SUCCESS
    softmax(grad, output, out, stream=streams[1])
    assert aclrtSynchronizeStream(streams[1]) == ACL_SUCCESS
    softmax(grad, output, out, stream=streams[0])
    softmax(grad, output, out, stream=streams[0])
    with pytest.raises(UndefinedBehaviour, match="xstream-race"):
        softmax(grad, output, out, stream=streams[1])
    assert machine.findings[0].history[0].site.split(":")[0].endswith("test_alike_calls.py")


def test_memory_that_is_freed_is_let_go(machine: Machine) -> None:
    """The memo of a launch keeps no byte alive."""
    grad, output, out = (tensor() for _ in range(3))
    softmax(grad, output, out)
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    allocation = machine.devices[0].memory.at(output.address)
    assert allocation is not None
    assert aclrtFree(output.address) == ACL_SUCCESS
    assert allocation.buffer.size == 0
