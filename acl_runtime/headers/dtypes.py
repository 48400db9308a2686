"""The numpy type of each aclDataType."""

from functools import cache
from typing import Any, TypeAlias

import numpy as np

from acl_runtime.headers.dtype_names import ML_DTYPES, NUMPY, bits
from acl_runtime.headers.enums import aclDataType

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Shape: TypeAlias = tuple[int, ...]


@cache
def numpy_dtype(data_type: int) -> np.dtype[Any] | None:
    """The numpy type of the elements; None if numpy and ml_dtypes have none."""
    if data_type in NUMPY:
        return np.dtype(NUMPY[aclDataType(data_type)])
    if data_type in ML_DTYPES:
        import ml_dtypes  # late: a third of numpy's import time, only for 16-bit and 8-bit floats

        return np.dtype(getattr(ml_dtypes, ML_DTYPES[aclDataType(data_type)]))
    return None


def data_type_of(dtype: np.dtype[Any]) -> aclDataType:
    """The aclDataType of a type of numpy or ml_dtypes; TypeError if there is none."""
    for data_type in (*NUMPY, *ML_DTYPES):
        if numpy_dtype(data_type) == dtype:
            return data_type
    raise TypeError(f"no aclDataType holds numpy's {dtype}")


def nbytes(elements: int, data_type: int) -> int:
    """The bytes of `elements` elements, "total bits rounded up to bytes"."""
    return -(-elements * bits(data_type) // 8)
