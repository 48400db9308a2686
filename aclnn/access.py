"""Device memory as a task meets it: arrays over it."""

from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

import numpy as np

from acl_runtime.dtypes import Array
from acl_runtime.errors import DeviceFault
from acl_runtime.machine.allocation import KEEP, Allocation, Mapping
from acl_runtime.machine.device import Device
from acl_runtime.machine.installation import current
from acl_runtime.machine.objects import reach
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_AICORE_EXCEPTION

FAR: Final = 1 << 62
"""a span that no machine has, and that int64 cannot count in"""
MOST: Final = 1 << 59
"""elements of an array whose bytes numpy can count, however wide they become on the way; an empty one's without the
sizes that are 0"""


@dataclass(slots=True)
class Access:
    """A strided view of device memory, opened when the task runs."""

    address: int
    """of element 0"""
    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]
    write: bool
    _patch: Array | None = None
    _pieces: "list[tuple[Allocation, Array, Array]]" = field(default_factory=list[Any])
    """the live parts of a patch: allocation, numbers of the elements, their bytes in it"""

    def open(self, device: Device) -> Array:
        """The array. Bytes outside live memory (only in a machine that reports) read as the fill, and writes to
        them are dropped."""
        if prod(max(size, 1) for size in self.shape) > MOST:
            raise MemoryError(f"an array of shape {list(self.shape)} is more than a host can count")
        low, high = reach(self.shape, self.strides)
        if high < low:
            return np.empty(self.shape, self.dtype)
        high += self.dtype.itemsize
        start, end = self.address + low, self.address + high
        allocation = device.memory.holding(start)
        if allocation is None or end > allocation.end:
            return self._patched(device, start, end)
        at = start - allocation.address
        if isinstance(allocation, Mapping):
            _reach_host(allocation, at, at + high - low, write=self.write)
        dense = 0 not in self.strides and high - low == self.dtype.itemsize * prod(self.shape)
        if self.write and dense:
            allocation.wrote(at, at + high - low)
        else:
            allocation.touch(at, at + high - low)
        return np.ndarray(self.shape, self.dtype, allocation.buffer, at - low, self.strides)

    def close(self) -> None:
        """Bring what was written to a patch to where there is memory."""
        if self._patch is not None and self.write:
            elements = self._patch.reshape(-1).view(np.uint8).reshape(-1, self.dtype.itemsize)
            for allocation, inside, places in self._pieces:
                allocation.buffer[places] = elements[inside]
        self._patch, self._pieces = None, []

    def _patched(self, device: Device, start: int, end: int) -> Array:
        """A dense copy, element by element, so that the distance between elements does not matter."""
        nbytes = prod(self.shape) * self.dtype.itemsize
        if nbytes > device.memory.capacity:
            raise MemoryError(f"an array of shape {list(self.shape)} has {nbytes} bytes, more than the device")
        patch = np.full(nbytes, device.memory.fill or 0, np.uint8)
        elements = patch.reshape(-1, self.dtype.itemsize)
        offsets = self._offsets() if end - start < FAR else None
        for allocation in device.memory.touching(start, end) if offsets is not None else ():
            assert offsets is not None
            at = offsets + (self.address - allocation.address)
            inside = np.flatnonzero((at >= 0) & (at + self.dtype.itemsize <= allocation.size))
            if inside.size:
                first, last = int(at[inside].min()), int(at[inside].max()) + self.dtype.itemsize
                if isinstance(allocation, Mapping):
                    _reach_host(allocation, first, last, write=self.write)
                allocation.touch(first, last)
                places = at[inside][:, None] + np.arange(self.dtype.itemsize)
                elements[inside] = allocation.buffer[places]
                self._pieces.append((allocation, inside, places))
        self._patch = patch.view(self.dtype).reshape(self.shape)
        return self._patch

    def _offsets(self) -> Array:
        """Bytes from element 0 to each element, in row-major order."""
        offsets = np.zeros((), np.int64)
        for size, stride in zip(self.shape, self.strides, strict=True):
            offsets = offsets[..., None] + np.arange(size) * stride
        return offsets.reshape(-1)


def _reach_host(mapping: Mapping, low: int, high: int, *, write: bool) -> None:
    """Registered host memory may be gone, or be read-only: the device then faults."""
    if trouble := mapping.trouble(low, high, write=write):
        current().undefined("host-overrun", f"{trouble}.", *mapping.past(), hint=KEEP)
        item = Item("EZ2001", (f"{trouble}: {mapping.history()}",))
        raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, item, told=True)
