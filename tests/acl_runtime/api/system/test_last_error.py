"""The last error of a thread, fault recovery (public)."""

from collections.abc import Callable
from ctypes import POINTER, byref, c_uint8, c_void_p, cast, sizeof

import pytest

import acl_runtime
from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of

LEVEL = ACL_RT_THREAD_LEVEL


def test_get_clears_and_peek_does_not(machine: Machine) -> None:
    """ "`Get` resets it to 0, `Peek` does not; success does not reset it" (public)."""
    assert aclrtPeekAtLastError(LEVEL) == aclrtGetLastError(LEVEL) == ACL_SUCCESS
    assert aclrtSetDevice(99) == ACL_ERROR_RT_INVALID_DEVICEID
    assert aclrtSetDevice(0) == ACL_SUCCESS
    assert [aclrtPeekAtLastError(LEVEL) for _ in range(2)] == 2 * [ACL_ERROR_RT_INVALID_DEVICEID]
    assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_INVALID_DEVICEID
    assert aclrtPeekAtLastError(LEVEL) == aclrtGetLastError(LEVEL) == ACL_SUCCESS


def test_the_latest_failure_counts(machine: Machine) -> None:
    """The code of the last runtime-layer failure (public)."""
    aclrtSetDevice(99)
    aclrtMemcpy(bytearray(8), 4, bytes(8), 8, ACL_MEMCPY_DEFAULT)
    assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_PARAM_INVALID


@pytest.mark.parametrize("call", [aclrtGetLastError, aclrtPeekAtLastError], ids=lambda call: call.__name__)
@pytest.mark.parametrize("level", [1, -1])
def test_a_level_but_0_is_100000(machine: Machine, call: Callable[[int], int], level: int) -> None:
    """ "Level must be 0 else 100000" (public); that is not remembered itself."""
    aclrtSetDevice(99)
    aclGetRecentErrMsg()
    assert_status(call(level), ACL_ERROR_INVALID_PARAM, "(EH0007)", "level", "ACL_RT_THREAD_LEVEL")
    assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_INVALID_DEVICEID


def test_each_thread_has_its_own(machine: Machine) -> None:
    """Thread-local (public)."""
    aclrtSetDevice(99)
    assert in_thread(lambda: aclrtGetLastError(LEVEL)) == ACL_SUCCESS
    assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_INVALID_DEVICEID


def test_it_is_independent_of_the_error_text(machine: Machine) -> None:
    """The store of error messages and the last error are independent (public)."""
    aclrtSetDevice(99)
    assert aclGetRecentErrMsg()
    assert aclrtPeekAtLastError(LEVEL) == ACL_ERROR_RT_INVALID_DEVICEID
    aclrtSetDevice(98)
    assert aclrtGetLastError(LEVEL) == ACL_ERROR_RT_INVALID_DEVICEID
    assert "98" in (aclGetRecentErrMsg() or "")
    assert aclGetRecentErrMsg() is None, "asking for the last error records nothing"


NOT_REMEMBERED = {
    "null pointer 100000": (lambda: aclrtFree(None), ACL_ERROR_INVALID_PARAM),
    "size 0 100000": (lambda: aclrtMalloc(byref(c_void_p()), 0, 0), ACL_ERROR_INVALID_PARAM),
    "null output 100000": (lambda: aclrtCreateContext(None, 0), ACL_ERROR_INVALID_PARAM),
    "a missing file 100003": (lambda: aclInit("/no/such/file"), ACL_ERROR_INVALID_FILE),
    "codes of aclnn objects 161001": (
        lambda: aclInitTensor(None, None, 0, 0, None, 0, 2, None, 0, None), ACLNN_ERR_PARAM_NULLPTR,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "status"), NOT_REMEMBERED.values(), ids=NOT_REMEMBERED)
def test_refusals_of_the_acl_layer_are_not_remembered(machine: Machine, call: Callable[[], int], status: int) -> None:
    """ "Not recorded: everything rejected in the ACL layer [...], aclnn codes" (public)."""
    assert call() == status
    assert aclrtGetLastError(LEVEL) == ACL_SUCCESS


def test_the_help_lists_each_status_of_the_runtime_layer() -> None:
    functions = (getattr(getattr(acl_runtime, name), "c", None) for name in acl_runtime.__all__)
    returned = {status for each in functions if each and "hccl" not in each.header for status in each.statuses}
    runtime = {status for status in returned if status // 1000 in (107, 207, 507)}
    assert runtime <= set(aclrtGetLastError.c.statuses)


def test_a_failure_without_context_is_remembered(machine: Machine) -> None:
    """ "Failures [...] that came from runtime calls are recorded by those runtime calls" (public)."""

    def work() -> tuple[int, int]:
        return aclrtMalloc(byref(c_void_p()), 64, 0), aclrtGetLastError(LEVEL)

    assert in_thread(work) == (ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_CONTEXT_NULL)


@pytest.mark.fidelity("hardware errors")
def test_ordinary_use_has_no_hardware_error(machine: Machine) -> None:
    """ "Ordinary use returns 'no error' (type 0)" (public)."""
    info = aclrtErrorInfo()
    raw = cast(byref(info), POINTER(c_uint8))
    for i in range(sizeof(info)):
        raw[i] = 0xAA
    assert in_thread(lambda: aclrtGetErrorVerbose(0, byref(info))) == ACL_SUCCESS, "it needs no context"
    assert info.errorType == ACL_RT_NO_ERROR
    assert not any(bytes(info))


def test_hardware_errors_refuse_null_before_the_device(machine: Machine) -> None:
    """Null 100000 before the device 107001 (public)."""
    assert_status(aclrtGetErrorVerbose(9, None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "errorInfo")
    status = aclrtGetErrorVerbose(9, byref(aclrtErrorInfo()))
    assert_status(status, ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "deviceId", "[0, 1)")


def test_hardware_error_to_a_wild_address() -> None:
    """A bad address of the host is a finding, never a crash (ours)."""
    with Machine() as machine:
        assert finding_of(lambda: aclrtGetErrorVerbose(0, 0x10))[0] == "host-overrun"
    with Machine(on_undefined="report") as machine:
        assert aclrtGetErrorVerbose(0, 0x10) == ACL_ERROR_RT_PARAM_INVALID
    check_documented(machine)


def test_task_abort_is_not_supported_200001(machine: Machine) -> None:
    """Fault recovery: "an unsupported code; samples tolerate any" (public)."""
    status = aclrtDeviceTaskAbort(0, 1000)
    assert_status(status, ACL_ERROR_API_NOT_SUPPORT, "(EH0006)", "Aborting the tasks of the device", "aclrtStreamAbort")
    assert_status(aclrtDeviceTaskAbort(1, 1000), ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "deviceId")
