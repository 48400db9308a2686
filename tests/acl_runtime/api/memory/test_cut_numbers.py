"""Addresses and handles of which ctypes kept 32 bits, as a program does that calls the C library without argtypes
(ours)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_void_p

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.outcomes import assert_status, ok

CALLS: dict[str, Callable[[int], int]] = {
    "aclrtFree": aclrtFree,
    "aclrtMemset": lambda address: aclrtMemset(address, 64, 0, 64),
    "aclrtMemsetAsync": lambda address: aclrtMemsetAsync(address, 64, 0, 64, None),
    "aclrtMemcpy": lambda address: aclrtMemcpy(address, 64, b"x" * 64, 64, ACL_MEMCPY_HOST_TO_DEVICE),
}


def cut(number: int) -> int:
    """The number of 64 bits that a C function gets for an int of Python."""
    half = number & 0xFFFF_FFFF
    return half if half < 1 << 31 else half | 0xFFFF_FFFF << 32


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("before", [0, 2 << 30], ids=["positive", "negative"])
def test_the_text_names_the_whole_address(name: str, before: int) -> None:
    with Machine(on_undefined="report"):
        ok(aclrtSetDevice(0))
        if before:
            malloc(before)
        address = malloc(64)
        whole = f"Pass {address:#x}, which is in the 64 bytes at device 0 + "
        assert_status(CALLS[name](cut(address)), ACL_ERROR_RT_PARAM_INVALID, whole, "argtypes")
        assert cut(address) != 0
        # an address that was not cut has no such text
        assert_status(CALLS[name](address + (1 << 41)), ACL_ERROR_RT_PARAM_INVALID)
        assert "argtypes" not in str(aclGetRecentErrMsg())


PINNED_CALLS: dict[str, tuple[Callable[[int], int], int]] = {
    "aclrtFreeHost": (aclrtFreeHost, ACL_ERROR_RT_PARAM_INVALID),
    "aclrtHostUnregister": (aclrtHostUnregister, ACL_ERROR_HOST_MEMORY_NOT_REGISTERED),
    "aclrtMemset": (CALLS["aclrtMemset"], ACL_ERROR_RT_PARAM_INVALID),
}


@pytest.mark.parametrize("name", PINNED_CALLS)
def test_the_text_names_the_whole_address_of_pinned_memory(name: str) -> None:
    call, status = PINNED_CALLS[name]
    with Machine(on_undefined="report"):
        ok(aclrtSetDevice(0))
        pinned = c_void_p()
        ok(aclrtMallocHost(byref(pinned), 64))
        whole = f"Pass {pinned.value:#x}, which is in pinned host memory 1 (64 bytes), as a c_void_p"
        assert_status(call(cut(pinned.value or 0)), status, whole, "argtypes")
        ok(aclrtFreeHost(pinned))
        assert call(cut(pinned.value or 0)) == status
        assert "argtypes" not in str(aclGetRecentErrMsg())


def test_the_text_names_the_object_of_a_handle(machine: Machine) -> None:
    ok(aclrtSetDevice(0))
    stream = aclrtStream()
    ok(aclrtCreateStream(byref(stream)))
    assert stream.value
    words = "is the lower half of the handle of stream 1", "argtypes"
    assert_status(aclrtSynchronizeStream(c_void_p(cut(stream.value))), ACL_ERROR_RT_INVALID_HANDLE, *words)
    assert_status(aclrtSynchronizeStream(c_void_p(stream.value + 1)), ACL_ERROR_RT_INVALID_HANDLE, "gave out")
