"""Device memory as a task meets it: arrays over it, and what is wrong with an address."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from acl_runtime.dtypes import Array, bits
from acl_runtime.errors import DeviceFault
from acl_runtime.machine.allocation import Allocation, Mapping
from acl_runtime.machine.device import Device
from acl_runtime.machine.executor import Family
from acl_runtime.machine.installation import current
from acl_runtime.machine.objects import Tensor, reach
from acl_runtime.machine.stream import Range
from acl_runtime.messages import Item
from acl_runtime.statuses import ACL_ERROR_RT_AICORE_EXCEPTION

if TYPE_CHECKING:
    from aclnn.executor import Executor


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
            if self.write:
                allocation.written.add(at, at + high - low)
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
                if self.write:
                    allocation.written.add(first, last)
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
        current().undefined("host-overrun", trouble)
        raise DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, Item("EZ2001", (trouble,)))


def user_ranges(
    executor: "Executor", tensors: list[tuple[str, Tensor]], device: Device, workspace: int
) -> tuple[Range, ...]:
    """The memory of a launch, each piece judged: addresses are the matter of the second phase."""
    ranges = [_tensor_range(executor, role, tensor, device) for role, tensor in tensors]
    if executor.workspace_size and workspace:
        ranges.append(Range(workspace, workspace + executor.workspace_size, "workspace"))
    return tuple(each for each in ranges if each is not None)


def _tensor_range(executor: "Executor", role: str, tensor: Tensor, device: Device) -> Range | None:
    machine = current()

    def name() -> str:
        return f"{role} of {executor.operator} ({tensor}, {tensor.history()})"

    if tensor.ended and executor.family is Family.COMPOSITE:
        machine.crash(
            "tensor-destroyed-early",
            f"{name()} was destroyed before the launch. Keep tensors until the second phase has returned.",
        )
    low, high = reach(tensor.shape, tensor.strides)
    if high < low:
        return None
    width = bits(tensor.dtype) // 8
    low, high = (tensor.offset + low) * width, (tensor.offset + high + 1) * width
    allocation = data_allocation(tensor.address, name, device)
    if low < 0 or high > tensor.storage_bytes:
        machine.undefined(
            "view-exceeds-storage",
            f"{name()}: shape {list(tensor.shape)}, strides {list(tensor.strides)} and offset {tensor.offset} reach "
            f"bytes {low} to {high} of a storage {list(tensor.storage_shape)} of {tensor.storage_bytes} bytes.",
        )
    elif allocation is not None and (room := allocation.end - tensor.address) < tensor.storage_bytes:
        machine.undefined(
            "storage-exceeds-alloc",
            f"{name()}: its storage {list(tensor.storage_shape)} has {tensor.storage_bytes} bytes, but only {room} are "
            f"left from its address on: {allocation}, {allocation.history()}.",
        )
    return Range(tensor.address + low, tensor.address + high, role)


def data_allocation(address: int, name: Callable[[], str], device: Device) -> Allocation | None:
    """The live memory of this device behind an address; anything else is a finding."""
    machine = current()
    memory = machine.memory_at(address)
    if memory is None:
        what = "null" if not address else f"{address:#x}, an address of the host"
        machine.crash(
            "ws-host-ptr",
            f"{name()}: its data pointer is {what}. A device cannot reach it: aclrtMalloc and aclrtMemcpy first.",
        )
    elif memory is not device.memory:
        machine.crash(
            "ws-foreign", f"{name()} lies on device {memory.device}, but the stream works on device {device.number}."
        )
    else:
        allocation = memory.holding(address)
        if allocation is None:
            machine.undefined(
                "data-freed-under-tensor",
                f"{name()}: {memory.whereabouts(address)}. Free device memory after the stream has finished with it.",
            )
        return allocation
    return None


def workspace_problem(executor: "Executor", address: int, device: Device) -> None:
    """The workspace as a whole: live, on this device, large enough."""
    machine = current()
    needed = executor.workspace_size
    if not needed:
        return
    allocation = data_allocation(address, lambda: f"workspace of {executor.operator}", device) if address else None
    if allocation is not None and (room := allocation.end - address) < needed:
        machine.undefined(
            "ws-small",
            f"workspace of {executor.operator}: {needed} bytes are required, {room} are left from the address on: "
            f"{allocation}, {allocation.history()}.",
        )
