"""Devices, contexts and what is current in which thread (runtime rules, 1.2 and 2.3 to 2.7)."""

from ctypes import byref

import pytest

from acl_runtime import (
    ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
    ACL_ERROR_RT_INVALID_DEVICEID,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_PARAM_INVALID,
    ACL_SUCCESS,
    Machine,
    aclrtContext,
    aclrtCreateContext,
    aclrtDestroyContext,
    aclrtFree,
    aclrtResetDevice,
    aclrtSetCurrentContext,
    aclrtSetDevice,
    aclrtSynchronizeStream,
)
from tests.builders import malloc
from tests.runtime.common import (
    SOFTMAX_RESULT,
    assert_status,
    create_context,
    create_stream,
    current_device,
    in_thread,
    launch_softmax,
)


def default_context(machine: Machine, device: int = 0) -> aclrtContext:
    """Handle of a device's default context, which in this version no function returns."""
    primary = machine.devices[device].primary
    assert primary is not None
    return aclrtContext(primary.number)


@pytest.mark.parametrize("device", [-1, 2, 99])
def test_device_out_of_range(two: Machine, device: int) -> None:
    """Negative or >= count: 107001, expected [0, N) (runtime rules, 2.3, 2.4, 2.5)."""
    words = ("(EE1003)", "deviceId", str(device), "[0, 2)")
    assert_status(aclrtSetDevice(device), ACL_ERROR_RT_INVALID_DEVICEID, *words)
    assert_status(aclrtResetDevice(device), ACL_ERROR_RT_INVALID_DEVICEID, *words)
    context = aclrtContext()
    assert_status(aclrtCreateContext(byref(context), device), ACL_ERROR_RT_INVALID_DEVICEID, *words)
    assert not context


def test_switching_devices(two: Machine) -> None:
    """The last aclrtSetDevice decides; the old device stays open (runtime rules, 2.3)."""
    assert current_device(two) == "none"
    for device in (0, 1, 0):
        assert aclrtSetDevice(device) == ACL_SUCCESS
        assert current_device(two) == f"device {device}"


def test_references_are_counted(two: Machine) -> None:
    """Each set counts one, the thread stays bound until the last reset, one more is 507007 (runtime rules, 2.4)."""
    assert aclrtSetDevice(0) == aclrtSetDevice(0) == in_thread(lambda: aclrtSetDevice(0)) == ACL_SUCCESS
    for _ in range(2):
        assert aclrtResetDevice(0) == ACL_SUCCESS
        assert current_device(two) == "device 0"
    assert in_thread(lambda: aclrtResetDevice(0)) == ACL_SUCCESS
    assert current_device(two) == "none"
    assert_status(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "(EE1018)", "device 0")


def test_reset_of_a_device_never_set(two: Machine) -> None:
    """507007, also where an explicit context holds the device (runtime rules, 2.4)."""
    create_context(1)
    assert_status(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "(EE1018)", "device 1")


def test_last_reset_finishes_the_work_and_ends_the_streams(machine: Machine) -> None:
    """At 0 it waits for the default context's work, then its streams are dead (runtime rules, 2.4)."""
    context = create_context()
    assert aclrtSetDevice(0) == ACL_SUCCESS
    stream = create_stream()
    queued = [launch_softmax(stream)[2], launch_softmax(None)[2]]
    assert aclrtResetDevice(0) == aclrtResetDevice(0) == ACL_SUCCESS
    assert [machine.read(out.address, 8, "f4")[0] for out in queued] == [SOFTMAX_RESULT] * 2
    assert aclrtSetCurrentContext(context) == ACL_SUCCESS
    assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "stream 1")


def test_memory_of_a_released_device(machine: Machine) -> None:
    """It is reclaimed, its pointers are dead, and it counts as leaked (runtime rules, 2.4)."""
    address = malloc(64)
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert_status(aclrtFree(address), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)")
    assert [finding.id for finding in machine.findings.worth_telling] == ["mem-leaked"]


def test_explicit_contexts_hold_the_device(machine: Machine) -> None:
    """A reset does not destroy them, they stay usable, and so does the memory (runtime rules, 2.4)."""
    address = malloc(64)
    context = create_context()
    stream = create_stream()
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert current_device(machine) == "device 0"
    assert aclrtSynchronizeStream(stream) == aclrtFree(address) == aclrtDestroyContext(context) == ACL_SUCCESS
    assert not machine.findings.worth_telling


def test_default_context_keeps_its_handle(machine: Machine) -> None:
    """Set anew after its release it is the same value again, and no 107000 (runtime rules, 2.4)."""
    before = default_context(machine)
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert_status(aclrtSetCurrentContext(before), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)")
    assert aclrtSetDevice(0) == ACL_SUCCESS
    assert default_context(machine) == before
    assert aclrtSetCurrentContext(before) == ACL_SUCCESS


def test_destroying_a_context_ends_its_streams_not_its_memory(machine: Machine) -> None:
    """Streams go with it, what is queued is dropped, device memory stays (runtime rules, 2.7)."""
    context = create_context()
    stream = create_stream()
    out = launch_softmax(stream)[2]
    assert aclrtDestroyContext(context) == aclrtSetDevice(0) == ACL_SUCCESS
    assert_status(
        aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "stream 1", "destroyed with context"
    )
    assert not out.read().any(), "the task never ran"
    assert [finding.id for finding in machine.findings.worth_telling] == ["work-dropped"]


def test_context_refusals(machine: Machine) -> None:
    """Null, destroyed, default and foreign handles (runtime rules, 2.5 to 2.7)."""
    assert_status(aclrtCreateContext(None, 99), ACL_ERROR_INVALID_PARAM, "(EH0008)", "context")
    assert_status(aclrtSetCurrentContext(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "context")
    assert_status(aclrtDestroyContext(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "context")
    assert_status(aclrtDestroyContext(default_context(machine)), ACL_ERROR_RT_CONTEXT_NULL, "(EE1017)", "default")
    dead = create_context()
    aclrtDestroyContext(dead)
    assert_status(aclrtSetCurrentContext(dead), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)", "context", "destroyed")
    assert_status(aclrtDestroyContext(dead), ACL_ERROR_RT_CONTEXT_NULL, "(EE1017)", "context", "destroyed")
    aclrtSetDevice(0)
    stream = create_stream()
    assert_status(aclrtSetCurrentContext(stream), ACL_ERROR_RT_PARAM_INVALID, "stream 1")
    assert_status(aclrtDestroyContext(stream), ACL_ERROR_RT_CONTEXT_NULL, "stream 1")


def test_no_device_at_all() -> None:
    """A machine without devices refuses each id (runtime rules, 2.3)."""
    with Machine(device_count=0):
        assert_status(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId")
