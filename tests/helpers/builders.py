"""Short ways to make tensors and to run both phases of an operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import byref, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from acl_runtime import *
from acl_runtime.headers.dtypes import nbytes, numpy_dtype


def acl_type(dtype: Any) -> aclDataType:
    """The aclDataType of a numpy type."""
    # test for None first, because numpy takes None for float64
    return next(each for each in aclDataType if (own := numpy_dtype(each)) is not None and own == np.dtype(dtype))


def meta(shape: Sequence[int], dtype: int = ACL_FLOAT, *, strides: Sequence[int] | None = None, offset: int = 0,
         format: int = ACL_FORMAT_ND, storage: Sequence[int] | None = None) -> aclTensor:  # fmt: skip
    """A tensor without memory. The first phase needs none, as it uses no address."""
    shape, storage = list(shape), list(shape if storage is None else storage)
    return aclCreateTensor(shape, len(shape), dtype, strides, offset, format, storage, len(storage), None)


def malloc(size: int) -> int:
    """Allocate device memory and return its address."""
    pointer = c_void_p()
    assert aclrtMalloc(byref(pointer), size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS
    assert pointer.value
    return pointer.value


@dataclass
class OnDevice:
    """A tensor with its memory."""

    handle: aclTensor
    address: int
    storage: np.ndarray
    """the initial content of the memory, as a flat array of elements"""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def view(self, storage: np.ndarray) -> np.ndarray:
        """The elements of the view in a storage."""
        item = storage.itemsize
        return np.ndarray(self.shape, storage.dtype, storage, self.offset * item, [s * item for s in self.strides])

    def read_storage(self) -> np.ndarray:
        """All of the memory, as it is now."""
        copy = np.empty_like(self.storage)
        if copy.nbytes:
            assert aclrtMemcpy(copy, copy.nbytes, self.address, copy.nbytes, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS
        return copy

    def read(self) -> np.ndarray:
        """The values of the view, as they are now."""
        return self.view(self.read_storage()).copy()


def on_device(values: np.ndarray, *, strides: Sequence[int] | None = None, offset: int = 0, tail: int = 0,
              format: int = ACL_FORMAT_ND, background: float = 7) -> OnDevice:  # fmt: skip
    """Put `values` on the device: dense, or with strides (in elements, not negative), an offset, and `tail` elements
    after them. Other elements of the memory are `background`."""
    values = np.asarray(values)
    dense = [int(np.prod(values.shape[i + 1 :])) for i in range(values.ndim)]
    steps = tuple(dense if strides is None else strides)
    reach = sum((size - 1) * step for size, step in zip(values.shape, steps, strict=True)) if values.size else -1
    storage = np.full(offset + reach + 1 + tail, background, values.dtype)
    shape = values.shape
    address = malloc(max(storage.nbytes, 1))
    handle = aclCreateTensor(list(shape), len(shape), acl_type(values.dtype), list(steps), offset, format,
                             [storage.size], 1, address)  # fmt: skip
    made = OnDevice(handle, address, storage, shape, steps, offset)
    if values.size:
        made.view(storage)[...] = values
    if storage.nbytes:
        assert aclrtMemcpy(address, storage.nbytes, storage, storage.nbytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    return made


UNTOUCHED = 12345
"""the value of workspaceSize before the call in `plan`"""


@dataclass
class Planned:
    """The result of a first phase."""

    status: int
    text: str
    workspace_size: int
    executor: aclOpExecutor


def plan(first: Callable[..., int], *arguments: Any) -> Planned:
    """Call a first phase. An argument of type OnDevice is replaced by its handle."""
    size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
    handles = [each.handle if isinstance(each, OnDevice) else each for each in arguments]
    status = first(*handles, byref(size), byref(executor))
    return Planned(status, aclGetRecentErrMsg() or "", size.value, executor)


def run(first: Callable[..., int], second: Callable[..., int], *arguments: Any, stream: Any = None) -> None:
    """Both phases and a synchronise, all of which must succeed."""
    planned = plan(first, *arguments)
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    assert second(workspace, planned.workspace_size, planned.executor, stream) == ACL_SUCCESS, aclGetRecentErrMsg()
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS, aclGetRecentErrMsg()


__all__ = ["UNTOUCHED", "OnDevice", "Planned", "acl_type", "malloc", "meta", "nbytes", "on_device", "plan", "run"]
