"""Reading device memory for a test, without a call of the API and without waiting for work."""

from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import Array, numpy_dtype
from acl_runtime.memory.allocation import Mapping
from acl_runtime.memory.ports import Memories
from acl_runtime.memory.reservation import Reservation


def read(memories: Memories, ptr: Any, shape: int | tuple[int, ...], dtype: Any) -> Array:
    """See `Machine.read`."""
    address = int(getattr(ptr, "value", ptr) or 0)
    element = numpy_dtype(dtype) if isinstance(dtype, int) else np.dtype(dtype)
    if element is None:
        raise ValueError(f"numpy has no type for {dtype!r}")
    array = np.empty(shape, element)
    memory = memories.memory_at(address)
    allocation = memory.holding(address) if memory is not None else None
    if allocation is None or address + array.nbytes > allocation.end:
        raise ValueError(f"{array.nbytes} bytes at {address:#x} do not lie in one piece of live device memory")
    low = address - allocation.address
    if isinstance(allocation, Mapping) and (why := allocation.trouble(low, low + array.nbytes, write=False)):
        raise ValueError(f"{why} ({allocation.history()})")
    if isinstance(allocation, Reservation) and allocation.hole(address, address + array.nbytes, write=False):
        raise ValueError(f"{array.nbytes} bytes at {allocation.name(address)} are not all mapped")
    allocation.touch(low, low + array.nbytes)
    array.view(np.uint8).reshape(-1)[...] = allocation.buffer[low : low + array.nbytes]
    return array
