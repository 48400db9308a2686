"""Devices, contexts and what is current in which thread (public)."""

import threading
from ctypes import byref

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import OnDevice, malloc
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import Host, current_context, current_device, in_thread, wait
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax


@pytest.mark.parametrize("device", [-1, 2, 99])
def test_a_device_out_of_range_is_107001(two: Machine, device: int) -> None:
    """Negative or >= count: 107001, expected [0, N) (public)."""
    words = ("(EE1003)", "deviceId", str(device), "[0, 2)")
    assert_status(aclrtSetDevice(device), ACL_ERROR_RT_INVALID_DEVICEID, *words)
    assert_status(aclrtResetDevice(device), ACL_ERROR_RT_INVALID_DEVICEID, *words)
    context = aclrtContext()
    assert_status(aclrtCreateContext(byref(context), device), ACL_ERROR_RT_INVALID_DEVICEID, *words)
    assert not context


def test_the_last_set_device_is_current(two: Machine) -> None:
    """The last aclrtSetDevice decides; the old device stays open (public)."""
    assert current_device(two) == "none"
    for device in (0, 1, 0):
        assert aclrtSetDevice(device) == ACL_SUCCESS
        assert current_device(two) == f"device {device}"


def test_references_are_counted(two: Machine) -> None:
    """Each set counts one. The thread stays bound until the last reset; one more is 507007 (public)."""
    assert aclrtSetDevice(0) == aclrtSetDevice(0) == in_thread(lambda: aclrtSetDevice(0)) == ACL_SUCCESS
    for _ in range(2):
        assert aclrtResetDevice(0) == ACL_SUCCESS
        assert current_device(two) == "device 0"
    assert in_thread(lambda: aclrtResetDevice(0)) == ACL_SUCCESS
    assert current_device(two) == "none"
    assert_status(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "(EE1018)", "device 0")


def test_reset_of_a_device_never_set(two: Machine) -> None:
    """507007, also where an explicit context holds the device (public)."""
    create_context(1)
    assert_status(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "(EE1018)", "device 1")


def test_last_reset_finishes_the_work_and_ends_the_streams(machine: Machine) -> None:
    """The last reset waits for the default context's work; after that its streams are dead (public)."""
    context = create_context()
    assert aclrtSetDevice(0) == ACL_SUCCESS
    stream = create_stream()
    queued = [launch_softmax(stream)[2], launch_softmax(None)[2]]
    assert aclrtResetDevice(0) == aclrtResetDevice(0) == ACL_SUCCESS
    assert [machine.read(out.address, 8, "f4")[0] for out in queued] == [SOFTMAX_RESULT] * 2
    assert aclrtSetCurrentContext(context) == ACL_SUCCESS
    assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "stream 1")


@pytest.mark.fidelity("device memory still there when the last holder lets go of the device")
def test_memory_of_a_released_device(machine: Machine) -> None:
    """The memory is freed, its pointers are dead, and it is reported as leaked (public)."""
    address = malloc(64)
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert_status(aclrtFree(address), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)")
    assert [finding.id for finding in machine.findings.worth_telling] == ["mem-leaked"]


def test_explicit_contexts_hold_the_device(machine: Machine) -> None:
    """A reset does not destroy explicit contexts: they and the memory stay usable. The wrong order is reported
    (public)."""
    address = malloc(64)
    context = create_context()
    stream = create_stream()
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert current_device(machine) == "device 0"
    assert aclrtSynchronizeStream(stream) == aclrtFree(address) == aclrtDestroyContext(context) == ACL_SUCCESS
    assert {finding.id for finding in machine.findings.worth_telling} <= {"order-teardown", "stream-leaked"}


def test_default_context_keeps_its_handle(machine: Machine) -> None:
    """After a release and a new aclrtSetDevice, the handle has the same value and works (public)."""
    before = current_context()
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert_status(aclrtSetCurrentContext(before), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)")
    assert aclrtSetDevice(0) == ACL_SUCCESS
    assert current_context() == before
    assert aclrtSetCurrentContext(before) == ACL_SUCCESS


def test_destroying_a_context_ends_its_streams_not_its_memory(machine: Machine) -> None:
    """Its streams end with it, queued tasks are dropped, device memory stays (public)."""
    context = create_context()
    stream = create_stream()
    out = launch_softmax(stream)[2]
    assert aclrtDestroyContext(context) == aclrtSetDevice(0) == ACL_SUCCESS
    assert_status(
        aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "stream 1", "ended with context"
    )
    assert not out.read().any(), "the task never ran"
    assert [finding.id for finding in machine.findings.worth_telling] == ["work-dropped"]


def test_null_dead_default_and_foreign_contexts_are_refused(machine: Machine) -> None:
    """Null, destroyed, default and foreign handles (public)."""
    assert_status(aclrtCreateContext(None, 99), ACL_ERROR_INVALID_PARAM, "(EH0008)", "context")
    assert_status(aclrtSetCurrentContext(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "context")
    assert_status(aclrtDestroyContext(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "context")
    assert_status(aclrtDestroyContext(current_context()), ACL_ERROR_RT_CONTEXT_NULL, "(EE1017)", "default")
    dead = create_context()
    aclrtDestroyContext(dead)
    assert_status(aclrtSetCurrentContext(dead), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)", "context", "destroyed")
    assert_status(aclrtDestroyContext(dead), ACL_ERROR_RT_CONTEXT_NULL, "(EE1017)", "context", "destroyed")
    aclrtSetDevice(0)
    stream = create_stream()
    assert_status(aclrtSetCurrentContext(stream), ACL_ERROR_RT_PARAM_INVALID, "stream 1")
    assert_status(aclrtDestroyContext(stream), ACL_ERROR_RT_CONTEXT_NULL, "stream 1")


def test_a_machine_without_devices_refuses_each_id() -> None:
    """A machine without devices refuses each id (public)."""
    with Machine(device_count=0):
        assert_status(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId")


@pytest.mark.fidelity("contexts of one device")
def test_limit_of_contexts_207008() -> None:
    """ "Any number per device (bounded by streams)" (public): 512 on 310B, each with a default stream; the default
    context does not count (ours)."""
    with board(soc="Ascend310B1"):
        contexts = [create_context() for _ in range(512)]
        found = aclrtContext(5)
        status = aclrtCreateContext(byref(found), 0)
        assert_status(status, ACL_ERROR_RT_NO_STREAM_RESOURCE, "(EE1023)", "512", "Ascend310B1")
        assert found == 5
        assert current_context() == contexts[-1], "a creation that fails makes nothing current"
        assert aclrtDestroyContext(contexts[0]) == ACL_SUCCESS
        assert create_context()


def test_contexts_need_no_current_one(two: Machine) -> None:
    """Create, set, destroy: "calls that need no context" (public)."""
    context = in_thread(lambda: create_context(1))
    assert in_thread(lambda: aclrtSetCurrentContext(context)) == ACL_SUCCESS
    assert in_thread(lambda: aclrtDestroyContext(context)) == ACL_SUCCESS
    assert_status(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID, "(EE1018)", "destroyed")


def test_what_contexts_leave_as_last_error(machine: Machine) -> None:
    """Refusals of the runtime layer become the last error, the refusal of null does not (public)."""
    context = create_context()
    assert aclrtDestroyContext(context) == ACL_SUCCESS
    for call, status in (
        (lambda: aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID),
        (lambda: aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL),
        (lambda: aclrtCreateContext(byref(aclrtContext()), 9), ACL_ERROR_RT_INVALID_DEVICEID),
    ):
        assert call() == status
        assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == status
    assert aclrtDestroyContext(None) == ACL_ERROR_INVALID_PARAM
    assert aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS


def test_one_context_is_current_in_many_threads(machine: Machine) -> None:
    """ "Thread-local; the same context may be current in many threads" (public), and a stream may be used from each of
    them (1.7)."""
    context = create_context()
    stream = create_stream()

    def work() -> OnDevice:
        assert aclrtSetCurrentContext(context) == ACL_SUCCESS
        return launch_softmax(stream)[2]

    outs = [in_thread(work) for _ in range(3)]
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert [out.read()[0] for out in outs] == [SOFTMAX_RESULT] * 3


def test_destroyed_context_that_another_thread_has_current(machine: Machine) -> None:
    """ "Other threads that had it get 107002"; destroying it again is 107002 too. Versions after 9.1 return 507007 as
    long as another thread has it current; this is 9.1 (ours)."""
    context, set_current, destroyed = create_context(), threading.Event(), threading.Event()

    def work() -> None:
        assert aclrtSetCurrentContext(context) == ACL_SUCCESS
        set_current.set()
        wait(destroyed)
        assert_status(aclrtSynchronizeStream(None), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)", "context 1", "destroyed")
        assert aclrtDestroyContext(context) == ACL_ERROR_RT_CONTEXT_NULL

    other = Host(work)
    wait(set_current)
    assert aclrtDestroyContext(context) == ACL_SUCCESS
    assert_status(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL, "(EE1017)", "destroyed")
    destroyed.set()
    other.end()
