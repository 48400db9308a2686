"""Compiled-in kernels: registration before everything else, and launches (public)."""

from __future__ import annotations

from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.api.kernel.stand_in import Launch
from acl_runtime.checks.report.at_exit import without_kernel
from acl_runtime.objects.binaries import CompiledIn
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.kernel_binaries import described, elf, function, load, register
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok

STUB = 0x1234
COUNT = 8


def block(*slots: int) -> Any:
    return (c_uint64 * len(slots))(*slots)


def launch(*slots: int, stub: int = STUB, blocks: int = 1, stream: aclrtStream | None = None) -> int:
    arguments = block(*slots)
    return rtKernelLaunch(stub, blocks, arguments, 8 * len(slots), None, stream)


def add_one(launched: Launch) -> None:
    """y = x + 1."""
    x, y, count = launched.arguments
    launched.write(y, launched.read(x, count, np.float32) + 1)


def filled(value: float) -> int:
    pointer = malloc(4 * COUNT)
    data = np.full(COUNT, value, np.float32)
    ok(aclrtMemcpy(pointer, data.nbytes, data, data.nbytes, ACL_MEMCPY_HOST_TO_DEVICE))
    return int(getattr(pointer, "value", pointer))


def test_registration_needs_neither_aclinit_nor_a_device() -> None:
    """ "Runs in static constructors, before aclInit and without any device"."""
    with Machine() as machine:
        handle = register(STUB, "add_custom", "mul_custom")
        assert function(aclrtBinHandle(handle.value), "mul_custom")
        assert machine.part(CompiledIn).kernels[STUB].name == "add_custom"
        register(STUB + 1, "add_custom", "mul_custom", kernel="mul_custom")
        assert machine.part(CompiledIn).kernels[STUB + 1].name == "mul_custom"
        register(STUB + 2, "mixed_mix_aic", "mixed_mix_aiv", kernel="")
        assert machine.part(CompiledIn).kernels[STUB + 2].name == "mixed"


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_stand_in_is_a_task_of_the_stream(schedule: str) -> None:
    with board(schedule) as machine:
        machine.kernels["add_custom"] = add_one
        register(STUB, "add_custom")
        stream, pointer = create_stream(), filled(1.0)
        for _ in range(3):
            ok(launch(pointer, pointer, COUNT, stream=stream))
        ok(aclrtSynchronizeStream(stream))
        assert machine.read(pointer, COUNT, np.float32).tolist() == [4.0] * COUNT
        assert [task.name for task in machine.tasks].count("add_custom") == 3


def test_the_arguments_are_copied_at_once(machine: Machine) -> None:
    """ "`args` is a host block of argsSize bytes, copied at once"."""
    seen: list[tuple[Any, ...]] = []
    machine.kernels["k"] = lambda launched: seen.append(
        (launched.name, launched.blocks, launched.arguments, launched.raw[-2:])
    )
    register(STUB, "k")
    memory = np.arange(18, dtype=np.uint8)
    ok(rtKernelLaunch(STUB, 20, memory, 18, None, None))
    memory[:] = 0
    ok(rtKernelLaunch(STUB, 1, None, 0, None, None))
    ok(aclrtSynchronizeDevice())
    assert seen == [("k", 20, (0x0706050403020100, 0x0F0E0D0C0B0A0908), b"\x10\x11"), ("k", 1, (), b"")]


def test_a_stand_in_for_all_machines(machine: Machine) -> None:
    aclnn.kernel("k")(lambda launched: launched.write(launched.arguments[0], np.float32([7])))
    register(STUB, "k")
    pointer = filled(0.0)
    ok(launch(pointer))
    ok(aclrtSynchronizeDevice())
    assert machine.read(pointer, 1, np.float32)[0] == 7


@pytest.mark.fidelity("a launch of a device kernel without a stand-in")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_without_a_stand_in_the_task_fails_and_names_the_kernel(schedule: str) -> None:
    with board(schedule) as machine:
        register(STUB, "add_custom")
        stream = create_stream()
        ok(launch(0, stream=stream))
        status = aclrtSynchronizeStream(stream)
        assert_status(status, ACL_ERROR_RT_AICORE_EXCEPTION, "add_custom", 'machine.kernels["add_custom"] = function')
        assert without_kernel(machine) == ["launches of device kernels without a function (507015): add_custom 1x"]
        assert not [finding for finding in machine.findings if finding.level == "error"]


def test_an_exception_of_a_stand_in_is_found() -> None:
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        machine.kernels["k"] = lambda launched: 1 // 0
        register(STUB, "k")
        ok(launch(0))
        assert aclrtSynchronizeDevice() == ACL_ERROR_RT_AICORE_EXCEPTION
        (found,) = [finding for finding in machine.findings if finding.level == "error"]
        assert (found.id, "ZeroDivisionError" in found.what) == ("kernel-raised", True)
    check_documented(machine)


# the checks of memory see the accesses of a stand-in


def test_a_race_with_a_stand_in_is_found(machine: Machine) -> None:
    machine.kernels["k"] = lambda launched: launched.write(launched.arguments[0], np.zeros(COUNT, np.float32))
    register(STUB, "k")
    one, other, pointer = create_stream(), create_stream(), filled(1.0)
    ok(launch(pointer, stream=one))

    def run() -> None:
        ok(aclrtMemsetAsync(pointer, 4 * COUNT, 0, 4 * COUNT, other))
        ok(aclrtSynchronizeStream(other))
        ok(aclrtSynchronizeStream(one))

    assert finding_of(run)[0] == "xstream-race"


def test_a_stand_in_that_reads_past_the_end_is_found(machine: Machine) -> None:
    machine.kernels["k"] = lambda launched: launched.read(launched.arguments[0], 2 * COUNT, np.float32)
    register(STUB, "k")
    ok(launch(filled(1.0)))
    assert finding_of(aclrtSynchronizeDevice)[0] == "memcpy-size"


@pytest.mark.finds("uninit-read")
def test_bytes_that_a_stand_in_wrote_are_written(machine: Machine) -> None:
    machine.kernels["k"] = add_one
    register(STUB, "k")
    fresh = malloc(4 * COUNT)
    target = int(getattr(fresh, "value", fresh))
    ok(launch(filled(1.0), target, COUNT))
    ok(aclrtSynchronizeDevice())
    found = np.zeros(COUNT, np.float32)
    ok(aclrtMemcpy(found, found.nbytes, target, found.nbytes, ACL_MEMCPY_DEVICE_TO_HOST))
    assert found.tolist() == [2.0] * COUNT
    assert "uninit-read" not in [finding.id for finding in machine.findings]
    unwritten = malloc(4 * COUNT)
    ok(launch(int(getattr(unwritten, "value", unwritten)), target, COUNT))
    ok(aclrtSynchronizeDevice())
    assert "uninit-read" in [finding.id for finding in machine.findings]


# arguments


@pytest.mark.fidelity("functions of compiled-in kernels (rt) without a public header")
def test_arguments_of_a_binary(machine: Machine) -> None:
    good, kept = described(elf("k"))
    handle = c_void_p()
    assert_status(rtDevBinaryRegister(None, byref(handle)), ACL_ERROR_RT_PARAM_INVALID, "bin")
    assert_status(rtDevBinaryRegister(byref(good), None), ACL_ERROR_RT_PARAM_INVALID, "hdl")
    good.magic = 7
    assert_status(rtDevBinaryRegister(byref(good), byref(handle)), ACL_ERROR_RT_PARAM_INVALID, "0x7")
    good.magic, length, good.length = ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE, good.length, 0
    assert_status(rtDevBinaryRegister(byref(good), byref(handle)), ACL_ERROR_RT_PARAM_INVALID, "length")
    good.length, good.data = length, None
    assert_status(rtDevBinaryRegister(byref(good), byref(handle)), ACL_ERROR_RT_PARAM_INVALID, "data")
    assert not handle
    del kept


def test_arguments_of_a_stub(machine: Machine) -> None:
    handle = register(STUB, "k")
    for given, word in (
        ((None, 1, "s"), "binHandle"),
        ((handle, None, "s"), "stubFunc"),
        ((handle, 1, None), "stubName"),
    ):
        assert_status(rtFunctionRegister(*given, "k", 0), ACL_ERROR_RT_PARAM_INVALID, "(EE1004)", word)
    assert_status(rtFunctionRegister(STUB, 1, "s", "k", 0), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(rtFunctionRegister(handle, 1, "s", "absent", 0), ACL_ERROR_RT_INTERNAL_ERROR, "absent")
    assert rtFunctionRegister(handle, STUB, "s", "k", 0) == ACL_ERROR_RT_KERNEL_DUPLICATE
    assert aclGetRecentErrMsg() is None  # "same stub twice 507028 without a message"
    assert rtFunctionRegister(handle, 1, "", "k", 0) == ACL_SUCCESS


def test_arguments_of_a_launch(machine: Machine) -> None:
    handle = register(STUB, "k")
    machine.kernels["k"] = print
    assert_status(launch(stub=0), ACL_ERROR_RT_PARAM_INVALID, "(EE1004)", "stubFunc")
    for blocks in (0, 65536):
        assert_status(launch(blocks=blocks), ACL_ERROR_RT_PARAM_INVALID, "numBlocks")
    assert_status(launch(stub=STUB + 1), ACL_ERROR_RT_INTERNAL_ERROR, f"{STUB + 1:#x}")
    assert finding_of(lambda: rtKernelLaunch(STUB, 1, b"1234", 9, None, None))[0] == "host-overrun"
    stream = create_stream()
    ok(aclrtDestroyStream(stream))
    assert_status(launch(stream=stream), ACL_ERROR_RT_INVALID_HANDLE)
    ok(aclrtBinaryUnLoad(handle))
    assert_status(launch(), ACL_ERROR_RT_INTERNAL_ERROR)
    assert not machine.tasks


def test_a_launch_needs_a_context() -> None:
    with Machine() as machine:
        register(STUB, "k")
        assert_status(launch(), ACL_ERROR_RT_CONTEXT_NULL)
    check_documented(machine)


def test_a_queued_launch_survives_its_binary(machine: Machine) -> None:
    """ "Does not wait for running kernels"."""
    called: list[Launch] = []
    machine.kernels["k"] = called.append
    handle = register(STUB, "k")
    ok(launch())
    ok(aclrtBinaryUnLoad(handle))
    ok(aclrtSynchronizeDevice())
    assert len(called) == 1


@pytest.mark.fidelity("functions of compiled-in kernels (rt) without a public header")
@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend310P3", "Ascend910A", "Ascend310B1"])
def test_the_memory_by_which_cores_synchronise(soc: str) -> None:
    with Machine(soc=soc, device_count=2) as machine:
        found: list[int] = []
        for device in (0, 1, 0):
            aclrtSetDevice(device)
            address, size = c_uint64(), c_uint32()
            assert rtGetC2cCtrlAddr(byref(address), byref(size)) == ACL_SUCCESS
            ok(aclrtMemset(address.value, size.value, 0, size.value))
            found.append(address.value)
        assert found[0] == found[2] != found[1]
        assert machine.devices[0].memory.used == 0
        assert_status(rtGetC2cCtrlAddr(None, byref(c_uint32())), ACL_ERROR_RT_PARAM_INVALID, "addr")
        assert_status(rtGetC2cCtrlAddr(byref(c_uint64()), None), ACL_ERROR_RT_PARAM_INVALID, "len")


def test_the_950_series_has_no_such_memory() -> None:
    """ "950: 207000"."""
    with Machine(soc="Ascend950PR_9599"):
        aclrtSetDevice(0)
        status = rtGetC2cCtrlAddr(byref(c_uint64()), byref(c_uint32()))
        assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "Ascend950PR_9599")


ABSENT = """
    aclrtFunctionGetAvailDynUbufPerBlock rtKernelLaunchWithFlag rtKernelLaunchWithFlagV2 rtKernelLaunchWithHandle
    rtSetDevice rtGetDevice rtMalloc rtMemcpy aclnnTopkV2""".split()


@pytest.mark.fidelity("functions of compiled-in kernels (rt) without a public header")
@pytest.mark.parametrize("name", ABSENT)
def test_other_functions_of_the_interface_are_absent(name: str) -> None:
    import acl_runtime

    assert not hasattr(acl_runtime, name)
    assert not hasattr(aclnn, name)


def test_a_binary_of_both_interfaces_is_one_kind_of_object(machine: Machine) -> None:
    """ "returns a program handle usable as `aclrtBinHandle`"."""
    registered, loaded = register(STUB, "k"), load("k")
    for each in (aclrtBinHandle(registered.value), loaded):
        assert function(each, "k")
    assert rtFunctionRegister(loaded, STUB + 1, "s", None, 0) == ACL_SUCCESS
