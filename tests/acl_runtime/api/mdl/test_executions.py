"""Executions: the order in which arguments are judged, results under every schedule, failures, findings."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.models import Model, StaticAipp, Tensor
from tests.helpers.builders import malloc
from tests.helpers.offline_models import Array, Sets, data_sets, double, load, small
from tests.helpers.outcomes import assert_status, finding_of, ok

X = np.arange(4, dtype=np.float32).reshape(2, 2)
CALLS: dict[str, Callable[..., int]] = {
    "aclmdlExecute": aclmdlExecute,
    "aclmdlExecuteAsync": lambda *given: aclmdlExecuteAsync(*given, None),
}
EACH_CALL = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@EACH_CALL
@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
def test_a_model_computes(call: Callable[..., int], schedule: str, tmp_path: Path) -> None:
    with Machine(schedule=schedule) as machine:
        ok(aclrtSetDevice(0))
        id = load(tmp_path, small())
        with data_sets([X], [16]) as (inputs, outputs):
            ok(call(id, inputs.handle, outputs.handle))
            ok(aclrtSynchronizeStream(None))
            np.testing.assert_array_equal(outputs.read(0, (2, 2)), 2 * X)
        ok(aclmdlUnload(id))
        ok(aclrtResetDevice(0))
        ok(aclFinalize())
    assert [str(finding) for finding in machine.findings] == []
    assert machine.tasks[-1].name == "model 1 (model.om)"


@EACH_CALL
def test_the_order_of_checks(call: Callable[..., int], machine: Machine, tmp_path: Path) -> None:
    """ "null input, then null output; unknown model id: 145003; number of buffers different: 145000; size: 500002"."""
    id = load(tmp_path, small())
    with data_sets([X], [16]) as (inputs, outputs), data_sets([], []) as (none, _):
        assert_status(call(9, None, None), ACL_ERROR_INVALID_PARAM, "input")
        assert_status(call(9, inputs.handle, None), ACL_ERROR_INVALID_PARAM, "output")
        assert_status(call(9, inputs.handle, none.handle), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)
        for sides in ((none, outputs), (inputs, none), (none, none)):
            assert_status(
                call(id, *[side.handle for side in sides]), ACL_ERROR_GE_PARAM_INVALID, "E13025",
                "put, but the data set has 0 data buffers",
            )  # fmt: skip
    assert not machine.tasks


PROB = Model(
    [Tensor("data", np.float16, (1, 3, 224, 224))], [Tensor("prob", np.float32, (1, 1000))],
    lambda inputs: np.ones((1, 1000), np.float32),
)  # fmt: skip


@EACH_CALL
def test_a_buffer_may_be_64_bytes_too_short_and_not_65(
    call: Callable[..., int], machine: Machine, tmp_path: Path
) -> None:
    """Worked example 1: "Execute with a 3936-byte output buffer: accepted (finding: 64 bytes short); with 3935:
    500002"."""
    id, data = load(tmp_path, PROB), np.zeros(301056, np.uint8)
    with data_sets([data], [3935]) as (inputs, outputs):
        assert_status(call(id, inputs.handle, outputs.handle), ACL_ERROR_GE_FAILURE, "E13025", "4000 bytes", "3935")
    with data_sets([data], [3936]) as (inputs, outputs):
        name, text = finding_of(lambda: call(id, inputs.handle, outputs.handle))
        assert name == "model-buffer-short"
        assert "output `prob` of model 1 (model.om) needs 4000 bytes, but its data buffer has only 3936" in text
    with data_sets([data], [4096]) as (inputs, outputs):
        ok(call(id, inputs.handle, outputs.handle))
        ok(aclrtSynchronizeStream(None))
        assert outputs.read(0, (1000,)).tolist() == [1] * 1000


@EACH_CALL
def test_an_output_may_not_overlap_an_input(call: Callable[..., int], machine: Machine, tmp_path: Path) -> None:
    """ "Input and output memory may not overlap (checked: 500002)"; neighbours do not overlap."""
    id = load(tmp_path, small())
    with data_sets([np.zeros(8, np.float32)], []) as (inputs, beside), data_sets([], []) as (overlapping, _):
        overlapping.add(inputs.addresses[0] + 12, 16)
        status = call(id, inputs.handle, overlapping.handle)
        assert_status(status, ACL_ERROR_GE_FAILURE, "output `twice`", "shares memory with input `data`")
        beside.add(inputs.addresses[0] + 16, 16)
        ok(call(id, inputs.handle, beside.handle))
        ok(call(id, beside.handle, inputs.handle))
        ok(aclrtSynchronizeStream(None))
        for side in (beside, overlapping):
            ok(aclUpdateDataBuffer(side.buffers[0], None, 0))


def test_only_a_synchronous_execution_allocates_outputs(machine: Machine, tmp_path: Path) -> None:
    """ "output buffers with address null and size 0 are allocated by the library"; "With ExecuteAsync a null address is
    not allocated: fails later (500002)"."""
    id = load(tmp_path, small())
    with data_sets([X], [0]) as (inputs, outputs):
        sets = inputs.handle, outputs.handle
        assert_status(aclmdlExecuteAsync(id, *sets, None), ACL_ERROR_GE_FAILURE, "output `twice`")
        ok(aclmdlExecute(id, *sets))
        assert aclGetDataBufferSizeV2(outputs.buffers[0]) == 16
        np.testing.assert_array_equal(outputs.read(0, (2, 2)), 2 * X)
        outputs.add(0, 0)
        assert_status(aclmdlExecute(id, *sets), ACL_ERROR_INVALID_PARAM, "the number of output buffers")


def test_a_stream_of_another_context(machine: Machine, tmp_path: Path) -> None:
    id, stream, context, first = load(tmp_path, small()), aclrtStream(), aclrtContext(), aclrtContext()
    ok(aclrtGetCurrentContext(byref(first)))
    ok(aclrtCreateContext(byref(context), 0))
    ok(aclrtCreateStream(byref(stream)))
    ok(aclrtSetCurrentContext(first))
    with data_sets([X], [16]) as (inputs, outputs):
        assert_status(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, stream), ACL_ERROR_RT_STREAM_CONTEXT)
        ok(aclrtSetCurrentContext(context))
        ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, stream))
        ok(aclrtSynchronizeStream(stream))
    assert [finding.id for finding in machine.findings] == ["model-other-context"]


def broken(inputs: dict[str, Array]) -> Array:
    raise RuntimeError("no such class")


@pytest.mark.fidelity("an execution of a model (acl_mdl.h)")
@pytest.mark.finds("kernel-raised")
@pytest.mark.parametrize(
    ("run", "words"),
    [
        (broken, "no such class"),
        (lambda inputs: X.astype(np.float64), "has the type float64; the statement says float32"),
        (lambda inputs: X[0], r"has the shape [2]; the statement says [2, 2]"),
        (lambda inputs: {"once": X}, "the function returned no twice, only once"),
        (lambda inputs: (X, X), "the function returned 2 outputs, the model has 1"),
    ],
)
def test_a_function_that_fails_fails_the_task(run: Any, words: str, tmp_path: Path) -> None:
    """ "a run error or wrong shape: task fails as a kernel of one's own does (507015)"."""
    with Machine(on_undefined="report") as machine:
        ok(aclrtSetDevice(0))
        id = load(tmp_path, small(run=run))
        with data_sets([X], [16]) as (inputs, outputs):
            assert_status(aclmdlExecute(id, inputs.handle, outputs.handle), ACL_ERROR_RT_AICORE_EXCEPTION, "model 1")
        ok(aclmdlUnload(id))
    assert [finding.id for finding in machine.findings if finding.level == "error"] == ["kernel-raised"]
    assert words in machine.findings[0].what


def test_an_injected_failure_on_the_device(machine: Machine, tmp_path: Path) -> None:
    id = load(tmp_path, small())
    with data_sets([X], [np.full(4, 7, np.float32)]) as (inputs, outputs):
        machine.fail("aclmdlExecuteAsync", device=True)
        ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, None))
        assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_AICORE_EXCEPTION, "model 1 (model.om)")
        assert outputs.read(0, (4,)).tolist() == [7] * 4


@EACH_CALL
def test_without_a_function_the_task_fails(call: Callable[..., int], machine: Machine, tmp_path: Path) -> None:
    id = load(tmp_path, small(run=None))
    with data_sets([X], [16]) as (inputs, outputs):
        status = call(id, inputs.handle, outputs.handle)
        status = status or aclrtSynchronizeStream(None)
        assert_status(status, ACL_ERROR_RT_AICORE_EXCEPTION, "machine.models['model.om'] = Model(inputs, outputs, run)")


def total(inputs: dict[str, Array]) -> Array:
    return inputs["data"].sum(dtype=np.int64).reshape(1)


def test_an_image_comes_as_bytes(machine: Machine, tmp_path: Path) -> None:
    model = Model(
        [Tensor("data", np.float16, (1, 3, 4, 4), "NCHW")], [Tensor("sum", np.int64, (1,))], total,
        aipp={"data": StaticAipp("RGB888_U8", 4, 4)},
    )  # fmt: skip
    image = np.arange(48, dtype=np.uint8)
    id = load(tmp_path, model)
    with data_sets([image], [8]) as (inputs, outputs):
        ok(aclmdlExecute(id, inputs.handle, outputs.handle))
        assert outputs.read(0, (1,), np.int64).tolist() == [image.sum()]


# data sets


def test_a_data_set(machine: Machine) -> None:
    """ "null ds, then null buffer 100000"; "null -> 0"; "null or index >= count -> null"."""
    data_set, buffer = aclmdlCreateDataset(), aclCreateDataBuffer(None, 0)
    assert_status(aclmdlAddDatasetBuffer(None, None), ACL_ERROR_INVALID_PARAM, "dataset")
    assert_status(aclmdlAddDatasetBuffer(data_set, None), ACL_ERROR_INVALID_PARAM, "dataBuffer")
    for _ in range(2):
        ok(aclmdlAddDatasetBuffer(data_set, buffer))
    assert (aclmdlGetDatasetNumBuffers(data_set), aclmdlGetDatasetNumBuffers(None)) == (2, 0)
    assert aclmdlGetDatasetBuffer(data_set, 1) == buffer
    assert not aclmdlGetDatasetBuffer(data_set, 2)
    assert not aclmdlGetDatasetBuffer(None, 0)
    desc = aclCreateTensorDesc(ACL_FLOAT, 2, [3, 4], ACL_FORMAT_ND)
    assert_status(aclmdlSetDatasetTensorDesc(None, desc, 0), ACL_ERROR_INVALID_PARAM, "dataset")
    assert_status(aclmdlSetDatasetTensorDesc(data_set, desc, 2), ACL_ERROR_INVALID_PARAM, "index")
    ok(aclmdlSetDatasetTensorDesc(data_set, desc, 1))
    aclDestroyTensorDesc(desc)
    stored = aclmdlGetDatasetTensorDesc(data_set, 1)
    assert [aclGetTensorDescDim(stored, i) for i in range(2)] == [3, 4]
    assert not aclmdlGetDatasetTensorDesc(data_set, 0)
    assert not aclmdlGetDatasetTensorDesc(None, 0)
    ok(aclmdlSetDatasetTensorDesc(data_set, None, 1))
    assert not aclmdlGetDatasetTensorDesc(data_set, 1)
    ok(aclmdlDestroyDataset(data_set))
    assert aclGetDataBufferSizeV2(buffer) == 0  # "frees the dataset, not the aclDataBuffer objects"
    assert_status(aclmdlDestroyDataset(None), ACL_ERROR_INVALID_PARAM, "dataset")
    assert finding_of(lambda: aclmdlDestroyDataset(data_set))[0] == "dead-handle"
    ok(aclDestroyDataBuffer(buffer))


# memory


def after(machine: Machine, id: int, inputs: Sets, outputs: Sets) -> str:
    """The finding of an execution."""
    return finding_of(lambda: aclmdlExecuteAsync(id, inputs.handle, outputs.handle, None))[0]


def test_memory_that_the_device_cannot_use(tmp_path: Path) -> None:
    host = np.zeros(4, np.float32)
    with Machine(device_count=2) as machine:
        ok(aclrtSetDevice(1))
        elsewhere = malloc(16)
        ok(aclrtSetDevice(0))
        id, gone = load(tmp_path, small()), malloc(16)
        ok(aclrtFree(c_void_p(gone)))
        for address, expected in (
            (host.__array_interface__["data"][0], "ws-host-ptr"),
            (elsewhere, "ws-foreign"),
            (gone, "data-freed-under-tensor"),
        ):
            inputs, outputs = Sets(), Sets(16)
            inputs.add(address, 16)
            assert after(machine, id, inputs, outputs) == expected
        small_input, outputs = Sets(), Sets(16)
        small_input.add(malloc(12), 16)
        assert after(machine, id, small_input, outputs) == "storage-exceeds-alloc"
        assert after(machine, id, Sets(16), outputs) == "uninit-read"
        machine.cut_short = True


def test_memory_in_use(machine: Machine, tmp_path: Path) -> None:
    """ "the device memory must stay until the stream has passed it"; data sets may go at once."""
    id = load(tmp_path, small())
    inputs, outputs = Sets(X), Sets(16)
    ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, None))
    ok(aclmdlDestroyDataset(inputs.handle))
    ok(aclmdlDestroyDataset(outputs.handle))
    assert finding_of(lambda: outputs.read(0, (2, 2)))[0] == "read-before-sync"
    assert finding_of(lambda: aclrtFree(c_void_p(inputs.addresses[0])))[0] == "io-freed-early"
    ok(aclrtSynchronizeStream(None))
    np.testing.assert_array_equal(outputs.read(0, (2, 2)), 2 * X)


@pytest.mark.fidelity("an execution of a model (acl_mdl.h)")
@EACH_CALL
def test_one_model_in_two_streams(call: Callable[..., int], machine: Machine, tmp_path: Path) -> None:
    """ "One model id on two streams at once is not allowed": both use its work memory."""
    id, stream, event = load(tmp_path, small()), aclrtStream(), aclrtEvent()
    ok(aclrtCreateStream(byref(stream)))
    ok(aclrtCreateEvent(byref(event)))
    with data_sets([X], [16]) as first, data_sets([X], [16]) as second:
        ok(aclmdlExecuteAsync(id, *[side.handle for side in first], stream))
        name, text = finding_of(lambda: call(id, *[side.handle for side in second]))
        assert name == "ws-shared"
        assert "work memory" in text
        ok(aclrtSynchronizeStream(stream))
        ok(call(id, *[side.handle for side in second]))
        ok(aclrtSynchronizeStream(None))
        ok(aclmdlExecuteAsync(id, *[side.handle for side in first], None))
        ok(aclrtRecordEvent(event, None))
        ok(aclrtStreamWaitEvent(stream, event))
        ok(aclmdlExecuteAsync(id, *[side.handle for side in second], stream))
        ok(aclrtSynchronizeDevice())


def test_an_execution_in_a_capture(machine: Machine, tmp_path: Path) -> None:
    """It is stored as a task, and each replay computes anew."""
    id, stream, graph = load(tmp_path, small()), aclrtStream(), aclmdlRI()
    ok(aclrtCreateStream(byref(stream)))
    with data_sets([X], [16]) as (inputs, outputs):
        ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))
        ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, stream))
        ok(aclmdlRICaptureEnd(stream, byref(graph)))
        assert not machine.tasks
        for factor in (1, 3):
            ok(aclrtMemcpy(inputs.addresses[0], 16, factor * X, 16, ACL_MEMCPY_HOST_TO_DEVICE))
            ok(aclmdlRIExecuteAsync(graph, stream))
            ok(aclrtSynchronizeStream(stream))
            np.testing.assert_array_equal(outputs.read(0, (2, 2)), 2 * factor * X)
        ok(aclmdlRIDestroy(graph))


def test_an_unload_while_the_model_runs(machine: Machine, tmp_path: Path) -> None:
    id = load(tmp_path, small())
    with data_sets([X], [16]) as (inputs, outputs):
        ok(aclmdlExecuteAsync(id, inputs.handle, outputs.handle, None))
        assert finding_of(lambda: aclmdlUnload(id))[0] == "model-unloaded-early"
        ok(aclrtSynchronizeStream(None))
        ok(aclmdlUnload(id))


@pytest.mark.finds("model-not-unloaded", "tensor-leaked")
def test_what_is_left_behind(tmp_path: Path) -> None:
    """Memory of the model is no leak of its own: the model is."""
    with Machine() as machine:
        ok(aclrtSetDevice(0))
        load(tmp_path, small())
        aclmdlCreateDesc()
        aclmdlCreateDataset()
        ok(aclrtResetDevice(0))
        ok(aclFinalize())
    assert [finding.id for finding in machine.findings] == ["tensor-leaked", "tensor-leaked", "model-not-unloaded"]


def test_a_model_of_a_stated_function_without_checks(tmp_path: Path) -> None:
    with Machine(checks=False):
        ok(aclrtSetDevice(0))
        id = load(tmp_path, small(run=double))
        with data_sets([X], [16]) as (inputs, outputs):
            ok(aclmdlExecute(id, inputs.handle, outputs.handle))
            np.testing.assert_array_equal(outputs.read(0, (2, 2)), 2 * X)
        ok(aclmdlUnload(id))
