"""Callbacks for the failed kernels of one binary (public): "called for failing kernels of this binary only"."""

from __future__ import annotations

from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream
from tests.helpers.kernel_binaries import function, load, register
from tests.helpers.outcomes import assert_status, ok

TRAP = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION


def fail(binary: aclrtBinHandle, name: str) -> None:
    """Launch a kernel that ends in a trap."""
    handle, arguments = function(binary, name), aclrtArgsHandle()
    ok(aclrtKernelArgsInit(handle, byref(arguments)))
    ok(aclrtKernelArgsFinalize(arguments))
    ok(aclrtLaunchKernelWithConfig(handle, 1, None, None, arguments, None))


@pytest.fixture
def binaries(machine: Machine) -> tuple[aclrtBinHandle, aclrtBinHandle]:
    for name in ("first", "second"):
        machine.kernels[name] = lambda launch: launch.fail()
    return load("first"), load("second")


def test_a_callback_gets_the_failures_of_its_binary(binaries: tuple[aclrtBinHandle, aclrtBinHandle]) -> None:
    seen: list[Any] = []

    def on_failure(info: Any, data: Any) -> None:
        failed = aclrtFuncHandle()
        ok(aclrtGetFuncHandleFromExceptionInfo(info, byref(failed)))
        seen.append((data, failed, aclrtGetErrorCodeFromExceptionInfo(info)))

    first, second = binaries
    ok(aclrtExceptionInfoCallbackRegister(lambda info: seen.append("all")))
    ok(aclrtBinarySetExceptionCallback(first, on_failure, "data"))
    fail(second, "second")
    assert aclrtSynchronizeDevice() == TRAP
    assert seen == ["all"]
    fail(first, "first")
    assert aclrtSynchronizeDevice() == TRAP
    assert seen == ["all", "all", ("data", function(first, "first"), TRAP)]
    ok(aclrtBinarySetExceptionCallback(first, lambda info, data: seen.append(data), 2))
    fail(first, "first")
    assert aclrtSynchronizeDevice() == TRAP
    assert seen[3:] == ["all", 2]


@pytest.mark.fidelity("exception information about kernels")
def test_an_unloaded_binary_has_no_callback(binaries: tuple[aclrtBinHandle, aclrtBinHandle]) -> None:
    seen: list[Any] = []
    first, _ = binaries
    ok(aclrtBinarySetExceptionCallback(first, lambda info, data: seen.append(data), 1))
    fail(first, "first")
    ok(aclrtBinaryUnLoad(first))
    assert aclrtSynchronizeDevice() == TRAP
    assert seen == []


def test_a_compiled_in_binary_has_a_callback(machine: Machine) -> None:
    seen: list[Any] = []
    machine.kernels["k"] = lambda launch: launch.fail()
    binary = register(0x4000, "k")
    ok(aclrtBinarySetExceptionCallback(aclrtBinHandle(binary.value), lambda info, data: seen.append(data), 1))
    assert rtKernelLaunch(0x4000, 1, None, 0, None, None) == ACL_SUCCESS
    assert aclrtSynchronizeDevice() == TRAP
    assert seen == [1]


def test_an_info_of_a_task_group_has_the_kernel_that_updates_left(
    machine: Machine, binaries: tuple[aclrtBinHandle, aclrtBinHandle]
) -> None:
    seen: list[tuple[str, bool, int]] = []

    def callback(info: Any, name: str) -> None:
        failed, address, size = aclrtFuncHandle(), c_void_p(), c_uint32()
        ok(aclrtGetFuncHandleFromExceptionInfo(info, byref(failed)))
        ok(aclrtGetArgsFromExceptionInfo(info, byref(address), byref(size)))
        seen.append((name, failed == functions[name], size.value))

    def launch(name: str, stream: aclrtStream) -> None:
        ok(aclrtLaunchKernelWithHostArgs(functions[name], 1, stream, None, byref(c_uint64(7)), 8, None, 0))

    functions = {name: function(binary, name) for binary, name in zip(binaries, ("first", "second"), strict=True)}
    for binary, name in zip(binaries, functions, strict=True):
        ok(aclrtBinarySetExceptionCallback(binary, callback, name))
    stream, updates, model, group = create_stream(), create_stream(), aclmdlRI(), aclrtTaskGrp()
    ok(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))
    ok(aclmdlRICaptureTaskGrpBegin(stream))
    launch("first", stream)
    ok(aclmdlRICaptureTaskGrpEnd(stream, byref(group)))
    ok(aclmdlRICaptureEnd(stream, byref(model)))
    ok(aclmdlRIExecuteAsync(model, stream))
    assert aclrtSynchronizeStream(stream) == TRAP
    ok(aclmdlRICaptureTaskUpdateBegin(updates, group))
    launch("second", updates)
    ok(aclmdlRICaptureTaskUpdateEnd(updates))
    ok(aclrtSynchronizeStream(updates))
    other = create_stream()
    ok(aclmdlRIExecuteAsync(model, other))
    assert aclrtSynchronizeStream(other) == TRAP
    assert seen == [("first", True, 8), ("second", True, 8)]
    ok(aclmdlRIDestroy(model))


def test_arguments_of_a_callback(machine: Machine) -> None:
    binary = load("k")
    assert_status(aclrtBinarySetExceptionCallback(None, None, None), ACL_ERROR_INVALID_PARAM, "binHandle")
    assert_status(aclrtBinarySetExceptionCallback(binary, None, None), ACL_ERROR_INVALID_PARAM, "callback")
    ok(aclrtBinaryUnLoad(binary))
    status = aclrtBinarySetExceptionCallback(binary, lambda info, data: None, c_void_p())
    assert_status(status, ACL_ERROR_RT_INVALID_HANDLE, "unloaded")
