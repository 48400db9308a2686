"""Callbacks for the failed kernels of one binary (public): "called for failing kernels of this binary only"."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
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


def test_arguments_of_a_callback(machine: Machine) -> None:
    binary = load("k")
    assert_status(aclrtBinarySetExceptionCallback(None, None, None), ACL_ERROR_INVALID_PARAM, "binHandle")
    assert_status(aclrtBinarySetExceptionCallback(binary, None, None), ACL_ERROR_INVALID_PARAM, "callback")
    ok(aclrtBinaryUnLoad(binary))
    status = aclrtBinarySetExceptionCallback(binary, lambda info, data: None, c_void_p())
    assert_status(status, ACL_ERROR_RT_INVALID_HANDLE, "unloaded")
