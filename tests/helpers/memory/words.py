"""Numbers in device memory, for programs of other processes too: it imports little."""

from __future__ import annotations

import ctypes

from acl_runtime import *


def word(address: int, value: int | None = None) -> int:
    """The number there; first it is written, if there is one to write."""
    content = ctypes.c_int32(value or 0)
    if value is not None:
        assert aclrtMemcpy(address, 4, ctypes.byref(content), 4, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    assert aclrtMemcpy(ctypes.byref(content), 4, address, 4, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
    return content.value
