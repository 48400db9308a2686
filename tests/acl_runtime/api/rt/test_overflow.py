"""Overflow of floating point results: mode, status, switch (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32, c_uint32

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from tests.conftest import check_documented
from tests.helpers.builders import malloc, on_device, run
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of

SATURATION, INF_NAN = ACL_RT_OVERFLOW_MODE_SATURATION, ACL_RT_OVERFLOW_MODE_INFNAN


def mode() -> int:
    value = c_int32(-1)
    assert aclrtGetDeviceSatMode(byref(value)) == ACL_SUCCESS
    return value.value


@pytest.mark.fidelity("overflow status", "the saturation mode of floats")
@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910_9391", "Ascend950PR_9599"])
def test_the_process_has_one_mode_and_inf_nan_is_the_default(soc: str) -> None:
    """ "Otherwise stored for the process"; "the runtime starts with 1" where the chip has it; "no context needed";
    "950 INFNAN (1) only" (public)."""
    with Machine(soc, device_count=2) as machine:
        assert mode() == INF_NAN == 1
        newest = soc.startswith("Ascend950")
        expected = ACL_ERROR_RT_FEATURE_NOT_SUPPORT if newest else ACL_SUCCESS
        assert aclrtSetDeviceSatMode(SATURATION) == expected
        aclrtSetDevice(1)
        assert mode() == (INF_NAN if newest else SATURATION)
        assert aclrtSetDeviceSatMode(INF_NAN) == ACL_SUCCESS
        assert mode() == INF_NAN
    check_documented(machine)


@pytest.mark.fidelity("the saturation mode of floats")
@pytest.mark.parametrize("chosen", [SATURATION, INF_NAN])
def test_operators_compute_with_inf_and_nan_whatever_the_mode(machine: Machine, chosen: int) -> None:
    """FLOAT16: 300 * 300 is Inf, not 65504, and Inf - Inf is NaN (ours)."""
    assert aclrtSetDeviceSatMode(chosen) == ACL_SUCCESS
    grad, y = np.array([[300, 0]], np.float16), np.array([[300, 1]], np.float16)
    out = on_device(np.zeros((1, 2), np.float16))
    run(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, on_device(grad), on_device(y), 0, out)
    assert out.read().tolist() == [[-np.inf, 0]]
    infinite = on_device(np.array([[np.inf, 1]], np.float16))
    run(aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, infinite, on_device(y), 0, out)
    assert np.isnan(out.read()[0, 0])


@pytest.mark.fidelity("overflow status")
@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310P3", "Ascend310B1"])
def test_older_products_saturate_and_a_good_probe_leaves_no_error(soc: str) -> None:
    """ "Mode 0 on a saturation-only chip: 0 at once (no context needed). Mode 1 there: 207000"; "aclrtGetDeviceSatMode:
    0 with the process's mode" (public)."""
    with Machine(soc) as machine:
        assert aclrtSetDeviceSatMode(SATURATION) == ACL_SUCCESS
        assert mode() == SATURATION
        aclrtSetDevice(0)
        assert aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS
        assert_status(aclrtSetDeviceSatMode(INF_NAN), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1006)", soc)
        assert aclrtSetDeviceSatMode(2) == ACL_ERROR_RT_PARAM_INVALID
        assert mode() == SATURATION
    check_documented(machine)


@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310P3", "Ascend310B1"])
def test_older_products_have_no_switch_of_a_stream(soc: str) -> None:
    """ "Flag not 0 or 1: 100000. Then [...] returns 0 at once, does nothing, does not look at the stream handle"
    (public)."""
    with Machine(soc) as machine:
        aclrtSetDevice(0)
        stream = create_stream()
        before = switch(stream)
        assert before == (0 if soc == "Ascend310B1" else 1)
        for flag in (1, 0):
            assert aclrtSetStreamOverflowSwitch(stream, flag) == ACL_SUCCESS
            assert switch(stream) == before
        assert aclrtSetStreamOverflowSwitch(stream, 2) == ACL_ERROR_INVALID_PARAM
        assert aclrtDestroyStream(stream) == ACL_SUCCESS
        assert aclrtSetStreamOverflowSwitch(stream, 1) == ACL_SUCCESS
        assert in_thread(lambda: aclrtSetStreamOverflowSwitch(stream, 1)) == ACL_SUCCESS
    check_documented(machine)


@pytest.mark.parametrize("bad", [ACL_RT_OVERFLOW_MODE_UNDEF, 3, -1])
def test_a_mode_above_1_is_107000(machine: Machine, bad: int) -> None:
    """ "Mode outside 0..1: 107000" (public), also without a context."""
    assert_status(aclrtSetDeviceSatMode(bad), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "mode")
    assert in_thread(lambda: aclrtSetDeviceSatMode(bad)) == ACL_ERROR_RT_PARAM_INVALID
    assert mode() == INF_NAN


def test_mode_needs_no_context(machine: Machine) -> None:
    """ "0 even without a context"; "null 100000" (public)."""

    def work() -> None:
        assert aclrtSetDeviceSatMode(SATURATION) == ACL_SUCCESS
        assert mode() == SATURATION
        assert_status(aclrtGetDeviceSatMode(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "mode")

    in_thread(work)


def status_at(machine: Machine, address: int) -> list[int]:
    return [int(value) for value in np.unique(machine.read(address, 64, "u1"))]


@pytest.mark.fidelity("overflow status")
@pytest.mark.parametrize("own", [True, False], ids=["stream", "default stream"])
def test_status_is_written_by_a_task(machine: Machine, own: bool) -> None:
    """ "Writes a block of 64 bytes (first word 0 = none) to device memory asynchronously" (public)."""
    stream = create_stream() if own else None
    address = malloc(256)
    assert aclrtResetOverflowStatus(stream) == ACL_SUCCESS
    assert aclrtGetOverflowStatus(address + 64, 64, stream) == ACL_SUCCESS
    assert status_at(machine, address + 64) == [0xFF], "it was written before the stream was waited for"
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert status_at(machine, address + 64) == [0]
    assert status_at(machine, address) == status_at(machine, address + 128) == [0xFF], "beside the 64 bytes"


@pytest.mark.parametrize("schedule", ["eager", "random", "threads"])
def test_status_under_other_schedules(schedule: str) -> None:
    """A schedule may change when a task runs, but not its result (ours)."""
    with Machine(schedule=schedule, seed=1) as machine:
        aclrtSetDevice(0)
        address, stream = malloc(64), create_stream()
        assert aclrtGetOverflowStatus(address, 64, stream) == aclrtSynchronizeStream(stream) == ACL_SUCCESS
        assert status_at(machine, address) == [0]
    check_documented(machine)


@pytest.mark.parametrize("size", [0, 63, 65, 512])
def test_status_of_another_size_is_107000(machine: Machine, size: int) -> None:
    """ "Any size other than 64 -> 107000" (public), before the context check (1.1)."""
    address = malloc(512)
    assert_status(
        aclrtGetOverflowStatus(address, size, None), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "outputSize", "64"
    )
    assert in_thread(lambda: aclrtGetOverflowStatus(address, size, None)) == ACL_ERROR_RT_PARAM_INVALID


def test_of_several_mistakes_the_first_check_answers(machine: Machine) -> None:
    """Null 100000, dead stream 107017, size 107000, context 107002, another context's stream 107003 (public)."""
    address, dead, other = malloc(64), create_stream(), create_stream()
    assert aclrtDestroyStream(dead) == ACL_SUCCESS

    def work() -> None:
        assert_status(aclrtGetOverflowStatus(None, 1, dead), ACL_ERROR_INVALID_PARAM, "(EH0008)", "outputAddr")
        assert_status(aclrtGetOverflowStatus(address, 1, dead), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)")
        assert_status(aclrtGetOverflowStatus(address, 1, other), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)")
        assert_status(aclrtGetOverflowStatus(address, 64, other), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(aclrtGetOverflowStatus(address, 64, None), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(aclrtResetOverflowStatus(dead), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)")
        assert_status(aclrtResetOverflowStatus(None), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")

    in_thread(work)
    create_context()
    assert_status(aclrtGetOverflowStatus(address, 64, other), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)")
    assert_status(aclrtResetOverflowStatus(other), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)")


def test_status_to_what_is_no_live_device_memory_is_107000(machine: Machine) -> None:
    """ "Address refused by the driver" (public)."""
    freed = malloc(64)
    assert aclrtFree(freed) == ACL_SUCCESS
    host = np.zeros(64, np.uint8)
    assert_status(aclrtGetOverflowStatus(freed, 64, None), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "freed at")
    assert_status(aclrtGetOverflowStatus(host, 64, None), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "outputAddr")


def test_status_past_the_end_of_its_memory(machine: Machine) -> None:
    """A device would overwrite other memory silently; here it is a finding (ours)."""
    address = malloc(64)
    id, message = finding_of(lambda: aclrtGetOverflowStatus(address + 32, 64, None))
    assert id == "memcpy-size"
    assert "32 bytes left" in message
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert status_at(machine, address) == [0xFF]


def test_status_past_the_end_in_a_machine_that_reports() -> None:
    """ "Writes past the end are dropped" (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address = malloc(64)
        assert aclrtGetOverflowStatus(address + 32, 64, None) == aclrtSynchronizeStream(None) == ACL_SUCCESS
        assert machine.read(address, 64, "u1").tolist() == [0xFF] * 32 + [0] * 32
    check_documented(machine)


def test_status_to_memory_of_another_device(two: Machine) -> None:
    """ws-foreign, as for operators (ours)."""
    aclrtSetDevice(1)
    address = malloc(64)
    aclrtSetDevice(0)
    assert finding_of(lambda: aclrtGetOverflowStatus(address, 64, None))[0] == "ws-foreign"


def test_memory_freed_before_the_task_ran(machine: Machine) -> None:
    """io-freed-early names the task (ours)."""
    address = malloc(64)
    assert aclrtGetOverflowStatus(address, 64, None) == ACL_SUCCESS
    id, message = finding_of(lambda: aclrtFree(address))
    assert id == "io-freed-early"
    assert "aclrtGetOverflowStatus" in message
    assert aclrtSynchronizeStream(None) == aclrtFree(address) == ACL_SUCCESS


def test_memory_freed_before_the_task_ran_in_a_machine_that_reports() -> None:
    """The free happens, and the write is dropped without a second report (ours)."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address = malloc(64)
        assert aclrtGetOverflowStatus(address, 64, None) == aclrtFree(address) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS
        assert [finding.id for finding in machine.findings] == ["io-freed-early"]
    check_documented(machine)


def switch(stream: aclrtStream | None) -> int:
    flag = c_uint32(7)
    assert aclrtGetStreamOverflowSwitch(stream, byref(flag)) == ACL_SUCCESS
    return flag.value


def test_each_stream_has_its_own_switch(machine: Machine) -> None:
    """Of each stream, off at first; null is the default stream (public)."""
    stream = create_stream()
    assert (switch(stream), switch(None)) == (0, 0)
    assert aclrtSetStreamOverflowSwitch(stream, 1) == ACL_SUCCESS
    assert (switch(stream), switch(None)) == (1, 0)
    assert aclrtSetStreamOverflowSwitch(None, 1) == aclrtSetStreamOverflowSwitch(stream, 0) == ACL_SUCCESS
    assert (switch(stream), switch(None)) == (0, 1)


@pytest.mark.parametrize("flag", [2, -1, 1 << 31])
def test_switch_flag_is_0_or_1_else_100000(machine: Machine, flag: int) -> None:
    """ "Switch flag must be 0 or 1 else 100000" (public), before all else (1.1)."""
    assert_status(aclrtSetStreamOverflowSwitch(0x1234, flag), ACL_ERROR_INVALID_PARAM, "(EH0007)", "flag")
    assert in_thread(lambda: aclrtSetStreamOverflowSwitch(None, flag)) == ACL_ERROR_INVALID_PARAM


def test_the_switch_refuses_null_dead_streams_and_no_context(machine: Machine) -> None:
    """Null 100000, dead 107017, no context 107002 (public)."""
    dead, live = create_stream(), create_stream()
    assert aclrtDestroyStream(dead) == ACL_SUCCESS
    calls: list[Callable[[aclrtStream | None], int]] = [
        lambda stream: aclrtSetStreamOverflowSwitch(stream, 1),
        lambda stream: aclrtGetStreamOverflowSwitch(stream, byref(c_uint32())),
    ]

    def work() -> None:
        for call in calls:
            assert_status(call(dead), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)")
            assert_status(call(live), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
            assert_status(call(None), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(aclrtGetStreamOverflowSwitch(dead, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "flag")

    in_thread(work)
    create_context()
    assert_status(calls[0](live), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)")
    assert calls[1](live) == ACL_SUCCESS
