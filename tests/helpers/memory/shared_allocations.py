"""Several tensors in one allocation of device memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acl_runtime import *
from tests.helpers.builders import OnDevice, acl_type, malloc


def buffer(size: int) -> int:
    """Device memory of this many bytes, all of them written."""
    address = malloc(size)
    assert aclrtMemcpy(address, size, bytes(size), size, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    return address


def laid(values: np.ndarray, address: int, at: int, room: int, strides: Sequence[int] | None = None) -> OnDevice:
    """A tensor of `values` whose elements begin `at` bytes after `address`, by its offset. Its storage is all `room`
    bytes. Without strides (in elements) the values are dense, and they are written to the memory."""
    steps = [int(np.prod(values.shape[i + 1 :])) for i in range(values.ndim)] if strides is None else list(strides)
    offset, shape = at // values.itemsize, list(values.shape)
    assert at % values.itemsize == 0
    handle = aclCreateTensor(shape, len(shape), acl_type(values.dtype), steps, offset, ACL_FORMAT_ND,
                             [room // values.itemsize], 1, address)  # fmt: skip
    if strides is None:
        data = np.ascontiguousarray(values)
        assert aclrtMemcpy(address + at, data.nbytes, data, data.nbytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS
    storage = np.zeros(room // values.itemsize, values.dtype)
    return OnDevice(handle, address, storage, values.shape, tuple(steps), offset)


def view(
    address: int, shape: Sequence[int], strides: Sequence[int], storage: int, dtype: int = ACL_FLOAT
) -> aclTensor:  # fmt: skip
    """A tensor at this address, with a storage of so many elements."""
    return aclCreateTensor([*shape], len(shape), dtype, [*strides], 0, ACL_FORMAT_ND, [storage], 1, address)
