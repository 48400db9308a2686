"""Functions that create a stream, a context, an event or pinned memory in one line."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_float, c_void_p

import numpy as np

from acl_runtime import *
from tests.helpers.outcomes import ok


def create_stream() -> aclrtStream:
    stream = aclrtStream()
    assert aclrtCreateStream(byref(stream)) == ACL_SUCCESS
    return stream


def create_context(device: int = 0) -> aclrtContext:
    context = aclrtContext()
    assert aclrtCreateContext(byref(context), device) == ACL_SUCCESS
    return context


def event_of(create: Callable[..., int], *flags: int) -> aclrtEvent:
    """A new event, made by one of the functions that create events."""
    event = aclrtEvent()
    ok(create(byref(event), *flags))
    return event


def malloc_host(size: int) -> int:
    """Allocate pinned host memory and return its address."""
    pointer = c_void_p()
    ok(aclrtMallocHost(byref(pointer), size))
    assert pointer.value
    return pointer.value


def pinned(values: np.ndarray) -> tuple[int, np.ndarray]:
    """Pinned host memory that holds float32 values: its address, and the array in it."""
    address = malloc_host(values.nbytes)
    array = np.ctypeslib.as_array((c_float * values.size).from_address(address))
    array[:] = values
    return address, array
