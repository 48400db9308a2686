"""Numbers of 4 bits, two of which share a byte: arrays with one number in each byte, and tensors on the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import ml_dtypes
import numpy as np

from acl_runtime import *
from aclnn.op import pack_int4, unpack_int4
from tests.helpers.builders import OnDevice
from tests.helpers.weights import filled, tensor

NUMBERS: Final[Mapping[int, np.dtype[Any]]] = {
    ACL_INT4: np.dtype(ml_dtypes.int4), ACL_FLOAT4_E2M1: np.dtype(ml_dtypes.float4_e2m1fn),
}  # fmt: skip
"""the types of their arrays"""


def is_packed(array: np.ndarray) -> bool:
    return array.dtype in NUMBERS.values()


class Packed(OnDevice):
    """A dense tensor on the device whose elements share bytes."""

    dtype: np.dtype[Any]

    def read(self) -> np.ndarray:
        """The numbers, as they are now."""
        codes = unpack_int4(self.read_storage(), int(np.prod(self.shape))).reshape(self.shape)
        if self.dtype == NUMBERS[ACL_INT4]:
            return codes.astype(self.dtype)
        return (codes & 15).astype(np.uint8).view(self.dtype)


def packed(array: np.ndarray) -> Packed:
    """A dense tensor with these numbers."""
    (dtype,) = (each for each, numbers in NUMBERS.items() if numbers == array.dtype)
    storage = pack_int4(np.ascontiguousarray(array).view(np.int8))
    address = filled(storage)
    made = Packed(tensor(address, array.shape, dtype), address, storage, array.shape, (), 0)
    made.dtype = array.dtype
    return made
