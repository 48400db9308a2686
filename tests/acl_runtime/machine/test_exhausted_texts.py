"""Texts of allocations that are refused, and of frees: what lives, by the line that made it (ours)."""

from collections.abc import Callable
from ctypes import byref, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.source.site import shown
from tests.helpers.builders import malloc
from tests.helpers.creating import malloc_host
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, ok

HERE = "test_exhausted_texts.py:"


def device_memory(size: int = 64) -> int:
    pointer = c_void_p()
    ok(aclrtMalloc(byref(pointer), size, ACL_MEM_MALLOC_HUGE_FIRST))
    assert pointer.value
    return pointer.value


def fill(create: Callable[[], int], times: int) -> int:
    """The status of one more than there is room for."""
    for _ in range(times):
        ok(create())
    return create()


def test_the_text_of_207008_lists_live_streams_by_line() -> None:
    """207008 (ours)."""
    with board(soc="Ascend310B1"):
        ok(aclrtCreateStream(byref(aclrtStream())))
        status = fill(lambda: aclrtCreateStream(byref(aclrtStream())), 511)
        words = ("all 512 streams of device 0", f"511 at {shown(__file__)}:", f", 1 at {shown(__file__)}:")
        assert_status(status, ACL_ERROR_RT_NO_STREAM_RESOURCE, *words)


def test_no_stream_left_for_a_context() -> None:
    """207008 (ours)."""
    with board(soc="Ascend310B1"):
        status = fill(lambda: aclrtCreateContext(byref(aclrtContext()), 0), 512)
        assert_status(status, ACL_ERROR_RT_NO_STREAM_RESOURCE, "512 contexts", f"512 at {shown(__file__)}:")


def test_the_text_of_207007_lists_live_events_by_line() -> None:
    """207007; events of another device do not count (ours)."""
    with Machine("Ascend310P3", device_count=2):
        ok(aclrtSetDevice(1))
        ok(aclrtCreateEvent(byref(aclrtEvent())))
        ok(aclrtSetDevice(0))
        status = fill(lambda: aclrtCreateEvent(byref(aclrtEvent())), 1023)
        assert_status(
            status, ACL_ERROR_RT_NO_EVENT_RESOURCE, "all 1023 events of device 0", f"1023 at {shown(__file__)}:"
        )


def test_the_text_of_207001_lists_live_memory_by_line() -> None:
    """207001: bytes and pieces by line, the most first (ours)."""
    with board(hbm_bytes=1 << 20):
        for _ in range(2):
            malloc(1000)
        large, pointer = device_memory(1 << 19), c_void_p()
        words = (
            "524320 bytes in 1 piece at",
            " at " + shown(__file__),
            "2112 bytes in 2 pieces at",
            "builders.py",
        )
        status = aclrtMalloc(byref(pointer), 1 << 19, ACL_MEM_MALLOC_HUGE_FIRST)
        assert_status(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "524288 bytes, which take 524320 bytes; free", *words)
        ok(aclrtFree(large))
        ok(aclrtMalloc(byref(pointer), 1 << 19, ACL_MEM_MALLOC_HUGE_FIRST))


ZERO: dict[str, Callable[[Any], int]] = {
    "aclrtMalloc": lambda pointer: aclrtMalloc(pointer, 0, ACL_MEM_MALLOC_HUGE_FIRST),
    "aclrtMallocHost": lambda pointer: aclrtMallocHost(pointer, 0),
}


@pytest.mark.parametrize("function", ZERO)
def test_an_allocation_of_0_bytes_is_100000_with_advice(machine: Machine, function: str) -> None:
    """100000: where a 0 comes from, and what to do then (ours)."""
    words = ("empty shape", "workspace", "pass null")
    assert_status(ZERO[function](byref(c_void_p())), ACL_ERROR_INVALID_PARAM, *words)
    assert machine.findings == []


def freed_twice() -> int:
    address = device_memory()
    ok(aclrtFree(address))
    return aclrtFree(address)


def host_memory_freed_twice() -> int:
    address = malloc_host(64)
    ok(aclrtFreeHost(address))
    return aclrtFreeHost(address)


FREES: dict[str, tuple[Callable[[], int], tuple[str, ...]]] = {
    "twice": (freed_twice, ("the 64 bytes at device 0", "allocated at", "freed at", HERE)),
    "inside": (lambda: aclrtFree(device_memory() + 8), ("8 bytes inside the 64 bytes", "allocated at", HERE)),
    "host memory": (lambda: aclrtFree(malloc_host(64)), ("pinned host memory 1 (64 bytes)", "allocated at")),
    "of the host, twice": (host_memory_freed_twice, ("pinned host memory 1", "allocated at", "freed at", HERE)),
    "of the host, inside": (lambda: aclrtFreeHost(malloc_host(64) + 8), ("8 bytes inside", "allocated at")),
    "of the host, device memory": (
        lambda: aclrtFreeHost(device_memory()),
        ("it is device memory", "the 64 bytes at device 0", "allocated at", HERE, "aclrtFree frees it"),
    ),
}


@pytest.mark.parametrize(("free", "words"), FREES.values(), ids=FREES)
def test_a_bad_free_tells_the_history(machine: Machine, free: Callable[[], int], words: tuple[str, ...]) -> None:
    """107000 (ours)."""
    assert_status(free(), ACL_ERROR_RT_PARAM_INVALID, *words)
    assert machine.findings == []


def test_freeing_null_is_100000_with_advice(machine: Machine) -> None:
    """100000, unlike free() (ours)."""
    for free in (aclrtFree, aclrtFreeHost):
        assert_status(free(None), ACL_ERROR_INVALID_PARAM, "NULL pointer")
