"""Every way to copy bytes: synchronously, or in the default stream."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_size_t
from typing import Any

from acl_runtime import *
from acl_runtime.machine.current import current

Copy = Callable[[Any, Any, int], int]


def where(pointer: Any) -> aclrtMemLocation:
    """The location (device or host) that a pointer points to."""
    device = isinstance(pointer, int) and current().memory_at(pointer) is not None
    return aclrtMemLocation(0, ACL_MEM_LOCATION_TYPE_DEVICE if device else ACL_MEM_LOCATION_TYPE_HOST)


def batch(dst: Any, src: Any) -> tuple[Any, list[int], int]:
    return (aclrtMemcpyBatchAttr * 1)(aclrtMemcpyBatchAttr(where(dst), where(src))), [0], 1


AT_ONCE: dict[str, Copy] = {
    "aclrtMemcpy": lambda dst, src, n: aclrtMemcpy(dst, n, src, n, ACL_MEMCPY_DEFAULT),
    "aclrtMemcpy2d": lambda dst, src, n: aclrtMemcpy2d(dst, n // 4, src, n // 4, n // 4, 4, ACL_MEMCPY_DEFAULT),
    "aclrtMemcpyBatch": lambda dst, src, n: aclrtMemcpyBatch(
        [dst], [n], [src], [n], 1, *batch(dst, src), byref(c_size_t())
    ),
}

QUEUED: dict[str, Copy] = {
    "aclrtMemcpyAsync": lambda dst, src, n: aclrtMemcpyAsync(dst, n, src, n, ACL_MEMCPY_DEFAULT, None),
    "aclrtMemcpy2dAsync": lambda dst, src, n: aclrtMemcpy2dAsync(
        dst, n // 4, src, n // 4, n // 4, 4, ACL_MEMCPY_DEFAULT, None
    ),
    "aclrtMemcpyBatchAsync": lambda dst, src, n: aclrtMemcpyBatchAsync(
        [dst], [n], [src], [n], 1, *batch(dst, src), byref(c_size_t()), None
    ),
}

COPIES = AT_ONCE | QUEUED
"""ways to copy `n` bytes, a multiple of 4, between any places: synchronously, or in the default stream"""
