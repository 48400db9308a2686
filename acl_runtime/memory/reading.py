"""Reads device memory for a test. It is not a call of the API, and it waits for no work."""

from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.memory.allocation import Mapping
from acl_runtime.memory.ports import Memories
from acl_runtime.memory.reservation import Reservation


def read(memories: Memories, ptr: Any, shape: int | tuple[int, ...], dtype: Any) -> Array:
    """See `Machine.read`."""
    address = int(getattr(ptr, "value", ptr) or 0)
    of = numpy_dtype(dtype) if isinstance(dtype, int) else np.dtype(dtype)
    if of is None:
        raise ValueError(f"numpy has no type for {dtype!r}")
    wanted = np.empty(shape, of)
    memory = memories.memory_at(address)
    allocation = memory.holding(address) if memory is not None else None
    if allocation is None or address + wanted.nbytes > allocation.end:
        raise ValueError(f"{wanted.nbytes} bytes at {address:#x} do not lie in one piece of live device memory")
    at = address - allocation.address
    if isinstance(allocation, Mapping) and (why := allocation.trouble(at, at + wanted.nbytes, write=False)):
        raise ValueError(f"{why} ({allocation.history()})")
    if isinstance(allocation, Reservation) and allocation.hole(address, address + wanted.nbytes, write=False):
        raise ValueError(f"{wanted.nbytes} bytes at {allocation.name(address)} are not all mapped")
    allocation.touch(at, at + wanted.nbytes)
    wanted.view(np.uint8).reshape(-1)[...] = allocation.buffer[at : at + wanted.nbytes]
    return wanted
