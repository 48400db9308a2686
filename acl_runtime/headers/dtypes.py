"""The numpy type, the size and the printed name of each aclDataType, and the names of formats."""

from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

from acl_runtime.headers.enums import aclDataType, aclFormat

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Shape: TypeAlias = tuple[int, ...]

_T = aclDataType
_NUMPY: Final = {
    _T.ACL_FLOAT: "float32", _T.ACL_FLOAT16: "float16", _T.ACL_INT8: "int8", _T.ACL_INT32: "int32",
    _T.ACL_UINT8: "uint8", _T.ACL_INT16: "int16", _T.ACL_UINT16: "uint16", _T.ACL_UINT32: "uint32",
    _T.ACL_INT64: "int64", _T.ACL_UINT64: "uint64", _T.ACL_DOUBLE: "float64", _T.ACL_BOOL: "bool",
    _T.ACL_COMPLEX64: "complex64", _T.ACL_COMPLEX128: "complex128",
}  # fmt: skip
_ML_DTYPES: Final = {
    _T.ACL_BF16: "bfloat16", _T.ACL_FLOAT8_E5M2: "float8_e5m2", _T.ACL_FLOAT8_E4M3FN: "float8_e4m3fn",
    _T.ACL_FLOAT8_E8M0: "float8_e8m0fnu",
}  # fmt: skip
_PRINTED: Final = {_T.ACL_DT_UNDEFINED: "DT_UNDEFINED", _T.ACL_BF16: "DT_BFLOAT16"}
_BITS: Final = {
    _T.ACL_UINT1: 1, _T.ACL_INT4: 4, _T.ACL_FLOAT6_E3M2: 6, _T.ACL_FLOAT6_E2M3: 6, _T.ACL_FLOAT4_E2M1: 4,
    _T.ACL_FLOAT4_E1M2: 4, _T.ACL_COMPLEX32: 32, _T.ACL_HIFLOAT8: 8, _T.ACL_STRING: 128,
}  # fmt: skip


@cache
def numpy_dtype(data_type: int) -> np.dtype[Any] | None:
    """The numpy type of the elements; None if numpy and ml_dtypes have none."""
    if data_type in _NUMPY:
        return np.dtype(_NUMPY[aclDataType(data_type)])
    if data_type in _ML_DTYPES:
        import ml_dtypes  # late: a third of numpy's import time, only for 16-bit and 8-bit floats

        return np.dtype(getattr(ml_dtypes, _ML_DTYPES[aclDataType(data_type)]))
    return None


def data_type_of(dtype: np.dtype[Any]) -> aclDataType:
    """The aclDataType of a type of numpy or ml_dtypes; TypeError if there is none."""
    for data_type in (*_NUMPY, *_ML_DTYPES):
        if numpy_dtype(data_type) == dtype:
            return data_type
    raise TypeError(f"no aclDataType holds numpy's {dtype}")


def bits(data_type: int) -> int:
    """Bits of one element; "Unknown dtype counts 16 bytes"."""
    dtype = numpy_dtype(data_type)
    if dtype is not None:
        return dtype.itemsize * 8
    return _BITS[aclDataType(data_type)] if data_type in _BITS else 128


def nbytes(elements: int, data_type: int) -> int:
    """The bytes of `elements` elements, "total bits rounded up to bytes"."""
    return -(-elements * bits(data_type) // 8)


def dtype_name(data_type: int) -> str:
    """The name of a data type in error texts, such as DT_FLOAT or DT_FLOAT16."""
    try:
        member = aclDataType(data_type)
    except ValueError:
        return f"unknown data type {data_type}"
    return _PRINTED.get(member) or "DT_" + member.name.removeprefix("ACL_")


def format_name(format: int) -> str:
    """The name of a format, such as NCHW, ND, FRACTAL_NZ."""
    try:
        return aclFormat(format).name.removeprefix("ACL_FORMAT_").removeprefix("ACL_")
    except ValueError:
        return f"unknown format {format}"
