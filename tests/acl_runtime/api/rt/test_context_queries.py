"""Queries: the current context, the handle of the default stream, the state of default contexts (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32, c_uint32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status
from tests.helpers.outcomes import text as error_text
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax


def current_context() -> aclrtContext:
    context = aclrtContext()
    assert aclrtGetCurrentContext(byref(context)) == ACL_SUCCESS
    return context


def default_stream() -> aclrtStream:
    stream = aclrtStream()
    assert aclrtCtxGetCurrentDefaultStream(byref(stream)) == ACL_SUCCESS
    return stream


def active(device: int = 0) -> int:
    state = c_int32(-1)
    assert aclrtGetPrimaryCtxState(device, None, byref(state)) == ACL_SUCCESS
    return state.value


NULLS: dict[str, Callable[[], int]] = {
    "aclrtGetCurrentContext": lambda: aclrtGetCurrentContext(None),
    "aclrtCtxGetCurrentDefaultStream": lambda: aclrtCtxGetCurrentDefaultStream(None),
    "aclrtGetPrimaryCtxState": lambda: aclrtGetPrimaryCtxState(99, None, None),
}


@pytest.mark.parametrize("call", NULLS.values(), ids=NULLS)
def test_null_output_is_100000(two: Machine, call: Callable[[], int]) -> None:
    """ "Null -> 100000", before the context check (public)."""
    assert_status(call(), ACL_ERROR_INVALID_PARAM, "(EH0008)")


def test_the_current_context_is_the_explicit_or_the_default_one(two: Machine) -> None:
    """ "With only a device set it returns the default context" (public), else the explicit one (1.2)."""
    aclrtSetDevice(0)
    default = current_context()
    assert default
    explicit = create_context(1)
    assert current_context() == explicit != default
    aclrtSetDevice(0)
    assert current_context() == default == in_thread(lambda: aclrtSetDevice(0) or current_context())
    aclrtSetDevice(1)
    assert current_context() not in (default, explicit)
    assert aclrtSetCurrentContext(default) == ACL_SUCCESS
    assert current_context() == default


def test_no_current_context_is_107002_silently(machine: Machine) -> None:
    """ "None -> 107002 silently" (public)."""

    def work() -> None:
        context = aclrtContext(5)
        assert aclrtGetCurrentContext(byref(context)) == ACL_ERROR_RT_CONTEXT_NULL
        assert (context, error_text(), machine.thread().last_error) == (5, "", 0)

    in_thread(work)
    context = create_context()
    assert aclrtDestroyContext(context) == ACL_SUCCESS
    work()


def test_default_stream_is_what_null_means(machine: Machine) -> None:
    """ "The real handle of the default stream (usable like nullptr)" (public)."""
    stream = default_stream()
    assert stream
    assert stream == default_stream()
    outs = launch_softmax(stream)[2], launch_softmax(None)[2]
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS
    assert [out.read()[0] for out in outs] == [SOFTMAX_RESULT] * 2
    assert repr(stream) == "<the default stream of default context of device 0>"


def test_default_stream_is_no_explicit_one(machine: Machine) -> None:
    """The query does not change the ordinals of explicit streams, by which texts name them (ours)."""
    assert default_stream() != create_stream()
    assert [str(stream) for stream in machine.devices[0].streams()] == [
        "stream 1",
        "the default stream of default context of device 0",
    ]


def test_each_context_has_a_default_stream(machine: Machine) -> None:
    """The query gives the stream of the current context (public)."""
    first = default_stream()
    context = create_context()
    second = default_stream()
    assert first != second
    aclrtSetDevice(0)
    assert default_stream() == first
    assert aclrtSetCurrentContext(context) == ACL_SUCCESS
    assert default_stream() == second


def test_default_stream_goes_with_its_context(machine: Machine) -> None:
    """It lives as long as the context; afterwards the handle is dead: 107017 (public)."""
    primary = default_stream()
    context = create_context()
    explicit = default_stream()
    assert aclrtDestroyContext(context) == aclrtSetDevice(0) == ACL_SUCCESS
    assert_status(aclrtSynchronizeStream(explicit), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "context 1")
    assert aclrtSynchronizeStream(primary) == ACL_SUCCESS
    assert aclrtResetDevice(0) == aclrtResetDevice(0) == ACL_SUCCESS
    assert_status(aclrtSynchronizeStream(primary), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)")
    assert aclrtSetDevice(0) == ACL_SUCCESS
    assert default_stream() != primary


def test_default_stream_is_no_leak() -> None:
    """ "Not to be destroyed" (public), so it is not reported as a leak."""
    with Machine() as machine:
        aclrtSetDevice(0)
        default_stream()
        create_context()
        default_stream()
    assert [finding.id for finding in machine.findings.worth_telling] == ["device-not-reset", "context-leaked"]


def test_default_stream_without_a_context_is_107002(machine: Machine) -> None:
    """Unlike queries of the context itself, this call records an error text (public)."""

    def work() -> None:
        stream = aclrtStream()
        assert_status(aclrtCtxGetCurrentDefaultStream(byref(stream)), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert not stream
        assert machine.thread().last_error == ACL_ERROR_RT_CONTEXT_NULL

    in_thread(work)


def test_state_of_the_default_context(two: Machine) -> None:
    """ "Active 1/0" (public), for each device. An explicit context does not count."""
    assert (active(0), active(1)) == (0, 0)
    assert aclrtCreateContext(byref(aclrtContext()), 0) == ACL_SUCCESS
    assert (active(0), active(1)) == (0, 0)
    assert aclrtSetDevice(1) == aclrtSetDevice(1) == ACL_SUCCESS
    assert (active(0), active(1)) == (0, 1)
    assert aclrtResetDevice(1) == ACL_SUCCESS
    assert active(1) == 1
    assert aclrtResetDevice(1) == ACL_SUCCESS
    assert active(1) == 0
    assert aclrtSetDevice(1) == ACL_SUCCESS
    assert active(1) == 1


def test_flags_must_be_null_else_100000(two: Machine) -> None:
    """ "`flags` is reserved and must be null (100000)" (public), before all else (1.1)."""
    status = aclrtGetPrimaryCtxState(99, byref(c_uint32()), None)
    assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "flags")


@pytest.mark.parametrize("device", [-1, 2])
def test_bad_device_is_107001(two: Machine, device: int) -> None:
    """ "Bad id 107001" (public)."""
    status = aclrtGetPrimaryCtxState(device, None, byref(c_int32()))
    assert_status(status, ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "[0, 2)")
