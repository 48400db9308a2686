"""A device tensor that owns its memory, with the values and the layout of a numpy array.

The module is for tests: `aclnn.testing` exports `device_tensor`.
"""

from collections.abc import Sequence
from ctypes import byref, c_void_p
from dataclasses import dataclass
from math import prod
from types import TracebackType
from typing import Final

import numpy as np

from acl_runtime import (
    ACL_FORMAT_ND,
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    aclCreateTensor,
    aclDestroyTensor,
    aclrtFree,
    aclrtMalloc,
    aclrtMemcpy,
    aclTensor,
)
from acl_runtime.headers.dtypes import Array, data_type_of
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.testing.assertions import assert_success
from acl_runtime.text import counted

BETWEEN: Final = 0xFF
"""the value of each byte between elements: NaN as a float and -1 as an integer, as in fresh device memory"""


@dataclass(frozen=True)
class ElementLayout:
    """The position of each element of a view in its storage; all numbers count elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage_shape: tuple[int, ...]

    def view(self, storage: Array) -> Array:
        """The view with this layout over `storage`."""
        item = storage.itemsize
        return np.ndarray(
            self.shape, storage.dtype, storage, self.offset * item, [stride * item for stride in self.strides]
        )


class DeviceTensor:
    """A tensor on the device, and its memory. The end of a `with` block destroys the tensor and frees the memory."""

    def __init__(self, handle: aclTensor, address: int, layout: ElementLayout, like: Array) -> None:
        self.handle = handle
        self.address = address
        """the device address of the first byte of the storage"""
        self.layout = layout
        self.dtype = like.dtype
        self._open = True
        self.in_list = False
        """True if an aclTensorList destroys the tensor"""

    def __enter__(self) -> "DeviceTensor":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<DeviceTensor {self.dtype} {list(self.layout.shape)} at {self.address:#x}>"

    def numpy(self) -> Array:
        """The values of the view, copied with aclrtMemcpy. First wait for the work that writes the tensor."""
        __tracebackhide__ = True
        return self.view(self.storage())

    def view(self, storage: Array) -> Array:
        """A copy of the view in `storage`, a copy of the memory. If an operator computed the shape of the tensor at
        launch, the view has that shape and is dense."""
        tensor, machine = current().handles.find(self.handle.value or 0, Tensor), current()
        if tensor is not None:
            machine.read_shape(tensor)
            if tensor.shape != self.layout.shape:
                start = self.layout.offset
                dense: Array = storage.reshape(-1)[start : start + tensor.numel]
                return np.array(dense.reshape(tensor.shape))
        return np.array(self.layout.view(storage))

    def storage(self) -> Array:
        """All of the memory, copied with aclrtMemcpy, in the shape of the storage."""
        __tracebackhide__ = True
        values: Array = np.empty(self.layout.storage_shape, self.dtype)
        if values.nbytes:
            kind = ACL_MEMCPY_DEVICE_TO_HOST
            assert_success(aclrtMemcpy(values, values.nbytes, self.address, values.nbytes, kind))
        return values

    def close(self) -> None:
        """Destroy the tensor and free its memory, once."""
        __tracebackhide__ = True
        if self._open:
            self._open = False
            try:
                if not self.in_list:
                    assert_success(aclDestroyTensor(self.handle))
            finally:
                assert_success(aclrtFree(self.address))


def device_tensor(
    array: Array,
    *,
    format: int = ACL_FORMAT_ND,
    strides: Sequence[int] | None = None,
    offset: int | None = None,
    storage_shape: Sequence[int] | None = None,
    copy: bool = True,
) -> DeviceTensor:
    """A tensor on the current device with the values, the element type and the layout of `array`.

    The layout of a view is kept: for `x.T`, `x[:, ::2]` or a result of np.broadcast_to the storage is the whole array
    behind the view, and the tensor has the same strides and offset.

    `strides`, `offset` and `storage_shape` select another layout. They count elements, as in aclCreateTensor.
    ValueError if this layout would put elements with different values in one place. `copy=False` is for an output: the
    memory stays as aclrtMalloc returned it.
    """
    __tracebackhide__ = True
    if not isinstance(array, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"device_tensor takes a numpy array, not {array!r}; numpy.array(..., dtype) makes one")
    layout, storage = _laid_out(array, strides, offset, storage_shape)
    if copy and storage.size and layout.view(storage).tobytes() != array.tobytes():
        raise ValueError(
            f"strides={layout.strides} put several elements of a tensor of shape {list(array.shape)} in one place, but "
            "their values differ"
        )
    data_type, size = data_type_of(array.dtype), storage.nbytes
    memory = c_void_p()
    assert_success(aclrtMalloc(byref(memory), max(size, 1), ACL_MEM_MALLOC_HUGE_FIRST))
    assert memory.value is not None
    try:
        if copy and size:
            assert_success(aclrtMemcpy(memory, size, storage, size, ACL_MEMCPY_HOST_TO_DEVICE))
        handle = aclCreateTensor(
            layout.shape, len(layout.shape), data_type, layout.strides, layout.offset, format,
            layout.storage_shape, len(layout.storage_shape), memory,
        )  # fmt: skip
    except BaseException:
        assert_success(aclrtFree(memory))
        raise
    return DeviceTensor(handle, memory.value, layout, array)


def _laid_out(
    array: Array, strides: Sequence[int] | None, offset: int | None, storage_shape: Sequence[int] | None
) -> tuple[ElementLayout, Array]:
    """The layout of the tensor, and a storage with the values in this layout."""
    if strides is None and offset is None and storage_shape is None:
        if array.flags.c_contiguous or not array.size:
            dense: Array = np.array(array, order="C")
            return ElementLayout(array.shape, _in_elements(dense), 0, array.shape), dense
        base = _base(array)
        start = _address(array) - _address(base)
        if base.dtype == array.dtype and base.flags.c_contiguous and start % array.itemsize == 0:
            return ElementLayout(array.shape, _in_elements(array), start // array.itemsize, base.shape), base
    steps = _in_elements(array) if strides is None else tuple(strides)
    if len(steps) != array.ndim:
        raise ValueError(f"strides={steps}: {len(steps)}, but the array has {counted(array.ndim, 'dimension')}")
    reaches = [(size - 1) * step for size, step in zip(array.shape, steps, strict=True)]
    before = sum(reach for reach in reaches if reach < 0)
    behind = sum(reach for reach in reaches if reach > 0) + 1 if array.size else 0
    first = -before if offset is None else offset
    shape = (first + behind,) if storage_shape is None else tuple(storage_shape)
    if first + before < 0 or first + behind > prod(shape):
        raise ValueError(
            f"elements {first + before} to {first + behind - 1} are outside of a storage of {prod(shape)} elements"
        )
    storage = np.full(prod(shape) * array.itemsize, BETWEEN, np.uint8).view(array.dtype)
    layout = ElementLayout(array.shape, steps, first, shape)
    layout.view(storage)[...] = array
    return layout, storage


def _in_elements(array: Array) -> tuple[int, ...]:
    if any(step % array.itemsize for step in array.strides):
        raise ValueError(f"strides of {array.strides} bytes are not multiples of the element size {array.itemsize}")
    return tuple(step // array.itemsize for step in array.strides)


def _base(array: Array) -> Array:
    """The array behind a view; the array itself if it is not a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]
