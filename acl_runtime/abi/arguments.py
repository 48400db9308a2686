"""The types that a caller may pass for pointers and arrays, for use in the rendered stubs."""

# pyright: reportPrivateUsage=false, reportDeprecated=false
# (byref(x) and pointer(x) return classes that have names only in typeshed; so types are combined with Union, not |)

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ctypes import (
        Array,
        Structure,
        _CArgObject,
        _Pointer,
        _SimpleCData,
        c_bool,
        c_char_p,
        c_float,
        c_int8,
        c_int32,
        c_int64,
        c_uint8,
        c_uint32,
        c_uint64,
    )
    from typing import Any, TypeAlias, TypeVar, Union

    import numpy as np

    Number = TypeVar("Number", bound=Union[_SimpleCData[Any], _Pointer[Any]])
    Buffer: TypeAlias = Union[bytearray, memoryview, np.ndarray[Any, Any], Array[Any], Structure, _SimpleCData[Any]]
    Referred: TypeAlias = Union["_CArgObject", _Pointer[Any]]

    Output: TypeAlias = Union["_CArgObject", _Pointer[Number], Array[Number], None]
    """`T *` to write through: byref(x), pointer(x), an array, None"""
    Target: TypeAlias = Union[int, c_char_p, Buffer, Referred, None]
    """`void *`: any object with an address that can be written"""
    Source: TypeAlias = Union[Target, bytes, np.generic]
    """`const void *`: any object with an address"""
    Int8Array: TypeAlias = Union[
        Sequence[int], np.ndarray[Any, np.dtype[np.int8]], Array[c_int8], "_CArgObject", _Pointer[c_int8], None
    ]
    UInt8Array: TypeAlias = Union[
        Sequence[int], np.ndarray[Any, np.dtype[np.uint8]], Array[c_uint8], "_CArgObject", _Pointer[c_uint8], None
    ]
    Int32Array: TypeAlias = Union[
        Sequence[int], np.ndarray[Any, np.dtype[np.int32]], Array[c_int32], "_CArgObject", _Pointer[c_int32], None
    ]
    UInt32Array: TypeAlias = Union[
        Sequence[int], np.ndarray[Any, np.dtype[np.uint32]], Array[c_uint32], "_CArgObject", _Pointer[c_uint32], None
    ]
    Int64Array: TypeAlias = Union[
        Sequence[int], np.ndarray[Any, np.dtype[np.int64]], Array[c_int64], "_CArgObject", _Pointer[c_int64], None
    ]
    FloatArray: TypeAlias = Union[
        Sequence[float], np.ndarray[Any, np.dtype[np.float32]], Array[c_float], "_CArgObject", _Pointer[c_float], None
    ]
    BoolArray: TypeAlias = Union[
        Sequence[bool], np.ndarray[Any, np.dtype[np.bool_]], Array[c_bool], "_CArgObject", _Pointer[c_bool], None
    ]
    SizeArray: TypeAlias = Union[
        Sequence[int], np.ndarray[Any, np.dtype[np.uint64]], Array[c_uint64], "_CArgObject", _Pointer[c_uint64], None
    ]
    Int8Pointer: TypeAlias = _Pointer[c_int8]
    UInt8Pointer: TypeAlias = _Pointer[c_uint8]
    Int32Pointer: TypeAlias = _Pointer[c_int32]
    Int64Pointer: TypeAlias = _Pointer[c_int64]
    UInt64Pointer: TypeAlias = _Pointer[c_uint64]
