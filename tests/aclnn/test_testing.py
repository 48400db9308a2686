"""`aclnn.testing`: tensors of any layout, one call for both phases, statuses and findings. None leaves findings."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import POINTER, byref, c_int32, c_int64, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.op import (
    FLOATS,
    Array,
    BoolArrayIn,
    FloatArrayIn,
    IntArrayIn,
    Op,
    Planning,
    Products,
    ScalarIn,
    Series,
    TensorIn,
    TensorOut,
    planned,
)
from aclnn.testing import (
    assert_status,
    assert_success,
    device_tensor,
    expect_at_end,
    expect_finding,
    run,
    sweep_failures,
)
from tests.aclnn.ops.case import Case
from tests.aclnn.ops.cases import CASES
from tests.helpers.creating import create_stream

GRAD = np.arange(8, dtype=np.float32).reshape(4, 2)
OUTPUT = np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32).reshape(4, 2)
EXPECTED = np.array([-28, -37, -26, -70, -48, -66, -66, -93], np.float32).reshape(4, 2)


def softmax_backward(**changes: Any) -> Any:
    return run(aclnnSoftmaxBackward, **{"gradOutput": GRAD, "output": OUTPUT, "dim": 0, "out": GRAD, **changes})


@pytest.fixture
def device() -> Any:
    """Device 0 of a machine that must find nothing but advice."""
    with Machine() as machine:
        aclInit(None)
        aclrtSetDevice(0)
        yield machine
        aclrtResetDevice(0)
        aclFinalize()
    assert [str(finding) for finding in machine.findings.worth_telling] == []


# one call for both phases


@pytest.mark.parametrize("schedule", ["late", "threads"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_run_gives_the_results_of_each_operator(case: Case, schedule: str) -> None:
    with Machine(schedule=schedule) as machine:
        results = run(case.second, **case.good)
    outputs = [param.name for param in case.op.tensors if param.role == "output"]
    for name, result in zip(outputs, results if isinstance(results, tuple) else [results], strict=True):
        np.testing.assert_allclose(result, case.results[name], rtol=1e-5, atol=1e-6, err_msg=name)
    assert [finding.id for finding in machine.findings] == ["init"], "aclInit is the test's matter"


def test_run_takes_arguments_by_position_or_name(device: Machine) -> None:
    np.testing.assert_array_equal(run(aclnnSoftmaxBackward, GRAD, OUTPUT, 0, np.empty_like(GRAD)), EXPECTED)
    np.testing.assert_array_equal(run(aclnnSoftmaxBackward, GRAD, OUTPUT, out=np.empty_like(GRAD), dim=0), EXPECTED)
    first = aclnn.aclnnSoftmaxBackwardGetWorkspaceSize
    np.testing.assert_array_equal(run(first, GRAD, OUTPUT, 0, np.empty_like(GRAD)), EXPECTED)


def test_run_takes_any_layout_and_leaves_the_arrays_alone(device: Machine) -> None:
    out = np.full((2, 8), 7, np.float32)
    wide = np.repeat(GRAD, 3, axis=1)
    found = softmax_backward(gradOutput=wide[:, ::3], output=OUTPUT.T.copy().T, out=out.T[::2])
    np.testing.assert_array_equal(found, EXPECTED)
    assert (out == 7).all()


def test_run_with_bfloat16(device: Machine) -> None:
    found = softmax_backward(
        gradOutput=GRAD.astype(bfloat16), output=OUTPUT.astype(bfloat16), out=GRAD.astype(bfloat16)
    )
    assert found.dtype == bfloat16
    np.testing.assert_array_equal(found, EXPECTED.astype(bfloat16))


def test_run_in_a_stream_and_with_tensors_of_the_callers(device: Machine) -> None:
    """The same DeviceTensor as input and output is an operator in place."""
    stream = create_stream()
    with device_tensor(GRAD) as grad:
        np.testing.assert_array_equal(softmax_backward(gradOutput=grad, out=grad, stream=stream), EXPECTED)
        np.testing.assert_array_equal(grad.numpy(), EXPECTED)
    assert aclrtDestroyStream(stream) == ACL_SUCCESS


def test_run_shows_elements_that_an_operator_never_wrote(device: Machine) -> None:
    """The array of an output gives only type and layout; the memory of the tensor is fresh."""
    x = np.ones((2, 3), np.float32)
    masked = {"gradOut": x, "input": x, "mean": x[0], "invstd": x[0], "weight": None, "inputG": False, "weightG": False}
    outputs = {"sumDy": None, "sumDyXmu": np.zeros(3, np.float32), "gradWeight": None, "gradBias": x[0]}
    found = run(aclnn.aclnnBatchNormReduceBackward, **masked, biasG=True, **outputs)
    assert (found[0], found[2]) == (None, None)
    assert np.isnan(found[1]).all()
    np.testing.assert_array_equal(found[3], [2, 2, 2])


def test_run_with_empty_tensors(device: Machine) -> None:
    empty = np.empty((0, 2), np.float32)
    assert softmax_backward(gradOutput=empty, output=empty, out=empty).shape == (0, 2)


def test_run_raises_with_the_status_and_its_text(device: Machine) -> None:
    with pytest.raises(AssertionError, match=r"the status is ACLNN_ERR_PARAM_INVALID \(161002\)(?s:.*)found: 5, allow"):
        softmax_backward(dim=5)


def test_run_needs_an_operator_and_its_arguments(device: Machine) -> None:
    with pytest.raises(TypeError, match="run takes the function of an operator, such as aclnnSoftmaxBackward"):
        run(aclrtFree, 1)
    with pytest.raises(TypeError, match=r"run\(aclnnSoftmaxBackward, \.\.\.\): missing out\n    aclnnStatus aclnnSof"):
        run(aclnnSoftmaxBackward, GRAD, OUTPUT, 0)
    with pytest.raises(TypeError, match=r"no parameter ouut, did you mean out\?; missing out\n"):
        run(aclnnSoftmaxBackward, GRAD, OUTPUT, 0, ouut=GRAD)
    with pytest.raises(TypeError, match="5 arguments by position, at most 4; out is given twice\n"):
        run(aclnnSoftmaxBackward, GRAD, OUTPUT, 0, GRAD, GRAD, out=GRAD)
    with pytest.raises(TypeError, match="output takes a numpy array, a DeviceTensor or None"):
        softmax_backward(output=[[1.0]])
    with pytest.raises(TypeError, match="no aclDataType holds numpy's datetime64"):
        softmax_backward(output=np.zeros(2, "M8[s]"))


@pytest.mark.parametrize("mode", ["raise", "report"])
def test_run_cleans_up_after_an_error_of_the_task(mode: str) -> None:
    """ "index-range": raised by the synchronise, or 507035 from it; nothing else is found."""
    with Machine(on_undefined=mode) as machine, pytest.raises((UndefinedBehaviour, AssertionError)) as caught:
        run(aclnnEmbeddingDenseBackward, GRAD, np.array([0, 9, 1, 1]), 4, 0, False, np.empty((4, 2), np.float32))
    assert "index-range" in str(caught.value) or "507035" in str(caught.value)
    assert [finding.id for finding in machine.findings.worth_telling] == ["index-range"]


def test_run_cleans_up_whichever_call_fails() -> None:
    def program() -> None:
        softmax_backward(dim=0)

    sweep = sweep_failures(program, expects=[AssertionError])
    assert not sweep.problems, str(sweep)
    assert {"aclrtMalloc", "aclrtMemcpy", "aclnnSoftmaxBackward"} <= {each.function for each in sweep.runs}


class Mixed(Op):
    header = "mine/aclnn_mixed.h"
    series = (Series.A2,)
    elsewhere = Products.NOTICED_BY_PLAN

    self = TensorIn(FLOATS, doc="input")
    alpha = ScalarIn(doc="factor")
    dims = IntArrayIn(doc="integers")
    scales = FloatArrayIn(doc="floats")
    mask = BoolArrayIn(doc="truths")
    out = TensorOut(FLOATS, doc="result")


@planned(Mixed)
def mixed(p: Planning) -> None:
    """out = alpha * self + dims[0] + scales[0] + mask[0]"""
    x, added = p.read("self"), sum(p[name].values[0] for name in ("dims", "scales", "mask"))
    p.store("out", p.step(scaled, [x], x.shape, x.dtype, alpha=p["alpha"].item(), added=added))


def scaled(x: Array, *, alpha: float, added: float) -> Array:
    return np.float32(alpha) * x + np.float32(added)


_, aclnnMixed = mixed.pairs["aclnnMixed"]


@pytest.mark.parametrize(
    "alpha", [2, 2.0, np.float64(2), np.array(2, bfloat16)], ids=lambda value: type(value).__name__
)
def test_run_with_scalars_and_arrays_of_an_own_operator(device: Machine, alpha: Any) -> None:
    x = np.array([1, 2], np.float32)
    np.testing.assert_array_equal(run(aclnnMixed, x, alpha, [3], [0.5], [True], x), [6.5, 8.5])
    with pytest.raises(AssertionError, match="ACLNN_ERR_PARAM_NULLPTR"):
        run(aclnnMixed, x, None, [3], [0.5], [True], x)


# tensors of any layout

BASE = np.arange(24, dtype=np.float32).reshape(4, 6).copy()
LAYOUTS: dict[str, tuple[Any, tuple[int, ...], int, tuple[int, ...]]] = {
    # array, strides, offset, storage shape
    "dense": (BASE, (6, 1), 0, (4, 6)),
    "dense-part": (BASE[2:], (6, 1), 0, (2, 6)),
    "transposed": (BASE.T, (1, 6), 0, (4, 6)),
    "column": (BASE[:, 2], (6,), 2, (4, 6)),
    "steps": (BASE[1::2, ::3], (12, 3), 6, (4, 6)),
    "reversed": (BASE[::-1], (-6, 1), 18, (4, 6)),
    "broadcast": (np.broadcast_to(BASE[1], (3, 6)), (0, 1), 6, (4, 6)),
    "fortran": (np.asfortranarray(BASE), (1, 4), 0, (24,)),
    "windows": (np.lib.stride_tricks.sliding_window_view(np.arange(5.0), 3), (1, 1), 0, (5,)),
    "imaginary": (np.array([1 + 2j, 3 + 4j], np.complex64).imag, (2,), 0, (3,)),
    "no-dimension": (np.array(3, bfloat16), (), 0, ()),
    "empty": (np.empty((0, 3), np.int64).T, (1, 1), 0, (3, 0)),
}


def values_of(tensor: aclTensor, getter: Callable[..., int]) -> tuple[int, ...]:
    values, count = POINTER(c_int64)(), c_uint64()
    assert getter(tensor, byref(values), byref(count)) == ACL_SUCCESS
    return tuple(values[: count.value])


@pytest.mark.parametrize(("array", "strides", "offset", "storage"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_tensor_is_laid_out_like_its_array(
    device: Machine, array: Array, strides: tuple[int, ...], offset: int, storage: tuple[int, ...]
) -> None:
    found = c_int64()
    with device_tensor(array) as tensor:
        np.testing.assert_array_equal(tensor.numpy(), array)
        assert tensor.numpy().dtype == array.dtype
        assert values_of(tensor.handle, aclGetViewShape) == array.shape
        assert aclGetViewOffset(tensor.handle, byref(found)) == ACL_SUCCESS
        assert (found.value, values_of(tensor.handle, aclGetStorageShape)) == (offset, storage)
        if array.size:
            assert values_of(tensor.handle, aclGetViewStrides) == strides


def test_all_of_the_storage_is_copied(device: Machine) -> None:
    with device_tensor(BASE[1::2, ::3]) as tensor:
        np.testing.assert_array_equal(tensor.storage(), BASE)


def test_a_tensor_gets_the_layout_that_is_asked_for(device: Machine) -> None:
    """Bytes between the elements read like fresh memory ("0xFF: NaN in every float type")."""
    with device_tensor(OUTPUT, strides=(1, 5), offset=2, storage_shape=(3, 4), format=ACL_FORMAT_NCHW) as tensor:
        np.testing.assert_array_equal(tensor.numpy(), OUTPUT)
        storage = tensor.storage()
        assert storage.shape == (3, 4)
        assert np.isnan(storage.reshape(-1)[[0, 1, 6, 11]]).all()
        assert not np.isnan(storage.reshape(-1)[[2, 3, 4, 5, 7, 8, 9, 10]]).any()
        format = c_int32()
        assert aclGetFormat(tensor.handle, byref(format)) == ACL_SUCCESS
        assert format.value == ACL_FORMAT_NCHW
    with device_tensor(OUTPUT.T, offset=3) as tensor:
        np.testing.assert_array_equal(tensor.numpy(), OUTPUT.T)
        assert tensor.layout.storage_shape == (11,)


@pytest.mark.parametrize(
    ("array", "layout", "words"),
    [
        (BASE, {"storage_shape": (23,)}, "elements 0 to 23 are outside of a storage of 23 elements"),
        (BASE, {"offset": -1}, "elements -1 to 22 are outside"),
        (BASE, {"strides": (-6, 1), "offset": 5}, "elements -13 to 10 are outside"),
        (BASE, {"strides": (1,)}, "strides=(1,): 1, but the array has 2 dimensions"),
        (BASE, {"strides": (-1, 1)}, "strides=(-1, 1) put several elements of a tensor of shape [4, 6] in one place"),
        (BASE, {"strides": (0, 0)}, "but their values differ"),
        (np.zeros(3, [("a", "i1"), ("b", "f4")])["b"], {}, "strides of (5,) bytes are not multiples of the element"),
    ],
)  # fmt: skip
def test_an_impossible_layout_is_refused(device: Machine, array: Array, layout: Any, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (looked at below)
        device_tensor(array, **layout)
    assert words in str(caught.value)


def test_elements_in_one_place_may_be_equal(device: Machine) -> None:
    """Good twins of strides that lose values: equal ones, and an output, whose values do not count."""
    ones = np.full((4, 6), np.nan, np.float32)
    with device_tensor(ones, strides=(0, 0)) as tensor:
        np.testing.assert_array_equal(tensor.numpy(), ones)
    device_tensor(BASE, strides=(0, 1), copy=False).close()


def test_a_tensor_is_made_from_an_array(device: Machine) -> None:
    with pytest.raises(TypeError, match=r"device_tensor takes a numpy array, not \[1, 2\]"):
        device_tensor([1, 2])  # type: ignore[arg-type]


def test_a_tensor_without_a_copy_has_fresh_memory(device: Machine) -> None:
    """Reading memory that was never written is a finding, and it is reported."""
    with device_tensor(BASE, copy=False) as tensor, expect_finding(device, "uninit-read"):
        assert np.isnan(tensor.numpy()).all()


def test_a_tensor_is_closed_once(device: Machine) -> None:
    tensor = device_tensor(BASE)
    assert "float32 [4, 6]" in repr(tensor)
    tensor.close()
    tensor.close()
    assert device.memory_at(tensor.address).holding(tensor.address) is None  # type: ignore[union-attr]


def test_a_tensor_that_the_code_under_test_destroyed(device: Machine) -> None:
    """The code under test gets the finding; the memory is freed as well."""
    tensor = device_tensor(BASE)
    assert aclDestroyTensor(tensor.handle) == ACL_SUCCESS
    with expect_finding(device, "tensor-double-destroy"):
        tensor.close()


def test_reading_does_not_wait(device: Machine) -> None:
    """Bad twin of a program that synchronises: `numpy()` is a copy by the host like any other."""
    tensors = [device_tensor(array) for array in (GRAD, OUTPUT, GRAD)]
    grad, output, out = tensors
    size, executor, memory = c_uint64(), aclnn.aclOpExecutor(), c_void_p()
    first = aclnn.aclnnSoftmaxBackwardGetWorkspaceSize
    assert first(grad.handle, output.handle, 0, out.handle, byref(size), byref(executor)) == ACL_SUCCESS
    assert aclrtMalloc(byref(memory), size.value or 32, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
    assert aclnnSoftmaxBackward(memory, size.value, executor, None) == ACL_SUCCESS
    with expect_finding(device, "read-before-sync"):
        out.numpy()
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    np.testing.assert_array_equal(out.numpy(), EXPECTED)
    for tensor in tensors:
        tensor.close()
    assert aclrtFree(memory) == ACL_SUCCESS


def test_a_tensor_is_not_left_half_made() -> None:
    def program() -> None:
        assert_status(aclrtSetDevice(0), ACL_SUCCESS)
        try:
            device_tensor(BASE.T).close()
        finally:
            assert_status(aclrtResetDevice(0), ACL_SUCCESS)

    sweep = sweep_failures(program, expects=[AssertionError])
    assert not sweep.problems, str(sweep)


# statuses


def no_memory() -> int:
    return aclrtMalloc(byref(c_void_p()), 0, ACL_MEM_MALLOC_HUGE_FIRST)


def test_a_status_that_is_as_expected(device: Machine) -> None:
    assert_status(no_memory(), ACL_ERROR_INVALID_PARAM)
    assert "size" in (aclGetRecentErrMsg() or ""), "without a pattern the text stays"
    assert_status(no_memory(), ACL_ERROR_INVALID_PARAM, r"size.*\b0\b")
    assert aclGetRecentErrMsg() is None
    assert_status(ACL_SUCCESS, ACL_SUCCESS)


def test_a_status_that_is_not_as_expected(device: Machine) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_status(no_memory(), ACL_SUCCESS)
    assert str(caught.value).startswith("the status is ACL_ERROR_INVALID_PARAM (100000), not ACL_SUCCESS (0)\n[PID:")
    with pytest.raises(AssertionError, match="not ACLNN_ERR_PARAM_INVALID"):
        assert_status(ACL_SUCCESS, ACLNN_ERR_PARAM_INVALID)
    with pytest.raises(AssertionError, match=r"the text of ACL_ERROR_INVALID_PARAM \(100000\) does not match 'stream'"):
        assert_status(no_memory(), ACL_ERROR_INVALID_PARAM, "stream")
    with pytest.raises(AssertionError, match="has no text"):
        assert_status(ACL_SUCCESS, ACL_ERROR_INVALID_PARAM)


# findings


@pytest.mark.parametrize("mode", ["raise", "report"])
def test_a_finding_that_is_expected(mode: str) -> None:
    """Raised or recorded, it is taken out; so is the exception that the fixture would judge."""
    with Machine(on_undefined=mode) as machine:
        machine.findings.raised = []
        aclrtSetDevice(0)
        with expect_finding(machine, "tensor-double-destroy", match="tensor") as found:
            tensor = aclnn.aclCreateTensor([1], 1, ACL_FLOAT, None, 0, 2, [1], 1, None)
            aclDestroyTensor(tensor)
            bool(aclDestroyTensor(tensor))
        assert [each.id for each in found] == ["tensor-double-destroy"]
        aclrtResetDevice(0)
        assert machine.findings.raised == []
    assert machine.findings.worth_telling == []


def test_a_finding_of_the_end() -> None:
    machine = Machine()
    with expect_finding(machine, "device-not-reset") as found, machine:
        aclrtSetDevice(0)
    assert len(found) == 1


def test_an_unknown_finding_is_refused(device: Machine) -> None:
    """Refused as `machine.allow` does, before the block runs."""
    with pytest.raises(ValueError, match=r"'memsize' is no finding that is recorded; did you mean memcpy-size\?"):
        expect_finding(device, "memsize")
    with pytest.raises(ValueError, match="'memsize' is no finding"):
        expect_at_end(device, "memsize")
    with pytest.raises(ValueError, match="'memsize' is no finding"):
        device.allow("memsize", reason="none")
    with pytest.raises(ValueError, match=r"there are ws-freed-early, .*memcpy-size"):
        device.allow("xyz", reason="none")


def test_the_fixture_does_not_judge_the_end_of_a_machine_of_the_test(device: Machine) -> None:
    with pytest.raises(ValueError, match=r'`with expect_finding\(machine, "mem-leaked"\), machine:`'):
        expect_at_end(device, "mem-leaked")


def test_an_object_is_a_success_unless_it_is_null(device: Machine) -> None:
    def create() -> aclTensor:
        return aclnn.aclCreateTensor([1], 1, ACL_FLOAT, None, 0, 2, [1], 1, None)

    tensor = create()
    assert_success(tensor)
    assert_success(aclDestroyTensor(tensor))
    device.fail("aclCreateTensor")
    with pytest.raises(AssertionError, match=r"the call failed: its result is aclTensor\(null\)\n(.|\n)*asked for by"):
        assert_success(create())
    with pytest.raises(AssertionError, match="the call failed: its result is None"):
        assert_success(None)


def wraps(call: Callable[..., int], *args: object) -> None:
    try:
        call(*args)
    except UndefinedBehaviour as error:
        raise RuntimeError("wrapped") from error


def test_an_expected_finding_of_a_block_that_ends_otherwise() -> None:
    """It is taken out, and the exception goes on; without the finding too."""
    with Machine() as machine:
        aclrtSetDevice(0)
        tensor = aclnn.aclCreateTensor([1], 1, ACL_FLOAT, None, 0, 2, [1], 1, None)
        aclDestroyTensor(tensor)
        with pytest.raises(RuntimeError, match="wrapped"), expect_finding(machine, "tensor-double-destroy"):
            wraps(aclDestroyTensor, tensor)
        assert machine.findings.worth_telling == []
        with pytest.raises(RuntimeError, match="other"), expect_finding(machine, "tensor-double-destroy"):
            raise RuntimeError("other")
        aclrtResetDevice(0)


def test_findings_that_are_not_expected() -> None:
    """Others stay, and an exception that is another finding's goes on."""
    with Machine() as machine:
        aclrtSetDevice(0)
        tensor = aclnn.aclCreateTensor([1], 1, ACL_FLOAT, None, 0, 2, [1], 1, None)
        aclDestroyTensor(tensor)
        with pytest.raises(UndefinedBehaviour), expect_finding(machine, "mem-leaked"):
            aclDestroyTensor(tensor)
        with pytest.raises(AssertionError, match=r"made no finding mem-leaked\n\(nor any other\)"):  # noqa: SIM117
            with expect_finding(machine, "mem-leaked"):
                pass
        with pytest.raises(AssertionError, match=r"made no finding .* that matches 'stream'\nerror\[tensor-double"):  # noqa: SIM117
            with expect_finding(machine, "tensor-double-destroy", match="stream"):
                aclDestroyTensor(tensor)
        assert [each.id for each in machine.findings if each.level == "error"] == ["tensor-double-destroy"] * 2
        aclrtResetDevice(0)
