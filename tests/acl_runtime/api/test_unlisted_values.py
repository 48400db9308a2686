"""Values of enums and flags that no document lists: functions refuse them, or their help says what they mean."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int64, c_size_t, c_void_p

import pytest

import acl_runtime
from acl_runtime import *
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.machines import board

UNLISTED = 7777


def granularity(handle: int, place: int) -> int:
    prop = aclrtPhysicalMemProp()
    prop.handleType, prop.memAttr, prop.location.type = handle, ACL_HBM_MEM_HUGE, place
    return aclrtMemGetAllocationGranularity(byref(prop), 0, byref(c_size_t()))


ACCEPTED: dict[str, tuple[Callable[[], int], str]] = {
    "aclrtMalloc": (lambda: aclrtMalloc(byref(c_void_p()), 64, UNLISTED), "an unknown value means the default"),
    "aclrtCreateStreamWithConfig": (
        lambda: aclrtCreateStreamWithConfig(byref(aclrtStream()), 0, UNLISTED << 12), "Unknown bits are ignored",
    ),
    "aclrtSetStreamFailureMode": (
        lambda: aclrtSetStreamFailureMode(create_stream(), UNLISTED), "Only the\nlowest bit counts",
    ),
    "aclopSetCompileFlag": (lambda: aclopSetCompileFlag(UNLISTED), "ACL_SUCCESS (0): always"),
    "aclrtMemGetAllocationGranularity": (
        lambda: granularity(UNLISTED, UNLISTED), "Unknown types of handles and\nof locations are ignored",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_function_that_accepts_an_unlisted_value_says_so(name: str) -> None:
    call, sentence = ACCEPTED[name]
    with board():
        assert call() == ACL_SUCCESS
    assert sentence in (getattr(acl_runtime, name).__doc__ or "")


def config() -> aclrtStreamConfigHandle:
    return aclrtCreateStreamConfigHandle()


REFUSED: dict[str, tuple[Callable[[], int], int]] = {
    "aclrtMallocCached": (lambda: aclrtMallocCached(byref(c_void_p()), 64, UNLISTED), ACL_ERROR_INVALID_PARAM),
    "aclrtMemcpy": (lambda: aclrtMemcpy(malloc(64), 64, bytes(64), 64, UNLISTED), ACL_ERROR_INVALID_PARAM),
    "aclrtGetMemInfo": (
        lambda: aclrtGetMemInfo(UNLISTED, byref(c_size_t()), byref(c_size_t())), ACL_ERROR_RT_INVALID_MEMORY_TYPE,
    ),
    "aclrtGetDeviceInfo": (lambda: aclrtGetDeviceInfo(0, UNLISTED, byref(c_int64())), ACL_ERROR_RT_PARAM_INVALID),
    "aclrtCreateEventWithFlag": (
        lambda: aclrtCreateEventWithFlag(byref(aclrtEvent()), UNLISTED << 7), ACL_ERROR_RT_PARAM_INVALID,
    ),
    "aclmdlRICaptureBegin": (lambda: aclmdlRICaptureBegin(create_stream(), UNLISTED), ACL_ERROR_RT_PARAM_INVALID),
    "aclrtSetStreamOverflowSwitch": (
        lambda: aclrtSetStreamOverflowSwitch(create_stream(), UNLISTED), ACL_ERROR_INVALID_PARAM,
    ),
    "aclrtLaunchCallback": (
        lambda: aclrtLaunchCallback(lambda _: None, None, UNLISTED, create_stream()), ACL_ERROR_INVALID_PARAM,
    ),
    "aclSetCompileopt": (lambda: aclSetCompileopt(UNLISTED, b"1"), ACL_ERROR_INTERNAL_ERROR),
    "aclrtSetStreamConfigOpt": (
        lambda: aclrtSetStreamConfigOpt(config(), UNLISTED, byref(c_size_t()), 4), ACL_ERROR_INVALID_PARAM,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_unlisted_value_is_refused(name: str) -> None:
    call, status = REFUSED[name]
    with board(on_undefined="report"):
        assert call() == status
