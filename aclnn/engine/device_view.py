"""Strided views of device memory, and the steps of a plan bound to them at the addresses of a launch."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, cast

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_AICORE_EXCEPTION
from acl_runtime.machine.current import current
from acl_runtime.memory.allocation import KEEP, Allocation, Mapping
from acl_runtime.objects.handle_table import reach, row_major
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text
from aclnn.engine.numbers.casting import pack_complex32, pack_int4, unpack_complex32, unpack_int4
from aclnn.engine.numbers.rounding import store
from aclnn.engine.numbers.scalars import Arguments, PassedScalar
from aclnn.engine.plan import Kernel, Part, Plan, Step, works_in_memory
from aclnn.engine.steps.parts import Cut, cut_of

FLOAT_BYTES: Final = 4
"""bytes of a float32; inputs with narrower elements are widened"""
MAX_DISTANCE: Final = 1 << 62
"""a distance between elements that exceeds any memory; larger offsets may overflow int64"""
MAX_ELEMENTS: Final = 1 << 59
"""the most elements of an array, so that int64 can count the bytes of a widened copy. A size of 0 counts as 1"""
MAX_VIEWS: Final = 8000
"""the most arrays over one allocation that are cached (ours). The allocator of PyTorch puts all tensors of a small
model into one allocation"""


class DeviceView:
    """A strided view of device memory. The launch locates it, and the task opens it."""

    __slots__ = (
        "_dense", "_high", "_low", "_offset", "address", "dtype", "piece", "shape", "slot", "strides", "write",
    )  # fmt: skip

    def __init__(
        self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], *, write: bool,
        slot: bool = False,
    ) -> None:  # fmt: skip
        self.address = address
        """address of element 0"""
        self.shape = shape
        self.dtype = dtype
        self.strides = strides
        self.write = write
        self.slot = slot
        """true if the view is in the workspace"""
        self.piece: Allocation | None = None
        """allocation that contains the view; None if it is not located. `_low` and `_high` are the byte range of the
        view in it, `_offset` is the offset of element 0"""
        self._low = self._high = self._offset = 0
        self._dense = False
        """true if every byte from the first to the last belongs to an element"""

    def open(self, device: Device) -> Array:
        """The array for a reader. Bytes outside live memory read as the fill value; this happens only with
        on_undefined="report"."""
        array = self.find(device)
        return array if array is not None else self.patched(device)[0]

    def find(self, device: Device) -> Array | None:
        """The array over the view's bytes in memory; None if some of them are outside of live memory. The array is
        cached, and later callers get it again."""
        piece = self.piece
        if piece is None or piece.gone:
            self.locate(device)
            piece = self.piece
            if piece is None:
                if self._uncountable:
                    raise MemoryError(f"an array of shape {list(self.shape)} is more than a host can count")
                return np.empty(self.shape, self.dtype) if 0 in self.shape else None
        if not piece.plain:
            if isinstance(piece, Mapping):
                _reach_host(piece, self._low, self._high, write=self.write)
            if self.write and self._dense:
                piece.admit(self._low, self._high)
                piece.wrote(self._low, self._high)
            else:
                piece.touch(self._low, self._high)
        view = piece.views.get(self)  # cached, as a new array is slow to make
        if view is None:
            if len(piece.views) >= MAX_VIEWS:
                piece.views.clear()
            view = piece.views[self] = np.ndarray(self.shape, self.dtype, piece.buffer, self._offset, self.strides)
        return view

    def shaped(self, shape: tuple[int, ...]) -> "DeviceView":
        """A dense view of another shape at the same address."""
        strides = tuple([stride * self.dtype.itemsize for stride in row_major(shape)])
        return DeviceView(self.address, shape, self.dtype, strides, write=self.write, slot=self.slot)

    def drop(self, values: Array, device: Device) -> None:
        """Write the elements in live memory, and drop the others ("writes past the end are dropped")."""
        patch, pieces = self.patched(device)
        store(values, patch)
        elements = patch.reshape(-1).view(np.uint8).reshape(-1, self.dtype.itemsize)
        for allocation, inside, positions in pieces:
            allocation.buffer[positions] = elements[inside]

    @property
    def _uncountable(self) -> bool:
        return prod(max(size, 1) for size in self.shape) > MAX_ELEMENTS

    def locate(self, device: Device) -> None:
        """Find the allocation that contains the whole view, if there is one."""
        self.piece = None
        low, high = reach(self.shape, self.strides)
        if high < low or self._uncountable:
            return
        high += self.dtype.itemsize
        start, end = self.address + low, self.address + high
        allocation = device.memory.holding(start)
        if allocation is None or end > allocation.end:
            return
        self._low, self._high = start - allocation.address, end - allocation.address
        self._offset = self._low - low
        self._dense = 0 not in self.strides and high - low == self.dtype.itemsize * prod(self.shape)
        self.piece = allocation

    def patched(self, device: Device) -> tuple[Array, list[tuple[Allocation, Array, Array]]]:
        """A dense copy of the view, made element by element, and a list of its live parts. A part has an allocation,
        the numbers of its elements, and the positions of their bytes in the allocation."""
        low, high = reach(self.shape, self.strides)
        start, end = self.address + low, self.address + high + self.dtype.itemsize
        pieces: list[tuple[Allocation, Array, Array]] = []
        nbytes = prod(self.shape) * self.dtype.itemsize
        if nbytes > device.memory.capacity:
            raise MemoryError(f"an array of shape {list(self.shape)} has {nbytes} bytes, more than the device")
        patch = np.full(nbytes, device.memory.fill or 0, np.uint8)
        elements = patch.reshape(-1, self.dtype.itemsize)
        offsets = self._offsets() if end - start < MAX_DISTANCE else None
        for allocation in device.memory.touching(start, end) if offsets is not None else ():
            assert offsets is not None
            starts = offsets + (self.address - allocation.address)
            inside = np.flatnonzero((starts >= 0) & (starts + self.dtype.itemsize <= allocation.size))
            if inside.size:
                first, last = int(starts[inside].min()), int(starts[inside].max()) + self.dtype.itemsize
                if isinstance(allocation, Mapping):
                    _reach_host(allocation, first, last, write=self.write)
                allocation.touch(first, last)
                positions = starts[inside][:, None] + np.arange(self.dtype.itemsize)
                elements[inside] = allocation.buffer[positions]
                pieces.append((allocation, inside, positions))
        return patch.view(self.dtype).reshape(self.shape), pieces

    def _offsets(self) -> Array:
        """Bytes from element 0 to each element, in row-major order."""
        offsets = np.zeros((), np.int64)
        for size, stride in zip(self.shape, self.strides, strict=True):
            offsets = offsets[..., None] + np.arange(size) * stride
        return offsets.reshape(-1)


class PackedView(DeviceView):
    """A dense view with two elements in a byte. The low four bits are the even element. Elements are int8 in a kernel.

    It has no array over the bytes in memory. A run gets a copy of its elements, and writes them back by `drop`."""

    __slots__ = ("_bytes", "_skip")

    def __init__(self, address: int, offset: int, shape: tuple[int, ...], *, write: bool, slot: bool = False) -> None:
        """`offset` is the number of elements between the address and the view."""
        super().__init__(address, shape, np.dtype(np.int8), (), write=write, slot=slot)
        self._skip = offset % 2
        count = -(-(prod(shape) + self._skip) // 2)
        self._bytes = DeviceView(address + offset // 2, (count,), np.dtype(np.uint8), (1,), write=write, slot=slot)

    def find(self, device: Device) -> None:
        """None, as there is no array over the bytes."""

    def patched(self, device: Device) -> tuple[Array, list[tuple[Allocation, Array, Array]]]:
        """A copy of the elements. Changes of the copy do not reach memory."""
        nibbles = self._nibbles(device)
        return nibbles[self._skip : self._skip + prod(self.shape)].reshape(self.shape), []

    def drop(self, values: Array, device: Device) -> None:
        """Write the low four bits of each element. A neighbour in the first or last byte keeps its value."""
        nibbles = self._nibbles(device)
        store(values, nibbles[self._skip : self._skip + prod(self.shape)].reshape(self.shape))
        packed, view = pack_int4(nibbles), self._bytes.find(device)
        if view is None:
            self._bytes.drop(packed, device)
        else:
            view[...] = packed

    def _nibbles(self, device: Device) -> Array:
        packed = self._bytes.open(device)
        return unpack_int4(packed, 2 * packed.size)

    def locate(self, device: Device) -> None:
        """Do nothing, as the bytes are located when they are opened."""


class PairedView(DeviceView):
    """A strided view of COMPLEX32. Its elements are pairs of float16 in memory and complex64 in a kernel. A run gets a
    copy of them, and writes them back by `drop`."""

    __slots__ = ("_parts",)

    def __init__(
        self, address: int, shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], *, write: bool,
        slot: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(address, shape, dtype, strides, write=write, slot=slot)
        half = np.dtype(np.float16)
        self._parts = DeviceView(address, (*shape, 2), half, (*strides, half.itemsize), write=write, slot=slot)

    def find(self, device: Device) -> None:
        """None, as there is no array over the bytes."""

    def patched(self, device: Device) -> tuple[Array, list[tuple[Allocation, Array, Array]]]:
        """A copy of the elements. Changes of the copy do not reach memory."""
        return unpack_complex32(self._parts.open(device)), []

    def drop(self, values: Array, device: Device) -> None:
        """Write the elements. Each part is rounded once."""
        elements = np.empty(self.shape, self.dtype)
        store(values, elements)
        pairs, view = pack_complex32(elements), self._parts.find(device)
        if view is None:
            self._parts.drop(pairs, device)
        else:
            view[...] = pairs

    def locate(self, device: Device) -> None:
        """Do nothing, as the parts are located when they are opened."""


class ScratchView(DeviceView):
    """A view of host memory that only one run uses, for an intermediate of an operator without a workspace."""

    __slots__ = ("_array",)

    def __init__(self, scratch: Array, part: Part, *, write: bool) -> None:
        assert part.dtype is not None, "a launch without a kernel is refused before"
        super().__init__(0, part.shape, part.dtype, part.strides, write=write, slot=True)
        self._array: Array = np.ndarray(part.shape, part.dtype, scratch, part.offset, part.strides)

    def find(self, device: Device) -> Array:
        """The array over host memory."""
        return self._array

    def locate(self, device: Device) -> None:
        """Do nothing, as the view is in no device."""


@dataclass(slots=True)
class Bound:
    """A step of a plan with its views of device memory."""

    kernel: Kernel
    inputs: tuple[DeviceView, ...]
    outputs: tuple[DeviceView, ...]
    attributes: dict[str, Any]
    narrow: bool
    """true if some input has elements narrower than float32, which are widened"""
    sized: dict[int, int]
    """roles of the outputs with late shapes, by the number of the output"""
    in_memory: bool = False
    """true if the step's arrays are device memory: its kernel works in memory, or it runs in parts"""
    cut: Cut | None = None
    """parts in which it runs; None: it runs as a whole"""
    passed: tuple[str, ...] = ()
    """names of the attributes that are scalars of the call, and may differ in the next launch"""
    repetition: Any = None
    """the `Repetition` of an earlier run, if there was one"""


def open_inputs(step: Bound, device: Device) -> list[Array]:
    """The arrays that a step reads. All array objects are new, as a kernel may change their shapes."""
    arrays: list[Array] = []
    for access in step.inputs:
        piece = access.piece  # like `find`, without the cost of a call; freed memory has no views
        view = piece.views.get(access) if piece is not None and piece.plain else None
        if view is None:
            view = access.find(device)
        arrays.append(access.patched(device)[0] if view is None else view[...])
    return arrays


def bind_steps(
    plan: Plan, addresses: Sequence[int], workspace: int | Array, device: Device, things: Sequence[Any], *,
    in_parts: bool,
) -> tuple[Bound, ...]:  # fmt: skip
    """Bind the steps of a plan to addresses.

    `addresses` has the address of each role's tensor. An address outside of live memory is looked up again when the
    task runs. `workspace` is an address, or memory of the host. `things` are the values of the call, for the
    placeholders of the plan. With `in_parts` large steps may run in parts."""

    def access(part: Part, *, write: bool) -> DeviceView:
        assert part.dtype is not None, "a launch without a kernel is refused before"
        slot = part.role is None
        if part.role is None and not isinstance(workspace, int):
            return ScratchView(workspace, part, write=write)
        start = cast("int", workspace) if part.role is None else addresses[part.role]
        if part.paired:
            return PairedView(start + part.offset, part.shape, part.dtype, part.strides, write=write, slot=slot)
        if part.packed:
            return PackedView(start, part.offset, part.shape, write=write, slot=slot)
        view = DeviceView(start + part.offset, part.shape, part.dtype, part.strides, write=write, slot=slot)
        view.locate(device)
        return view

    def bound(step: Step) -> Bound:
        inputs = tuple([access(part, write=False) for part in step.inputs])
        outputs = tuple([access(part, write=True) for part in step.outputs])
        in_memory = works_in_memory(step.kernel)
        narrow = not (step.moves or in_memory) and any(view.dtype.itemsize < FLOAT_BYTES for view in inputs)
        sized = {number: step.outputs[number].role or 0 for number in step.sized}
        attributes = _with_values(step, things) if plan.has_placeholders else step.attributes
        cut = None
        if in_parts and plan.has_large_tensor and not (in_memory or sized):
            input_shapes, output_shapes = ([part.shape for part in parts] for parts in (step.inputs, step.outputs))
            cut = cut_of(step.kernel, input_shapes, output_shapes, attributes)
        passed = tuple([name for name, value in step.attributes.items() if type(value) is PassedScalar])
        in_memory = in_memory or cut is not None
        return Bound(step.kernel, inputs, outputs, attributes, narrow, sized, in_memory, cut, passed)

    return tuple(map(bound, plan.steps))


def with_scalars(plan: Plan, bound: Sequence[Bound], things: Arguments) -> tuple[Bound, ...]:
    """The bound steps of an earlier call at the same addresses, with the scalars of this call."""
    pairs = zip(plan.steps, bound, strict=True)
    return tuple([
        Bound(old.kernel, old.inputs, old.outputs, _with_values(step, things), old.narrow, old.sized, old.in_memory,
              old.cut, old.passed)
        for step, old in pairs  # (`replace` is slow, and an optimiser has many tensors)
    ])  # fmt: skip


def _with_values(step: Step, things: Arguments) -> dict[str, Any]:
    """The attributes of a step, with the values of this call's scalars in place of placeholders."""
    attributes = step.attributes.items()
    return {name: value.of(things) if type(value) is PassedScalar else value for name, value in attributes}


def _reach_host(mapping: Mapping, low: int, high: int, *, write: bool) -> None:
    """Raise DeviceFault if registered host memory is gone, or is read-only and would be written."""
    if trouble := mapping.trouble(low, high, write=write):
        machine = current()
        finding = machine.undefined("host-overrun", Text("{trouble}.", trouble=trouble), *mapping.past(), hint=KEEP)
        item = Item("EZ2001", (f"{trouble}: {mapping.history()}",))
        fault = DeviceFault(ACL_ERROR_RT_AICORE_EXCEPTION, item)
        machine.consequences.taint(fault, finding)
        raise fault
