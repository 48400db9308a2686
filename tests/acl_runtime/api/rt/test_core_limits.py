"""Limits of cores: process, stream, thread (public)."""

from collections.abc import Callable
from ctypes import byref, c_uint32
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax

CUBE, VECTOR = ACL_RT_DEV_RES_CUBE_CORE, ACL_RT_DEV_RES_VECTOR_CORE
HARDWARE = (24, 48)  # Ascend910B1


def both(query: Callable[[int, Any], int]) -> tuple[int, int]:
    """The results of a getter: (cube, vector)."""
    found: list[int] = []
    for type in (CUBE, VECTOR):
        value = c_uint32(12345)
        assert query(type, byref(value)) == ACL_SUCCESS
        found.append(value.value)
    return found[0], found[1]


def of_device(device: int = 0) -> tuple[int, int]:
    return both(lambda kind, value: aclrtGetDeviceResLimit(device, kind, value))


def of_stream(stream: aclrtStream | None) -> tuple[int, int]:
    return both(lambda kind, value: aclrtGetStreamResLimit(stream, kind, value))


def of_thread() -> tuple[int, int]:
    return both(aclrtGetResInCurrentThread)


def test_everything_is_the_hardware_at_first(machine: Machine) -> None:
    """ "Else hardware count" (public)."""
    assert of_device() == of_stream(None) == of_stream(create_stream()) == of_thread() == HARDWARE


def test_the_limit_of_the_stream_goes_before_that_of_the_process(machine: Machine) -> None:
    """ "Stream limit adopted by the thread, else process limit for the device, else hardware count", for each type of
    core (public)."""
    stream = create_stream()
    assert aclrtSetDeviceResLimit(0, CUBE, 10) == ACL_SUCCESS
    assert (of_device(), of_stream(stream), of_thread()) == ((10, 48), (10, 48), (10, 48))
    assert aclrtSetStreamResLimit(stream, VECTOR, 5) == ACL_SUCCESS
    assert (of_device(), of_stream(stream), of_thread()) == ((10, 48), (10, 5), (10, 48))
    assert aclrtUseStreamResInCurrentThread(stream) == ACL_SUCCESS
    assert of_thread() == (10, 5)
    assert aclrtSetStreamResLimit(stream, CUBE, 12) == ACL_SUCCESS
    assert of_thread() == (12, 5)
    assert of_stream(None) == of_device() == (10, 48)
    assert aclrtUnuseStreamResInCurrentThread(stream) == ACL_SUCCESS
    assert of_thread() == (10, 48)
    assert aclrtResetDeviceResLimit(0) == ACL_SUCCESS
    assert of_device() == of_thread() == HARDWARE
    assert of_stream(stream) == (12, 5)
    assert aclrtResetStreamResLimit(stream) == ACL_SUCCESS
    assert of_stream(stream) == HARDWARE


def test_last_setting_wins(machine: Machine) -> None:
    """ "Last setting wins" (public), also of two adopted streams."""
    streams = create_stream(), create_stream()
    for device, stream in ((3, 4), (5, 6)):
        assert aclrtSetDeviceResLimit(0, CUBE, device) == ACL_SUCCESS
        assert aclrtSetStreamResLimit(streams[0], CUBE, stream) == ACL_SUCCESS
    assert (of_device()[0], of_stream(streams[0])[0]) == (5, 6)
    assert aclrtSetStreamResLimit(streams[1], CUBE, 7) == ACL_SUCCESS
    for stream in streams:
        assert aclrtUseStreamResInCurrentThread(stream) == ACL_SUCCESS
    assert of_thread()[0] == 7
    assert aclrtUnuseStreamResInCurrentThread(streams[0]) == ACL_SUCCESS  # not the adopted stream: nothing changes
    assert of_thread()[0] == 7


def test_null_is_the_default_stream(machine: Machine) -> None:
    """ "Null stream = default stream" (public)."""
    assert aclrtSetStreamResLimit(None, CUBE, 2) == aclrtUseStreamResInCurrentThread(None) == ACL_SUCCESS
    assert of_stream(None) == of_thread() == (2, 48)
    create_context()
    assert (of_stream(None), of_thread()) == (HARDWARE, (2, 48))
    aclrtSetDevice(0)
    assert aclrtResetStreamResLimit(None) == ACL_SUCCESS
    assert of_thread() == HARDWARE
    assert aclrtUnuseStreamResInCurrentThread(None) == ACL_SUCCESS


def test_a_thread_adopts_for_itself(machine: Machine) -> None:
    """The "limit adopted by the thread" (public)."""
    assert aclrtSetStreamResLimit(None, CUBE, 2) == aclrtUseStreamResInCurrentThread(None) == ACL_SUCCESS

    def work() -> tuple[int, int]:
        aclrtSetDevice(0)
        return of_thread()

    assert in_thread(work) == HARDWARE
    assert of_thread() == (2, 48)


def test_a_destroyed_stream_is_no_longer_adopted(machine: Machine) -> None:
    """Its limits end with it (ours)."""
    stream = create_stream()
    assert aclrtSetStreamResLimit(stream, CUBE, 2) == aclrtUseStreamResInCurrentThread(stream) == ACL_SUCCESS
    assert aclrtDestroyStream(stream) == ACL_SUCCESS
    assert of_thread() == HARDWARE


def test_the_default_stream_of_a_device_set_anew_has_no_limit(machine: Machine) -> None:
    """The limit of the process stays. The limit of the stream ended with the stream (ours)."""
    assert aclrtSetDeviceResLimit(0, CUBE, 9) == aclrtSetStreamResLimit(None, CUBE, 2) == ACL_SUCCESS
    assert aclrtUseStreamResInCurrentThread(None) == aclrtResetDevice(0) == aclrtSetDevice(0) == ACL_SUCCESS
    assert of_stream(None) == of_thread() == (9, 48)


def test_limits_are_per_device(two: Machine) -> None:
    """ "Process limit for the device" (public); a stream's limit holds on its device only (ours). The limits of a
    device need no context (1.2)."""
    assert aclrtSetDeviceResLimit(1, VECTOR, 3) == ACL_SUCCESS
    assert (of_device(0), of_device(1)) == (HARDWARE, (24, 3))
    aclrtSetDevice(0)
    assert aclrtSetStreamResLimit(None, CUBE, 2) == aclrtUseStreamResInCurrentThread(None) == ACL_SUCCESS
    assert of_thread() == (2, 48)
    aclrtSetDevice(1)
    assert of_thread() == (24, 3)


@pytest.mark.fidelity("core limits")
def test_a_limit_changes_no_result(machine: Machine) -> None:
    """A limit changes the speed only (ours)."""
    assert aclrtSetDeviceResLimit(0, VECTOR, 1) == ACL_SUCCESS
    out = launch_softmax()[2]
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    assert machine.read(out.address, 8, "f4")[0] == SOFTMAX_RESULT


TYPES: dict[str, Callable[[int], int]] = {
    "aclrtGetDeviceResLimit": lambda kind: aclrtGetDeviceResLimit(99, kind, byref(c_uint32())),
    "aclrtSetDeviceResLimit": lambda kind: aclrtSetDeviceResLimit(99, kind, 0),
    "aclrtGetStreamResLimit": lambda kind: aclrtGetStreamResLimit(None, kind, byref(c_uint32())),
    "aclrtSetStreamResLimit": lambda kind: aclrtSetStreamResLimit(None, kind, 0),
    "aclrtGetResInCurrentThread": lambda kind: aclrtGetResInCurrentThread(kind, byref(c_uint32())),
}


@pytest.mark.fidelity("an unknown type of core limits")
@pytest.mark.parametrize("type", [-1, 2])
@pytest.mark.parametrize("call", TYPES.values(), ids=TYPES)
def test_bad_type_is_107000(two: Machine, call: Callable[[int], int], type: int) -> None:
    """aclrtGetDeviceResLimit: "the runtime tests the type's range first, then the device id" (public); the other
    functions do the same, before they check the value and the context (ours)."""
    assert_status(call(type), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "type", "ACL_RT_DEV_RES_CUBE_CORE")
    assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_PARAM_INVALID


@pytest.mark.parametrize("type", [CUBE, 2])
def test_null_output_is_100000(two: Machine, type: int) -> None:
    """ "The ACL layer tests only the output pointer" (public)."""
    assert_status(aclrtGetDeviceResLimit(99, type, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "value")
    assert_status(aclrtGetStreamResLimit(0x1234, type, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "value")
    assert_status(aclrtGetResInCurrentThread(type, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "value")


@pytest.mark.parametrize("device", [-1, 2])
def test_bad_device_is_107001(two: Machine, device: int) -> None:
    """Device id out of range (public)."""
    assert_status(
        aclrtGetDeviceResLimit(device, CUBE, byref(c_uint32())), ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "[0, 2)"
    )
    assert_status(aclrtSetDeviceResLimit(device, CUBE, 0), ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "[0, 2)")
    assert_status(aclrtResetDeviceResLimit(device), ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "[0, 2)")


@pytest.mark.fidelity("core limits")
@pytest.mark.parametrize(
    ("soc", "type", "value"),
    [
        pytest.param("Ascend910B1", CUBE, 0, id="none"),
        pytest.param("Ascend910B1", CUBE, 25, id="more cube cores than there are"),
        pytest.param("Ascend910B1", VECTOR, 49, id="more vector cores than there are"),
        pytest.param("Ascend910A", VECTOR, 1, id="no vector cores at all"),
    ],
)
def test_impossible_limit_is_107000(soc: str, type: int, value: int) -> None:
    """ "Argument/value invalid" (public): the range is ours. It comes before the context check."""
    with Machine(soc) as machine:
        assert_status(aclrtSetDeviceResLimit(0, type, value), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "value", soc)
        assert_status(aclrtSetStreamResLimit(None, type, value), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "value", soc)
    check_documented(machine)


ON_STREAMS: dict[str, Callable[[Any], int]] = {
    "aclrtGetStreamResLimit": lambda stream: aclrtGetStreamResLimit(stream, CUBE, byref(c_uint32())),
    "aclrtSetStreamResLimit": lambda stream: aclrtSetStreamResLimit(stream, CUBE, 1),
    "aclrtResetStreamResLimit": aclrtResetStreamResLimit,
    "aclrtUseStreamResInCurrentThread": aclrtUseStreamResInCurrentThread,
    "aclrtUnuseStreamResInCurrentThread": aclrtUnuseStreamResInCurrentThread,
}


@pytest.mark.parametrize("call", ON_STREAMS.values(), ids=ON_STREAMS)
def test_a_dead_stream_is_refused_before_ranges_and_context(machine: Machine, call: Callable[[Any], int]) -> None:
    """107017 for a dead handle, "before range checks and before the context check"; 107002 without a context
    (public)."""
    dead, live = create_stream(), create_stream()
    assert aclrtDestroyStream(dead) == ACL_SUCCESS

    def work() -> None:
        assert_status(call(dead), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "stream 1")
        assert_status(call(live), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(call(None), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")

    in_thread(work)
    assert_status(aclrtSetStreamResLimit(dead, CUBE, 0), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(call(dead), ACL_ERROR_RT_INVALID_HANDLE)


def test_a_limit_of_another_context_s_stream_can_only_be_asked(machine: Machine) -> None:
    """Its limit can be queried and adopted, but not changed: 107003 (public; ours for which functions)."""
    stream = create_stream()
    create_context()
    assert aclrtUseStreamResInCurrentThread(stream) == aclrtUnuseStreamResInCurrentThread(stream) == ACL_SUCCESS
    assert of_stream(stream) == HARDWARE
    assert_status(aclrtSetStreamResLimit(stream, CUBE, 1), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)")
    assert_status(aclrtResetStreamResLimit(stream), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)")


def test_thread_without_a_context_is_107002(machine: Machine) -> None:
    """The device is that of the current context (public)."""
    assert in_thread(lambda: aclrtGetResInCurrentThread(CUBE, byref(c_uint32()))) == ACL_ERROR_RT_CONTEXT_NULL
