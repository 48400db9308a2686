"""Loads and executions with options: aclmdlConfigHandle, aclmdlExecConfigHandle."""

from __future__ import annotations

from ctypes import addressof, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, create_string_buffer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.enums import aclmdlConfigAttr, aclmdlExecConfigAttr
from tests.helpers.builders import malloc
from tests.helpers.offline_models import data_sets, file_of, load, small
from tests.helpers.outcomes import assert_status, finding_of, ok

X = np.arange(4, dtype=np.float32).reshape(2, 2)
TIMEOUT = aclmdlExecConfigAttr.ACL_MDL_STREAM_SYNC_TIMEOUT
WIDTHS = {attr: 4 if attr.name.endswith("INT32") else 8 for attr in aclmdlConfigAttr}


def options(values: dict[Any, Any]) -> aclmdlConfigHandle:
    """Options of a load: numbers, or texts for paths."""
    handle = aclmdlCreateConfigHandle()
    for attr, value in values.items():
        holder = c_char_p(value.encode()) if isinstance(value, str) else c_size_t(value)
        ok(aclmdlSetConfigOpt(handle, attr, byref(holder), 8))
    return handle


def load_with(values: dict[Any, Any], id: Any) -> int:
    """The status of a load with options."""
    handle = options(values)
    status = aclmdlLoadWithConfig(handle, id)
    ok(aclmdlDestroyConfigHandle(handle))
    return status


@pytest.fixture
def ready(machine: Machine) -> Machine:
    """A machine with a statement for each file, and for a content."""
    machine.models["*.om"] = machine.models[b"mine"] = small()
    ok(aclInit(None))
    return machine


@pytest.mark.parametrize("attr", aclmdlConfigAttr)
def test_the_order_of_a_setter(attr: aclmdlConfigAttr, machine: Machine) -> None:
    """ "null 100000"; "value size must equal the attribute's type size, else 100000"."""
    handle, value = aclmdlCreateConfigHandle(), c_uint64()
    assert_status(aclmdlSetConfigOpt(None, attr, None, 0), ACL_ERROR_INVALID_PARAM, "handle")
    assert_status(aclmdlSetConfigOpt(handle, attr, None, 0), ACL_ERROR_INVALID_PARAM, "attrValue")
    assert_status(aclmdlSetConfigOpt(handle, 15, byref(value), 8), ACL_ERROR_INVALID_PARAM, "attr")
    for size in {0, 1, 4, 8, 9} - {WIDTHS[attr]}:
        assert_status(aclmdlSetConfigOpt(handle, attr, byref(value), size), ACL_ERROR_INVALID_PARAM, "valueSize")
    ok(aclmdlSetConfigOpt(handle, attr, byref(value), WIDTHS[attr]))
    ok(aclmdlDestroyConfigHandle(handle))
    assert_status(aclmdlDestroyConfigHandle(None), ACL_ERROR_INVALID_PARAM, "handle")
    assert finding_of(lambda: aclmdlDestroyConfigHandle(handle))[0] == "dead-handle"


def test_a_path_that_is_too_long_or_no_memory(machine: Machine) -> None:
    handle, text = aclmdlCreateConfigHandle(), c_char_p(b"a" * 5000)
    assert_status(aclmdlSetConfigOpt(handle, ACL_MDL_PATH_PTR, byref(text), 8), ACL_ERROR_INVALID_PARAM, "4095")
    bad = c_uint64(16)
    assert finding_of(lambda: aclmdlSetConfigOpt(handle, ACL_MDL_PATH_PTR, byref(bad), 8))[0] == "host-overrun"
    ok(aclmdlDestroyConfigHandle(handle))


@pytest.mark.fidelity("options of a load and of an execution (acl_mdl.h)")
@pytest.mark.parametrize("kind", range(1, 7))
def test_the_options_that_a_load_needs(kind: int, ready: Machine, tmp_path: Path) -> None:
    """ "path for 1, 2, 5; memory address and size for 3, 4, 6; queues for 5, 6 -> 100000;
    ACL_MDL_WEIGHT_PATH_PTR with a file type -> 100000"."""
    id, content = c_uint32(7), create_string_buffer(b"mine")
    from_file = kind in (1, 2, 5)
    needed: dict[Any, Any] = {ACL_MDL_PATH_PTR: file_of(tmp_path)} if from_file else {
        ACL_MDL_MEM_ADDR_PTR: addressof(content), ACL_MDL_MEM_SIZET: 4,
    }  # fmt: skip
    if kind > 4:
        needed |= dict.fromkeys(range(ACL_MDL_INPUTQ_NUM_SIZET, ACL_MDL_OUTPUTQ_ADDR_PTR + 1), 1)
    complete = {ACL_MDL_LOAD_TYPE_SIZET: kind, **needed}
    assert_status(load_with(needed, byref(id)), ACL_ERROR_INVALID_PARAM, "ACL_MDL_LOAD_TYPE_SIZET")
    for attr in needed:
        values = {each: value for each, value in complete.items() if each != attr}
        assert_status(load_with(values, byref(id)), ACL_ERROR_INVALID_PARAM, aclmdlConfigAttr(attr).name)
    weights = {**complete, ACL_MDL_WEIGHT_PATH_PTR: str(tmp_path)}
    if from_file:
        assert_status(load_with(weights, byref(id)), ACL_ERROR_INVALID_PARAM, "ACL_MDL_WEIGHT_PATH_PTR")
    if kind > 4:
        assert_status(load_with(complete, byref(id)), ACL_ERROR_API_NOT_SUPPORT, "queues")
        assert id.value == 7
        return
    ok(load_with(complete, byref(id)))
    assert id.value == 1
    if not from_file:
        ok(load_with(weights, byref(id)))


def test_null_arguments_and_kinds_that_do_not_exist(ready: Machine) -> None:
    handle = options({ACL_MDL_LOAD_TYPE_SIZET: 7})
    assert_status(aclmdlLoadWithConfig(None, None), ACL_ERROR_INVALID_PARAM, "handle")
    assert_status(aclmdlLoadWithConfig(handle, None), ACL_ERROR_INVALID_PARAM, "modelId")
    assert_status(aclmdlLoadWithConfig(handle, byref(c_uint32())), ACL_ERROR_INVALID_PARAM, "ACL_MDL_LOAD_TYPE_SIZET")
    ok(aclmdlDestroyConfigHandle(handle))


def test_the_refusals_of_other_loads_apply(ready: Machine, tmp_path: Path) -> None:
    id, content = c_uint32(), create_string_buffer(b"else")
    path = {ACL_MDL_LOAD_TYPE_SIZET: ACL_MDL_LOAD_FROM_FILE, ACL_MDL_PATH_PTR: str(tmp_path / "no.om")}
    assert_status(load_with(path, byref(id)), ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, "no.om")
    memory = {ACL_MDL_LOAD_TYPE_SIZET: 3, ACL_MDL_MEM_ADDR_PTR: addressof(content), ACL_MDL_MEM_SIZET: 4}
    assert_status(load_with(memory, byref(id)), ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID)
    given = {ACL_MDL_WORKSPACE_ADDR_PTR: malloc(1024), ACL_MDL_WORKSPACE_SIZET: 511}
    with_memory = {ACL_MDL_LOAD_TYPE_SIZET: 2, ACL_MDL_PATH_PTR: file_of(tmp_path), **given}
    assert_status(load_with(with_memory, byref(id)), ACL_ERROR_GE_PARAM_INVALID, "workSize")
    ok(load_with({**with_memory, ACL_MDL_WORKSPACE_SIZET: 512}, byref(id)))
    ok(load_with({**with_memory, ACL_MDL_LOAD_TYPE_SIZET: 1}, byref(id)))
    works = [model.work[0] for model in ready.models.loaded.values()]
    assert [work == given[ACL_MDL_WORKSPACE_ADDR_PTR] for work in works] == [True, False]


# executions


def limits(**timeouts: int) -> aclmdlExecConfigHandle:
    """Options of an execution."""
    handle = aclmdlCreateExecConfigHandle()
    for name, milliseconds in timeouts.items():
        ok(aclmdlSetExecConfigOpt(handle, aclmdlExecConfigAttr[name], byref(c_int32(milliseconds)), 4))
    return handle


def test_the_order_of_a_setter_of_a_timeout(machine: Machine) -> None:
    handle, value = aclmdlCreateExecConfigHandle(), c_int32(5)
    assert_status(aclmdlSetExecConfigOpt(None, 0, None, 4), ACL_ERROR_INVALID_PARAM, "handle")
    assert_status(aclmdlSetExecConfigOpt(handle, 0, None, 4), ACL_ERROR_INVALID_PARAM, "attrValue")
    assert_status(aclmdlSetExecConfigOpt(handle, 2, byref(value), 4), ACL_ERROR_INVALID_PARAM, "attr")
    assert_status(aclmdlSetExecConfigOpt(handle, 0, byref(value), 8), ACL_ERROR_INVALID_PARAM, "valueSize")
    ok(aclmdlDestroyExecConfigHandle(handle))
    assert_status(aclmdlDestroyExecConfigHandle(None), ACL_ERROR_INVALID_PARAM, "handle")
    assert finding_of(lambda: aclmdlDestroyExecConfigHandle(handle))[0] == "dead-handle"


@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
@pytest.mark.parametrize("own", [False, True])
def test_an_execution_waits_for_its_stream(own: bool, schedule: str, tmp_path: Path) -> None:
    """It allocates an output with the address null and the size 0, as each synchronous execution does."""
    with Machine(schedule=schedule) as machine:
        ok(aclrtSetDevice(0))
        id, handle, stream = load(tmp_path, small()), limits(ACL_MDL_STREAM_SYNC_TIMEOUT=1000), aclrtStream()
        ok(aclrtCreateStream(byref(stream)))
        with data_sets([X], [0]) as (inputs, outputs):
            ok(aclmdlExecuteV2(id, inputs.handle, outputs.handle, stream if own else None, handle))
            np.testing.assert_array_equal(outputs.read(0, (2, 2)), 2 * X)
        ok(aclmdlDestroyExecConfigHandle(handle))
        ok(aclmdlUnload(id))
        ok(aclrtDestroyStream(stream))
        ok(aclrtResetDevice(0))
        ok(aclFinalize())
    assert [str(finding) for finding in machine.findings] == []


@pytest.mark.fidelity("options of a load and of an execution (acl_mdl.h)")
def test_the_order_of_an_execution_with_options(machine: Machine, tmp_path: Path) -> None:
    """ "handle null 100000"; the rest is judged as for aclmdlExecute."""
    id, handle, stream = load(tmp_path, small()), limits(), aclrtStream()
    with data_sets([X], [16]) as (inputs, outputs), data_sets([], []) as (none, _):
        sets = inputs.handle, outputs.handle
        assert_status(aclmdlExecuteV2(9, None, None, None, None), ACL_ERROR_INVALID_PARAM, "input")
        assert_status(aclmdlExecuteV2(9, inputs.handle, None, None, None), ACL_ERROR_INVALID_PARAM, "output")
        assert_status(aclmdlExecuteV2(9, *sets, None, None), ACL_ERROR_INVALID_PARAM, "handle")
        assert_status(aclmdlExecuteV2(9, *sets, None, handle), ACL_ERROR_GE_EXEC_MODEL_ID_INVALID)
        assert_status(aclmdlExecuteV2(id, inputs.handle, none.handle, None, handle), ACL_ERROR_GE_PARAM_INVALID)
        for wrong in (0, -2):
            late = limits(ACL_MDL_STREAM_SYNC_TIMEOUT=wrong)
            assert_status(aclmdlExecuteV2(id, *sets, None, late), ACL_ERROR_RT_PARAM_INVALID, "timeout")
            ok(aclmdlDestroyExecConfigHandle(late))
        ok(aclrtCreateStream(byref(stream)))
        ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED))
        assert_status(aclmdlExecuteV2(id, *sets, stream, handle), ACL_ERROR_RT_STREAM_CAPTURED)
        ok(aclmdlRICaptureEnd(stream, byref(graph := aclmdlRI())))
        ok(aclmdlRIDestroy(graph))
        assert not machine.tasks
        ok(aclmdlExecuteV2(id, *sets, stream, limits(ACL_MDL_EVENT_SYNC_TIMEOUT=3)))


@pytest.mark.fidelity("options of a load and of an execution (acl_mdl.h)")
def test_after_a_timeout_the_execution_goes_on(machine: Machine, tmp_path: Path) -> None:
    id, handle, value = load(tmp_path, small()), limits(ACL_MDL_STREAM_SYNC_TIMEOUT=50), malloc(8)
    ok(aclrtMemset(value, 8, 0, 8))
    with data_sets([X], [16]) as (inputs, outputs):
        ok(aclrtValueWait(value, 1, 0, None))
        sets = inputs.handle, outputs.handle
        assert_status(aclmdlExecuteV2(id, *sets, None, handle), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "model 1")
        ok(aclrtMemset(value, 8, 1, 8))
        ok(aclrtSynchronizeStream(None))
        np.testing.assert_array_equal(outputs.read(0, (2, 2)), 2 * X)
